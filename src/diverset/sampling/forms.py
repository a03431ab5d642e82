"""The three ways to write an L-ensemble down, each with what it can do best.

# L, B, P   L itself; a factor with L = B B^T; the marginal kernel P = L (L + I)^-1
# minor     det L_S, in logs; the quantity that log-probabilities are made of
# sure      directions in which P is one (L infinite): every set drawn reaches into them
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from ..arrays import EPS, Floats, Ints, is_sparse
from ..eigen import FactorEigen, SymmetricEigen
from ..items import numbers
from ..kernels import KernelMatrix
from ..threads import row_blocks
from .mixture import Mixture

_ROWS = 256  # looked at in one go


class Form(Protocol):
    """What an L-ensemble needs to know of its kernel."""

    @property
    def n(self) -> int: ...
    @property
    def mixture(self) -> Mixture: ...
    def matrix(self) -> Floats: ...
    def log_minor(self, subset: Ints) -> float: ...


class MatrixForm:
    """L as a matrix, given or lazy."""

    def __init__(self, L: Any) -> None:
        self._L = L if isinstance(L, KernelMatrix) else square("L", L)

    @property
    def n(self) -> int:
        return int(self._L.shape[0])

    @cached_property
    def mixture(self) -> Mixture:
        eigen = SymmetricEigen(self.matrix())
        refuse_indefinite("L", eigen)
        return Mixture(eigen, _log(eigen.values))

    def matrix(self) -> Floats:
        return self._L.dense() if isinstance(self._L, KernelMatrix) else self._L

    def log_minor(self, subset: Ints) -> float:
        if isinstance(self._L, KernelMatrix):
            return log_det(self._L.block(subset, subset))
        return log_det(self._L[np.ix_(subset, subset)])


class FactorForm:
    """L = B B^T, for d < n without ever forming n x n."""

    def __init__(self, B: Any) -> None:
        self._B = table("B", B.toarray() if is_sparse(B) else B)

    @property
    def n(self) -> int:
        return len(self._B)

    @cached_property
    def mixture(self) -> Mixture:
        eigen = FactorEigen(self._B)
        return Mixture(eigen, eigen.log_values)

    def matrix(self) -> Floats:
        return self._B @ self._B.T

    def log_minor(self, subset: Ints) -> float:
        if len(subset) > self._B.shape[1]:
            return -np.inf
        # twice the log-volume of the rows: no squares, so twice the digits
        return log_volume2(self._B[subset].T)


class MarginalForm:
    """P, with eigenvalues from 0 to 1; where they are 1, L = P (I - P)^-1 does not exist."""

    def __init__(self, P: Any) -> None:
        self._P = square("P", P)

    @property
    def n(self) -> int:
        return len(self._P)

    @cached_property
    def mixture(self) -> Mixture:
        eigen = SymmetricEigen(self._P)
        refuse_indefinite("P", eigen)
        largest = float(eigen.values[-1])
        slack = max(1e-8, 8 * self.n * EPS)
        if largest > 1 + slack:
            raise ValueError(
                f"P is not a marginal kernel: its largest eigenvalue is {largest:.6g}, wanted from "
                "0 to 1. Type LEnsemble(P) if this is the matrix L, or P / np.linalg.norm(P, 2)."
            )
        # within rounding of one is one: P of a projection, as a computer writes it down
        one = eigen.values > 1 - 8 * self.n * EPS
        values = np.where(one, 1.0, eigen.values)
        with np.errstate(divide="ignore"):
            return Mixture(eigen, np.log(values) - np.log1p(-values))

    @cached_property
    def _finite(self) -> Floats:
        """Rows F with L = F F^T in the directions where it is finite."""
        mixture = self.mixture
        count = len(mixture.log_values)
        kept = np.arange(count - mixture.rank, count - mixture.sure)
        return mixture.eigen.vectors(kept) * np.exp(mixture.log_values[kept] / 2)

    def matrix(self) -> Floats:
        if self.mixture.sure:
            raise ValueError(
                f"L = P (I - P)^-1 does not exist: {self.mixture.sure} eigenvalues of P are 1. "
                "Samples, marginals and probabilities work all the same; for an L close by type "
                "LEnsemble.from_marginal(0.999 * P).matrix()."
            )
        return self._finite @ self._finite.T

    def log_minor(self, subset: Ints) -> float:
        """log det L_S; with r sure directions U, the log of what multiplies their r-fold infinity.

        det(F_S F_S^T + t U_S U_S^T) grows like t^r det(U_S^T U_S) det(Z^T F_S F_S^T Z), where Z is
        an orthonormal basis of what U_S leaves of R^|S|.
        """
        sure = self.mixture.sure
        if not sure <= len(subset) <= self.mixture.rank:
            return -np.inf
        if not sure:
            return log_volume2(self._finite[subset].T)
        count = len(self.mixture.log_values)
        U = self.mixture.eigen.vectors(np.arange(count - sure, count))
        Q, R = np.linalg.qr(U[subset], mode="complete")
        return log_triangle2(R[:sure]) + log_volume2(self._finite[subset].T @ Q[:, sure:])


# --- logs of determinants -------------------------------------------------------------------


def log_det(A: Floats) -> float:
    """log det of a symmetric positive semi-definite matrix; -inf where singular to rounding."""
    try:
        return log_triangle2(cholesky(A, check_finite=False)) if len(A) else 0.0
    except LinAlgError:
        return -np.inf


def log_volume2(A: Floats) -> float:
    """log det(A^T A) for a tall A, from its QR decomposition."""
    if A.shape[0] < A.shape[1]:
        return -np.inf
    return log_triangle2(np.asarray(np.linalg.qr(A, mode="r"))) if A.shape[1] else 0.0


def log_triangle2(R: Floats) -> float:
    """Twice the log of the product of the diagonal; -inf where an entry is nothing but rounding."""
    diagonal = np.abs(R.diagonal())
    if (diagonal <= 8 * len(diagonal) * EPS * diagonal.max(initial=0.0)).any():
        return -np.inf
    return 2 * float(np.log(diagonal).sum())


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


# --- refusals -------------------------------------------------------------------------------


def table(name: str, matrix: Any) -> Floats:
    """A finite float64 table with at least one row, or a sentence about what is wrong with it."""
    array = numbers(name, matrix)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be a table with rows and columns, got shape {array.shape}.")
    rows = array.astype(np.float64, copy=False)
    for block in row_blocks(len(rows), _ROWS):
        bad = ~np.isfinite(rows[block])
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise ValueError(
                f"{name} is not finite: {rows[block][i, j]} in row {block.start + i}, column {j}. "
                "Leave such items out, or repair the kernel that made them."
            )
    return rows


def square(name: str, matrix: Any) -> Floats:
    """A symmetric table, or a sentence about what is wrong with it."""
    rows = table(name, matrix)
    n, width = rows.shape
    if n != width:
        raise ValueError(
            f"{name} must be square, got shape ({n}, {width}). "
            "Type LEnsemble.from_factor(B) for a factor with L = B B^T."
        )
    blocks = row_blocks(n, _ROWS)
    off = max(float(np.abs(rows[a, b] - rows[b, a].T).max()) for a in blocks for b in blocks)
    largest = max(float(np.abs(rows[a]).max()) for a in blocks)
    if off > 1e-5 * largest:
        raise ValueError(
            f"{name} is not symmetric: {name} and its transpose differ by {off / largest:.1e} of "
            f"the largest entry. Type ({name} + {name}.T) / 2 if the difference is rounding."
        )
    lowest = float(rows.diagonal().min())
    if lowest < -1e-8 * largest:
        raise ValueError(_indefinite(name, f"its diagonal holds {lowest:.3g}"))
    return rows


def refuse_indefinite(name: str, eigen: SymmetricEigen) -> None:
    if eigen.lowest < -1e-8 * eigen.n * float(eigen.values[-1]):
        raise ValueError(_indefinite(name, f"its smallest eigenvalue is {eigen.lowest:.3g}"))


def _indefinite(name: str, reason: str) -> str:
    return (
        f"{name} is not positive semi-definite: {reason}, wanted nothing below zero. "
        f"Type {name} @ {name}.T, or {name} + shift * np.eye(len({name})), shift of that size."
    )
