"""Eigenvectors computed a few at a time are as good as those computed all at once."""

from __future__ import annotations

import numpy as np
import pytest

from diverset.eigen import FactorEigen, SymmetricEigen

N = 120
NORMAL = np.random.default_rng(0).normal(size=(N, N))
Q, _ = np.linalg.qr(NORMAL)


def with_values(values):
    K = (Q * values) @ Q.T
    return (K + K.T) / 2


def glued():
    """Ten Wilkinson matrices, hardly connected: every eigenvalue nearly twenty times."""
    block = np.diag(np.abs(np.arange(-6.0, 6.0))) + np.eye(12, k=1) + np.eye(12, k=-1)
    K = np.kron(np.eye(10), block)
    for edge in range(12, N, 12):
        K[edge, edge - 1] = K[edge - 1, edge] = 1e-14
    return K + 3 * np.eye(N)


MATRICES = {
    "random": NORMAL @ NORMAL.T,
    "identity": 2.5 * np.eye(N),
    "zero": np.zeros((N, N)),
    "constant": np.full((N, N), 0.3),
    "diagonal": np.diag(np.arange(1.0, N + 1)),
    "equal blocks": np.kron(np.eye(6), NORMAL[:20, :20] @ NORMAL[:20, :20].T),
    "copied items": np.kron(np.ones((6, 6)), NORMAL[:20, :20] @ NORMAL[:20, :20].T),
    "identity and one more": np.eye(N) + np.outer(NORMAL[0], NORMAL[0]),
    "projection": Q[:, :40] @ Q[:, :40].T,
    "quick decay": with_values(10.0 ** -np.linspace(0, 20, N)),
    "glued": glued(),
    **{
        f"gaps of {gap}": with_values(np.r_[np.linspace(0.1, 0.5, 60), 0.7 + gap * np.arange(60)])
        for gap in (1e-16, 1e-13, 1e-12, 1e-10, 1e-6)
    },
    "tiny scale": NORMAL @ NORMAL.T * 1e-300,
    "huge scale": NORMAL @ NORMAL.T * 1e297,
}
matrices = pytest.mark.parametrize("K", MATRICES.values(), ids=MATRICES.keys())


@matrices
@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("corner", [34, 256], ids=["in a corner first", "at once"])
def test_vectors_asked_for_in_any_order_are_orthonormal_eigenvectors(K, batch, corner, monkeypatch):
    monkeypatch.setattr("diverset.eigen._REACH", corner)
    order = np.random.default_rng(batch).permutation(N)[:84]
    pairs = SymmetricEigen(K)
    for start in range(0, len(order), batch):
        pairs.vectors(order[start : start + batch])
    V = pairs.vectors(order)
    assert np.abs(V.T @ V - np.eye(len(order))).max() < 1e-12
    scale = max(float(pairs.values[-1]), 1e-320)
    residual = (K / scale) @ V - V * (pairs.values[order] / scale)
    assert np.abs(residual).max() < 1e-12


@matrices
def test_values_are_those_of_a_full_decomposition(K):
    pairs = SymmetricEigen(K)
    exact = np.linalg.eigvalsh(K)
    assert np.abs(pairs.values - exact).max() <= 8 * N * 2.3e-16 * max(exact[-1], 0.0)
    assert pairs.rank == np.sum(exact > 8 * N * np.finfo(float).eps * exact[-1])


@pytest.mark.parametrize("n", [1, 2, 3, 64, 65, 66, 129])
def test_every_size_around_the_blocks(n):
    K = NORMAL @ NORMAL.T if n > N else NORMAL[:n] @ NORMAL[:n].T
    if n > N:
        K = np.kron(np.eye(2), K)[:n, :n]
    V = SymmetricEigen(K).vectors(np.arange(n))
    assert np.abs(V.T @ V - np.eye(n)).max() < 1e-12
    assert np.abs(V.T @ K @ V - np.diag(np.linalg.eigvalsh(K))).max() < 1e-11 * np.trace(K)


def test_only_the_vectors_asked_for_are_computed():
    pairs = SymmetricEigen(MATRICES["random"])
    pairs.vectors([3, 100])
    assert pairs.known == 2
    pairs.vectors([100, 3])
    assert pairs.known == 2
    pairs.vectors([3, 5], likely=lambda: np.array([3, 7, 8]))
    assert pairs.known == 5


def test_vectors_of_large_eigenvalues_are_found_in_a_corner_of_the_band():
    X = np.random.default_rng(3).normal(size=(700, 3))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
    pairs = SymmetricEigen(K)
    V = pairs.vectors(np.arange(640, 700))
    assert pairs._reach[640] < 500
    assert pairs._reach[699] == 256
    assert np.abs(V.T @ V - np.eye(60)).max() < 1e-13
    assert np.abs(K @ V - V * pairs.values[640:]).max() < 1e-13 * pairs.values[-1]


def test_a_cluster_is_computed_as_a_whole_and_once():
    pairs = SymmetricEigen(MATRICES["equal blocks"])  # every eigenvalue six times
    pairs.vectors([N - 1])
    assert pairs.known == 6
    pairs.vectors([N - 4, N - 8])
    assert pairs.known == 12


def test_where_most_vectors_are_wanted_all_are_computed_at_once():
    pairs = SymmetricEigen(MATRICES["random"])
    pairs.vectors(np.arange(70))
    assert pairs.known == N


def test_a_shift_that_hits_an_eigenvalue_still_gives_its_vector():
    pairs = SymmetricEigen(np.diag(2.0 ** np.arange(8)))
    solved = pairs._band.shifted(float(pairs._scaled[3]), 8, 1e-30)(np.ones((8, 1)))
    assert np.isfinite(solved).all()
    assert np.argmax(np.abs(solved)) == 3


def test_what_is_likely_is_not_asked_for_when_nothing_is_missing():
    pairs = SymmetricEigen(MATRICES["random"])
    pairs.vectors([3])
    pairs.vectors([3], likely=lambda: pytest.fail("asked"))


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_matrix_is_not_written_to(order):
    K = np.array(MATRICES["random"], order=order)
    before = K.copy()
    K.flags.writeable = False
    SymmetricEigen(K).vectors([0, 5])
    assert np.array_equal(K, before)


@pytest.mark.parametrize("shape", [(50, 4), (4, 4), (5, 9), (30, 1)])
@pytest.mark.parametrize("scale", [1e-140, 0.3, 1e140])
def test_a_factor_has_the_pairs_of_its_gram_matrix(shape, scale):
    B = np.random.default_rng(1).normal(size=shape) * scale
    pairs = FactorEigen(B)
    assert pairs.rank == min(shape)
    V = pairs.vectors(np.arange(min(shape)))
    assert np.abs(V.T @ V - np.eye(min(shape))).max() < 1e-12
    unit = B / scale
    assert np.abs((V * (pairs.values / scale / scale)) @ V.T - unit @ unit.T).max() < 1e-12 * 50
    assert np.allclose(np.exp(pairs.log_values - 2 * np.log(scale)), pairs.values / scale / scale)
