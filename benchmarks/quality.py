"""How good picks are, from plain formulas that share no line with the library."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from benchmarks.data import Array
from benchmarks.reference import KERNELS, Kernel

JITTER = 1e-12  # the paper's (K_CC + 1e-12 I)^-1
BLOCK_ROWS = 2_048


def quality(
    X: Array, kernel: str, cases: dict[str, list[list[int]]], operator_norm: bool
) -> dict[str, dict[str, float]]:
    """Per case the mean over its sets of picks; the operator norm needs K, the rest does not."""
    X = X.astype(np.float64)
    f = KERNELS[kernel]
    K = f(X, X) if operator_norm else None
    norm = largest_eigenvalue(K, lambda v: K @ v) if K is not None else None
    return {
        name: means([one_set(X, f, np.asarray(picks), K, norm) for picks in sets])
        for name, sets in cases.items()
    }


def one_set(X: Array, f: Kernel, picks: Array, K: Array | None, norm: float | None) -> dict[str, float]:
    """log det K_CC, tr(K - K_hat) / tr(K), and ||K - K_hat|| / ||K|| where K is at hand."""
    K_CC = f(X[picks], X[picks])
    F = nystrom_factor(X, f, picks, K_CC)
    result = {
        "log_det": float(np.log(np.linalg.svd(K_CC, compute_uv=False)).sum()),
        "trace_error": 1.0 - float(np.einsum("ij,ij->", F, F)) / len(X),  # k(x, x) = 1
    }
    if K is not None and norm is not None:
        error = largest_eigenvalue(K, lambda v: K @ v - F @ (F.T @ v))
        result["operator_error"] = error / norm
    return result


def nystrom_factor(X: Array, f: Kernel, picks: Array, K_CC: Array) -> Array:
    """F with F F^T = K_hat = K_C (K_CC + jitter)^-1 K_C^T, made in blocks of rows."""
    values, vectors = np.linalg.eigh(K_CC)
    root = vectors / np.sqrt(np.maximum(values, 0.0) + JITTER)
    starts = range(0, len(X), BLOCK_ROWS)
    return np.vstack([f(X[i : i + BLOCK_ROWS], X[picks]) @ root for i in starts])


def largest_eigenvalue(K: Array, product: Callable[[Array], Array]) -> float:
    """Of a symmetric operator, in modulus; a fixed start, so that the table can be made again."""
    operator = LinearOperator(K.shape, matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=len(K))
    values = eigsh(operator, k=1, which="LM", v0=start, tol=1e-3, return_eigenvectors=False)
    return float(abs(values[0]))


def means(results: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([one[name] for one in results])) for name in results[0]}
