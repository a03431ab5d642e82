"""CSV files as people, spreadsheets and strangers write them."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diverset as dv
from diverset.readers import ReadError, Wanted, csvs, read

PLAIN = Wanted(standardize=False)


@pytest.fixture
def put(tmp_path):
    """Writes a file and returns its path."""

    def write(content, name="items.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_plain_table_is_standardised_and_can_be_picked_from(put):
    reading = read(put("x,y\n1,10\n2,30\n6,20\n"))
    assert reading.X.mean(axis=0) == pytest.approx([0, 0])
    assert reading.X.std(axis=0) == pytest.approx([1, 1])
    assert (reading.kind, reading.names, reading.n) == ("table", ["0", "1", "2"], 3)
    assert reading.columns["y"].tolist() == [10, 30, 20]
    assert len(dv.select(reading.X, 2, kernel=reading.kernel)) == 2


def test_the_digest_is_that_of_the_file(put):
    import hashlib

    path = put("x\n1\n2\n")
    assert read(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_detected(put, delimiter, ending):
    lines = [delimiter.join(row) for row in (["a", "b c", "d"], ["1", "2.5", "-3e2"], ["4", "5", "6"])]
    reading = read(put(ending.join(lines)), PLAIN)
    assert reading.X.tolist() == [[1, 2.5, -300], [4, 5, 6]]
    assert list(reading.columns) == ["a", "b c", "d"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_encodings_are_detected(put, encoding):
    text = "größe,color\n" + "1,rød\n2,weiß\n3,rød\n" * 5
    reading = read(put(text.encode(encoding)), PLAIN)
    assert list(reading.columns) == ["größe", "color"]
    assert reading.columns["color"][:2].tolist() == ["rød", "weiß"]


def test_old_western_text_is_guessed_and_said(put):
    text = "name,wert\n" + "".join(f"Müller Straße {i} für Äpfel,{i}\n" for i in range(40))
    reading = read(put(text.encode("cp1252")))
    assert reading.columns["name"][3] == "Müller Straße 3 für Äpfel"
    assert any("encoding" in note for note in reading.notes)


def test_decimal_commas_are_numbers_between_semicolons(put):
    reading = read(put("a;b\n1,5;2\n-0,25;3\n"), PLAIN)
    assert reading.X.tolist() == [[1.5, 2], [-0.25, 3]]


def test_quotes_may_hold_delimiters_and_line_ends(put):
    reading = read(put('name,x\n"Smith, ""Bob""\nJr",1\nAda,2\n'))
    assert reading.names == ['Smith, "Bob"\nJr', "Ada"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1,2\n3,4\n", ["c0", "c1"]),
        ("x,y\n3,4\n", ["x", "y"]),
        ("x,x,x\n1,2,3\n", ["x", "x.1", "x.2"]),
    ],
)
def test_a_header_is_recognised(put, text, names):
    wanted = Wanted(standardize=False, header=True if "x,x" in text else None)
    assert list(read(put(text + "5,6,7\n"[: 2 * len(names) - 1] + "\n"), wanted).columns) == names


def test_a_header_can_be_denied(put):
    reading = read(put("red,1\nblue,2\nred,5\n"), Wanted(header=False))
    assert reading.columns["c0"].tolist() == ["red", "blue", "red"]


def test_row_names_as_r_writes_them(put):
    reading = read(put('"x","y"\n"a",1,2\n"b",3,5\n'), PLAIN)
    assert reading.names == ["a", "b"]
    assert reading.X.tolist() == [[1, 2], [3, 5]]


def test_an_id_column_names_the_rows_and_is_no_feature(put):
    reading = read(put("customer_id,x\n17,1\n4,2\n"), PLAIN)
    assert reading.names == ["17", "4"]
    assert reading.X.tolist() == [[1], [2]]


def test_an_id_column_can_be_named(put):
    reading = read(put("code,x\nzz,1\nyy,2\n"), Wanted(id="code"))
    assert reading.names == ["zz", "yy"]
    with pytest.raises(ReadError, match="Did you mean 'code'"):
        read(put("code,x\nzz,1\nyy,2\n"), Wanted(id="cod"))


def test_columns_are_chosen_and_dropped_by_globs(put):
    path = put("emb_0,emb_1,label,price\n1,2,7,9\n3,4,8,1\n")
    assert read(path, Wanted(columns=("emb_*",), standardize=False)).X.tolist() == [[1, 2], [3, 4]]
    assert read(path, Wanted(drop=("label", "emb*"), standardize=False)).X.tolist() == [[9], [1]]
    with pytest.raises(ReadError, match=r"Unknown column 'prize'. Did you mean 'price'"):
        read(path, Wanted(columns=("prize",)))


def test_words_become_a_column_each(put):
    text = "color,x\nred,1\nblue,2\nred,3\ngreen,4\n"
    reading = read(put(text), PLAIN)
    assert reading.X.tolist() == [[0, 0, 1, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 1, 0, 4]]
    plain = read(put(text), Wanted(standardize=False, one_hot=False))
    assert plain.X.tolist() == [[1], [2], [3], [4]]
    assert any("'color'" in note for note in plain.notes)


def test_flags_and_dates_become_numbers(put):
    reading = read(put("day,ok,x\n1970-01-02,true,1\n1970-01-04T12:00,false,2\n"), Wanted(standardize=False))
    assert reading.X.tolist() == [[1, 0, 1, 1], [3.5, 1, 0, 2]]


def test_texts_and_ids_do_not_explode(put):
    text = "comment,x\n" + "".join(f"remark number {i},{i}\n" for i in range(200))
    reading = read(put(text))
    assert reading.X.shape == (200, 1)
    assert any("'comment'" in note for note in reading.notes)


def test_constant_and_empty_columns_are_left_out_and_said(put):
    reading = read(put("a,b,c\n1,7,\n2,7,\n"), PLAIN)
    assert reading.X.tolist() == [[1], [2]]
    assert any("the same in all rows" in note and "'b'" in note for note in reading.notes)
    assert any("'c' is empty" in note for note in reading.notes)


@pytest.mark.parametrize("nothing", ["", "NA", "NaN", "null", "?"])
def test_a_missing_value_is_refused_with_line_and_column(put, nothing):
    with pytest.raises(ReadError, match=r"items.csv, line 3, column 'price': no value \(1 missing"):
        read(put(f"name,price\na,1\nb,{nothing}\n"))


def test_missing_values_can_be_dropped_or_filled(put):
    path = put("x,color\n1,red\n,blue\n3,\n5,red\n8,blue\n")
    dropped = read(path, Wanted(missing="drop", standardize=False))
    assert dropped.X[:, 0].tolist() == [1, 5, 8]
    assert dropped.names == ["0", "3", "4"]
    assert dropped.columns["color"].tolist() == ["red", "red", "blue"]
    assert [s.what for s in dropped.skipped] == ["line 3", "line 4"]
    filled = read(path, Wanted(missing="mean", standardize=False))
    assert filled.X.tolist() == [[1, 0, 1], [4.25, 1, 0], [3, 0.5, 0.5], [5, 0, 1], [8, 1, 0]]


def test_a_row_of_another_length_is_named_by_its_line(put):
    with pytest.raises(ReadError, match=r"items.csv, line 4 has 3 cells, wanted 2"):
        read(put('a,b\n1,"x\ny"\n1,2,3\n'))


@pytest.mark.parametrize("bad", ["inf", "-Infinity", "1e999"])
def test_infinite_numbers_are_refused_with_line_and_column(put, bad):
    with pytest.raises(ReadError, match=r"line 3, column 'x': a number that is not finite"):
        read(put(f"x,y\n1,2\n{bad},3\n"))


def test_numbers_too_large_to_square_are_standardised(put):
    reading = read(put("x\n1e300\n-1e300\n0\n"))
    assert np.isfinite(reading.X).all()
    assert reading.X.std() == pytest.approx(1)


def test_underscores_are_names_and_huge_integers_numbers(put):
    reading = read(put("a,b\n1_0,1" + "0" * 40 + "\n2_0,3\n1_0,4\n"), PLAIN)
    assert reading.columns["a"].tolist() == ["1_0", "2_0", "1_0"]
    assert reading.columns["b"][0] == 1e40


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n\n \n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,\x002\n", "zero bytes"),
        (b"x\n" + b'"never closed\n' * 50, "no column that can be a feature|quote"),
    ],
)
def test_what_is_no_table_is_refused(put, content, says):
    with pytest.raises(ReadError, match=says):
        read(put(content))


def test_an_endless_line_is_refused_before_it_fills_the_memory(put, monkeypatch):
    monkeypatch.setattr(csvs, "LINE", 2**17)
    with pytest.raises(ReadError, match="line 2 has more than 131,072 characters"):
        read(put("x\n" + "1" * 2**18 + "\n"))


def test_a_quote_that_is_never_closed_is_refused(put, monkeypatch):
    monkeypatch.setattr(csvs, "CELL", 2**12)
    with pytest.raises(ReadError, match="a quote is never closed"):
        read(put("x,y\n" + '1,"2\n' + "1,2\n" * 4000))
    assert csv.field_size_limit() != 2**12


def test_a_million_columns_are_refused(put):
    with pytest.raises(ReadError, match=r"1,000,000 columns"):
        read(put(",".join(["1"] * 10**6) + "\n"))


def test_a_wrong_encoding_is_refused_with_the_byte(put):
    with pytest.raises(ReadError, match=r"not utf-8 at byte 5"):
        read(put(b"x\n1\n2\xff\n"), Wanted(encoding="utf-8"))
    with pytest.raises(ReadError, match="Unknown encoding"):
        read(put("x\n1\n"), Wanted(encoding="klingon"))


def test_words_far_down_a_column_of_numbers_make_it_words(put, monkeypatch):
    monkeypatch.setattr(csvs, "_PIECE", 4)
    rows = ["01,1", "02,2", "01,3", "02,4", "x,5", "01,6"]
    reading = read(put("code,v\n" + "\n".join(rows) + "\n"), PLAIN)
    assert reading.columns["code"].tolist() == ["01", "02", "01", "02", "x", "01"]
    assert reading.columns["v"].tolist() == [1, 2, 3, 4, 5, 6]


def test_zeros_and_ones_in_many_columns_are_a_fingerprint(put):
    bits = np.random.default_rng(0).integers(0, 2, (20, 40))
    text = "id," + ",".join(f"b{i}" for i in range(40)) + "\n"
    text += "".join(f"m{i}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(bits))
    reading = read(put(text))
    assert reading.kernel == dv.Tanimoto()
    assert (bits == reading.X).all()
    assert any("fingerprint" in note for note in reading.notes)


def test_several_tables_are_one(put):
    a, b = put("x,y\n1,2\n3,4\n", "a.csv"), put("y,x\n6,5\n", "b.csv")
    reading = read([a, b], PLAIN)
    assert reading.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(ReadError, match="differ in their columns"):
        read([a, put("x,z\n1,2\n", "c.csv")])
    with pytest.raises(ReadError, match=r"b.csv, line 2"):
        read([a, put("y,x\n,5\n", "b.csv")])


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=8)


@given(
    rows=st.lists(st.tuples(st.floats(-1e9, 1e9), cells), min_size=2, max_size=12),
    delimiter=st.sampled_from(",;\t|"),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows, delimiter):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["number", "word"])
    writer.writerows((repr(number), word) for number, word in rows)
    path = tmp_path_factory.mktemp("round") / "t.csv"
    path.write_bytes(out.getvalue().encode())
    table, _ = csvs.read_csv(csvs.Found(path, "t.csv"), Wanted(delimiter=delimiter, header=True))
    assert table.columns["number"].values.tolist() == [number for number, _ in rows]
    if table.columns["word"].cells == "word":
        assert table.columns["word"].values.tolist() == [word for _, word in rows]
