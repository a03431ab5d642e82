"""WHAT DO OTHER METHODS PICK? The same k of the same items by several methods, and how good each set is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .door import drawn_picks, find_problem, random_method, rank_reached, resolve_method, solve
from .judging import judge, products
from .kernels import MEMORY, Kernel
from .messages import nearest
from .methods import METHODS, Method, Problem
from .rounds.parts import tidy
from .rounds.pool import Progress, quiet
from .selection import Selection
from .threads import narrow

if TYPE_CHECKING:
    from typing_extensions import TypeIs  # part of every type checker

    from .sampling import RandomMethod

AnyMethod: TypeAlias = "str | Method | RandomMethod"

# What a comparison shows unless told otherwise: none of these needs the whole spectrum.
SIDE_BY_SIDE = (
    "deterministic-kdpp",
    "derandomized",
    "greedy-map",
    "farthest-point",
    "rpcholesky",
    "uniform",
)
_COLUMNS = "log_det", "operator", "max", "trace", "vendi", "coverage", "seconds"


@dataclass(frozen=True, eq=False)
class Compared:
    """One method: what it picked, and how good that is. None stands for what could not be had.

    ``log_det``   of K_CC; larger: the picks differ more from each other
    ``operator``, ``max``, ``trace``  relative norms of K - K_hat; smaller: the picks say more of the rest
    ``vendi``     how many items of their own the picks amount to, 1 to k
    ``coverage``  how well the nearest pick stands for an item, on average; 1: each has a pick just like it
    ``seconds``   for the picks alone, the kernel matrix given
    """

    selection: Selection
    seconds: float
    log_det: float
    operator: float | None
    max: float
    trace: float
    vendi: float
    coverage: float

    @property
    def name(self) -> str:
        """The name of the method."""
        return str(self.selection.method.name)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python values, ready for JSON."""
        finite = {name: _finite(getattr(self, name)) for name in _COLUMNS}
        return {"name": self.name, **finite, "selection": self.selection.to_dict()}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods side by side, in the order they were asked for. A sequence of `Compared`.

    ``notes``  what is missing from the table, and why
    """

    compared: tuple[Compared, ...]
    n: int
    k: int
    kernel: Kernel
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.compared)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.compared)

    def __getitem__(self, at: int) -> Compared:
        return self.compared[at]

    @property
    def names(self) -> list[str]:
        """The name of each method; its settings too where a name comes twice."""
        plain = [one.name for one in self.compared]
        return [str(one.selection.method) if plain.count(one.name) > 1 else one.name for one in self.compared]

    @property
    def overlap(self) -> list[list[int]]:
        """How many picks each two methods have in common."""
        sets = [set(one.selection) for one in self.compared]
        return [[len(a & b) for b in sets] for a in sets]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python values, ready for JSON."""
        return {
            "n": self.n,
            "k": self.k,
            "kernel": repr(self.kernel),
            "methods": [
                {**one.to_dict(), "name": name} for one, name in zip(self.compared, self.names, strict=True)
            ],
            "overlap": self.overlap,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [
            f"{self.k} of {self.n:,} items, {self.kernel}",
            f"{'method':<{width}}" + "".join(f"{name.replace('_', ' '):>11}" for name in _COLUMNS),
        ]
        for name, one in zip(self.names, self.compared, strict=True):
            lines.append(f"{name:<{width}}" + "".join(_cell(c, getattr(one, c)) for c in _COLUMNS))
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__


_FORMS = {"log_det": ".1f", "operator": ".1e", "max": ".1e", "trace": ".1e", "vendi": ".1f"}


def _cell(column: str, value: float | None) -> str:
    shown = "-" if value is None or not np.isfinite(value) else format(value, _FORMS.get(column, ".3f"))
    return f"{shown:>11}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


@narrow()
@tidy()
def compare(
    X: Any,
    k: int,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    methods: Sequence[AnyMethod] = SIDE_BY_SIDE,
    solver: Any = "auto",
    include: Any = (),
    exclude: Any = (),
    groups: Any = None,
    quota: Any = None,
    quality: Any = None,
    memory: int = MEMORY,
    rng: object = 0,
    progress: Progress | None = None,
    client: Any = None,
) -> Comparison:
    """The picks of several methods, and how good each set is; the kernel matrix is computed once.

    ``methods``  names or objects, those of `sample` too; the first is the one that has to work: of the
                 others, those that cannot do what is asked are left out, and the notes say why
    ``solver``   for the first method; the others take "auto"
    ``rng``      for the random methods, a draw each
    All else is as for `select`.

    >>> import diverset as dv
    >>> table = dv.compare([[0.0], [0.1], [5.0], [9.0]], 3, methods=["greedy-map", "farthest-point"])
    >>> [list(one.selection) for one in table]
    [[0, 3, 2], [3, 0, 2]]
    """
    if isinstance(methods, str) or not len(methods):
        raise TypeError(f"methods must be a list of method names or objects, got {methods!r}.")
    chosen = [_resolved(method) for method in methods]
    tell = progress or quiet
    rules = {"include": include, "exclude": exclude, "groups": groups, "quota": quota}
    items, problem = find_problem(
        X,
        k,
        kernel=kernel,
        solver=solver,
        quality=quality,
        memory=memory,
        progress=tell,
        client=client,
        **rules,
    )
    if problem.matrix is not None and problem.matrix.fits and not problem.matrix.has_factor:
        tell("kernel matrix", 0, len(chosen) + 2)
        problem.matrix.dense()
    ruled = [name for name, rule in rules.items() if rule is not None and np.size(rule)]
    found: list[tuple[Selection, float]] = []
    notes: list[str] = []
    for at, method in enumerate(chosen):
        tell(method.name, at + 1, len(chosen) + 2)
        try:
            start = perf_counter()
            picks, note = _picked(method, items, problem if at == 0 else with_auto(problem), ruled, rng)
            found.append((picks, perf_counter() - start))
            notes += note
        except (ValueError, TypeError) as why:
            if at == 0:
                raise
            notes.append(f"{method.name} is left out. {why}")
    tell("errors", len(chosen) + 1, len(chosen) + 2)
    sets = [picks.indices for picks, _ in found]
    compared = [
        Compared(picks, seconds, picks.log_det, *judged)
        for (picks, seconds), judged in zip(found, judge(problem, sets), strict=True)
    ]
    if not products(problem, sets):
        notes.append(_NO_PRODUCTS.format(n=problem.n, gb=8 * problem.n**2 / 1e9))
    return Comparison(tuple(compared), problem.n, problem.k, problem.kernel, tuple(notes))


_NO_PRODUCTS = (
    "operator is left out: it takes dozens of products with the kernel matrix of {n:,} items "
    "({gb:,.2g} GB), more than the memory allowed."
)


def with_auto(problem: Problem) -> Problem:
    """The same problem for a method that was not asked for by its solver."""
    return replace(problem, solver="auto")


def _resolved(method: AnyMethod) -> Method | RandomMethod:
    from .sampling import SAMPLERS

    if isinstance(method, str):
        if method not in METHODS and method not in SAMPLERS:
            raise ValueError(nearest("method", method, [*METHODS, *SAMPLERS]))
        return resolve_method(method) if method in METHODS else SAMPLERS[method]()
    return random_method(method) if _random(method) else resolve_method(method)


def _random(method: AnyMethod) -> TypeIs[RandomMethod]:
    return hasattr(method, "prepare")


def _picked(
    method: Method | RandomMethod, items: Any, problem: Problem, ruled: list[str], rng: object
) -> tuple[Selection, list[str]]:
    """The picks of one method, and what is to be said of them."""
    if not _random(method):
        picks, made = solve(items, problem, method)
        return picks, [f"{method.name}: {rank_reached(made, picks.k)}"] if made < picks.k else []
    from .sampling import generator

    if ruled:
        raise ValueError(f"Random methods follow no rules, but {ruled[0]} was given.")
    if problem.matrix is None:
        raise TypeError("Random methods want the items in memory.")
    drawn = method.prepare(problem.matrix, problem.k).draw(generator(rng))
    return drawn_picks(drawn, items, problem.matrix, method), []
