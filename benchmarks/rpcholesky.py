"""Randomly pivoted Cholesky as published: the rival that the low-rank solver descends from.

Algorithms of Chen, Epperly, Tropp and Webber (arXiv 2207.06503: simple, block) and of Epperly, Tropp and
Webber (arXiv 2410.03969: accelerated, by rejection), from their pseudo-code. The factor F (n x k) is stored.

# d  the diagonal of K - F F^T      S  the pivots so far, in the order they were drawn
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from benchmarks.data import Array

Ints = npt.NDArray[np.int64]
Entries = Callable[[Ints | slice, Ints], Array]  # numbers of rows and of columns -> this block of K
EVERY = slice(None)


def simple(K: Entries, diagonal: Array, k: int, rng: np.random.Generator) -> tuple[Ints, Array]:
    """One pivot at a time, drawn in proportion to d."""
    n = len(diagonal)
    F, d, S = np.zeros((n, k)), diagonal.copy(), np.zeros(k, dtype=np.int64)
    for i in range(k):
        s = rng.choice(n, p=d / d.sum())
        g = K(EVERY, np.array([s]))[:, 0] - F[:, :i] @ F[s, :i]
        F[:, i] = g / np.sqrt(g[s])
        d = np.maximum(d - F[:, i] ** 2, 0.0)
        d[s] = 0.0
        S[i] = s
    return S, F


def accelerated(
    K: Entries, diagonal: Array, k: int, rng: np.random.Generator, block: int
) -> tuple[Ints, Array]:
    """A block of proposals from d, of which rejection keeps those that `simple` could have drawn."""
    n = len(diagonal)
    F, d, S = np.zeros((n, k)), diagonal.copy(), np.zeros(k, dtype=np.int64)
    i = 0
    while i < k:
        proposed = rng.choice(n, size=block, p=d / d.sum())
        H = K(proposed, proposed) - F[proposed, :i] @ F[proposed, :i].T
        kept, L = _rejection(H, rng, k - i)
        new = proposed[kept]
        G = (K(EVERY, new) - F[:, :i] @ F[new, :i].T) @ np.linalg.inv(L).T
        F[:, i : i + len(new)] = G
        d = np.maximum(d - np.einsum("ij,ij->i", G, G), 0.0)
        d[new] = 0.0
        S[i : i + len(new)] = new
        i += len(new)
    return S, F


def _rejection(H: Array, rng: np.random.Generator, most: int) -> tuple[list[int], Array]:
    """Which proposals are kept, and the Cholesky factor of H among them."""
    u = np.diagonal(H).copy()
    left = H.copy()
    kept: list[int] = []
    for j in range(len(H)):
        if rng.random() * u[j] < left[j, j] and len(kept) < most:
            kept.append(j)
            g = left[:, j] / np.sqrt(left[j, j])
            left = left - np.outer(g, g)
    return kept, np.linalg.cholesky(H[np.ix_(kept, kept)])
