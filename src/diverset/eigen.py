"""All eigenvalues of a symmetric matrix, and of its eigenvectors only those asked for.

# K = Q A Q^T  A is a band: b diagonals on either side of the main one, the rest is zero
# panels       Q as a product of blocks of reflectors (see band.py)
# scaled       eigenvalues, ascending, of K times a power of two
# cluster      eigenvalues too close to be told apart: their vectors are computed together
# rows         the eigenvectors known so far, one per row; with room for more
"""

from __future__ import annotations

from collections.abc import Callable
from math import frexp, ldexp

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular

from .arrays import EPS, Bools, Floats, Ints, signs
from .band import BAND, back, band_form
from .threads import blas_for

# Vectors of eigenvalues that are closer than this share of the largest one would differ by more
# than a thousandth from orthogonal ones if each were computed on its own.
_CLUSTER = 1000 * EPS
_REACH = 256  # rows of the band that a vector is looked for in first


def positive(values: Floats, level: float) -> Bools:
    """Which eigenvalues (ascending) are more than rounding; `level` is relative to the largest."""
    return np.asarray(values > level * max(float(values[-1]), 0.0))


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
            self._band, self._panels = band_form(K, unit)
            scaled = self._band.values()
        self._scaled = scaled
        self.lowest = float(scaled[0]) / unit  # as computed: what tells an indefinite matrix
        kept = positive(scaled, 8 * n * EPS)
        self.rank = int(kept.sum())
        self.values: Floats = np.where(kept, scaled / unit, 0.0)
        self._top = float(np.abs(scaled).max()) or 1.0
        self._cluster: Ints = np.cumsum(np.diff(scaled, prepend=-np.inf) > _CLUSTER * self._top)
        self._place: Ints = np.full(n, -1, dtype=np.int64)
        self._rows: Floats = np.empty((0, n))
        # The reduction begins with the first rows, as block Lanczos does: vectors of large eigenvalues
        # are zero, to rounding, from some row of the band on. The smaller the value, the later the row.
        self._reach: Ints = np.full(n, min(n, _REACH), dtype=np.int64)
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
                V = back(self._panels, Z, int(self._reach[new].max()))
                rows = self._rows[: self.known]
                V -= rows.T @ (rows @ V)
                orthonormal = _orthonormal_rows(V)
                if orthonormal is not None:
                    return self._keep(new, orthonormal)
            self.known = 0
            _, Z = eigh(self._band.dense(), lower=True, driver="evd", check_finite=False)
            return self._keep(np.arange(self.n), back(self._panels, Z, self.n).T)

    def _keep(self, new: Ints, rows: Floats) -> None:
        total = self.known + len(new)
        if total > len(self._rows):
            larger = np.empty((min(max(total, 2 * self.known), self.n), self.n))
            larger[: self.known] = self._rows[: self.known]
            self._rows = larger
        self._rows[self.known : total] = rows
        self._place[new] = np.arange(self.known, total)
        self.known = total

    def _inverse_iteration(self, new: Ints) -> Floats | None:
        """Vectors of the band for whole clusters; None where taking all at once is better."""
        if 2 * len(new) > self.n:
            return None
        Z = np.zeros((self.n, len(new)), order="F")
        runs = np.split(np.arange(len(new)), np.flatnonzero(np.diff(self._cluster[new])) + 1)
        for run in reversed(runs):  # those that reach least far first
            X = self._cluster_vectors(new[run])
            if X is None:
                return None
            Z[: len(X), run] = X
        return Z

    def _cluster_vectors(self, cluster: Ints) -> Floats | None:
        """The vectors of one cluster, down to the row from which on they are zero; None if not found."""
        values, places = self._scaled[cluster], slice(0, cluster[-1] + 1)
        while True:
            rows = min(self.n, max(int(self._reach[cluster[0]]), len(cluster) + BAND))
            self._reach[places] = np.maximum(self._reach[places], rows)
            X, residual = self._on_corner(values, rows)
            # the rows beyond see nothing of X but its last rows, as many as the band is wide
            alone = rows == self.n or float(np.abs(X[-BAND:]).max()) <= EPS
            if alone and residual < 1e-13 * self._top:
                return X
            if rows == self.n:
                return None
            self._reach[cluster] = min(self.n, rows + max(rows // 4, BAND))

    def _on_corner(self, values: Floats, rows: int) -> tuple[Floats, float]:
        """Vectors of the band's corner for these eigenvalues, by inverse iteration, and their residual."""
        solve = self._band.shifted(float(values[0]) - 4 * EPS * self._top, rows, EPS * EPS * self._top)
        X = signs(rows, len(values))
        residual = 0.0
        if len(values) == 1:
            for _ in range(3):
                X = solve(X)
                # of y = (A - shift I)^-1 x, the residual is |x| / |y|
                residual = 1 / float(np.sqrt(np.vdot(X, X)))
                X *= residual
            return X, residual
        for _ in range(3):
            X, _ = np.linalg.qr(solve(X))
        AX = self._band.times(X)
        _, turn = np.linalg.eigh(X.T @ AX)
        X = X @ turn
        return X, float(np.abs(AX @ turn - X * values).max())


def _orthonormal_rows(V: Floats) -> Floats | None:
    """The columns of V, nearly orthonormal, made so to rounding, as rows; None if they are far from it."""
    try:
        R = cholesky(V.T @ V, check_finite=False)
    except LinAlgError:
        return None
    # what was found on its own has to be new; once is then enough to make it orthogonal
    if float(R.diagonal().min()) < 0.5:
        return None
    return np.asarray(solve_triangular(R, V.T, trans="T", check_finite=False))


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
