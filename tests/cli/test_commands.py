"""Each command does what the library does, and can be repeated from what it says."""

from __future__ import annotations

import shlex
from typing import Any

import click
import numpy as np
import pytest

import diverset as dv
from diverset.commands import options
from diverset.commands.group import COMMANDS, Diverset
from diverset.commands.specs import KERNELS
from diverset.commands.values import Memory
from diverset.kernels import MEMORY
from diverset.readers import FEATURES, Reading
from diverset.solvers import SOLVERS

from .conftest import strict_json


def matrix(items: Any) -> Any:
    return np.loadtxt(items, delimiter=",", skiprows=1, usecols=(1, 2, 3))


PLAIN = ("--columns", "a,b,c", "--no-standardize")


def test_the_names_that_help_lists_are_those_of_the_library():
    assert set(options.METHODS) == set(dv.METHODS)
    assert set(options.SAMPLERS) == set(dv.SAMPLERS)
    assert set(options.SOLVERS) == set(SOLVERS)
    assert set(options.KERNELS) == set(KERNELS)
    assert set(options.FEATURES) == {name for names in FEATURES.values() for name in names}
    assert options.MEMORY == MEMORY
    public = (getattr(dv, name) for name in dv.__all__)
    kernels = {one for one in public if isinstance(one, type) and issubclass(one, dv.Kernel)}
    assert set(KERNELS.values()) == kernels - {dv.Kernel}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples_or_is_simple(type_, name):
    result = type_(name, "--help")
    assert result.exit_code == 0
    assert f"Usage: diverset {name}" in result.stdout
    if name in ("select", "sample", "compare", "info"):
        assert f"Examples:\n    diverset {name} " in result.stdout
        assert (
            result.stdout.index("\nPicks:")
            < result.stdout.index("\nReading:")
            < result.stdout.index("\nOther:")
        )
    assert max(len(line) for line in result.stdout.splitlines()) < 110


def test_options_that_commands_share_are_the_same_everywhere():
    group = Diverset()
    context = click.Context(group)
    seen: dict[str, Any] = {}
    for name in ("select", "sample", "compare", "info"):
        command = group.get_command(context, name)
        for param in command.params:
            if isinstance(param, options.Option) and param.name not in ("k", "method", "seed", "form"):
                facts = param.to_info_dict() | {"section": param.section, "matters": param.matters}
                assert seen.setdefault(param.name, facts) == facts


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("4GB", 4 * 10**9), ("1.5 GiB", 3 * 2**29), ("512m", 512 * 10**6), ("1e6", 10**6), ("7", 7)],
)
def test_amounts_of_memory(typed, amount):
    assert Memory().convert(typed, None, None) == amount


# --- select -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--kernel laplacian --bandwidth 2", {"kernel": dv.Laplacian(2.0)}),
        ("--kernel matern:nu=2.5,bandwidth=3", {"kernel": dv.Matern(bandwidth=3, nu=2.5)}),
        ("--bandwidth 0.5", {"kernel": dv.Gaussian(0.5)}),
        ("--method das:gamma=1e-2", {"method": dv.DAS(1e-2)}),
        ("--method derandomized --solver dense", {"method": "derandomized", "solver": "dense"}),
        ("--solver low-rank:rank=40", {"solver": dv.LowRank(rank=40)}),
        ("--kernel polynomial:degree=2", {"kernel": dv.Polynomial(degree=2)}),
    ],
)
def test_what_is_typed_is_what_is_meant(facts, items, typed, meant):
    found = facts("select", items, "-k", 6, *PLAIN, *typed.split())
    picks = dv.select(matrix(items), 6, **meant)
    assert found["indices"] == list(picks)
    assert found["kernel"] == repr(picks.kernel)
    assert found["method"] == repr(picks.method)
    assert found["solver"] == repr(picks.solver)


def test_a_precomputed_matrix_is_taken_as_it_is(facts, tmp_path, items):
    K = dv.Gaussian(1.5)(matrix(items))
    np.save(tmp_path / "K.npy", K)
    np.savetxt(tmp_path / "K.csv", K, delimiter=",", fmt="%.17g")
    wanted = list(dv.select(K, 5, kernel=dv.Precomputed()))
    assert facts("select", "K.csv", "-k", 5, "--no-header", "--kernel", "precomputed")["indices"] == wanted


@pytest.mark.parametrize(
    "words",
    [
        "select items.csv -k 5",
        "select items.csv -k 5 --columns a,b --no-standardize --kernel matern:nu=0.5 --bandwidth 1.5",
        "select items.csv -k 5 --include item3 --exclude item1,item2 --groups label --quota cat=2,=bird=1",
        "select items.csv -k 5 --memory 1GB --method das --quality stars --no-one-hot",
        "sample items.csv -k 3 --draws 2 --method rpcholesky",
        "compare items.csv -k 3 --methods greedy-map,kdpp --seed 4",
    ],
)
def test_the_command_that_is_said_gives_the_same_picks(type_, items, words):
    first = strict_json(type_(*shlex.split(words), "--json", "--quiet").stdout)
    assert "--json" not in first["command"]
    assert "--quiet" not in first["command"]
    diverset, *typed = shlex.split(first["command"])
    again = strict_json(type_(*typed, "--json").stdout)
    for found in (first, again):  # all but the clock
        for method in found.get("methods", ()):
            method.pop("seconds")
    assert diverset == "diverset"
    assert again == first


def test_strange_names_survive_the_shell(type_, tmp_path, items):
    strange = '-it\'s; $(rm) "a" \u202e.csv'
    items.rename(tmp_path / strange)
    result = type_("select", "-k", 3, "--drop", "label,stars", "--json", "--", strange)
    command = strict_json(result.stdout)["command"]
    assert shlex.split(command)[-2:] == ["--", strange]
    assert (
        type_("select", "--ids", *shlex.split(command)[2:]).stdout.split()
        == strict_json(result.stdout)["names"]
    )


def test_columns_can_be_chosen_and_left_out_by_pattern(facts, items):
    assert facts("select", items, "-k", 2, "--columns", "[ab]")["input"]["columns"] == 2
    assert facts("select", items, "-k", 2, "--drop", "?", "--drop", "label")["input"]["columns"] == 1
    assert facts("select", items, "-k", 2, "--id", "stars", "--no-one-hot")["input"]["columns"] == 3


def test_files_can_be_grouped_by_their_folder(facts, tmp_path):
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for at, word in enumerate(words):
        folder = tmp_path / "notes" / ("odd" if at % 2 else "even")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{word}.txt").write_text(f"{word} and {words[at // 2]}")
    found = facts("select", "notes", "-k", 4, "--groups", "folder", "--quota", "even=1")
    assert sorted(name.partition("/")[0] for name in found["names"]) == ["even", "odd", "odd", "odd"]


def test_several_files_are_one_pool(facts, items, tmp_path):
    (tmp_path / "more.csv").write_bytes(items.read_bytes().replace(b"item", b"thing"))
    found = facts("select", "items.csv", "more.csv", "-k", 3)
    assert found["input"]["n"] == 120
    assert found["input"]["source"] == "items.csv and 1 more"


# --- the report -------------------------------------------------------------------------------


@pytest.fixture
def page(monkeypatch):
    """What the page was asked for, each time one was made."""
    pytest.importorskip("bokeh")
    import diverset.report

    asked = []
    real = diverset.report.page

    def page(reading, picks, *, comparison=None, command="", **more):
        asked.append((reading, picks, comparison, command))
        return real(reading, picks, comparison=comparison, command=command, **more)

    monkeypatch.setattr("diverset.report.page", page)
    return asked


def test_the_report_is_asked_for_all_that_it_shows(page, type_, items, tmp_path):
    result = type_("select", items, "-k", 4, "--report", "picks.html", "--ids")
    assert result.exit_code == 0, result.stderr
    ((reading, picks, comparison, command),) = page
    assert isinstance(reading, Reading)
    assert [reading.names[row] for row in picks] == result.stdout.split()
    assert comparison.names[0] == "deterministic-kdpp"
    assert list(comparison[0].selection) == list(picks)
    assert command == shlex.join(["diverset", "select", str(items), "-k", "4"])
    text = (tmp_path / "picks.html").read_text()
    assert text.lower().startswith("<!doctype html>")
    assert shlex.quote(str(items)) in text


def test_a_page_alone_leaves_stdout_empty(page, type_, items):
    assert type_("select", items, "-k", 4, "-o", "picks.html").stdout == ""
    assert len(page) == 1


def test_other_methods_are_beside_only_while_that_is_cheap(page, type_, items, monkeypatch):
    monkeypatch.setattr("diverset.commands.selecting.COMPARED", 59)
    type_("select", items, "-k", 4, "--report", "a.html")
    type_("select", items, "-k", 4, "--report", "b.html", "--compare")
    assert [asked[2] is None for asked in page] == [True, False]


# --- the other commands -----------------------------------------------------------------------


def test_sample_is_that_of_the_library(facts, items):
    found = facts("sample", items, "-k", 4, "--seed", 7, "--draws", 3, *PLAIN)
    wanted = dv.sample(matrix(items), 4, rng=7, draws=3)
    assert [draw["indices"] for draw in found["draws"]] == [list(picks) for picks in wanted]
    assert found["parameters"]["seed"] == 7


def test_a_sample_without_a_seed_says_the_one_it_took(facts, type_, items):
    result = type_("sample", items, "-k", 4, "--json")
    found = strict_json(result.stdout)
    seed = found["parameters"]["seed"]
    assert f"--seed {seed}" in result.stderr
    assert facts("sample", items, "-k", 4, "--seed", seed)["draws"] == found["draws"]
    assert strict_json(type_("sample", items, "-k", 4, "--json").stdout)["parameters"]["seed"] != seed


def test_work_that_grows_with_the_cube_is_announced(type_, items, monkeypatch):
    monkeypatch.setattr("diverset.commands.work._PATIENCE", 59)
    said = "kdpp wants all 60 eigenvalues"
    assert said in type_("sample", items, "-k", 2, "--seed", 0).stderr
    assert said not in type_("sample", items, "-k", 2, "--seed", 0, "--kernel", "linear").stderr
    assert "eigenvalues" not in type_("sample", items, "-k", 2, "--method", "uniform").stderr


def test_a_dpp_draws_as_many_as_come(facts, items):
    found = facts("sample", items, "--method", "dpp", "--seed", 1)
    assert found["draws"][0]["k"] == len(found["draws"][0]["indices"])


def test_compare_is_that_of_the_library(facts, items):
    found = facts("compare", items, "-k", 5, *PLAIN, "--methods", "derandomized,das:gamma=1e-3,kdpp")
    wanted = dv.compare(matrix(items), 5, methods=["derandomized", dv.DAS(1e-3), "kdpp"])
    assert [m["selection"]["indices"] for m in found["methods"]] == [list(one.selection) for one in wanted]
    assert [m["trace"] for m in found["methods"]] == pytest.approx([one.trace for one in wanted])
    assert found["overlap"] == wanted.overlap


def test_compare_says_what_was_left_out(type_, items):
    result = type_("compare", items, "-k", 3, "--exclude", "item1", "--methods", "greedy-map,uniform")
    assert result.exit_code == 0
    assert "uniform is left out. Random methods follow no rules" in result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["method", "greedy-map"]


def test_info_knows_the_spectrum_and_the_rank(facts, type_, items):
    found = facts("info", items, *PLAIN, "--kernel", "linear")
    X = matrix(items)
    values = np.linalg.svd(X, compute_uv=False) ** 2
    assert found["rank"] == 3
    assert found["rank_exact"] is True
    assert found["eigenvalues"] == pytest.approx(values)
    assert found["trace"] == pytest.approx((X**2).sum())
    assert found["shares"]["2"] == pytest.approx(values[:2].sum() / values.sum())
    words = type_("info", items, *PLAIN, "--kernel", "linear").stdout
    assert "rank      3 of 60" in words
    assert found["input"]["sha256"] in words


def test_info_resolves_the_bandwidth_and_plans(facts, items):
    found = facts("info", items, *PLAIN, "-k", 7)
    assert found["bandwidth"] == dv.select(matrix(items), 1).kernel.bandwidth
    assert found["plan"] == strict_json(dumps(dv.plan(matrix(items), 7).to_dict()))


def dumps(value):
    import json

    return json.dumps(value)


@pytest.mark.parametrize("solver", ["block-krylov", "low-rank"])
def test_info_of_a_large_pool_knows_the_leading_part(facts, tmp_path, solver, monkeypatch):
    monkeypatch.setattr("diverset.commands.informed.WHOLE", 100)
    X = np.random.default_rng(3).normal(size=(400, 2))
    np.savetxt(tmp_path / "X.csv", X, delimiter=",")
    typed = ("info", "X.csv", "--no-header", "--no-standardize", "--bandwidth", 1, "--solver", solver)
    found = facts(*typed)
    values = np.linalg.eigvalsh(dv.Gaussian(1.0)(X))[::-1]
    assert found["eigenvalues"][:10] == pytest.approx(values[:10], rel=1e-6)
    assert found["trace"] == pytest.approx(400, rel=1e-6)
    assert found["rank_exact"] is False
    assert 50 <= found["rank"] <= 400


def test_the_demo_picks_draws_and_leaves_a_page(page, type_, tmp_path):
    from sklearn.datasets import load_digits

    result = type_("demo", "-k", "3", "--no-open")
    assert result.exit_code == 0, result.stderr
    ((reading, picks, _, command),) = page
    assert list(picks) == list(dv.select(load_digits().data, 3))
    assert all(f" {row} " in result.stdout for row in picks)
    assert result.stdout.count("@") > 20
    assert len(reading.pictures) == reading.n == 1797
    assert command == "diverset demo -k 3"
    assert (tmp_path / "diverset-demo.html").exists()
    assert "diverset-demo.html" in result.stderr


def test_the_demo_goes_on_without_what_a_page_needs(type_, monkeypatch, tmp_path):
    monkeypatch.setattr("diverset.commands.output.find_spec", lambda name: None)
    result = type_("demo", "-k", "3")
    assert result.exit_code == 0
    assert "No page: This output needs bokeh. Type: pip install 'diverset[report]'" in result.stderr
    assert "pick" in result.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(type_, shell):
    result = type_("completion", shell)
    assert result.exit_code == 0
    assert "_DIVERSET_COMPLETE" in result.stdout


def test_the_shell_is_told_commands_options_and_names(type_):
    def complete(words, at):
        env = {"_DIVERSET_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        result = type_(env=env, prog_name="diverset")
        return {line.split(",")[1] for line in result.stdout.split()}

    assert complete("diverset ", 1) == set(COMMANDS)
    assert {"--kernel", "--groups"} <= complete("diverset select --", 2)
    assert complete("diverset select --method greedy", 3) == {"greedy-map", "greedy-trace"}
    assert complete("diverset select --missing ", 3) == {"refuse", "drop", "mean"}
