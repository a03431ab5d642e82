"""How a command can end: exit codes, one sentence each, and files that are whole or untouched."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest

from diverset.commands import output

from .conftest import left_in

USAGE = [
    ["slect"],
    ["select", "items.csv"],
    ["select", "-k", "3"],
    ["select", "items.csv", "-k", "0"],
    ["select", "items.csv", "-k", "three"],
    ["select", "items.csv", "-k", "3", "--method", "gredy"],
    ["select", "items.csv", "-k", "3", "--kernel", "gausian"],
    ["select", "items.csv", "-k", "3", "--kernel", "matern:nu=9"],
    ["select", "items.csv", "-k", "3", "--kernel", "matern:mu=1"],
    ["select", "items.csv", "-k", "3", "--kernel", "cosine", "--bandwidth", "2"],
    ["select", "items.csv", "-k", "3", "--kernel", "tanimoto"],
    ["select", "items.csv", "-k", "3", "--bandwidth", "-1"],
    ["select", "items.csv", "-k", "3", "--bandwidth", "wide"],
    ["select", "items.csv", "-k", "3", "--memory", "lots"],
    ["select", "items.csv", "-k", "3", "--memory", "0GB"],
    ["select", "items.csv", "-k", "3", "--delimiter", "::"],
    ["select", "items.csv", "-k", "3", "-o", "picks"],
    ["select", "items.csv", "-k", "3", "-o", "picks.csv", "--json"],
    ["select", "items.csv", "-k", "3", "-o", "items.csv"],
    ["select", "items.csv", "-k", "3", "-o", "nowhere/picks.csv"],
    ["select", "items.csv", "-k", "3", "-o", "."],
    ["compare", "items.csv", "-k", "3", "--methods", "gredy"],
    ["compare", "items.csv", "-k", "3", "-o", "x.txt"],
    ["sample", "items.csv"],
    ["sample", "items.csv", "-k", "3", "--method", "dpp"],
    ["sample", "items.csv", "-k", "3", "-o", "x.html"],
    ["completion", "powershell"],
]


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_a_mistake_of_usage_ends_with_2_and_where_to_look(type_, items, words):
    before = items.read_bytes()
    result = type_(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "error: " in result.stderr
    assert left_in(items.parent) == ["items.csv"]
    assert items.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "bad.csv cannot be read: no such file"),
        (b"", "bad.csv is empty"),
        (b"a,b\n1,2\n3,\n", "bad.csv, line 3, column 'b': no value"),
        (b"a,b\n1,2\n3\n", "bad.csv, line 3 has 1 cells, wanted 2"),
        (b"a,b\n1,2\n3,inf\n", "column 'b': a number that is not finite"),
        (b"a,b\n1,2\n3,4\n", "k must be between 1 and the 2 items in X, got k=3"),
    ],
)
def test_bad_input_ends_with_3_and_names_the_place(type_, tmp_path, content, said):
    if content is not None:
        (tmp_path / "bad.csv").write_bytes(content)
    result = type_("select", "bad.csv", "-k", 3)
    assert result.exit_code == 3
    assert result.stdout == ""
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_strict_ends_with_4_and_writes_nothing(type_, items, tmp_path):
    words = ["select", items, "-k", 8, "--columns", "a,b,c", "--kernel", "linear"]  # of rank 3
    plain = type_(*words, "--ids")
    assert plain.exit_code == 0
    assert "warning: Only 3 of k=8" in plain.stderr
    strict = type_(*words, "--strict", "-o", "picks.csv")
    assert strict.exit_code == 4
    assert "Pick 4" in strict.stderr
    assert strict.stdout == ""
    assert left_in(tmp_path) == ["items.csv"]
    assert type_("select", items, "-k", 3, "--strict", "-o", "picks.csv").exit_code == 0


def test_a_failure_of_ours_ends_with_1_and_shows_its_traceback_on_request(type_, items, monkeypatch):
    def breaks(*_, **__):
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("diverset.commands.work.select", breaks)
    result = type_("select", items, "-k", 3)
    assert result.exit_code == 1
    assert "error: Unexpected RuntimeError: the sky fell. See where with --debug." in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in type_("select", items, "-k", 3, "--debug").stderr


def test_debug_shows_where_bad_input_was_found(type_):
    result = type_("select", "absent.csv", "-k", 3, "--debug")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr


def test_too_little_memory_is_said_as_such(type_, items, monkeypatch):
    def breaks(*_, **__):
        raise MemoryError

    monkeypatch.setattr("diverset.commands.work.select", breaks)
    result = type_("select", items, "-k", 3)
    assert result.exit_code == 1
    assert "--memory" in result.stderr


def test_a_missing_package_is_named_before_the_work(type_, items, monkeypatch):
    monkeypatch.setattr(output, "find_spec", lambda name: None)
    for name, extra in (("picks.parquet", "tables"), ("picks.html", "report")):
        result = type_("select", items, "-k", 3, "-o", name)
        assert result.exit_code == 1
        assert f"pip install 'diverset[{extra}]'" in result.stderr
        assert "items with" not in result.stderr  # nothing was read yet


def test_interrupted_ends_with_130(type_, items, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("diverset.commands.work.select", interrupted)
    result = type_("select", items, "-k", 3, "-o", "picks.csv")
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert left_in(items.parent) == ["items.csv"]


# --- files ------------------------------------------------------------------------------------


def test_the_suffix_chooses_the_form(type_, items, tmp_path):
    for name, start in (("a.json", b"{"), ("a.csv", b"pick,row,name"), ("a.txt", b"item")):
        result = type_("select", items, "-k", 3, "-o", name)
        assert result.stdout == ""
        assert f"wrote {name}" in result.stderr
        assert (tmp_path / name).read_bytes().startswith(start)
    assert type_("select", items, "-k", 3, "-o", "a.dat", "--ids").exit_code == 0
    assert (tmp_path / "a.dat").read_bytes() == (tmp_path / "a.txt").read_bytes()
    assert type_("select", items, "-k", 3, "-o", "-", "--ids").stdout == (tmp_path / "a.txt").read_text()


@pytest.mark.parametrize("moment", ["fsync", "replace"])
@pytest.mark.parametrize("trouble", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_was_there_stays_when_writing_fails(type_, items, tmp_path, monkeypatch, moment, trouble):
    def breaks(*_):
        raise trouble

    (tmp_path / "picks.csv").write_text("of yesterday")
    monkeypatch.setattr(f"diverset.commands.output.os.{moment}", breaks)
    result = type_("select", items, "-k", 3, "-o", "picks.csv")
    assert result.exit_code == (1 if isinstance(trouble, OSError) else 130)
    assert (tmp_path / "picks.csv").read_text() == "of yesterday"
    assert left_in(tmp_path) == ["items.csv", "picks.csv"]


def test_several_files_are_written_together_or_not_at_all(tmp_path, monkeypatch):
    real = os.fsync
    calls = []

    def second_fails(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr("diverset.commands.output.os.fsync", second_fails)
    with pytest.raises(output.click.ClickException, match="no space left"):
        output.write_all({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert left_in(tmp_path) == []


def test_rights_links_and_devices_are_respected(tmp_path):
    old = tmp_path / "old"
    old.write_text("x")
    old.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(old)
    before = os.umask(0o027)
    try:
        output.write_all({link: b"new", tmp_path / "fresh": b"1", output.Path(os.devnull): b"gone"})
    finally:
        os.umask(before)
    assert link.is_symlink()
    assert old.read_bytes() == b"new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640
    assert stat.S_ISCHR(output.Path(os.devnull).stat().st_mode)


def test_the_input_is_never_the_output_even_by_another_name(type_, items, tmp_path):
    (tmp_path / "twin.csv").symlink_to(items)
    result = type_("select", items, "-k", 3, "-o", "twin.csv")
    assert result.exit_code == 2
    assert "is what is read" in result.stderr


def test_a_dry_run_does_nothing_and_says_what_would_be_done(type_, items, tmp_path, monkeypatch):
    monkeypatch.setattr("diverset.commands.work.select", None)
    result = type_("select", items, "-k", 3, "--dry-run", "-o", "picks.csv")
    assert result.exit_code == 0
    assert "3 of 60 items" in result.stdout
    assert "time" in result.stdout
    assert left_in(tmp_path) == ["items.csv"]
    assert type_("select", items, "-k", 61, "--dry-run").exit_code == 3
    assert type_("select", items, "-k", 9, "--dry-run", "--groups", "label", "--quota", "1").exit_code == 3


def test_quiet_leaves_only_errors_and_warnings(type_, items):
    assert type_("select", items, "-k", 3, "-q").stderr == ""
    loud = type_("select", items, "-k", 3)
    assert loud.stderr.startswith(f"{items}: 60 items with")
    assert "standardised" in loud.stderr
    assert "warning" in type_("select", items, "-k", 8, "-q", "--columns", "a", "--kernel", "linear").stderr


def test_words_about_strange_names_are_harmless(type_, items, tmp_path):
    strange = "a\x1b[2J\u202e.csv"
    written = type_("select", items, "-k", 3, "-o", strange)
    assert (tmp_path / strange).exists()
    assert "wrote a\\u001b[2J\\u202e.csv" in written.stderr
    again = type_("select", strange, "-k", 3, "-o", strange)
    assert again.exit_code == 2
    assert "\x1b" not in written.stderr + again.stderr
    assert "\u202e" not in written.stderr + again.stderr


def test_a_library_refusal_gets_the_name_of_the_file(type_, tmp_path):
    np.savetxt(tmp_path / "K.csv", -np.eye(4), delimiter=",")
    result = type_("select", "K.csv", "-k", 2, "--kernel", "precomputed")
    assert result.exit_code == 3
    assert "error: K.csv: " in result.stderr
