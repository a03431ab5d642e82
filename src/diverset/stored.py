"""WHAT IS IN THE FILE? Rows that stay on disk until some of them are asked for.

# stored  a memory map, or the numbers of a data set of pyarrow: a shape, slices, and lists of rows
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .arrays import PART_ROWS, Floats, Ints

_BLOCK = 2**22  # bytes of a block
_ARROW = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}


def stored(X: Any, name: str = "X") -> Any:
    """The stored rows behind a path, a memory map or a data set of pyarrow; None if X is something else."""
    if isinstance(X, (str, Path)):
        X = opened(Path(X), name)
    if type(X).__module__.startswith("pyarrow."):
        X = TableRows(X, name)
    return X if isinstance(X, (np.memmap, TableRows)) else None


def settled(X: Any) -> Any:
    """X with what names a file opened, once for all that is done with it."""
    rows = stored(X)
    return X if rows is None else rows


def opened(path: Path, name: str = "X") -> Any:
    """The array or the data set behind a path, not yet read."""
    path = path.expanduser()
    suffix = path.suffix.lower()
    if not path.exists():
        raise FileNotFoundError(f"{name} names the file {path}, which does not exist.")
    if suffix == ".npy":
        try:
            return np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise ValueError(
                f"{name} names the file {path}, which is no whole .npy file of numbers ({error}). "
                "Type numpy.save(path, X)."
            ) from None
    if suffix in _ARROW or path.is_dir():
        try:
            from pyarrow.dataset import dataset
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "Parquet and Feather files are read by pyarrow. Type: pip install 'diverset[tables]'"
            ) from None
        return dataset(path, format=_ARROW.get(suffix, "parquet"))
    raise ValueError(
        f"{name} names the file {path}: wanted a .npy, .parquet or .feather file, or a folder of Parquet. "
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

        if not (hasattr(source, "schema") and (hasattr(source, "files") or hasattr(source, "to_batches"))):
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
        self.names = list(self._schema.names)
        self.shape = int(self._starts[-1]), len(self.names)
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
        rows = np.arange(self.shape[0])[wanted] if isinstance(wanted, slice) else np.asarray(wanted)
        found, order = np.empty((len(rows), self.shape[1])), np.argsort(rows, kind="stable")
        rising, done = rows[order], 0
        while done < len(rows):
            home = int(np.searchsorted(self._starts, rising[done], side="right")) - 1
            first, end = int(self._starts[home]), np.searchsorted(rising, self._starts[home + 1])
            with closing(self._blocks(home)) as blocks:
                while done < end:  # not farther than to the last one that is wanted
                    block = next(blocks)
                    to = int(np.searchsorted(rising, first + len(block)))
                    found[order[done:to]] = block[rising[done:to] - first]
                    first, done = first + len(block), to
        return found

    def _blocks(self, number: int) -> Generator[Floats, None, None]:
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
        for at, name in enumerate(self.names):  # files may have their columns in another order
            try:
                out[:, at] = batch.column(name).to_numpy(zero_copy_only=False)
            except ValueError:
                kind = batch.column(name).type
                raise TypeError(
                    f"Column {name!r} of X holds {kind} values in some file, wanted numbers. "
                    "Drop or encode it first."
                ) from None
        return out


class _Piece(NamedTuple):
    """A row group, a file or a table, and how to read it."""

    rows: int
    batches: Callable[[int], Iterator[Any]]  # of at most so many rows


def _pieces(source: Any, schema: Any) -> Iterator[_Piece]:
    if not hasattr(source, "get_fragments"):
        yield _Piece(source.num_rows, partial(_cut, source))
        return
    for fragment in source.get_fragments():
        # what a file lacks (a column, or one that is in the names of folders) is filled in by a scan
        if hasattr(fragment, "row_groups") and set(schema.names) <= set(fragment.physical_schema.names):
            for group in fragment.row_groups:
                yield _Piece(group.num_rows, partial(_parquet, fragment, group.id, schema))
        else:
            yield _Piece(fragment.count_rows(), partial(_scanned, fragment, schema))


def _cut(table: Any, rows: int) -> Iterator[Any]:
    yield from table.to_batches(max_chunksize=rows)


def _parquet(fragment: Any, group: int, schema: Any, rows: int) -> Iterator[Any]:
    # not fragment.to_batches(), which holds a whole row group, and more of them ahead
    from pyarrow.parquet import ParquetFile

    with (
        fragment.open() as opened,
        ParquetFile(opened, metadata=fragment.metadata, buffer_size=2**16, pre_buffer=False) as file,
    ):
        yield from file.iter_batches(rows, [group], columns=schema.names)


def _scanned(fragment: Any, schema: Any, rows: int) -> Iterator[Any]:
    yield from fragment.to_batches(schema=schema, batch_size=rows, batch_readahead=1)
