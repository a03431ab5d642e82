"""WHAT IS IN THE FILE? Rows that stay on disk until some of them are asked for.

# stored  a memory map, or the numbers of a Parquet data set: a shape, slices, and lists of rows
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import Floats, Ints


def stored(X: Any, name: str = "X") -> Any:
    """The stored rows behind a path, a memory map or a data set of pyarrow; None if X is something else."""
    if isinstance(X, (str, Path)):
        X = opened(Path(X), name)
    if type(X).__module__.startswith("pyarrow."):
        X = ParquetRows(X, name)
    return X if isinstance(X, (np.memmap, ParquetRows)) else None


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


class ParquetRows:
    """The numbers of a Parquet data set, read by row groups: a shape, slices and lists of rows."""

    dtype = np.dtype(np.float64)
    ndim = 2

    def __init__(self, source: Any, called: str = "X") -> None:
        from pyarrow import types
        from pyarrow.dataset import dataset

        data = dataset(source.to_table()) if not hasattr(source, "get_fragments") else source
        for name, kind in zip(data.schema.names, data.schema.types, strict=True):
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                raise TypeError(
                    f"Column {name!r} of {called} holds {kind} values, wanted numbers. "
                    "Drop or encode it first."
                )
        self._groups = [group for piece in data.get_fragments() for group in piece.split_by_row_group()]
        sizes = [group.count_rows() for group in self._groups]
        self.edges: Ints = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self.shape = int(self.edges[-1]), len(data.schema.names)

    def __getitem__(self, wanted: slice | Ints) -> Floats:
        if isinstance(wanted, slice):
            start, stop, _ = wanted.indices(self.shape[0])
            pieces = [group[a:b] for group, a, b in self._over(start, stop)]
            return np.concatenate(pieces) if pieces else np.empty((0, self.shape[1]))
        found = np.empty((len(wanted), self.shape[1]))
        places = np.searchsorted(self.edges, wanted, side="right") - 1
        for place in np.unique(places):
            here = places == place
            found[here] = self._read(place)[wanted[here] - self.edges[place]]
        return found

    def _over(self, start: int, stop: int) -> Iterator[tuple[Floats, int, int]]:
        for place, (a, b) in enumerate(zip(self.edges[:-1], self.edges[1:], strict=True)):
            if a < stop and b > start:
                yield self._read(place), max(start - int(a), 0), min(stop, int(b)) - int(a)

    def _read(self, place: int) -> Floats:
        table = self._groups[place].to_table()
        columns = [column.to_numpy(zero_copy_only=False) for column in table.itercolumns()]
        return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
