"""HOW IS THIS CSV WRITTEN? Its encoding, its delimiter and its header, from its bytes and first lines.

# head   the first complete lines
# share  of the rows that have the most common number of cells
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .table import NOTHING

DELIMITERS = ",;\t|"
_SAMPLE = 2**16
_MARKS = {  # the longer first: that of UTF-32 starts with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Spelling:
    """Told every piece of a file, it knows the encoding in the end."""

    def __init__(self) -> None:
        self.head = b""
        self.zeros = False
        self._utf8: Any = codecs.getincrementaldecoder("utf-8")()

    def look(self, piece: bytes) -> None:
        if len(self.head) < _SAMPLE:
            self.head += piece[: _SAMPLE - len(self.head)]
        self.zeros |= b"\0" in piece
        if self._utf8 is not None:
            try:
                self._utf8.decode(piece)
            except UnicodeDecodeError:
                self._utf8 = None

    def encoding(self) -> str | None:
        """The encoding, or None for what is not text. All that is not UTF-8 or marked is a guess."""
        if mark := marked(self.head):
            return mark
        if self._utf8 is not None and not self.zeros:
            return "utf-8"
        return utf16(self.head) if self.zeros else _guessed(self.head)


def marked(head: bytes) -> str | None:
    """The encoding that a mark at the start of a file names."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def utf16(head: bytes) -> str | None:
    """Western text in UTF-16 has a zero in every other byte."""
    pairs = max(len(head) // 2, 1)
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if zeros.count(0) > 0.4 * pairs and zeros.count(0) > 0.9 * head.count(0):
            return name
    return None


def _guessed(head: bytes) -> str:
    try:
        from charset_normalizer import from_bytes
    except ModuleNotFoundError:
        return "cp1252"
    best = from_bytes(head).best()
    return "cp1252" if best is None or best.encoding in ("utf_8", "ascii") else best.encoding


@dataclass(frozen=True)
class Dialect:
    """How the cells of a table are separated, and whether its first line names the columns."""

    delimiter: str
    header: bool


def detect(head: str, delimiter: str | None = None, header: bool | None = None) -> Dialect:
    """The dialect of a text, from its first lines, where it is not given.

    >>> detect("a;b\\n1,5;2\\n")
    Dialect(delimiter=';', header=True)
    """
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda d: _agreement(head, d))
        if _agreement(head, delimiter) == (0.0, 0) and _agreement(head, " ")[0] == 1.0:
            delimiter = " " if _numeric(_rows(head, " "), all) else delimiter
    return Dialect(delimiter, _has_header(_rows(head, delimiter)) if header is None else header)


def looks_like_table(head: str) -> bool:
    """Whether a text of unknown form is a table: as many cells in all lines, and a column of numbers."""
    rows = _rows(head, detect(head).delimiter)
    return bool(rows) and len({len(row) for row in rows}) == 1 and _numeric(rows, any)


def _numeric(rows: list[list[str]], quantifier: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether all columns, or any, hold numbers below a header that may be there."""
    below = rows[1:] or rows
    columns = [[cell for cell in column if cell not in NOTHING] for column in zip(*below, strict=True)]
    return quantifier(bool(cells) and all(map(is_number, cells)) for cells in columns)


def single_blanks(line: str) -> str:
    """A line of cells between blanks, with one blank between any two; nothing for a comment.

    >>> single_blanks("  1.5   2 \\n"), single_blanks("# made by numpy.savetxt\\n")
    ('1.5 2\\n', '\\n')
    """
    cells = line.split()
    return "\n" if cells and cells[0].startswith("#") else " ".join(cells) + "\n"


def _rows(head: str, delimiter: str) -> list[list[str]]:
    # the last line of the sample may be cut: it tells nothing
    lines = head.splitlines(keepends=True)
    lines = lines[:-1] if len(lines) > 1 and not head.endswith(("\n", "\r")) else lines
    if delimiter == " ":
        lines = [single_blanks(line) for line in lines]
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _agreement(head: str, delimiter: str) -> tuple[float, int]:
    counts = Counter(len(row) for row in _rows(head, delimiter))
    if not counts:
        return 0.0, 0
    width, rows = max(counts.items(), key=lambda item: (item[1], item[0]))
    return (rows / counts.total(), width) if width > 1 else (0.0, 0)


def _has_header(rows: list[list[str]]) -> bool:
    """A first line without a number, in which no two cells are the same."""
    if not rows:
        return False
    first = [cell.strip() for cell in rows[0]]
    named = [cell for cell in first if cell]
    return bool(named) and len(set(named)) == len(named) and not any(map(is_number, first))


def is_number(cell: str) -> bool:
    """Whether a cell is a number, perhaps with a decimal comma."""
    if cell in NOTHING:
        return False
    try:
        float(cell.replace(",", ".", 1))
    except ValueError:
        return False
    return True
