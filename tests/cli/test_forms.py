"""The answer in each form: complete, valid, and harmless where it is opened."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import diverset as dv
from diverset.commands.sheets import as_csv, as_json, as_table, cut, neutral, plain_column, width_of
from diverset.commands.terminal import visible

from .conftest import strict_json

FORMULAS = (
    "=1+2",
    "+1+2",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    "-cmd|' /C calc'!A1",
)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_json_says_what_the_library_picks(facts, items):
    found = facts("select", items, "-k", 5, "--columns", "a,b,c", "--no-standardize")
    X = np.loadtxt(items, delimiter=",", skiprows=1, usecols=(1, 2, 3))
    picks = dv.select(X, 5)
    assert found["indices"] == list(picks)
    assert found["names"] == [f"item{row}" for row in picks]
    assert found["margins"] == pytest.approx(picks.margins.tolist())
    assert found["gains"] == pytest.approx(picks.gains.tolist())
    assert found["certified"] is picks.certified
    assert found["log_det"] == pytest.approx(picks.log_det)


def test_json_carries_its_schema_the_parameters_and_the_hash_of_the_input(facts, items):
    import hashlib

    found = facts("select", items, "-k", 5, "--missing", "drop", "--exclude", "item3")
    assert found["schema"] == "diverset.select/1"
    assert found["version"] == dv.__version__
    assert found["input"]["sha256"] == hashlib.sha256(items.read_bytes()).hexdigest()
    assert found["parameters"]["k"] == 5
    assert found["parameters"]["exclude"] == [3]
    assert found["parameters"]["reading"]["missing"] == "drop"


def test_json_has_null_where_there_is_no_number(facts, items):
    first = facts("select", items, "-k", 3, "--include", "item7")
    assert first["indices"][0] == 7
    assert first["margins"][0] is None  # there was no choice
    drawn = facts("sample", items, "-k", 3, "--seed", 1)
    assert drawn["draws"][0]["gains"] == [None] * 3


def test_json_keeps_texts_to_the_letter():
    text = {
        "text": 'a [ 1,  2 ] "b" \u202e \x1b[31m é',
        "list": [1, 2.5, None, True],
        "deep": [[1, 2], {"x": []}],
    }
    written = as_json(text)
    assert strict_json(written) == text
    assert "\u202e" not in written
    assert "\x1b" not in written
    assert "[1, 2.5, null, true]" in written
    assert "é" in written


def test_json_has_no_word_for_nan_so_it_says_null():
    assert strict_json(as_json({"a": np.nan, "b": [np.inf, np.float32(0.5)], "c": np.int64(3)})) == {
        "a": None,
        "b": [None, 0.5],
        "c": 3,
    }


def test_csv_is_what_a_pipe_gets_with_the_columns_of_the_table(type_, items):
    result = type_("select", items, "-k", 4)
    rows = rows_of(result.stdout)
    assert [row["pick"] for row in rows] == ["1", "2", "3", "4"]
    by_name = {row["id"]: row for row in rows_of(items.read_text())}
    for row in rows:
        assert row["a"] == by_name[row["name"]]["a"]  # the very digits
        assert row["stars"] == by_name[row["name"]]["stars"]  # 3, not 3.0
        assert row["decided"] == "true"


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert neutral(text) == f"'{text}"
    written = as_csv({text: [text]})
    assert list(csv.reader(io.StringIO(written, newline=""))) == [[f"'{text}"], [f"'{text}"]]


def test_no_cell_can_start_a_row_of_its_own():
    assert as_csv({"a": ["x\r=1", "y\n=1"], "b": [1, 2]}) == 'a,b\n"x\r=1",1\n"y\n=1",2\n'


@pytest.mark.parametrize("cell", [-1.5, 3, -0.0, 1e-9, "-1.5", "+3", "-1e-9", ".5", "plain", "", "a=b"])
def test_numbers_and_plain_texts_stay_as_they_are(cell):
    assert neutral(cell) == cell


def test_labels_that_look_like_formulas_are_neutral_in_csv_and_plain_in_json(type_, items):
    words = ("select", items, "-k", 3, "--exclude", "item0", "--groups", "label", "--quota", "cat=0,dog=0")
    assert {row["label"] for row in rows_of(type_(*words).stdout)} == {"'=bird"}
    assert all(int(row) % 3 == 2 for row in strict_json(type_(*words, "--json").stdout)["indices"])


def test_columns_called_like_ours_keep_their_place(type_, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("pick,gain,x\n" + "".join(f"{i},{i * 7 % 5},{i * i % 11}\n" for i in range(20)))
    row = rows_of(type_("select", path, "-k", 2).stdout)[0]
    assert list(row) == ["pick", "row", "name", "gain", "margin", "decided", "pick.1", "gain.1", "x"]
    assert row["pick.1"] == row["row"]


def test_ids_are_names_one_per_line(type_, items):
    lines = type_("select", items, "-k", 4, "--ids").stdout.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("item") for line in lines)


def test_dates_come_back_as_dates(type_, tmp_path):
    table = tmp_path / "days.csv"
    days = [f"2024-0{month}-1{month}" for month in range(1, 10)]
    table.write_text("day,x\n" + "".join(f"{day},{at * at}\n" for at, day in enumerate(days)))
    rows = rows_of(type_("select", table, "-k", 3, "--groups", "day", "--quota", "2024-09-19=0").stdout)
    assert [row["day"] for row in rows] == [days[int(row["row"])] for row in rows]
    assert "2024-09-19" not in {row["day"] for row in rows}


def test_draws_stand_apart(type_, items):
    words = ("sample", items, "-k", 2, "--seed", 3, "--draws", 3)
    assert [len(part.split()) for part in type_(*words, "--ids").stdout.split("\n\n")] == [2, 2, 2]
    assert [row["draw"] for row in rows_of(type_(*words).stdout)] == ["1", "1", "2", "2", "3", "3"]


def test_parquet_holds_the_same_rows(type_, items, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    assert type_("select", items, "-k", 4, "-o", "picks.parquet").exit_code == 0
    rows = rows_of(type_("select", items, "-k", 4).stdout)
    table = pq.read_table(tmp_path / "picks.parquet").to_pydict()
    assert table["name"] == [row["name"] for row in rows]
    assert table["label"] == [row["label"].lstrip("'") for row in rows]  # no spreadsheet, no apostrophe


def test_a_table_is_aligned_and_cut_to_the_terminal():
    lines = as_table({"pick": [0, 10], "name": ["日本", "x"], "gain": [0.123456, np.nan]}, 40)
    assert [width_of(line) for line in lines] == [18, 18, 18]
    assert lines[2].split() == ["10", "x", "-"]
    assert cut("abcdef", 4) == "abc…"
    assert width_of(cut("日本語日本語", 5)) <= 5


def test_names_cannot_play_tricks_on_a_terminal():
    hostile = "a\x1b]0;title\x07b\u202ec\u2066d\x9be\r\x00f\u200bg\udcff\U000e0041"
    shown = visible(hostile)
    assert shown.isascii()
    assert shown.isprintable()
    assert visible("né 日本 👩‍👧 می‌خواهم\n") == "né 日本 👩‍👧 می‌خواهم\n"  # people's letters are theirs


def test_a_column_of_whole_numbers_is_written_as_such():
    assert plain_column([1.0, np.nan, 3.0]) == [1, None, 3]
    assert plain_column([1.5, 2.0]) == [1.5, 2.0]
    assert plain_column(np.array(["a", "b"], dtype=object)) == ["a", "b"]
