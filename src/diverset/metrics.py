"""HOW GOOD? Numbers that compare selections, without forming n x n."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from .arrays import Floats, is_dask
from .items import numbers
from .kernels import MEMORY, Kernel, KernelMatrix, kernel_matrix
from .messages import nearest
from .sources import stays
from .stored import settled
from .threads import row_blocks

Norm = Literal["operator", "max", "trace", "frobenius"]
_ON_THE_DIAGONAL = "trace", "max"  # of K - K_hat: one look at every item is enough
_BLOCK = 512  # rows of K compared at a time


def log_det(K_CC: Any) -> float:
    """log det of the kernel matrix of the picks, as the sum of the logs of its singular values.

    >>> log_det([[2.0, 0.0], [0.0, 0.5]])
    0.0
    """
    singular = np.linalg.svd(_square(K_CC), compute_uv=False)
    return float(np.log(singular).sum()) if singular.min(initial=1.0) > 0 else -np.inf


def vendi_score(K_CC: Any) -> float:
    """How many items of their own the picks amount to: exp of the entropy of the eigenvalues of K_CC / trace.

    From 1 (all the same) to k (nothing in common).

    >>> round(vendi_score(np.eye(3)), 6), round(vendi_score(np.ones((3, 3))), 6)
    (3.0, 1.0)
    """
    values = np.linalg.eigvalsh(_square(K_CC))
    values = values[values > 0] / values[values > 0].sum()
    return float(np.exp(-(values * np.log(values)).sum()))


def _square(K_CC: Any) -> Floats:
    """The kernel matrix of a few items; it may be empty."""
    matrix = numbers("K_CC", K_CC).astype(np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"K_CC must be the square kernel matrix of the picks, got shape {matrix.shape}. "
            "Type dv.kernel_matrix(X, kernel).block(picks.indices, picks.indices)."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("K_CC holds values that are not finite. Leave such items out.")
    return matrix


def coverage(
    X: Any,
    indices: Any,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    memory: int = MEMORY,
) -> float:
    """How well the nearest pick stands for each item: the mean of max_c K_ic / sqrt(K_ii K_cc).

    One where every item has a pick just like it.

    >>> from diverset.kernels import Gaussian
    >>> coverage([[0.0], [0.0], [9.0]], [0, 2], kernel=Gaussian(1.0))
    1.0
    """
    from .nystrom import checked_indices

    X = settled(X)
    if stays(X, memory):
        from .judging import looked_in_parts

        return looked_in_parts(X, indices, kernel, None, memory).coverage
    K = X if isinstance(X, KernelMatrix) else kernel_matrix(X, kernel, memory=memory)
    picks = checked_indices(indices, K.n)
    lengths = np.sqrt(K.diagonal())
    lengths[lengths == 0] = 1.0
    nearest_pick = (K.columns(picks) / lengths[picks]).max(axis=1) / lengths
    return float(nearest_pick.mean())


def relative_error(
    X: Any,
    indices: Any,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    norm: Norm = "operator",
    eps: float | None = None,
    memory: int = MEMORY,
) -> float:
    """||K - K_hat|| / ||K|| of the Nystrom approximation from these picks.

    ``norm``: "operator" (largest eigenvalue), "max" (largest entry), "trace" or "frobenius".
    ``eps=1e-12`` is the paper's (K_CC + 1e-12 I)^-1; None the pseudo-inverse. "trace" and "max" need k
    columns of K, "frobenius" one pass over all of it in row blocks, "operator" a few products with it.
    X may be a kernel matrix from `kernel_matrix`, to be used for several calls; for "trace" and "max" also a
    Dask collection. These two are one pass where the rows are; for the others rows of files come into memory.

    >>> from diverset.kernels import Gaussian
    >>> X = [[0.0], [0.1], [3.0]]
    >>> relative_error(X, [0, 2], kernel=Gaussian(1.0), norm="trace") < 0.01
    True
    """
    from .nystrom import Nystrom

    if norm not in get_args(Norm):
        raise ValueError(nearest("norm", norm, get_args(Norm)))
    if is_dask(X) and norm not in _ON_THE_DIAGONAL:
        raise ValueError(
            f"norm={norm!r} reads all of the kernel matrix, and the rows of X are with Dask. "
            "Type norm='trace' or 'max', or X=X.compute()."
        )
    X = settled(X)
    if stays(X, memory) and norm in _ON_THE_DIAGONAL:
        from .judging import looked_in_parts

        left = looked_in_parts(X, indices, kernel, eps, memory)
        return left.trace if norm == "trace" else left.max
    K = X if isinstance(X, KernelMatrix) else kernel_matrix(X, kernel, memory=memory)
    F = Nystrom(K, indices, eps=eps).columns()
    if norm in _ON_THE_DIAGONAL:
        diagonal = K.diagonal()
        left = diagonal - np.einsum("ij,ij->i", F, F)
        # both matrices are positive semi-definite: their largest entries stand on the diagonal
        sums = (left.sum(), diagonal.sum()) if norm == "trace" else (np.abs(left).max(), diagonal.max())
        return float(sums[0] / sums[1])
    if norm == "operator":
        return _largest(K, F) / _largest(K, np.empty((K.n, 0)))
    return _frobenius(K, F)


def _largest(K: KernelMatrix, F: Floats) -> float:
    """The largest absolute eigenvalue of K - F F^T, by Lanczos from a fixed start."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    if K.fits:
        K.dense()  # many products with few columns: form it once
    if K.n <= 64:
        return float(np.abs(np.linalg.eigvalsh(K.dense() - F @ F.T)).max())

    def product(v: Floats) -> Floats:
        v = v.reshape(K.n, -1)
        return K.matmul(v) - F @ (F.T @ v)

    operator = LinearOperator(K.shape, matvec=product, matmat=product, dtype=np.float64)
    start = np.cos(np.arange(K.n) + 1.0)
    return float(abs(eigsh(operator, k=1, which="LM", v0=start, tol=1e-8, return_eigenvectors=False)[0]))


def _frobenius(K: KernelMatrix, F: Floats) -> float:
    squares = [0.0, 0.0]
    for rows in row_blocks(K.n, _BLOCK):
        block = K.block(rows, slice(None))
        squares[1] += float(np.vdot(block, block))
        block = block - F[rows] @ F.T
        squares[0] += float(np.vdot(block, block))
    return float(np.sqrt(squares[0] / squares[1]))
