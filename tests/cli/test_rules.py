"""Who may be picked, as one types it: names, rows, files of names, columns, quotas."""

from __future__ import annotations

import collections

import pytest

import diverset as dv


def test_items_are_called_by_name_or_by_row(facts, items):
    by_name = facts("select", items, "-k", 4, "--include", "item9,item4", "--exclude", "item1")
    by_row = facts("select", items, "-k", 4, "--include", "9", "--include", "4", "--exclude", "1")
    assert by_name["indices"] == by_row["indices"]
    assert by_name["indices"][:2] == [9, 4]


def test_what_was_picked_before_can_be_excluded_from_a_file(facts, type_, items, tmp_path):
    assert type_("select", items, "-k", 6, "-o", "seen.txt").exit_code == 0
    seen = (tmp_path / "seen.txt").read_text().split()
    fresh = facts("select", items, "-k", 6, "--exclude", "@seen.txt")
    assert len(seen) == 6
    assert not set(seen) & set(fresh["names"])


def test_a_name_wins_over_a_row_number(facts, tmp_path):
    path = tmp_path / "years.csv"
    path.write_text("id,x\n" + "".join(f"{30 - i},{i * i % 17}\n" for i in range(30)))
    assert facts("select", path, "-k", 2, "--include", "30")["indices"][0] == 0
    assert facts("select", path, "-k", 2, "--include", "1")["names"][0] == "1"


def test_a_name_with_a_comma_needs_no_quotes_by_itself(facts, tmp_path):
    path = tmp_path / "cities.csv"
    path.write_text('name,x,y\n"Rome, Italy",1,2\n"Paris, Texas",3,5\nOslo,2,2\nBonn,9,1\n')
    assert facts("select", path, "-k", 2, "--include", "Paris, Texas")["indices"][0] == 1
    assert facts("select", path, "-k", 3, "--include", '"Paris, Texas",Oslo')["indices"][:2] == [1, 2]


def test_quota_for_all_groups_and_by_label(facts, items):
    same = facts("select", items, "-k", 6, "--groups", "label", "--quota", 2)
    assert sorted(row % 3 for row in same["indices"]) == [0, 0, 1, 1, 2, 2]
    named = facts("select", items, "-k", 12, "--groups", "label", "--quota", "cat=1,=bird=2")
    assert collections.Counter(row % 3 for row in named["indices"]) == {0: 1, 1: 9, 2: 2}


def test_groups_of_numbers_are_typed_as_numbers(facts, items):
    found = facts("select", items, "-k", 8, "--groups", "stars", "--quota", "0=0,4=1")
    assert collections.Counter(row % 5 for row in found["indices"])[4] <= 1
    assert not any(row % 5 == 0 for row in found["indices"])


def test_items_without_a_label_are_a_group_and_that_is_said(type_, tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("x,team\n" + "".join(f"{i * i % 23},{'red' if i % 2 else ''}\n" for i in range(20)))
    result = type_("select", path, "-k", 4, "--groups", "team", "--quota", "2", "--ids")
    assert result.exit_code == 0
    assert "10 items have no 'team': they are the group (none)" in result.stderr
    assert [int(row) % 2 for row in result.stdout.split()].count(0) == 2


def test_the_groups_and_the_quality_are_no_features_unless_named(facts, items):
    plain = facts("select", items, "-k", 4, "--groups", "label", "--quota", 4, "--quality", "stars")
    assert plain["input"]["columns"] == 3
    named = facts("select", items, "-k", 4, "--groups", "label", "--quota", 4, "--columns", "a,b,label")
    assert named["input"]["columns"] == 5


def test_quality_is_the_weight_of_the_library(facts, items, tmp_path):
    import numpy as np

    X = np.loadtxt(items, delimiter=",", skiprows=1, usecols=(1, 2, 3))
    found = facts("select", items, "-k", 5, "--columns", "a,b,c", "--no-standardize", "--quality", "stars")
    assert found["indices"] == list(dv.select(X, 5, quality=np.arange(60) % 5))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--include", "itm7"], "Did you mean 'item7'?"),
        (["--include", "61"], "has the rows 0 to 59"),
        (["--exclude", "@absent.txt"], "absent.txt"),
        (["--groups", "lable", "--quota", "1"], "Did you mean 'label'?"),
        (["--quality", "a"], "wanted a finite number >= 0"),
        (["--quality", "label"], "holds words, wanted numbers"),
        (["--groups", "label", "--quota", "1"], "at most 3 picks"),
        (["--include", "3", "--exclude", "item3"], "3"),
    ],
)
def test_what_cannot_be_met_is_bad_input_with_a_reason(type_, items, typed, said):
    result = type_("select", items, "-k", 4, *typed)
    assert result.exit_code == 3
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "typed",
    [
        ["--groups", "label"],
        ["--quota", "3"],
        ["--groups", "label", "--quota", "many"],
        ["--groups", "label", "--quota", "cat=-1"],
        ["--groups", "label", "--quota", "=3,cat=1"],
    ],
)
def test_what_makes_no_sense_is_a_mistake_of_usage(type_, items, typed):
    result = type_("select", items, "-k", 4, *typed)
    assert result.exit_code == 2
    assert "for help" in result.stderr
