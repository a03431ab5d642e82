"""Paths as strangers make them: pipes, loops of links, devices, odd names, folders nobody may read."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from diverset.readers import ReadError, Wanted, files, read
from diverset.readers.files import listing

CSV = b"x,y\n1,2\n3,5\n"
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
not_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="nothing is forbidden to root")


@pytest.fixture
def folder(tmp_path):
    """A folder with two tables."""
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(CSV)
    return tmp_path


def skipped(path):
    return {s.what: s.why for s in read(path).skipped}


@needs_pipes
def test_a_named_pipe_is_read_to_its_end(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Timer(0.2, pipe.write_bytes, [CSV])  # later than the reader looks
    writer.daemon = True  # or a reader that gives up would leave it waiting for ever
    writer.start()
    assert read(pipe, Wanted(standardize=False)).X.tolist() == [[1, 2], [3, 5]]
    writer.join()


@needs_pipes
def test_a_pipe_that_nobody_writes_to_is_empty_and_does_not_hang(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_WRITER", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReadError, match="pipe is empty"):
        read(tmp_path / "pipe")


@needs_pipes
def test_pipes_loops_and_broken_links_in_a_folder_are_skipped_and_listed(folder):
    (folder / "c.csv").write_bytes(CSV)
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    (folder / "gone.csv").symlink_to(folder / "nowhere")
    assert skipped(folder) == {
        "pipe.csv": "a pipe",
        "loop.csv": "too many levels of symbolic links",
        "gone.csv": "no such file or directory",
    }


def test_links_to_folders_are_not_followed_in_circles(folder):
    (folder / "again").symlink_to(folder)
    assert skipped(folder) == {"again": "a link to a folder, not followed"}


def test_a_link_to_a_file_is_that_file(folder):
    (folder / "c.csv").symlink_to(folder / "a.csv")
    assert read(folder).n == 6


@not_root
def test_what_may_not_be_read_is_skipped_and_listed(folder):
    (folder / "closed").mkdir(mode=0)
    (folder / "c.csv").write_bytes(CSV)
    (folder / "c.csv").chmod(0)
    try:
        assert skipped(folder) == {
            "closed": "permission denied",
            "c.csv": "cannot be read: permission denied",
        }
        with pytest.raises(ReadError, match="permission denied"):
            read(folder / "closed")
    finally:
        (folder / "closed").chmod(0o700)


def test_a_file_that_may_not_be_opened_is_skipped_and_listed(folder, monkeypatch):
    from pathlib import Path

    def forbidden(path, *args, **kwargs):
        if path.name == "b.csv":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *args, **kwargs)

    opened = Path.open
    monkeypatch.setattr(Path, "open", forbidden)
    assert skipped(folder) == {"b.csv": "cannot be read: permission denied"}
    with pytest.raises(ReadError, match=r"b.csv cannot be read: permission denied"):
        read(folder / "b.csv")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nowhere.csv", "nowhere.csv cannot be read: no such file"),
        ("*.nothing", "cannot be read: no such file"),
        ("a\0b.csv", r"a\\x00b.csv cannot be read"),
        ("x" * 5000, "cannot be read: file name too long"),
        ("/dev/null", "a device or a socket"),
        ([], "No file was named"),
    ],
)
def test_what_is_not_there_is_said(source, says):
    with pytest.raises(ReadError, match=says):
        read(source)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ReadError, match="holds no file that can be read"):
        read(tmp_path)


def test_hidden_files_are_left_alone(folder):
    (folder / ".DS_Store").write_bytes(b"\0\1\2")
    (folder / ".git").mkdir()
    (folder / ".git" / "index.csv").write_bytes(CSV)
    reading = read(folder)
    assert (reading.n, reading.skipped) == (4, ())


@pytest.mark.parametrize(
    "name", [b"caf\xff.csv", "a\u202egnp.csv".encode(), b"\x1b[2J.csv", b"a\nb.csv", b"-.csv", b"[1].csv"]
)
def test_odd_names_are_read_and_printed_so_that_no_terminal_obeys(tmp_path, name):
    path = os.path.join(os.fsencode(tmp_path), name)  # noqa: PTH118  bytes
    try:
        with open(path, "wb") as out:  # noqa: PTH123  bytes
            out.write(CSV)
    except OSError:
        pytest.skip("this file system refuses the name")
    reading = read(os.fsdecode(path))
    assert reading.n == 2
    assert reading.source.isprintable()
    reading.source.encode()
    assert read(tmp_path).n == 2


def test_files_come_in_the_order_of_the_bytes_of_their_names(tmp_path):
    for name in ("b.csv", "B.csv", "a10.csv", "a9.csv", "é.csv"):
        (tmp_path / name).write_bytes(CSV)
    with listing(tmp_path) as found:
        assert [f.name for f in found.files] == ["B.csv", "a10.csv", "a9.csv", "b.csv", "é.csv"]


def test_inputs_are_not_written_to_and_copies_go_away(tmp_path, monkeypatch):
    import gzip
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spool"))
    (tmp_path / "spool").mkdir()
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(CSV))
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert read(path).n == 2
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_memory_map_cannot_be_written_through(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3))
    reading = read(tmp_path / "x.npy")
    with pytest.raises(ValueError, match="read-only"):
        reading.X[0, 0] = 5
