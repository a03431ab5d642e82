"""WHAT CAME IN? Arrays, sparse matrices and frames become checked float64 rows with labels.

# values  the (n, d) rows, float64, C order (or CSR); the caller's memory wherever it fits already
# labels  the frame's index, if it has one worth showing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import EPS, Floats, Rows, is_dask, is_sparse
from .stored import stored
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


def read_items(X: Any, name: str = "X") -> Items:
    """X as float64 rows, or a sentence about the first thing that is wrong with it, under this name.

    >>> read_items([[1, 2], [3, float("nan")]])
    Traceback (most recent call last):
        ...
    ValueError: X has 1 value that is not finite, the first (NaN) in row 1, column 1. \
Drop or fill them first: X.dropna() for a frame, or sklearn.impute.SimpleImputer.
    """
    if isinstance(X, Items):
        return X
    if is_dask(X):
        raise TypeError(
            f"{name} is a Dask collection, wanted rows in memory: only select, plan, compare, Nystrom, "
            "DiverseNystroem, coverage and relative_error(norm='trace') go to the rows. "
            f"Type {name}.compute()."
        )
    rows = stored(X, name)
    if rows is not None:
        X = rows[:]
    if is_sparse(X):
        return Items(_sparse_rows(name, X))
    if hasattr(X, "to_numpy") and hasattr(X, "columns"):
        return _frame_rows(name, X)
    array = numbers(name, X)
    single = array.dtype.kind == "f" and array.dtype.itemsize < 8
    precision = float(np.finfo(array.dtype).eps) if single else EPS
    return Items(_dense_rows(name, array), precision=precision)


def numbers(name: str, X: Any) -> np.ndarray[Any, Any]:
    """X as an array of real numbers of any type, or a sentence about what it is instead."""
    if hasattr(X, "collect"):
        raise TypeError(f"{name} is a {type(X).__name__}, which has no rows yet. Type {name}.collect().")
    if is_sparse(X):
        raise TypeError(f"{name} is a sparse matrix, wanted a dense one. Type {name}.toarray().")
    _refuse_masked(name, X)
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} is ragged: its rows differ in length. Wanted a table of numbers, one item per row."
        ) from None
    if array.dtype.kind == "O" and array.ndim == 0:
        raise TypeError(
            f"{name} is a {type(X).__name__}, wanted a table of numbers, one item per row: "
            "an array, a frame, a sparse matrix, a list of lists."
        )
    if array.dtype.kind == "O":
        raise TypeError(
            f"{name} holds objects ({_first_type(array)}), wanted numbers. "
            f"Encode them first (pandas.get_dummies, a text or image embedding), or try {name}.astype(float)."
        )
    if array.dtype.kind == "c":
        raise TypeError(
            f"{name} is complex, wanted real numbers. Type {name}.real, or np.c_[{name}.real, {name}.imag]."
        )
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype}, wanted numbers. Encode it as numbers first.")
    return array


def _refuse_masked(name: str, X: Any) -> None:
    if isinstance(X, np.ma.MaskedArray) and np.ma.getmaskarray(X).any():
        masked = np.argwhere(np.ma.getmaskarray(X))
        raise ValueError(
            f"{name} has {len(masked)} masked values, the first at {tuple(masked[0].tolist())}. "
            f"Drop or fill them first: {name}.filled(0.0), or sklearn.impute.SimpleImputer."
        )


def _first_type(array: np.ndarray[Any, Any]) -> str:
    return type(array.flat[0]).__name__ if array.size else "object"


def _check_shape(name: str, shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        hint = f" Type {name}.reshape(-1, 1) for items with one feature." if len(shape) == 1 else ""
        raise ValueError(f"{name} must have two dimensions, one item per row; got shape {shape}.{hint}")
    if shape[0] == 0:
        raise ValueError(
            f"{name} has no items: 0 rows, shape={shape}, wanted a minimum of 1. Was everything filtered out?"
        )
    if shape[1] == 0:
        raise ValueError(
            f"{name} has 0 columns, shape={shape}, wanted a minimum of 1. Was everything filtered out?"
        )


def _dense_rows(name: str, array: np.ndarray[Any, Any], columns: Any = None) -> Floats:
    _check_shape(name, array.shape)
    rows: Floats = np.ascontiguousarray(array, dtype=np.float64)
    refuse_missing(rows, columns, name)
    return rows


def refuse_missing(rows: Rows, columns: Any = None, name: str = "X") -> None:
    """ValueError that names the first value that is not finite, if there is one."""
    if is_sparse(rows):
        _refuse_missing_in_csr(name, rows)
        return
    count, first = 0, None
    for block in row_blocks(len(rows), _CHECK_ROWS):
        missing, at = first_missing(rows[block], block.start)
        count += missing
        first = at if first is None else first
    if first is not None:
        missing_values(count, *first, columns, name)


def first_missing(rows: Floats, start: int = 0) -> tuple[int, tuple[tuple[int, int], float] | None]:
    """How many values are not finite; row, column and value of the first, rows counted from ``start``."""
    bad = ~np.isfinite(rows)
    count = int(bad.sum())
    if count == 0:
        return 0, None
    row, column = np.argwhere(bad)[0]
    return count, ((start + int(row), int(column)), float(rows[row, column]))


def missing_values(
    count: int, at: tuple[int, int], value: float, columns: Any = None, name: str = "X"
) -> None:
    """Raise the ValueError about values that are not finite."""
    column = at[1] if columns is None else repr(str(columns[at[1]]))
    noun = "value that is" if count == 1 else "values that are"
    shown = "NaN" if np.isnan(value) else str(value)
    raise ValueError(
        f"{name} has {count} {noun} not finite, the first ({shown}) in row {at[0]}, column {column}. "
        f"Drop or fill them first: {name}.dropna() for a frame, or sklearn.impute.SimpleImputer."
    )


def _sparse_rows(name: str, X: Rows) -> Rows:
    _check_shape(name, X.shape)
    if X.dtype.kind == "c":
        raise TypeError(f"{name} is complex, wanted real numbers. Type {name}.real.")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {X.dtype}, wanted numbers. Type {name}.astype(float).")
    rows = X.tocsr().astype(np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    refuse_missing(rows, name=name)
    return rows


def _refuse_missing_in_csr(name: str, rows: Rows) -> None:
    bad = ~np.isfinite(rows.data)
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        missing_values(int(bad.sum()), (row, int(rows.indices[at])), rows.data[at], name=name)


def _frame_rows(name: str, X: Any) -> Items:
    names = list(X.columns)
    array = X.to_numpy()
    if array.dtype.kind not in "fiub":  # mixed columns arrive as objects: find the one to blame
        array = np.column_stack([_column(name, X, at) for at in range(len(names))]) if names else array
    labels = getattr(X, "index", None)
    return Items(_dense_rows(name, array, names), labels)


def _column(name: str, X: Any, at: int) -> Floats:
    label = X.columns[at]
    column = X.iloc[:, at] if hasattr(X, "iloc") else X[label]  # pandas may have a name twice
    values = np.asarray(column.to_numpy())
    if values.dtype.kind == "O":  # nullable numbers come as objects with a missing-value marker
        try:
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            pass
    if values.dtype.kind not in "fiub":
        raise TypeError(
            f"Column {str(label)!r} of {name} holds {column.dtype} values, wanted numbers. "
            f"Drop or encode it first, for example with pandas.get_dummies({name}) or {name}.to_dummies()."
        )
    return values.astype(np.float64)
