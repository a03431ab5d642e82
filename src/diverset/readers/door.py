"""WHICH READER? A source becomes a Reading.

# form    how a file is written: csv, parquet, npy, image, text, ...
# family  what it is read as: tables, images or texts; one source is of one family
# others  files of another family than the source: listed as skipped, but nothing went wrong with them
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..rounds.pool import Progress, quiet
from .arrow import read_arrow, read_parquet
from .columns import column_named, complete_rows, features_of, find_id, listed, row_names, shown
from .csvs import read_csv
from .files import Found, Listing, digest_of_all, listing
from .forms import Family, Form, family_of, form_of, head_of, unpackable
from .images import read_images
from .jsonl import read_jsonl
from .matrices import read_mapped, read_npy, read_npz, read_sparse
from .packed import unpacked
from .reading import Kind, Reading, Skipped
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
_FAMILIES: dict[Kind, Family] = {"table": "tables", "vectors": "tables", "images": "images", "texts": "texts"}
_ABOUT = frozenset(
    ["readme", "license", "licence", "copying", "changelog", "notice", "authors", "provenance"]
)


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
    sorted_ = _sorted_out(found, wanted)
    chosen = replace(found, files=sorted_.files, skipped=[*found.skipped, *sorted_.failed])
    chosen.refuse_if_most_failed(len(chosen.files), chosen.skipped)
    _refuse_idle(wanted, sorted_.family, found.source)
    if sorted_.family == "images":
        reading = read_images(chosen, wanted, progress)
    elif sorted_.family == "texts":
        reading = read_texts(chosen, wanted, progress)
    else:
        for what, why in sorted_.failed[: not found.folder]:
            raise ReadError(f"{what}: {why}.")  # a table that was named is not left out
        reading = _read_arrays(chosen, sorted_.forms, wanted, progress)
        return replace(reading, skipped=(*reading.skipped, *sorted_.others))
    lost = len(reading.skipped) - len(chosen.skipped)
    chosen.refuse_if_most_failed(len(chosen.files) - lost, reading.skipped)
    return replace(reading, skipped=(*reading.skipped, *sorted_.others))


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


# --- which files ------------------------------------------------------------------------------


@dataclass
class _Sorted:
    """The files of one family, with their forms; those of others; and those that could not be opened."""

    family: Family = "tables"
    files: list[Found] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    others: list[Skipped] = field(default_factory=list)
    failed: list[Skipped] = field(default_factory=list)


def _sorted_out(found: Listing, wanted: Wanted) -> _Sorted:
    alone = len(found.files) == 1
    out = _Sorted()
    forms: list[tuple[Found, Form]] = []
    for file in found.files:
        try:
            head = head_of(file)
            if unpackable(head):
                file = unpacked(file, found.spool)
                head = head_of(file)
        except ReadError as why:
            if alone:
                raise
            out.failed.append(Skipped(file.name, _without(file.name, why)))
            continue
        try:
            form = _as_wanted(form_of(file, head, alone), wanted, alone)
            if form == "text" and not alone and file.path.stem.lower() in _ABOUT:
                raise ReadError(f"{file.name} is about the other files.")
            forms.append((file, form))
        except ReadError as why:
            if alone:
                raise
            out.others.append(Skipped(file.name, _without(file.name, why)))
    out.family = _family([form for _, form in forms], found, out, wanted)
    for file, form in forms:
        if family_of(form) == out.family:
            out.files.append(file)
            out.forms.append(form)
        else:
            out.others.append(Skipped(file.name, f"{_called(form)}, where {out.family} are read"))
    return out


def _without(name: str, why: ReadError) -> str:
    """What is wrong with a file, in a list that names it already."""
    return str(why).removeprefix(name).lstrip(" :,").removeprefix("is ").rstrip(".")


def _as_wanted(form: Form, wanted: Wanted, alone: bool) -> Form:
    """A single text is a table if one is asked for."""
    asks_for_table = wanted.kind in ("table", "vectors") or wanted.columns or wanted.text or wanted.id
    return "csv" if form == "text" and alone and asks_for_table else form


def _family(forms: list[Form], found: Listing, out: _Sorted, wanted: Wanted) -> Family:
    """The family that is read: the one asked for, else the one with the most files."""
    counts = {family: sum(family_of(form) == family for form in forms) for family in _FAMILIES.values()}
    if not any(counts.values()):
        found.refuse_if_most_failed(0, [*found.skipped, *out.failed, *out.others])
    if wanted.kind is not None:
        family = _FAMILIES[wanted.kind]
        if wanted.kind == "texts" and not counts["texts"] and counts["tables"]:
            return "tables"  # whose column of words is meant
        if not counts[family]:
            there = " and ".join(f"{name} ({n:,})" for name, n in counts.items() if n)
            raise ReadError(f"{found.source} holds no {family}, but {there}: leave out --kind {wanted.kind}.")
        return family
    most = max(counts.values())
    first, *tied = [family for family, count in counts.items() if count == most]
    if tied and tied != ["texts"]:  # a text beside something else says what that is
        raise ReadError(
            f"{found.source} holds as many {first} as {' and '.join(tied)} ({most:,} each): "
            "say which is meant with --kind table, --kind images or --kind texts."
        )
    return first


def _called(form: Form) -> str:
    return {"image": "an image", "text": "a text", "arrow": "an Arrow file", "npy": "an array"}.get(
        form, f"a {form.upper()} file"
    )


# --- tables and arrays ------------------------------------------------------------------------


def _read_arrays(found: Listing, forms: list[Form], wanted: Wanted, progress: Progress) -> Reading:
    """Tables of whatever form, one below the other; a single array stays as it is."""
    reading = None
    if forms == ["npy"]:
        reading = read_mapped(found.files[0], wanted, progress)
    elif forms == ["npz"]:
        reading = read_sparse(found.files[0], wanted, progress)
    if reading is not None:
        return replace(reading, source=found.source, skipped=(*found.skipped, *reading.skipped))
    if set(forms) == {"npy"} and wanted.kind is None:
        wanted = replace(wanted, kind="vectors")
    tables, digests, failed = [], [], []
    for file, form in zip(found.files, forms, strict=True):
        try:
            table, digest = _TABLES[form](file, wanted, progress)
        except ReadError as why:
            if not found.folder or len(found.files) == 1:
                raise
            failed.append(Skipped(file.name, _without(file.name, why)))
            continue
        tables.append(table)
        digests.append(digest)
    skipped = [*found.skipped, *failed]
    found.refuse_if_most_failed(len(tables), skipped)
    table = stacked(tables)
    reading = _texts_of(table, wanted, progress) if _has_texts(wanted) else _features_of(table, wanted)
    return replace(
        reading, source=found.source, digest=digest_of_all(digests), skipped=(*skipped, *reading.skipped)
    )


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
