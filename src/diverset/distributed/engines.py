"""Who does it: the workers of a client, or Dask's threads in this process.

# node    something that is on the cluster, or will be: a future, or a recipe in this process
# parcel  the arrays of a message: they travel once for all partitions, and again only when changed
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias
from uuid import uuid4
from weakref import WeakSet

import numpy as np

from ..rounds.parts import Cache
from ..threads import cores
from .worker import Held, Plain, same

Node: TypeAlias = Any
Columns: TypeAlias = Sequence[Sequence[Any]]  # arguments, by partition

_RETRIES = 3  # of a source that fails
_SMALL = 2**10  # bytes of an array that stays in its message


class Engine(Protocol):
    """Something that runs a function on every partition."""

    @property
    def cores(self) -> int: ...
    def hold(self, blocks: Sequence[Any]) -> list[Node]: ...
    def each(self, function: Callable[..., Any], columns: Columns) -> list[Node]:
        """One call per partition, with its share of every column."""

    def joined(self, function: Callable[..., Any], nodes: Sequence[Node]) -> Node: ...
    def gather(self, nodes: Sequence[Node]) -> list[Any]: ...
    def pack(self, message: Any) -> tuple[Any, int]:
        """The message as calls can have it, and how many bytes of it travel."""

    def close(self) -> None: ...


class _Recipe:
    """Held rows that are made anew for every call, with the cache of all calls before."""

    def __init__(self, block: Any) -> None:
        self.block, self.cache = block, Cache()

    def call(self, function: Callable[..., Any], others: Sequence[Any]) -> Callable[[Any], Any]:
        return lambda block: function(Held(block, self.cache), *others)


class Threads:
    """Dask's threads in this process. What is not asked for stays unread."""

    @property
    def cores(self) -> int:
        return cores()

    def hold(self, blocks: Sequence[Any]) -> list[Node]:
        return [_Recipe(block) for block in blocks]

    def each(self, function: Callable[..., Any], columns: Columns) -> list[Node]:
        from dask.delayed import delayed

        nodes = []
        for first, *others in zip(*columns, strict=True):
            if isinstance(first, _Recipe):
                call = delayed(first.call(function, others), pure=False, traverse=False)
                nodes.append(call(first.block))
            else:
                nodes.append(function(first, *others))
        return nodes

    def joined(self, function: Callable[..., Any], nodes: Sequence[Node]) -> Node:
        from dask.delayed import delayed

        return delayed(function, pure=False)(*nodes)

    def gather(self, nodes: Sequence[Node]) -> list[Any]:
        from dask.base import compute

        return list(compute(*nodes, scheduler="threads", optimize_graph=False))

    def pack(self, message: Any) -> tuple[Any, int]:
        return Plain(message), 0

    def close(self) -> None: ...


class Cluster:
    """The workers of a client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._nodes: WeakSet[Any] = WeakSet()  # released at the end, also those that a traceback remembers
        self._parcels: list[tuple[set[bytes], Node]] = []

    @property
    def cores(self) -> int:
        threads: dict[str, int] = self._client.nthreads()
        return max(sum(threads.values()), 1)

    def hold(self, blocks: Sequence[Any]) -> list[Node]:
        from dask.delayed import delayed

        with self._explained():
            name = f"diverset-rows-{uuid4()}"
            made = [
                delayed(Held, pure=False)(block, dask_key_name=f"{name}-{at}")
                for at, block in enumerate(blocks)
            ]
            return self._noted(self._client.compute(made, retries=_RETRIES))

    def each(self, function: Callable[..., Any], columns: Columns) -> list[Node]:
        if not len(columns[0]):
            return []
        name = f"diverset-{function.__name__}"
        with self._explained():
            return self._noted(self._client.map(function, *columns, key=name, pure=False, retries=_RETRIES))

    def joined(self, function: Callable[..., Any], nodes: Sequence[Node]) -> Node:
        with self._explained():
            return self._noted([self._client.submit(function, *nodes, pure=False, retries=_RETRIES)])[0]

    def _noted(self, nodes: Sequence[Node]) -> list[Node]:
        self._nodes.update(nodes)
        return list(nodes)

    def gather(self, nodes: Sequence[Node]) -> list[Any]:
        with self._explained():
            return list(self._client.gather(list(nodes)))

    def pack(self, message: Any) -> tuple[Any, int]:
        """Arrays by their digests: a task holds those that no parcel on the cluster has.

        A task, because Dask makes its result again when the workers that had it are lost; what is
        scattered is gone with them.
        """
        from cloudpickle import dumps

        arrays: list[Any] = []

        def aside(buffer: pickle.PickleBuffer) -> bool:
            view = buffer.raw()
            if view.nbytes >= _SMALL:
                arrays.append(np.frombuffer(view, dtype=np.uint8))
            return view.nbytes < _SMALL

        head = dumps(message, protocol=5, buffer_callback=aside)
        order = [blake2b(array, digest_size=16).digest() for array in arrays]
        self._parcels = [parcel for parcel in self._parcels if not parcel[0].isdisjoint(order)]
        known: set[bytes] = set().union(*(digests for digests, _ in self._parcels))
        new = {digest: array for digest, array in zip(order, arrays, strict=True) if digest not in known}
        if new:
            (node,) = self.each(same, [[new]])
            self._parcels.append((set(new), node))
        sent = len(head) + sum(array.nbytes for array in new.values())
        return (head, order, *(node for _, node in self._parcels)), sent

    def close(self) -> None:
        for node in list(self._nodes):
            node.release()
        self._parcels = []

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Dask's refusals in our words, and none of its advice about sizes: a parcel is as large as it is."""
        import dask
        from distributed import CancelledError, KilledWorker

        try:
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
                yield
        except KilledWorker as error:
            raise RuntimeError(_KILLED) from error
        except CancelledError as error:
            raise RuntimeError(_LOST if self._client.status == "running" else _CLOSED) from error


_CLOSED = "The Dask client is closed. Type client=distributed.Client(...), with the scheduler's address."
_LOST = (
    "Rows of X were lost with their worker and have no recipe: they were scattered, or belong to another "
    "client. Type X = dask.array.from_map(...) or dask.dataframe.read_parquet(...), to be read again."
)
_ELSEWHERE = (
    "X was persisted on a cluster whose client is closed. "
    "Type client=distributed.Client(...), with the address of its scheduler, and make X again."
)
_KILLED = (
    "Workers died again and again over the same partition of X, most likely for lack of memory. "
    "Type X = X.repartition(npartitions=...) or X.rechunk(...) for smaller ones, or take larger workers."
)


def find_client(X: Any, client: Any, ends: ExitStack) -> Any:
    """The client to work with: the given one, the current one, that of a persisted X; or None."""
    if client is None and "distributed" not in sys.modules:
        return None  # nobody can have made one
    from distributed import get_client, get_worker, worker_client

    with suppress(ValueError):
        get_worker()  # inside of a task: its thread makes room for the tasks that it waits for
        found = ends.enter_context(worker_client())
        return found if client is None else client
    if client is None:
        try:
            client = get_client()
        except ValueError:
            client = _client_of(X)
            if client is None:
                return None
    if not hasattr(client, "scheduler_info"):
        raise TypeError(f"client must be a distributed.Client, got {client!r}.")
    if client.status != "running":
        raise RuntimeError(_CLOSED)
    if client.asynchronous:
        raise TypeError("The Dask client is asynchronous. Type client=Client(..., asynchronous=False).")
    if not client.scheduler_info()["workers"]:
        warnings.warn("The Dask cluster has no workers: waiting for the first one.", stacklevel=2)
    return client


def _client_of(X: Any) -> Any:
    from distributed import Future

    future = next((node for node in X.__dask_graph__().values() if isinstance(node, Future)), None)
    if future is not None and future.client.status != "running":
        raise RuntimeError(_ELSEWHERE)
    return None if future is None else future.client
