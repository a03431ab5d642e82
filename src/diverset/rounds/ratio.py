"""WHOSE SCORES ARE RATIOS, AND MAY RISE? Greedy trace and the derandomised k-DPP on a factor.

Both `GreedyTrace` and `DerandomizedKDPP` follow two squared lengths of every row, and a pick changes them by
two inner products. With f = phi(x):

# rising   s <- s - 2 (f . a) (f . b) + c (f . a)^2     falling  l <- l - d (f . a)^2
# step     a, b, c and d of one pick

         greedy trace                                  derandomised k-DPP
    s    ||R e_i||^2                                   ||E_i||^2, the cost
    l    R_ii                                          the gain
    a    g, the unit vector along what is left of f_c  A q / (v_c . q)
    b    P M g, P what is left of the identity         Z E_c, with Z that makes E_i = f_i Z
    c    g^T M g                                       ||E_c||^2
    d    1                                             (v_c . q)^2

# state    the lengths after some of the picks
# made     picks that stand; those after them were predicted, and the answers tell up to where rightly
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from ..arrays import EPS, Floats, Ints
from ..greedy import new_direction
from ..threads import row_blocks
from .lowrank import Factor
from .parts import Part, shown
from .tasks import Bounds, View, bounds_behind, foremost, open_rows

Kind: TypeAlias = Literal["s/l", "l/s"]
STRETCH = 2**16  # rows whose lengths in all states are in memory at a time


class Step(NamedTuple):
    """What a pick does to the lengths of a row f."""

    a: Floats
    b: Floats
    c: float
    d: float


@dataclass(frozen=True, eq=False)
class Lengths:
    """Asks for the rows with the largest scores, in the state after ``made`` picks and each that follows."""

    key: str
    view: View
    start: Floats  # k(x, S) -> the coordinates of f whose squares make up s and l
    weights: Floats  # and how, before any pick
    kind: Kind
    least: tuple[float, float]  # below which s and l are rounding
    noise: tuple[float, float]  # of scores, from that of s and that of l: see `noise_of`
    steps: Floats  # k(x, S) -> f . a and f . b of every pick, side by side
    changes: Floats  # c and d of every pick
    picks: tuple[int, ...] = ()
    made: int = 0
    most: int = 32  # rows put forward for every state, of a stretch

    @property
    def states(self) -> int:
        return len(self.picks) - self.made + 1


class Rated(NamedTuple):
    """The best rows in one state: their scores, s and l; and what all others may have."""

    numbers: Ints
    scores: Floats
    rising: Floats
    falling: Floats
    bounds: Bounds

    def at(self, places: Ints) -> Rated:
        """Some of them; their bounds are not those of the others any more."""
        numbers, scores, rising, falling, bounds = self
        return Rated(numbers[places], scores[places], rising[places], falling[places], bounds)

    @classmethod
    def joined(cls, several: Any) -> Rated:
        """Of several stretches, by rising number."""
        *columns, bounds = zip(*several, strict=True)
        numbers, scores, rising, falling = (np.concatenate(column) for column in columns)
        order = np.argsort(numbers, kind="stable")
        return cls(numbers[order], scores[order], rising[order], falling[order], Bounds.joined(bounds))


def rate(part: Part, question: Lengths) -> tuple[Rated, ...]:
    """The best rows of this part, for every state."""
    before, done = part.cache.get(question.key, (None, 0))
    if done > question.made:  # of a later round: this is an earlier one again
        before = None
    n = part.rows.shape[0]
    made = np.empty((2, n))
    found: list[list[Rated]] = [[] for _ in range(question.states)]
    for here in row_blocks(n, STRETCH) or [slice(0, 0)]:
        stretch = Part(part.first + here.start, part.rows[here], shown(part.along, here))
        states = _followed(stretch, question, None if before is None else before[:, here], done)
        made[:, here] = states[0]
        for at, lengths in enumerate(states):
            found[at].append(_best(stretch, question, at, *lengths))
    part.cache[question.key] = made, question.made
    return tuple(Rated.joined(stretches) for stretches in found)


def _followed(part: Part, question: Lengths, before: Floats | None, done: int) -> Floats:
    """s and l of all rows in every state, from those after ``done`` picks if they are known."""
    states = np.empty((question.states, 2, part.rows.shape[0]))
    if before is not None:
        states[0] = before
        if done == len(question.picks):
            return states
    done = 0 if before is None else done
    new = question.steps[:, 2 * done :]
    for here, _, columns in question.view.columns(part):
        if before is None:
            squares = columns @ question.start
            squares *= squares
            states[0, :, here] = question.weights @ squares.T
        now = states[0, :, here]
        along = columns @ new
        for at, change in enumerate(question.changes[done:]):
            if done + at >= question.made:
                now = states[done + at - question.made + 1, :, here]
                now[:] = states[done + at - question.made, :, here]
            move(now, along[:, 2 * at], along[:, 2 * at + 1], *change)
    return states


def move(lengths: Floats, a: Floats, b: Floats, c: float, d: float) -> None:
    """One step of s and l, in place; both stay above zero."""
    rising, falling = lengths
    rising += a * (c * a - 2 * b)
    falling -= d * a * a
    np.maximum(lengths, 0.0, out=lengths)


def _best(part: Part, question: Lengths, at: int, rising: Floats, falling: Floats) -> Rated:
    scores = rated(question, rising, falling)
    scores[~open_rows(part, question.picks[: question.made + at])] = -np.inf
    ahead = foremost(scores, question.most)
    ahead = ahead[scores[ahead] > -np.inf]
    highest = np.where(scores > 0, scores * (1 + noise_of(question, at, rising, falling)), scores)
    bounds = bounds_behind(scores, highest, ahead, part.first)
    return Rated(part.first + ahead, scores[ahead], rising[ahead], falling[ahead], bounds)


def rated(question: Lengths, rising: Floats, falling: Floats) -> Floats:
    """The scores."""
    least_rising, least_falling = question.least
    if question.kind == "s/l":
        scores = rising / np.maximum(falling, least_falling)
    else:
        scores = falling / np.maximum(rising, least_rising)
    scores[falling <= least_falling] = 0.0
    return np.asarray(scores)


def noise_of(question: Lengths, at: int, rising: Floats, falling: Floats) -> Floats:
    """The relative rounding of the scores in this state, which grows with every pick.

    For s / l that of both lengths themselves; for l / s that of the rows behind them.
    """
    of_rising, of_falling = question.noise
    power = 1.0 if question.kind == "s/l" else 0.5
    # where a score takes the least length for a shorter one, so does its noise; and none is above 1 / EPS
    floors = (max(x, (of * EPS) ** (1 / power)) for x, of in zip(question.least, question.noise, strict=True))
    rising, falling = (np.maximum(x, floor) for x, floor in zip((rising, falling), floors, strict=True))
    return np.asarray((question.made + at + 1) * (of_rising / rising**power + of_falling / falling**power))


class Ratio(Protocol):
    """One of the two methods, after some picks. No array is written to: a shallow copy can be tried out."""

    kind: Kind
    weights: Floats  # of the squared coordinates along the eigenvectors of Phi^T Phi in s and in l
    least: tuple[float, float]
    noise: tuple[float, float]

    def step(self, f: Floats) -> Step:
        """The step of the pick with this row."""


class TraceDrop:
    """Farahat's greedy on the drop of tr(K - K_hat)."""

    kind: Kind = "s/l"

    def __init__(self, factor: Factor) -> None:
        self._M = factor.gram
        self.weights = np.stack([factor.values, np.ones(len(factor.values))])
        # rounding of l, which never comes near M, and of s, which is made of it
        of_l = EPS * (4 + float(np.abs(factor.W).max()) * np.sqrt(factor.scale)) * factor.scale
        of_s = factor.level * float(factor.values[0]) * factor.scale
        self.noise, self.least = (64 * of_s, 64 * of_l), (0.0, 16 * of_l)
        self._G = np.empty((0, len(self._M)))

    def step(self, f: Floats) -> Step:
        g = new_direction(f, self._G)
        Mg = self._M @ g
        b = Mg - self._G.T @ (self._G @ Mg)
        self._G = np.vstack([self._G, g])
        return Step(g, b, float(g @ Mg), 1.0)


class GainPerCost:
    """The derandomised k-DPP."""

    kind: Kind = "l/s"

    def __init__(self, factor: Factor, k: int, n: int) -> None:
        values = factor.values
        self._A = factor.turn[:, :k] / np.sqrt(values[:k])
        self._Z = factor.turn[:, k:]  # before any pick: each takes an outer product of a and E_c off it
        self._a, self._E = np.empty((0, len(values))), np.empty((0, self._Z.shape[1]))
        cut = np.arange(len(values)) < k
        self.weights = np.stack([~cut, np.divide(cut, values, where=cut, out=np.zeros(len(values)))])
        mean = float(values[k:].sum()) / n
        # DEPARTURE: the same floor of costs as in memory, see `DerandomizedKDPP`
        self.least = max(1e-6 * mean, 8 * factor.level * float(values[0]) / n), 8 * EPS
        after = float(values[k]) if len(values) > k else 0.0
        gap = float(values[k - 1]) - after
        # how far V may turn; without a gap, nothing is known
        turn = 16 * factor.level * float(values[0]) / gap if gap > 0 else 1 / EPS
        self.noise = turn * float(np.sqrt(values[k - 1])), turn  # a row of V L^(1/2) is no longer than that
        self._Q = np.empty((0, k))

    def step(self, f: Floats) -> Step:
        v = f @ self._A
        e = f @ self._Z - (self._a @ f) @ self._E
        q = new_direction(v, self._Q)
        own = float(v @ q)
        a = (self._A @ q) / own if own > 0 else np.zeros(len(f))
        b = self._Z @ e - (self._E @ e) @ self._a
        self._Q, self._a, self._E = (np.vstack(two) for two in ((self._Q, q), (self._a, a), (self._E, e)))
        return Step(a, b, float(e @ e), own**2)
