"""All eigenvalues of a symmetric matrix, and of its eigenvectors only those asked for.

# K = Q A Q^T  A is a band: b diagonals on either side of the main one, the rest is zero
# panels       Q as a product of blocks of reflectors I - V R^-1 V^T, each from row p on
# scaled       eigenvalues, ascending, of K times a power of two
# cluster      eigenvalues too close to be told apart: their vectors are computed together
# rows         the eigenvectors known so far, one per row; with room for more
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import frexp, ldexp
from typing import NamedTuple

import numpy as np
from scipy.linalg import eig_banded, eigh, lapack, solve_triangular

from .arrays import EPS, Bools, Floats, Ints, signs
from .threads import blas_for

_BAND = 32  # products with narrower blocks are slow; a wider band costs more for every vector
_STRIP = 256  # columns that are brought up to date in one go, so that they stay in cache
# Vectors of eigenvalues that are closer than this share of the largest one would differ by more
# than a thousandth from orthogonal ones if each were computed on its own.
_CLUSTER = 1000 * EPS


def positive(values: Floats, level: float) -> Bools:
    """Which eigenvalues (ascending) are more than rounding; `level` is relative to the largest."""
    return np.asarray(values > level * max(float(values[-1]), 0.0))


class Panel(NamedTuple):
    """Reflectors I - V R^-1 V^T of the rows from p on; R has 1/tau on its diagonal, V^T V above."""

    p: int
    V: Floats
    R: Floats


def band_form(A: Floats) -> tuple[Floats, list[Panel]]:
    """The diagonals 0..b of a band with the eigenvalues of A, and the way back. Overwrites A.

    With W = A V R^-1 - V S / 2, where S = R^-T V^T A V R^-1, the two-sided update of A by
    a block of reflectors is A - V W^T - W V^T. It is done on the strips' lower parts only.
    """
    n = len(A)
    b = min(_BAND, max(n - 1, 1))
    panels = []
    for p in range(b, n - 1, b):
        QR, tau, _, _ = lapack.dgeqrf(A[p:, p - b : p])
        A[p:, p - b : p] = np.triu(QR)
        V = np.asfortranarray(np.tril(QR[:, : len(tau)], -1))
        np.fill_diagonal(V, 1.0)
        R = np.triu(V.T @ V, 1)
        with np.errstate(divide="ignore"):  # tau = 0 stands for no reflection
            np.fill_diagonal(R, 1 / tau)
        edges = [p, *range(p - p % _STRIP + _STRIP, n, _STRIP), n]
        strips = list(pairwise(edges))
        W = np.zeros_like(V)
        for start, stop in strips:  # A V from the lower part of a symmetric A
            strip = A[start:, start:stop]
            W[start - p :] += strip @ V[start - p : stop - p]
            W[start - p : stop - p] += strip[stop - start :].T @ V[stop - p :]
        W = solve_triangular(R, W.T, trans="T", check_finite=False).T
        W = W - V @ (solve_triangular(R, V.T @ W, trans="T", check_finite=False) / 2)
        left, right = np.hstack([V, W]), np.hstack([W, V])
        for start, stop in strips:
            A[start:, start:stop] -= left[start - p :] @ right[start - p : stop - p].T
        panels.append(Panel(p, V, R))
    band = np.zeros((b + 1, n))
    for offset in range(min(b + 1, n)):
        band[offset, : n - offset] = A.diagonal(-offset)
    return band, panels


class SymmetricEigen:
    """Eigenpairs of a dense symmetric positive semi-definite K, ascending, vectors on demand.

    K is brought to band form by products of matrices: 4/3 n^3 operations, as in LAPACK's reduction
    to three diagonals, which waits for memory half of the time. The band gives all eigenvalues in
    O(n^2), and by inverse iteration any vector in O(n^2); vectors are kept. Equivalent to
    `scipy.linalg.eigh(K)`: take it when few of the vectors are needed, but it is not known
    beforehand which. K is not written to.

    >>> pairs = SymmetricEigen(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> pairs.values
    array([1., 3.])
    >>> np.abs(pairs.vectors([1]))
    array([[0.70710678],
           [0.70710678]])
    """

    def __init__(self, K: Floats) -> None:
        self.n = n = len(K)
        # A power of two takes the scale away without rounding, so that no scale can overflow.
        exponent = frexp(float(np.diagonal(K).max()))[1]
        unit = ldexp(1.0, min(max(-exponent, -1000), 1000))
        with blas_for(n**3):
            self._band, self._panels = band_form(np.asfortranarray(np.multiply(K.T, unit)))
            scaled: Floats = eig_banded(self._band, lower=True, eigvals_only=True, check_finite=False)
        self._scaled = scaled
        self.lowest = float(scaled[0]) / unit  # as computed: what tells an indefinite matrix
        kept = positive(scaled, 8 * n * EPS)
        self.rank = int(kept.sum())
        self.values: Floats = np.where(kept, scaled / unit, 0.0)
        self._top = float(np.abs(scaled).max()) or 1.0
        self._cluster: Ints = np.cumsum(np.diff(scaled, prepend=-np.inf) > _CLUSTER * self._top)
        self._place: Ints = np.full(n, -1, dtype=np.int64)
        self._rows: Floats = np.empty((0, n))
        self.known = 0  # how many vectors have been computed

    def vectors(self, indices: Ints | list[int], likely: Callable[[], Ints] | None = None) -> Floats:
        """Orthonormal eigenvectors of these eigenvalues, as columns.

        ``likely`` is asked, when some are missing, which others are worth computing with them.
        """
        indices = np.asarray(indices, dtype=np.int64)
        missing = self._place[indices] < 0
        if missing.any():
            wanted = np.zeros(self.n, dtype=bool)
            wanted[indices[missing]] = True
            if likely is not None:
                wanted[likely()] = True
            self._learn(wanted)
        return self._rows[self._place[indices]].T

    def _learn(self, wanted: Bools) -> None:
        """Compute these vectors, and with each the rest of its cluster."""
        wanted = np.bincount(self._cluster, weights=wanted)[self._cluster] > 0
        new = np.flatnonzero(wanted & (self._place < 0))
        with blas_for(self.n**2 * len(new)):
            Z = self._inverse_iteration(new)
            if Z is not None:
                V = self._back(Z)
                rows = self._rows[: self.known]
                V -= rows.T @ (rows @ V)
                V, R = np.linalg.qr(V)
                # what was found on its own has to be new; once is then enough to make it orthogonal
                if float(np.abs(R.diagonal()).min()) > 0.5:
                    return self._keep(new, V)
            self.known = 0
            return self._keep(np.arange(self.n), self._back(self._everything()))

    def _keep(self, new: Ints, V: Floats) -> None:
        total = self.known + len(new)
        if total > len(self._rows):
            larger = np.empty((min(max(total, 2 * self.known), self.n), self.n))
            larger[: self.known] = self._rows[: self.known]
            self._rows = larger
        self._rows[self.known : total] = V.T
        self._place[new] = np.arange(self.known, total)
        self.known = total

    def _back(self, Z: Floats) -> Floats:
        """Q Z: from vectors of the band to vectors of K. Overwrites Z."""
        for p, V, R in reversed(self._panels):
            Z[p:] -= V @ solve_triangular(R, V.T @ Z[p:], check_finite=False)
        return Z

    def _inverse_iteration(self, new: Ints) -> Floats | None:
        """Vectors of the band for whole clusters; None where taking all at once is better."""
        if 2 * len(new) > self.n:
            return None
        Z = np.empty((self.n, len(new)), order="F")
        for run in np.split(np.arange(len(new)), np.flatnonzero(np.diff(self._cluster[new])) + 1):
            values = self._scaled[new[run]]
            solve = self._shifted(float(values[0]) - 4 * EPS * self._top)
            X = signs(self.n, len(run))
            for _ in range(3):
                X, R = np.linalg.qr(solve(X))
            if len(run) == 1:
                # of y = (A - shift I)^-1 x, the residual is |x| / |y|
                residual = 1 / abs(float(R[0, 0]))
            else:
                AX = self._times(X)
                _, turn = np.linalg.eigh(X.T @ AX)
                X = X @ turn
                residual = float(np.abs(AX @ turn - X * values).max())
            if not residual < 1e-13 * self._top:
                return None
            Z[:, run] = X
        return Z

    def _shifted(self, shift: float) -> Callable[[Floats], Floats]:
        """The inverse of (band - shift I), factorised."""
        b = len(self._band) - 1
        M = np.zeros((3 * b + 1, self.n), order="F")
        for offset in range(b + 1):
            M[2 * b + offset] = self._band[offset]
            M[2 * b - offset, offset:] = self._band[offset, : self.n - offset]
        M[2 * b] -= shift
        lu, pivots, _ = lapack.dgbtrf(M, b, b, overwrite_ab=1)
        diagonal = lu[2 * b]
        diagonal[diagonal == 0] = EPS * EPS * self._top
        return lambda X: np.asarray(lapack.dgbtrs(lu, b, b, X, pivots)[0])

    def _times(self, X: Floats) -> Floats:
        """The band times X."""
        AX = self._band[0, :, None] * X
        for offset in range(1, len(self._band)):
            diagonal = self._band[offset, : self.n - offset, None]
            AX[offset:] += diagonal * X[: self.n - offset]
            AX[: self.n - offset] += diagonal * X[offset:]
        return AX

    def _everything(self) -> Floats:
        """All vectors of the band at once."""
        A = np.zeros((self.n, self.n), order="F")
        for offset, diagonal in enumerate(self._band):
            np.fill_diagonal(A[offset:], diagonal)
        return np.asarray(eigh(A, lower=True, driver="evd", check_finite=False)[1])


class FactorEigen:
    """Eigenpairs of B B^T from the singular values of B (n, d): the n x n matrix is never formed.

    >>> pairs = FactorEigen(np.array([[3.0], [4.0]]))
    >>> pairs.values, pairs.rank
    (array([25.]), 1)
    """

    def __init__(self, B: Floats) -> None:
        self.n = len(B)
        # squares of the singular values must neither overflow nor vanish
        unit = ldexp(1.0, frexp(float(np.abs(B).max(initial=0.0)))[1])
        with blas_for(B.size * min(B.shape)):
            U, singular, _ = np.linalg.svd(B / unit, full_matrices=False)
        singular = singular[::-1]
        kept = positive(singular, 8 * max(B.shape) * EPS)
        self.rank = int(kept.sum())
        self.lowest = 0.0
        with np.errstate(divide="ignore"):
            self.log_values: Floats = 2 * np.log(np.where(kept, singular, 0.0)) + 2 * np.log(unit)
        self.values: Floats = np.where(kept, singular * unit, 0.0) ** 2
        self._U = U[:, ::-1]

    def vectors(
        self,
        indices: Ints | list[int],
        likely: Callable[[], Ints] | None = None,
    ) -> Floats:
        """Orthonormal eigenvectors of these eigenvalues, as columns."""
        return np.asarray(self._U[:, indices])
