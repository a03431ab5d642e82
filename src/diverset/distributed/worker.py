"""What is done where the rows are: pure functions of a partition and a message.

# held    rows of one partition, with what earlier rounds worked out about them. Dask makes it by a task,
#         moves it, spills it, makes it again when its worker is lost, and lets go of it when the
#         selection ends: so the cache in it is bounded by the rows, and needs no care of its own
# packed  a message as it travels: its bytes, and its arrays by their digests
# parcel  arrays by their digests
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..rounds.parts import Cache, Part, Task


class Held:
    """Rows of one partition, and a cache. Copies of it (on other workers, on disk) may differ in the cache.

    Tasks are pure: they would find the same in an empty cache, only later. No array in it is written to
    once it is there, so that Dask may pickle it at any time.
    """

    def __init__(self, block: Any, cache: Cache | None = None) -> None:
        frame = hasattr(block, "to_numpy")
        rows = block.to_numpy(dtype=np.float64, na_value=np.nan) if frame else block
        self.rows: Floats = np.ascontiguousarray(rows, dtype=np.float64)
        self.index: Any = block.index if frame else None
        self.cache = Cache() if cache is None else cache

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "cache": Cache(self.cache)}

    def __sizeof__(self) -> int:  # what Dask goes by when it spills: the rows, and a full cache
        return int(self.rows.nbytes) + 32 * len(self.rows)

    def of(self, size: int) -> Held:
        """The same, or a refusal if the source does not say the same twice."""
        if len(self.rows) != size:
            raise ValueError(_OTHER.format(now=len(self.rows), before=size))
        return self


_OTHER = (
    "A partition of X has {now} rows now and had {before} before: its source must give the same rows each "
    "time it is read. Type X = X.persist(), or write X to a file first."
)


class Plain:
    """A message or an argument that Dask should not look into."""

    def __init__(self, message: Any) -> None:
        self.message = message


def shape(held: Held) -> tuple[int, ...]:
    shape: tuple[int, ...] = held.rows.shape
    return shape


def answer(held: Held, first: int, size: int, along: Any, task: Task, packed: Any) -> Any:
    message = packed.message if isinstance(packed, Plain) else unpacked(*packed)
    return task(Part(first, held.of(size).rows, along, held.cache), message)


def rows(held: Held, size: int, wanted: Ints) -> Floats:
    found: Floats = held.of(size).rows[wanted]
    return found


def labels(held: Held, size: int, wanted: Ints) -> Any:
    return held.of(size).index[wanted]


def summed(*answers: Any) -> Any:
    total = answers[0]
    for answer in answers[1:]:
        total = total + answer
    return total


def same(one: Any) -> Any:
    return one


def unpacked(head: bytes, order: Sequence[bytes], *parcels: dict[bytes, Any]) -> Any:
    known = {digest: array for parcel in parcels for digest, array in parcel.items()}
    # S301 is about files from elsewhere: this was pickled by our own driver, as all that Dask sends
    return pickle.loads(head, buffers=[known[digest] for digest in order])  # noqa: S301


def weight(answer: Any) -> int:
    """Bytes of numbers in an answer."""
    if isinstance(answer, (tuple, list)):
        return sum(map(weight, answer))
    return int(getattr(answer, "nbytes", 8))
