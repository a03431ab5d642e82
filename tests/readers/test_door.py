"""Which reader gets which file: forms, families, folders, standard input, texts in tables."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet as pq

import diverset as dv
from diverset.readers import ReadError, Wanted, packed, read

PLAIN = Wanted(standardize=False, cache=False)
ROWS = [{"name": n, "x": x, "c": c} for n, x, c in (("p", 1, "red"), ("q", 2, "blue"), ("r", 4, "red"))]
CSV = "name,x,c\np,1,red\nq,2,blue\nr,4,red\n"
X = [[1, 0, 1], [2, 1, 0], [4, 0, 1]]  # x, c is blue, c is red


def parquet(rows):
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def picture(shade, size=16):
    out = io.BytesIO()
    Image.new("RGB", (size, size), (shade, 255 - shade, shade // 2)).save(out, "PNG")
    return out.getvalue()


JSONL = "".join(json.dumps(row) + "\n" for row in ROWS)
FORMS = {
    "csv": CSV.encode(),
    "tsv": CSV.replace(",", "\t").encode(),
    "jsonl": JSONL.encode(),
    "json": json.dumps(ROWS).encode(),
    "parquet": parquet(ROWS),
    "csv.gz": gzip.compress(CSV.encode()),
    "jsonl.gz": gzip.compress(JSONL.encode()),
}


@pytest.fixture
def put(tmp_path):
    """Writes files by their names and returns the path of the last one."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# --- one file ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["right", "items.csv", "items.parquet", "items"])
def test_content_goes_before_the_name(tmp_path, form, name):
    path = tmp_path / (f"items.{form}" if name == "right" else name)
    path.write_bytes(FORMS[form])
    reading = read(path, PLAIN)
    assert reading.X.tolist() == X
    assert reading.names == ["p", "q", "r"]
    assert reading.digest == hashlib.sha256(FORMS[form]).hexdigest()


@pytest.mark.parametrize("form", FORMS)
def test_standard_input_is_read_in_every_form(monkeypatch, form):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FORMS[form])))
    reading = read("-", PLAIN)
    assert (reading.source, reading.names) == ("standard input", ["p", "q", "r"])
    assert reading.digest == hashlib.sha256(FORMS[form]).hexdigest()


def test_an_array_from_standard_input_outlives_its_copy(monkeypatch):
    out = io.BytesIO()
    np.save(out, np.arange(12.0).reshape(4, 3))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out.getvalue())))
    assert read("-").X.tolist() == np.arange(12.0).reshape(4, 3).tolist()


@pytest.mark.parametrize("form", FORMS)
def test_words_and_scales_can_be_left_alone_in_every_form(tmp_path, form):
    path = tmp_path / f"items.{form}"
    path.write_bytes(FORMS[form])
    assert read(path, Wanted(one_hot=False, standardize=False)).X.tolist() == [[1], [2], [4]]
    assert read(path, Wanted(one_hot=False)).X.std() == pytest.approx(1)
    assert read(path, Wanted(kind="vectors")).X.tolist() == [[1], [2], [4]]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_missing_values_are_treated_alike_in_every_form(tmp_path, form):
    path = tmp_path / f"items.{form}"
    rows = [*ROWS, {"name": "s", "x": None, "c": "red"}]
    jsonl = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes({"csv": CSV.encode() + b"s,,red\n", "jsonl": jsonl, "parquet": parquet(rows)}[form])
    where = {"csv": "line 5", "jsonl": "line 4", "parquet": "row 3"}[form]
    with pytest.raises(ReadError, match=rf"items.{form}, {where}, column 'x': no value"):
        read(path)
    assert read(path, Wanted(missing="drop")).names == ["p", "q", "r"]
    filled = read(path, Wanted(missing="mean", standardize=False, one_hot=False))
    assert filled.X[3, 0] == pytest.approx(7 / 3)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_fingerprints_are_recognised_in_every_form(tmp_path, form):
    bits = np.random.default_rng(0).integers(0, 2, (9, 40))
    rows = [{"id": f"m{i}"} | {f"b{j}": int(b) for j, b in enumerate(row)} for i, row in enumerate(bits)]
    text = "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
    content = {"csv": text.encode(), "jsonl": json.dumps(rows).encode(), "parquet": parquet(rows)}[form]
    (tmp_path / f"items.{form}").write_bytes(content)
    reading = read(tmp_path / f"items.{form}")
    assert reading.kernel == dv.Tanimoto()
    assert (bits == reading.X).all()


def test_numbers_between_blanks_are_a_table_as_numpy_and_old_archives_write_them(tmp_path):
    numbers = np.arange(12.0).reshape(4, 3)
    np.savetxt(tmp_path / "n.txt", numbers, header="a b c")
    (tmp_path / "old.data").write_text("  1.0   2.5  3\n 4.0  5     6\n")
    assert (numbers == read(tmp_path / "n.txt", PLAIN).X).all()
    assert read(tmp_path / "old.data", PLAIN).X.tolist() == [[1, 2.5, 3], [4, 5, 6]]


@pytest.mark.parametrize("name", ["notes.txt", "notes", "notes.md"])
def test_lines_of_prose_are_texts_and_can_be_a_table_if_asked_for(tmp_path, name):
    path = tmp_path / name
    path.write_text("the cat, who sat\nthe dog, who ran\na bird\n")
    reading = read(path, PLAIN)
    assert (reading.kind, reading.texts[2]) == ("texts", "a bird")
    path.write_text("who,what\ncat,sat\ndog,ran\n")
    assert read(path, PLAIN).kind == "texts"
    assert list(read(path, Wanted(kind="table")).columns) == ["who", "what"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x80\x04\x95abc", "a pickle, which can run any program and is never read"),
        (b"%PDF-1.7", "a PDF: save its text"),
        (b"\x89HDF\r\n\x1a\n", "numpy.save"),
        (b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml", "an Office file: save the sheet as CSV"),
        (b"PK\x03\x04" + b"\0" * 26 + b"photos/a.jpg", "a zip archive: unpack it first"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"FEA1\0\0\0\0", "version 1"),
        (bytes(range(256)), "in no form that is known here"),
    ],
)
def test_files_of_other_programs_are_refused_with_what_to_do(put, content, says):
    with pytest.raises(ReadError, match=says):
        read(put({"items.bin": content}))


def test_options_that_would_be_without_effect_are_refused(put, tmp_path):
    path = put({"items.csv": CSV})
    with pytest.raises(ReadError, match="features='hog' is for images"):
        read(path, Wanted(features="hog"))
    put({"d/a.png": picture(9), "d/b.png": picture(99)})
    for option in ("columns", "text", "id"):
        with pytest.raises(ReadError, match=f"holds images, which have no columns: leave out --{option}"):
            read(tmp_path / "d", Wanted(**{option: ("x",) if option == "columns" else "x"}))


def test_an_extra_that_is_missing_is_named(put, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'diverset\[tables\]'"):
        read(put({"items.parquet": FORMS["parquet"]}))


def test_what_does_not_fit_into_memory_is_said(put, monkeypatch):
    from diverset.readers import door

    def too_much(*_):
        raise MemoryError

    monkeypatch.setitem(door._TABLES, "csv", too_much)
    with pytest.raises(ReadError, match="does not fit into memory"):
        read(put({"items.csv": CSV}))


def test_a_gzip_bomb_and_a_cut_gzip_are_refused(put, monkeypatch):
    with pytest.raises(ReadError, match="cut off or damaged"):
        read(put({"a.csv.gz": FORMS["csv.gz"][:-12]}))
    with pytest.raises(ReadError, match=r"a.csv.gz cannot be read: crc check failed"):
        read(put({"a.csv.gz": FORMS["csv.gz"][:-8] + bytes(8)}))
    monkeypatch.setattr(packed, "BOMB", 2**20)
    with pytest.raises(ReadError, match="looks like an attack"):
        read(put({"b.csv.gz": gzip.compress(b"1,1\n" * 2**20)}))


# --- texts in tables --------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_texts_becomes_the_features(tmp_path, form):
    path = tmp_path / f"items.{form}"
    path.write_bytes(FORMS[form])
    reading = read(path, Wanted(text="c", cache=False))
    assert (reading.kind, reading.texts) == ("texts", ["red", "blue", "red"])
    assert reading.names == ["p", "q", "r"]
    assert reading.columns["x"].tolist() == [1, 2, 4]
    assert reading.kernel == dv.Cosine()
    assert read(path, Wanted(kind="texts", cache=False)).texts == reading.texts


def test_a_missing_text_is_refused_or_its_row_dropped(put):
    path = put({"r.jsonl": '{"t": "a fox", "x": 1}\n{"x": 2}\n{"t": "", "x": 3}\n{"t": "NA", "x": 4}\n'})
    with pytest.raises(ReadError, match="line 2, column 't': no value"):
        read(path, Wanted(text="t"))
    with pytest.raises(ReadError, match="Texts have no mean"):
        read(path, Wanted(text="t", missing="mean"))
    reading = read(path, Wanted(text="t", missing="drop", cache=False))
    assert reading.texts == ["a fox", "", "NA"]
    assert reading.columns["x"].tolist() == [1, 3, 4]
    assert [s.what for s in reading.skipped] == ["line 2"]


def test_what_is_no_text_is_refused(put):
    path = put({"r.csv": "a,b,x\none,two,1\nthree,four,2\n"})
    with pytest.raises(ReadError, match="column 'x' holds numbers, wanted texts"):
        read(path, Wanted(text="x"))
    with pytest.raises(ReadError, match="Unknown column 'aa'"):
        read(path, Wanted(text="aa"))
    with pytest.raises(
        ReadError, match=r"several columns of words or none \('a', 'b'\): name one with --text"
    ):
        read(path, Wanted(kind="texts"))
    with pytest.raises(ReadError, match="name one of the two"):
        Wanted(text="a", columns=("b",))


# --- folders ----------------------------------------------------------------------------------


def test_a_folder_of_tables_is_one_table_in_the_order_of_the_names(put, tmp_path):
    put(
        {
            "d/b.csv": "x,y\n5,6\n",
            "d/a.jsonl": '{"x": 1, "y": 2}\n{"x": 3, "y": 9}\n',
            "d/sub/c.csv": "y,x\n8,7\n",
        }
    )
    reading = read(tmp_path / "d", PLAIN)
    assert reading.X.tolist() == [[1, 2], [3, 9], [5, 6], [7, 8]]
    assert reading.source == str(tmp_path / "d")
    assert (read(str(tmp_path / "d" / "**" / "*"), PLAIN).X == reading.X).all()
    put({"d/b.csv": "x,y\n,6\n"})
    with pytest.raises(ReadError, match=r"b.csv, line 2, column 'x'"):
        read(tmp_path / "d")


def test_keys_of_json_lines_may_be_missing_in_a_whole_file(put, tmp_path):
    put({"d/a.jsonl": '{"x": 1, "y": 2}\n{"x": 2, "y": 3}\n', "d/b.jsonl": '{"x": 3}\n'})
    assert read(tmp_path / "d", Wanted(missing="mean", standardize=False)).X.tolist() == [
        [1, 2],
        [2, 3],
        [3, 2.5],
    ]


def test_a_broken_table_in_a_folder_is_skipped_and_listed_but_not_most_of_them(put, tmp_path):
    put({"d/a.csv": "x\n1\n", "d/b.csv": "x\n2\n", "d/c.csv": b"PAR1 is not enough"})
    reading = read(tmp_path / "d", PLAIN)
    assert reading.X.tolist() == [[1], [2]]
    assert [(s.what, "Parquet" in s.why) for s in reading.skipped] == [("c.csv", True)]
    put({"d/a.csv": b""})
    with pytest.raises(ReadError, match=r"2 of 3 files cannot be read \(a.csv: empty.*; c.csv: "):
        read(tmp_path / "d")


def test_a_broken_table_that_was_named_is_an_error(put, tmp_path):
    files = [put({"a.csv": "x\n1\n"}), put({"b.csv": "x\n2\n"}), put({"c.csv": b"PAR1 is not enough"})]
    with pytest.raises(ReadError, match=r"c.csv cannot be read as Parquet"):
        read(files)
    with pytest.raises(ReadError, match=r"d.csv: empty"):
        read([*files[:2], put({"d.csv": ""})])


def test_a_folder_of_several_kinds_is_what_most_files_are(put, tmp_path):
    put({"d/a.png": picture(9), "d/b.png": picture(200), "d/labels.csv": CSV, "d/old.pdf": "%PDF"})
    reading = read(tmp_path / "d", Wanted(features="color", cache=False))
    assert (reading.kind, reading.names) == ("images", ["a.png", "b.png"])
    assert sorted(s.what for s in reading.skipped) == ["labels.csv", "old.pdf"]
    table = read(tmp_path / "d", Wanted(kind="table"))
    assert table.names == ["p", "q", "r"]
    assert len(table.skipped) == 3


def test_as_many_of_two_kinds_are_a_question(put, tmp_path):
    put({"d/a.png": picture(9), "d/labels.csv": CSV})
    with pytest.raises(
        ReadError, match=r"as many tables as images \(1 each\): say which is meant with --kind"
    ):
        read(tmp_path / "d")
    assert read(tmp_path / "d", Wanted(kind="texts", cache=False)).texts == ["red", "blue", "red"]
    with pytest.raises(ReadError, match=r"holds no images, but tables \(1\)"):
        read(tmp_path / "d" / "labels.csv", Wanted(kind="images"))
    with pytest.raises(ReadError, match=r"holds no texts, but images \(1\)"):
        read(tmp_path / "d" / "a.png", Wanted(kind="texts"))


def test_a_folder_of_texts_has_a_text_per_file(put, tmp_path):
    put({"d/a.txt": "one fish\ntwo fish", "d/b.txt": "1 2 3\n4 5 6\n", "d/c.md": "red fish"})
    reading = read(tmp_path / "d", Wanted(cache=False))
    assert (reading.kind, reading.names) == ("texts", ["a.txt", "b.txt", "c.md"])


def test_a_table_with_its_readme_is_a_table(put, tmp_path):
    put({"d/items.csv": CSV, "d/README.md": "# Items", "d/LICENSE": "free", "d/notes.txt": "three items"})
    reading = read(tmp_path / "d")
    assert (reading.kind, reading.n) == ("table", 3)
    assert {s.what: s.why for s in reading.skipped} == {
        "README.md": "about the other files",
        "LICENSE": "about the other files",
        "notes.txt": "a text, where tables are read",
    }


def test_broken_pictures_count_as_failures_and_other_files_do_not(put, tmp_path):
    put({"d/a.png": picture(9), "d/b.png": picture(99), "d/c.png": picture(50)[:60], "d/e.jpg": b""})
    for i in range(3):
        put({f"d/n{i}.bin": bytes(range(256))})
    reading = read(tmp_path / "d", Wanted(features="color", cache=False))
    assert reading.names == ["a.png", "b.png"]
    assert len(reading.skipped) == 5
    put({"d/b.png": b""})
    with pytest.raises(ReadError, match="3 of 4 files cannot be read"):
        read(tmp_path / "d", Wanted(features="color", cache=False))
