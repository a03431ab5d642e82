"""How many threads, and who uses them: either BLAS or our own row blocks, never both at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Below this many multiplications BLAS threads cost more than they bring: on a busy machine a
# small product with default threads has a tail of hundreds of milliseconds.
SMALL = 2**24


def cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


@cache
def _controller() -> ThreadpoolController:
    # SciPy carries a BLAS of its own, which must be loaded before the controller looks around.
    import scipy.linalg  # noqa: F401  loaded for its BLAS

    return ThreadpoolController()


def blas_threads(limit: int) -> AbstractContextManager[Any]:
    """A context in which BLAS uses at most ``limit`` threads."""
    context: AbstractContextManager[Any] = _controller().limit(limits=limit, user_api="blas")
    return context


# How many BLAS threads the user allows, while we hold BLAS to one (see `narrow`).
_allowed: ContextVar[int | None] = ContextVar("allowed", default=None)


@contextmanager
def narrow() -> Iterator[None]:
    """One BLAS thread for all that follows, except where `blas_for` finds the work large enough.

    A selection makes hundreds of small products between a few large ones. Usable as a decorator.
    """
    if _allowed.get() is not None:
        yield
        return
    counts = [int(info["num_threads"]) for info in _controller().info() if info["user_api"] == "blas"]
    token = _allowed.set(max(counts, default=1))
    try:
        with blas_threads(1):
            yield
    finally:
        _allowed.reset(token)


def blas_for(work: int) -> AbstractContextManager[Any]:
    """One BLAS thread for small work, as many as the user allows for large work."""
    allowed = _allowed.get()
    if work < SMALL:
        return blas_threads(1) if allowed is None else nullcontext()
    return nullcontext() if allowed is None else blas_threads(allowed)


def each(task: Callable[[slice], object], blocks: Iterable[slice]) -> None:
    """Run ``task`` on every block of rows, on all cores, each with a single BLAS thread."""
    todo = list(blocks)
    with blas_threads(1):
        if len(todo) == 1 or cores() == 1:
            for block in todo:
                task(block)
            return
        with ThreadPoolExecutor(min(cores(), len(todo))) as workers:
            for _ in workers.map(task, todo):
                pass


def row_blocks(n: int, size: int) -> list[slice]:
    """Slices of at most ``size`` rows that cover 0..n."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
