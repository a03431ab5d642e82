"""What a case is to the process that measures it: rows and a clock come in, picks go out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from benchmarks.data import Array


@dataclass
class Clock:
    """Seconds by part; a part that is timed again keeps its shortest time."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, part: str = "select", runs: int = 1) -> Iterator[None]:
        """Time the block; with `runs`, the mean of that many alike ones inside it."""
        start = time.perf_counter()
        yield
        elapsed = (time.perf_counter() - start) / runs
        self.seconds[part] = min(elapsed, self.seconds.get(part, elapsed))

    def keep_shortest(self, other: Clock) -> None:
        for part, elapsed in other.seconds.items():
            self.seconds[part] = min(elapsed, self.seconds.get(part, elapsed))


@dataclass(frozen=True)
class Run:
    """The picks (several sets where chance has a say) and the entries of K that were evaluated."""

    picks: list[list[int]]
    entries: int

    @classmethod
    def of(cls, *picks: Sequence[int] | Array, entries: int) -> Run:
        return cls([[int(i) for i in np.asarray(one)] for one in picks], entries)


class CaseFunction(Protocol):
    def __call__(self, X: Array, k: int, clock: Clock) -> Run: ...
