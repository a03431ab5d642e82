"""WHERE DO EIGENVECTORS COME FROM? The solvers by name, and which of them "auto" takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

from .messages import nearest
from .rounds.lowrank import LowRank
from .spectrum import NEAR, BlockKrylov, Dense, starting

SMALL = 1000  # up to so many items LAPACK is as fast as anything
PRODUCTS = 4  # of a block Krylov solver with K, until the picks are certain: more for slow spectra
KEPT = 64  # bytes for every item and pick that methods keep


class Sized(Protocol):
    """What decides: how large K is, where it is, and how much memory there is for the work."""

    @property
    def n(self) -> int: ...
    @property
    def fits(self) -> bool: ...
    @property
    def memory(self) -> int: ...
    @property
    def has_factor(self) -> bool: ...
    @property
    def given(self) -> bool: ...
    @property
    def cheap(self) -> bool: ...


@dataclass(frozen=True)
class Auto:
    """The most exact solver that keeps to the memory; the one that was taken says why.

    `Dense` for kernels with few columns, up to 1,000 items, and for large shares of them; `BlockKrylov` as
    long as K and the work with it fit the memory; `LowRank` beyond.
    """

    def choose(self, pool: Sized, k: int) -> Dense | BlockKrylov | LowRank:
        """The solver for this pool and k leading eigenvectors."""
        if pool.has_factor:
            return Dense(why="the kernel is a product of few columns")
        if not pool.fits:
            takes, allowed = memory_of(pool.n, k) / 1e9, pool.memory / 1e9
            if takes <= allowed:
                return LowRank(why="the items are not in one place")
            return LowRank(
                why=f"K of {pool.n:,} items takes {takes:,.1f} GB, more than the {allowed:.1f} GB allowed"
            )
        if pool.n <= SMALL:
            return Dense(why=f"{pool.n:,} items are few")
        large = 4 * BlockKrylov().width(pool.n, k) >= pool.n
        solver = Dense() if large else BlockKrylov()
        takes = forming(pool, solver) + beside(solver, pool.n, k) + KEPT * pool.n * k
        if takes > pool.memory:
            return LowRank(why=_over(solver, takes, pool))
        return replace(solver, why=f"k={k} is a {'large' if large else 'small'} share of {pool.n:,} items")

    def whole(self, pool: Sized, who: str) -> Dense | LowRank:
        """The solver for this pool and the whole spectrum, which ``who`` needs."""
        solver = Dense(why=f"{who} needs the whole spectrum")
        takes = forming(pool, solver) + beside(solver, pool.n, None)
        affordable = pool.has_factor or pool.n <= SMALL or takes <= pool.memory
        return solver if affordable else LowRank(why=_over(solver, takes, pool))


def beside(solver: Dense | BlockKrylov, n: int, k: int | None) -> float:
    """Bytes that a solver usually takes beside K, for k eigenvectors, or for all of them."""
    if isinstance(solver, BlockKrylov):
        k = n if k is None else k
        return 1.15 * 8 * n * ((2 * PRODUCTS + 3) * solver.width(n, k) + starting(k))
    return 4 * 8.0 * n * n if k is None else 8.0 * n * n + 8 * n * 3 * (k + NEAR)


def forming(pool: Sized, solver: Any) -> float:
    """Bytes that K takes while this solver works: none if it came with the items, or is never formed."""
    formed = not pool.given and (isinstance(solver, Dense) or (pool.fits and not pool.cheap))
    return 8.0 * pool.n**2 if formed else 0.0


def memory_of(n: int, k: int) -> int:
    """Bytes of K, and of what methods keep beside it."""
    return 8 * n**2 + KEPT * n * k


def _over(solver: Dense | BlockKrylov, takes: float, pool: Sized) -> str:
    return f"{solver!r} takes {takes / 1e9:,.1f} GB, more than the {pool.memory / 1e9:,.1f} GB allowed"


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
