"""Where entries come from: a kernel between items, or a matrix that was given and is checked first.

# noise  how far an entry may be off by rounding, relative to sqrt(K_ii K_jj)
# copy   an item that is another one again, to the last bit
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..arrays import Bools, Floats, Ints, Rows, is_sparse, spread
from ..items import Items
from ..threads import row_blocks
from .base import Kernel
from .given import Precomputed

# Up to this n a given matrix is checked for negative eigenvalues exactly, by Cholesky. Larger ones are
# checked by their 2 x 2 minors, and by what the method sees of them.
_EXACT_CHECK = 2048


class Source(Protocol):
    """Where entries come from: a kernel between points, or a matrix that was given."""

    kernel: Kernel
    n: int
    noise: float  # how far an entry may be off, relative to sqrt(K_ii K_jj)
    costs: bool  # whether an entry has to be computed
    cheap: bool  # whether that takes little longer than to read it

    def diagonal(self) -> Floats: ...
    def fill(self, rows: Any, cols: Any, out: Floats) -> None: ...
    def factor(self) -> Rows | None: ...
    def same(self, item: int, others: Ints) -> Bools: ...
    def among(self, items: Ints) -> Callable[[int], Floats]: ...


class Computed:
    """Entries from a kernel and the items."""

    costs = True

    def __init__(self, kernel: Kernel, X: Rows) -> None:
        self.kernel = kernel
        self.points = kernel.points(X)
        self.n = len(self.points.norms)
        self.noise = kernel.entry_noise(self.points)
        self.cheap = kernel.cheap(self.points)

    def diagonal(self) -> Floats:
        return self.kernel.diagonal(self.points)

    def fill(self, rows: Any, cols: Any, out: Floats) -> None:
        self.kernel.block(self.points.take(rows), self.points.take(cols), out)

    def factor(self) -> Rows | None:
        return self.kernel.factor(self.points)

    def same(self, item: int, others: Ints) -> Bools:
        rows = self.points.rows
        if is_sparse(rows):
            differences = rows[others] - rows[np.full(len(others), item)]
            differences.eliminate_zeros()
            return np.asarray(np.diff(differences.indptr) == 0)
        return np.asarray((rows[others] == rows[item]).all(axis=1))

    def among(self, items: Ints) -> Callable[[int], Floats]:
        points = self.points.take(items)

        def column(at: int) -> Floats:
            out = np.empty((len(items), 1))
            self.kernel.block(points, points.take(slice(at, at + 1)), out)
            return out[:, 0]

        return column


class Given:
    """Entries of a precomputed matrix."""

    costs = False
    cheap = False

    def __init__(self, matrix: Floats, noise: float) -> None:
        self.kernel: Kernel = Precomputed()
        self.matrix = matrix
        self.n = len(matrix)
        self.noise = noise

    def diagonal(self) -> Floats:
        return np.diagonal(self.matrix).copy()

    def fill(self, rows: Any, cols: Any, out: Floats) -> None:
        out[...] = self.matrix[rows][:, cols]

    def factor(self) -> None:
        return None

    def same(self, item: int, others: Ints) -> Bools:
        equal = (self.matrix[others] == self.matrix[item]).all(axis=1)
        # copies agree with each other as each agrees with itself
        equal &= self.matrix[others, others] == self.matrix[item, item]
        return np.asarray(equal)

    def among(self, items: Ints) -> Callable[[int], Floats]:
        return lambda at: self.matrix[items[at], items]


def given_matrix(items: Items) -> Given:
    """A matrix as the source of its own entries, or a sentence about why it is no kernel matrix."""
    if items.sparse:
        raise TypeError("Precomputed() wants a dense matrix, got a sparse one. Type X.toarray().")
    K: Floats = items.values
    n, width = K.shape
    if n != width:
        raise ValueError(
            f"Precomputed() wants the n x n kernel matrix as X, got shape ({n}, {width}). "
            "Type kernel=Gaussian() if X holds rows of features."
        )
    off = asymmetry(K)
    if off > 1e-5:
        raise ValueError(
            f"X is not symmetric: X and its transpose differ by {off:.1e} relative to the largest entry. "
            "Wanted a kernel matrix; type (X + X.T) / 2 if the difference is rounding."
        )
    noise = max(off, 4 * items.precision)
    diagonal = np.diagonal(K)
    if (diagonal < 0).any():
        at = int(np.argmax(diagonal < 0))
        raise ValueError(indefinite(f"its diagonal is {diagonal[at]} at row {at}"))
    # every principal 2 x 2 minor: |K_ij|^2 <= K_ii K_jj
    scale = np.sqrt(diagonal)
    slack = 1e-6 * float(diagonal.max(initial=0.0))
    for rows in row_blocks(n, 256):
        beyond = np.abs(K[rows]) > scale[rows, None] * scale + slack
        if beyond.any():
            i, j = np.argwhere(beyond)[0]
            i = int(i) + rows.start
            raise ValueError(indefinite(f"|X[{i}, {j}]| exceeds sqrt(X[{i}, {i}] X[{j}, {j}])"))
    if n <= _EXACT_CHECK:
        shifted = K + max(1e-8, noise) * float(diagonal.sum()) * np.eye(n)
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            lowest = float(np.linalg.eigvalsh(K)[0])
            if lowest < 0:
                raise ValueError(indefinite(f"its smallest eigenvalue is {lowest:.3g}")) from None
    return Given(K, noise)


_TRIED = 32  # items that a function is tried on


def try_function(kernel: Kernel, X: Rows) -> None:
    """ValueError if a function is no kernel on a few of the items: not symmetric, or negative."""
    few = kernel.points(X[np.sort(spread(X.shape[0], _TRIED))])
    K = np.empty((len(few.norms), len(few.norms)))
    kernel.block(few, few, K)
    largest = float(np.abs(K).max())
    off = float(np.abs(K - K.T).max())
    if off > 1e-5 * largest:
        raise ValueError(
            f"The kernel function is not symmetric: f(x, y) and f(y, x) differ by {off:.3g}. "
            "Type kernel=lambda X, Y: (f(X, Y) + f(Y, X).T) / 2, if that is what you mean."
        )
    lowest = float(np.linalg.eigvalsh((K + K.T) / 2)[0])
    if lowest < -1e-8 * len(K) * largest:
        raise ValueError(
            f"The kernel function is not positive semi-definite: on {len(K)} of the items it has the "
            f"eigenvalue {lowest:.3g}. Wanted similarities like a dot product of features; for squared "
            "distances D type kernel=lambda X, Y: np.exp(-D(X, Y) / (2 * bandwidth**2))."
        )


def indefinite(reason: str) -> str:
    """The sentence about a matrix with a negative eigenvalue."""
    return (
        f"X is not positive semi-definite: {reason}. Wanted a kernel matrix (similarities, not distances); "
        "for squared distances D type X=np.exp(-D / (2 * bandwidth**2))."
    )


def asymmetry(K: Floats) -> float:
    """The largest difference between K and its transpose, relative to the largest entry."""
    largest = max((float(np.abs(K[b]).max()) for b in row_blocks(len(K), 256)), default=0.0)
    if largest == 0:
        return 0.0
    return (
        max(
            float(np.abs(K[rows, cols] - K[cols, rows].T).max())
            for rows in row_blocks(len(K), 512)
            for cols in row_blocks(rows.stop, 512)
        )
        / largest
    )
