"""The swap chain for k-DPPs of Li, Jegelka and Sra (2016), "Fast DPP Sampling for Nyström".

# S  the k items now, at positions 0..k-1     M  the inverse of K_SS
# s  the position that may leave              t  the item that may enter
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..arrays import EPS, Floats, Ints
from ..choice import plan_choice
from ..greedy import KernelPool, greedy
from ..kernels import KernelMatrix
from ..threads import blas_threads

_REFRESH = 100  # accepted swaps after which the inverse is computed anew


def swap_start(K: KernelMatrix, k: int) -> Ints:
    """A set with a positive determinant: the greedy one, without chance."""
    picks = greedy(KernelPool(K), plan_choice(K.n, k), K.same, floor=8 * K.n * EPS).picks
    if len(picks) < k:
        raise ValueError(
            f"mcmc-kdpp needs k items with a positive determinant, but the kernel matrix has the "
            f"numerical rank {len(picks)}, less than k={k}. Type k={len(picks)} or less."
        )
    return picks


def swap_draw(K: KernelMatrix, start: Ints, steps: int, rng: np.random.Generator) -> Ints:
    """The set after so many steps; each step costs O(k^2) and at most k entries of K.

    With probability 1/2 nothing happens (a lazy chain has no period). Else a random s and t are
    swapped with probability min(1, det K_S'S' / det K_SS). With M the inverse of K_SS, and b the
    entries of K between S and t with zero in place of s,

        det K_S'S' / det K_SS = M_ss (K_tt - b^T M b) + (M b)_s^2,

    a ratio near one even where both determinants underflow.
    """
    S = start.copy()
    k, n = len(S), K.n
    if k == n:
        return S
    rest = np.setdiff1d(np.arange(n), S)
    diagonal = K.diagonal()
    moves = int(rng.binomial(steps, 0.5))
    leaving, entering = rng.integers(k, size=moves), rng.integers(n - k, size=moves)
    bars = rng.random(moves).tolist()
    with blas_threads(1):
        M = _inverse(K, S)
        swaps = 0
        for s, place, bar in zip(leaving.tolist(), entering.tolist(), bars, strict=True):
            t = int(rest[place])
            b = K.block([t], S)[0]
            b[s] = 0.0
            shared = M @ b
            ratio = M[s, s] * (diagonal[t] - b @ shared) + shared[s] ** 2
            if ratio <= bar:
                continue
            S[s], rest[place] = t, S[s]
            swaps += 1
            M = _inverse(K, S) if swaps % _REFRESH == 0 else _swapped(M, s, shared, ratio)
    return S


def _inverse(K: KernelMatrix, S: Ints) -> Floats:
    """The inverse of K_SS; a matrix that is singular to rounding is lifted by just that."""
    block = K.block(S, S)
    eye = np.eye(len(S))
    try:
        return np.asarray(cho_solve(cho_factor(block), eye))
    except LinAlgError:
        lift = 8 * len(S) * EPS * float(block.diagonal().max())
        return np.asarray(cho_solve(cho_factor(block + lift * eye), eye))


def _swapped(M: Floats, s: int, shared: Floats, ratio: float) -> Floats:
    """The inverse after position s holds another item: s is taken out, then t put in its place."""
    without = M - np.outer(M[:, s], M[s]) / M[s, s]
    weights = shared - M[:, s] * (shared[s] / M[s, s])
    weights[s] = -1.0
    # what t adds to the determinant of the others, ratio / M_ss, is what is left of K_tt
    updated: Floats = without + np.outer(weights, weights) * (M[s, s] / ratio)
    return updated
