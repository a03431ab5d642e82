"""WHERE DO EIGENVECTORS COME FROM? The solvers by name, and which of them "auto" takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from .messages import nearest
from .rounds.lowrank import LowRank
from .spectrum import BlockKrylov, Dense

SMALL = 1000  # up to so many items LAPACK is as fast as anything


class Sized(Protocol):
    """What decides: how large K is, and whether it may be formed."""

    @property
    def n(self) -> int: ...
    @property
    def fits(self) -> bool: ...
    @property
    def memory(self) -> int: ...
    @property
    def has_factor(self) -> bool: ...


@dataclass(frozen=True)
class Auto:
    """The most exact solver that is affordable; the one that was taken says why.

    `Dense` for kernels with few columns, up to 1,000 items, and for large shares of them; `BlockKrylov` as
    long as K fits the memory; `LowRank` beyond.
    """

    def choose(self, pool: Sized, k: int) -> Dense | BlockKrylov | LowRank:
        """The solver for this pool and this k."""
        if pool.has_factor:
            return Dense(why="the kernel is a product of few columns")
        if not pool.fits:
            takes, allowed = 8 * pool.n**2 / 1e9, pool.memory / 1e9
            if takes <= allowed:
                return LowRank(why="the items are not in one place")
            return LowRank(
                why=f"K of {pool.n:,} items takes {takes:,.1f} GB, more than the {allowed:.1f} GB allowed"
            )
        if pool.n <= SMALL:
            return Dense(why=f"{pool.n:,} items are few")
        if 4 * BlockKrylov().width(pool.n, k) >= pool.n:
            return Dense(why=f"k={k} is a large share of {pool.n:,} items")
        return BlockKrylov(why=f"k={k} is a small share of {pool.n:,} items")


Solver = Dense | BlockKrylov | LowRank

SOLVERS: dict[str, type[Auto] | type[Solver]] = {
    "auto": Auto,
    "dense": Dense,
    "block-krylov": BlockKrylov,
    "low-rank": LowRank,
}


def as_solver(solver: object) -> Any:
    """The solver object behind a name; an object as it is."""
    if isinstance(solver, str):
        if solver not in SOLVERS:
            raise ValueError(nearest("solver", solver, SOLVERS))
        return SOLVERS[solver]()
    known = isinstance(solver, (Auto, LowRank)) or hasattr(solver, "leading")
    if known and not isinstance(solver, type):
        return solver
    raise TypeError(
        f"solver must be a name ({', '.join(SOLVERS)}) or a solver object such as Dense(), got {solver!r}."
    )


def resolve_solver(solver: object, pool: Sized, k: int) -> Any:
    """The solver object, with "auto" decided."""
    found = as_solver(solver)
    return found.choose(pool, k) if isinstance(found, Auto) else found
