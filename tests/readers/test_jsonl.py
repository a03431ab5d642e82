"""JSON lines and arrays of objects, as programs and people write them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diverset.readers import ReadError, Wanted, jsonl, read
from diverset.readers.files import Found

PLAIN = Wanted(standardize=False)


@pytest.fixture
def put(tmp_path):
    """Writes a file and returns its path."""

    def write(content, name="items.jsonl"):
        path = tmp_path / name
        if not isinstance(content, (str, bytes)):
            content = "".join(json.dumps(row) + "\n" for row in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_keys_become_columns(put):
    reading = read(put([{"id": "a", "x": 1, "c": "red"}, {"id": "b", "x": 2.5, "c": "blue"}]), PLAIN)
    assert reading.X.tolist() == [[1, 0, 1], [2.5, 1, 0]]
    assert reading.names == ["a", "b"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["items.json", "items.csv", "items"])
def test_an_array_of_objects_is_the_same(put, indent, name):
    rows = [{"x": 1, "y": 2}, {"x": 3, "y": 5}]
    assert read(put(json.dumps(rows, indent=indent), name), PLAIN).X.tolist() == [[1, 2], [3, 5]]


@pytest.mark.parametrize("text", ["[[1, 2], [3, 4]]", "[1, 2]\n[3, 4]\n", "[\n[1, 2],\n[3, 4]\n]\n"])
def test_bare_lists_of_numbers_are_vectors(put, text):
    reading = read(put(text))
    assert (reading.X.tolist(), reading.kind) == ([[1, 2], [3, 4]], "vectors")


def test_a_key_that_is_missing_is_a_missing_value_with_its_line(put, monkeypatch):
    monkeypatch.setattr(jsonl, "_PIECE", 2)
    path = put('{"x": 1, "z": 4}\n\n{"x": 2}\n{"x": 5, "z": null}\n{"x": 7, "z": 1, "late": "word"}\n')
    with pytest.raises(ReadError, match=r"items.jsonl, line 3, column 'z': no value \(2 missing"):
        read(path, Wanted(columns=("x", "z")))
    dropped = read(path, Wanted(columns=("x", "z"), missing="drop", standardize=False))
    assert dropped.X.tolist() == [[1, 4], [7, 1]]
    assert [s.what for s in dropped.skipped] == ["line 3", "line 4"]
    assert dropped.columns["late"].tolist() == ["", "word"]


def test_lists_of_numbers_are_vectors_whatever_they_are_nested_in(put):
    rows = [{"out": {"emb": [[i, 1], [2, i * i]]}, "label": i % 2} for i in range(4)]
    reading = read(put(rows))
    assert (reading.X.tolist(), reading.kind) == ([[i, 1, 2, i * i] for i in range(4)], "vectors")
    assert list(reading.columns) == ["label"]


def test_objects_inside_objects_are_columns_with_dots(put):
    reading = read(put([{"u": {"a": 1, "b": {"c": 2}}}, {"u": {"a": 3, "b": {"c": 5}}}]), PLAIN)
    assert list(reading.columns) == ["u.a", "u.b.c"]
    assert reading.X.tolist() == [[1, 2], [3, 5]]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1, "two"], r"holds numbers and words \(line 2\)"),
        ([[1, 2], [3]], r"holds lists of different lengths \(2 and 1, line 2\)"),
        ([[1, 2], ["a", "b"]], r"holds lists of words or objects \(line 2\)"),
        ([[1, 2], [3, [4]]], r"holds lists that are ragged \(line 2\)"),
    ],
)
@pytest.mark.parametrize("piece", [1, 2])
def test_what_is_neither_numbers_nor_words_is_left_out_unless_asked_for(put, monkeypatch, values, why, piece):
    monkeypatch.setattr(jsonl, "_PIECE", piece)
    path = put([{"x": i, "odd": value} for i, value in enumerate(values)])
    reading = read(path, PLAIN)
    assert reading.X.tolist() == [[0], [1]]
    assert any("'odd' holds" in note for note in reading.notes)
    with pytest.raises(ReadError, match="column 'odd' " + (why if piece == 2 else "holds")):
        read(path, Wanted(columns=("odd",)))


def test_flags_are_numbers_beside_numbers_and_one_hot_alone(put, monkeypatch):
    monkeypatch.setattr(jsonl, "_PIECE", 2)
    rows = [{"f": i % 2 == 0, "m": [True, False, 3, 4][i]} for i in range(4)]
    assert read(put(rows), PLAIN).X.tolist() == [[0, 1, 1], [1, 0, 0], [0, 1, 3], [1, 0, 4]]


def test_na_is_a_word_among_words_and_nothing_among_numbers(put):
    reading = read(
        put([{"x": "NA", "c": "NA"}, {"x": 2, "c": "DE"}]), Wanted(missing="mean", standardize=False)
    )
    assert reading.columns["c"].tolist() == ["NA", "DE"]
    assert np.isnan(reading.columns["x"][0])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_are_detected(put, encoding):
    path = put('{"größe": 1, "c": "weiß"}\n{"größe": 2, "c": "rot"}\n'.encode(encoding))
    reading = read(path)
    assert reading.columns["c"].tolist() == ["weiß", "rot"]
    assert any("encoding" in note for note in reading.notes) == (not encoding.startswith("utf-8"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"x": 1}\n{"x": 2\n', r"items.jsonl, line 2, character \d+: .*Wanted one JSON object per line"),
        ('{"x": 1}\n7\n', "line 2: 7 is not an object"),
        ('[{"x": 1},\n{"x": 2}\n{"x": 3}]', "line 3: wanted , or ]"),
        ('[{"x": 1},\n\n{"x": }]', "line 3, character"),
        ('[{"x": 1}] {"x": 2}', "something follows the array"),
        ('[{"x": 1},', "line 1"),
        ("[]", "no rows"),
        ('{\n"x": 1\n}\n', "line 1, character"),
        ('{"x": ' + "[" * 100_000 + "\n", "line 1: nested too deeply"),
        ('{"a":' * 50 + "1" + "}" * 50 + "\n", "nested deeper than 16"),
        ('{"x": ' + "9" * 5000 + "}\n", "a number too long"),
        ('{"x": NaN}\n{"x": 1}\n', "line 1, column 'x': no value"),
        ('{"x": 2}\n{"x": Infinity}\n', "line 2, column 'x': a number that is not finite"),
        ('{"x": 2}\n{"x": 1' + "0" * 400 + "}\n", "line 2, column 'x': a number that is not finite"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(put, text, says):
    with pytest.raises(ReadError, match=says):
        read(put(text))


def test_half_a_character_is_made_whole(put):
    reading = read(put('{"id": "a\\ud800", "x": 1}\n{"id": "\\ud83d\\ude00", "x": 2}\n'))
    assert reading.names == ["a\ufffd", "\U0001f600"]


def test_new_keys_in_every_row_do_not_fill_the_memory(put, monkeypatch):
    monkeypatch.setattr(jsonl, "_CELLS", 2**18)
    with pytest.raises(ReadError, match="hardly any is in more than one row"):
        read(put([{f"k{i}": 1} for i in range(3_000)]))


json_rows = st.lists(
    st.fixed_dictionaries(
        {"n": st.floats(-1e9, 1e9)}, optional={"w": st.text(max_size=6), "m": st.integers()}
    ),
    min_size=1,
    max_size=9,
)


@given(rows=json_rows, ascii_only=st.booleans(), array=st.booleans())
def test_what_the_json_module_writes_is_read_back(tmp_path_factory, rows, ascii_only, array):
    lines = [json.dumps(row, ensure_ascii=ascii_only) for row in rows]
    path = tmp_path_factory.mktemp("round") / "t.jsonl"
    path.write_text(f"[{','.join(lines)}]" if array else "\n".join(lines), encoding="utf-8")
    table, _ = jsonl.read_jsonl(Found(path, "t.jsonl"), Wanted(text="w"))
    assert table.columns["n"].values.tolist() == [row["n"] for row in rows]
    if "w" in table.columns and table.columns["w"].cells == "word":
        assert table.columns["w"].values.tolist() == [row.get("w", "") for row in rows]
        assert table.columns["w"].missing.tolist() == ["w" not in row for row in rows]
