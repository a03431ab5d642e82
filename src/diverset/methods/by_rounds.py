"""WHICH k, WHEN ROWS STAY WHERE THEY ARE? The recipes on a pool in parts, a round per panel.

# factor  K_hat = Phi Phi^T of low rank in the place of K
# cases   the picks and their rivals: the only rows whose noise is looked at
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import EPS, Bools, Floats, Ints
from ..rounds.engine import Alone, Cholesky, Embedded, Rounds, greedy_by_rounds
from ..rounds.lowrank import Factor, LowRank
from ..rounds.pool import Fetched
from ..rounds.predicted import greedy_by_predictions
from ..rounds.ratio import Ratio
from ..spectrum import NEAR, cut_spectrum
from .base import Outcome, Problem, floor_of, judged

Geometry = type[Embedded] | type[Alone]


def projector(problem: Problem, solver: LowRank, geometry: Geometry) -> Outcome:
    """Greedy volume, or scores, on the k leading eigenvectors of a factor."""
    pool, factor = problem.rounds, solver.factor(problem.rounds, problem.k)
    cut = min(problem.k, factor.rank)
    near = min(cut + NEAR, factor.rank)
    A = factor.embedding(1 / np.sqrt(factor.values[:near]))
    rows = geometry(pool, factor.view, A[:, :cut])
    choice = replace(problem.choice, k=max(cut, len(problem.choice.forced)))
    trace = greedy_by_rounds(pool, rows, choice, floor_of(problem.n))
    cases = pool.fetch(trace.cases())
    V = pool.coordinates(cases, factor.view, A)
    spectrum = cut_spectrum(
        factor.values,
        V,
        np.zeros_like(V),
        k=cut,
        n=problem.n,
        beyond=0.0,
        level=factor.level,
        floor=0.0,
        products=0,
    )
    lengths = np.einsum("ij,ij->i", spectrum.vectors, spectrum.vectors)
    shared = spectrum.vectors @ rows.Q.T if geometry is Embedded else np.zeros((len(V), len(trace.decisions)))
    clear = _judged(trace, cases, shared, lengths, rows=spectrum.noise, entry=16 * EPS)
    return _outcome(trace, clear, factor, solver, gap=spectrum.gap)


def filtered(problem: Problem, factor: Factor, solver: LowRank, ridge: float, geometry: Geometry) -> Outcome:
    """Greedy volume, or scores, on K_hat (K_hat + ridge I)^-1."""
    pool = problem.rounds
    values = factor.values[: factor.rank]
    A = factor.embedding(1 / np.sqrt(values + ridge))
    rows = geometry(pool, factor.view, A)
    operator = factor.level * values[0] / ridge
    trace = greedy_by_rounds(pool, rows, problem.choice, min(max(floor_of(problem.n), 8 * operator), 0.5))
    cases = pool.fetch(trace.cases())
    B = rows.coordinates(cases)
    shared = B @ rows.Q.T if geometry is Embedded else np.zeros((len(B), len(trace.decisions)))
    lengths = np.einsum("ij,ij->i", B, B)
    clear = _judged(trace, cases, shared, lengths, operator=operator, entry=16 * EPS)
    return _outcome(trace, clear, factor, solver)


def greedy_map(problem: Problem) -> Outcome:
    """Fully pivoted Cholesky of K, whose columns are never in one place."""
    pool = problem.rounds
    geometry = Cholesky(pool, problem.k)
    trace = greedy_by_rounds(pool, geometry, problem.choice, floor_of(problem.n))
    cases = pool.fetch(trace.cases())
    entry = pool.kernel.entry_noise(cases.points) + 16 * EPS
    clear = _judged(trace, cases, geometry.coordinates(cases), pool.diagonal(cases), entry=entry)
    return Outcome(trace.decisions, clear, passes=trace.rounds)


def ratio(problem: Problem, solver: LowRank, kind: Callable[[Factor, int], Ratio]) -> Outcome:
    """Greedy trace or the derandomised k-DPP on a factor: a round for as many picks as can be foreseen."""
    factor = solver.factor(problem.rounds, problem.k)
    cut = min(problem.k, factor.rank)
    choice = replace(problem.choice, k=max(cut, len(problem.choice.forced)))
    trace, clear = greedy_by_predictions(problem.rounds, factor, kind(factor, cut), choice)
    return _outcome(trace, clear, factor, solver)


def tail(factor: Factor, k: int) -> float:
    """The sum of the eigenvalues of K after the first k: its trace is known."""
    return max(float(factor.values.sum()) / (1 - factor.missed) - float(factor.values[:k].sum()), 0.0)


def _judged(trace: Rounds, cases: Fetched, shared: Floats, diagonal: Floats, **noise: Any) -> Bools:
    return judged(trace.among(cases.numbers), _Known(shared), diagonal, **noise)


class _Known:
    """What some items share with the direction of every pick."""

    def __init__(self, shared: Floats) -> None:
        self._shared = shared

    def coordinates(self, items: Ints) -> Floats:
        return self._shared[items]


def _outcome(
    trace: Rounds, clear: Bools, factor: Factor, solver: LowRank, gap: float | None = None
) -> Outcome:
    if not factor.certain:
        clear = np.zeros_like(clear)
    taken = replace(solver, rank=len(factor.W), dtype=factor.dtype, why=solver.why)
    return Outcome(trace.decisions, clear, taken, gap, trace.rounds, factor.missed)
