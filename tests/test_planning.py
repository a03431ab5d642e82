"""A plan says what a selection will take, and the memory it names is the memory it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import diverset as dv

WORKER = Path(__file__).with_name("peak_worker.py")
FACTOR = {"memory": 2**28}  # so little that a factor is taken

CASES = {
    "block Krylov, cheap kernel": {"n": 6_000, "d": 5, "k": 30},
    "dense": {"n": 2_000, "d": 5, "k": 30, "settings": {"solver": "dense"}},
    "greedy trace": {"n": 4_000, "d": 5, "k": 30, "settings": {"method": "greedy-trace"}},
    "greedy MAP": {"n": 100_000, "d": 5, "k": 50, "settings": {"method": "greedy-map"}},
    "greedy MAP by rounds": {
        "n": 200_000,
        "d": 5,
        "k": 50,
        "settings": {"method": "greedy-map", "memory": 2**26},
    },
    "farthest point": {"n": 50_000, "d": 5, "k": 30, "settings": {"method": "farthest-point"}},
    "low rank": {"n": 50_000, "d": 5, "k": 30, "settings": FACTOR},
    "low rank, memory map": {"n": 50_000, "d": 5, "k": 30, "settings": FACTOR, "path": "rows.npy"},
    "low rank, Parquet": {"n": 100_000, "d": 40, "k": 30, "settings": FACTOR, "path": "rows.parquet"},
    "low rank, greedy trace": {
        "n": 30_000,
        "d": 5,
        "k": 10,
        "settings": FACTOR | {"method": "greedy-trace"},
    },
    "low rank, DAS": {"n": 30_000, "d": 5, "k": 20, "settings": FACTOR | {"method": "das"}},
}
LONGER = {
    "block Krylov, stored": {"n": 6_000, "d": 100, "k": 50, "bandwidth": 10.0},
    "block Krylov, 20,000": {"n": 20_000, "d": 5, "k": 50},
    "DAS": {"n": 2_000, "d": 5, "k": 50, "settings": {"method": "das"}},
    "derandomised": {"n": 6_000, "d": 5, "k": 50, "settings": {"method": "derandomized"}},
    "greedy MAP, 400,000": {"n": 400_000, "d": 5, "k": 20, "settings": {"method": "greedy-map"}},
    "low rank, 200,000": {"n": 200_000, "d": 5, "k": 50},
    "low rank, k=100": {"n": 100_000, "d": 8, "k": 100},
    "low rank, memory map, 200,000": {"n": 200_000, "d": 5, "k": 50, "path": "rows.npy"},
}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(case, id=name) for name, case in CASES.items()),
        *(pytest.param(case, id=name, marks=pytest.mark.slow) for name, case in LONGER.items()),
    ],
)
def test_the_memory_named_is_the_memory_taken(case, tmp_path):
    asked = {"bandwidth": 2.0, "settings": {}} | case
    if "path" in case:
        asked["path"] = str(tmp_path / case["path"])
    answer = measured(asked)
    assert abs(answer["plan"] - answer["peak"]) <= 0.25 * answer["peak"], answer


def measured(case):
    """The plan of a selection and its peak, in a process of its own.

    How far the work of two threads overlaps is left to chance, and to what else the machine does: one core.
    """
    done = subprocess.run(
        [sys.executable, WORKER, "one core"],
        input=json.dumps(case),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


BUDGETS = {
    "K fits, the work with it does not": {"n": 5_000, "d": 100, "k": 50, "bandwidth": 10.0, "memory": 2.1e8},
    "DAS": {"n": 3_000, "d": 5, "k": 50, "method": "das", "memory": 2e8},
    "greedy trace": {"n": 5_000, "d": 5, "k": 50, "method": "greedy-trace", "memory": 2.05e8},
    "derandomised": {"n": 5_000, "d": 5, "k": 50, "method": "derandomized", "memory": 2.05e8},
    "many picks": {"n": 20_000, "d": 8, "k": 300, "memory": 2.5e8},
    "DAS on a factor": {"n": 20_000, "d": 8, "k": 150, "method": "das", "memory": 2e8},
    "greedy trace on a factor": {"n": 20_000, "d": 8, "k": 150, "method": "greedy-trace", "memory": 2e8},
    "greedy MAP": {"n": 200_000, "d": 5, "k": 50, "method": "greedy-map", "memory": 6e7},
    "farthest point": {"n": 200_000, "d": 5, "k": 20, "method": "farthest-point", "memory": 6e7},
}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("case", BUDGETS.values(), ids=BUDGETS)
def test_the_memory_allowed_is_kept_to(case):
    settings = {"memory": case["memory"], "method": case.get("method", "deterministic-kdpp")}
    answer = measured({"bandwidth": 2.0, "settings": settings} | case)
    assert answer["peak"] <= 1.03 * case["memory"], answer


def test_too_little_memory_is_said_before_the_work():
    rows = np.random.default_rng(0).normal(size=(3_000, 8))
    with pytest.raises(
        ValueError, match=r"1,000 directions takes .* GB of 3,000 items.* Type memory=1\.0[78]e\+08"
    ):
        dv.select(rows, 1_000, memory=1e7)
    with pytest.raises(ValueError, match=r"2,000 directions takes"):
        dv.select(rows, 20, memory=1e7, solver=dv.LowRank(rank=2_000))
    assert len(dv.select(rows, 1_000, kernel=dv.Gaussian(0.5), memory=1.08e8)) == 1_000
    for n, rank in ((100_000, 1_500), (50_000, 1_200), (20_000, 937)):
        many = np.zeros((n, 1))
        with pytest.raises(ValueError, match="Type memory=") as refusal:
            dv.plan(many, 3, kernel=dv.Gaussian(1.0), memory=1e7, solver=dv.LowRank(rank=rank))
        wanted = float(str(refusal.value).split("memory=")[1].rstrip("."))
        dv.plan(many, 3, kernel=dv.Gaussian(1.0), memory=wanted, solver=dv.LowRank(rank=rank))


def test_a_plan_tells_solver_passes_entries_memory_and_time():
    rows = np.random.default_rng(0).normal(size=(5_000, 4))
    plan = dv.plan(rows, 20, solver="low-rank", kernel=dv.Gaussian(2.0))
    text = str(plan)
    for word in ("solver   LowRank(", "passes", "entries of K", "memory", "MB beside the items", "time"):
        assert word in text
    assert plan.to_dict()["k"] == 20
    assert plan.passes > 3
    assert plan.entries > 20 * 5_000


def test_a_plan_names_the_solver_that_select_takes():
    rows = np.random.default_rng(0).normal(size=(1_200, 4))
    for settings in ({}, {"memory": 10**6}, {"solver": dv.LowRank(rank=60)}, {"solver": "dense"}):
        plan = dv.plan(rows, 10, kernel=dv.Gaussian(2.0), **settings)
        picks = dv.select(rows, 10, kernel=dv.Gaussian(2.0), **settings)
        assert plan.solver.split("(")[0] == type(picks.solver).__name__
        assert plan.why == picks.solver.why
