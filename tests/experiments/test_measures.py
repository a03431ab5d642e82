"""The shared pool against the library's own, slower ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import diverset as dv
from diverset.experiments import clocks
from diverset.experiments.contenders import CONTENDERS, contend
from diverset.experiments.kpca import projection
from diverset.experiments.measures import measure
from diverset.experiments.pool import SharedPool
from diverset.experiments.protocol import FAST

KS = (3, 12, 25)


@pytest.fixture(scope="module")
def pool() -> SharedPool:
    X = np.random.default_rng(1).normal(size=(180, 4)) * [1.0, 1.0, 0.5, 3.0]
    return SharedPool("made-up", X, 1.7, FAST)


@pytest.mark.parametrize("picks", [[0, 50, 99], list(range(0, 180, 9)), list(range(60))])
def test_measures_are_those_of_the_whole_matrix(pool: SharedPool, picks: list[int]) -> None:
    found = measure(pool, np.array(picks))
    K = pool.K.dense()
    C = np.array(picks)
    R = K - K[:, C] @ np.linalg.inv(K[np.ix_(C, C)] + 1e-12 * np.eye(len(C))) @ K[C]
    values = np.linalg.eigvalsh(K)[::-1]
    assert found.operator == pytest.approx(np.linalg.norm(R, 2) / values[0], rel=1e-5)
    assert found.max == pytest.approx(np.abs(R).max() / np.abs(K).max(), rel=1e-6)
    assert found.trace == pytest.approx(np.trace(R) / values[len(C) :].sum(), rel=1e-6)
    assert found.log_det == pytest.approx(np.log(np.linalg.svd(K[np.ix_(C, C)])[1]).sum(), rel=1e-9)


@pytest.mark.parametrize(
    "method",
    ["deterministic-kdpp", "derandomized", "greedy-trace", "greedy-map", "das", "leverage", "ridge-leverage"],
)
def test_shared_spectra_and_prefixes_pick_what_select_picks(pool: SharedPool, method: str) -> None:
    shared = contend(method, pool, KS)
    for k in KS:
        alone = dv.select(pool.X, k, kernel=dv.Gaussian(1.7), method=method)
        assert sorted(shared[k][0].tolist()) == sorted(alone), k


@pytest.mark.parametrize("method", ["uniform", "kdpp", "rpcholesky"])
def test_random_methods_repeat_under_their_seed_and_differ_between_repetitions(
    pool: SharedPool, method: str
) -> None:
    one, two = contend(method, pool, KS), contend(method, pool, KS)
    for k in KS:
        assert len(one[k]) == FAST.repetitions
        assert [C.tolist() for C in one[k]] == [C.tolist() for C in two[k]]
        assert all(len(set(C.tolist())) == k for C in one[k])
    assert len({tuple(C.tolist()) for C in one[25]}) == FAST.repetitions


def test_a_leading_spectrum_gives_the_numbers_of_the_whole_one(pool: SharedPool) -> None:
    part = SharedPool("made-up", pool.X, 1.7, replace(FAST, whole_up_to=100, leading=90))
    assert not part.pairs.whole
    C = np.arange(0, 180, 6)
    for got, want in zip(
        (measure(part, C).operator, measure(part, C).trace),
        (measure(pool, C).operator, measure(pool, C).trace),
        strict=True,
    ):
        assert got == pytest.approx(want, rel=1e-4)


def test_every_contender_is_timed(pool: SharedPool) -> None:
    seconds = clocks.clocked(pool, 5)
    assert set(CONTENDERS) <= set(seconds)
    assert all(s >= 0 for s in seconds.values())
    assert seconds["kdpp"] > seconds["all eigenpairs"] > 0


def test_components_reproduce_a_plane() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2)) * [3.0, 1.0]
    points, shares = projection(X @ X.T)
    X = X - X.mean(axis=0)
    np.testing.assert_allclose(points @ points.T, X @ X.T, atol=1e-9)
    assert shares.sum() == pytest.approx(1.0)
