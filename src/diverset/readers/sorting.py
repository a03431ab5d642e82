"""WHICH FILES ARE MEANT? Those of one family, out of all that a folder may hold.

# form    how a file is written: csv, parquet, npy, image, text, ...
# family  what it is read as: tables, images or texts; one source is of one family
# others  files of another family: listed as skipped, but nothing went wrong with them
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .files import Found, Listing
from .forms import Family, Form, family_of, form_of, head_of, unpackable
from .packed import unpacked
from .reading import Kind, Skipped
from .wanted import ReadError, Wanted

_FAMILIES: dict[Kind, Family] = {"table": "tables", "vectors": "tables", "images": "images", "texts": "texts"}
_ABOUT = frozenset(
    ["readme", "license", "licence", "copying", "changelog", "notice", "authors", "provenance"]
)


@dataclass
class Meant:
    """The files of one family, with their forms; those of others; and those that could not be opened."""

    family: Family = "tables"
    files: list[Found] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    others: list[Skipped] = field(default_factory=list)
    failed: list[Skipped] = field(default_factory=list)


def sorted_out(found: Listing, wanted: Wanted) -> Meant:
    """The files that are meant. What is wrong with a single file is an error."""
    alone = len(found.files) == 1
    forms: list[tuple[Found, Form]] = []
    meant = Meant()
    for file in found.files:
        problems = meant.failed
        try:
            file, head = _looked_into(file, found)
            problems = meant.others
            forms.append((file, _form(file, head, wanted, alone)))
        except ReadError as why:
            if alone:
                raise
            problems.append(Skipped(file.name, without_name(file.name, why)))
    meant.family = _family([form for _, form in forms], found, meant, wanted)
    for file, form in forms:
        if family_of(form) == meant.family:
            meant.files.append(file)
            meant.forms.append(form)
        else:
            meant.others.append(Skipped(file.name, f"{_called(form)}, where {meant.family} are read"))
    return meant


def _looked_into(file: Found, found: Listing) -> tuple[Found, bytes]:
    """A file, unpacked if it has to be, and its first bytes."""
    head = head_of(file)
    if not unpackable(head):
        return file, head
    file = unpacked(file, found.spool)
    return file, head_of(file)


def _form(file: Found, head: bytes, wanted: Wanted, alone: bool) -> Form:
    """The form of a file. A single text is a table if one is asked for."""
    form = form_of(file, head, alone)
    if form != "text":
        return form
    if not alone and file.path.stem.lower() in _ABOUT:
        raise ReadError(f"{file.name} is about the other files.")
    asks_for_table = wanted.kind in ("table", "vectors") or wanted.columns or wanted.text or wanted.id
    return "csv" if alone and asks_for_table else form


def without_name(name: str, why: ReadError) -> str:
    """What is wrong with a file, in a list that names it already."""
    return str(why).removeprefix(name).lstrip(" :,").removeprefix("is ").rstrip(".")


def _family(forms: list[Form], found: Listing, meant: Meant, wanted: Wanted) -> Family:
    """The family that is read: the one asked for, else the one with the most files."""
    counts = {family: sum(family_of(form) == family for form in forms) for family in _FAMILIES.values()}
    if not any(counts.values()):
        found.refuse_if_most_failed(0, [*found.skipped, *meant.failed, *meant.others])
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
