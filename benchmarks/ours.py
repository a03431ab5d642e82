"""diverset's own cases, through its public functions only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.case import DRAWS, JUDGED, Clock, Run
from benchmarks.data import Array
from benchmarks.reference import BANDWIDTH, gaussian


def deterministic_kdpp(X: Array, k: int, clock: Clock) -> Run:
    return select(X, k, clock, "deterministic-kdpp")


def derandomized(X: Array, k: int, clock: Clock) -> Run:
    return select(X, k, clock, "derandomized")


def greedy_trace(X: Array, k: int, clock: Clock) -> Run:
    return select(X, k, clock, "greedy-trace")


def greedy_map(X: Array, k: int, clock: Clock) -> Run:
    return select(X, k, clock, "greedy-map")


def farthest_point(X: Array, k: int, clock: Clock) -> Run:
    return select(X, k, clock, "farthest-point")


def greedy_map_cosine(X: Array, k: int, clock: Clock) -> Run:
    from diverset.kernels import Cosine

    return select(X, k, clock, "greedy-map", kernel=Cosine())


def select(X: Array, k: int, clock: Clock, method: str, kernel: Any = None) -> Run:
    import diverset as dv

    kernel = dv.Gaussian(BANDWIDTH) if kernel is None else kernel
    with counted_entries() as matrices, clock():
        picks = dv.select(X, k, kernel=kernel, method=method)
    return Run.of(picks.indices, entries=sum(K.entries for K in matrices))


def kdpp(X: Array, k: int, clock: Clock) -> Run:
    """Exact k-DPP draws; K is given, so its evaluation is not timed."""
    import diverset as dv

    K = gaussian(X, X)
    chance = np.random.default_rng(0)
    with clock("first"):
        ensemble = dv.LEnsemble(K)
        picks = [ensemble.sample_k(k, rng=chance)]
    picks += clock.each(lambda: ensemble.sample_k(k, rng=chance), DRAWS)
    return Run.of(*picks[:JUDGED], entries=len(X) ** 2)


@contextmanager
def counted_entries() -> Iterator[list[Any]]:
    """The kernel matrices made inside the block; each counts the entries it was asked for."""
    from diverset.kernels import KernelMatrix

    made: list[Any] = []
    original = KernelMatrix.__init__

    def remember(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        made.append(self)

    KernelMatrix.__init__ = remember  # type: ignore[method-assign]
    try:
        yield made
    finally:
        KernelMatrix.__init__ = original  # type: ignore[method-assign]
