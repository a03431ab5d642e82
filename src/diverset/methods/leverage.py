"""WHICH k STAND OUT BY THEMSELVES? Leverage scores, sorted; each item is judged without the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import EPS, Floats, Ints
from ..greedy import greedy
from ..messages import positive
from ..rounds.engine import Alone
from ..rounds.lowrank import LowRank
from . import by_rounds
from .base import Outcome, Problem, floor_of, judged


@dataclass(frozen=True)
class TopLeverage:
    """The k items with the largest rank-k leverage scores ||v_i||^2 (Papailiopoulos et al.).

    Equivalent to the first gains of `DeterministicKDPP` without updating them: fast, and blind to
    picks that say the same. For comparison.
    """

    name: ClassVar[str] = "leverage"

    def select(self, problem: Problem) -> Outcome:
        solver = problem.spectral()
        if isinstance(solver, LowRank):
            return by_rounds.projector(problem, solver, Alone)
        K = problem.K
        for spectrum in solver.leading(K, problem.k):
            scores = np.einsum("ij,ij->i", spectrum.vectors, spectrum.vectors)
            pool = _Fixed(scores)
            trace = greedy(pool, problem.choice, K.same, floor_of(K.n))
            clear = judged(trace.decisions, pool, scores, rows=spectrum.noise, entry=16 * EPS)
            if clear.all():
                break
        return Outcome(trace.decisions, clear, solver, spectrum.gap, trace.passes)


class _Fixed:
    """A pool whose gains never change."""

    def __init__(self, scores: Floats) -> None:
        self._scores = scores
        self._made = self._asked = 0

    @property
    def n(self) -> int:
        return len(self._scores)

    def start(self) -> Floats:
        return self._scores.copy()

    def panel(self, items: Ints, gains: Floats) -> _FixedPanel:
        return _FixedPanel(gains)

    def columns(self, picks: Ints) -> Floats:
        self._asked = len(picks)
        return np.zeros((len(picks), self.n))

    def keep(self, count: int) -> None:
        self._made += count

    def coordinates(self, items: Ints) -> Floats:
        return np.zeros((len(items), self._made))


@dataclass
class _FixedPanel:
    gains: Floats

    def pick(self, at: int) -> None:
        pass


@dataclass(frozen=True)
class TopRidgeLeverage:
    """The k items with the largest ridge leverage scores, the diagonal of K (K + n gamma I)^-1 (McCurdy).

    ``gamma=None`` is McCurdy's choice, n gamma = (lambda_k+1 + ... + lambda_n) / k, and at least what
    rounding makes of a sum that is zero.
    """

    gamma: float | None = None

    name: ClassVar[str] = "ridge-leverage"

    def __post_init__(self) -> None:
        if self.gamma is not None:
            positive(self, gamma=self.gamma)

    def select(self, problem: Problem) -> Outcome:
        solver = problem.whole(self)
        if isinstance(solver, LowRank):
            factor = solver.factor(problem.rounds, problem.k)
            ridge = self._ridge(problem, by_rounds.tail(factor, problem.k), float(factor.values[0]))
            return by_rounds.filtered(problem, factor, solver, ridge, Alone)
        K = problem.K
        values, vectors = solver.full(K)
        ridge = self._ridge(problem, float(values[problem.k :].sum()), float(values[0]))
        scores = np.einsum("ij,j->i", vectors**2, values / (values + ridge))
        pool = _Fixed(scores)
        trace = greedy(pool, problem.choice, K.same, floor_of(K.n))
        operator = (4 * EPS + K.entry_noise) * values[0] / ridge
        clear = judged(trace.decisions, pool, scores, operator=operator, entry=16 * EPS)
        return Outcome(trace.decisions, clear, solver, passes=trace.passes)

    def _ridge(self, problem: Problem, tail: float, largest: float) -> float:
        if self.gamma is not None:
            return problem.n * self.gamma
        return max(tail / problem.k, floor_of(problem.n) * largest)
