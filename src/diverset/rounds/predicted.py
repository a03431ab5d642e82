"""The greedy on scores that may rise: the next picks are predicted, and a round tells which were right.

Scores that may rise have no bound from earlier rounds, so that every pick takes a look at all rows. But one
look serves many picks: the parts follow the steps of all predicted picks, and answer for each state on
the way. The picks up to the first wrong prediction are made, and that one is replaced by the right one.

# panel   the rows that scored best before the last pick: predictions are made on them alone
# tries   the predicted picks
# near    rows that score nearly as much as the best one: are they its copies?
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..choice import Choice
from ..greedy import NEAR_TIE, TIE, Decision, clearances, decide, forced_decision
from .engine import Fullness, Rounds, panel_rows
from .lowrank import Factor
from .pool import Fetched, RoundPool
from .ratio import STRETCH, Lengths, Rated, Ratio, move, noise_of, rate, rated
from .tasks import foremost

_TRIES = 16  # picks predicted at most
_PANEL = 2**11  # rows of a panel, over all parts
_FEW, _MANY = 32, 2**14  # rows put forward by a stretch, unless that is more than these together


def greedy_by_predictions(
    pool: RoundPool, factor: Factor, ratio: Ratio, choice: Choice
) -> tuple[Rounds, Bools]:
    """Up to k picks, each with the largest score, and which are clear of the noise."""
    before = pool.rounds
    state = _State(pool, factor, ratio, choice)
    state.force()
    while len(state.decisions) < choice.k and state.round():
        pool.tell("picks", len(state.decisions), choice.k)
    return Rounds(state.decisions, pool.rounds - before), np.array(state.clear, dtype=bool)


class _State:
    def __init__(self, pool: RoundPool, factor: Factor, ratio: Ratio, choice: Choice) -> None:
        self._pool, self._factor, self._ratio, self._choice = pool, factor, ratio, choice
        self._fullness = Fullness(choice)
        self._panel: _Panel | None = None
        self._right = 0  # predictions of the round before
        self.decisions: list[Decision] = []
        self.clear: list[bool] = []
        self._question = Lengths(
            key=pool.key("lengths"),
            view=factor.view,
            start=factor.W @ factor.turn,
            weights=ratio.weights,
            kind=ratio.kind,
            least=ratio.least,
            noise=ratio.noise,
            steps=np.empty((len(factor.W), 0)),
            changes=np.empty((0, 2)),
            most=_share(pool),
        )

    def force(self) -> None:
        """The picks that are not ours to make."""
        if self._choice.forced:
            rows = self._pool.fetch(np.array(self._choice.forced, dtype=np.int64))
            for at, number in enumerate(self._choice.forced):
                self._make(forced_decision(number, np.nan), True, self._kernel_values(rows, at))

    def round(self) -> bool:
        """Predict, ask all parts, and make the picks up to the first wrong prediction, that one put right."""
        question, tries = self._predicted()
        answers = self._pool.ask(rate, question, self._fullness.closed())
        states = [Rated.joined(state) for state in zip(*answers, strict=True)]
        rows = self._pool.fetch(np.unique(np.concatenate([found.numbers[_near(found)] for found in states])))
        self._right = 0
        for found, predicted in zip(states, [*tries, None], strict=True):
            if len(found.numbers) == 0 or float(found.scores.max()) <= 0:
                return False
            same = _Same(rows, found.numbers)
            local = decide(found.scores, np.ones(len(found.numbers), dtype=bool), same)
            noise = noise_of(self._question, 0, found.rising, found.falling)
            pick = int(found.numbers[local.pick])
            decision = local._replace(pick=pick, rivals=found.numbers[local.rivals])
            values = self._kernel_values(rows, int(np.searchsorted(rows.numbers, pick)))
            self._make(decision, _clear(local, found, noise, same), values)
            if pick != predicted:
                break
            self._right += 1
        if len(self.decisions) < self._choice.k:
            size = min(_PANEL, panel_rows(self._pool, 1, len(self._factor.W)))
            self._panel = _Panel(self._pool, self._factor, found.at(np.sort(foremost(found.scores, size))))
            self._panel.follow(self._question)
        return True

    def _predicted(self) -> tuple[Lengths, list[int]]:
        """The question with the steps of the picks that are likely to come, and these."""
        wanted = min(_TRIES, self._choice.k - len(self.decisions) - 1, 2 * self._right + 4)
        question, tries = self._question, list[int]()
        if self._panel is not None:
            ratio, fullness = copy(self._ratio), self._fullness.copy()
            self._panel.close(fullness.closed())
            while len(tries) < wanted:
                at = self._panel.best(question)
                if at is None or fullness.take(int(self._panel.numbers[at])) is not None:
                    break  # a full group changes who may be picked: that takes a round
                tries.append(int(self._panel.numbers[at]))
                values = self._panel.values[at]
                question = _stepped(question, tries[-1], self._factor, ratio, values)
                self._panel.follow(question)
        return replace(question, made=self._question.made), tries

    def _kernel_values(self, rows: Fetched, at: int) -> Floats:
        values: Floats = self._pool.columns(rows.at(slice(at, at + 1)), self._factor.view)[0]
        return values

    def _make(self, decision: Decision, clear: bool, values: Floats) -> None:
        self.decisions.append(decision)
        self.clear.append(clear)
        self._fullness.take(decision.pick)
        question = _stepped(self._question, decision.pick, self._factor, self._ratio, values)
        self._question = replace(question, made=len(question.picks))


def _stepped(question: Lengths, pick: int, factor: Factor, ratio: Ratio, values: Floats) -> Lengths:
    """The same question after one more pick, with these kernel values."""
    a, b, c, d = ratio.step(values @ factor.W)
    return replace(
        question,
        steps=np.column_stack([question.steps, factor.W @ a, factor.W @ b]),
        changes=np.vstack([question.changes, [c, d]]),
        picks=(*question.picks, pick),
    )


class _Panel:
    """Rows that scored well, with their kernel values and lengths."""

    def __init__(self, pool: RoundPool, factor: Factor, found: Rated) -> None:
        self.numbers = found.numbers
        self.values = pool.columns(pool.fetch(found.numbers), factor.view)
        self._lengths = np.stack([found.rising, found.falling])
        self._open = np.ones(len(found.numbers), dtype=bool)

    def close(self, closed: Bools | None) -> None:
        """Rows that may not be picked any more."""
        if closed is not None:
            self._open &= ~closed[self.numbers]

    def follow(self, question: Lengths) -> None:
        """Bring the lengths up to date with the last pick."""
        a, b = (self.values @ question.steps[:, -2:]).T
        move(self._lengths, a, b, *question.changes[-1])
        self._open &= self.numbers != question.picks[-1]

    def best(self, question: Lengths) -> int | None:
        """The place of the row that will be picked, if no row outside is better."""
        scores = np.where(self._open, rated(question, *self._lengths), 0.0)
        largest = float(scores.max(initial=0.0))
        return int(np.argmax(scores >= largest * (1 - TIE))) if largest > 0 else None


class _Same:
    """Which of the rows that were put forward are copies: asked only of those that are near the best."""

    def __init__(self, rows: Fetched, numbers: Ints) -> None:
        self._rows, self._numbers = rows, numbers

    def __call__(self, item: int, others: Ints) -> Bools:
        places = np.searchsorted(self._rows.numbers, self._numbers[np.append(others, item)])
        return self._rows.same(int(places[-1]), places[:-1])


def _share(pool: RoundPool) -> int:
    """Rows that every stretch puts forward."""
    stretches = int((-(-pool.parts.sizes // STRETCH)).sum())
    return max(_PANEL // stretches, min(_FEW, _MANY // stretches), 4)


def _near(found: Rated) -> Bools:
    return np.asarray(found.scores >= found.scores.max(initial=0.0) * (1 - NEAR_TIE))


def _clear(decision: Decision, found: Rated, noise: Floats, same: Any) -> bool:
    """Whether the noise leaves the pick ahead of all rows that were put forward, and of all others."""
    pick, number = decision.pick, int(found.numbers[decision.pick])
    shares = found.scores / decision.gain
    doubt = noise[pick] + noise * shares
    ahead = clearances(number, 1 - shares, found.numbers)
    doubtful = np.flatnonzero(doubt >= ahead)
    if not _near(found)[doubtful].all() or not same(pick, doubtful).all():
        return False
    return bool(noise[pick] < found.bounds.clearance(number, decision.gain))  # their noise is in the bounds
