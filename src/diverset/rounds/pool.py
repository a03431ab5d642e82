"""WHAT DOES THE DRIVER KNOW? A pool in parts, a kernel, and the few rows that were fetched.

# number      of a row, counted over the whole pool
# candidates  rows that the parts put forward, merged
# fetched     rows that came to the driver, by number
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..arrays import Bools, Floats, Ints, is_sparse
from ..kernels import MEMORY, Kernel
from ..kernels.base import Points
from ..threads import blas_for, row_blocks
from .parts import Parts, Task
from .tasks import BLOCK, Answer, Bounds, Question, View, answer

FETCHED = 0.25  # the share of the memory that fetched rows may take
# told the stage, how much of it is done, and out of how much
Progress: TypeAlias = Callable[[str, int, int], object]


class Fetched(NamedTuple):
    """Rows that were fetched, as they are and as the kernel wants them, with their quality."""

    numbers: Ints
    rows: Any
    points: Points
    weights: Floats | None

    def at(self, here: slice) -> Fetched:
        """Some of them."""
        weights = None if self.weights is None else self.weights[here]
        return Fetched(self.numbers[here], self.rows[here], self.points.take(here), weights)

    def same(self, item: int, others: Ints) -> Bools:
        """Which of ``others`` are exact copies of ``item``: same row, same quality."""
        rows = self.points.rows
        if is_sparse(rows):
            equal = np.asarray((rows[others] != rows[np.full(len(others), item)]).sum(axis=1)).ravel() == 0
        else:
            equal = (rows[others] == rows[item]).all(axis=1)
        if self.weights is not None:
            equal &= self.weights[others] == self.weights[item]
        return np.asarray(equal)


def quiet(stage: str, done: int, of: int) -> None:
    """Nobody listens."""


class RoundPool:
    """A pool in parts as the kernel sees it. Rounds and fetched rows are counted."""

    def __init__(
        self,
        parts: Parts,
        kernel: Kernel,
        *,
        quality: Floats | None = None,
        memory: int = MEMORY,
        progress: Progress = quiet,
    ) -> None:
        self.parts = parts
        self.kernel = kernel
        self.quality = quality
        self.memory = memory
        self.tell = progress
        self.n = int(parts.sizes.sum())
        self.rounds = 0
        self.fetched = 0
        self._keys = 0

    def key(self, *names: object) -> str:
        """A name under which parts remember gains, of this pool alone."""
        self._keys += 1
        return "/".join(str(name) for name in (id(self), self._keys, *names))

    # --- rounds ------------------------------------------------------------------------------

    def candidates(self, question: Question, closed: Bools | None = None) -> Answer:
        """The answers of all parts as one, candidates by rising number."""
        answers = list(self.ask(answer, question, closed))
        numbers, gains, scores = (
            np.concatenate(found) for found in zip(*(a[:3] for a in answers), strict=True)
        )
        order = np.argsort(numbers, kind="stable")
        bounds = Bounds.joined(a.bounds for a in answers)
        return Answer(numbers[order], gains[order], scores[order], bounds)

    def ask(self, task: Task, message: Any, closed: Bools | None = None) -> Iterator[Any]:
        """The answer of every part, each shown its own of the quality and of what is closed."""
        self.rounds += 1
        along = None if self.quality is None and closed is None else (self.quality, closed)
        return self.parts.ask(task, message, along)

    def total(self, task: Task, message: Any, at_once: int | None = None) -> Any:
        """The sum of the answers of all parts, of so many at a time."""
        self.rounds += 1
        along = None if self.quality is None else (self.quality, None)
        return self.parts.total(task, message, along, at_once)

    # --- rows --------------------------------------------------------------------------------

    def fetch(self, numbers: Ints) -> Fetched:
        """These rows, in this order."""
        self.fetched += len(numbers)
        rows = self.parts.rows(numbers)
        weights = None if self.quality is None else self.quality[numbers]
        return Fetched(numbers, rows, self.kernel.points(rows), weights)

    def no_view(self) -> View:
        """The look at the pool from no landmark at all."""
        none = self.fetch(np.empty(0, dtype=np.int64))
        return View(self.kernel, none.rows, none.weights)

    def among(self, rows: Fetched) -> Floats:
        """The kernel matrix of fetched rows."""
        K = self.between(rows, rows.points, rows.weights)
        np.fill_diagonal(K, self.diagonal(rows))
        return K

    def columns(self, rows: Fetched, view: View) -> Floats:
        """k(x, S) of fetched rows."""
        return self.between(rows, self.kernel.points(view.landmarks), view.weights)

    def coordinates(self, rows: Fetched, view: View, A: Floats) -> Floats:
        """k(x, S) A of fetched rows, some at a time."""
        out = np.empty((len(rows.numbers), A.shape[1]))
        for here in row_blocks(len(out), max(64, BLOCK // max(len(A), 1))):
            out[here] = self.columns(rows.at(here), view) @ A
        return out

    def diagonal(self, rows: Fetched) -> Floats:
        """k(x, x) of fetched rows."""
        own = self.kernel.diagonal(rows.points)
        return own if rows.weights is None else own * rows.weights**2

    def between(self, rows: Fetched, others: Points, weights: Floats | None) -> Floats:
        """The kernel between fetched rows and these points."""
        out = np.empty((len(rows.numbers), len(others.norms)))
        if out.size:
            with blas_for(out.size * 16):
                self.kernel.block(rows.points, others, out)
        if rows.weights is not None and weights is not None:
            out *= rows.weights[:, None]
            out *= weights
        return out
