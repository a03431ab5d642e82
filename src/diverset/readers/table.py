"""WHAT IS A TABLE? Columns of numbers, words, flags, dates or vectors, whatever file they came from.

# missing  which cells hold nothing
# place    how a row is found again in its file: "line 17" of a CSV, "row 16" of a Parquet file
# odd      columns that hold what cannot be a feature, a text or a name: lists of different lengths, bytes
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from ..arrays import Bools, Floats, Ints
from .wanted import ReadError

Cells = Literal["number", "flag", "date", "word", "vector"]
Objects: TypeAlias = np.ndarray[Any, np.dtype[np.object_]]

# What people, spreadsheets and statistics programs write for "nothing".
NOTHING = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NULL", "null", "None", "?"]
)


class Odd(Exception):
    """Why a column can be neither numbers nor words."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    ``values``  float64 with NaN where nothing is, for numbers, flags (0 and 1) and dates (days since
                1970); a matrix of floats, one row per item, for vectors; texts for words
    ``sides``   height, width and perhaps colours, of vectors that are pictures of bytes
    """

    name: str
    cells: Cells
    values: Any
    missing: Bools
    sides: tuple[int, ...] = ()

    def take(self, rows: Ints | Bools) -> Column:
        return replace(self, values=self.values[rows], missing=self.missing[rows])


def number_column(name: str, values: Floats, cells: Cells = "number") -> Column:
    """A column of float64 in which NaN means that nothing is there."""
    values = np.asarray(values, dtype=np.float64)
    return Column(name, cells, values, np.isnan(values))


def vector_column(name: str, values: Any, sides: tuple[int, ...] = ()) -> Column:
    """A column of vectors, a row of ``values`` each. What is no float becomes one."""
    if values.dtype.kind != "f" or values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    missing: Bools = np.asarray(np.isnan(values).any(axis=1))
    return Column(name, "vector", values, missing, sides)


def word_column(name: str, values: Sequence[str | None], nothing: Set[str] = NOTHING) -> Column:
    """A column of texts; None, and whatever stands for nothing, is missing."""
    words = np.empty(len(values), dtype=object)
    words[:] = ["" if value is None else value for value in values]
    missing = np.fromiter((value is None or value in nothing for value in values), bool, len(values))
    return Column(name, "word", words, missing)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length, in order.

    ``place``  how row i is found again in the file
    ``notes``  what was decided while reading: delimiter, encoding, names
    ``odd``    the columns that could not be read, and why; an error only if they are asked for
    ``loose``  whether a column may be absent in other parts of the same data, as keys in JSON lines
    """

    source: str
    columns: dict[str, Column]
    n: int
    place: Callable[[int], str]
    notes: tuple[str, ...] = ()
    odd: Mapping[str, str] = field(default_factory=dict)
    loose: bool = False

    def take(self, rows: Ints) -> Table:
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        place = self.place
        return replace(self, columns=columns, n=len(rows), place=lambda i: place(int(rows[i])))


def stacked(tables: Sequence[Table]) -> Table:
    """The rows of several tables with the same columns, one below the other."""
    first = tables[0]
    if len(tables) == 1:
        return first
    odd = {name: why for table in reversed(tables) for name, why in table.odd.items()}
    loose = all(table.loose for table in tables)
    for other in tables[1:]:
        differ = sorted({*other.columns, *other.odd} ^ {*first.columns, *first.odd})
        if differ and not loose:
            raise ReadError(
                f"{other.source} and {first.source} differ in their columns "
                f"({', '.join(map(repr, differ[:5]))}): tables that are read together must have the same."
            )
    columns = {}
    for name in dict.fromkeys(name for table in tables for name in table.columns if name not in odd):
        pieces = [t.columns.get(name) or number_column(name, np.full(t.n, np.nan)) for t in tables]
        columns[name] = joined(pieces, f"{first.source} and {len(tables) - 1:,} more")
    ends = np.cumsum([t.n for t in tables])

    def place(row: int) -> str:
        at = int(np.searchsorted(ends, row, side="right"))
        return f"{tables[at].source}, {tables[at].place(row - int(ends[at]) + tables[at].n)}"

    notes = tuple(dict.fromkeys(note for t in tables for note in t.notes))
    return Table(f"{len(tables)} files", columns, int(ends[-1]), place, notes, odd, loose)


def joined(columns: Sequence[Column], source: str) -> Column:
    """Pieces of one column, one below the other. Where nothing is, a piece takes the form of the others."""
    kinds = {c.cells for c in columns if not c.missing.all()} or {columns[0].cells}
    if kinds == {"flag", "number"}:
        columns = [replace(c, cells="number") if c.cells == "flag" else c for c in columns]
        kinds = {"number"}
    if len(kinds) > 1:
        raise ReadError(
            f"{source}: column {columns[0].name!r} holds {'s in one file and '.join(sorted(kinds))}s "
            "in another: tables that are read together must agree."
        )
    cells = kinds.pop()
    columns = [c if c.cells == cells else _empty_like(c, cells, columns) for c in columns]
    if cells == "vector" and len({c.values.shape[1] for c in columns}) > 1:
        raise ReadError(
            f"{source}: column {columns[0].name!r} holds vectors of different lengths in different files."
        )
    values = np.concatenate([c.values for c in columns])
    return Column(columns[0].name, cells, values, np.concatenate([c.missing for c in columns]))


def _empty_like(column: Column, cells: Cells, others: Sequence[Column]) -> Column:
    """A column in which nothing is, in the form of the others."""
    n = len(column.missing)
    if cells == "word":
        return word_column(column.name, [None] * n)
    if cells == "vector":
        width = next(c.values.shape[1] for c in others if c.cells == "vector")
        return vector_column(column.name, np.full((n, width), np.nan))
    return number_column(column.name, np.full(n, np.nan), cells)
