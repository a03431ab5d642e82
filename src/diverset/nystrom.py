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


class Nystrom:
    """The Nystrom approximation of the kernel matrix of X from the items ``indices``.

    ``eps=None`` inverts K_CC as a pseudo-inverse; a number inverts K_CC + eps I (the paper takes 1e-12).

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
        self.K = X if isinstance(X, KernelMatrix) else kernel_matrix(X, kernel, memory=memory)
        self.indices = checked_indices(indices, self.K.n)
        self.eps = eps
        self._landmarks = None if isinstance(X, KernelMatrix) else read_items(X).values[self.indices]
        self.normalization = inverse_root(self.K.block(self.indices, self.indices), eps)

    @property
    def kernel(self) -> Kernel:
        """The kernel, with numbers for all that was learnt from X."""
        return self.K.kernel

    def columns(self) -> Floats:
        """The features of the items themselves, K_C K_CC^(-1/2): rows F with F F^T = K_hat."""
        return self.K.columns(self.indices) @ self.normalization

    def features(self, Y: Any) -> Floats:
        """Features of new items, k(Y, C) K_CC^(-1/2). For `Precomputed`: Y is their kernel with all of X."""
        if self._landmarks is None:
            raise ValueError("This approximation was made from a matrix and has no items: pass X instead.")
        items = read_items(Y, "Y")
        if isinstance(self.kernel, Precomputed):
            if items.columns != self.K.n:
                raise ValueError(
                    f"Y must hold the kernel of each new item with the {self.K.n} items of X, "
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
