"""A symmetric matrix as a band: the reduction of a dense one to it, and what a band can do in O(n).

# K = Q A Q^T   A is a band: b diagonals on either side of the main one, the rest is zero
# panel         b reflectors I - V R^-1 V^T; V is zero above row p, its stored rows start at a strip's
# strip         a block of columns from its diagonal down, in memory of its own: updated where it is
# corner        the first rows and columns of the band
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, eig_banded, lapack, solve_triangular

from .arrays import Floats

BAND = 32  # products with narrower blocks are slow; a wider band costs more for every vector
_STRIP = 256  # columns: a multiple of BAND; few enough to stay in cache


class Panel(NamedTuple):
    """Reflectors I - V R^-1 V^T: V from row `start` on; R with 1/tau on its diagonal, V^T V above it."""

    start: int
    V: Floats
    R: Floats


class Band:
    """A symmetric band: row o of `diagonals` is the diagonal o below the main one."""

    def __init__(self, diagonals: Floats) -> None:
        self.diagonals = diagonals
        self.n = diagonals.shape[1]
        self._unshifted = self._for_lapack()

    def values(self) -> Floats:
        """All eigenvalues, ascending."""
        return np.asarray(eig_banded(self.diagonals, lower=True, eigvals_only=True, check_finite=False))

    def dense(self) -> Floats:
        """The lower half as a square matrix."""
        A = np.zeros((self.n, self.n), order="F")
        for offset, diagonal in enumerate(self.diagonals):
            np.fill_diagonal(A[offset:], diagonal)
        return A

    def times(self, X: Floats) -> Floats:
        """The corner of the band that has as many rows as X, times X."""
        rows = len(X)
        AX = self.diagonals[0, :rows, None] * X
        for offset in range(1, min(len(self.diagonals), rows)):
            diagonal = self.diagonals[offset, : rows - offset, None]
            AX[offset:] += diagonal * X[: rows - offset]
            AX[: rows - offset] += diagonal * X[offset:]
        return AX

    def shifted(self, shift: float, rows: int, tiny: float) -> Callable[[Floats], Floats]:
        """The inverse of (corner - shift I), factorised; a pivot of zero counts as `tiny`."""
        b = len(self.diagonals) - 1
        M = self._unshifted[:, :rows].copy(order="F")
        M[2 * b] -= shift
        lu, pivots, _ = lapack.dgbtrf(M, b, b, overwrite_ab=1)
        diagonal = lu[2 * b]
        diagonal[diagonal == 0] = tiny
        return lambda X: np.asarray(lapack.dgbtrs(lu, b, b, X, pivots)[0])

    def _for_lapack(self) -> Floats:
        """As dgbtrf wants a band: with room for what pivoting fills in."""
        b = len(self.diagonals) - 1
        M = np.zeros((3 * b + 1, self.n), order="F")
        for offset in range(b + 1):
            M[2 * b + offset] = self.diagonals[offset]
            M[2 * b - offset, offset:] = self.diagonals[offset, : self.n - offset]
        return M


def band_form(K: Floats, unit: float = 1.0) -> tuple[Band, list[Panel]]:
    """The band with the eigenvalues of unit x K, and the way back. K is not written to.

    With W = A V R^-1 - V S / 2, where S = R^-T V^T A V R^-1, the two-sided update of A by
    a block of reflectors is A - V W^T - W V^T. It is done on the strips' lower parts only.
    """
    n = len(K)
    b = min(BAND, max(n - 1, 1))
    starts = range(0, n, _STRIP)
    # K is symmetric: its rows read as columns, without a step through memory
    strips = [np.multiply(K[a : a + _STRIP, a:], unit).T for a in starts]
    panels = []
    for p in range(b, n - 1, b):
        at = (p - b) // _STRIP
        old = strips[at][p - starts[at] :, p - b - starts[at] : p - starts[at]]
        QR, tau, _, _ = lapack.dgeqrf(old)
        old[...] = np.triu(QR)
        first = p // _STRIP
        V = np.zeros((n - starts[first], len(tau)), order="F")
        own = V[p - starts[first] :]
        own[...] = np.tril(QR[:, : len(tau)], -1)
        np.fill_diagonal(own, 1.0)
        R = np.triu(V.T @ V, 1)
        with np.errstate(divide="ignore"):  # tau = 0 stands for no reflection
            np.fill_diagonal(R, 1 / tau)
        panel = Panel(starts[first], V, R)
        _update(strips[first:], panel, p)
        panels.append(panel)
    return Band(_diagonals(strips, b)), panels


def _update(strips: list[Floats], panel: Panel, p: int) -> None:
    """A <- A - V W^T - W V^T, from row p on."""
    start, V, R = panel
    edges = np.cumsum([0, *(strip.shape[1] for strip in strips)])
    W = np.zeros_like(V)
    for strip, (a, z) in zip(
        strips, pairwise(edges), strict=True
    ):  # A V from the lower part of a symmetric A
        W[a:] += strip @ V[a:z]
        W[a:z] += strip[z - a :].T @ V[z:]
    W[: p - start] = 0.0
    W = solve_triangular(R, W.T, trans="T", check_finite=False).T
    W = W - V @ (solve_triangular(R, V.T @ W, trans="T", check_finite=False) / 2)
    left, right = (np.ascontiguousarray(np.hstack(pair)) for pair in ((V, W), (W, V)))
    for strip, (a, z) in zip(strips, pairwise(edges), strict=True):
        # in place: a product of its own would have to be written and read once more
        blas.dgemm(-1.0, left[a:].T, right[a:z].T, 1.0, strip, trans_a=1, overwrite_c=1)


def _diagonals(strips: list[Floats], b: int) -> Floats:
    n = len(strips[0])
    diagonals = np.zeros((b + 1, n))
    for strip in strips:
        start = n - len(strip)
        for offset in range(min(b + 1, len(strip))):
            diagonal = strip.diagonal(-offset)
            diagonals[offset, start : start + len(diagonal)] = diagonal
    return diagonals


def back(panels: list[Panel], Z: Floats, reach: int) -> Floats:
    """Q Z: from vectors of the band, zero from row `reach` on, to vectors of K."""
    Z = np.ascontiguousarray(Z)  # so that the last rows are one piece of memory, and updated where they are
    for start, V, R in reversed([panel for panel in panels if panel.start < reach]):
        rows = Z[start:]
        shares = solve_triangular(R, V.T @ rows, check_finite=False)
        blas.dgemm(-1.0, shares, V, 1.0, rows.T, trans_a=1, trans_b=1, overwrite_c=1)
    return Z
