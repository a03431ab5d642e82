"""WHAT DO THE PICKS SAY OF THE REST? The Nystrom approximation K_hat = K_C K_CC^+ K_C^T.

# C        the picked items          K_C   their columns of K, (n, k)
# features F with F F^T = K_hat; never forms n x n
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import EPS, Floats, Ints
from .items import read_items
from .kernels import MEMORY, Kernel, KernelMatrix, Precomputed, kernel_matrix
from .messages import is_real, whole
from .rounds.parts import LocalParts, tidy
from .sources import stays
from .stored import settled, stored


class Nystrom:
    """The Nystrom approximation of the kernel matrix of X from the items ``indices``.

    ``eps=None`` inverts K_CC as a pseudo-inverse; a number inverts K_CC + eps I (the paper takes 1e-12).
    X may be what `select` takes: of files and Dask collections too large for memory, only the picked rows
    are kept. The attribute ``kernel`` has numbers for all that was learnt from X.

    >>> X = [[0.0], [1.0], [4.0]]
    >>> from diverset.kernels import Gaussian
    >>> approximation = Nystrom(X, [0, 1, 2], kernel=Gaussian(1.0))
    >>> bool(np.allclose(approximation.features(X) @ approximation.features(X).T, Gaussian(1.0)(X)))
    True
    """

    def __init__(
        self,
        X: Any,
        indices: Any,
        *,
        kernel: Kernel | Callable[[Any, Any], Any] | None = None,
        eps: float | None = None,
        memory: int = MEMORY,
    ) -> None:
        if eps is not None and (not is_real(eps) or eps < 0):
            raise ValueError(f"eps must be None (pseudo-inverse) or a number >= 0, got eps={eps!r}.")
        self.eps = eps
        self.K: KernelMatrix | None = None  # where the items are in memory
        self._landmarks: Any = None
        self._stored: Any = None  # where they are in a file
        X = settled(X)
        if stays(X, memory):
            K_CC = self._from_parts(X, indices, kernel, memory)
        else:
            items = None if isinstance(X, KernelMatrix) else read_items(X)
            self.K = X if items is None else kernel_matrix(items, kernel, memory=memory)
            self.n, self.kernel = self.K.n, self.K.kernel
            self.indices = checked_indices(indices, self.n)
            self._landmarks = None if items is None else items.values[self.indices]
            K_CC = self.K.block(self.indices, self.indices)
        self.normalization = inverse_root(K_CC, eps)

    @tidy()
    def _from_parts(self, X: Any, indices: Any, kernel: Any, memory: int) -> Floats:
        from .door import find_problem

        self._stored = stored(X)
        _, problem = find_problem(X, 1, kernel=kernel, memory=memory)
        self.n, self.kernel = problem.n, problem.kernel
        self.indices = checked_indices(indices, self.n)
        rows = problem.rounds.fetch(self.indices)
        self._landmarks = rows.rows
        return problem.rounds.among(rows)

    def columns(self) -> Floats:
        """The features of the items themselves, K_C K_CC^(-1/2): rows F with F F^T = K_hat."""
        if self.K is not None:
            return self.K.columns(self.indices) @ self.normalization
        if self._stored is None:
            raise TypeError("The items of X are with Dask. Type features(Y) for some rows Y at a time.")
        return np.concatenate(
            list(LocalParts(self._stored).ask(lambda part, _: self.features(part.rows), None))
        )

    def features(self, Y: Any) -> Floats:
        """Features of new items, k(Y, C) K_CC^(-1/2). For `Precomputed`: Y is their kernel with all of X."""
        if self._landmarks is None:
            raise ValueError("This approximation was made from a matrix and has no items: pass X instead.")
        items = read_items(Y, "Y")
        if isinstance(self.kernel, Precomputed):
            if items.columns != self.n:
                raise ValueError(
                    f"Y must hold the kernel of each new item with the {self.n} items of X, "
                    f"got shape {items.values.shape}."
                )
            return np.asarray(items.values[:, self.indices] @ self.normalization)
        if items.columns != self._landmarks.shape[1]:
            raise ValueError(f"Y has {items.columns} columns, wanted the {self._landmarks.shape[1]} of X.")
        return np.asarray(self.kernel(items, self._landmarks) @ self.normalization)


def inverse_root(K_CC: Floats, eps: float | None) -> Floats:
    """S with S S^T = K_CC^+ (or (K_CC + eps I)^-1): one column per direction that is kept."""
    values, vectors = np.linalg.eigh((K_CC + K_CC.T) / 2)
    if eps is not None:
        values = np.maximum(values, 0.0) + eps
    keep = values > (len(values) * EPS * max(float(values[-1]), 0.0) if eps is None else 0.0)
    return np.asarray(vectors[:, keep] / np.sqrt(values[keep]))


def checked_indices(indices: Any, n: int) -> Ints:
    """Distinct row numbers within 0..n-1, at least one."""
    rows = np.asarray(indices)
    if rows.ndim != 1 or len(rows) == 0:
        raise ValueError(f"indices must be a list of at least one row number, got shape {rows.shape}.")
    numbers = [whole(f"indices[{at}]", value) for at, value in enumerate(rows.tolist())]
    for number in numbers:
        if not 0 <= number < n:
            raise ValueError(f"indices holds row {number}, wanted row numbers from 0 to {n - 1}.")
    if len(set(numbers)) < len(numbers):
        raise ValueError("indices holds a row more than once: each landmark counts once.")
    return np.array(numbers, dtype=np.int64)
