"""Kernels that the caller brings: the matrix itself, or a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, is_sparse
from ..items import read_items
from .base import Kernel, Points


@dataclass(frozen=True)
class Precomputed(Kernel):
    """X is the n x n kernel matrix itself: symmetric, without negative eigenvalues."""

    def points(self, X: Any) -> Points:
        raise TypeError("Precomputed() has no rows to compare: pass the matrix itself as X.")

    def block(self, A: Points, B: Points, out: Floats) -> None:
        raise TypeError("Precomputed() has no formula: its entries are the matrix.")

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        if Y is not None:
            raise TypeError("Precomputed() cannot compare new items: it only knows the matrix.")
        matrix: Floats = read_items(X).values
        return matrix


@dataclass(frozen=True, eq=False)
class Lookup(Kernel):
    """The kernel of row numbers into a matrix: what `Precomputed` is to a pool in parts."""

    matrix: Floats

    def points(self, X: Any) -> Points:
        return Points(np.asarray(X).astype(np.int64), np.empty(len(X)))

    def block(self, A: Points, B: Points, out: Floats) -> None:
        out[...] = self.matrix[A.rows[:, 0]][:, B.rows[:, 0]]

    def diagonal(self, A: Points) -> Floats:
        rows = A.rows[:, 0]
        return np.asarray(self.matrix[rows, rows])


@dataclass(frozen=True)
class Custom(Kernel):
    """A kernel from any callable f(X, Y) -> matrix; made for you when you pass a function.

    >>> Custom(lambda X, Y: 2.0 * X @ Y.T)([[1.0]], [[4.0]]).item()
    8.0
    """

    function: Callable[[Any, Any], Any]

    sparse = True

    def points(self, X: Any) -> Points:
        return Points(X, np.empty(X.shape[0]))

    def block(self, A: Points, B: Points, out: Floats) -> None:
        values = self.function(A.rows, B.rows)
        values = np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)
        if values.shape != out.shape:
            raise ValueError(
                f"The kernel function returned shape {values.shape}, wanted {out.shape}: "
                "f(X, Y) gives one row per row of X and one column per row of Y."
            )
        if not np.isfinite(values).all():
            raise ValueError("The kernel function returned values that are not finite.")
        out[...] = values

    def diagonal(self, A: Points) -> Floats:
        n = A.rows.shape[0]
        diagonal, step = np.empty(n), 64  # step^2 entries for step diagonal ones: keep it small
        for start in range(0, n, step):
            part = A.take(slice(start, min(start + step, n)))
            block = np.empty((len(part.norms), len(part.norms)))
            self.block(part, part, block)
            diagonal[start : start + step] = np.diagonal(block)
        return diagonal


def as_kernel(kernel: Kernel | Callable[[Any, Any], Any]) -> Kernel:
    """A kernel object from a kernel object or a function."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise TypeError(f"kernel is the class {kernel.__name__}. Type kernel={kernel.__name__}().")
    if callable(kernel):
        return Custom(kernel)
    raise TypeError(
        f"kernel must be a kernel object or a function f(X, Y) -> matrix, got {kernel!r}. "
        "Type kernel=Gaussian(), or kernel=Precomputed() when X is the matrix."
    )
