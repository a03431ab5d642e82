"""A Dask collection as the parts of a pool.

# held  the rows of one partition, where they are: see worker.py
# node  something that Dask has, or will have: see engines.py
# trip  a round or a fetch of rows, and the bytes that it took
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..rounds.parts import Task, at_the_end
from . import worker
from .blocks import blocks_of
from .engines import Cluster, Engine, Node, Threads, find_client

_GROUP = 8  # answers that one task adds up


class Trip(NamedTuple):
    """What one question took: bytes from the driver, counted once for all partitions, and bytes to it."""

    name: str
    sent: int
    received: int


class DaskParts:
    """The partitions of a Dask array or dataframe, in their order.

    With a client (the given one, or the current one) the rows are held on its workers until `close`;
    without, Dask's threads read them again in every round. Never starts a cluster.
    """

    def __init__(self, X: Any, client: Any = None) -> None:
        blocks, self.columns, self.names = blocks_of(X)
        self._ends = ExitStack()
        self.trips: list[Trip] = []
        self._along: dict[int, tuple[Any, list[Node]]] = {}
        at_the_end(self.close)
        try:
            found = find_client(X, client, self._ends)
            self._engine: Engine = Threads() if found is None else Cluster(found)
            self._held = self._engine.hold(blocks)
            self.sizes: Ints = self._sizes(X)
            full = np.flatnonzero(self.sizes)  # what is empty is not asked
            self._held, self.sizes = [self._held[at] for at in full], self.sizes[full]
        except BaseException:
            self.close()
            raise

    @property
    def cores(self) -> int:
        return min(self._engine.cores, max(len(self.sizes), 1))

    @property
    def reading(self) -> int:
        return 0

    def _sizes(self, X: Any) -> Ints:
        known = [] if hasattr(X, "to_dask_array") else X.chunks[0]
        if len(known) and not np.isnan(known).any():
            return np.array(known, dtype=np.int64)
        shapes = self._engine.gather(self._engine.each(worker.shape, [self._held]))
        for at, (_, columns) in enumerate(shapes):
            if columns != self.columns:
                raise ValueError(f"Partition {at} of X has {columns} columns, wanted {self.columns}.")
        return np.array([rows for rows, _ in shapes], dtype=np.int64)

    def close(self) -> None:
        """Let go of all that is held on the cluster."""
        self._held, self._along = [], {}
        if hasattr(self, "_engine"):
            self._engine.close()
        self._ends.close()

    # --- what parts answer -------------------------------------------------------------------

    def ask(self, task: Task, message: Any, along: Any = None) -> Iterator[Any]:
        """The answer of every partition, in order: one round."""
        nodes, sent = self._asked(task, message, along)
        answers = self._engine.gather(nodes)
        self.trips.append(Trip(task.__name__, sent, sum(map(worker.weight, answers))))
        return iter(answers)

    def total(self, task: Task, message: Any, along: Any = None, at_once: int | None = None) -> Any:
        """The sum of the answers, added up by a tree of tasks; how many at once is up to the workers."""
        nodes, sent = self._asked(task, message, along)
        while len(nodes) > 1:
            groups = [nodes[at : at + _GROUP] for at in range(0, len(nodes), _GROUP)]
            nodes = [self._engine.joined(worker.summed, group) for group in groups]
        answers = self._engine.gather(nodes)
        self.trips.append(Trip(task.__name__, sent, worker.weight(answers)))
        return answers[0]

    def rows(self, numbers: Ints) -> Floats:
        """These rows, in this order."""
        found = np.empty((len(numbers), self.columns))
        for places, rows in self._fetched(worker.rows, numbers):
            found[places] = rows
        return found

    def labels(self, numbers: Ints) -> Any:
        """The index of these rows of a dataframe; None for arrays."""
        if self.names is None:
            return None
        found = list(self._fetched(worker.labels, numbers))
        order = np.argsort(np.concatenate([places for places, _ in found]))
        pieces = [labels for _, labels in found]
        return pieces[0].append(pieces[1:])[order]

    # --- and how -----------------------------------------------------------------------------

    @property
    def _firsts(self) -> list[int]:
        return [0, *np.cumsum(self.sizes)[:-1].tolist()]

    def _asked(self, task: Task, message: Any, along: Any) -> tuple[list[Node], int]:
        packed, sent = self._engine.pack(message)
        shares, more = self._shares(along)
        count = len(self._held)
        columns = [self._held, self._firsts, self.sizes.tolist(), shares, [task] * count, [packed] * count]
        return self._engine.each(worker.answer, columns), sent + more

    def _shares(self, along: Any) -> tuple[list[Any], int]:
        """What each partition is shown of what goes along with the rows, and how many bytes of it travel."""
        if not isinstance(along, Sequence):
            return [along] * len(self._held), 0
        found = [self._share(slot, array) for slot, array in enumerate(along)]
        return list(zip(*(nodes for nodes, _ in found), strict=True)), sum(sent for _, sent in found)

    def _share(self, slot: int, array: Any) -> tuple[list[Node], int]:
        """The slices of one array; those that are as they were in the round before stay where they are."""
        if array is None:
            return [None] * len(self._held), 0
        before, nodes = self._along.get(slot, (None, [None] * len(self._held)))
        if before is array:
            return nodes, 0
        slices = [slice(a, a + b) for a, b in zip(self._firsts, self.sizes.tolist(), strict=True)]
        new = {
            at: array[here].copy()
            for at, here in enumerate(slices)
            if before is None or not np.array_equal(array[here], before[here])
        }
        fresh = dict(zip(new, self._engine.each(worker.same, [list(new.values())]), strict=True))
        nodes = [fresh.get(at, node) for at, node in enumerate(nodes)]
        self._along[slot] = array, nodes
        return nodes, sum(share.nbytes for share in new.values())

    def _fetched(self, task: Callable[..., Any], numbers: Ints) -> Iterator[tuple[Ints, Any]]:
        """What a task finds for rows by number: for each partition concerned, places and findings."""
        numbers = np.asarray(numbers, dtype=np.int64)
        firsts = np.array(self._firsts, dtype=np.int64)
        homes = np.searchsorted(firsts + self.sizes, numbers, side="right")
        concerned = np.unique(homes).tolist()
        places = [np.flatnonzero(homes == home) for home in concerned]
        wanted = [numbers[here] - firsts[home] for home, here in zip(concerned, places, strict=True)]
        if not concerned:
            return
        sizes = self.sizes[concerned].tolist()
        nodes = self._engine.each(task, [[self._held[home] for home in concerned], sizes, wanted])
        found = self._engine.gather(nodes)
        self.trips.append(Trip(task.__name__, numbers.nbytes, sum(map(worker.weight, found))))
        yield from zip(places, found, strict=True)
