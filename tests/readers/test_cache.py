"""Features that are kept: found again, never wrong, never in the way."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from diverset.readers import Wanted, cache, read
from diverset.readers.cache import Cache, cache_for, key_of
from diverset.readers.features import PICTURES
from diverset.readers.features.plain import Color
from diverset.readers.features.sift import Sift

A = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path / "cache")


@pytest.fixture
def photos(tmp_path):
    """A folder of six photos with corners in them."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for i in range(6):
        rng = np.random.default_rng(i)
        blocks = rng.integers(0, 256, (8, 10, 3)).astype(np.uint8)
        Image.fromarray(blocks).resize((120, 96), Image.Resampling.NEAREST).save(folder / f"{i}.png")
    return folder


@pytest.fixture
def looked(monkeypatch):
    """The number of pictures that were described, counted."""
    count = []
    for kind in (Sift, Color):
        plain = kind.describe

        def describe(self, rgb, plain=plain):
            count.append(1)
            return plain(self, rgb)

        monkeypatch.setattr(kind, "describe", describe)
    return count


def entries(folder):
    return sorted(folder.rglob("*.npz"))


# --- entries ----------------------------------------------------------------------------------


def test_what_was_put_is_found_again(kept):
    arrays = {"a": A, "b": np.array(True), "c": np.array([], dtype=np.uint8)}
    kept.put(key_of("x"), arrays)
    found = kept.get(key_of("x"), *arrays)
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    assert all(found[name].dtype == arrays[name].dtype for name in arrays)
    assert kept.get(key_of("y"), "a") is None
    assert kept.get(key_of("x"), "a", "d") is None


def test_keys_depend_on_every_part_and_on_where_it_ends():
    assert len({key_of("a", "bc"), key_of("ab", "c"), key_of("abc"), key_of("a", "b", "c"), key_of("")}) == 5
    assert key_of("\ud800") != key_of("?")


@pytest.mark.parametrize("keep", [0, 1, 30, 200, -1])
def test_a_cut_entry_is_as_good_as_none(kept, keep):
    kept.put(key_of("x"), {"a": A})
    (file,) = entries(kept.folder)
    file.write_bytes(file.read_bytes()[:keep])
    assert kept.get(key_of("x"), "a") is None
    kept.put(key_of("x"), {"a": A})
    assert np.array_equal(kept.get(key_of("x"), "a")["a"], A)


def test_an_entry_with_any_byte_changed_is_right_or_none(kept):
    kept.put(key_of("x"), {"a": A})
    (file,) = entries(kept.folder)
    whole = file.read_bytes()
    none = 0
    for at in range(0, len(whole), 3):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        found = kept.get(key_of("x"), "a")
        none += found is None
        assert found is None or np.array_equal(found["a"], A)
    assert none > len(whole) / 9


def test_a_pickle_in_the_cache_is_never_opened(kept, tmp_path):
    """An array of objects would run a program when it is read."""

    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "sprung",)

    kept.put(key_of("x"), {"a": A})
    (file,) = entries(kept.folder)
    with file.open("wb") as stream:
        np.savez(stream, a=np.array([Trap()], dtype=object))
    assert kept.get(key_of("x"), "a") is None
    assert not (tmp_path / "sprung").exists()


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path, photos):
    (tmp_path / "file").write_text("in the way")
    reading = read(photos, Wanted(features="color", cache=tmp_path / "file"))
    assert [note for note in reading.notes if "could not be kept" in note and "file" in note]
    assert reading.n == 6


def test_no_cache_writes_nothing(photos, tmp_path, monkeypatch):
    monkeypatch.setenv("DIVERSET_CACHE", str(tmp_path / "never"))
    read(photos, Wanted(features="color", cache=False))
    assert not (tmp_path / "never").exists()


# --- where ------------------------------------------------------------------------------------


def test_the_folder_follows_the_conventions(monkeypatch, tmp_path):
    monkeypatch.delenv("DIVERSET_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.root() == tmp_path / ".cache" / "diverset"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache.root() == tmp_path / ".cache" / "diverset"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.root() == tmp_path / "xdg" / "diverset"
    monkeypatch.setenv("DIVERSET_CACHE", "~/mine")
    assert cache.root() == tmp_path / "mine"
    assert cache_for(True).folder.is_relative_to(tmp_path / "mine")
    assert cache_for(tmp_path / "other").folder.is_relative_to(tmp_path / "other")
    assert cache_for(False).folder is None


# --- how much ---------------------------------------------------------------------------------


def test_what_is_too_much_is_cleared_large_and_old_first(tmp_path):
    kept = Cache(tmp_path, limit=200_000)
    for i in range(10):
        kept.put(key_of("large", i), {"a": np.zeros(4000) + i})
        kept.put(key_of("small", i), {"a": np.zeros(10) + i})
    for i in (0, 1):  # used again: younger than the others
        os.utime(kept._path(tmp_path, key_of("large", i)), (time.time() + 60,) * 2)
    for i in range(2, 10):
        os.utime(kept._path(tmp_path, key_of("large", i)), (1000 * i,) * 2)
    for i in range(10):  # the oldest of all, but made of large ones with much work
        os.utime(kept._path(tmp_path, key_of("small", i)), (500, 500))
    kept.tidy()
    left = [i for i in range(10) if kept.get(key_of("large", i), "a")]
    assert left == [0, 1, 8, 9]
    assert all(kept.get(key_of("small", i), "a") for i in range(10))
    assert sum(f.stat().st_size for f in entries(tmp_path)) <= 0.8 * 200_000


def test_an_entry_that_would_fill_the_cache_is_not_kept(tmp_path):
    kept = Cache(tmp_path, limit=10_000)
    kept.put(key_of("x"), {"a": np.zeros(1000)})
    assert entries(tmp_path) == []
    assert kept.problem is None


def test_using_an_entry_makes_it_young(kept):
    kept.put(key_of("x"), {"a": A})
    (file,) = entries(kept.folder)
    os.utime(file, (1000, 1000))
    kept.get(key_of("x"), "a")
    assert file.stat().st_mtime > 10_000


def test_files_that_nobody_finished_are_cleared_after_an_hour(kept):
    kept.put(key_of("x"), {"a": A})
    (file,) = entries(kept.folder)
    old, new = file.with_name("old.tmp"), file.with_name("new.tmp")
    for one, age in ((old, 7200), (new, 10)):
        one.touch()
        os.utime(one, (time.time() - age,) * 2)
    kept.tidy()
    assert not old.exists()
    assert new.exists()
    assert file.exists()


_WRITER = """
import sys
import numpy as np
from pathlib import Path
from diverset.readers.cache import Cache, key_of
kept = Cache(Path(sys.argv[1]), limit=60_000)
for i in range(100):
    key = key_of(i % 20)
    found = kept.get(key, "a")
    assert found is None or (found["a"] == i % 20).all()
    kept.put(key, {"a": np.full(1000, i % 20)})
    if i % 30 == 0:
        kept.tidy()
assert kept.problem is None, kept.problem
"""


def test_several_programs_may_write_at_once(tmp_path):
    run = [sys.executable, "-c", _WRITER, str(tmp_path)]
    programs = [subprocess.Popen(run, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(p.communicate()[1], p.returncode) for p in programs] == [(b"", 0)] * 3
    assert not list(tmp_path.rglob("*.tmp"))


# --- pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("features", ["sift", "color"])
def test_the_second_run_looks_at_no_picture_and_says_the_same(photos, tmp_path, looked, features):
    without = read(photos, Wanted(features=features, cache=False))
    looked.clear()
    wanted = Wanted(features=features, cache=tmp_path / "cache")
    first = read(photos, wanted)
    assert len(looked) == 6
    second = read(photos, wanted)
    assert len(looked) == 6
    for reading in (first, second):
        assert np.array_equal(reading.X, without.X)
        assert (reading.names, reading.notes, reading.digest) == (
            without.names,
            without.notes,
            without.digest,
        )


def test_the_second_run_imports_neither_opencv_nor_torch(photos, tmp_path):
    program = (
        "import sys; from diverset.readers import Wanted, read; "
        "read(sys.argv[1], Wanted(features='sift', cache=__import__('pathlib').Path(sys.argv[2]))); "
        "print([m for m in ('cv2', 'torch') if m in sys.modules])"
    )
    run = [sys.executable, "-c", program, str(photos), str(tmp_path / "cache")]
    said = [subprocess.run(run, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said == ["['cv2']\n", "[]\n"]


@pytest.mark.parametrize("features", ["sift", "color"])
def test_one_more_photo_is_looked_at_alone_and_the_answer_is_that_of_a_fresh_run(
    photos, tmp_path, looked, features
):
    wanted = Wanted(features=features, cache=tmp_path / "cache")
    read(photos, wanted)
    Image.effect_noise((90, 70), 60).convert("RGB").save(photos / "new.png")
    looked.clear()
    more = read(photos, wanted)
    assert len(looked) == 1
    assert np.array_equal(more.X, read(photos, Wanted(features=features, cache=False)).X)


def test_in_a_large_folder_one_more_photo_leaves_the_words_as_they_are(photos, tmp_path, looked, monkeypatch):
    """Here from three photos of six: a photo whose digest is not among the smallest changes nothing."""
    monkeypatch.setattr(Sift, "learns", 3)
    learnt = []
    plain = Sift.learn
    monkeypatch.setattr(Sift, "learn", lambda self, described: learnt.append(1) or plain(self, described))
    wanted = Wanted(features="sift", cache=tmp_path / "cache")
    before = read(photos, wanted)
    changed = []
    for i in range(6):
        Image.fromarray(np.random.default_rng(100 + i).integers(0, 256, (60, 60, 3)).astype(np.uint8)).save(
            photos / "new.png"
        )
        looked.clear()
        learnt.clear()
        after = read(photos, wanted)
        assert len(looked) == 1
        changed.append(bool(learnt))
        assert np.array_equal(after.X, read(photos, Wanted(features="sift", cache=False)).X)
        if not changed[-1]:
            assert np.array_equal(after.X[:6], before.X)
    assert not all(changed)


def test_other_settings_and_versions_are_other_entries(photos, tmp_path, looked, monkeypatch):
    wanted = Wanted(features="color", cache=tmp_path / "cache")
    first = read(photos, wanted)
    monkeypatch.setitem(PICTURES, "color", Color(width=10.0))
    finer = read(photos, wanted)
    assert finer.X.shape[1] > first.X.shape[1]
    monkeypatch.setitem(PICTURES, "color", Color())
    monkeypatch.setattr(Color, "version", 2)
    looked.clear()
    read(photos, wanted)
    assert len(looked) == 6


def test_broken_entries_are_made_again_and_the_answer_is_the_same(photos, tmp_path):
    wanted = Wanted(features="sift", cache=tmp_path / "cache")
    first = read(photos, wanted)
    for i, file in enumerate(entries(tmp_path / "cache")):
        file.write_bytes(file.read_bytes()[: 100 * (i % 4)])
    assert np.array_equal(read(photos, wanted).X, first.X)
    assert np.array_equal(read(photos, wanted).X, first.X)


def test_frames_are_remembered(tmp_path):
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:])
    for i in range(3):
        (tmp_path / f"{i}.gif").write_bytes(stream.getvalue())
    notes = [read(tmp_path, Wanted(features="color", cache=tmp_path / ".cache")).notes for _ in range(2)]
    assert notes[0] == notes[1]
    assert any("several frames" in note for note in notes[0])
