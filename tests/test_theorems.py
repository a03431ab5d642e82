"""What mathematics promises about picks, gains, approximations and scores."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import oracle
import pools
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import solve_triangular

import diverset as dv

NORMS = ["operator", "max", "trace", "frobenius"]
SMOOTH = dv.Gaussian(1.4)


def dense_errors(K, K_hat):
    """||K - K_hat|| / ||K|| in every norm, from the full matrices."""
    measures = {
        "operator": lambda A: np.linalg.norm(A, 2),
        "max": lambda A: np.abs(A).max(),
        "trace": np.trace,
        "frobenius": np.linalg.norm,
    }
    return {name: float(of(K - K_hat) / of(K)) for name, of in measures.items()}


@pytest.mark.parametrize("bandwidth", [0.5, 1.4, 3.0])
@pytest.mark.parametrize("name", ["random", "clustered", "grid", "cube", "k is n"])
def test_the_log_gains_of_greedy_map_add_up_to_the_log_determinant(name, bandwidth):
    pool = pools.POOLS[name]
    picks = dv.select(pool.X, 8, kernel=dv.Gaussian(bandwidth), method="greedy-map")
    K = oracle.gaussian(pool.X, pool.X, bandwidth)
    expected = np.linalg.slogdet(K[np.ix_(list(picks), list(picks))])[1]
    assert np.log(picks.gains).sum() == pytest.approx(expected, abs=1e-7)
    assert picks.log_det == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", ["random", "clustered", "duplicated", "far from the origin"])
def test_leverage_scores_add_up_to_k(name):
    """They are the diagonal of a projector of rank k."""
    X = pools.POOLS[name].X
    k = 7
    spectrum = next(dv.Dense().leading(dv.kernel_matrix(X, SMOOTH), k))
    scores = np.sum(spectrum.vectors**2, axis=1)
    assert scores.sum() == pytest.approx(k, rel=1e-12)
    picks = dv.select(X, k, kernel=SMOOTH, method="leverage")
    np.testing.assert_allclose(picks.gains, np.sort(scores)[::-1][:k], rtol=1e-9)


@pytest.mark.parametrize("method", ["deterministic-kdpp", "das", "greedy-map", "farthest-point"])
def test_gains_never_rise(pool, method):
    K = oracle.gaussian(pool.X, pool.X, 1.4)
    rank = int(np.linalg.matrix_rank(K, tol=1e-8, hermitian=True))
    picks = dv.select(pool.X, min(pool.k, rank), kernel=SMOOTH, method=method)
    gains = picks.gains[1:] if method == "farthest-point" else picks.gains  # [0]: to the mean
    assert (np.diff(gains) <= 2e-9 * picks.gains.max()).all()


@pytest.mark.parametrize("method", ["deterministic-kdpp", "derandomized"])
def test_gains_of_the_projector_lie_between_zero_and_one(pool, method):
    rank = np.linalg.matrix_rank(oracle.gaussian(pool.X, pool.X, 1.4), tol=1e-8, hermitian=True)
    k = min(pool.k, int(rank))
    picks = dv.select(pool.X, k, kernel=SMOOTH, method="deterministic-kdpp")
    assert (picks.gains > 0).all()
    assert (picks.gains <= 1 + 1e-12).all()


# --- the bound of the derandomised k-DPP -----------------------------------------------------


def lost_trace(K, picks):
    """tr(K - K_hat), by Cholesky: a pseudo-inverse drops the directions that matter here."""
    C = list(picks)
    half = solve_triangular(np.linalg.cholesky(K[np.ix_(C, C)]), K[C], lower=True)
    return np.trace(K) - np.sum(half**2)


@pytest.mark.parametrize("case", pools.KERNELS.values(), ids=pools.KERNELS)
def test_derandomised_picks_lose_at_most_k_plus_one_times_the_best(pool, case):
    X = case.prepare(pool.X)
    K = case.formula(X, X)
    values = np.linalg.eigvalsh(K)[::-1]
    rank = int(np.sum(values > 1e-10 * values[0]))
    for k in {1, 2, min(pool.k, rank) // 2, min(pool.k, rank)} - {0}:
        if k <= min(rank, len(X)):
            picks = dv.select(X, k, kernel=case.kernel, method="derandomized")
            best = max(values[k:].sum(), 0.0)
            assert lost_trace(K, picks) <= (k + 1) * best + 1e-9 * np.trace(K)


@given(st.integers(2, 14), st.integers(1, 5), st.integers(0, 10**6), st.floats(0.2, 3.0), st.data())
def test_the_bound_holds_on_any_small_pool(n, d, seed, bandwidth, data):
    X = np.random.default_rng(seed).standard_normal((n, d))
    k = data.draw(st.integers(1, n - 1))
    K = oracle.gaussian(X, X, bandwidth)
    values = np.linalg.eigvalsh(K)[::-1]
    if values[k - 1] < 1e-9 * values[0]:
        return
    picks = dv.select(X, k, kernel=dv.Gaussian(bandwidth), method="derandomized")
    assert lost_trace(K, picks) <= (k + 1) * max(values[k:].sum(), 0) + 1e-10 * n


@pytest.mark.data
@pytest.mark.parametrize("name", ["boston", "stock"])
@pytest.mark.parametrize("k", [5, 20, 60])
def test_the_bound_holds_on_the_papers_data(name, k, load_paper):
    _, X, bandwidth = load_paper(name)
    K = dv.kernel_matrix(X, dv.Gaussian(bandwidth)).dense()
    values = np.linalg.eigvalsh(K)[::-1]
    picks = dv.select(X, k, kernel=dv.Gaussian(bandwidth), method="derandomized")
    assert lost_trace(K, picks) <= (k + 1) * values[k:].sum()
    assert lost_trace(K, picks) <= 3 * values[k:].sum()  # what it does in practice


# --- bounds by brute force -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_farthest_point_covers_within_twice_the_best_radius(seed, k):
    X = np.random.default_rng(seed).standard_normal((10, 2))
    K = oracle.gaussian(X, X, 1.1)
    distances = np.sqrt(np.maximum(np.diagonal(K)[:, None] + np.diagonal(K) - 2 * K, 0))

    def radius(C):
        return distances[:, list(C)].min(axis=1).max()

    best = min(radius(C) for C in combinations(range(10), k))
    picks = dv.select(X, k, kernel=dv.Gaussian(1.1), method="farthest-point")
    assert radius(picks) <= 2 * best + 1e-12


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_greedy_map_reaches_nemhausers_share_of_the_best_log_determinant(seed, k):
    """On I + K, log det is monotone and submodular: greedy gets 1 - 1/e of the best."""
    X = np.random.default_rng(seed).standard_normal((9, 2))
    L = np.eye(9) + 5.0 * oracle.gaussian(X, X, 1.1)

    def value(C):
        return np.linalg.slogdet(L[np.ix_(list(C), list(C))])[1]

    best = max(value(C) for C in combinations(range(9), k))
    picks = dv.select(L, k, kernel=dv.Precomputed(), method="greedy-map")
    assert value(picks) >= (1 - 1 / np.e) * best


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [2, 3])
def test_the_projector_volume_is_within_k_factorial_of_the_best(seed, k):
    """The greedy determinant is at least the best one over (k!)^2 (Civril and Magdon-Ismail)."""
    X = np.random.default_rng(seed).standard_normal((9, 2))
    K = oracle.gaussian(X, X, 1.1)
    V = oracle.leading(K, k)
    P = V @ V.T

    def volume(C):
        return np.linalg.det(P[np.ix_(list(C), list(C))])

    best = max(volume(C) for C in combinations(range(9), k))
    picks = dv.select(X, k, kernel=dv.Gaussian(1.1))
    assert volume(picks) >= best / {2: 2, 3: 6}[k] ** 2
    assert volume(picks) == pytest.approx(np.prod(picks.gains), rel=1e-9)


# --- Nystrom and the metrics -------------------------------------------------------------------


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-trace"])
@pytest.mark.parametrize("name", ["random", "clustered", "duplicated", "grid", "one feature"])
def test_nystrom_is_below_k_and_exact_where_it_was_picked(name, method):
    pool = pools.POOLS[name]
    picks = dv.select(pool.X, 6, kernel=SMOOTH, method=method)
    K = oracle.gaussian(pool.X, pool.X, 1.4)
    F = dv.Nystrom(pool.X, picks, kernel=SMOOTH).features(pool.X)
    left = K - F @ F.T
    assert np.linalg.eigvalsh(left).min() > -1e-9 * len(K)
    np.testing.assert_allclose(left[:, list(picks)], 0.0, atol=1e-8)
    np.testing.assert_allclose(left, oracle.leftover(K, list(picks)), atol=1e-8)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("eps", [None, 1e-12, 0.1])
@pytest.mark.parametrize("memory", [dv.kernels.MEMORY, 0])
@pytest.mark.parametrize("quality", [False, True])
def test_relative_error_without_the_matrix_equals_the_dense_one(norm, eps, memory, quality):
    X = pools.clustered(31, 150, 3, width=0.5)
    weights = np.linspace(0.5, 2.0, 150) if quality else None
    K = oracle.gaussian(X, X, 0.9)
    if quality:
        K = weights[:, None] * K * weights
    C = [3, 140, 77, 20, 51]
    lazy = dv.kernel_matrix(X, dv.Gaussian(0.9), memory=memory, quality=weights)
    K_CC = K[np.ix_(C, C)]
    inverse = np.linalg.pinv(K_CC) if eps is None else np.linalg.inv(K_CC + eps * np.eye(5))
    expected = dense_errors(K, K[:, C] @ inverse @ K[C])[norm]
    found = dv.metrics.relative_error(lazy, C, norm=norm, eps=eps)
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("eps", [1e-12, 1e-3, 0.7])
def test_nystrom_with_eps_inverts_the_shifted_block(eps):
    X = pools.POOLS["random"].X
    K = oracle.gaussian(X, X, 1.4)
    C = [5, 9, 40]
    F = dv.Nystrom(X, C, kernel=SMOOTH, eps=eps).features(X)
    expected = K[:, C] @ np.linalg.solve(K[np.ix_(C, C)] + eps * np.eye(3), K[C])
    np.testing.assert_allclose(F @ F.T, expected, atol=1e-10)


def test_nystrom_of_everything_is_everything():
    X = pools.POOLS["k is n"].X
    for norm in NORMS:
        error = dv.metrics.relative_error(X, range(9), kernel=dv.Gaussian(0.8), norm=norm)
        assert error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("scale", [1.0, 7.5])
def test_vendi_counts_the_items_that_share_nothing(scale):
    K = scale * np.kron(np.eye(3), np.ones((2, 2)))  # three pairs of copies
    assert dv.metrics.vendi_score(K) == pytest.approx(3.0)
    K = np.diag([2.0, 1.0, 1.0])
    assert dv.metrics.vendi_score(K) == pytest.approx(2.0**1.5)  # entropy 1.5 bits


def test_coverage_is_the_mean_likeness_to_the_nearest_pick():
    X = pools.POOLS["clustered"].X
    K = oracle.polynomial(X, X, 2, 0.3, 1.5)
    C = [4, 17, 30]
    alike = K[:, C] / np.sqrt(np.outer(np.diagonal(K), np.diagonal(K)[C]))
    kernel = dv.Polynomial(degree=2, gamma=0.3, coef0=1.5)
    assert dv.metrics.coverage(X, C, kernel=kernel) == pytest.approx(alike.max(axis=1).mean())


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_log_det_neither_overflows_nor_vanishes(scale):
    expected = 30 * np.log(scale) + np.log(np.arange(1.0, 31.0)).sum()
    assert dv.metrics.log_det(scale * np.diag(np.arange(1.0, 31.0))) == pytest.approx(expected)
    assert dv.metrics.log_det(np.zeros((2, 2))) == -np.inf
