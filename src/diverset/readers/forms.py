"""HOW IS THIS FILE WRITTEN? Its form, from its first bytes; from its name where they leave it open.

# form    how a file is written: csv, jsonl, parquet, arrow, npy, npz, image or text
# family  what a form is read as: tables, images or texts
# magic   bytes that files of a form start with
"""

from __future__ import annotations

import re
from typing import Literal

from .dialect import looks_like_table, marked, utf16
from .files import Found, opened
from .images import IMAGE_SUFFIXES, looks_like_image
from .packed import GZIP
from .wanted import ReadError

Form = Literal["csv", "jsonl", "parquet", "arrow", "npy", "npz", "image", "text"]
Family = Literal["tables", "images", "texts"]

HEAD = 2**14
_MAGIC: dict[bytes, Form] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # an Arrow stream starts with a mark and a length
    b"\x93NUMPY": "npy",
}
_SUFFIX: dict[str, Form] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".psv"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".arrows", ".feather", ".ipc"), "arrow"),
    ".npy": "npy",
    ".npz": "npz",
}
_PROSE = frozenset([".md", ".markdown", ".rst", ".tex", ".text", ".html", ".htm", ".xml", ".srt", ".log"])
# What people have on their disks and will name by mistake, and what to do then.
_FOREIGN: dict[bytes, str] = {
    b"FEA1": "a Feather file of version 1: write it again with pyarrow.feather.write_feather",
    b"\x89HDF": "an HDF5 file: save the array you mean with numpy.save",
    b"%PDF": "a PDF: save its text as .txt",
    b"SQLite format 3": "an SQLite database: export the table you mean as CSV",
    b"\x80\x02": "a pickle, which can run any program and is never read: save numbers with numpy.save",
    b"\x80\x03": "a pickle, which can run any program and is never read: save numbers with numpy.save",
    b"\x80\x04": "a pickle, which can run any program and is never read: save numbers with numpy.save",
    b"\x80\x05": "a pickle, which can run any program and is never read: save numbers with numpy.save",
    b"\xd0\xcf\x11\xe0": "an old Office file: save the sheet as CSV",
    b"BZh": "packed with bzip2: unpack it first, or use gzip",
    b"\xfd7zXZ": "packed with xz: unpack it first, or use gzip",
    b"\x28\xb5\x2f\xfd": "packed with zstd: unpack it first, or use gzip",
    b"7z\xbc\xaf": "a 7z archive: unpack it first",
    b"Rar!": "a RAR archive: unpack it first",
    b"version https://git-lfs": "only a pointer to a file in Git LFS: type git lfs pull",
}
# A JSON object, or an array of objects, of arrays or of numbers.
_JSON = re.compile(r'\s*(\[\s*)?\{\s*["}]|\s*\[\s*(\[\s*)?(-?\d[\d.eE+-]*|NaN|null)\s*,')


def head_of(found: Found) -> bytes:
    """The first bytes of a file."""
    with opened(found) as stream:
        head = stream.read(HEAD)
    if not head:
        raise ReadError(f"{found.name} is empty: there is nothing to read in it.")
    return head


def form_of(found: Found, head: bytes, alone: bool) -> Form:
    """The form of a file. ``alone``: nothing else is read, so that a text may well be a table."""
    suffix = found.path.suffix.lower()
    for magic, form in _MAGIC.items():
        if head.startswith(magic):
            return form
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise ReadError(f"{found.name} is {what}.")
    if head.startswith(b"PK\x03\x04"):
        return _zipped(found, head)
    if suffix in IMAGE_SUFFIXES or looks_like_image(head):
        return "image"
    text = _as_text(head)
    if text is None or not text.strip():
        if suffix in _SUFFIX:
            return _SUFFIX[suffix]  # whose reader will say what is wrong with it
        if text is not None and (suffix == ".txt" or suffix in _PROSE):
            return "text"
        raise ReadError(f"{found.name} is in no form that is known here.")
    return _written(text, suffix, alone)


def _written(text: str, suffix: str, alone: bool) -> Form:
    """The form of a text."""
    if suffix not in _PROSE and _JSON.match(text):
        return "jsonl"
    by_name = _SUFFIX.get(suffix)
    if by_name in ("csv", "jsonl"):
        return by_name
    if suffix in _PROSE or (suffix == ".txt" and not alone):
        return "text"
    return "csv" if looks_like_table(text) else "text"


def _zipped(found: Found, head: bytes) -> Form:
    if found.path.suffix.lower() == ".npz" or b".npy" in head[:400]:
        return "npz"
    what = (
        "an Office file: save the sheet as CSV"
        if b"[Content_Types]" in head
        else "a zip archive: unpack it first"
    )
    raise ReadError(f"{found.name} is {what}.")


def _as_text(head: bytes) -> str | None:
    """The head as text, or None if zeros say that it is none."""
    encoding = marked(head) or ("utf-8" if b"\0" not in head else utf16(head))
    return None if encoding is None else head.decode(encoding, "replace")


def family_of(form: Form) -> Family:
    """
    >>> family_of("npz"), family_of("image")
    ('tables', 'images')
    """
    return "images" if form == "image" else "texts" if form == "text" else "tables"


def unpackable(head: bytes) -> bool:
    """Whether these are the first bytes of a .gz file."""
    return head.startswith(GZIP)
