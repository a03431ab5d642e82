"""What every recipe is given, and what it answers.

# problem  the items, k, who may be picked, and the solver that was asked for
# outcome  the decisions, and which of them are clear of the noise
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from ..arrays import EPS, Bools, Floats, Ints
from ..certainty import Located, certain, interpolation, volume_error
from ..choice import Choice
from ..greedy import Decision
from ..kernels import MEMORY, Kernel, KernelMatrix
from ..rounds.lowrank import LowRank
from ..rounds.pool import RoundPool
from ..solvers import Auto, memory_of, resolve_solver
from ..spectrum import Dense

# The methods that never need more than some rows in one place.
BY_ROUNDS = (
    "deterministic-kdpp",
    "das",
    "greedy-map",
    "greedy-trace",
    "derandomized",
    "leverage",
    "ridge-leverage",
)


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be selected from: a kernel matrix of items in memory, a pool in parts, or both."""

    matrix: KernelMatrix | None
    choice: Choice
    solver: Any = "auto"
    in_rounds: Callable[[], RoundPool] | None = None
    memory: int = MEMORY
    load: Callable[[], KernelMatrix | None] = lambda: None  # rows of a file into memory, if there is room

    @property
    def k(self) -> int:
        return self.choice.k

    @property
    def n(self) -> int:
        return self.choice.n

    @cached_property
    def K(self) -> KernelMatrix:
        """The kernel matrix; TypeError if the items are not in memory and cannot come there."""
        K = self.load() if self.matrix is None else self.matrix
        if K is None:
            raise TypeError(
                f"This method and solver read all of the kernel matrix, but the {self.n:,} items are not in "
                f"memory. Take a method that goes by rounds ({', '.join(BY_ROUNDS)}) with solver='low-rank', "
                "or load the items into an array first."
            )
        return K

    @cached_property
    def rounds(self) -> RoundPool:
        """The pool in parts."""
        assert self.in_rounds is not None
        return self.in_rounds()

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel, with numbers for all that was learnt from the items."""
        return self.rounds.kernel if self.matrix is None else self.matrix.kernel

    def K_CC(self, rows: Ints) -> Floats:
        """The kernel matrix of a few items."""
        if self.matrix is None:
            return self.rounds.among(self.rounds.fetch(rows))
        return self.matrix.block(rows, rows)

    @property
    def entry_noise(self) -> float:
        """How far an entry of K may be off, relative to sqrt(K_ii K_jj)."""
        return 8 * EPS if self.matrix is None else self.matrix.entry_noise

    # --- which solver ------------------------------------------------------------------------

    # what `Auto` asks for
    @property
    def fits(self) -> bool:
        """Whether K may be formed, with what methods keep beside it."""
        K = self.matrix
        return K is not None and (K.given or memory_of(self.n, self.k) <= self.memory)

    @property
    def has_factor(self) -> bool:
        return self.matrix is not None and self.matrix.has_factor

    @property
    def given(self) -> bool:
        return self.matrix is not None and self.matrix.given

    @property
    def cheap(self) -> bool:
        return self.matrix is not None and self.matrix.cheap

    def spectral(self) -> Any:
        """The solver for the k leading eigenvectors."""
        return resolve_solver(self.solver, self, self.k)

    def whole(self, method: Method) -> Dense | LowRank:
        """The solver for the whole spectrum: `Dense`, or that of a low-rank factor."""
        solver = self.spectral()
        auto = self.solver in ("auto", Auto())
        if isinstance(solver, LowRank) or (isinstance(solver, Dense) and not auto):
            return solver
        if auto:
            return Auto().whole(self, method.name)
        raise ValueError(f"{method} needs the whole spectrum. Type solver='dense', 'low-rank', or 'auto'.")

    def no_solver(self, method: Method) -> None:
        if self.solver not in ("auto", Auto()):
            raise ValueError(
                f"{method} needs no eigenvectors, so solver={self.solver!r} has no use: leave it out."
            )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method decided."""

    decisions: list[Decision]
    clear: Bools
    solver: Any = None
    gap: float | None = None
    passes: int = 0
    missed: float | None = None  # the share of the trace of K that a low-rank solver lacks

    @property
    def picks(self) -> Ints:
        return np.array([d.pick for d in self.decisions], dtype=np.int64)


class Method(Protocol):
    """A recipe: a frozen dataclass with a name."""

    name: ClassVar[str]

    def select(self, problem: Problem) -> Outcome: ...


def floor_of(n: int) -> float:
    """Gains below this share of the first one are rounding."""
    return 8 * n * EPS


def judged(decisions: list[Decision], pool: Located, diagonal: Floats, **noise: Any) -> Bools:
    """Which picks by largest gain are clear of the noise in M = B B^T (see `volume_error`)."""
    if not decisions:
        return np.empty(0, dtype=bool)
    errors = volume_error(interpolation(decisions, pool, diagonal), diagonal, **noise)
    return certain(decisions, errors)
