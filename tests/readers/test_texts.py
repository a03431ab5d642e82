"""Texts in any language and in any encoding, hostile bytes among them."""

from __future__ import annotations

import logging
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diverset as dv
from diverset.readers import ReadError, Wanted, read
from diverset.readers.features import words
from diverset.readers.files import listing
from diverset.readers.texts import features_of_texts, read_texts

PLAIN = Wanted(kind="texts", cache=False)
REVIEWS = [
    "The battery died after two days and nobody answered my letters.",
    "Battery life is poor: it was dead after a weekend.",
    "A wonderful book about the sea, and about growing old.",
    "Der Akku hält keine zwei Tage.",
    "Lovely colours, soft fabric, fits perfectly.",
    "这本书讲的是大海和老人。",
    "海についての美しい本です。",
]


def texts_in(folder, wanted=PLAIN):
    with listing(folder) as found:
        return read_texts(found, wanted)


# --- files ------------------------------------------------------------------------------------


def test_a_single_file_is_a_text_per_line(tmp_path):
    path = tmp_path / "reviews.txt"
    path.write_bytes(b"\xef\xbb\xbfone fish\r\n\r\n  two fish \r\nred\x0bfish\rblue fish\n")
    reading = texts_in(path)
    assert reading.texts == ["one fish", "two fish", "red\x0bfish", "blue fish"]
    assert reading.names == ["line 1", "line 3", "line 4", "line 5"]
    assert (reading.kind, reading.n, reading.X.shape[0]) == ("texts", 4, 4)
    assert reading.digest == __import__("hashlib").sha256(path.read_bytes()).hexdigest()


def test_a_folder_is_a_text_per_file(tmp_path):
    (tmp_path / "b").mkdir()
    for name, text in (("a.txt", "one\ntwo"), ("b/c.md", "three"), ("z.txt", "four")):
        (tmp_path / name).write_text(text)
    (tmp_path / "blank.txt").write_text(" \n")
    (tmp_path / "zeros.txt").write_bytes(bytes(range(256)) * 3)
    reading = texts_in(tmp_path)
    assert reading.names == ["a.txt", "b/c.md", "z.txt"]
    assert reading.texts == ["one\ntwo", "three", "four"]
    skipped = dict(reading.skipped)
    assert skipped["blank.txt"] == "it is empty"
    assert "zero bytes" in skipped["zeros.txt"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_is_recognised(tmp_path, encoding):
    lines = ["Grüße aus Köln, wo der Dom steht", "und Grüße aus Ærø im Meer"] * 4
    (tmp_path / "a.txt").write_bytes("\n".join(lines).encode(encoding))
    assert texts_in(tmp_path / "a.txt").texts == lines


def test_other_encodings_are_guessed_and_said(tmp_path):
    line = "Das Mädchen lief über die Brücke, und der Bäcker grüßte schön zurück."
    (tmp_path / "old.txt").write_bytes("\n".join([line] * 20).encode("cp1252"))
    reading = texts_in(tmp_path / "old.txt")
    assert reading.texts[0] == line
    assert any("encoding guessed" in note and "old.txt" in note for note in reading.notes)
    named = texts_in(tmp_path / "old.txt", Wanted(encoding="latin-1", cache=False))
    assert named.texts[0] == line
    assert not any("guessed" in note for note in named.notes)


def test_an_unknown_encoding_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("x\ny")
    for name in ("utf-9", "base64", "\0"):
        with pytest.raises(ReadError, match="Unknown encoding"):
            texts_in(tmp_path / "a.txt", Wanted(encoding=name, cache=False))


def test_bytes_that_are_no_text_are_shown_as_such_and_said(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"good line\nbad \xff\xfe line\nanother line\n")
    reading = texts_in(tmp_path / "a.txt", Wanted(encoding="utf-8", cache=False))
    assert reading.texts == ["good line", "bad \ufffd\ufffd line", "another line"]
    assert any("became" in note for note in reading.notes)


@given(st.binary(min_size=1, max_size=300))
def test_whatever_the_bytes_they_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("hostile") / "a.txt"
    path.write_bytes(data)
    try:
        reading = texts_in(path)
    except ReadError as why:
        assert "a.txt" in str(why)  # noqa: PT017  it may well be read instead
    else:
        assert reading.n == len(reading.texts) == reading.X.shape[0] > 0
        assert all(text.strip() for text in reading.texts)


def test_files_without_a_text_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("\n \n\n")
    with pytest.raises(ReadError, match=r"a\.txt"):
        texts_in(tmp_path / "a.txt")


# --- words ------------------------------------------------------------------------------------


def test_words_of_many_languages():
    assert words.words("Don't panic! e-mail, 3.5 C++") == ["don", "t", "panic", "e", "mail", "3", "5", "c"]
    assert words.words("नमस्ते दुनिया। مرحبا، بالعالم؟") == ["नमस्ते", "दुनिया", "مرحبا", "بالعالم"]
    assert words.words("Cafe\u0301 CAFÉ ﬁsh") == ["café", "café", "fish"]
    assert words.words("我爱北京") == ["我爱", "爱北", "北京"]
    assert words.words("สวัสดี") == ["สว", "วั", "ัส", "สด", "ดี"]
    assert words.words("안녕 세상") == ["안녕", "세상"]
    assert words.words("so 😀👍") == ["so", "😀👍"]
    assert words.words("海") == ["海"]
    assert words.words(" .,;!? \t\n«»“”…—、。") == []


def test_tfidf_is_the_formula():
    texts = ["red red red fish", "blue fish", "blue sky", "red sky"]
    found = features_of_texts(texts, PLAIN)
    vocabulary = sorted({word for text in texts for word in text.split()})
    counts = np.array([[text.split().count(word) for word in vocabulary] for text in texts], dtype=float)
    weight = np.log(5 / (1 + (counts > 0).sum(axis=0))) + 1
    expected = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * weight
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert found.X.toarray() == pytest.approx(expected)
    assert found.kernel == dv.Cosine()


def test_texts_about_the_same_thing_are_alike_and_the_picks_differ():
    found = features_of_texts(REVIEWS, PLAIN)
    K = found.kernel(found.X)
    assert K[0, 1] == np.sort(K[0])[-2]
    assert K[5, 6] == 0  # 海 is in both, but no pair of neighbours
    picks = dv.select(found.X, 6, kernel=found.kernel)
    assert not {0, 1} <= set(picks)


@pytest.mark.parametrize("features", ["tfidf", "wordllama"])
def test_texts_that_say_nothing_are_zero_and_picked_last(features):
    if features == "wordllama":
        pytest.importorskip("wordllama")
    texts = ["", "red fish", "blue sky", "", "old sea"] if features == "wordllama" else ["", *REVIEWS, " ?! "]
    found = features_of_texts(texts, Wanted(features=features, cache=False))
    rows = found.X.toarray() if features == "tfidf" else found.X
    assert np.isfinite(rows).all()
    assert not rows[0].any()
    assert any("say nothing" in note and "'number 0'" in note for note in found.notes)
    picks = dv.select(found.X, 3, kernel=found.kernel)
    assert 0 not in picks


def test_nothing_but_empty_texts_is_a_pool_of_zeros():
    found = features_of_texts(["", "...", " "], PLAIN)
    assert found.X.shape == (3, 1)
    assert found.X.nnz == 0


def test_signs_that_cannot_be_written_are_no_trouble():
    texts = ["one \ud800 two", "three \x00 four", "a" * 100_000, "word " * 30_000]
    assert features_of_texts(texts, PLAIN).X.shape[0] == 4
    pytest.importorskip("wordllama")
    assert np.isfinite(features_of_texts(texts, Wanted(features="wordllama", cache=False)).X).all()


def test_features_are_kept_and_the_same(tmp_path):
    fresh = features_of_texts(REVIEWS, PLAIN)
    for _ in range(2):
        kept = features_of_texts(REVIEWS, Wanted(cache=tmp_path))
        assert (kept.X != fresh.X).nnz == 0
        assert kept.notes == fresh.notes
    assert len(list(tmp_path.rglob("*.npz"))) == 1
    features_of_texts([*REVIEWS[1:], REVIEWS[0]], Wanted(cache=tmp_path))
    assert len(list(tmp_path.rglob("*.npz"))) == 2


def test_second_time_no_text_is_looked_at(tmp_path, monkeypatch):
    features_of_texts(REVIEWS, Wanted(cache=tmp_path))
    monkeypatch.setattr(words.Tfidf, "rows", lambda *_: pytest.fail("looked at again"))
    features_of_texts(REVIEWS, Wanted(cache=tmp_path))


def test_progress_is_told_until_the_end(tmp_path):
    told = []
    features_of_texts(REVIEWS * 100, PLAIN, lambda *what: told.append(what))
    assert told[0] == ("words", 0, 700)
    assert told[-1] == ("words", 700, 700)


# --- WordLlama --------------------------------------------------------------------------------


@pytest.fixture
def llama():
    pytest.importorskip("wordllama")
    return Wanted(features="wordllama", cache=False)


def test_meanings_are_those_of_the_package(llama):
    found = features_of_texts(REVIEWS, llama)
    theirs = np.concatenate([words._model().embed([text]) for text in REVIEWS])
    assert found.X - theirs == pytest.approx(np.zeros_like(theirs), abs=2e-5)
    assert found.X.dtype == np.float32
    K = found.kernel(found.X)
    assert K[0, 1] == np.sort(K[0])[-2]


def test_a_meaning_does_not_depend_on_the_other_texts(llama):
    together = features_of_texts(REVIEWS, llama).X
    alone = np.concatenate([features_of_texts([text], llama).X for text in REVIEWS])
    assert np.array_equal(together, alone)


_QUIET = """
import logging, socket, sys
def refuse(*_, **__):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from diverset.readers import Wanted
from diverset.readers.texts import features_of_texts
found = features_of_texts(["one fish", "two fish"], Wanted(features="wordllama", cache=False))
import hashlib
print(hashlib.sha256(found.X.tobytes()).hexdigest(), logging.root.handlers, logging.root.level)
"""


def test_nothing_is_downloaded_or_said_and_threads_change_nothing(llama, monkeypatch):
    answers = set()
    for threads in "12":
        for variable in ("OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
            monkeypatch.setenv(variable, threads)
        done = subprocess.run([sys.executable, "-c", _QUIET], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert done.stdout.endswith(f"[] {logging.WARNING}\n")
        answers.add(done.stdout)
    assert len(answers) == 1


def test_a_missing_package_is_named(monkeypatch):
    words._model.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(ReadError, match=r"pip install 'diverset\[wordllama\]'"):
        features_of_texts(REVIEWS, Wanted(features="wordllama", cache=False))


def test_extractors_for_pictures_are_not_for_texts():
    with pytest.raises(ReadError, match="is not for texts"):
        features_of_texts(REVIEWS, Wanted(features="sift", cache=False))


def test_a_folder_of_texts_is_found_out_without_being_told(tmp_path):
    for i, text in enumerate(REVIEWS):
        (tmp_path / f"{i}.txt").write_text(text, encoding="utf-8")
    reading = read(tmp_path, Wanted(cache=False))
    assert (reading.kind, reading.n) == ("texts", 7)
    assert reading.texts == REVIEWS
