"""WHERE ARE THE ITEMS? A pool in partitions: in memory, on disk, or (distributed/) on other machines.

# part    some consecutive rows of the pool, and what was worked out about them in earlier rounds
# round   one function and one message to all parts; the answers come back in the order of the parts
# along   a number per row of the whole pool, of which each part is shown its own
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..arrays import Ints, is_sparse
from ..threads import blas_threads, cores

PART_ROWS = 2**16  # rows read in one go from memory or disk, at most


@dataclass(eq=False)
class Part:
    """What a task sees: rows, the number of the first one, and a cache that may be empty at any time."""

    first: int
    rows: Any
    along: Any = None
    cache: dict[Any, Any] = field(default_factory=dict)


Task = Callable[[Part, Any], Any]

_ends: ContextVar[ExitStack | None] = ContextVar("ends", default=None)


@contextmanager
def tidy() -> Iterator[None]:
    """What parts hold elsewhere is let go of when this ends, however it ends. Usable as a decorator."""
    with ExitStack() as stack:
        token = _ends.set(stack)
        try:
            yield
        finally:
            _ends.reset(token)


def at_the_end(close: Callable[[], None]) -> None:
    """Call this when the present `tidy` ends."""
    stack = _ends.get()
    if stack is not None:
        stack.callback(close)


class Parts(Protocol):
    """A pool that answers one function at a time. Tasks are pure: the cache only makes them faster."""

    sizes: Ints
    columns: int

    def ask(self, task: Task, message: Any, along: Any = None) -> Iterator[Any]:
        """The answer of every part, in order."""

    def total(self, task: Task, message: Any, along: Any = None) -> Any:
        """The sum of the answers."""

    def rows(self, numbers: Ints) -> Any:
        """These rows, in this order."""

    def labels(self, numbers: Ints) -> Any:
        """What these rows are called; None if they are not."""


class LocalParts:
    """Parts of an array, a sparse matrix, or anything else with a shape and slices of rows."""

    def __init__(self, source: Any, edges: Ints | None = None) -> None:
        self._source = source
        n = int(source.shape[0])
        self.columns = int(source.shape[1])
        if edges is None:
            # enough parts to keep all cores busy to the end, each large enough to be worth a call
            step = min(max(n // (8 * cores()), 2**12), PART_ROWS)
            edges = np.append(np.arange(0, n, step), n)
        self._edges = edges
        self.sizes: Ints = np.diff(edges)
        self._caches: list[dict[Any, Any]] = [{} for _ in self.sizes]

    def ask(self, task: Task, message: Any, along: Any = None) -> Generator[Any, None, None]:
        """The answer of every part, in order, worked out on all cores with one BLAS thread each."""
        with blas_threads(1):
            jobs = range(len(self.sizes))
            if len(jobs) == 1 or cores() == 1:
                yield from (self._answer(task, message, along, at) for at in jobs)
                return
            workers = ThreadPoolExecutor(cores())
            under_way: deque[Future[Any]] = deque()
            try:
                for at in jobs:
                    under_way.append(workers.submit(self._answer, task, message, along, at))
                    if (
                        len(under_way) > cores()
                    ):  # no more than that: answers may be large, and wait their turn
                        yield under_way.popleft().result()
                while under_way:
                    yield under_way.popleft().result()
            finally:  # also when the caller was interrupted: what has not begun does not begin
                workers.shutdown(cancel_futures=True)

    def total(self, task: Task, message: Any, along: Any = None) -> Any:
        with closing(self.ask(task, message, along)) as answers:
            summed = next(answers)
            for answer in answers:
                summed = summed + answer
        return summed

    def rows(self, numbers: Ints) -> Any:
        found = self._source[np.asarray(numbers)]
        return found if is_sparse(found) else np.asarray(found, dtype=np.float64)

    def labels(self, numbers: Ints) -> Any:
        return None

    def _answer(self, task: Task, message: Any, along: Any, at: int) -> Any:
        here = slice(int(self._edges[at]), int(self._edges[at + 1]))
        rows = self._source[here]
        if not is_sparse(rows):
            rows = np.asarray(rows, dtype=np.float64)
        return task(Part(here.start, rows, shown(along, here), self._caches[at]), message)


def shown(along: Any, here: slice) -> Any:
    """Of what goes along with the rows, the share of one part."""
    if isinstance(along, Sequence):
        return tuple(None if one is None else one[here] for one in along)
    return along
