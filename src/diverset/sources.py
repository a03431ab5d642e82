"""WHERE IS X? Items in memory, a file that is read in parts, or a collection on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import is_dask
from .items import Items, first_missing, missing_values, read_items
from .rounds.parts import LocalParts, Part, Parts
from .stored import stored


def find_items(X: Any, memory: int, client: Any = None) -> Items | Parts:
    """Checked items in memory, or the parts of a pool that is too large for it or elsewhere.

    A stored pool is read into memory as long as its kernel matrix fits there too: then the picks
    are those of the same rows as an array.
    """
    if is_dask(X):
        from .distributed import DaskParts

        return checked(DaskParts(X, client=client))
    if client is not None:
        raise TypeError(f"client is for Dask collections, got X of type {type(X).__name__}: leave it out.")
    rows = stored(X)
    if rows is None:
        return read_items(X)
    if too_large(rows, memory):
        return checked(LocalParts(rows))
    return read_items(rows)


def stays(X: Any, memory: int) -> bool:
    """Whether the rows of X are left where they are."""
    if is_dask(X):
        return True
    rows = stored(X)
    return rows is not None and too_large(rows, memory)


def too_large(rows: Any, memory: int) -> bool:
    """Whether the kernel matrix of stored numbers does not fit."""
    return rows.ndim == 2 and 8 * rows.shape[0] ** 2 > memory and rows.dtype.kind in "fiub"


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
