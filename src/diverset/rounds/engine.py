"""The greedy on a pool in parts: one round per panel, not per pick.

# panel    the rows with the largest gains of every part, fetched; the plain greedy runs on them
# bounds   the largest gains of all other rows when the round was made: they can only have fallen since
# cases    the picks and their rivals, whose gains decide whether a pick is clear of the noise
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..choice import Choice
from ..greedy import TIE, Decision, decide, forced_decision, new_direction, scaled_column
from .pool import FETCHED, Fetched, RoundPool
from .tasks import Bounds, Question, View, foremost

# rows of a panel, over all parts: an eighth of the pool within these bounds, if there is memory for them
_PANEL = 2**12, 2**14


def panel_rows(pool: RoundPool, wanted: int, width: int) -> int:
    """Rows of a panel for so many picks, with so many coordinates each (and copies of them on the way)."""
    rows = min(max(pool.n // 8, _PANEL[0]), _PANEL[1], int(FETCHED * pool.memory / (2.5 * 8 * width)))
    return max(2 * wanted, rows)


class Geometry(Protocol):
    """What a row adds, and what every pick takes off it."""

    width: int  # coordinates of a row

    def question(self) -> tuple[View, Floats | None, Floats]:
        """View, start and removed, for the parts."""

    def panel(self, rows: Fetched) -> Panel: ...
    def keep(self, panel: Any) -> None:
        """The picks of this panel were made."""


class Panel(Protocol):
    gains: Floats

    def pick(self, at: int) -> None: ...


class Embedded:
    """Rows k(x, S) A of an embedding; a pick takes off the direction of its row."""

    def __init__(self, pool: RoundPool, view: View, A: Floats) -> None:
        self._pool, self._view, self._A = pool, view, A
        self.width = A.shape[1]
        self.Q = np.empty((0, A.shape[1]))

    def question(self) -> tuple[View, Floats | None, Floats]:
        return self._view, self._A, self._A @ self.Q.T

    def coordinates(self, rows: Fetched) -> Floats:
        """The embedding of fetched rows."""
        return self._pool.coordinates(rows, self._view, self._A)

    def panel(self, rows: Fetched) -> _EmbeddedPanel:
        return _EmbeddedPanel(self.coordinates(rows), self.Q)

    def keep(self, panel: Any) -> None:
        self.Q = panel.Q


class _EmbeddedPanel:
    def __init__(self, rows: Floats, Q: Floats) -> None:
        self._rows, self.Q = rows, Q
        left = rows - (rows @ Q.T) @ Q
        self.gains: Floats = np.einsum("ij,ij->i", left, left)

    def pick(self, at: int) -> None:
        direction = new_direction(self._rows[at], self.Q)
        self.Q = np.vstack([self.Q, direction])
        self.gains -= (self._rows @ direction) ** 2
        np.maximum(self.gains, 0.0, out=self.gains)


class Alone(Embedded):
    """The same rows, but a pick takes nothing off the others: scores."""

    def keep(self, panel: Any) -> None: ...

    def panel(self, rows: Fetched) -> Any:
        panel = super().panel(rows)
        panel.pick = lambda at: None  # type: ignore[method-assign]  # nothing changes
        return panel


class Cholesky:
    """Rows of K itself; the picks are the landmarks, and W the inverse of their triangular factor."""

    def __init__(self, pool: RoundPool, k: int) -> None:
        self._pool, self.width = pool, k
        self.view = pool.no_view()
        self.W: Floats = np.empty((0, 0))

    def question(self) -> tuple[View, Floats | None, Floats]:
        return self.view, None, self.W

    def coordinates(self, rows: Fetched) -> Floats:
        """What fetched rows share with the direction of every pick."""
        return self._pool.coordinates(rows, self.view, self.W)

    def panel(self, rows: Fetched) -> _CholeskyPanel:
        return _CholeskyPanel(self._pool, rows, self.coordinates(rows))

    def keep(self, panel: Any) -> None:
        places, old = panel.places, len(self.W)
        F = panel.F[:, places].T  # rows of the picks: before, and among themselves
        L = np.tril(F[:, old:])
        none = np.flatnonzero(np.diagonal(L) == 0)  # a pick without a direction of its own, such as a copy
        L[none, none] = 1.0
        corner = np.linalg.inv(L).T
        corner[:, none] = 0.0
        W = np.zeros((old + len(places), old + len(places)))
        W[:old, :old] = self.W
        W[:old, old:] = -(self.W @ F[:, :old].T) @ corner
        W[old:, old:] = corner
        self.W = W
        rows = panel.rows
        weights = None if rows.weights is None else rows.weights[places]
        self.view = self.view.extended(rows.rows[places], weights)


class _CholeskyPanel:
    def __init__(self, pool: RoundPool, rows: Fetched, F: Floats) -> None:
        self._pool, self.rows = pool, rows
        self.F: Floats = np.ascontiguousarray(F.T)
        self.gains = np.maximum(pool.diagonal(rows) - np.einsum("ij,ij->i", F, F), 0.0)
        self.places: list[int] = []

    def pick(self, at: int) -> None:
        here = slice(at, at + 1)
        weights = None if self.rows.weights is None else self.rows.weights[here]
        column = self._pool.between(self.rows, self.rows.points.take(here), weights)[:, 0]
        column = scaled_column(column - self.F[:, at] @ self.F, at)
        self.F = np.vstack([self.F, column])
        self.gains = np.maximum(self.gains - column**2, 0.0)
        self.places.append(at)


@dataclass(frozen=True, eq=False)
class Rounds:
    """What the engine did: decisions by row number."""

    decisions: list[Decision]
    rounds: int

    def cases(self) -> Ints:
        """The numbers of all picks and rivals, rising."""
        none = np.empty(0, dtype=np.int64)
        return np.unique(np.concatenate([none, *(np.append(d.rivals, d.pick) for d in self.decisions)]))

    def among(self, cases: Ints) -> list[Decision]:
        """The decisions by place in ``cases``."""
        return [
            d._replace(pick=int(np.searchsorted(cases, d.pick)), rivals=np.searchsorted(cases, d.rivals))
            for d in self.decisions
        ]


def greedy_by_rounds(pool: RoundPool, geometry: Geometry, choice: Choice, floor: float) -> Rounds:
    """The picks of `greedy` for a pool in parts; ends early when no gain is above ``floor`` x the first."""
    state = _State(pool, geometry, choice, floor)
    before = pool.rounds
    state.force()
    while len(state.decisions) < choice.k and state.round():
        pool.tell("picks", len(state.decisions), choice.k)
    return Rounds(state.decisions, pool.rounds - before)


class _State:
    def __init__(self, pool: RoundPool, geometry: Geometry, choice: Choice, floor: float) -> None:
        self._pool, self._geometry, self._choice = pool, geometry, choice
        self._key = pool.key("picks")
        self._share = floor
        self._floor: float | None = None  # known when the first gains are
        self.decisions: list[Decision] = []
        self._fullness = Fullness(choice)

    def force(self) -> None:
        """The picks that are not ours to make."""
        if not self._choice.forced:
            return
        forced = np.array(self._choice.forced, dtype=np.int64)
        panel = self._geometry.panel(self._pool.fetch(forced))
        self._set_floor(self._pool.candidates(Question(self._key, *self._geometry.question(), 1)).gains)
        for at, number in enumerate(forced.tolist()):
            self.decisions.append(forced_decision(number, float(panel.gains[at])))
            self._fullness.take(number)
            panel.pick(at)
        self._geometry.keep(panel)

    def round(self) -> bool:
        """Ask all parts for their best rows, and pick among them. False when nothing is left."""
        wanted = self._choice.k - len(self.decisions)
        view, start, removed = self._geometry.question()
        rows_wanted = panel_rows(self._pool, wanted, self._geometry.width)
        most = max(2 * wanted, rows_wanted // len(self._pool.parts.sizes))
        taken = tuple(d.pick for d in self.decisions)
        question = Question(self._key, view, start, removed, most, taken=taken)
        numbers, gains, _, bounds = self._pool.candidates(question, self._fullness.closed())
        numbers, gains = numbers[gains > -np.inf], gains[gains > -np.inf]
        if len(numbers) == 0:
            return False
        kept = np.sort(foremost(gains, rows_wanted))  # one panel, however many parts
        bounds = Bounds.joined([bounds, _bounds_of(np.delete(numbers, kept), np.delete(gains, kept))])
        numbers = numbers[kept]
        rows = self._pool.fetch(numbers)
        panel = self._geometry.panel(rows)
        self._set_floor(panel.gains)
        open_ = np.ones(len(numbers), dtype=bool)
        picks: list[int] = []
        while len(picks) < wanted and open_.any():
            best = float(panel.gains[open_].max())
            if best <= self._floor:  # type: ignore[operator]  # set above
                break
            decision = decide(panel.gains, open_, rows.same)
            number = int(numbers[decision.pick])
            if picks and not _stands(decision, panel.gains, *bounds.around(number)):
                break  # a row that was not fetched may be better now, or its nearest rival
            picks.append(number)
            rest = min(decision.rest, bounds.clearance(number, decision.gain))
            self.decisions.append(decision._replace(pick=number, rivals=numbers[decision.rivals], rest=rest))
            panel.pick(decision.pick)
            open_[decision.pick] = False
            full = self._fullness.take(picks[-1])
            if full is not None:
                open_ &= self._choice.codes[numbers] != full  # type: ignore[index]  # only groups get full
        if picks:
            self._geometry.keep(panel)
        return bool(picks)

    def _set_floor(self, gains: Floats) -> None:
        if self._floor is None:
            self._floor = self._share * float(gains.max(initial=0.0))


class Fullness:
    """Which groups are full, as picks are made."""

    def __init__(self, choice: Choice) -> None:
        self._barred = choice.barred if choice.barred.any() else None
        self._codes = choice.codes
        self._left = None if choice.quotas is None else choice.quotas.copy()

    def take(self, number: int) -> int | None:
        """Count the pick in its group; the group, if that is full now."""
        if self._left is None or self._codes is None:
            return None
        code = int(self._codes[number])
        self._left[code] -= 1
        return code if self._left[code] == 0 else None

    def copy(self) -> Fullness:
        """A state to try picks on."""
        twin = copy(self)
        twin._left = None if self._left is None else self._left.copy()
        return twin

    def closed(self) -> Bools | None:
        """Rows that may not be picked, besides those that were; None if there are none."""
        if self._left is None or self._codes is None or (self._left > 0).all():
            return self._barred
        full = (self._left <= 0)[self._codes]
        return full if self._barred is None else self._barred | full


def _bounds_of(numbers: Ints, gains: Floats) -> Bounds:
    """Of rows whose gains are known."""
    return Bounds(numbers, np.full(len(numbers), -np.inf), gains)


def _stands(decision: Decision, gains: Floats, earlier: float, later: float) -> bool:
    """Whether rows that were not fetched, with at most so much, can beat neither the pick nor its rival."""
    rival = float(gains[decision.rivals].max(initial=-np.inf))
    return decision.gain * (1 - TIE) > earlier and rival >= max(earlier, later)
