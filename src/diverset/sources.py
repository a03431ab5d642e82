"""WHERE IS X? Items in memory, a file that is read in parts, or a collection on a cluster.

# stored  a pool that stays on disk: a memory map, a .npy file, a Parquet data set
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import Floats, Ints, is_dask
from .items import Items, first_missing, missing_values, read_items
from .rounds.parts import LocalParts, Part, Parts


def find_items(X: Any, memory: int, client: Any = None) -> Items | Parts:
    """Checked items in memory, or the parts of a pool that is too large for it or elsewhere.

    A stored pool is read into memory as long as its kernel matrix fits there too: then the picks
    are those of the same rows as an array.
    """
    if isinstance(X, (str, Path)):
        X = opened(Path(X))
    if type(X).__module__.startswith("pyarrow."):
        X = ParquetRows(X)
    if is_dask(X):
        from .distributed import DaskParts

        return checked(DaskParts(X, client=client))
    if client is not None:
        raise TypeError(f"client is for Dask collections, got X of type {type(X).__name__}: leave it out.")
    stored = isinstance(X, (np.memmap, ParquetRows))
    if stored and X.ndim == 2 and 8 * X.shape[0] ** 2 > memory and X.dtype.kind in "fiub":
        return checked(LocalParts(X, X.edges if isinstance(X, ParquetRows) else None))
    return read_items(X[:] if isinstance(X, ParquetRows) else X)


def opened(path: Path) -> Any:
    """The array or the data set behind a path, not yet read."""
    if not path.exists():
        raise FileNotFoundError(f"X names the file {path}, which does not exist.")
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
        f"X names the file {path}: wanted a .npy file, a .parquet file or a folder of them. "
        "The command `diverset select` reads more kinds."
    )


class ParquetRows:
    """The numbers of a Parquet data set, read by row groups: a shape, slices and lists of rows."""

    dtype = np.dtype(np.float64)
    ndim = 2

    def __init__(self, source: Any) -> None:
        from pyarrow import types
        from pyarrow.dataset import dataset

        data = dataset(source.to_table()) if not hasattr(source, "get_fragments") else source
        for name, kind in zip(data.schema.names, data.schema.types, strict=True):
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                raise TypeError(
                    f"Column {name!r} of X holds {kind} values, wanted numbers. Drop or encode it first."
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


def checked(parts: Parts) -> Parts:
    """The same parts, or a sentence about the first number that is missing: one pass over the pool."""
    n = int(parts.sizes.sum())
    if n == 0 or parts.columns == 0:
        read_items(np.empty((n, parts.columns)))  # refuses it
    count, first = 0, None
    for missing, at in parts.ask(_missing, None):
        count += missing
        first = at if first is None else first
    if first is not None:
        place, value = first
        missing_values(count, place, value, getattr(parts, "names", None))
    return parts


def _missing(part: Part, _: None) -> tuple[int, tuple[tuple[int, int], float] | None]:
    return first_missing(part.rows, part.first)
