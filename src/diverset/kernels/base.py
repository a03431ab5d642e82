"""What every kernel answers, and the pieces that several share.

# rows   items as a kernel wants them: scaled, normalised
# norms  what the formula needs of each row besides (its squared length, its sum)
# block  the kernel between some rows and others, written into an array that the caller owns
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..arrays import EPS, Floats, Rows, is_sparse
from ..items import Items, read_items

Self = TypeVar("Self", bound="Kernel")


class Points(NamedTuple):
    """Items as one kernel wants them."""

    rows: Rows
    norms: Floats

    def take(self, which: Any) -> Points:
        return Points(self.rows[which], self.norms[which])


class Kernel(ABC):
    """A symmetric, positive semi-definite function of two items.

    Calling it gives the matrix: ``kernel(X)`` within X, ``kernel(X, Y)`` between two sets.
    """

    sparse = False  # whether SciPy sparse rows make sense here

    def resolve(self: Self, X: Any) -> Self:
        """The same kernel with numbers for all that is to be learnt from X."""
        return self

    @abstractmethod
    def points(self, X: Any) -> Points:
        """Checked rows of X in the form that `block` reads."""

    @abstractmethod
    def block(self, A: Points, B: Points, out: Floats) -> None:
        """Write the kernel between A and B into ``out``."""

    def diagonal(self, A: Points) -> Floats:
        """k(x, x) of every row: one for the normalised kernels."""
        return np.ones(len(A.norms))

    def factor(self, A: Points) -> Rows | None:
        """Rows F with K = F F^T where the kernel is such a product of few columns, else None."""
        return None

    def cheap(self, A: Points) -> bool:
        """Whether computing a block takes little longer than reading it from memory."""
        return False

    def entry_noise(self, A: Points) -> float:
        """How far an entry may be off, relative to the diagonal, by rounding alone."""
        return 8 * EPS

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        kernel = self.resolve(X)
        A = kernel.points(rows_for(X, kernel))
        B = A if Y is None else kernel.points(rows_for(Y, kernel, "Y"))
        if A.rows.shape[1] != B.rows.shape[1]:
            raise ValueError(f"X has {A.rows.shape[1]} columns and Y has {B.rows.shape[1]}, wanted the same.")
        out = np.empty((len(A.norms), len(B.norms)))
        kernel.block(A, B, out)
        return out


def dense_or_refuse(items: Items, kernel: Kernel) -> Any:
    """The rows, if this kernel can read them."""
    if items.sparse and not kernel.sparse:
        raise TypeError(
            f"{type(kernel).__name__} needs dense rows, got a sparse matrix. Type X.toarray(), "
            "or take Gaussian, Linear, Cosine or Polynomial, which read sparse rows."
        )
    return items.values


def rows_for(X: Any, kernel: Kernel, name: str = "X") -> Any:
    return dense_or_refuse(read_items(X, name), kernel)


def squared_lengths(X: Rows) -> Floats:
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    # einsum sums each row by itself: the same bits whatever the slicing or the threads
    with np.errstate(over="ignore"):  # refused in words where it matters
        lengths: Floats = np.einsum("ij,ij->i", X, X)
    return lengths


def inner(A: Points, B: Points, out: Floats) -> None:
    if is_sparse(A.rows):
        out[...] = (A.rows @ B.rows.T).toarray()
    else:
        np.matmul(A.rows, B.rows.T, out=out)


def taxi(A: Points, B: Points, out: Floats) -> None:
    from scipy.spatial.distance import cdist

    cdist(A.rows, B.rows, "cityblock", out=out)
