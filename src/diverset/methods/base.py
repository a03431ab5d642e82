"""What every recipe is given, and what it answers.

# problem  K, k, who may be picked, and the solver that was asked for
# outcome  the decisions, and which of them are clear of the noise
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ..arrays import EPS, Bools, Floats, Ints
from ..certainty import certain, interpolation, volume_error
from ..choice import Choice
from ..greedy import Decision, Pool
from ..kernels import KernelMatrix
from ..spectrum import Auto, Dense, Solver, resolve_solver


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be selected from."""

    K: KernelMatrix
    choice: Choice
    solver: Any = "auto"

    @property
    def k(self) -> int:
        return self.choice.k

    def spectral(self) -> Solver:
        """The solver for the k leading eigenvectors."""
        return resolve_solver(self.solver, self.K, self.k)

    def dense(self, method: Method) -> Dense:
        """The solver for the whole spectrum, which only `Dense` gives."""
        if not isinstance(resolve_solver(self.solver, self.K, self.k), Dense) and self.solver not in (
            "auto",
            Auto(),
        ):
            raise ValueError(f"{method} needs the whole spectrum. Type solver='dense' or leave it at 'auto'.")
        return Dense()

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


def judged(decisions: list[Decision], pool: Pool, diagonal: Floats, **noise: Any) -> Bools:
    """Which picks by largest gain are clear of the noise in M = B B^T (see `volume_error`)."""
    if not decisions:
        return np.empty(0, dtype=bool)
    errors = volume_error(interpolation(decisions, pool, diagonal), diagonal, **noise)
    return certain(decisions, errors)


def checked_gamma(method: object, gamma: object) -> None:
    ok = isinstance(gamma, (int, float, np.number)) and not isinstance(gamma, bool)
    if not ok or not 0 < float(gamma) < np.inf:  # type: ignore[arg-type]  # checked above
        raise ValueError(f"{type(method).__name__} wants gamma > 0, got gamma={gamma!r}.")
