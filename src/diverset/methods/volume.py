"""WHICH k DIFFER MOST? Greedy volume, on the leading eigenvectors, a ridge filter, or K itself.

# V  k leading eigenvectors of K, rows v_i      p  gain: what item i would still add
# f  the filter: B B^T = f(K) is what the engine sees
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import EPS, Floats, Ints
from ..greedy import KernelPool, RowPool, greedy
from ..messages import positive
from ..metrics import log_det
from ..rounds.engine import Embedded
from ..rounds.lowrank import LowRank
from . import by_rounds
from .base import Outcome, Problem, floor_of, judged


@dataclass(frozen=True)
class DeterministicKDPP:
    """The greedy deterministic k-DPP of Schreurs, Fanuel and Suykens: which items differ most?

    With V the k leading eigenvectors of K and P = V V^T, repeatedly pick the item with the largest
    p(i) = P_ii - P_Ci^T P_CC^+ P_Ci. Equivalent to column-pivoted QR of V^T. Large log det, small
    max norm; when eigenvalues decay slowly, `DerandomizedKDPP` stands better for the rest.
    """

    name: ClassVar[str] = "deterministic-kdpp"

    def select(self, problem: Problem) -> Outcome:
        return rest_by_volume(problem, self._by_leading(problem))

    def _by_leading(self, problem: Problem) -> Outcome:
        solver = problem.spectral()
        if isinstance(solver, LowRank):
            return by_rounds.projector(problem, solver, Embedded)
        K = problem.K
        for spectrum in solver.leading(K, problem.k):
            pool = RowPool(spectrum.vectors)
            choice = replace(problem.choice, k=max(spectrum.k, len(problem.choice.forced)))
            trace = greedy(pool, choice, K.same, floor_of(K.n))
            clear = judged(trace.decisions, pool, pool.start(), rows=spectrum.noise, entry=16 * EPS)
            if clear.all():
                break
        return Outcome(trace.decisions, clear, solver, spectrum.gap, trace.passes)


@dataclass(frozen=True)
class GreedyMAP:
    """Greedy maximum of log det K_CC: fully pivoted Cholesky (Chen, Zhang and Zhou 2018).

    Picks the item with the largest K_ii - K_Ci^T K_CC^+ K_Ci. Needs k columns of K and no
    eigenvectors: the fastest; it looks for outliers first. At least 1 - 1/e of the best
    log det(I + K_CC) gain is proven for monotone cases.
    """

    name: ClassVar[str] = "greedy-map"

    def select(self, problem: Problem) -> Outcome:
        problem.no_solver(self)
        if problem.matrix is None or 16 * problem.n * problem.k > problem.memory:
            return by_rounds.greedy_map(problem)
        K = problem.K
        pool = KernelPool(K)
        trace = greedy(pool, problem.choice, K.same, floor_of(K.n))
        return Outcome(
            trace.decisions,
            judged(trace.decisions, pool, K.diagonal(), entry=K.entry_noise + 16 * EPS),
            passes=trace.passes,
        )


def rest_by_volume(problem: Problem, outcome: Outcome) -> Outcome:
    """The same picks, and those that are missing by `GreedyMAP`, from what these leave of K.

    The k leading eigenvectors are those of all items. Rows that rules allow may lie in fewer than k of
    these directions, and still add much that is new.
    """
    made = len(outcome.decisions)
    if made == problem.k or not problem.choice.ruled:
        return outcome
    choice = replace(problem.choice, forced=tuple(outcome.picks.tolist()))
    more = GreedyMAP().select(replace(problem, choice=choice, solver="auto"))
    return replace(
        outcome,
        decisions=outcome.decisions + more.decisions[made:],
        clear=np.concatenate([outcome.clear, more.clear[made:]]),
        passes=outcome.passes + more.passes,
    )


PAPER_GAMMAS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


@dataclass(frozen=True)
class DAS:
    """Deterministic adaptive sampling (Fanuel, Schreurs, Suykens): the greedy on K (K + n gamma I)^-1.

    With several gammas, selects with each and keeps the picks with the largest log det K_CC, as the
    paper does. Needs the whole spectrum: n^3 work, once for all gammas.
    """

    gamma: float | Sequence[float] = PAPER_GAMMAS

    name: ClassVar[str] = "das"

    def __post_init__(self) -> None:
        if isinstance(self.gamma, (Sequence, np.ndarray)) and not isinstance(self.gamma, str):
            object.__setattr__(self, "gamma", tuple(np.ravel(self.gamma).tolist()))  # hashable and comparable
            if not self.gammas:
                raise ValueError("DAS wants at least one gamma, got none. Type DAS(gamma=1e-3).")
        for gamma in self.gammas:
            positive(self, gamma=gamma)

    @property
    def gammas(self) -> tuple[float, ...]:
        return self.gamma if isinstance(self.gamma, tuple) else (self.gamma,)

    def select(self, problem: Problem) -> Outcome:
        solver = problem.whole(self)
        if isinstance(solver, LowRank):
            factor = solver.factor(problem.rounds, problem.k)
            outcomes = [
                by_rounds.filtered(problem, factor, solver, problem.n * gamma, Embedded)
                for gamma in self.gammas
            ]
            return self._best(problem, outcomes)
        values, vectors = solver.full(problem.K)
        outcomes = [self._with(gamma, problem, values, vectors) for gamma in self.gammas]
        return replace(self._best(problem, outcomes), solver=solver)

    def _best(self, problem: Problem, outcomes: list[Outcome]) -> Outcome:
        most = max(len(o.decisions) for o in outcomes)
        outcomes = [o for o in outcomes if len(o.decisions) == most]
        # In the order of the rows, equal sets have equal criteria to the last bit: the first gamma wins.
        sets = [np.sort(o.picks) for o in outcomes]
        criteria, noise = np.array([_log_det(problem, rows) for rows in sets]).T
        best = int(np.argmax(criteria))
        rivals = np.flatnonzero(criteria[best] - criteria <= noise[best] + noise)
        chosen = outcomes[best]
        if any(not np.array_equal(sets[rival], sets[best]) for rival in rivals):
            chosen = replace(chosen, clear=np.zeros_like(chosen.clear))
        return chosen

    def _with(self, gamma: float, problem: Problem, values: Floats, vectors: Floats) -> Outcome:
        K = problem.K
        ridge = K.n * gamma
        pool = RowPool(vectors * np.sqrt(values / (values + ridge)))
        diagonal = pool.start()
        # f(K) moves by at most ||error of K|| max f' = ||error of K|| / (n gamma)
        operator = (4 * EPS + K.entry_noise) * values[0] / ridge
        floor = max(floor_of(K.n), 8 * operator / float(diagonal.max()))
        trace = greedy(pool, problem.choice, K.same, min(floor, 0.5))
        clear = judged(trace.decisions, pool, diagonal, operator=operator, entry=16 * EPS)
        return Outcome(trace.decisions, clear, passes=trace.passes)


def _log_det(problem: Problem, rows: Ints) -> tuple[float, float]:
    """log det K_CC, and how far rounding may carry it: the sum of |K_CC^-1| times that of an entry."""
    if len(rows) == 0:
        return 0.0, 0.0
    K_CC = problem.K_CC(rows)
    least = max(float(np.linalg.eigvalsh(K_CC)[0]), EPS * float(np.trace(K_CC)))
    noise = (16 * EPS + problem.entry_noise) * float(np.diagonal(K_CC).max()) * len(rows) ** 1.5 / least
    return log_det(K_CC), noise
