"""WHICH k, BY CHANCE? The draws that all random methods are made of.

# gains      what each item would still add: the next item is drawn in proportion to it
# stale      gains of some picks ago: upper bounds, from which items are only proposed
# proposals  items drawn from stale gains, accepted with probability (gain now) / (stale gain)
# R          what is left of the proposals' rows once the directions picked are taken out
# L          Cholesky factor of the accepted proposals' Gram matrix, a column per accepted one
"""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np
from scipy.linalg import solve_triangular

from ..arrays import EPS, Floats, Ints
from ..kernels import KernelMatrix
from ..threads import blas_for

# Below so many picks, and up to so many entries of V, the plain chain is the faster of the two
# draws (measured for n = 50 to 20,000, k = 5 to 300). At n = 4,000, k = 100 it takes twice as long.
CHAIN_PICKS = 16
CHAIN_ENTRIES = 2**16
_PROPOSALS = 1024  # at a time, at most: their Gram matrix is formed
_ROUNDING = 64 * EPS  # a gain of this share of an item's first gain is nothing but rounding


def generator(rng: object = None) -> np.random.Generator:
    """A Generator from what users have: a Generator, a seed, or None for a fresh one."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]  # the except is the check
    except (TypeError, ValueError):
        raise TypeError(
            f"rng must be a numpy Generator, a whole number >= 0 or None, got {rng!r}. "
            "Type rng=np.random.default_rng(0)."
        ) from None


def propose(gains: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Independent items, each in proportion to the gains; an item without gain never comes."""
    total = np.cumsum(gains)
    found = np.searchsorted(total, rng.random(count) * total[-1], side="right")
    # u * total may round up to the total: that belongs to the last item with a gain
    within: Ints = np.minimum(found, np.searchsorted(total, total[-1])).astype(np.int64)
    return within


# --- one draw for all methods that take items in proportion to what they still add -----------


class Pool(Protocol):
    """All items, as the draw needs them."""

    def start(self) -> Floats:
        """The gains before any pick."""

    def gram(self, items: Ints) -> Floats:
        """Inner products of what is left of these items' rows."""

    def add(self, positions: list[int], L: Floats) -> Floats:
        """Pick the items at these positions of the last `gram`; how much every gain falls."""


def draw_by_gain(pool: Pool, k: int, rng: np.random.Generator) -> Ints:
    """k distinct items, each drawn in proportion to its gain after those before it.

    Items are proposed from stale gains and accepted with probability (gain now) / (stale gain);
    all gains are brought up to date when half of the remaining picks are made. Fewer than k
    items come back only if no gain is left.
    """
    gains = pool.start()
    floor = _ROUNDING * gains
    picks: list[int] = []
    size = k
    while len(picks) < k and gains.any():
        left = k - len(picks)
        items = propose(gains, min(size, left, _PROPOSALS), rng)
        accepted, L = thin(pool.gram(items), items, gains, floor, (left + 1) // 2, rng)
        picks.extend(items[accepted].tolist())
        size = max(8, 2 * len(accepted))  # where few are accepted, fewer proposals waste less
        if len(picks) < k:
            gains -= pool.add(accepted, L)
            gains[gains <= floor] = 0.0
            gains[picks] = 0.0
    return np.array(picks, dtype=np.int64)


def thin(
    gram: Floats, items: Ints, stale: Floats, floor: Floats, most: int, rng: np.random.Generator
) -> tuple[list[int], Floats]:
    """Go through the proposals in turn and accept up to ``most``: their positions, and L.

    The gain of a proposal now is the diagonal that Cholesky has left at its place.
    """
    bars = np.maximum(rng.random(len(items)) * stale[items], floor[items]).tolist()
    now = gram.diagonal().copy()
    most = min(most, len(items))
    L = np.zeros((len(items), most))
    accepted: list[int] = []
    for at, bar in enumerate(bars):
        if now[at] > bar:
            made = len(accepted)
            L[:, made] = (gram[:, at] - L[:, :made] @ L[at, :made]) / np.sqrt(now[at])
            now -= L[:, made] ** 2
            now[items == items[at]] = 0.0  # no item twice, whatever rounding says
            accepted.append(at)
            if made + 1 == most:
                break
    return accepted, L[accepted, : len(accepted)]


class RowPool:
    """Rows of V with orthonormal columns: the draw is then the projection DPP of V V^T."""

    def __init__(self, V: Floats) -> None:
        self._V = V
        self._Q = np.empty((V.shape[1], 0))
        self._R = np.empty((0, V.shape[1]))

    def start(self) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self._V, self._V))

    def gram(self, items: Ints) -> Floats:
        R = self._V[items]
        for _ in range(2):  # twice is enough
            R = R - (R @ self._Q) @ self._Q.T
        self._R = R
        return np.asarray(R @ R.T)

    def add(self, positions: list[int], L: Floats) -> Floats:
        new, _ = np.linalg.qr(self._R[positions].T)
        self._Q = np.hstack([self._Q, new])
        shared = self._V @ new
        return np.asarray(np.einsum("ij,ij->i", shared, shared))


class KernelPool:
    """Items of a kernel matrix, of which only columns of picks and blocks of proposals are read."""

    def __init__(self, K: KernelMatrix) -> None:
        self._K = K
        self._F = np.empty((0, K.n))
        self._items = np.empty(0, dtype=np.int64)

    def start(self) -> Floats:
        return self._K.diagonal()

    def gram(self, items: Ints) -> Floats:
        self._items = items
        distinct, where = np.unique(items, return_inverse=True)
        F = self._F[:, distinct]
        left = self._K.block(distinct, distinct) - F.T @ F
        return np.asarray(left[np.ix_(where, where)])

    def add(self, positions: list[int], L: Floats) -> Floats:
        picks = self._items[positions]
        columns = self._K.columns(picks).T - self._F[:, picks].T @ self._F
        new = solve_triangular(L, columns, lower=True, check_finite=False)
        self._F = np.vstack([self._F, new])
        return np.asarray(np.einsum("ij,ij->j", new, new))


# --- the draws -------------------------------------------------------------------------------


def projection_draw(V: Floats, rng: np.random.Generator) -> Ints:
    """As many items as V has columns, from the projection DPP of V V^T; V has orthonormal columns.

    The plain chain for a small V (`CHAIN_PICKS`, `CHAIN_ENTRIES`), else proposals from stale gains.
    """
    with blas_for(V.size * V.shape[1]):
        if V.shape[1] < CHAIN_PICKS and V.size <= CHAIN_ENTRIES:
            return chain_draw(V, rng)
        return draw_by_gain(RowPool(V), V.shape[1], rng)


def chain_draw(V: Floats, rng: np.random.Generator) -> Ints:
    """The same law, one item at a time: all gains are brought up to date after every pick."""
    k = V.shape[1]
    gains = np.einsum("ij,ij->i", V, V)
    Q = np.zeros((k, k))
    picks = np.empty(k, dtype=np.int64)
    for made in range(k):
        pick = picks[made] = propose(gains, 1, rng)[0]
        row = V[pick]
        for _ in range(2):  # twice is enough
            row = row - Q[:made].T @ (Q[:made] @ row)
        Q[made] = row / np.sqrt(row @ row)
        gains = np.maximum(gains - (V @ Q[made]) ** 2, 0.0)
        gains[picks[: made + 1]] = 0.0
    return picks


def pivoted_cholesky_draw(K: KernelMatrix, k: int, rng: np.random.Generator) -> Ints:
    """k distinct pivots, each in proportion to the diagonal of K that those before it have left."""
    return filled(draw_by_gain(KernelPool(K), k, rng), K.n, k, rng, "no item adds anything more")


def weighted_draw(weights: Floats, k: int, rng: np.random.Generator) -> Ints:
    """k distinct items in turn, each in proportion to its weight among those not yet drawn.

    By the k largest of log w_i + Gumbel noise, whose order has just this law.
    """
    with np.errstate(divide="ignore"):
        keys = np.log(weights) + rng.gumbel(size=len(weights))
    order = np.argsort(-keys, kind="stable")[:k]
    return filled(order[keys[order] > -np.inf], len(weights), k, rng, "no other weight is positive")


def uniform_draw(n: int, k: int, rng: np.random.Generator) -> Ints:
    """k distinct items, all sets and orders equally likely."""
    return rng.permutation(n)[:k].astype(np.int64)


def filled(picks: Ints, n: int, k: int, rng: np.random.Generator, why: str) -> Ints:
    """The picks, and if they are fewer than k: others at random, with a warning."""
    lacking = k - len(picks)
    if lacking == 0:
        return picks
    warnings.warn(
        f"After {len(picks)} of k={k} items {why}: the last {lacking} were drawn uniformly from "
        f"the rest. Type k={max(len(picks), 1)} to leave them out.",
        stacklevel=3,
    )
    rest = np.setdiff1d(np.arange(n), picks)
    return np.concatenate([picks, rng.permutation(rest)[:lacking]])
