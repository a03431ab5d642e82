"""Where a selection is sure, exact arithmetic picks the same, however close the call.

The pools here are made of near ties: rows that differ in the 4th to the 16th digit, eigenvalues
that almost coincide at the cut, rows far from the origin.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diverset as dv

TIE = Fraction(1, 10**9)


def pick(scores, taken, same):
    """The tie rule, on exact numbers."""
    left = [i for i in range(len(scores)) if i not in taken]
    largest = max(scores[i] for i in left)
    first = min(i for i in left if scores[i] >= largest * (1 - TIE))
    return min(i for i in left if same(i, first))


def exact_volume(M, k, same):
    """Greedy volume by elimination, without rounding if the entries of M have none."""
    M = [list(row) for row in M]
    n, picks = len(M), []
    for _ in range(k):
        p = pick([M[i][i] for i in range(n)], picks, same)
        picks.append(p)
        M = [[M[i][j] - M[i][p] * M[p][j] / M[p][p] for j in range(n)] for i in range(n)]
    return picks


def exact_derandomized(P, R, k, same):
    """Largest P_ii / R_ii, with P and R the projector and what is left of K, by elimination."""
    P, R = [list(row) for row in P], [list(row) for row in R]
    n, picks = len(P), []
    for _ in range(k):
        scores = [P[i][i] / R[i][i] if i not in picks else None for i in range(n)]
        p = pick(scores, picks, same)
        picks.append(p)
        a = [P[i][p] / P[p][p] for i in range(n)]
        R = [
            [R[i][j] - a[i] * R[p][j] - R[i][p] * a[j] + a[i] * a[j] * R[p][p] for j in range(n)]
            for i in range(n)
        ]
        P = [[P[i][j] - P[i][p] * P[p][j] / P[p][p] for j in range(n)] for i in range(n)]
    return picks


def exact_eigen(K):
    """Eigenvalues, largest first, and vectors of a matrix of doubles, to 50 digits."""
    values, V = mpmath.eigsy(mpmath.matrix(K.tolist()))
    order = sorted(range(len(K)), key=lambda a: -values[a])
    return [values[a] for a in order], [[V[i, a] for a in order] for i in range(len(K))]


def sum_over(values, V, columns):
    """sum_a values_a v_a v_a^T over these columns."""
    n = len(V)
    return [[sum(values[a] * V[i][a] * V[j][a] for a in columns) for j in range(n)] for i in range(n)]


@st.composite
def close_calls(draw, n=12, d=4):
    """Rows of which the second half are the first half, moved a little."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.standard_normal((n, d)) * np.logspace(0, -draw(st.integers(0, 4)), d)
    gap = 10.0 ** -draw(st.integers(4, 16))
    X[n // 2 :] = X[: n // 2] + gap * rng.standard_normal((n // 2, d))
    X += draw(st.sampled_from([0.0, 0.0, 10.0, 1e4]))
    return X[rng.permutation(n)]


def select(*args, **settings):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        return dv.select(*args, **settings)


def agree(found, exact):
    sure = len(found) if found.certified else found.undecided
    assert found[:sure] == exact[:sure]


@settings(max_examples=80)
@given(close_calls(), st.integers(1, 4))
def test_greedy_map_on_linear_rows(X, k):
    rows = [[Fraction(float(x)) for x in row] for row in X]
    K = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]
    found = select(X, k, kernel=dv.Linear(), method="greedy-map")
    agree(found, exact_volume(K, k, lambda i, j: rows[i] == rows[j]))


@settings(max_examples=40)
@given(close_calls(n=10, d=3), st.integers(1, 5))
def test_greedy_map_on_polynomials(X, k):
    rows = [[Fraction(float(x)) for x in row] for row in X]
    K = [[(sum(a * b for a, b in zip(x, y, strict=True)) / 2 + 3) ** 2 for y in rows] for x in rows]
    kernel = dv.Polynomial(degree=2, gamma=0.5, coef0=3.0)
    agree(
        select(X, k, kernel=kernel, method="greedy-map"),
        exact_volume(K, k, lambda i, j: rows[i] == rows[j]),
    )


@st.composite
def close_spectra(draw, n=8):
    """A kernel matrix whose eigenvalues almost coincide, at the cut or elsewhere."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    values = np.sort(rng.uniform(0.1, 2.0, n))[::-1]
    k = draw(st.integers(1, n - 2))
    values[k:] *= 0.5
    at = draw(st.sampled_from([k - 1, k - 1, max(k - 2, 0), k]))
    values[at + 1] = values[at] * (1 - 10.0 ** -draw(st.integers(2, 15)))
    values[at + 2 :] = np.minimum(values[at + 2 :], values[at + 1] * 0.9)
    K = (Q * values) @ Q.T
    return (K + K.T) / 2, k


@settings(max_examples=30)
@given(close_spectra())
@pytest.mark.parametrize("method", ["deterministic-kdpp", "leverage", "derandomized"])
@pytest.mark.parametrize("solver", ["dense", "block-krylov"])
def test_eigenvectors_near_a_tie_of_eigenvalues(method, solver, case):
    K, k = case
    found = select(K, k, kernel=dv.Precomputed(), method=method, solver=solver)
    with mpmath.workdps(50):
        values, V = exact_eigen(K)
        n = len(K)
        P = sum_over([1] * n, V, range(k))

        def same(i, j):
            return i == j

        if method == "deterministic-kdpp":
            exact = exact_volume(P, k, same)
        elif method == "derandomized":
            exact = exact_derandomized(P, sum_over(values, V, range(k, n)), k, same)
        else:
            exact = []
            for _ in range(k):
                exact.append(pick([P[i][i] for i in range(n)], exact, same))
    agree(found, exact)


def test_a_wide_gap_is_certified_and_a_closed_one_is_not():
    rng = np.random.default_rng(3)
    Q = np.linalg.qr(rng.standard_normal((9, 9)))[0]
    for gap, certified in [(1e-1, True), (1e-5, True), (1e-16, False)]:
        values = np.array([3.0, 2.0, 1.0, 1.0 - gap, 0.4, 0.3, 0.2, 0.1, 0.05])
        K = (Q * values) @ Q.T
        picks = dv.select((K + K.T) / 2, 3, kernel=dv.Precomputed())
        assert picks.certified is certified
        assert picks.gap == pytest.approx(gap, abs=1e-14)
