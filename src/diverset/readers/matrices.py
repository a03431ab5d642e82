"""ARRAYS -> ITEMS. A .npy file stays on disk; the arrays of a .npz file are columns, or one sparse matrix.

# mapped  an array that is read from disk where and when it is looked at
# side    the length of an array along one axis
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from ..kernels import Cosine, Gaussian, Kernel, Tanimoto
from ..rounds.pool import Progress, quiet
from .columns import FINGERPRINT, is_bits, listed, matching
from .csvs import COLUMNS
from .files import Found, digest_of
from .npy import Archive, Header, archive, mapped
from .reading import Reading, Skipped
from .table import Column, Table, number_column, vector_column, word_column
from .wanted import ReadError, Wanted

_ALONE = "value"  # the column of an array that has but one dimension
_LOOK = 2**22  # numbers looked at in one go
_PICTURE = 1024  # pixels: what is wider is no small picture
_EMPTY = 2**25  # so many rows or columns of a sparse matrix may hold nothing


@dataclass(frozen=True)
class Numbered(Sequence[str]):
    """The names of rows that have none: their numbers, from 0 as in ``indices``.

    >>> Numbered(3)[1], list(Numbered(2))
    ('1', ['0', '1'])
    """

    n: int

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        numbers = range(self.n)[row]
        return [str(i) for i in numbers] if isinstance(numbers, range) else str(numbers)


# --- npy --------------------------------------------------------------------------------------


def read_mapped(found: Found, wanted: Wanted, progress: Progress = quiet) -> Reading | None:
    """The rows of a .npy file, left on disk; None if they have to be read as a table, to be changed."""
    array = mapped(found)
    asked = wanted.columns or wanted.drop or wanted.id or wanted.text or wanted.kind not in (None, "vectors")
    if asked or array.dtype.kind not in "fiub":
        return None
    rows, notes = _flat(array)
    finite, bits = _looked_at(rows, progress)
    if not finite:
        return None
    kernel: Kernel = Tanimoto() if bits else Gaussian()
    notes.append(
        "rows of 0 and 1 are fingerprints: Tanimoto kernel" if bits else "features: the rows, as they are"
    )
    return Reading(
        X=rows,
        kernel=kernel,
        kind="vectors",
        names=Numbered(len(rows)),
        source=found.name,
        digest=digest_of(found, progress),
        pictures=array if _are_pictures(array) else None,
        notes=tuple(notes),
    )


def _flat(array: Any) -> tuple[Any, list[str]]:
    """One item per row, and what had to be done for it."""
    if array.ndim == 1:
        return array.reshape(-1, 1), ["one number per item"]
    if array.ndim == 2:
        return array, []
    sides = " x ".join(f"{side:,}" for side in array.shape[1:])
    return array.reshape(len(array), -1), [f"items of {sides} numbers, laid out in one row each"]


def _looked_at(rows: Any, progress: Progress) -> tuple[bool, bool]:
    """Whether all numbers are finite, and whether the rows are fingerprints. Reads a few rows at a time."""
    n, width = rows.shape
    step = max(1, _LOOK // width)
    bits = width >= FINGERPRINT
    for start in range(0, n, step):
        piece = rows[start : start + step]
        if piece.dtype.kind == "f" and not np.isfinite(piece).all():
            return False, False
        bits = bits and is_bits(piece)
        progress("checking", min(start + step, n), n)
    return True, bits


def _are_pictures(array: Any) -> bool:
    """Whether these are small grey or coloured pictures, which a page can show."""
    sides = array.shape[1:]
    if array.dtype != np.uint8 or not (array.ndim == 3 or sides[2:] == (3,)):
        return False
    return bool(min(sides[:2]) >= 8 and max(sides[:2]) <= _PICTURE)


def read_npy(
    found: Found,
    wanted: Wanted,  # noqa: ARG001  all readers of tables are called in the same way
    progress: Progress = quiet,
) -> tuple[Table, str]:
    """A .npy file as a table with the columns c0, c1, ...; or one column of numbers or texts."""
    array = mapped(found)
    digest = digest_of(found, progress)
    if array.dtype.kind in "SU":
        if array.ndim != 1:
            raise ReadError(f"{found.name} holds {array.ndim}-dimensional texts, wanted one text per item.")
        return _table(found.name, [word_column("text", _words(array, found.name))], len(array)), digest
    rows, notes = _flat(array)
    if rows.shape[1] > COLUMNS:
        raise ReadError(
            f"{found.name} has {rows.shape[1]:,} columns, too many to look at one by one: "
            f"read its rows as they are, without missing values, names or chosen columns."
        )
    names = [_ALONE] if array.ndim == 1 else [f"c{j}" for j in range(rows.shape[1])]
    columns = [number_column(name, rows[:, j]) for j, name in enumerate(names)]
    return _table(found.name, columns, len(rows), notes), digest


def one_per_file(tables: Sequence[Table]) -> Table | None:
    """Many .npy files with one vector each: a row per file. None if that is not what they are."""
    if len(tables) < 2 or any(list(t.columns) != [_ALONE] or t.n != tables[0].n for t in tables):
        return None
    names = word_column("file", [table.source for table in tables])
    vectors = vector_column("vector", np.stack([table.columns[_ALONE].values for table in tables]))
    table = _table(f"{len(tables):,} files", [names, vectors], len(tables), ["one item per file"])
    return replace(table, place=lambda row: tables[row].source)


def _table(source: str, columns: list[Column], n: int, notes: Sequence[str] = ()) -> Table:
    return Table(source, {c.name: c for c in columns}, n, lambda i: f"row {i:,}", tuple(notes))


def _words(array: Any, name: str) -> list[str]:
    try:
        words = [w.decode("utf-8", "replace") if isinstance(w, bytes) else str(w) for w in array.tolist()]
        for word in words:
            word.encode()
    except (ValueError, SystemError):
        raise ReadError(f"{name} holds texts that are not Unicode.") from None
    return words


# --- npz --------------------------------------------------------------------------------------


def read_npz(found: Found, wanted: Wanted, progress: Progress = quiet) -> tuple[Table, str]:
    """The arrays of a .npz file that belong together, one row of each per item."""
    digest = digest_of(found, progress)
    with archive(found) as arrays:
        if is_sparse_matrix(arrays):
            raise ReadError(f"{found.name} is a sparse matrix: read it alone, not together with other files.")
        headers = {name: arrays.header(name) for name in arrays}
        members, notes = _together(found.name, headers, wanted)
        columns = []
        for done, name in enumerate(members):
            progress("reading", done, len(members))
            columns.append(_column(name, arrays.load(name), arrays.place(name), notes))
    return _table(found.name, columns, len(columns[0].values), notes), digest


def _together(source: str, headers: dict[str, Header], wanted: Wanted) -> tuple[list[str], list[str]]:
    """The arrays that are read: those asked for, else the only matrix, with what has as many rows."""
    usable = {
        name: h for name, h in headers.items() if h.shape and h.size and (not h.is_text or len(h.shape) == 1)
    }
    described = "; ".join(f"{name!r}: {header}" for name, header in list(headers.items())[:12])
    named = matching(usable, [*wanted.columns, *filter(None, [wanted.text])], source)
    matrices = [name for name in usable if len(usable[name].shape) > 1]
    chosen = named or matrices or list(usable)
    if not named and len(matrices) > 1:
        raise ReadError(
            f"{source} holds several arrays ({described}): name the one that is meant with --columns."
        )
    lengths = {usable[name].shape[0] for name in chosen}
    if len(lengths) != 1:
        what = "no array with one item per row" if not lengths else "arrays of different lengths"
        raise ReadError(f"{source} holds {what} ({described}): name one with --columns.")
    members = [n for n, h in usable.items() if n in chosen or (len(h.shape) == 1 and h.shape[0] in lengths)]
    left = [name for name in headers if name not in members]
    return members, [f"arrays not read: {listed(left)}"] if left else []


def _column(name: str, array: Any, place: str, notes: list[str]) -> Column:
    if array.dtype.kind in "SU":
        return word_column(name, _words(array, place))
    if array.ndim == 1:
        return number_column(name, array, "flag" if array.dtype.kind == "b" else "number")
    rows, how = _flat(array)
    notes.extend(f"{name!r}: {note}" for note in how)
    return vector_column(name, rows, array.shape[1:] if _are_pictures(array) else ())


# --- sparse -----------------------------------------------------------------------------------


def is_sparse_matrix(arrays: Archive) -> bool:
    """Whether scipy.sparse.save_npz wrote this."""
    return all(name in arrays for name in ("format", "shape", "data"))


def read_sparse(found: Found, wanted: Wanted, progress: Progress = quiet) -> Reading | None:
    """The sparse matrix in a .npz file; None if there is none in it."""
    with archive(found) as arrays:
        if not is_sparse_matrix(arrays):
            return None
        if wanted.columns or wanted.drop or wanted.text or wanted.id:
            raise ReadError(f"{found.name} is a sparse matrix, whose columns have no names: name none.")
        X = _sparse(arrays).tocsr()
    X.sum_duplicates()
    keep, skipped = _complete(X, found.name, wanted)
    return Reading(
        X=X if len(keep) == X.shape[0] else X[keep],
        kernel=Cosine(),
        kind="vectors",
        names=Numbered(X.shape[0]) if len(keep) == X.shape[0] else [str(i) for i in keep],
        source=found.name,
        digest=digest_of(found, progress),
        skipped=tuple(skipped),
        notes=("a sparse matrix: cosine kernel, rows as they are",),
    )


def _sparse(arrays: Archive) -> Any:
    """The matrix, its indices checked: SciPy follows them without looking."""
    import scipy.sparse

    name = arrays.name
    form = arrays.load("format").ravel().tolist()[:1]
    form = form[0].decode("latin-1") if form and isinstance(form[0], bytes) else form[0] if form else ""
    needs = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}.get(str(form))
    if needs is None:
        raise ReadError(f"{name} is a sparse matrix in the form {str(form)[:20]!r}: save X.tocsr() instead.")
    if not all(need in arrays for need in needs):
        raise ReadError(f"{name} is a sparse matrix without its indices: it is damaged.")
    parts = [arrays.load(need) for need in ("data", "shape", *needs)]
    data, shape, first, second = parts
    if (
        data.dtype.kind not in "fiub"
        or any(p.dtype.kind not in "iu" or p.ndim != 1 for p in parts[1:])
        or data.ndim != 1
    ):
        raise ReadError(
            f"{name} is a sparse matrix of {data.dtype} with indices of {first.dtype}: it is damaged."
        )
    sides = tuple(int(side) for side in shape)
    if len(sides) != 2 or min(sides) < 1:
        raise ReadError(f"{name} is a sparse matrix of shape {sides}: wanted one item per row.")
    if max(sides) > len(data) + _EMPTY:
        raise ReadError(
            f"{name} claims {sides[0]:,} x {sides[1]:,} cells for {len(data):,} numbers: it is damaged."
        )
    try:
        if form == "coo":
            return scipy.sparse.coo_array((data, (first, second)), shape=sides)
        X = getattr(scipy.sparse, f"{form}_array")((data, first, second), shape=sides)
        X.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as why:
        raise ReadError(f"{name} is a damaged sparse matrix: {str(why).rstrip('.')}.") from None
    return X


def _complete(X: Any, source: str, wanted: Wanted) -> tuple[Any, list[Skipped]]:
    """The rows of a sparse matrix that are kept."""
    bad = ~np.isfinite(X.data)
    rows = np.searchsorted(X.indptr, np.flatnonzero(bad), side="right") - 1
    if not len(rows):
        return np.arange(X.shape[0]), []
    at = int(np.argmax(bad))
    column = f"column {X.indices[at]:,}"
    missing = np.isnan(X.data[bad])
    if not missing.all():
        raise ReadError(
            f"{source}, row {rows[np.argmin(missing)]:,}: a number that is not finite. Correct it."
        )
    if wanted.missing != "drop" or len(set(rows.tolist())) == X.shape[0]:
        raise ReadError(
            f"{source}, row {rows[0]:,}, {column}: no value ({len(rows):,} missing). "
            "Type --missing drop to leave such rows out; a sparse matrix has no means to fill in."
        )
    lost = np.unique(rows)
    keep = np.setdiff1d(np.arange(X.shape[0]), lost)
    return keep, [Skipped(f"row {i:,}", "no value in some column") for i in lost]
