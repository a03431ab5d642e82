"""Kernels of the inner product."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Floats, Rows, is_sparse
from ..messages import is_real, positive
from .base import Kernel, Points, inner, rows_for, squared_lengths


class _Plain(Kernel):
    """Kernels that take the rows as they are."""

    def points(self, X: Any) -> Points:
        return Points(X, squared_lengths(X))


@dataclass(frozen=True)
class Linear(_Plain):
    """k(x, y) = x . y; its rank is at most the number of columns, and so is a useful k.

    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).item()
    11.0
    """

    sparse = True

    def block(self, A: Points, B: Points, out: Floats) -> None:
        inner(A, B, out)

    def diagonal(self, A: Points) -> Floats:
        return A.norms.copy()

    def factor(self, A: Points) -> Rows | None:
        return A.rows


@dataclass(frozen=True)
class Cosine(Kernel):
    """k(x, y) = x . y / (||x|| ||y||); for embeddings and TF-IDF rows. A zero row is like no other.

    >>> bool(np.isclose(Cosine()([[3.0, 0.0]], [[5.0, 5.0]]).item(), 0.5**0.5))
    True
    """

    sparse = True

    def points(self, X: Any) -> Points:
        lengths: Floats = np.sqrt(squared_lengths(X))
        scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
        if is_sparse(X):
            return Points(X.multiply(scale[:, None]).tocsr(), (lengths > 0).astype(np.float64))
        return Points(X * scale[:, None], (lengths > 0).astype(np.float64))

    def block(self, A: Points, B: Points, out: Floats) -> None:
        inner(A, B, out)

    def diagonal(self, A: Points) -> Floats:
        return A.norms.copy()

    def factor(self, A: Points) -> Rows | None:
        return A.rows


@dataclass(frozen=True)
class Polynomial(_Plain):
    """k(x, y) = (gamma x . y + coef0)^degree; ``gamma=None`` is 1 / number of columns.

    >>> Polynomial(degree=3, gamma=0.5, coef0=2.0)([[2.0]], [[4.0]]).item()
    216.0
    """

    degree: int = 3
    gamma: float | None = None
    coef0: float = 1.0

    sparse = True

    def __post_init__(self) -> None:
        if not is_real(self.degree) or self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"Polynomial wants a whole degree >= 1, got degree={self.degree!r}.")
        if self.gamma is not None:
            positive(self, gamma=self.gamma)
        if not is_real(self.coef0) or self.coef0 < 0:
            raise ValueError(f"Polynomial wants coef0 >= 0, got coef0={self.coef0!r}.")

    def resolve(self, X: Any) -> Polynomial:
        return self if self.gamma is not None else replace(self, gamma=1.0 / rows_for(X, self).shape[1])

    def _power(self, out: Floats) -> None:
        if self.gamma is None:
            raise ValueError("Polynomial(gamma=None) has no number yet: type kernel.resolve(X).")
        out *= self.gamma
        out += self.coef0
        with np.errstate(over="ignore"):  # refused in words where it matters
            np.power(out, self.degree, out=out)

    def block(self, A: Points, B: Points, out: Floats) -> None:
        inner(A, B, out)
        self._power(out)

    def diagonal(self, A: Points) -> Floats:
        out = A.norms.copy()
        self._power(out)
        return out
