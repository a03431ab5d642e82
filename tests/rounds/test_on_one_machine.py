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
import pandas as pd
import pytest

import diverset as dv
import diverset.stored
from diverset.choice import plan_choice
from diverset.methods import Problem
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


@pytest.mark.parametrize("memory", [2**20, 2**32], ids=["stays", "is read"])
@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_files_go_wherever_rows_go(kind, memory, tmp_path):
    rows, path = ROWS[:2_000], tmp_path / f"rows.{kind}"
    if kind == "npy":
        np.save(path, rows)
    else:
        pd.DataFrame(rows, columns=list("abcd")).to_parquet(path, row_group_size=300)
    settings = {"kernel": KERNEL, "memory": memory}
    picks = dv.select(path, 10, **settings)
    for norm in ("trace", "max"):
        error = dv.metrics.relative_error(path, picks, norm=norm, **settings)
        assert error == pytest.approx(dv.metrics.relative_error(rows, picks, kernel=KERNEL, norm=norm))
    assert dv.metrics.coverage(path, picks, **settings) == pytest.approx(
        dv.metrics.coverage(rows, picks, kernel=KERNEL)
    )
    features = dv.Nystrom(path, picks, **settings).features(path)
    np.testing.assert_allclose(features, dv.Nystrom(rows, picks, kernel=KERNEL).features(rows), atol=1e-8)
    assert list(dv.sample(path, 10, rng=1, kernel=KERNEL)) == list(dv.sample(rows, 10, rng=1, kernel=KERNEL))
    np.testing.assert_array_equal(dv.kernel_matrix(path, KERNEL).diagonal(), np.ones(2_000))
    np.testing.assert_allclose(dv.Nystrom(path, picks, **settings).columns(), features, atol=1e-8)
    operator = dv.metrics.relative_error(path, picks, norm="operator", **settings)
    assert operator == pytest.approx(dv.metrics.relative_error(rows, picks, kernel=KERNEL), rel=1e-5)


def data_set(rows, folder):
    """Two files in several row groups each, the columns of the second in another order."""
    frame = pd.DataFrame(rows, columns=list("abcd"))
    frame["n"] = np.arange(len(rows)) % 7
    frame["odd"] = frame["n"] % 2 == 1
    frame[:1_200].to_parquet(folder / "one.parquet", row_group_size=500)
    frame[1_200:][[*"dcba", "odd", "n"]].to_parquet(folder / "two.parquet", row_group_size=300)
    return frame.to_numpy(dtype=np.float64)


@pytest.mark.parametrize("memory", [2**20, 2**32], ids=["stays", "is read"])
def test_data_sets_of_many_files_are_rows_in_their_order(memory, tmp_path):
    import pyarrow.dataset

    rows = data_set(ROWS[:2_000], tmp_path)
    settings = {"kernel": KERNEL, "memory": memory}
    here = list(dv.select(rows, 12, **settings))
    data = pyarrow.dataset.dataset(tmp_path)
    for source in (tmp_path, str(tmp_path), data, data.to_table(), pyarrow.dataset.dataset(data.to_table())):
        picks = dv.select(source, 12, **settings)
        assert list(picks) == here
    taken = picks.take(data).to_pandas()[list("abcd")]
    np.testing.assert_array_equal(taken, ROWS[:2_000][here])
    np.testing.assert_array_equal(dv.stored.stored(data)[1_100:1_900], rows[1_100:1_900])


def test_columns_in_the_names_of_folders_are_columns(tmp_path):
    import pyarrow.dataset

    frame = pd.DataFrame(ROWS[:900], columns=list("abcd"))
    frame["part"] = np.arange(900) % 3
    frame.to_parquet(tmp_path, partition_cols=["part"])
    data = pyarrow.dataset.dataset(tmp_path, partitioning="hive")
    rows = data.to_table().to_pandas().to_numpy(dtype=np.float64)
    for memory in (0, 2**30):
        settings = {"kernel": KERNEL, "memory": memory}
        assert list(dv.select(data, 6, **settings)) == list(dv.select(rows, 6, **settings))


def test_what_one_file_lacks_or_has_otherwise_is_said(tmp_path):
    frame = pd.DataFrame(ROWS[:90], columns=list("abcd"))
    for name, other in (("lacks", frame[["a", "b", "c"]]), ("words", frame.assign(d="x"))):
        (tmp_path / name).mkdir()
        frame.to_parquet(tmp_path / name / "one.parquet")
        other.to_parquet(tmp_path / name / "two.parquet")
    with pytest.raises(ValueError, match=r"X has 90 values .* row 90, column"):
        dv.select(tmp_path / "lacks", 3)
    with pytest.raises(TypeError, match=r"Column 'd' of X holds .* in some file"):
        dv.select(tmp_path / "words", 3)


def test_what_a_data_set_holds_besides_numbers_is_named(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    rows = pa.table({"a": [1.0, 2.0, None, 4.0], "b": [1, 2, 3, 4]})
    parquet.write_table(rows, tmp_path / "gaps.parquet", row_group_size=2)
    for memory in (0, 2**20):
        with pytest.raises(ValueError, match=r"X has 1 value .* row 2, column"):
            dv.select(tmp_path / "gaps.parquet", 2, memory=memory)
    with pytest.raises(TypeError, match="Column 'b' of X holds string values"):
        dv.select(pa.table({"a": [1.0], "b": ["x"]}), 1)
    with pytest.raises(TypeError, match="X is a ParquetFile, wanted a table or a data set"):
        dv.select(parquet.ParquetFile(tmp_path / "gaps.parquet"), 1)


def test_a_plan_refuses_what_a_selection_would(stored):
    for ask in (dv.plan, dv.select):
        with pytest.raises(TypeError, match="items are not in memory"):
            ask(stored, 3, method="farthest-point", kernel=KERNEL, memory=2**20)


def test_rows_come_into_memory_for_a_method_that_wants_them_there(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    settings = {"method": "farthest-point", "kernel": KERNEL}
    here = dv.select(ROWS, 5, **settings)
    assert list(dv.select(tmp_path / "rows.npy", 5, memory=2**20, **settings)) == list(here)


@pytest.mark.parametrize("method", dv.METHODS)
def test_a_file_of_zeros_is_as_an_array_of_zeros(method, tmp_path):
    np.save(tmp_path / "zeros.npy", np.zeros((3_000, 2)))
    with pytest.warns(UserWarning, match="Only 0 of k=4"):
        picks = dv.select(tmp_path / "zeros.npy", 4, kernel=dv.Linear(), method=method, memory=2**20)
    assert list(picks) == [0, 1, 2, 3]
    assert dv.plan(tmp_path / "zeros.npy", 4, kernel=dv.Linear(), method=method, memory=2**20).passes == 1


def test_values_that_overflow_are_named_in_files_too(tmp_path):
    np.save(tmp_path / "large.npy", np.full((3_000, 2), 1e80))
    with pytest.raises(ValueError, match=r"gives row 0 the value 2e[+]160 with itself"):
        dv.select(tmp_path / "large.npy", 4, kernel=dv.Linear(), memory=2**20)


def test_parts_remember_no_more_than_is_asked_again():
    parts = LocalParts(ROWS[:3_000])
    pool = RoundPool(parts, KERNEL)
    problem = Problem(None, plan_choice(3_000, 5), dv.LowRank(rank=60), lambda: pool)
    dv.METHODS["das"]().select(problem)  # seven gammas
    assert max(len(cache) for cache in parts._caches) == 2


@pytest.mark.parametrize("content", [b"", b"not an array"], ids=["empty", "words"])
def test_a_file_that_is_no_array_is_named(content, tmp_path):
    (tmp_path / "fake.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"fake\.npy, which is no whole \.npy file"):
        dv.select(tmp_path / "fake.npy", 2)


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
