"""WHAT WILL IT COST? The solver, the passes, the memory and the time of a selection, before it runs.

# entries  kernel values that will be computed
# work     multiplications and additions in products of matrices
# passes   how often all rows are looked at
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .arrays import spread
from .door import anything, find_problem, resolve_method
from .kernels import MEMORY, Kernel
from .methods import DAS, Method, Problem
from .rounds.engine import panel_rows
from .rounds.lowrank import LowRank, at_once, sample_size
from .rounds.parts import LocalParts, tidy
from .rounds.pool import RoundPool
from .rounds.tasks import BLOCK
from .solvers import PRODUCTS, beside, forming
from .spectrum import BlockKrylov, Dense
from .threads import cores, narrow

# What one core of a common machine does in a second. A plan is an estimate and never looks at the clock.
_ENTRIES = 3e8  # of a Gaussian in a few dimensions; others take longer
_WORK = 5e10
_SLOW_WORK = 8e9  # the reduction to a tridiagonal matrix, which waits for memory

_TRIAL = 4000  # rows on which the rank of a low-rank factor is tried out
_PANELS = 5  # rounds of the greedy
_FORESEEN = {"greedy-trace": 4, "derandomized": 10}  # picks that one look at all rows serves
MB = 1e6


@dataclass(frozen=True)
class Plan:
    """What `select` would do. Seconds are for all cores, to within a factor of about two."""

    n: int
    d: int
    k: int
    method: str
    kernel: str
    solver: str | None
    why: str | None
    passes: int
    entries: int
    memory: int
    seconds: float
    cores: int

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python values."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.k} of {self.n:,} items ({self.d} columns) by {self.method}, {self.kernel}",
            f"solver   {self.solver}: {self.why}" if self.solver else "solver   none is needed",
            f"passes   {self.passes:,} over the rows, {self.entries:.2g} entries of K",
            f"memory   {self.memory / MB:,.0f} MB beside the items",
            f"time     {duration(self.seconds)} on {self.cores} cores",
        ]
        return "\n".join(lines)

    __repr__ = __str__


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(0.2), duration(75), duration(7300)
    ('under a second', '75 s', '2.0 hours')
    """
    if seconds < 1:
        return "under a second"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


@narrow()
@tidy()
def plan(
    X: Any,
    k: int,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    method: str | Method = "deterministic-kdpp",
    solver: Any = "auto",
    include: Any = (),
    exclude: Any = (),
    groups: Any = None,
    quota: Any = None,
    quality: Any = None,
    memory: int = MEMORY,
    client: Any = None,
) -> Plan:
    """What `select` would do with the same arguments, and what it would take, without doing it.

    The rank of a low-rank factor is tried out on 4,000 rows.

    >>> import diverset as dv
    >>> import numpy as np
    >>> plan(np.eye(500), 20).solver
    'Dense()'
    """
    rules = {"include": include, "exclude": exclude, "groups": groups, "quota": quota, "quality": quality}
    chosen = resolve_method(method)
    items, problem = find_problem(X, k, kernel=kernel, solver=solver, memory=memory, client=client, **rules)
    cost = _PLANS.get(chosen.name, _spectral)(problem, chosen) if anything(problem) else Cost(passes=1)
    return cost.of(problem, items.columns, chosen)


@dataclass(frozen=True)
class Cost:
    """Of one way to select."""

    solver: Any = None
    passes: float = 0.0
    entries: float = 0.0
    work: float = 0.0
    slow: float = 0.0
    memory: float = 0.0

    def of(self, problem: Problem, d: int, method: Method) -> Plan:
        """The same as a Plan: beside the work itself, the rows as the kernel wants them."""
        if problem.matrix is not None:
            points, there = 8 * problem.n * (d + 1), cores()
        else:
            points, there = problem.rounds.parts.reading, problem.rounds.parts.cores
        busy = self.entries / _ENTRIES + self.work / _WORK + self.slow / _SLOW_WORK
        return Plan(
            n=problem.n,
            d=d,
            k=problem.k,
            method=method.name,
            kernel=repr(problem.kernel),
            solver=None if self.solver is None else repr(self.solver),
            why=getattr(self.solver, "why", None),
            passes=round(self.passes),
            entries=round(self.entries),
            memory=round(self.memory + points),
            seconds=busy / there,
            cores=there,
        )


def _spectral(problem: Problem, _: Method | None = None) -> Cost:
    solver = problem.spectral()
    if isinstance(solver, LowRank):
        return _low_rank(problem, solver, _tried_rank(problem, solver))
    if isinstance(solver, Dense):
        return _dense(problem, solver, all_pairs=False)
    return _krylov(problem, solver)


def _whole(problem: Problem, method: Method) -> Cost:
    solver = problem.whole(method)
    if isinstance(solver, Dense):
        return _dense(problem, solver, all_pairs=True)
    times = len(method.gammas) if isinstance(method, DAS) else 1
    return _low_rank(problem, solver, _tried_rank(problem, solver), times, wide=True)


def _dense(problem: Problem, solver: Dense, all_pairs: bool) -> Cost:
    n, k = problem.n, problem.k
    if problem.has_factor:
        d = problem.K.factor().shape[1]  # type: ignore[union-attr]  # there is one
        return Cost(solver, 1, 0, 6 * n * d * d, 0, 8 * n * (3 * d + 4 * k))
    memory = forming(problem, solver) + beside(solver, n, None if all_pairs else k)
    return Cost(solver, 1, n * n, 0, (4 if all_pairs else 4 / 3) * n**3, memory)


def _krylov(problem: Problem, solver: Any) -> Cost:
    n, k = problem.n, problem.k
    like = solver if isinstance(solver, BlockKrylov) else BlockKrylov()
    stored = problem.fits and not problem.K.cheap
    columns = PRODUCTS * like.width(n, k)
    sweeps = 1 if stored else PRODUCTS
    work = 2.0 * n * n * columns + 12.0 * n * columns**2
    memory = forming(problem, like) + beside(like, n, k)
    return Cost(solver, sweeps, sweeps * n * n, work, 0, memory)


def _low_rank(
    problem: Problem, solver: LowRank, tried: tuple[int, int], greedy: int = 1, wide: bool = False
) -> Cost:
    n, k = problem.n, problem.k
    m, races = tried
    looks = 2 * m + m * _PANELS * greedy  # columns of landmarks while they grow, the Gram, the greedy
    passes = races + 1 + _PANELS * greedy
    work = n * (2.5 * m * m + 2.0 * m * 3 * k * greedy)
    # what is held at the end of each stage is not given back to the system before the next
    sample = 8.0 * sample_size(n, k, problem.memory) ** 2 if solver.rank is None else 0.0
    square = 8.0 * m * m
    threads = min(cores(), at_once(m, problem.memory))
    waiting = threads + 1 if threads > 1 else 2.5  # sums of parts that are done, until those before them are
    gram = threads * (2 * square + 1.5 * 8 * BLOCK) + waiting * square
    # where its rows are as wide as the factor, copies find their place in what the sample left
    width = max(2.5 * k, 1.5 * m) if wide else 2.5 * k
    panel = 8 * panel_rows(problem.rounds, k, m if wide else k) * width * min(greedy, 1)
    memory = sample + gram + panel + 24 * n
    return Cost(solver, passes, float(n) * looks, work, 0, memory)


def _tried_rank(problem: Problem, solver: LowRank) -> tuple[int, int]:
    """How many landmarks, and in how many rounds, by a trial on a few rows."""
    pool = problem.rounds
    if solver.rank is not None:  # a few rows may have less
        m = solver.most(pool.n, problem.k, pool.memory)
        return m, round(np.log2(max(m / 64, 1)) / np.log2(1.5)) + 1
    rows = pool.parts.rows(np.sort(spread(problem.n, _TRIAL)))
    trial = RoundPool(LocalParts(rows), pool.kernel, memory=pool.memory)
    m = len(solver.factor(trial, min(problem.k, len(rows))).W)
    return min(m, solver.most(pool.n, problem.k, pool.memory)), trial.rounds - 1


def _ratio(problem: Problem, method: Method) -> Cost:
    n, k = problem.n, problem.k
    solver = problem.spectral()
    if isinstance(solver, LowRank):
        tried = m, _ = _tried_rank(problem, solver)
        one = _low_rank(problem, solver, tried, 0)
        rounds = 2 + k / _FORESEEN[method.name]
        looks, work = n * m * rounds, 2.0 * n * m * (m + 40 * rounds)
        # two lengths a row; what they start from, and what the first look makes of it
        memory = one.memory + 16 * n + 4 * 8.0 * m * m + cores() * 8 * BLOCK
        return Cost(solver, one.passes + rounds, one.entries + looks, one.work + work, 0, memory)
    if method.name == "greedy-trace":
        return Cost(None, k, n * n, 2.0 * n * n * k, 0, 8.0 * n * n + 8 * n * 3 * k)
    one = _spectral(problem)
    return Cost(
        solver,
        one.passes,
        one.entries + n * k,
        one.work + 6.0 * n * k * k,
        one.slow,
        one.memory + 8 * n * 8 * k,
    )


def _pivoted(problem: Problem, _: Method) -> Cost:
    n, k = problem.n, problem.k
    in_parts = problem.matrix is None or 16 * n * k > problem.memory
    panel = 8 * min(max(n // 16, 2**10), 2**14) * k
    memory = 16 * n + 2 * panel + cores() * 2**23 if in_parts else 8 * n * (1.7 * k + 48) + panel + 2**24
    looks = k * _PANELS / 2 if in_parts else k
    return Cost(None, _PANELS, n * looks, 2.0 * n * k * k, 0, memory)


def _farthest(problem: Problem, _: Method) -> Cost:
    n, k = problem.K.n, problem.k  # refused as `select` would, where the items are not in memory
    return Cost(None, k, n * (k + 256), 0, 0, 8 * n * 20)


_PLANS: dict[str, Callable[[Problem, Method], Cost]] = {
    "das": _whole,
    "ridge-leverage": _whole,
    "greedy-trace": _ratio,
    "derandomized": _ratio,
    "greedy-map": _pivoted,
    "farthest-point": _farthest,
}
