"""Every method picks what a slow reading of its definition picks, wherever it says it is sure."""

from __future__ import annotations

import warnings

import numpy as np
import oracle
import pools
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diverset as dv

NESTED = ["greedy-map", "greedy-trace", "farthest-point"]  # whose first picks do not depend on k
SPECTRAL = ["deterministic-kdpp", "derandomized", "leverage"]


def problem(pool, case):
    """X, K, and a k at which every method has something to decide."""
    X = case.prepare(pool.X)
    K = case.formula(X, X)
    rank = np.linalg.matrix_rank(K, tol=1e-11 * np.linalg.norm(K), hermitian=True)
    return X, K, max(1, min(pool.k, rank if rank == len(X) else rank - 1))


def select(X, k, **settings):
    """A selection; the warning at the numerical rank is the subject of other tests."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        return dv.select(X, k, **settings)


def sure(selection):
    """How many of the first picks the selection vouches for."""
    return len(selection) if selection.certified else selection.undecided


def trustworthy(K, picks):
    """How many picks double precision lets the oracle itself decide: K_CC must be invertible."""
    conditions = [np.linalg.cond(K[np.ix_(picks[:m], picks[:m])]) for m in range(1, len(picks))]
    return 1 + next((m for m, c in enumerate(conditions) if c > 1e10), len(conditions))


def plain(K, k, method, truth):
    """Whether nothing about this selection is delicate: it has to be certified."""
    if min(truth.leads) < 1e-5 or trustworthy(K, truth.indices) < k:
        return False
    values = np.linalg.eigvalsh(K)[::-1]
    after = values[k] / values[0] if k < len(K) else 0.0
    if method in SPECTRAL and k < len(K) and values[k - 1] / values[0] - after < 1e-6:
        return False
    if method in ("greedy-trace", "ridge-leverage"):
        return after > 1e-6
    if method == "derandomized":  # costs far above the rounding of the diagonal
        return after > 1e-6 and max(truth.gains) * np.diagonal(K).max() < 1e6
    if method == "das":  # noise of K is multiplied by 1 / (n gamma)
        return truth.gains[-1] > 1e-5 and values[0] < 1e3 * len(K)
    return truth.gains[-1] > 1e-8 * np.diagonal(K).max()


@pytest.mark.parametrize("method", oracle.METHODS)
@pytest.mark.parametrize("case", pools.KERNELS.values(), ids=pools.KERNELS)
def test_the_picks_are_those_of_the_definition(pool, case, method):
    X, K, k = problem(pool, case)
    found = select(X, k, kernel=case.kernel, method=method)
    truth = oracle.select(method, K, k, oracle.copies(X))
    agreed = min(sure(found), trustworthy(K, truth.indices))
    assert found[:agreed] == truth.indices[:agreed]
    if plain(K, k, method, truth):
        assert found.certified
        np.testing.assert_allclose(found.gains, truth.gains, rtol=1e-6)


def test_most_of_the_table_is_certified():
    """Else "equal wherever certified" would say little."""
    tried = certified = 0
    for pool in pools.POOLS.values():
        for case in list(pools.KERNELS.values())[::3]:
            X, _, k = problem(pool, case)
            for method in oracle.METHODS:
                tried += 1
                certified += select(X, k, kernel=case.kernel, method=method).certified
    assert certified > 0.8 * tried


@pytest.mark.parametrize("name", ["random", "clustered", "rank deficient", "badly scaled", "wide"])
@pytest.mark.parametrize("bandwidth", [0.9, 2.0, 4.5])
def test_on_the_projector_they_are_lapacks_pivoted_qr(name, bandwidth):
    pool = pools.POOLS[name]
    X = pool.X / pool.X.std()
    found = select(X, 8, kernel=dv.Gaussian(bandwidth))
    assert found.certified or name in ("wide", "badly scaled", "rank deficient")
    K = oracle.gaussian(X, X, bandwidth)
    assert found[: sure(found)] == oracle.pivoted_qr(K, 8)[: sure(found)]


@pytest.mark.parametrize("gamma", [3.0, 0.02, 1e-4])
def test_das_with_one_gamma_is_the_filtered_greedy(gamma):
    X = pools.POOLS["random"].X
    K = oracle.gaussian(X, X, 1.3)
    found = dv.select(X, 12, kernel=dv.Gaussian(1.3), method=dv.DAS(gamma=gamma))
    truth = oracle.das(K, 12, oracle.copies(X), oracle.Rules(60), [gamma])
    assert list(found) == truth.indices
    assert found.certified
    np.testing.assert_allclose(found.gains, truth.gains, rtol=1e-8)


def test_das_with_several_gammas_keeps_the_largest_determinant():
    X = pools.POOLS["clustered"].X
    several = dv.select(X, 10, kernel=dv.Gaussian(1.3), method=dv.DAS(gamma=[1.0, 0.01, 1e-4]))
    each = [
        dv.select(X, 10, kernel=dv.Gaussian(1.3), method=dv.DAS(gamma=gamma)) for gamma in (1.0, 0.01, 1e-4)
    ]
    assert len({tuple(one) for one in each}) > 1
    assert several.log_det == pytest.approx(max(one.log_det for one in each), rel=1e-12)


@pytest.mark.parametrize("gamma", [0.5, 0.003])
def test_ridge_leverage_takes_a_gamma(gamma):
    X = pools.POOLS["random"].X
    K = oracle.gaussian(X, X, 1.3)
    method = dv.TopRidgeLeverage(gamma=gamma)
    found = dv.select(X, 12, kernel=dv.Gaussian(1.3), method=method)
    rules = oracle.Rules(60)
    truth = oracle.ridge_leverage(K, 12, oracle.copies(X), rules, gamma)
    assert list(found) == truth.indices
    np.testing.assert_allclose(found.gains, truth.gains, rtol=1e-8)


@pytest.mark.parametrize("start", [0, 7, 33])
def test_farthest_point_starts_where_it_is_told(start):
    X = pools.POOLS["clustered"].X
    K = oracle.gaussian(X, X, 1.3)
    method = dv.FarthestPoint(start=start)
    found = dv.select(X, 10, kernel=dv.Gaussian(1.3), method=method)
    truth = oracle.farthest_point(K, 10, oracle.copies(X), oracle.Rules(60), start)
    assert list(found) == truth.indices


@pytest.mark.parametrize("method", NESTED)
@pytest.mark.parametrize("case", list(pools.KERNELS.values())[1::4], ids=repr)
def test_a_smaller_k_gives_the_first_picks_of_a_larger_one(pool, case, method):
    X, _, k = problem(pool, case)
    most = select(X, k, kernel=case.kernel, method=method)
    for fewer in {1, k // 2, k - 1} - {0}:
        found = select(X, fewer, kernel=case.kernel, method=method)
        assert list(found) == most[:fewer]
        np.testing.assert_allclose(found.gains, most.gains[:fewer], rtol=1e-9)


@pytest.mark.parametrize("method", SPECTRAL)
@pytest.mark.parametrize("bandwidth", [0.8, 2.0, 6.0])
def test_products_alone_give_the_same_picks_as_the_formed_matrix(method, bandwidth):
    X = pools.clustered(21, 700, 4, clusters=9, width=0.6)
    kernel = dv.Gaussian(bandwidth)
    dense = select(X, 24, kernel=kernel, method=method, solver="dense")
    for solver in ("block-krylov", dv.BlockKrylov(block=30)):
        krylov = select(X, 24, kernel=kernel, method=method, solver=solver)
        agreed = min(sure(dense), sure(krylov))
        assert krylov[:agreed] == dense[:agreed]
        assert agreed == 24 or bandwidth == 6.0  # there the spectrum ends before the 24th
        np.testing.assert_allclose(krylov.gains[:agreed], dense.gains[:agreed], rtol=1e-3)


def agree(one, other):
    """Whoever vouches for more picks must be right about all the others."""
    most = max(sure(one), sure(other))
    assert one[:most] == other[:most]


@pytest.mark.parametrize("method", SPECTRAL)
@pytest.mark.parametrize("seed", range(40))
def test_products_may_stop_early_but_not_too_early(seed, method):
    """Random pools, slow and fast decay, with and without a gap at the cut."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(150, 400)), int(rng.integers(1, 7)), int(rng.integers(3, 40))
    X = rng.standard_normal((n, d)) * rng.choice([0.3, 1.0, 3.0], d)
    X += 3.0 * rng.integers(0, 3, n)[:, None]
    width = float(rng.uniform(0.5, 8.0))
    kernel = [dv.Gaussian(width), dv.Matern(width), dv.Laplacian(width)][seed % 3]
    dense = select(X, k, kernel=kernel, method=method, solver="dense")
    for block in (None, k + 3):
        agree(dense, select(X, k, kernel=kernel, method=method, solver=dv.BlockKrylov(block=block)))


@pytest.mark.data
@pytest.mark.parametrize(("name", "k"), [("boston", 40), ("stock", 100), ("abalone", 100)])
def test_products_are_right_on_the_papers_data(name, k, load_paper):
    _, X, bandwidth = load_paper(name)
    kernel = dv.Gaussian(bandwidth)
    for method in SPECTRAL if name != "abalone" else ["derandomized"]:
        dense, krylov = (
            dv.select(X, k, kernel=kernel, method=method, solver=solver)
            for solver in ("dense", "block-krylov")
        )
        assert dense.certified
        agree(dense, krylov)


@pytest.mark.parametrize("method", SPECTRAL)
def test_products_never_formed_give_the_same_picks_too(method):
    X = pools.clustered(22, 400, 3, width=0.7)
    formed = dv.select(X, 15, kernel=dv.Laplacian(3.0), method=method, solver="block-krylov")
    never = dv.select(X, 15, kernel=dv.Laplacian(3.0), method=method, solver="block-krylov", memory=0)
    assert list(formed) == list(never)
    assert formed.certified
    assert never.certified


def one_at_a_time(B, k):
    """Plain greedy volume on the rows of B, without ties: modified Gram-Schmidt, no panel."""
    B, picks = B.copy(), []
    for _ in range(k):
        picks.append(int(np.argmax(np.sum(B**2, axis=1))))
        q = B[picks[-1]] / np.linalg.norm(B[picks[-1]])
        for _ in range(2):
            B -= np.outer(B @ q, q)
    return picks


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("d", [90, 150])
def test_pools_of_many_panels_give_the_plain_greedy(seed, d):
    """More items than a panel holds, and more picks than it predicts at once."""
    X = np.random.default_rng(seed).standard_normal((4000, d)) * np.logspace(0, -1, d)
    found = dv.select(X, 80, kernel=dv.Linear(), method="greedy-map")
    assert found.certified
    assert list(found) == one_at_a_time(X, 80)
    V = np.linalg.svd(X, full_matrices=False)[0][:, :80]
    found = dv.select(X, 80, kernel=dv.Linear())
    assert found.certified
    assert list(found) == one_at_a_time(V, 80)


@pytest.mark.parametrize("size", [2, 3, 7, 20])
@pytest.mark.parametrize("method", ["deterministic-kdpp", "das", "greedy-map", "leverage"])
@pytest.mark.parametrize("name", ["random", "clustered", "duplicated", "grid", "cube"])
def test_the_size_of_the_panel_changes_nothing(name, method, size, monkeypatch):
    pool = pools.POOLS[name]
    usual = select(pool.X, pool.k, kernel=dv.Matern(1.7), method=method)
    monkeypatch.setattr("diverset.greedy._PANEL", size)
    small = select(pool.X, pool.k, kernel=dv.Matern(1.7), method=method)
    agreed = min(sure(usual), sure(small))
    assert small[:agreed] == usual[:agreed]
    np.testing.assert_allclose(small.gains[:agreed], usual.gains[:agreed], rtol=1e-9)


rows = st.integers(1, 28).flatmap(
    lambda n: st.tuples(
        st.just(n), st.integers(1, 4), st.integers(1, n), st.integers(0, 10**6), st.integers(1, 40)
    )
)


@given(rows, st.sampled_from(sorted(oracle.METHODS)), st.sampled_from(sorted(pools.KERNELS)))
def test_any_small_pool_with_copies_and_ties(shape, method, kernel):
    """Rounded rows: the fewer the levels, the more copies and the more ties."""
    n, d, k, seed, levels = shape
    case = pools.KERNELS[kernel]
    X = np.random.default_rng(seed).integers(-levels, levels + 1, (n, d)) / 7.0
    X, K, k = problem(pools.Pool("", X, k), case)
    found = select(X, k, kernel=case.kernel, method=method)
    with np.errstate(all="ignore"):  # the oracle divides by what is left, up to nothing
        truth = oracle.select(method, K, k, oracle.copies(X))
    agreed = min(sure(found), trustworthy(K, truth.indices))
    assert found[:agreed] == truth.indices[:agreed]
