"""By rounds, over parts of any shape, every method picks what it picks from rows in one place."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pools
import pytest

import diverset as dv
from diverset.choice import plan_choice
from diverset.methods import Problem
from diverset.methods.base import BY_ROUNDS
from diverset.rounds import predicted, ratio
from diverset.rounds.parts import LocalParts
from diverset.rounds.pool import RoundPool
from diverset.rounds.tasks import Bounds, bounds_behind, foremost

N = 240
X = pools.clustered(5, N, 3, clusters=9, width=0.4)
KERNEL = dv.Gaussian(2.0)
SPECTRAL = [method for method in BY_ROUNDS if method != "greedy-map"]


class Forgetful(LocalParts):
    """Parts whose workers are lost after every round."""

    def ask(self, task, message, along=None):
        self._caches = [{} for _ in self.sizes]
        return super().ask(task, message, along)


def chunked(rows, kind=LocalParts, pieces=7):
    """Parts of uneven sizes, some of one row and some empty."""
    n = rows.shape[0]
    cuts = np.sort(np.random.default_rng(pieces).integers(0, n + 1, pieces - 1))
    edges = np.concatenate([[0], cuts, cuts[-1:], [n]]) if pieces > 1 else np.array([0, n])
    return kind(rows, edges.astype(np.int64))


def by_rounds(parts, k, method, kernel=KERNEL, solver=None, quality=None, **rules):
    """The outcome of a method that sees the pool in parts alone."""
    n = int(parts.sizes.sum())
    pool = RoundPool(parts, kernel, quality=quality)
    solver = "auto" if method == "greedy-map" else solver or dv.LowRank(rank=n)
    problem = Problem(None, plan_choice(n, k, **rules), solver, lambda: pool)
    return dv.METHODS[method]().select(problem), pool


@pytest.mark.parametrize("pieces", [1, 2, 7, 64])
@pytest.mark.parametrize("method", BY_ROUNDS)
def test_the_picks_are_those_of_rows_in_one_place(method, pieces):
    here = dv.select(X, 25, kernel=KERNEL, method=method)
    there, _ = by_rounds(chunked(X, pieces=pieces), 25, method)
    assert here.certified
    assert there.picks.tolist() == list(here)
    np.testing.assert_allclose([d.gain for d in there.decisions], here.gains, rtol=1e-5)
    np.testing.assert_allclose([d.margin for d in there.decisions], here.margins, rtol=1e-4, atol=1e-8)


RULES = {
    "include": {"include": [3, 100], "exclude": [0, 1, 2]},
    "exclude": {"exclude": list(range(0, N, 2))},
    "groups": {"groups": np.arange(N) % 5, "quota": {0: 1, 1: 2, 2: 0, 3: 9}},
    "quality": {"quality": np.exp(np.random.default_rng(4).normal(size=N))},
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("method", BY_ROUNDS)
def test_rules_hold_by_rounds_too(method, rules):
    here = dv.select(X, 12, kernel=KERNEL, method=method, **rules)
    there, _ = by_rounds(chunked(X), 12, method, **rules)
    assert there.picks.tolist() == list(here)


@pytest.mark.parametrize("method", BY_ROUNDS)
def test_a_lost_cache_changes_nothing_but_the_time(method):
    kept, pool = by_rounds(chunked(X), 20, method)
    lost, again = by_rounds(chunked(X, Forgetful), 20, method)
    assert lost.picks.tolist() == kept.picks.tolist()
    assert pool.rounds == again.rounds


TIES = {
    "grid": (pools.grid(12), dv.Gaussian(2.0)),
    "duplicated": (pools.duplicated(1, 200, 4), dv.Gaussian(1.5)),
    "identity": (np.eye(40), dv.Gaussian(1.0)),
    "two values": (np.tile([[0.0], [1.0]], (25, 1)), dv.Laplacian(1.0)),
    "rank one": (np.outer(np.arange(1.0, 41.0), [1.0, -2.0]), dv.Linear()),
}


@pytest.mark.parametrize("name", TIES)
@pytest.mark.parametrize("method", BY_ROUNDS)
def test_ties_go_to_the_lowest_row_however_the_pool_is_cut(name, method):
    rows, kernel = TIES[name]
    found = []
    for pieces in (1, 2, 7):
        outcome, _ = by_rounds(chunked(rows, pieces=pieces), 8, method, kernel=kernel)
        found.append((outcome.picks.tolist(), int(np.logical_and.accumulate(outcome.clear).sum())))
    boldest, sure = max(found, key=lambda one: one[1])
    assert all(picks[:sure] == boldest[:sure] for picks, _ in found)
    if method == "greedy-map":
        here = one_place(rows, 8, kernel)
        assert here[:sure] == boldest[:sure]


def one_place(rows, k, kernel):
    """The picks of greedy MAP in memory; these pools may have fewer than k directions."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        return list(dv.select(rows, k, kernel=kernel, method="greedy-map"))


@pytest.mark.parametrize("kernel", pools.KERNELS.values(), ids=pools.KERNELS)
def test_every_kernel_goes_by_rounds(kernel):
    rows = kernel.prepare(pools.POOLS["clustered"].X)
    resolved = dv.kernels.as_kernel(kernel.kernel).resolve(rows)
    there, _ = by_rounds(chunked(rows), 8, "greedy-map", kernel=resolved)
    sure = int(np.logical_and.accumulate(there.clear).sum())
    assert there.picks.tolist()[:sure] == one_place(rows, 8, kernel.kernel)[:sure]
    assert sure >= min(8, np.linalg.matrix_rank(resolved(rows)))


@pytest.mark.parametrize("method", ["greedy-map", "greedy-trace", "derandomized"])
def test_a_round_serves_many_picks(method):
    rows = np.random.default_rng(3).standard_normal((5000, 6))
    _, pool = by_rounds(chunked(rows), 60, method, kernel=dv.Gaussian(1.0), solver=dv.LowRank(rank=300))
    landmarks = 0 if method == "greedy-map" else 6
    assert pool.rounds - landmarks < 60 / 3


@pytest.mark.parametrize("rules", [{}, *RULES.values()], ids=["free", *RULES])
@pytest.mark.parametrize("method", ["greedy-trace", "derandomized"])
def test_wrong_predictions_are_put_right(method, rules, monkeypatch):
    """With two rows of each part to predict from, most predictions are wrong, and the picks are the same."""
    right, pool = by_rounds(chunked(X, pieces=2), 20, method, **rules)
    before = pool.rounds
    monkeypatch.setattr(predicted, "_PANEL", 1)
    monkeypatch.setattr(predicted, "_MANY", 1)
    monkeypatch.setattr(ratio, "STRETCH", 50)  # and the rows of a part are followed a few at a time
    poor, pool = by_rounds(chunked(X, pieces=2), 20, method, **rules)
    assert poor.picks.tolist() == right.picks.tolist()
    np.testing.assert_allclose([d.gain for d in poor.decisions], [d.gain for d in right.decisions], rtol=1e-6)
    assert pool.rounds > before + (0 if "groups" in rules else 2)  # else they were right


def test_bounds_are_those_of_the_rows_that_stay_behind():
    rng = np.random.default_rng(0)
    for _ in range(200):
        scores = rng.integers(0, 6, rng.integers(1, 40)).astype(float)
        edges = np.unique(np.concatenate([[0], rng.integers(0, len(scores), 3), [len(scores)]]))
        seen, found = [], []
        for a, b in pairwise(edges.tolist()):
            ahead = foremost(scores[a:b], int(rng.integers(1, 5)))
            seen += (a + ahead).tolist()
            found.append(bounds_behind(scores[a:b], scores[a:b], ahead, a))
        bounds = Bounds.joined(found)
        unseen = np.setdiff1d(np.arange(len(scores)), seen)
        assert bounds.largest == scores[unseen].max(initial=-np.inf)
        for pick in seen:
            earlier, later = bounds.around(pick)
            assert earlier >= scores[unseen[unseen < pick]].max(initial=-np.inf)
            assert later >= scores[unseen[unseen > pick]].max(initial=-np.inf)
        first = int(np.argmax(scores))  # of all that tie: nothing that ties stayed behind before it
        assert bounds.around(first)[0] < scores[first]


@pytest.mark.parametrize("method", ["greedy-trace", "derandomized"])
def test_rows_that_stay_behind_make_no_pick_more_certain(method, monkeypatch):
    """Near copies have noise of their own, seen or not."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows = np.repeat(rng.normal(size=(40, 3)), 8, axis=0)
        rows += 10.0 ** rng.uniform(-7, -2, (320, 1)) * rng.normal(size=(320, 3))
        sure = []
        for few in (3, 1000):
            monkeypatch.setattr(predicted, "_share", lambda _, few=few: few)
            found, _ = by_rounds(chunked(rows, pieces=3), 20, method, solver=dv.LowRank(rank=120))
            sure.append(int(np.logical_and.accumulate(found.clear).sum()))
        assert sure[0] <= sure[1]


@pytest.mark.parametrize("method", ["greedy-trace", "derandomized"])
def test_the_scale_of_K_changes_nothing(method):
    """Powers of two change no digit: the same picks, decided as far; and never a copy of a pick."""
    rows = np.repeat(np.random.default_rng(0).normal(size=(60, 8)), 5, axis=0)
    found = []
    for scale in (1.0, 2.0**-40, 2.0**40):
        outcome, _ = by_rounds(chunked(rows * scale), 8, method, kernel=dv.Linear())
        assert len({pick // 5 for pick in outcome.picks.tolist()}) == 8
        found.append((outcome.picks.tolist(), outcome.clear.tolist()))
    assert found[0] == found[1] == found[2]


def test_copies_and_small_rows_may_come_first():
    rows = X.copy()
    rows[1] = rows[0]
    rows[7] = 1e-9
    for rules in ({"include": [0, 1]}, {"include": [7]}):
        for kernel in (KERNEL, dv.Linear()):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Only .* items add anything new")
                here = dv.select(rows, 6, kernel=kernel, method="greedy-map", **rules)
            there, _ = by_rounds(chunked(rows), 6, "greedy-map", kernel=kernel, **rules)
            made = int((here.gains > 0).sum()) if here.stop is dv.Stop.RANK else 6
            assert there.picks.tolist()[:made] == list(here)[:made]
            assert len(there.picks) == (6 if here.stop is dv.Stop.COMPLETE else made + (0 in here.gains[:2]))


@pytest.mark.parametrize("method", [method for method in BY_ROUNDS if "leverage" not in method])
def test_ties_with_rows_that_stayed_where_they_are_are_decided(method):
    """Every row of a grid has its copies elsewhere, more than the driver ever sees."""
    rows = np.tile(pools.grid(5), (400, 1))
    kernel = dv.Gaussian(1.0)
    there, _ = by_rounds(chunked(rows), 6, method, kernel=kernel, solver=dv.LowRank(rank=25))
    alone, _ = by_rounds(LocalParts(rows[:25]), 6, method, kernel=kernel, solver=dv.LowRank(rank=25))
    sure = int(np.logical_and.accumulate(there.clear).sum())
    assert there.picks.tolist()[:sure] == alone.picks.tolist()[:sure]
    if method == "greedy-map":
        assert sure == 6


def test_sparse_rows_and_given_matrices_go_by_rounds():
    from scipy.sparse import random_array

    rows = random_array((400, 60), density=0.1, rng=np.random.default_rng(0), format="csr")
    here = dv.select(rows, 10, kernel=dv.Gaussian(1.0))
    there = dv.select(rows, 10, kernel=dv.Gaussian(1.0), solver=dv.LowRank(rank=400))
    assert list(here) == list(there)
    K = dv.Gaussian(1.0)(rows)
    given = dv.select(K, 10, kernel=dv.Precomputed(), solver=dv.LowRank(rank=400))
    assert list(given) == list(here)
