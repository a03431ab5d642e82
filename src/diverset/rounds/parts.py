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
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from ..arrays import PART_ROWS, Ints, is_sparse
from ..threads import blas_threads, cores


class Cache(dict[Any, Any]):
    """The last two things that were remembered: what came before them is never asked for again."""

    def __setitem__(self, key: Any, value: Any) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        while len(self) > 2:
            del self[next(iter(self))]


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

    @property
    def cores(self) -> int:
        """How many parts work at a time."""

    @property
    def reading(self) -> int:
        """Bytes that reading takes here, beside the rows."""

    def ask(self, task: Task, message: Any, along: Any = None) -> Iterator[Any]:
        """The answer of every part, in order."""

    def total(self, task: Task, message: Any, along: Any = None, at_once: int | None = None) -> Any:
        """The sum of the answers, of so many parts at a time."""

    def rows(self, numbers: Ints) -> Any:
        """These rows, in this order."""

    def labels(self, numbers: Ints) -> Any:
        """What these rows are called; None if they are not."""


class LocalParts:
    """Parts of an array, a sparse matrix, or anything else with a shape and lists of rows.

    What cannot be cut where one likes has ``edges``, and ``blocks()`` between them, in their order.
    """

    def __init__(self, source: Any, edges: Ints | None = None) -> None:
        self._source = source
        n = int(source.shape[0])
        self.columns = int(source.shape[1])
        if edges is None and hasattr(source, "edges"):
            edges = source.edges
        if edges is None:
            # enough parts to keep all cores busy to the end, each large enough to be worth a call
            step = min(max(n // (8 * cores()), 2**12), PART_ROWS)
            edges = np.append(np.arange(0, n, step), n)
        self._edges = edges
        self.sizes: Ints = np.diff(edges)
        self.names = getattr(source, "names", None)
        self._caches = [Cache() for _ in self.sizes]

    @property
    def cores(self) -> int:
        return cores()

    @property
    def reading(self) -> int:
        return int(getattr(self._source, "reading", 0))

    def ask(self, task: Task, message: Any, along: Any = None) -> Generator[Any, None, None]:
        """The answer of every part, in order, worked out on all cores with one BLAS thread each."""
        return self._answers(task, message, along, cores())

    def total(self, task: Task, message: Any, along: Any = None, at_once: int | None = None) -> Any:
        with closing(self._answers(task, message, along, min(cores(), at_once or cores()))) as answers:
            summed = next(answers)
            for answer in answers:
                summed = summed + answer
        return summed

    def _answers(self, task: Task, message: Any, along: Any, threads: int) -> Generator[Any, None, None]:
        threads = min(threads, len(self.sizes))
        with blas_threads(1), closing(self._blocks()) as read:
            blocks = enumerate(read)
            if threads == 1:
                yield from (self._answer(task, message, along, at, rows) for at, rows in blocks)
                return
            workers = ThreadPoolExecutor(threads)
            under_way: deque[Future[Any]] = deque()
            try:
                for at, rows in blocks:
                    under_way.append(workers.submit(self._answer, task, message, along, at, rows))
                    if len(under_way) > threads:  # no more: answers may be large, and wait their turn
                        yield under_way.popleft().result()
                while under_way:
                    yield under_way.popleft().result()
            finally:  # also when the caller was interrupted: what has not begun does not begin
                workers.shutdown(cancel_futures=True)

    def rows(self, numbers: Ints) -> Any:
        found = self._source[np.asarray(numbers)]
        return found if is_sparse(found) else np.asarray(found, dtype=np.float64)

    def all(self) -> Any:
        """The rows of all parts."""
        return self._source[:]

    def labels(self, numbers: Ints) -> Any:
        return None

    def _blocks(self) -> Generator[Any, None, None]:
        """The rows of every part, as they are."""
        if hasattr(self._source, "blocks"):
            yield from self._source.blocks()
        else:
            yield from (self._source[a:b] for a, b in pairwise(self._edges.tolist()))

    def _answer(self, task: Task, message: Any, along: Any, at: int, rows: Any) -> Any:
        here = slice(int(self._edges[at]), int(self._edges[at + 1]))
        if not is_sparse(rows):
            rows = np.asarray(rows, dtype=np.float64)
        return task(Part(here.start, rows, shown(along, here), self._caches[at]), message)


def shown(along: Any, here: slice) -> Any:
    """Of what goes along with the rows, the share of one part."""
    if isinstance(along, Sequence):
        return tuple(None if one is None else one[here] for one in along)
    return along
