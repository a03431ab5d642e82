"""WHICH READER? A source becomes a Reading.

# family  what a source is read as: tables, images or texts
# lost    files of that family that cannot be read
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..rounds.pool import Progress, quiet
from .arrow import read_arrow, read_parquet
from .columns import column_named, complete_rows, features_of, find_id, listed, row_names, shown
from .csvs import read_csv
from .files import Found, Listing, digest_of_all, listing
from .forms import Family, Form
from .images import read_images
from .jsonl import read_jsonl
from .matrices import one_per_file, read_mapped, read_npy, read_npz, read_sparse
from .reading import Reading, Skipped
from .sorting import sorted_out, without_name
from .table import Column, Table, stacked
from .texts import features_of_texts, read_texts
from .wanted import ReadError, Wanted

_AS_IT_COMES = Wanted()
_TABLES: dict[Form, Callable[[Found, Wanted, Progress], tuple[Table, str]]] = {
    "csv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "arrow": read_arrow,
    "npy": read_npy,
    "npz": read_npz,
}


def read(
    source: str | Path | Sequence[str | Path], wanted: Wanted = _AS_IT_COMES, *, progress: Progress = quiet
) -> Reading:
    """The items of a file, a folder, a glob, several of these, or standard input ("-").

    What a file holds is told by its first bytes, and by its name where they leave it open. Of a folder that
    holds several kinds, the one with the most files is read; ``skipped`` lists what was not.
    """
    # numbers that overflow become infinite, and those are refused by their row and column
    with listing(source) as found, np.errstate(invalid="ignore", over="ignore"):
        try:
            return _read(found, wanted, progress)
        except MemoryError:
            raise ReadError(
                f"{found.source} does not fit into memory. Name fewer columns with --columns, "
                "or save the numbers with numpy.save, which are then read from disk."
            ) from None


def _read(found: Listing, wanted: Wanted, progress: Progress) -> Reading:
    meant = sorted_out(found, wanted)
    lost = [*found.skipped, *meant.failed]
    chosen = replace(found, files=meant.files, skipped=lost)
    chosen.refuse_if_most_failed(len(chosen.files), lost)
    _refuse_idle(wanted, meant.family, found.source)
    if meant.family == "tables":
        reading = _read_arrays(chosen, meant.forms, wanted, progress)
    else:
        by_family = read_images if meant.family == "images" else read_texts
        reading = by_family(chosen, wanted, progress)
        more = len(reading.skipped) - len(lost)
        chosen.refuse_if_most_failed(len(chosen.files) - more, reading.skipped)
    return replace(reading, skipped=(*reading.skipped, *meant.others))


def _refuse_idle(wanted: Wanted, family: Family, source: str) -> None:
    """What was asked for and would be without effect is a mistake."""
    if family == "tables":
        if wanted.features is not None and not _has_texts(wanted):
            raise ReadError(
                f"{source} holds a table: features={wanted.features!r} is for images and for texts, "
                "such as a column that is named with --text."
            )
        return
    for option in ("columns", "text", "id"):
        if getattr(wanted, option):
            raise ReadError(f"{source} holds {family}, which have no columns: leave out --{option}.")


# --- tables and arrays ------------------------------------------------------------------------


def _read_arrays(found: Listing, forms: list[Form], wanted: Wanted, progress: Progress) -> Reading:
    """Tables of whatever form, one below the other; a single array stays as it is."""
    if found.skipped and not found.folder:
        raise ReadError("{}: {}.".format(*found.skipped[0]))  # a table that was named is not left out
    reading = None
    if forms == ["npy"]:
        reading = read_mapped(found.files[0], wanted, progress)
    elif forms == ["npz"]:
        reading = read_sparse(found.files[0], wanted, progress)
    if reading is not None:
        return replace(reading, source=found.source, skipped=(*found.skipped, *reading.skipped))
    if set(forms) == {"npy"} and wanted.kind is None:
        wanted = replace(wanted, kind="vectors")
    tables, digests, failed = _tables(found, forms, wanted, progress)
    lost = [*found.skipped, *failed]
    found.refuse_if_most_failed(len(tables), lost)
    table = one_per_file(tables) or stacked(tables)
    reading = _texts_of(table, wanted, progress) if _has_texts(wanted) else _features_of(table, wanted)
    return replace(
        reading, source=found.source, digest=digest_of_all(digests), skipped=(*lost, *reading.skipped)
    )


def _tables(
    found: Listing, forms: list[Form], wanted: Wanted, progress: Progress
) -> tuple[list[Table], list[str], list[Skipped]]:
    """The tables with their digests, and those of a folder that cannot be read."""
    tables, digests, failed = [], [], []
    for file, form in zip(found.files, forms, strict=True):
        try:
            table, digest = _TABLES[form](file, wanted, progress)
        except ReadError as why:
            if not found.folder or len(found.files) == 1:
                raise
            failed.append(Skipped(file.name, without_name(file.name, why)))
        else:
            tables.append(table)
            digests.append(digest)
    return tables, digests, failed


def _features_of(table: Table, wanted: Wanted) -> Reading:
    features = features_of(table, wanted)
    return Reading(
        X=features.X,
        kernel=features.kernel,
        kind=features.kind,
        names=features.names,
        source=table.source,
        digest="",
        columns=shown(table, features.rows),
        pictures=features.pictures,
        skipped=tuple(features.skipped),
        notes=(*table.notes, *features.notes),
    )


def _has_texts(wanted: Wanted) -> bool:
    return wanted.text is not None or wanted.kind == "texts"


def _texts_of(table: Table, wanted: Wanted, progress: Progress) -> Reading:
    """The rows of a table as texts: one of its columns."""
    named = find_id(table, wanted)
    column = _column_of_texts(table, named, wanted)
    if column.missing.any() and wanted.missing == "mean":
        raise ReadError(f"Texts have no mean: type --missing drop to leave out rows without {column.name!r}.")
    rows, skipped = complete_rows(table, [column], wanted)
    texts = [str(text) for text in column.values[rows]]
    features = features_of_texts(texts, wanted, progress)
    names = row_names(table, named)
    dropped = [f"{len(skipped):,} rows without a text were left out"] if skipped else []
    return Reading(
        X=features.X,
        kernel=features.kernel,
        kind="texts",
        names=[names[i] for i in rows],
        source=table.source,
        digest="",
        columns=shown(table, rows),
        texts=texts,
        skipped=tuple(skipped),
        notes=(*table.notes, f"texts: column {column.name!r}", *dropped, *features.notes),
    )


def _column_of_texts(table: Table, named: Column | None, wanted: Wanted) -> Column:
    """The column asked for, else the only one that holds words."""
    if wanted.text is not None:
        column = column_named(table, wanted.text)
        if column.cells != "word":
            raise ReadError(f"{table.source}: column {column.name!r} holds {column.cells}s, wanted texts.")
        return column
    words = [c for c in table.columns.values() if c.cells == "word" and c is not named]
    if len(words) != 1:
        there = listed([c.name for c in words]) if words else "none"
        raise ReadError(
            f"{table.source} has several columns of words or none ({there}): name one with --text."
        )
    return words[0]
