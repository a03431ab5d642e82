"""The one deterministic engine: exact greedy in a few passes over the pool. No chance, no clock.

# gains     p(i), what each item would still add; they only ever fall
# pool      all items: rows of an embedding B with B B^T = M, or columns of a kernel matrix
# panel     the few items with the largest gains, on which the next picks are predicted
# columns   one row per pick c: how much every item shares with the new direction of c
# decision  a pick with the gain of the best item it beat, read off exact gains of the whole pool
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from .arrays import EPS, Bools, Floats, Ints
from .choice import Choice, Openings
from .kernels import KernelMatrix
from .threads import blas_for

# Of all items whose gain is within this share of the largest, the one with the lowest index is picked.
# Ties are common (copies, rounded measurements, grids), and rounding would break them at random.
TIE = 1e-9
_RIVALRY = 1e-3  # within this share of the largest, items are rivals: their noise is looked at
_RIVALS = 64  # the closest of them, should there be more
NEAR_TIE = 1e-6  # within this share, items are looked at one by one: are they copies of the pick?
_PANEL = 1024  # panel items at least; a 16th of the pool for large ones
_BATCH = 64  # picks predicted at most before the pool is read again

Same = Callable[[int, Ints], Bools]


class Decision(NamedTuple):
    """One pick and how close it was. Copies of the pick are no rivals."""

    pick: int
    gain: float
    rivals: Ints  # the items that came closest, the best first; at least one if there was any
    leads: Floats  # (gain - gain of rival) / largest gain; negative where a tie went to the lower index
    rest: float  # the relative noise that the pick stands against all other items
    forced: bool = False

    @property
    def margin(self) -> float:
        """The relative lead over the best item it beat; zero for a tie, infinite without any."""
        return max(float(self.leads[0]), 0.0) if len(self.leads) else np.inf


def forced_decision(pick: int, gain: float) -> Decision:
    """A pick that was not ours to make."""
    return Decision(pick, gain, np.empty(0, dtype=np.int64), np.empty(0), np.inf, forced=True)


def decide(gains: Floats, open_: Bools, same: Same) -> Decision:
    """The pick from exact gains: the largest, ties to the lowest index, a copy to its first original."""
    masked = np.where(open_, gains, -np.inf)
    largest = float(masked.max())
    near = np.flatnonzero(masked >= largest * (1 - NEAR_TIE))
    tied = near[masked[near] >= largest * (1 - TIE)]
    pick = int(tied[0])
    if len(near) > 1:
        copies = near[same(pick, near)]
        pick = int(copies[0])
        gain = float(masked[pick])
        masked[copies] = -np.inf
    else:
        gain = largest
        masked[pick] = -np.inf
    rivals = np.flatnonzero(masked >= largest * (1 - _RIVALRY))
    if len(rivals) == 0 and float(masked.max()) > -np.inf:
        rivals = np.array([np.argmax(masked)])
    rivals = rivals[np.argsort(-masked[rivals], kind="stable")]
    leads = (gain - masked[rivals]) / largest
    unseen = clearances(pick, leads[_RIVALS:], rivals[_RIVALS:])
    rest = float(unseen.min(initial=gain / largest - (1 - _RIVALRY) - TIE))
    return Decision(pick, gain, rivals[:_RIVALS], leads[:_RIVALS], rest)


def clearances(pick: int, leads: Floats, rivals: Ints) -> Floats:
    """The relative noise up to which the tie rule prefers the pick to each rival.

    One with a higher index must not lead by TIE, one with a lower index must not come within TIE.
    """
    return leads + np.where(rivals > pick, TIE, -TIE)


class Panel(Protocol):
    """The items of a panel, for the plain greedy among themselves."""

    gains: Floats

    def pick(self, at: int) -> None:
        """Pick the item at this place of the panel and bring the panel's gains up to date."""


class Pool(Protocol):
    """All items, as the engine needs them."""

    @property
    def n(self) -> int: ...
    def start(self) -> Floats:
        """The gains before any pick."""

    def panel(self, items: Ints, gains: Floats) -> Panel: ...
    def columns(self, picks: Ints) -> Floats:
        """What all items share with the directions that these next picks add: one row per pick."""

    def keep(self, count: int) -> None:
        """Of the picks last asked for, the first `count` are made, the others forgotten."""

    def coordinates(self, items: Ints) -> Floats:
        """What these items share with the direction of every pick made: one row per item."""


@dataclass(eq=False)
class Trace:
    """What the engine did."""

    decisions: list[Decision]
    passes: int

    @property
    def picks(self) -> Ints:
        return np.array([d.pick for d in self.decisions], dtype=np.int64)


def greedy(pool: Pool, choice: Choice, same: Same, floor: float = 0.0) -> Trace:
    """Up to k picks, each with the largest gain; ends early when no gain is above ``floor`` x the first.

    The picks are predicted on a panel, then checked against exact gains of the whole pool, which is
    read once per panel; the first wrong prediction and what follows are dropped. The first pick of
    a panel rests on exact gains, so every pass makes at least one.
    """
    openings = choice.start()
    gains = pool.start()
    floor *= float(gains.max())
    trace = Trace([], 0)
    forced = np.array(choice.forced, dtype=np.int64)
    if len(forced):
        _follow(pool, trace, openings, gains, forced, same, floor, forced=True)
    while len(trace.decisions) < choice.k:
        if not openings.open.any() or float(gains[openings.open].max()) <= floor:
            break
        picks = _predict(pool, gains, openings, choice.k - len(trace.decisions), same)
        _follow(pool, trace, openings, gains, picks, same, floor)
    return trace


def _predict(pool: Pool, gains: Floats, openings: Openings, most: int, same: Same) -> Ints:
    """The next picks, by the plain greedy on the items with the largest gains."""
    first = decide(gains, openings.open, same).pick
    masked = np.where(openings.open, gains, -np.inf)
    size = min(pool.n, max(_PANEL, pool.n // 16))
    if size < pool.n:
        order = np.argpartition(masked, pool.n - size - 1)
        items, bound = np.sort(order[pool.n - size :]), float(masked[order[pool.n - size - 1]])
    else:
        items, bound = np.arange(pool.n), -np.inf
    items = items if first in items else np.append(items, first)
    panel = pool.panel(items, gains[items])
    tries = openings.copy()
    picks = [first]
    panel.pick(int(np.searchsorted(items, first)) if items[-1] != first else len(items) - 1)
    tries.take(first)
    while len(picks) < min(most, _BATCH):
        inside = np.where(tries.open[items], panel.gains, -np.inf)
        largest = float(inside.max())
        if largest <= bound or largest <= 0:
            break  # an item outside of the panel may be better now
        at = int(np.flatnonzero(inside >= largest * (1 - TIE))[0])
        picks.append(int(items[at]))
        panel.pick(at)
        tries.take(picks[-1])
    return np.array(picks, dtype=np.int64)


def _follow(
    pool: Pool,
    trace: Trace,
    openings: Openings,
    gains: Floats,
    picks: Ints,
    same: Same,
    floor: float,
    forced: bool = False,
) -> None:
    """Read the pool once for these picks; make those that exact gains confirm (forced ones anyway)."""
    shared = pool.columns(picks)
    trace.passes += 1
    made = 0
    for pick, column in zip(picks.tolist(), shared, strict=True):
        if forced:
            decision = forced_decision(pick, float(gains[pick]))
        else:
            if float(np.max(gains, where=openings.open, initial=-np.inf)) <= floor:
                break
            decision = decide(gains, openings.open, same)
            if decision.pick != pick:
                break
        trace.decisions.append(decision)
        openings.take(pick)
        gains -= column * column
        np.maximum(gains, 0.0, out=gains)
        made += 1
    pool.keep(made)


class RowPool:
    """Items as rows of an embedding B: a pick adds the direction of its row, orthonormalised."""

    def __init__(self, B: Floats) -> None:
        self.B = B
        self.Q = np.empty((0, B.shape[1]))
        self._next = self.Q

    @property
    def n(self) -> int:
        return len(self.B)

    def start(self) -> Floats:
        gains: Floats = np.einsum("ij,ij->i", self.B, self.B)
        return gains

    def panel(self, items: Ints, gains: Floats) -> Panel:
        return _RowPanel(self.B[items], gains.copy(), self.Q)

    def columns(self, picks: Ints) -> Floats:
        Q = self.Q
        for pick in picks:
            Q = np.vstack([Q, new_direction(self.B[pick], Q)])
        self._next = Q[len(self.Q) :]
        with blas_for(self._next.size * self.n):
            return np.asarray(self._next @ self.B.T)

    def keep(self, count: int) -> None:
        self.Q = np.vstack([self.Q, self._next[:count]])

    def coordinates(self, items: Ints) -> Floats:
        return np.asarray(self.B[items] @ self.Q.T)


def new_direction(row: Floats, Q: Floats) -> Floats:
    """The part of a row that Q lacks, of length one (or zero when there is none): twice is enough."""
    length = np.sqrt(row @ row)
    for _ in range(2):
        row = row - Q.T @ (Q @ row)
    left = np.sqrt(row @ row)
    return row / left if left > 8 * EPS * length else np.zeros_like(row)


class _RowPanel:
    def __init__(self, rows: Floats, gains: Floats, Q: Floats) -> None:
        self._rows, self.gains, self._Q = rows, gains, Q

    def pick(self, at: int) -> None:
        direction = new_direction(self._rows[at], self._Q)
        self._Q = np.vstack([self._Q, direction])
        self.gains -= (self._rows @ direction) ** 2


class KernelPool:
    """Items as rows of K itself, of which only the columns of the picks are computed: pivoted Cholesky."""

    def __init__(self, K: KernelMatrix) -> None:
        self.K = K
        self.F = np.empty((0, K.n))
        self._next = self.F
        self._picks = np.empty(0, dtype=np.int64)
        self._asked = self._picks

    @property
    def n(self) -> int:
        return self.K.n

    def start(self) -> Floats:
        return self.K.diagonal()

    def panel(self, items: Ints, gains: Floats) -> Panel:
        return _KernelPanel(self.K, items, gains.copy(), self.F[:, items])

    def columns(self, picks: Ints) -> Floats:
        columns = self.K.columns(picks).T
        old = len(self.F)
        F = np.vstack([self.F, np.empty((len(picks), self.n))])
        with blas_for(len(picks) * old * self.n):
            columns = columns - self.F[:, picks].T @ self.F
        for at, pick in enumerate(picks):
            column = columns[at] - F[old : old + at, pick] @ F[old : old + at]
            F[old + at] = scaled_column(column, pick)
        self._next, self._asked = F, picks
        return F[old:]

    def keep(self, count: int) -> None:
        self.F = self._next[: len(self.F) + count]
        self._picks = np.append(self._picks, self._asked[:count])

    def coordinates(self, items: Ints) -> Floats:
        return self.F[:, items].T


def scaled_column(column: Floats, pick: int) -> Floats:
    """A column of what is left of K, scaled so that its square is taken off the diagonal."""
    left = column[pick]
    return column / np.sqrt(left) if left > 0 else np.zeros_like(column)


class _KernelPanel:
    def __init__(self, K: KernelMatrix, items: Ints, gains: Floats, F: Floats) -> None:
        self._column, self.gains, self._F = K.among(items), gains, F

    def pick(self, at: int) -> None:
        column = self._column(at) - self._F[:, at] @ self._F
        column = scaled_column(column, at)
        self._F = np.vstack([self._F, column])
        self.gains -= column**2


class Scorer(Protocol):
    """Items with a score that every pick changes, and not only downwards."""

    scores: Floats

    def take(self, pick: int) -> None:
        """Bring the scores up to date with this pick."""

    def bounds(self) -> tuple[Floats, Floats]:
        """Between which values each score lies, whatever the noise."""


def one_at_a_time(scorer: Scorer, choice: Choice, same: Same) -> tuple[list[Decision], Bools]:
    """Up to k picks, each with the largest score, and which are clear of the noise of all scores.

    Ends early when no score is above zero.
    """
    openings = choice.start()
    decisions: list[Decision] = []
    clear: list[bool] = []
    for pick in choice.forced:
        decisions.append(forced_decision(pick, float(scorer.scores[pick])))
        clear.append(True)
        openings.take(pick)
        scorer.take(pick)
    while len(decisions) < choice.k:
        if float(np.max(scorer.scores, where=openings.open, initial=0.0)) <= 0:
            break
        decision = decide(scorer.scores, openings.open, same)
        decisions.append(decision)
        openings.take(decision.pick)
        clear.append(_clear_of_all(decision, scorer, openings.open, same))
        scorer.take(decision.pick)
    return decisions, np.array(clear, dtype=bool)


def _clear_of_all(decision: Decision, scorer: Scorer, open_: Bools, same: Same) -> bool:
    pick, (low, high) = decision.pick, scorer.bounds()
    rivals = np.flatnonzero(open_)
    if low[pick] <= 0:
        return False
    doubtful = rivals[clearances(pick, 1 - high[rivals] / low[pick], rivals) <= 0]
    return bool(same(pick, doubtful).all()) if len(doubtful) else True
