"""The methods whose scores are ratios, and may rise: one round per pick.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from ..arrays import EPS, Bools, Floats, Ints
from ..choice import Choice
from ..greedy import TIE, Decision, clearances, decide, forced_decision, new_direction
from .engine import Fullness, Rounds
from .lowrank import Factor
from .parts import Part
from .pool import RoundPool
from .tasks import View, squares

Kind: TypeAlias = Literal["s/l", "l/s"]
_FEW = 32  # rows that each part puts forward


@dataclass(frozen=True, eq=False)
class Lengths:
    """Asks for the rows with the largest ratio, after these steps."""

    key: str
    view: View
    starts: tuple[Floats, Floats]  # s and l are ||k(x, S) start||^2 before any pick
    steps: Floats  # k(x, S) -> f . a and f . b of every step, side by side
    changes: Floats  # c and d of every step
    kind: Kind
    least: tuple[float, float]  # below which s and l are rounding
    taken: tuple[int, ...] = ()


class Rated(NamedTuple):
    """The best rows of a part, or of all: their scores, s and l, and l before any pick."""

    numbers: Ints
    scores: Floats
    rising: Floats
    falling: Floats


def rate(part: Part, question: Lengths) -> Rated:
    """The best rows of this part."""
    rising, falling, done = part.cache.get(question.key, (None, None, 0))
    fresh = rising is None or done > len(question.changes)  # of a later round: this is an earlier one again
    done = 0 if fresh else done
    rising, falling = np.empty((2, part.rows.shape[0])) if fresh else (rising.copy(), falling.copy())
    new, changes = question.steps[:, 2 * done :], question.changes[done:]
    if fresh or len(changes):
        for here, _, columns in question.view.columns(part):
            if fresh:
                rising[here], falling[here] = (squares(columns @ start) for start in question.starts)
            along = columns @ new
            for at, (c, d) in enumerate(changes):
                a, b = along[:, 2 * at], along[:, 2 * at + 1]
                rising[here] += a * (c * a - 2 * b)
                falling[here] -= d * a * a
        np.maximum(rising, 0.0, out=rising)
        np.maximum(falling, 0.0, out=falling)
        part.cache[question.key] = rising, falling, len(question.changes)
    scores = rated(question, rising, falling)
    if part.along is not None and part.along[1] is not None:
        scores[part.along[1]] = -np.inf
    out = np.array(question.taken, dtype=np.int64) - part.first
    scores[out[(out >= 0) & (out < len(scores))]] = -np.inf
    if len(scores) > _FEW:
        best = np.argpartition(scores, len(scores) - _FEW)[len(scores) - _FEW :]
        best = np.union1d(best, np.argmax(scores >= scores.max() * (1 - TIE)))
    else:
        best = np.arange(len(scores))
    best = best[scores[best] > -np.inf]
    return Rated(part.first + best, scores[best], rising[best], falling[best])


def rated(question: Lengths, rising: Floats, falling: Floats) -> Floats:
    """The scores."""
    least_rising, least_falling = question.least
    if question.kind == "s/l":
        scores = rising / np.maximum(falling, least_falling)
    else:
        scores = falling / np.maximum(rising, least_rising)
    scores[falling <= least_falling] = 0.0
    return np.asarray(scores)


class Ratio(Protocol):
    """One of the two methods."""

    kind: Kind
    starts: tuple[Floats, Floats]  # from f
    least: tuple[float, float]

    def step(self, f: Floats) -> tuple[Floats, Floats, float, float]:
        """a, b, c and d of the pick with this row."""

    def noise(self, rising: Floats, falling: Floats) -> Floats:
        """The relative rounding of the scores."""


class TraceDrop:
    """Farahat's greedy on the drop of tr(K - K_hat)."""

    kind: Kind = "s/l"

    def __init__(self, factor: Factor) -> None:
        self._M, self._level = factor.gram, factor.level * float(factor.values[0])
        root = factor.turn * np.sqrt(factor.values)
        self.starts = root, np.eye(len(root))
        self.least = 0.0, factor.level * float(np.sqrt(factor.values[0]))
        self._G = np.empty((0, len(root)))

    def step(self, f: Floats) -> tuple[Floats, Floats, float, float]:
        g = new_direction(f, self._G)
        Mg = self._M @ g
        b = Mg - self._G.T @ (self._G @ Mg)
        self._G = np.vstack([self._G, g])
        return g, b, float(g @ Mg), 1.0

    def noise(self, rising: Floats, falling: Floats) -> Floats:
        return (
            64
            * (len(self._G) + 1)
            * self._level
            * (1 / np.maximum(rising, EPS) + 1 / np.maximum(falling, EPS))
        )


class GainPerCost:
    """The derandomised k-DPP."""

    kind: Kind = "l/s"

    def __init__(self, factor: Factor, k: int, n: int) -> None:
        values = factor.values
        self._A = factor.turn[:, :k] / np.sqrt(values[:k])
        self._Z = factor.turn[:, k:].copy()
        self.starts = self._Z.copy(), self._A
        mean = float(values[k:].sum()) / n
        # DEPARTURE: the same floor of costs as in memory, see `DerandomizedKDPP`
        self.least = max(1e-6 * mean, 8 * factor.level * float(values[0]) / n), 8 * EPS
        after = float(values[k]) if len(values) > k else 0.0
        with np.errstate(divide="ignore"):  # without a gap, nothing is known
            # how far V may turn
            self._turn = factor.level * np.float64(values[0]) / (values[k - 1] - after)
        self._longest = float(np.sqrt(values[k - 1]))  # a row of V L^(1/2), at most
        self._Q = np.empty((0, k))

    def step(self, f: Floats) -> tuple[Floats, Floats, float, float]:
        v, e = f @ self._A, f @ self._Z
        q = new_direction(v, self._Q)
        self._Q = np.vstack([self._Q, q])
        own = float(v @ q)
        a = (self._A @ q) / own if own > 0 else np.zeros(len(f))
        b = self._Z @ e
        self._Z -= np.outer(a, e)
        return a, b, float(e @ e), own**2

    def noise(self, rising: Floats, falling: Floats) -> Floats:
        gain = 1 / np.sqrt(np.maximum(falling, EPS))
        cost = self._longest / np.sqrt(np.maximum(rising, self.least[0]))
        return np.asarray(16 * (len(self._Q) + 1) * self._turn * (gain + cost))


def one_per_round(pool: RoundPool, factor: Factor, ratio: Ratio, choice: Choice) -> tuple[Rounds, Bools]:
    """Up to k picks, each with the largest score, and which are clear of the noise."""
    before, fullness = pool.rounds, Fullness(choice)
    question = Lengths(
        key=pool.key("lengths"),
        view=factor.view,
        starts=tuple(factor.W @ start for start in ratio.starts),  # type: ignore[arg-type]  # two of them
        steps=np.empty((len(factor.W), 0)),
        changes=np.empty((0, 2)),
        kind=ratio.kind,
        least=ratio.least,
    )
    decisions: list[Decision] = []
    clear: list[bool] = []
    while len(decisions) < choice.k:
        if len(decisions) < len(choice.forced):
            number = choice.forced[len(decisions)]
            row = pool.fetch(np.array([number]))
            decision, sure = forced_decision(number, np.nan), True
        else:
            found = _best(pool, question, fullness)
            if len(found.numbers) == 0 or float(found.scores.max()) <= 0:
                break
            rows = pool.fetch(found.numbers)
            local = decide(found.scores, np.ones(len(found.numbers), dtype=bool), rows.same)
            sure = _clear(local, ratio.noise(found.rising, found.falling))
            row = rows.at(slice(local.pick, local.pick + 1))
            decision = local._replace(pick=int(found.numbers[local.pick]), rivals=found.numbers[local.rivals])
        decisions.append(decision)
        clear.append(sure)
        fullness.take(decision.pick)
        question = _stepped(question, decision.pick, factor, ratio, pool.columns(row, factor.view)[0])
        pool.tell("picks", len(decisions), choice.k)
    return Rounds(decisions, pool.rounds - before), np.array(clear, dtype=bool)


def _best(pool: RoundPool, question: Lengths, fullness: Any) -> Rated:
    answers = pool.ask(rate, question, fullness.closed())
    joined: list[Any] = [np.concatenate(column) for column in zip(*answers, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    return Rated(*(column[order] for column in joined))


def _stepped(question: Lengths, pick: int, factor: Factor, ratio: Ratio, column: Floats) -> Lengths:
    a, b, c, d = ratio.step(column @ factor.W)
    steps = np.column_stack([question.steps, factor.W @ a, factor.W @ b])
    changes = np.vstack([question.changes, [c, d]])
    return Lengths(
        question.key,
        question.view,
        question.starts,
        steps,
        changes,
        question.kind,
        question.least,
        (*question.taken, pick),
    )


def _clear(decision: Decision, noise: Floats) -> bool:
    rivals = decision.rivals
    doubt = noise[decision.pick] + noise[rivals]
    near = (doubt < clearances(decision.pick, decision.leads, rivals)).all()
    return bool(near and 4 * noise.max() < decision.rest)
