"""What a case is to the process that measures it: rows and a clock come in, picks go out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from benchmarks.data import Array

T = TypeVar("T")

DRAWS = 100  # k-DPP draws after the first
JUDGED = 10  # sets whose quality is judged, where chance has a say


@dataclass
class Clock:
    """Seconds by part, on the wall and summed over cores; the shortest of several runs is kept."""

    seconds: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, part: str = "select") -> Iterator[None]:
        start, cpu_start = time.perf_counter(), time.process_time()
        yield
        elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        keep_least(self.seconds, {part: elapsed})
        keep_least(self.cpu, {part: cpu})

    def each(self, draw: Callable[[], T], count: int) -> list[T]:
        """Time repeated draws: parts "mean" and "median", as the first ones may cost more."""
        drawn, seconds, cpu = [], [], []
        for _ in range(count):
            one = Clock()
            with one():
                drawn.append(draw())
            seconds.append(one.seconds["select"])
            cpu.append(one.cpu["select"])
        for part, typical in (("mean", statistics.fmean), ("median", statistics.median)):
            keep_least(self.seconds, {part: typical(seconds)})
            keep_least(self.cpu, {part: typical(cpu)})
        return drawn

    def keep_shortest(self, other: Clock) -> None:
        keep_least(self.seconds, other.seconds)
        keep_least(self.cpu, other.cpu)


def keep_least(mine: dict[str, float], theirs: dict[str, float]) -> None:
    for part, elapsed in theirs.items():
        mine[part] = min(elapsed, mine.get(part, elapsed))


@dataclass(frozen=True)
class Run:
    """The picks (several sets where chance has a say) and the entries of K that were evaluated."""

    picks: list[list[int]]
    entries: int

    @classmethod
    def of(cls, *picks: npt.ArrayLike, entries: int) -> Run:
        return cls([[int(i) for i in np.asarray(one)] for one in picks], entries)


class CaseFunction(Protocol):
    def __call__(self, X: Array, k: int, clock: Clock) -> Run: ...
