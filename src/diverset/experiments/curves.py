"""ONE TABLE, ALL METHODS: picks, measures, spectrum, repetitions and times, piece by piece.

# task  a named piece of work with a guess of its seconds, for the progress bar
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..door import select
from ..threads import blas_threads
from .clocks import clocked
from .contenders import contend, das_run
from .data import Table, standardised
from .measures import measure
from .pool import SharedPool
from .protocol import BANDWIDTHS, OURS, PAPER, Protocol

# Times are noisy and are no part of what two runs share; they are kept as pieces all the same.
SEX = {"code": "numbered 1, 2, 3", "one-hot": "three columns of 0 and 1", "drop": "left out"}


class Task(NamedTuple):
    """Some work that ends in a piece."""

    name: str
    label: str
    seconds: float
    key: Any
    make: Callable[[], Any]


@dataclass(frozen=True)
class Curves:
    """The tasks of one table under one reading of its columns."""

    table: Table
    protocol: Protocol
    nominal: str = "code"

    @property
    def name(self) -> str:
        return self.table.spec.name

    @cached_property
    def X(self) -> Floats:
        return standardised(self.table.features(self.nominal))

    @cached_property
    def pool(self) -> SharedPool:
        return SharedPool(self.name, self.X, BANDWIDTHS[self.name], self.protocol)

    @cached_property
    def key(self) -> list[Any]:
        content = hashlib.sha256(np.ascontiguousarray(self.X).tobytes()).hexdigest()
        settings = asdict(self.protocol)
        for name in ("clock", "same", "fast"):  # what only some pieces hang on
            settings.pop(name)
        return [self.name, self.nominal, content, BANDWIDTHS[self.name], settings]

    def forget(self) -> None:
        """Let go of the kernel matrix and the spectrum."""
        self.__dict__.pop("pool", None)

    # --- the pieces -----------------------------------------------------------------------

    def tasks(self) -> Iterator[Task]:
        """Everything that is measured on this table."""
        yield self._task("spectrum", 1.0, self.spectrum)
        for method in (*PAPER, *OURS):
            yield self._task(method, 0.4, partial(self.judged, method))
        yield self._task("gammas", 0.3, self.gammas)
        yield self._task("repeats", 0.4, self.repeats, self._repeated(), self.protocol.same)
        yield self._task("times", 1.5, self.times, self.protocol.clock)

    def reading_tasks(self) -> Iterator[Task]:
        """What is measured under another reading of the columns: the paper's methods."""
        for method in PAPER:
            yield self._task(method, 0.5, partial(self.judged, method))

    def _task(self, what: str, share: float, make: Callable[[], Any], *more: Any) -> Task:
        reading = "" if self.nominal == "code" else f" (Sex: {SEX[self.nominal]})"
        guess = share * (len(self.table.rows) / 1000) ** 2 * (0.2 if self.protocol.fast else 0.6)
        return Task(
            f"{self.name}-{what}", f"{self.table.spec.title}{reading}: {what}", guess, [self.key, *more], make
        )

    def spectrum(self) -> dict[str, Any]:
        pairs = self.pool.pairs
        return {
            "n": self.pool.n,
            "rank": self.pool.rank,
            "whole": pairs.whole,
            "values": [float(f"{v:.9g}") for v in pairs.values],
        }

    def judged(self, method: str) -> list[dict[str, Any]]:
        """A row per k and repetition: the picks, and their numbers."""
        picks = contend(method, self.pool, self.protocol.cut(self.pool.rank))
        return [
            {"k": k, "repetition": at, "picks": C.tolist(), **asdict(measure(self.pool, C))}
            for k, sets in picks.items()
            for at, C in enumerate(sets)
        ]

    def gammas(self) -> list[dict[str, Any]]:
        """DAS with each gamma by itself."""
        rows: list[dict[str, Any]] = []
        ks = self.protocol.cut(self.pool.rank)
        for gamma in self.protocol.gammas:
            run = das_run(gamma, self.pool, max(ks))
            rows += [
                {"gamma": gamma, "k": k, **asdict(measure(self.pool, run[:k]))} for k in ks if k <= len(run)
            ]
        return rows

    def repeats(self) -> list[dict[str, Any]]:
        """The deterministic k-DPP through the public door, again and again, from the features on.

        Repetitions alternate between C and Fortran order and between one and two BLAS threads, so
        that there is something for them to disagree about.
        """
        rows = []
        for k in self._repeated():
            seen = set()
            for at in range(self.protocol.same):
                X = np.asarray(self.X, order="F" if at % 2 else "C")
                with blas_threads(1 + at // 2 % 2):
                    picks = select(X, k, kernel=kernels.Gaussian(BANDWIDTHS[self.name]))
                seen.add(tuple(picks))
            rows.append({"k": k, "repetitions": at + 1, "distinct": len(seen), "certified": picks.certified})
        return rows

    def _repeated(self) -> list[int]:
        if self.protocol.fast:
            return [10, 40] if self._small else [10]
        wanted = (10, 50, 100, 200)
        largest = 100 if len(self.X) > 5000 else max(wanted)
        return [k for k in wanted if k <= largest and k in self.protocol.cut(len(self.X))]

    @property
    def _small(self) -> bool:
        limit = self.protocol.whole_up_to
        return limit is None or len(self.X) <= limit

    def times(self) -> dict[str, dict[str, float]]:
        clock = self.protocol.clock if self._small else self.protocol.clock[:1]
        ks = [k for k in clock if k < self.pool.rank]
        return {str(k): clocked(self.pool, k) for k in ks}
