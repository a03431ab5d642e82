"""`diverset paper --fast`, for real: on Boston, Stock and Kimia-99 where they are found."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("click")

from click.testing import CliRunner

from diverset.cli import group
from diverset.experiments import lines
from diverset.experiments.captions import CAPTIONS, PLATES
from diverset.experiments.data import locate
from diverset.experiments.pieces import Pieces
from diverset.experiments.run import Outcome, run

WANTED = {"boston": "boston.csv", "stock": "stock.csv", "kimia99": "images/hand.png"}
PARTS = (*WANTED, "plane")


def absent() -> list[str]:
    return [name for name, file in WANTED.items() if locate(name, file) is None]


needs_data = pytest.mark.skipif(
    bool(absent()), reason=f"not in $DIVERSET_DATA or ../shared/data: {', '.join(absent())}"
)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(tmp_path_factory.mktemp("first"), fast=True, only=PARTS)


def numbers(outcome: Outcome) -> dict[str, bytes]:
    folder = outcome.page.parent / "numbers"
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith("times-")}


@pytest.mark.data
@needs_data
def test_it_leaves_figures_numbers_and_a_page(first: Outcome) -> None:
    out = first.page.parent
    drawn = {p.stem for p in (out / "figures").glob("*.svg")}
    assert drawn == {p.stem for p in (out / "figures").glob("*.png")}
    assert drawn == {name for name in CAPTIONS if not name.startswith("dogs")}
    with (out / "numbers" / "measures-stock.csv").open() as rows:
        methods = {row["method"] for row in csv.DictReader(rows)}
    assert len(methods) == 10
    text = first.page.read_text()
    assert "http" not in text.replace("http://www.w3.org", "")  # self-contained
    for claim in first.claims:
        assert f'id="claim-{claim.number}"' in text
        assert claim.verdict.value in text
    passed_on = (out / "index.md").read_text()
    shown = set(re.findall(r"\(figures/(.+)\.png\)", passed_on))
    assert shown == drawn - set(PLATES)
    assert all(f"| {claim.number} | {claim.says}" in passed_on for claim in first.claims)


@pytest.mark.data
@needs_data
def test_what_the_numbers_of_these_tables_say(first: Outcome) -> None:
    verdicts = {c.number: c.verdict.value for c in first.claims}
    assert verdicts["1a"] == "reproduced"
    assert verdicts["5"] == "reproduced"
    assert verdicts["3b"] == "not run"
    assert verdicts["A"] == verdicts["B"] == "reproduced"
    assert first.results.kimia[0]["classes"] == 9


@pytest.mark.data
@needs_data
def test_polarity_cannot_matter_for_standardised_pixels(first: Outcome) -> None:
    rows = first.results.kimia
    plain = {r["scale"]: r["indices"] for r in rows if r["polarity"] == "white on black"}
    for row in rows:
        if (row["shape"], row["filter"], row["tone"]) == ("stretched", "bicubic", "grey"):
            assert row["indices"] == plain[row["scale"]]


@pytest.mark.data
@needs_data
def test_two_runs_leave_the_same_numbers_and_drawings(first: Outcome, tmp_path: Path) -> None:
    second = run(tmp_path, fast=True, only=PARTS)
    assert second.made == first.made
    assert numbers(second) == numbers(first)
    for path in (tmp_path / "figures").glob("*.svg"):
        if "time" not in path.stem and path.stem != "stock":  # these draw times
            assert path.read_bytes() == (first.page.parent / "figures" / path.name).read_bytes(), path.name


@pytest.mark.data
@needs_data
def test_an_interrupted_run_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Pieces.get
    made: list[str] = []

    def breaks(self: Pieces, name: str, key: object, make: object) -> object:
        if len(made) == 4:
            raise KeyboardInterrupt
        made.append(name)
        return plain(self, name, key, make)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Pieces, "get", breaks)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, fast=True, only=("stock",))
    monkeypatch.setattr(lines, "draw_all", lambda results, folder: [])  # drawn in the test above
    resumed = run(tmp_path, fast=True, only=("stock",))
    assert resumed.reused == 4
    assert not list((tmp_path / "pieces").glob("*.part"))
    again = run(tmp_path, fast=True, only=("stock",))
    assert again.made == 0


def test_a_piece_is_made_anew_when_its_key_changes(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)
    assert pieces.get("a", [1, "x"], lambda: (1, 2)) == [1, 2]
    assert pieces.get("a", [1, "x"], lambda: 7) == [1, 2]
    assert pieces.get("a", [2, "x"], lambda: 7) == 7
    assert (pieces.made, pieces.reused) == (2, 1)


def test_a_piece_that_fails_leaves_nothing(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)

    def fails() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        pieces.get("a", 1, fails)
    assert not pieces.has("a", 1)


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    refused = CliRunner().invoke(group(), ["paper", "--only", "bostn", "--out", str(tmp_path / "out")])
    assert refused.exit_code == 2
    assert "Did you mean 'boston'?" in refused.output
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_it_takes_and_refuses_in_a_sentence(tmp_path: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(group(), ["--help"])
    assert "paper" in shown.output
    refused = runner.invoke(group(), ["paper", "--data", str(tmp_path / "absent"), "--out", str(tmp_path)])
    assert refused.exit_code == 3
    assert "is not a folder" in refused.output


def test_without_click_the_command_says_what_to_install() -> None:
    code = "import sys; sys.modules['click'] = None; from diverset.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "The command diverset needs click. Type: pip install 'diverset[command]'\n"
