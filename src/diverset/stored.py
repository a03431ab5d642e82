"""WHAT IS IN THE FILE? Rows that stay on disk until some of them are asked for.

# stored  a memory map, or the numbers of a data set of pyarrow: a shape, slices, and lists of rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .arrays import PART_ROWS, Floats, Ints

_BLOCK = 2**22  # bytes of a block


def stored(X: Any, name: str = "X") -> Any:
    """The stored rows behind a path, a memory map or a data set of pyarrow; None if X is something else."""
    if isinstance(X, (str, Path)):
        X = opened(Path(X), name)
    if type(X).__module__.startswith("pyarrow."):
        X = TableRows(X, name)
    return X if isinstance(X, (np.memmap, TableRows)) else None


def opened(path: Path, name: str = "X") -> Any:
    """The array or the data set behind a path, not yet read."""
    if not path.exists():
        raise FileNotFoundError(f"{name} names the file {path}, which does not exist.")
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r", allow_pickle=False)
    if path.suffix in (".parquet", ".pq") or path.is_dir():
        try:
            from pyarrow.dataset import dataset
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "Parquet files are read by pyarrow. Type: pip install 'diverset[tables]'"
            ) from None
        return dataset(path, format="parquet")
    raise ValueError(
        f"{name} names the file {path}: wanted a .npy file, a .parquet file or a folder of them. "
        "The command `diverset select` reads more kinds."
    )


class TableRows:
    """The numbers of a table or data set of pyarrow: a shape, slices, lists of rows, and blocks of all.

    Files are read from front to back, a block at a time: a Parquet row group may be larger than the memory.
    """

    dtype = np.dtype(np.float64)
    ndim = 2

    def __init__(self, source: Any, called: str = "X") -> None:
        from pyarrow import types

        if not (hasattr(source, "get_fragments") or hasattr(source, "to_batches")):
            raise TypeError(
                f"{called} is a {type(source).__name__}, wanted a table or a data set. "
                "Type pyarrow.dataset.dataset(path)."
            )
        self._schema = source.schema
        for name, kind in zip(self._schema.names, self._schema.types, strict=True):
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                raise TypeError(
                    f"Column {name!r} of {called} holds {kind} values, wanted numbers. "
                    "Drop or encode it first."
                )
        self._pieces = list(_pieces(source, self._schema))
        self._starts = np.cumsum([0, *(piece.rows for piece in self._pieces)], dtype=np.int64)
        self.shape = int(self._starts[-1]), len(self._schema.names)
        self._step = max(min(PART_ROWS, _BLOCK // (8 * max(self.shape[1], 1))), 2**10)
        cuts = [np.arange(a, b, self._step) for a, b in pairwise(self._starts.tolist())]
        self.edges: Ints = np.concatenate([*cuts, self._starts[-1:]])

    @property
    def reading(self) -> int:
        """Bytes that pyarrow takes while it reads: a page of every column, as it is and unpacked."""
        longest = max((piece.rows for piece in self._pieces), default=0)
        return 3 * self.shape[1] * min(8 * longest, 2**20)

    def blocks(self) -> Iterator[Floats]:
        """All rows, between one edge and the next."""
        for number in range(len(self._pieces)):
            yield from self._blocks(number)

    def __getitem__(self, wanted: slice | Ints) -> Floats:
        rows = np.arange(self.shape[0])[wanted] if isinstance(wanted, slice) else wanted
        found = np.empty((len(rows), self.shape[1]))
        homes = np.searchsorted(self._starts, rows, side="right") - 1
        for home in np.unique(homes).tolist():
            first = int(self._starts[home])
            for block in self._blocks(home):
                here = (rows >= first) & (rows < first + len(block))
                found[here] = block[rows[here] - first]
                first += len(block)
        return found

    def _blocks(self, number: int) -> Iterator[Floats]:
        waiting: list[Floats] = []  # batches may be shorter than was asked for
        for batch in self._pieces[number].batches(self._step):
            waiting.append(self._numbers(batch))
            while sum(map(len, waiting)) >= self._step:
                joined = np.concatenate(waiting) if len(waiting) > 1 else waiting[0]
                yield joined[: self._step]
                waiting = [joined[self._step :]]
        if sum(map(len, waiting)):
            yield np.concatenate(waiting)

    def _numbers(self, batch: Any) -> Floats:
        out = np.empty((batch.num_rows, self.shape[1]))
        for at, name in enumerate(self._schema.names):  # files may have their columns in another order
            out[:, at] = batch.column(name).to_numpy(zero_copy_only=False)
        return out


class _Piece(NamedTuple):
    """A file or a table, and how to read it."""

    rows: int
    batches: Callable[[int], Iterator[Any]]  # of at most so many rows


def _pieces(source: Any, schema: Any) -> Iterator[_Piece]:
    if not hasattr(source, "get_fragments"):
        yield _Piece(source.num_rows, partial(_cut, source))
        return
    for fragment in source.get_fragments():
        read = _parquet if hasattr(fragment, "row_groups") else _scanned
        yield _Piece(fragment.count_rows(), partial(read, fragment, schema))


def _cut(table: Any, rows: int) -> Iterator[Any]:
    yield from table.to_batches(max_chunksize=rows)


def _parquet(fragment: Any, schema: Any, rows: int) -> Iterator[Any]:
    # not fragment.to_batches(), which holds a whole row group, and more of them ahead
    from pyarrow.parquet import ParquetFile

    with fragment.open() as opened, ParquetFile(opened, buffer_size=2**16, pre_buffer=False) as file:
        groups = [group.id for group in fragment.row_groups]
        yield from file.iter_batches(rows, groups, columns=schema.names)


def _scanned(fragment: Any, schema: Any, rows: int) -> Iterator[Any]:
    yield from fragment.to_batches(schema=schema, batch_size=rows, batch_readahead=1)
