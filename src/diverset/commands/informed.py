"""WHAT IS KNOWN BEFORE A SELECTION? The items, their kernel, its spectrum, and what k will cost.

# whole  whether all eigenvalues were computed, or only the leading ones
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..door import find_problem
from ..kernels import Kernel
from ..kernels.distance import MEDIAN_ROWS
from ..methods import Problem
from ..methods.base import floor_of
from ..planning import Plan, plan
from ..rounds.lowrank import LowRank
from ..spectrum import Dense
from ..threads import narrow
from .bar import progress_bar
from .group import reading_from
from .output import facts_of
from .task import Task, words_about
from .terminal import Teller
from .work import interruptible, method_of, solver_of

WHOLE = 2000  # up to so many items all eigenvalues are computed
USUAL = 20  # picks, where no k is given
_LEADING = 50
_MARKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


@dataclass(frozen=True, eq=False)
class Eigenvalues:
    """Of the kernel matrix, largest first.

    ``rank``    the numerical rank; at least so much, where that is not ``exact``
    ``missed``  the share of the trace that a low-rank factor lacks
    """

    values: Floats
    trace: float
    rank: int
    exact: bool
    missed: float | None = None

    @property
    def shares(self) -> dict[int, float]:
        """The share of the trace in the first directions, for some numbers of them."""
        sums = np.cumsum(self.values) / self.trace
        return {mark: min(1.0, float(sums[mark - 1])) for mark in _MARKS if mark <= len(sums)}


@narrow()
def eigenvalues(problem: Problem) -> Eigenvalues:
    """All of them for small pools, the leading ones for large."""
    solver = problem.spectral()
    if isinstance(solver, LowRank):
        factor = solver.factor(problem.rounds, problem.k)
        values, kept = np.maximum(factor.values, 0), factor.rank
        return Eigenvalues(values, float(values.sum()) / (1 - factor.missed), kept, False, factor.missed)
    K = problem.K
    trace = float(K.diagonal().sum())
    if K.n <= WHOLE or K.has_factor:
        values, _ = Dense().full(K)
        return Eigenvalues(values, trace, int((values > floor_of(K.n) * values[0]).sum()), True)
    *_, spectrum = solver.leading(K, problem.k)
    known = spectrum.values[: spectrum.k]
    exact = spectrum.rank is not None
    return Eigenvalues(known, trace, spectrum.rank if spectrum.rank is not None else len(known), exact)


@dataclass(frozen=True, eq=False)
class Info:
    """What `diverset info` found."""

    task: Task
    kernel: Kernel
    found: Eigenvalues
    plan: Plan

    def facts(self, command: str) -> dict[str, Any]:
        """For JSON."""
        found = self.found
        return {
            **facts_of("info", command),
            "input": self.task.input,
            "parameters": self.task.parameters | {"k": self.plan.k},
            "kernel": repr(self.kernel),
            "bandwidth": getattr(self.kernel, "bandwidth", None),
            "eigenvalues": found.values.tolist(),
            "trace": found.trace,
            "shares": found.shares,
            "rank": found.rank,
            "rank_exact": found.exact,
            "missed": found.missed,
            "plan": self.plan.to_dict(),
        }

    def __str__(self) -> str:
        reading, found = self.task.reading, self.found
        lines = [*words_about(reading), f"  SHA-256 {reading.digest}", "", f"kernel    {self.kernel}"]
        if getattr(self.task.kernel, "bandwidth", None) == "median":
            rows = min(reading.n, MEDIAN_ROWS)
            lines.append(f"          its bandwidth is the median distance between {rows:,} rows")
        lines.append(f"rank      {self._rank()}")
        lines.append("spectrum  share of the trace in the leading directions")
        lines += [f"          {mark:>5,}  {_bar(share)} {share:7.2%}" for mark, share in found.shares.items()]
        if found.missed is not None:
            lines.append(f"          by a low-rank factor, which lacks {found.missed:.1e} of the trace")
        return "\n".join([*lines, "", str(self.plan), ""])

    def _rank(self) -> str:
        n, rank = self.plan.n, self.found.rank
        if not self.found.exact:
            return f"at least {rank:,} of {n:,}: only the leading eigenvalues were computed"
        hint = f"; picks beyond {rank:,} add nothing new" if rank < n else ""
        return f"{rank:,} of {n:,}, by eigenvalues above {floor_of(n):.1e} of the largest{hint}"


def find_info(task: Task, tell: Teller) -> Info:
    """Look at the items as far as it takes to know."""
    X, n = task.reading.X, task.reading.n
    k = task.given["k"] or min(USUAL, n)
    method, solver = method_of(task.given["method"]), solver_of(task)
    with progress_bar(tell.bar) as progress, reading_from(task.reading.source):
        progress("spectrum", 0, 2)
        _, problem = find_problem(X, min(n, max(k, _LEADING)), solver=solver, **task.kernel_options)
        found = interruptible(partial(eigenvalues, problem))
        progress("plan", 1, 2)
        costs = interruptible(partial(plan, X, k, method=method, solver=solver, **task.kernel_options))
    return Info(task, problem.kernel, found, costs)


def _bar(share: float, width: int = 30) -> str:
    return ("█" * round(share * width)).ljust(width, "·")
