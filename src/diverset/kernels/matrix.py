"""The kernel matrix of a pool, lazily: it answers its diagonal, a block, and a product.

# K        the n x n matrix, weighted by quality on both sides if there is one: q_i k(x_i, x_j) q_j
# entries  how many kernel values were computed so far: what a method really costs
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints, Rows, is_sparse
from ..items import numbers, read_items
from ..messages import checked_memory
from ..threads import blas_for, each, row_blocks
from .base import Kernel, dense_or_refuse
from .distance import Gaussian
from .entries import Computed, Given, Source, given_matrix, indefinite, try_function
from .given import Lookup, Precomputed, as_kernel

MEMORY = 4 * 2**30  # bytes that the formed matrix may take: up to n = 23,170
_BLOCK_BYTES = 2**24  # of a row block that is written once
# A tile stays in a core's own cache from the formula to the product, in memory that is used again.
_TILE_ROWS, _TILE_COLUMNS = 128, 512
_FORMULA = 16  # operations an entry takes, roughly


class KernelMatrix:
    """K of n items. Formed once if it fits ``memory`` bytes, else computed in row blocks when needed."""

    def __init__(self, source: Source, *, quality: Floats | None = None, memory: int = MEMORY) -> None:
        self.quality = quality
        self.memory = memory
        self.entries = 0
        self._source = source
        self._dense: Floats | None = None
        if isinstance(source, Given) and quality is None:
            self._dense = source.matrix
        self._frobenius2: float | None = None

    @property
    def n(self) -> int:
        return self._source.n

    @property
    def shape(self) -> tuple[int, int]:
        return self.n, self.n

    @property
    def kernel(self) -> Kernel:
        """The kernel, with numbers for all that was learnt from the items."""
        return self._source.kernel

    @property
    def fits(self) -> bool:
        """Whether the matrix may be formed (or is there already)."""
        return self._dense is not None or 8 * self.n**2 <= self.memory

    @property
    def given(self) -> bool:
        """Whether the matrix came with the items: it takes no memory of ours."""
        return isinstance(self._source, Given) and self.quality is None

    @property
    def cheap(self) -> bool:
        """Whether computing an entry again takes little longer than reading it from memory."""
        return self._dense is None and self._source.cheap

    @property
    def has_factor(self) -> bool:
        """Whether K = F F^T with fewer columns than rows."""
        F = self._source.factor()
        return F is not None and F.shape[1] < self.n

    @property
    def entry_noise(self) -> float:
        """How far an entry may be off, relative to sqrt(K_ii K_jj)."""
        return self._source.noise

    # --- what it answers ---------------------------------------------------------------

    def row_kernel(self) -> Kernel:
        """The kernel for a look at the items row by row: of row numbers, if the matrix was given."""
        return Lookup(self._source.matrix) if isinstance(self._source, Given) else self.kernel

    def diagonal(self) -> Floats:
        diagonal = self._source.diagonal()
        return diagonal if self.quality is None else diagonal * self.quality**2

    def block(self, rows: Any, cols: Any) -> Floats:
        """K[rows, cols] for two slices or index arrays."""
        if self._dense is not None:
            return np.ascontiguousarray(self._dense[rows][:, cols])
        every = np.arange(self.n)
        out = np.empty((len(every[rows]), len(every[cols])))
        with blas_for(out.size * _FORMULA):
            self._fill(rows, cols, out)
        self._count(out.size)
        return out

    def columns(self, cols: Any) -> Floats:
        """K[:, cols], in row blocks on all cores."""
        cols = np.asarray(cols, dtype=np.int64)
        if self._dense is not None:
            # K is symmetric: reading rows is one sweep of memory, reading columns is not
            return np.ascontiguousarray(self._dense[cols].T)
        out = np.empty((self.n, len(cols)))
        each(lambda rows: self._fill(rows, cols, out[rows]), self._row_blocks(len(cols)))
        self._count(out.size)
        return out

    def among(self, items: Ints) -> Callable[[int], Floats]:
        """A function that gives K[items, items[at]], for many places `at` of a few items."""
        weights = None if self.quality is None else self.quality[items]
        entries = self._source.among(items)

        def column(at: int) -> Floats:
            self._count(len(items))
            values = entries(at)
            return values if weights is None else values * weights * weights[at]

        return column

    def matmul(self, V: Floats) -> Floats:
        """K @ V for a tall V. Forms K if it fits, unless its entries are cheap to compute again."""
        V = np.asarray(V, dtype=np.float64)
        F = self.factor()
        if F is not None and self._dense is None:
            return np.asarray(F @ (F.T @ V))
        if self._dense is not None or (self.fits and not self._source.cheap):
            K = self.dense()
            with blas_for(K.size * V.shape[1]):
                return np.asarray(K @ V)
        out = np.zeros(V.shape)

        def add(rows: slice, cols: slice, tile: Floats) -> None:
            out[rows] += tile @ V[cols]

        self._sweep(add)
        return out

    def dense(self) -> Floats:
        """The whole matrix, read-only. ValueError if it does not fit the memory budget."""
        if self._dense is None:
            if not self.fits:
                raise ValueError(
                    f"The kernel matrix of {self.n:,} items takes {8 * self.n**2 / 1e9:.1f} GB, "
                    f"the budget is {self.memory / 1e9:.1f} GB. Take a method that does not need all "
                    f"of it (deterministic-kdpp, greedy-map, farthest-point), or type memory={8 * self.n**2}."
                )
            out = np.empty(self.shape)
            each(lambda rows: self._fill(rows, slice(None), out[rows]), self._row_blocks(self.n))
            self._count(out.size)
            np.fill_diagonal(out, self.diagonal())
            self._dense = out
        view = self._dense.view()
        view.flags.writeable = False
        return view

    def factor(self) -> Rows | None:
        """Rows F with K = F F^T, where the kernel has one with fewer columns than rows."""
        F = self._source.factor()
        if F is None or F.shape[1] >= self.n:
            return None
        if self.quality is None:
            return F
        weights = self.quality[:, None]
        return F.multiply(weights).tocsr() if is_sparse(F) else F * weights

    def frobenius2(self) -> float:
        """The sum of the squares of all entries."""
        if self._frobenius2 is None:
            F = self.factor()
            if F is not None and self._dense is None:
                gram = F.T @ F
                self._frobenius2 = float((gram.multiply(gram) if is_sparse(gram) else gram * gram).sum())
            elif self._dense is not None:
                K = self.dense()
                self._frobenius2 = float(sum(np.vdot(K[b], K[b]) for b in row_blocks(self.n, 256)))
            else:
                self._sweep(lambda rows, cols, tile: None)
        assert self._frobenius2 is not None
        return self._frobenius2

    def row_squares(self) -> Floats:
        """The sum of the squares of each row."""
        F = self.factor()
        if F is not None and self._dense is None:
            products = F @ (F.T @ F)
            return np.asarray((F.multiply(products) if is_sparse(F) else F * products).sum(axis=1)).ravel()
        out = np.zeros(self.n)

        def add(rows: slice, _: slice, block: Floats) -> None:
            out[rows] += np.einsum("ij,ij->i", block, block)

        if self.fits:
            K = self.dense()
            each(lambda rows: add(rows, slice(None), K[rows]), self._row_blocks(self.n))
        else:
            self._sweep(add)
        return out

    def refuse_negative(self, lowest: float) -> None:
        """ValueError if the matrix was given and this number, never below its smallest eigenvalue,
        is negative beyond rounding. A kernel that is computed is taken as it comes.
        """
        if isinstance(self._source, Given) and lowest < -max(1e-8, self.entry_noise) * float(
            self._source.diagonal().sum()
        ):
            raise ValueError(indefinite(f"an eigenvalue is {lowest:.3g} or less"))

    def same(self, item: int, others: Ints) -> Bools:
        """Which of ``others`` are exact copies of ``item``: same row, same quality."""
        equal = self._source.same(item, others)
        if self.quality is not None:
            equal &= self.quality[others] == self.quality[item]
        return equal

    # --- how it is computed ------------------------------------------------------------

    def _count(self, entries: int) -> None:
        if self._source.costs:
            self.entries += entries

    def _row_blocks(self, width: int) -> list[slice]:
        return row_blocks(self.n, max(1, min(1024, _BLOCK_BYTES // (8 * max(width, 1)))))

    def _fill(self, rows: Any, cols: Any, out: Floats) -> None:
        self._source.fill(rows, cols, out)
        if self.quality is not None:
            out *= self.quality[rows][:, None]
            out *= self.quality[cols]

    def _sweep(self, visit: Callable[[slice, slice, Floats], None]) -> None:
        """Show every tile of K once, computed on all cores; sum the squares on the way.

        The tiles of some rows come one after the other, from left to right: sums over them are the
        same for any number of threads.
        """
        squares: dict[int, float] = {}
        known = self._frobenius2 is not None

        def task(rows: slice) -> None:
            memory = np.empty(_TILE_ROWS * _TILE_COLUMNS)
            height, total = rows.stop - rows.start, 0.0
            for cols in row_blocks(self.n, _TILE_COLUMNS):
                width = cols.stop - cols.start
                tile = memory[: height * width].reshape(height, width)
                self._fill(rows, cols, tile)
                if not known:
                    total += float(np.einsum("ij,ij->", tile, tile))
                visit(rows, cols, tile)
            squares[rows.start] = total

        each(task, row_blocks(self.n, _TILE_ROWS))
        if not known:
            self._frobenius2 = sum(squares[start] for start in sorted(squares))
        self._count(self.n**2)


def kernel_matrix(
    X: Any,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    *,
    memory: int = MEMORY,
    quality: Any = None,
) -> KernelMatrix:
    """The lazy kernel matrix of X: diagonal, block, columns and product, formed only if it fits.

    >>> K = kernel_matrix([[0.0], [1.0], [2.0]], Gaussian(bandwidth=1.0))
    >>> K.shape, K.entries
    ((3, 3), 0)
    >>> K.block([0], [0, 1]).round(3).tolist(), K.entries
    ([[1.0, 0.607]], 2)
    """
    items = read_items(X)
    allowed = int(checked_memory(memory))
    chosen = as_kernel(kernel if kernel is not None else Gaussian())
    weights = None if quality is None else checked_quality(quality, items.n)
    source: Source
    if isinstance(chosen, Precomputed):
        source = given_matrix(items)
    else:
        dense_or_refuse(items, chosen)
        if not isinstance(kernel, Kernel | None):  # a kernel object is taken at its word
            try_function(chosen, items.values)
        source = Computed(chosen.resolve(items), items.values)
    return KernelMatrix(source, quality=weights, memory=allowed)


def checked_quality(quality: Any, n: int) -> Floats:
    """One finite weight >= 0 per item, not all of them zero."""
    weights = np.array(numbers("quality", quality), dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"quality must hold one number per item, {n:,} in all; got shape {weights.shape}.")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        at = int(np.argmax(bad))
        raise ValueError(
            f"quality must be finite and not negative, got {weights[at]} at row {at}. "
            "Type quality=np.exp(scores) for scores of any sign."
        )
    if not weights.any():
        raise ValueError("quality is zero for every item: nothing could be picked.")
    return weights
