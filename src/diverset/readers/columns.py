"""TABLE -> X. Which columns are features, and how each becomes numbers.

# id        the column that names the rows; it is never a feature
# category  one of the different words in a column; each becomes a column of 0 and 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..kernels import Gaussian, Kernel, Tanimoto
from ..messages import nearest
from .reading import Kind, Skipped
from .table import Column, Table
from .wanted import ReadError, Wanted

CATEGORIES = 50  # a column with more different words is a text or an id, and no feature unless named
NAMED_CATEGORIES = 2000
FINGERPRINT = 32  # so many columns of nothing but 0 and 1 are a fingerprint
_IDS = (
    "id",
    "uuid",
    "guid",
    "key",
    "name",
    "filename",
    "file",
    "index",
    "unnamed: 0",
    "__index_level_0__",
    "",
)


@dataclass(frozen=True, eq=False)
class Features:
    """The numbers of a table, and what was done to get them."""

    X: Floats
    kernel: Kernel
    kind: Kind
    rows: Ints
    names: list[str]
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pictures: Any = None


def matching(names: Iterable[str], globs: Iterable[str], source: str) -> list[str]:
    """The names that a glob matches, in the order of the table. A glob that matches none is refused."""
    every, chosen = list(names), set()
    for pattern in globs:
        hits = [name for name in every if name == pattern] or [n for n in every if fnmatchcase(n, pattern)]
        if not hits:
            raise ReadError(f"{source}: {nearest('column', pattern, every)}")
        chosen.update(hits)
    return [name for name in every if name in chosen]


def column_named(table: Table, name: str) -> Column:
    """A column that was asked for by its name, or a sentence about why it cannot be had."""
    if name in table.odd:
        raise ReadError(f"{table.source}: column {name!r} {table.odd[name]}, wanted numbers or words.")
    if name not in table.columns:
        raise ReadError(f"{table.source}: {nearest('column', name, table.columns)}")
    return table.columns[name]


def find_id(table: Table, wanted: Wanted) -> Column | None:
    """The column that names the rows: the one asked for, else one that is called and looks like an id."""
    if wanted.id is not None:
        return column_named(table, wanted.id)
    for name, column in table.columns.items():
        called = name.lower() in _IDS or name.lower().endswith("_id")
        if called and name not in wanted.columns and name != wanted.text and _names_rows(column):
            return column
    return None


def _names_rows(column: Column) -> bool:
    if column.cells not in ("word", "number") or column.missing.any():
        return False
    if column.cells == "number" and not (column.values == np.floor(column.values)).all():
        return False
    return len(set(column.values.tolist())) == len(column.values)


def row_names(table: Table, named: Column | None) -> list[str]:
    """How each row is called: by its id, else by its number in the file, from 0 as in ``indices``."""
    if named is None:
        return [str(i) for i in range(table.n)]
    if named.cells == "word":
        return [str(value) for value in named.values]
    return [f"{value:.0f}" if float(value).is_integer() else repr(float(value)) for value in named.values]


def features_of(table: Table, wanted: Wanted) -> Features:
    """The features of a table, without the rows that are left out."""
    named = find_id(table, wanted)
    names = row_names(table, named)
    notes: list[str] = []
    if named is not None:
        notes.append(f"rows are named by column {named.name!r}")
    if table.odd:
        notes.append("left out: " + "; ".join(f"{name!r} {why}" for name, why in list(table.odd.items())[:8]))
    if wanted.kind == "vectors":
        wanted = replace(wanted, standardize=False, one_hot=False)
    columns = _usable(_chosen(table, named, wanted), wanted, table.source, notes)
    rows, skipped = complete_rows(table, columns, wanted)
    if len(rows) < table.n:
        columns = [column.take(rows) for column in columns]
        notes.append(f"{table.n - len(rows):,} rows with missing values were left out")
    columns = _filled(columns, wanted, notes)
    _refuse_infinite(table, columns, rows)
    encoded = _encoded(_varying(columns, notes), wanted, notes)
    if encoded is None:
        raise ReadError(
            f"{table.source} has no column that can be a feature: of {len(table.columns)} columns, "
            f"{'; '.join(notes) or 'all were left out'}. "
            "Name some with --columns, or a column of texts with --text."
        )
    X, kernel, kind = encoded
    sides = columns[0].sides
    pictures = X.reshape(-1, *sides).astype(np.uint8) if sides and len(columns) == 1 else None
    return Features(X, kernel, wanted.kind or kind, rows, [names[i] for i in rows], skipped, notes, pictures)


def _chosen(table: Table, named: Column | None, wanted: Wanted) -> list[Column]:
    """The columns that are features: those asked for, else the only vectors, else all but the id."""
    every = [*table.columns, *table.odd]
    left_out = set(matching(every, wanted.drop, table.source))
    if wanted.columns:
        asked = [name for name in matching(every, wanted.columns, table.source) if name not in left_out]
        return [
            column_named(table, name) for name in asked if name in table.columns or name in wanted.columns
        ]
    columns = [c for c in table.columns.values() if c.name not in left_out and c is not named]
    vectors = [c for c in columns if c.cells == "vector"]
    if len(vectors) > 1:
        raise ReadError(
            f"{table.source} has several columns of vectors ({listed([c.name for c in vectors])}): "
            f"name the one that is meant, for example --columns {vectors[0].name}."
        )
    return vectors or columns


def _usable(columns: list[Column], wanted: Wanted, source: str, notes: list[str]) -> list[Column]:
    """Without columns in which nothing is, and without words that are no categories."""
    kept, texts, words = [], [], []
    for column in columns:
        if column.missing.all():
            notes.append(f"column {column.name!r} is empty: left out")
        elif column.cells != "word":
            kept.append(column)
        elif not wanted.one_hot:
            words.append(column.name)
        elif _is_category(column, column.name in wanted.columns, source):
            kept.append(column)
        else:
            texts.append(column.name)
    for names, why in ((words, "words"), (texts, "too many different words (ids or texts)")):
        if names:
            notes.append(f"left out for {why}: {listed(names)}")
    return kept


def _is_category(column: Column, named: bool, source: str) -> bool:
    count = len(set(column.values[~column.missing].tolist()))
    if named:
        if count > NAMED_CATEGORIES:
            raise ReadError(
                f"{source}: column {column.name!r} has {count:,} different words, too many for a feature: "
                f"leave it out, or read it as texts with --text {column.name}."
            )
        return True
    present = int((~column.missing).sum())
    return count <= CATEGORIES and (count <= 10 or count <= present / 2)


def complete_rows(table: Table, columns: list[Column], wanted: Wanted) -> tuple[Ints, list[Skipped]]:
    """The rows in which nothing is missing that matters, and those left out."""
    every: Ints = np.arange(table.n, dtype=np.int64)
    columns = [c for c in columns if c.missing.any()]
    if not columns or wanted.missing == "mean":
        return every, []
    holes = np.zeros(table.n, dtype=bool)
    for column in columns:
        holes |= column.missing
    if wanted.missing == "drop":
        if holes.all():
            raise ReadError(
                f"{table.source}: every row misses a value. Leave columns out, or fill with mean."
            )
        lost = [(i, next(c.name for c in columns if c.missing[i])) for i in np.flatnonzero(holes)]
        skipped = [Skipped(table.place(int(i)), f"no value in column {name!r}") for i, name in lost]
        return every[~holes], skipped
    first = int(np.argmax(holes))
    column = next(c for c in columns if c.missing[first])
    total = sum(int(c.missing.sum()) for c in columns)
    at = f"column {column.name!r}{_within(column, first, np.isnan)}"
    raise ReadError(
        f"{table.source}, {table.place(first)}, {at}: no value "
        f"({total:,} missing in {listed([c.name for c in columns])}). "
        "Type --missing drop to leave such rows out, or --missing mean to fill in means."
    )


def _filled(columns: list[Column], wanted: Wanted, notes: list[str]) -> list[Column]:
    """With the mean of its column for every number that is missing. Words are filled in when encoded."""
    filled = []
    for column in columns:
        if column.missing.any():
            notes.append(f"{int(column.missing.sum()):,} missing in {column.name!r} filled with the mean")
        if column.missing.any() and not _is_one_hot(column, wanted):
            values = np.where(np.isnan(column.values), np.nanmean(column.values, axis=0), column.values)
            column = Column(column.name, column.cells, values, np.zeros(len(values), dtype=bool))
        filled.append(column)
    return filled


def _refuse_infinite(table: Table, columns: list[Column], rows: Ints) -> None:
    for column in columns:
        if column.cells == "word":
            continue
        bad = ~np.isfinite(column.values) & ~column.missing.reshape(-1, *[1] * (column.values.ndim - 1))
        if not bad.any():
            continue
        first = int(np.argmax(bad.any(axis=1) if bad.ndim == 2 else bad))
        raise ReadError(
            f"{table.source}, {table.place(int(rows[first]))}, column {column.name!r}"
            f"{_within(column, first, np.isinf)}: a number that is not "
            f"finite. Correct it, or leave the column out."
        )


def _within(column: Column, row: int, wrong: Callable[[Any], Any]) -> str:
    """Which number of a vector is wrong, in words."""
    return f", number {int(np.argmax(wrong(column.values[row])))}" if column.cells == "vector" else ""


def _varying(columns: list[Column], notes: list[str]) -> list[Column]:
    """Without the columns that are the same in all rows: they add nothing to any distance."""
    constant = [c.name for c in columns if len(c.values) > 1 and bool((c.values == c.values[:1]).all())]
    if constant:
        notes.append(f"the same in all rows, left out: {listed(constant)}")
    return [c for c in columns if c.name not in constant]


def _encoded(columns: list[Column], wanted: Wanted, notes: list[str]) -> tuple[Floats, Kernel, Kind] | None:
    if not columns:
        return None
    if len(columns) == 1 and columns[0].cells == "vector" and wanted.kind != "table":
        values = np.ascontiguousarray(columns[0].values)
        bits = values.shape[1] >= FINGERPRINT and is_bits(values)
        notes.append(f"features: the vectors in column {columns[0].name!r}, as they are")
        if bits:
            notes.append("vectors of 0 and 1 are fingerprints: Tanimoto kernel")
        return values, Tanimoto() if bits else Gaussian(), "vectors"
    if is_fingerprint(columns):
        notes.append(f"{len(columns)} columns of 0 and 1 are a fingerprint: Tanimoto kernel, as they are")
        return np.column_stack([c.values for c in columns]), Tanimoto(), "vectors"
    onehot = [c for c in columns if _is_one_hot(c, wanted)]
    blocks = [_one_hot(c) if c in onehot else _scaled(c, wanted.standardize) for c in columns]
    plain = [c.name for c in columns if c not in onehot]
    if plain:
        notes.append(f"{'standardised' if wanted.standardize else 'as they are'}: {listed(plain)}")
    if onehot:
        notes.append(f"one column of 0 and 1 per word: {listed([c.name for c in onehot])}")
    dates = [c.name for c in columns if c.cells == "date"]
    if dates:
        notes.append(f"dates as days since 1970: {listed(dates)}")
    return np.column_stack(blocks), Gaussian(), "table"


def is_fingerprint(columns: list[Column]) -> bool:
    """Whether these are many columns that hold nothing but 0 and 1."""
    return len(columns) >= FINGERPRINT and all(
        c.cells in ("number", "flag") and is_bits(c.values) for c in columns
    )


def is_bits(values: Any) -> bool:
    """Whether there is nothing but 0 and 1."""
    return bool(((values == 0) | (values == 1)).all())


def _is_one_hot(column: Column, wanted: Wanted) -> bool:
    return column.cells == "word" or (column.cells == "flag" and wanted.one_hot)


def _one_hot(column: Column) -> Floats:
    """A column of 0 and 1 for each word, in the order of the alphabet; its mean where no word is."""
    present = np.flatnonzero(~column.missing)
    words, places = np.unique(column.values[present], return_inverse=True)
    out: Floats = np.zeros((len(column.values), len(words)))
    out[present, places] = 1.0
    out[column.missing] = out[present].mean(axis=0)
    return out


def _scaled(column: Column, standardize: bool) -> Floats:
    values: Floats = column.values.reshape(len(column.values), -1)
    if not standardize:
        return values
    largest = np.abs(values).max()
    if largest > 1e150:  # the squares would overflow
        values = values / largest
    values = values - values.mean(axis=0)
    deviation = np.sqrt((values**2).mean(axis=0))
    return values / np.where(deviation > 0, deviation, 1.0)


def listed(names: list[str], most: int = 8) -> str:
    """Some names in words.

    >>> listed(["a", "b"]), listed(list("abcdefghij"))
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e', 'f', 'g' and 3 more")
    """
    shown = names if len(names) <= most else names[: most - 1]
    more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
    return ", ".join(map(repr, shown)) + more


def shown(table: Table, rows: Ints) -> dict[str, Any]:
    """The columns of a table as it was read, for groups, quality and the report. Vectors are left out."""
    return {
        name: _moments(c.values[rows]) if c.cells == "date" else c.values[rows]
        for name, c in table.columns.items()
        if c.cells != "vector"
    }


def _moments(days: Floats) -> Any:
    """Days since 1970 as dates again, to the second."""
    known = np.isfinite(days)
    seconds = np.round(np.where(known, days, 0.0) * 86400).astype("datetime64[s]")
    seconds[~known] = np.datetime64("NaT")
    return seconds


def in_words(values: Any) -> Any:
    """A column with its dates as texts (None where there is none); other columns as they are."""
    values = np.asarray(values)
    if values.dtype.kind != "M":
        return values
    there = ~np.isnat(values)
    whole = bool((values[there] == values[there].astype("datetime64[D]")).all())
    words = np.datetime_as_string(values, unit="D" if whole else "s").astype(object)
    words[~there] = None
    return words
