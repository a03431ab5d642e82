"""The examples, each run as a reader would run it; what they print has to bear out what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SECONDS = 120  # they take two or three on an idle machine


def run(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / f"{name}.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(output: str, start: str) -> list[float]:
    """The numbers of the first line that starts like this."""
    line = next(line for line in output.splitlines() if line.strip().startswith(start))
    return [float(found.rstrip("%")) for found in re.findall(r"\d+(?:\.\d+)?%?", line.replace(start, "", 1))]


def test_every_example_is_tested_and_described() -> None:
    scripts = {path.stem for path in EXAMPLES.glob("*.py")}
    readme = (EXAMPLES / "README.md").read_text()
    here = Path(__file__).read_text()
    assert len(scripts) == 5
    for name in scripts:
        assert f'run("{name}"' in here
        assert f"({name}.py)" in readme


@pytest.mark.parametrize("where", ["with the photos beside the checkout", "without"])
def test_photos_differ_more_than_any_random_ones(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("PIL")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if where == "without":
        monkeypatch.setitem(globals(), "EXAMPLES", Path(shutil.copytree(EXAMPLES, tmp_path / "examples")))
    elif not (EXAMPLES.parents[1] / "shared/data/stanford_dogs").is_dir():
        pytest.skip("not in ../shared/data: stanford_dogs")
    output = run("photos")
    picked = [line for line in output.splitlines() if re.match(r" *\d+  \S", line)]
    assert len({line.split()[1] for line in picked}) == 12
    kinds, own = numbers(output, "diverse")
    kinds_by_chance, _ = numbers(output, "random, mean")
    assert kinds >= kinds_by_chance
    assert own > numbers(output, "random, best")[1]
    if where == "without":
        assert kinds > kinds_by_chance + 2


def test_chosen_landmarks_beat_the_best_random_ones_in_regression() -> None:
    output = run("gaussian_process")
    for k in ("30", "60"):
        chosen, mean, best = numbers(output, k)
        assert chosen < best < mean
    chosen, mean, _ = numbers(output, "15")
    assert chosen < mean
    assert numbers(output, "60")[0] < 0.1  # near the noise of a sounding, where chance is far from it
    near, near_by_chance = numbers(output, "Of 60 landmarks near the jetty: derandomized")
    assert near < 30 < near_by_chance


def test_chosen_landmarks_beat_the_mean_of_random_ones_in_a_pipeline() -> None:
    output = run("nystroem_pipeline")
    for k in ("10", "20", "40", "80"):
        chosen, mean, _, _ = numbers(output, k)
        assert chosen > mean
    landmarks = re.findall(r"\d", output.rsplit("digits", 1)[1])
    assert len(landmarks) == 20
    assert set(landmarks) == set("0123456789")


def test_rows_by_group_keep_the_quota_and_differ_more_than_any_random_ones() -> None:
    output = run("rows_by_group")
    growers = [line.split()[2] for line in output.splitlines() if line.startswith("wine ")]
    assert sorted(growers) == ["Anna"] * 4 + ["Bruno"] * 4 + ["Carla"] * 4
    assert numbers(output, "diverse")[0] > numbers(output, "random, best")[0]


def test_few_shot_examples_sort_better_than_random_ones() -> None:
    output = run("few_shot")
    random = numbers(output, "random, mean")
    shown, right, better = numbers(output, "greedy-map")
    assert shown > random[0]
    assert right > random[1]
    assert better > 50
    assert numbers(output, "deterministic-kdpp")[1] > random[1]
