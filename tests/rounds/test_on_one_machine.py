"""Pools too large for their kernel matrix: what is told, what is left behind, what is missed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import diverset as dv
from diverset.rounds.parts import LocalParts, Part
from diverset.rounds.pool import RoundPool
from diverset.rounds.tasks import Question, View, answer

ROWS = np.random.default_rng(0).normal(size=(20_000, 4))
KERNEL = dv.Gaussian(1.5)
WORKER = Path(__file__).parents[1] / "interrupted_worker.py"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "rows.npy"
    np.save(path, np.random.default_rng(0).normal(size=(400_000, 8)))
    return path


def test_rows_are_taken_from_the_file_that_was_named(stored):
    picks = dv.select(stored, 3, method="greedy-map", kernel=KERNEL)
    assert np.array_equal(picks.take(stored), np.load(stored)[picks.indices])
    assert np.array_equal(picks.take(str(stored)), picks.take(np.load(stored, mmap_mode="r")))


def test_a_plan_refuses_what_a_selection_would(stored):
    for ask in (dv.plan, dv.select):
        with pytest.raises(TypeError, match="items are not in memory"):
            ask(stored, 3, method="farthest-point", kernel=KERNEL)


@pytest.mark.parametrize("stage", ["landmarks", "picks"])
def test_an_interrupt_leaves_nothing_behind(stored, stage):
    before = sorted(path.name for path in stored.parent.iterdir())
    with subprocess.Popen(
        [sys.executable, WORKER, stored, stage], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout.readline() == "under way\n"
        running.send_signal(signal.SIGINT)
        start = time.monotonic()
        rest = running.stdout.read().split("\n")
        running.wait(60)
    assert "interrupted 1" in rest  # the main thread alone is left
    assert time.monotonic() - start < 30  # each thread ends with the part it is at
    assert sorted(path.name for path in stored.parent.iterdir()) == before


def test_an_error_in_the_callback_ends_the_threads():
    def tell(*_):
        raise RuntimeError("enough")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="enough"):
        dv.select(ROWS, 5, kernel=KERNEL, solver="low-rank", progress=tell)
    assert threading.active_count() == before


@pytest.mark.parametrize("method", ["deterministic-kdpp", "derandomized", "greedy-trace"])
def test_progress_tells_every_long_stage_with_rising_counts(method):
    told = []
    dv.select(
        ROWS, 20, kernel=KERNEL, method=method, solver="low-rank", progress=lambda *now: told.append(now)
    )
    stages = [stage for stage, _, _ in told]
    assert list(dict.fromkeys(stages)) == ["landmarks", "picks"]
    assert stages == sorted(stages)  # one after the other
    for stage in set(stages):
        counts = [done for name, done, _ in told if name == stage]
        assert all(a < b for a, b in pairwise(counts))
        assert told[stages.index(stage)][2] >= counts[-1]
    assert told[-1] == ("picks", 20, 20)


def test_the_solver_says_what_was_taken_and_why():
    small = dv.select(ROWS, 5, kernel=KERNEL, memory=10**6)
    assert isinstance(small.solver, dv.LowRank)
    assert small.solver.rank >= 5
    assert small.solver.why == "K of 20,000 items takes 3.2 GB, more than the 0.0 GB allowed"
    assert 0 < small.missed < 1
    asked = dv.select(ROWS, 5, kernel=KERNEL, solver=dv.LowRank(rank=40, dtype="float32"))
    assert (asked.solver.rank, asked.solver.dtype, asked.solver.why) == (40, "float32", "asked for")
    assert not asked.certified


def test_the_share_missed_is_that_of_the_trace():
    rows = ROWS[:1_500]
    picks = dv.select(rows, 10, kernel=KERNEL, solver=dv.LowRank(rank=60))
    pool = RoundPool(LocalParts(rows), KERNEL)
    factor = dv.LowRank(rank=60).factor(pool, 10)
    landmarks = [int(np.flatnonzero((rows == row).all(axis=1))[0]) for row in factor.view.landmarks]
    assert picks.missed == pytest.approx(
        dv.metrics.relative_error(rows, landmarks, kernel=KERNEL, norm="trace"), rel=1e-9
    )


def test_single_precision_gives_way_where_its_digits_do_not_suffice():
    smooth = dv.Gaussian(6.0)  # eigenvalues fall below 1e-7 of the first one
    single = dv.select(ROWS, 40, kernel=smooth, solver=dv.LowRank(dtype="float32"))
    double = dv.select(ROWS, 40, kernel=smooth, solver=dv.LowRank())
    assert single.solver.dtype == "float64"
    assert single.log_det == pytest.approx(double.log_det, rel=0.01)
    rough = dv.Gaussian(1.0)
    single = dv.select(ROWS, 40, kernel=rough, solver=dv.LowRank(rank=200, dtype="float32"))
    assert single.solver.dtype == "float32"
    assert list(single) == list(dv.select(ROWS, 40, kernel=rough, solver=dv.LowRank(rank=200)))


@pytest.mark.parametrize("race", [None, 7])
def test_rows_that_are_far_behind_are_not_looked_at_again(race, monkeypatch):
    """The lazy answers are those of a part that looks at everything."""
    marks = ROWS[:50]
    view = View(KERNEL, marks)
    W = np.linalg.inv(np.linalg.cholesky(KERNEL(marks))).T
    lazy = Part(0, ROWS)
    looked = []
    columns = View.columns

    def counted(self, part, dtype=np.float64, which=None):
        looked.append(part.rows.shape[0] if which is None else len(which))
        return columns(self, part, dtype, which)

    monkeypatch.setattr(View, "columns", counted)
    for m in (5, 20, 35, 50):
        question = Question("key", View(KERNEL, marks[:m]), None, W[:m, :m], 30, race=race)
        found = answer(lazy, question)
        everything = answer(Part(0, ROWS), Question("other", view, None, W[:, :m], len(ROWS), race=race))
        order = np.argsort(-everything.scores, kind="stable")
        assert set(everything.numbers[order[:30]]) <= set(found.numbers)
        np.testing.assert_allclose(
            np.sort(found.scores)[-30:], np.sort(everything.scores)[-30:], rtol=1e-8, atol=1e-12
        )
        unseen = np.setdiff1d(everything.numbers, found.numbers)
        scores = dict(zip(everything.numbers.tolist(), everything.scores.tolist(), strict=True))
        assert max(scores[row] for row in unseen.tolist()) <= found.bounds.largest * (1 + 1e-8)
    lazily = [count for count in looked if count < len(ROWS)]
    assert sum(lazily) < 4 * len(ROWS)
