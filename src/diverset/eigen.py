"""All eigenvalues of a symmetric matrix, and of its eigenvectors only those asked for.

# A, tau   K = Q T Q^T after LAPACK's dsytrd: A holds the reflectors whose product is Q
# d, e     the tridiagonal T: its diagonal and its off-diagonal
# cluster  eigenvalues too close to be told apart: their vectors are computed together
# rows     the eigenvectors known so far, one per row; with room for more
"""

from __future__ import annotations

from collections.abc import Callable
from math import frexp, ldexp

import numpy as np
from scipy.linalg import LinAlgError, eigh_tridiagonal, lapack, qr, solve_triangular

from .arrays import EPS, Bools, Floats, Ints
from .threads import blas_for

# Vectors of eigenvalues that are closer than this share of the largest one would differ by more
# than a thousandth from orthogonal ones if each were computed on its own.
_CLUSTER = 1000 * EPS
_REFLECTORS = 64  # how many reflectors are applied at a time


def positive(values: Floats, level: float) -> Bools:
    """Which eigenvalues (ascending) are more than rounding; `level` is relative to the largest."""
    return np.asarray(values > level * max(float(values[-1]), 0.0))


class SymmetricEigen:
    """Eigenpairs of a dense symmetric positive semi-definite K, ascending, vectors on demand.

    The matrix is made tridiagonal once (4/3 n^3 operations, half of what a full decomposition
    takes); a vector then costs O(n^2), and is kept. Equivalent to `scipy.linalg.eigh(K)`: take it
    when few of the vectors are needed, but it is not known beforehand which. K is not written to.

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
        A = np.asfortranarray(np.multiply(K.T, unit))
        with blas_for(n**3):
            self._A, self._d, self._e, self._tau, info = lapack.dsytrd(
                A, lower=1, lwork=64 * n, overwrite_a=1
            )
            # a 1 x 1 matrix is its own eigenvalue; LAPACK's wrapper refuses it
            scaled, failed = lapack.dsterf(self._d, self._e) if n > 1 else (self._d, 0)
        if info != 0 or failed != 0:
            raise np.linalg.LinAlgError("LAPACK found no eigenvalues: is a value NaN or infinite?")
        self._scaled: Floats = scaled
        self.lowest = float(scaled[0]) / unit  # as computed: what tells an indefinite matrix
        kept = positive(scaled, 8 * n * EPS)
        self.rank = int(kept.sum())
        self.values: Floats = np.where(kept, scaled / unit, 0.0)
        joined = np.diff(scaled) <= _CLUSTER * float(np.abs(scaled).max())
        self._cluster: Ints = np.concatenate([[0], np.cumsum(~joined)])
        self._place: Ints = np.full(n, -1, dtype=np.int64)
        self._rows: Floats = np.empty((0, n))
        self.known = 0  # how many vectors have been computed
        self._R: dict[int, Floats] = {}

    def vectors(
        self, indices: Ints | list[int], likely: Callable[[], Ints] | None = None
    ) -> Floats:
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
            V = self._back(self._tridiagonal(new))
            # found on their own, vectors are orthogonal to about 1e-3 at worst: once is enough
            rows = self._rows[: self.known]
            V -= rows.T @ (rows @ V)
            V, _ = qr(V, mode="economic", overwrite_a=True, check_finite=False)
        self._keep(new, V)

    def _keep(self, new: Ints, V: Floats) -> None:
        total = self.known + len(new)
        if total > len(self._rows):
            larger = np.empty((min(max(total, 2 * self.known), self.n), self.n))
            larger[: self.known] = self._rows[: self.known]
            self._rows = larger
        self._rows[self.known : total] = V.T
        self._place[new] = np.arange(self.known, total)
        self.known = total

    def _tridiagonal(self, new: Ints) -> Floats:
        """The vectors of T for these indices; every cluster among them is complete."""
        Z = np.empty((self.n, len(new)), order="F")
        for run in np.split(np.arange(len(new)), np.flatnonzero(np.diff(self._cluster[new])) + 1):
            first, last = int(new[run[0]]), int(new[run[-1]])
            Z[:, run] = self._alone(first) if first == last else self._together(first, last)
        return Z

    def _alone(self, index: int) -> Floats:
        """Inverse iteration for one eigenvalue."""
        if self.n == 1:
            return np.ones((1, 1))
        one_block = np.ones(self.n, dtype=np.int32), np.full(self.n, self.n, dtype=np.int32)
        z, failed = lapack.dstein(self._d, self._e, self._scaled[index : index + 1], *one_block)
        return self._together(index, index) if failed else np.asarray(z)

    def _together(self, first: int, last: int) -> Floats:
        """Relatively robust representations for a cluster; plain QL iteration should they fail."""
        try:
            chosen = {"select": "i", "select_range": (first, last), "lapack_driver": "stemr"}
            return np.asarray(eigh_tridiagonal(self._d, self._e, check_finite=False, **chosen)[1])
        except LinAlgError:
            every = eigh_tridiagonal(self._d, self._e, check_finite=False, lapack_driver="stev")[1]
            return np.asarray(every[:, first : last + 1])

    def _back(self, Z: Floats) -> Floats:
        """Q Z: from vectors of T to vectors of K, by the reflectors from the last to the first.

        A block of reflectors is I - V (1/tau on the diagonal, V^T V above it)^-1 V^T. Its V is read
        in place: LAPACK's dormqr would need a copy of A.
        """
        for start in reversed(range(0, self.n - 1, _REFLECTORS)):
            head, tail, R = self._block(start)
            cut = start + 1 + len(head)
            shared = head.T @ Z[start + 1 : cut] + tail.T @ Z[cut:]
            shared = solve_triangular(R, shared, check_finite=False)
            Z[start + 1 : cut] -= head @ shared
            Z[cut:] -= tail @ shared
        return Z

    def _block(self, start: int) -> tuple[Floats, Floats, Floats]:
        """Reflectors from this one on: the unit triangle at the top of V, what is below, and R."""
        count = min(_REFLECTORS, self.n - 1 - start)
        head = np.tril(self._A[start + 1 : start + 1 + count, start : start + count], -1)
        np.fill_diagonal(head, 1.0)
        tail = self._A[start + 1 + count :, start : start + count]
        if start not in self._R:
            R = np.triu(head.T @ head + tail.T @ tail, 1)
            with np.errstate(divide="ignore"):  # tau = 0 stands for no reflection
                np.fill_diagonal(R, 1 / self._tau[start : start + count])
            self._R[start] = R
        return head, tail, self._R[start]


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
