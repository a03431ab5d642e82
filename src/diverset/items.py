"""WHAT CAME IN? Arrays, sparse matrices and frames become checked float64 rows with labels.

# values  the (n, d) rows, float64, C order (or CSR); the caller's memory wherever it fits already
# labels  the frame's index, if it has one worth showing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import EPS, Floats, Rows, is_sparse
from .threads import row_blocks

_CHECK_ROWS = 2**14  # rows looked at in one go: a memory map is never read as a whole


@dataclass(frozen=True, eq=False)
class Items:
    """The pool, one item per row."""

    values: Rows
    labels: Any | None = None
    precision: float = EPS  # of the numbers as they came: float32 brings fewer digits

    @property
    def n(self) -> int:
        return int(self.values.shape[0])

    @property
    def columns(self) -> int:
        return int(self.values.shape[1])

    @property
    def sparse(self) -> bool:
        return is_sparse(self.values)


def read_items(X: Any) -> Items:
    """X as float64 rows, or a sentence about the first thing that is wrong with it.

    >>> read_items([[1, 2], [3, float("nan")]])
    Traceback (most recent call last):
        ...
    ValueError: X has 1 value that is not finite, the first (nan) in row 1, column 1. \
Drop or fill them first: X.dropna() for a frame, or sklearn.impute.SimpleImputer.
    """
    if isinstance(X, Items):
        return X
    if is_sparse(X):
        return Items(_sparse_rows(X))
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        return _frame_rows(X)
    array = _as_array(X)
    single = array.dtype.kind == "f" and array.dtype.itemsize < 8
    precision = float(np.finfo(array.dtype).eps) if single else EPS
    return Items(_dense_rows(array), precision=precision)


def _as_array(X: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError(
            "X is ragged: its rows differ in length. Wanted a table of numbers, one item per row."
        ) from None
    if array.dtype.kind == "O":
        raise TypeError(
            f"X holds objects ({_first_type(array)}), wanted numbers. "
            "Encode them first (pandas.get_dummies, a text or image embedding), or try X.astype(float)."
        )
    if array.dtype.kind == "c":
        raise TypeError("X is complex, wanted real numbers. Type X.real, or np.c_[X.real, X.imag].")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"X has dtype {array.dtype}, wanted numbers. Encode it as numbers first.")
    return array


def _first_type(array: np.ndarray[Any, Any]) -> str:
    return type(array.flat[0]).__name__ if array.size else "object"


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        hint = " Type X.reshape(-1, 1) for items with one feature." if len(shape) == 1 else ""
        raise ValueError(f"X must have two dimensions, one item per row; got shape {shape}.{hint}")
    if shape[0] == 0:
        raise ValueError(f"X has no items (0 sample(s), shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise ValueError(f"X has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def _dense_rows(array: np.ndarray[Any, Any], columns: Any = None) -> Floats:
    _check_shape(array.shape)
    rows: Floats = np.ascontiguousarray(array, dtype=np.float64)
    _refuse_missing(rows, columns)
    return rows


def _refuse_missing(rows: Floats, columns: Any = None) -> None:
    count, first = 0, None
    for block in row_blocks(len(rows), _CHECK_ROWS):
        missing, at = first_missing(rows[block], block.start)
        count += missing
        first = at if first is None else first
    if first is not None:
        missing_values(count, *first, columns)


def first_missing(rows: Floats, start: int = 0) -> tuple[int, tuple[tuple[int, int], float] | None]:
    """How many values are not finite; row, column and value of the first, rows counted from ``start``."""
    bad = ~np.isfinite(rows)
    count = int(bad.sum())
    if count == 0:
        return 0, None
    row, column = np.argwhere(bad)[0]
    return count, ((start + int(row), int(column)), float(rows[row, column]))


def missing_values(count: int, at: tuple[int, int], value: float, columns: Any = None) -> None:
    """Raise the ValueError about values that are not finite."""
    column = at[1] if columns is None else repr(str(columns[at[1]]))
    noun = "value that is" if count == 1 else "values that are"
    raise ValueError(
        f"X has {count} {noun} not finite, the first ({value}) in row {at[0]}, column {column}. "
        "Drop or fill them first: X.dropna() for a frame, or sklearn.impute.SimpleImputer."
    )


def _sparse_rows(X: Rows) -> Rows:
    _check_shape(X.shape)
    if X.dtype.kind == "c":
        raise TypeError("X is complex, wanted real numbers. Type X.real.")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X has dtype {X.dtype}, wanted numbers. Type X.astype(float).")
    rows = X.tocsr().astype(np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    bad = ~np.isfinite(rows.data)
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        missing_values(int(bad.sum()), (row, int(rows.indices[at])), rows.data[at])
    return rows


def _frame_rows(X: Any) -> Items:
    names = list(X.columns)
    array = X.to_numpy()
    if array.dtype.kind not in "fiub":  # mixed columns arrive as objects: find the one to blame
        array = np.column_stack([_column(X[name], name) for name in names]) if names else array
    labels = getattr(X, "index", None)
    return Items(_dense_rows(array, names), labels)


def _column(column: Any, name: object) -> Floats:
    values = np.asarray(column.to_numpy())
    if values.dtype.kind == "O":  # nullable numbers come as objects with a missing-value marker
        try:
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            pass
    if values.dtype.kind not in "fiub":
        raise TypeError(
            f"Column {str(name)!r} of X holds {column.dtype} values, wanted numbers. "
            "Drop or encode it first, for example with pandas.get_dummies(X) or X.to_dummies()."
        )
    return values.astype(np.float64)
