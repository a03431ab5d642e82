"""CSV -> TABLE. Read in pieces of rows: numbers become float64 at once, words stay words.

# piece  so many rows that the texts of their cells are small beside what they become
# words  numbers of the columns that are known not to be numbers
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TextIO

import numpy as np

from ..arrays import Floats
from ..rounds.pool import Progress, quiet
from .dialect import Dialect, Spelling, detect, single_blanks
from .files import Found, digest_of, opened
from .table import NOTHING, Cells, Column, Table, number_column, word_column
from .wanted import ReadError, Wanted

LINE = 2**26  # characters: what is longer is not a line of a table
CELL = 2**25
COLUMNS = 2**17
_PIECE = 2**22  # cells
_FLAGS = {"true": 1.0, "false": 0.0, "True": 1.0, "False": 0.0, "TRUE": 1.0, "FALSE": 0.0}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}


def read_csv(found: Found, wanted: Wanted, progress: Progress = quiet) -> tuple[Table, str]:
    """The table in a text file, and the SHA-256 of the file."""
    spelling = Spelling()
    digest = digest_of(found, progress, spelling.look)
    encoding = wanted.encoding or spelling.encoding()
    if not spelling.head.strip():
        raise ReadError(f"{found.name} is empty: wanted a table, one row per line.")
    if encoding is None:
        raise ReadError(f"{found.name} holds zero bytes: it is not a text file, or name its --encoding.")
    with text_of(found, encoding) as stream:
        dialect = detect(stream.read(2**16), wanted.delimiter, wanted.header)
    return _Parser(found, encoding, dialect).table(), digest


@contextmanager
def text_of(found: Found, encoding: str) -> Iterator[TextIO]:
    """The file as text. Whatever is wrong with its bytes is said with its name."""
    import io

    try:
        with opened(found) as stream, io.TextIOWrapper(stream, encoding, newline="") as text:
            yield text
    except LookupError:
        raise ReadError(f"Unknown encoding {encoding!r}: wanted utf-8, cp1252, latin-1, ...") from None
    except UnicodeError as why:
        at = f" at byte {why.start:,}" if isinstance(why, UnicodeDecodeError) else ""
        raise ReadError(
            f"{found.name} is not {encoding}{at}. Name its encoding, for example --encoding latin-1."
        ) from None


class _Parser:
    """Reads the file once; twice if a column of numbers turns out to hold words further down."""

    def __init__(self, found: Found, encoding: str, dialect: Dialect) -> None:
        self._found, self._encoding, self._dialect = found, encoding, dialect
        self._words: set[int] = set()
        self._comma = False  # whether 1,5 is a number
        self._lines: list[Any] = []
        self._notes = [f"cells separated by {_NAMES.get(dialect.delimiter, repr(dialect.delimiter))}"]
        if encoding not in ("utf-8", "utf-8-sig"):
            self._notes.append(f"encoding {encoding}")

    def table(self) -> Table:
        while True:
            known = len(self._words), self._comma
            names, pieces = self._read()
            if known == (len(self._words), self._comma) or len(pieces) < 2:
                break
        if not pieces:
            raise ReadError(f"{self._found.name} has no rows below its header.")
        columns: dict[str, Column] = {}
        for at, name in enumerate(names):
            columns[name] = _column(name, [piece[at] for piece in pieces], at in self._words)
        lines = np.concatenate(self._lines)
        if self._comma:
            self._notes.append("decimal commas")
        return Table(
            self._found.name, columns, len(lines), lambda i: f"line {lines[i]:,}", tuple(self._notes)
        )

    def _read(self) -> tuple[list[str], list[list[Any]]]:
        with text_of(self._found, self._encoding) as stream, _long_cells():
            lines = lines_of(stream, self._found)
            if self._dialect.delimiter == " ":
                lines = map(single_blanks, lines)
            reader = csv.reader(lines, delimiter=self._dialect.delimiter)
            try:
                return self._rows(reader)
            except csv.Error as why:
                raise ReadError(f"{self._found.name}, line {reader.line_num:,}: {_said(why)}.") from None

    def _rows(self, reader: Any) -> tuple[list[str], list[list[Any]]]:
        first = next((row for row in reader if row), None)
        if first is None:
            raise ReadError(f"{self._found.name} is empty: wanted a table, one row per line.")
        line, second = reader.line_num, next((row for row in reader if row), None)
        ahead = [] if second is None else [(reader.line_num, second)]
        names = self._names(first, len(first) if second is None else len(second))
        if not self._dialect.header:
            ahead.insert(0, (line, first))
        self._lines = []
        pieces: list[list[Any]] = []
        size = max(1, _PIECE // len(names))
        rows = _numbered(reader, ahead)
        while piece := list(islice(rows, size)):
            self._lines.append(np.array([line for line, _ in piece], dtype=np.int64))
            pieces.append(self._piece(piece, len(names), first=not pieces))
        return names, pieces

    def _names(self, first: list[str], width: int) -> list[str]:
        if len(first) > COLUMNS:
            raise ReadError(
                f"{self._found.name} has {len(first):,} columns, more than {COLUMNS:,}. "
                "Save the numbers with numpy.save, or scipy.sparse.save_npz if most are zero."
            )
        if not self._dialect.header:
            return [f"c{at}" for at in range(len(first))]
        if width == len(first) + 1:  # as R writes them: the column of row names has none
            first = ["", *first]
        return distinct(first)

    def _piece(self, rows: list[tuple[int, list[str]]], width: int, first: bool) -> list[Any]:
        for line, row in rows:
            if len(row) != width:
                raise ReadError(
                    f"{self._found.name}, line {line:,} has {len(row):,} cells, wanted {width:,} as above. "
                    "A cell that holds the delimiter must stand in quotes."
                )
        return [
            self._cells(at, list(texts), first)
            for at, texts in enumerate(zip(*(row for _, row in rows), strict=True))
        ]

    def _cells(self, at: int, texts: list[str], first: bool) -> Any:
        """Numbers if all cells are, else the texts. None where a second reading is due."""
        if at in self._words:
            return texts
        values = numbers(texts, self._comma)
        if values is None and not self._comma and self._dialect.delimiter == ";":
            values = numbers(texts, True)
            self._comma = values is not None and not np.isnan(values).all()
        if values is None:
            self._words.add(at)
            return texts if first else None
        return values


def _column(name: str, pieces: list[Any], words: bool) -> Column:
    if not words:
        return number_column(name, np.concatenate(pieces))
    return typed([text for piece in pieces for text in piece], name)


def typed(texts: Sequence[str | None], name: str, nothing: Set[str] = NOTHING) -> Column:
    """A column of texts, or of flags or dates if that is what all of them say."""
    said = {text for text in texts if text is not None and text not in nothing}
    if said and said <= _FLAGS.keys():
        return _looked_up(texts, _FLAGS, name, "flag")
    dates = _dates(said) if all(len(text) >= 8 for text in said) else None
    if dates:
        return _looked_up(texts, dates, name, "date")
    same = {text: text for text in said}  # each text once in memory
    return word_column(name, [same.get(text, text) if text else text for text in texts], nothing)


def _looked_up(texts: Sequence[str | None], meaning: Mapping[str, float], name: str, cells: Cells) -> Column:
    values = [np.nan if text is None else meaning.get(text, np.nan) for text in texts]
    return number_column(name, np.array(values), cells)


def _dates(texts: set[str]) -> dict[str, float] | None:
    """Days since 1970 of each text, if all are dates in the form 2024-05-17 or 2024-05-17T12:30."""
    days = {}
    for text in texts:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        days[text] = (moment - _EPOCH).total_seconds() / 86400
    return days


def numbers(texts: Sequence[str], comma: bool = False) -> Floats | None:
    """float64 with NaN for what stands for nothing; None if a text is neither."""
    if comma:
        if any("." in text for text in texts):
            return None
        texts = [text.replace(",", ".", 1) for text in texts]
    try:
        values = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        try:
            values = np.array([np.nan if text in NOTHING else float(text) for text in texts])
        except ValueError:
            return None
    # Python reads 1_000 as a number; in a table it is a name
    return None if any("_" in text for text in texts) else values


def distinct(names: Sequence[str]) -> list[str]:
    """The names without blanks around them, a second "x" being "x.1".

    >>> distinct(["x", "y", "x", "x"])
    ['x', 'y', 'x.1', 'x.2']
    """
    seen: set[str] = set()
    found = []
    for name in (name.strip() for name in names):
        unique, count = name, 0
        while unique in seen:
            count += 1
            unique = f"{name}.{count}"
        seen.add(unique)
        found.append(unique)
    return found


def _numbered(reader: Any, ahead: list[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    yield from ahead
    for row in reader:
        if row:
            yield reader.line_num, row


def lines_of(stream: TextIO, found: Found) -> Iterator[str]:
    number = 0
    while line := stream.readline(LINE):
        number += 1
        if len(line) == LINE:
            raise ReadError(
                f"{found.name}, line {number:,} has more than {LINE:,} characters: is it a table?"
            )
        yield line


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _said(why: csv.Error) -> str:
    if "field larger" in str(why):
        return f"a cell has more than {CELL:,} characters, perhaps because a quote is never closed"
    return str(why)
