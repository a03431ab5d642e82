"""JSON -> TABLE. One object per line, or an array of objects; keys may be missing, objects may nest.

# row    a dict by key; the keys of an object inside are called "outer.inner"
# piece  so many rows that what JSON makes of them is small beside what they become
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, TextIO

import numpy as np

from ..rounds.pool import Progress, quiet
from .csvs import COLUMNS, LINE, lines_of, text_of, typed
from .dialect import Spelling
from .files import Found, digest_of
from .table import NOTHING, Cells, Column, Odd, Table, joined, number_column, vector_column, word_column
from .wanted import ReadError, Wanted

_PIECE = 2**11  # rows
_CELLS = 2**24
_NESTED = 16  # objects in objects
_BLANK = re.compile(r"\s*")


def read_jsonl(found: Found, wanted: Wanted, progress: Progress = quiet) -> tuple[Table, str]:
    """The table in a file of JSON, and the SHA-256 of the file."""
    spelling = Spelling()
    digest = digest_of(found, progress, spelling.look)
    encoding = wanted.encoding or spelling.encoding()
    if not spelling.head.strip():
        raise ReadError(f"{found.name} is empty: wanted JSON, one object per line.")
    if encoding is None:
        raise ReadError(f"{found.name} holds zero bytes: it is not JSON, or name its --encoding.")
    notes = () if encoding.startswith("utf-8") else (f"encoding {encoding}",)
    keys = _Keys(found, wanted, notes)
    with text_of(found, encoding) as stream:
        rows = _rows(stream, found)
        while piece := list(islice(rows, _PIECE)):
            keys.add(piece)
    return keys.table(), digest


# --- text -> rows -----------------------------------------------------------------------------


def _rows(stream: TextIO, found: Found) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row with the number of its line."""
    start = stream.read(1)
    while start.isspace():
        start = stream.read(1)
    array = start == "["
    stream.seek(0)
    values = _of_array(stream, found) if array and not _a_list_per_line(stream) else _of_lines(stream, found)
    for line, value in values:
        row: dict[str, Any] = {}
        if isinstance(value, list):  # a vector without a name
            row["vector"] = value
        elif isinstance(value, dict):
            _spread(value, "", row, found, line, 0)
        else:
            raise ReadError(
                f"{found.name}, line {line:,}: {json.dumps(value)[:40]} is not an object. "
                'Wanted lines such as {"id": 7, "text": "..."}.'
            )
        yield line, row


def _a_list_per_line(stream: TextIO) -> bool:
    """Whether the first line is a list by itself, and others follow."""
    first, second = stream.readline(LINE), stream.readline(LINE)
    stream.seek(0)
    try:
        return isinstance(json.loads(first), list) and second.lstrip().startswith("[")
    except (ValueError, RecursionError):
        return False


def _of_lines(stream: TextIO, found: Found) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines_of(stream, found), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as why:
                raise _broken(found, number, why) from None


def _of_array(stream: TextIO, found: Found) -> Iterator[tuple[int, Any]]:
    """The elements of one array, decoded one at a time."""
    text = stream.read()
    decoder = json.JSONDecoder()
    at, line, seen = text.index("[") + 1, 1, 0
    while True:
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # blanks are there or not
        line, seen = line + text.count("\n", seen, at), at
        if text[at : at + 1] == "]":
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as why:
            raise _broken(found, getattr(why, "lineno", line), why) from None
        yield line, value
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
        if text[at : at + 1] not in (",", "]"):
            line += text.count("\n", seen, at)
            raise ReadError(f"{found.name}, line {line:,}: wanted , or ] after an element.")
        at += text[at] == ","
    if text[at + 1 :].strip():
        raise ReadError(
            f"{found.name}: something follows the array. Wanted one array, or one object per line."
        )


def _broken(found: Found, line: int, why: Exception) -> ReadError:
    said = why.msg if isinstance(why, json.JSONDecodeError) else "nested too deeply, or a number too long"
    column = f", character {why.colno:,}" if isinstance(why, json.JSONDecodeError) else ""
    return ReadError(
        f"{found.name}, line {line:,}{column}: {said}. Wanted one JSON object per line, or an array."
    )


def _spread(
    value: dict[str, Any], prefix: str, row: dict[str, Any], found: Found, line: int, depth: int
) -> None:
    """The keys of an object, and of the objects inside."""
    if depth > _NESTED:
        raise ReadError(f"{found.name}, line {line:,}: objects nested deeper than {_NESTED} levels.")
    for key, inside in value.items():
        name = prefix + well_formed(key)
        if isinstance(inside, dict):
            _spread(inside, name + ".", row, found, line, depth + 1)
        else:
            row[name] = inside


def well_formed(text: str) -> str:
    """JSON can spell half a character, which no file and no terminal takes.

    >>> well_formed("a\\\\ud800b".encode().decode("unicode_escape")), well_formed("ä")
    ('a�b', 'ä')
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- rows -> columns --------------------------------------------------------------------------


class _Keys:
    """The columns that grow from pieces of rows."""

    def __init__(self, found: Found, wanted: Wanted, notes: tuple[str, ...]) -> None:
        self._found, self._text, self._notes = found, wanted.text, notes
        self._pieces: dict[str, list[Column]] = {}
        self._odd: dict[str, str] = {}
        self._lines: list[Any] = []
        self._n = self._full = 0

    def add(self, piece: list[tuple[int, dict[str, Any]]]) -> None:
        lines = [line for line, _ in piece]
        names = dict.fromkeys(name for _, row in piece for name in row)
        self._refuse_scattered(piece, {*names, *self._pieces, *self._odd})
        for name in dict.fromkeys([*self._pieces, *names]):
            if name in self._odd:
                continue
            before = self._pieces.setdefault(name, [_nothing(name, self._n)] if self._n else [])
            try:
                column = _column(name, [row.get(name) for _, row in piece], lines)
                before.append(column)
                _refuse_mixed(before, lines[0])
            except Odd as why:
                self._odd[name] = str(why)
                del self._pieces[name]
        self._lines.append(np.array(lines, dtype=np.int64))
        self._n += len(piece)

    def _refuse_scattered(self, piece: list[tuple[int, dict[str, Any]]], names: set[str]) -> None:
        """Every row may bring new keys, but not so many that the table is nearly empty and huge."""
        self._full += sum(len(row) for _, row in piece)
        cells = len(names) * (self._n + len(piece))
        if len(names) > COLUMNS or cells > max(_CELLS, 50 * self._full):
            raise ReadError(
                f"{self._found.name} has {len(names):,} different keys by line {piece[-1][0]:,}, "
                "and hardly any is in more than one row. Wanted the same keys in all rows."
            )

    def table(self) -> Table:
        if not self._n:
            raise ReadError(f"{self._found.name} has no rows.")
        lines = np.concatenate(self._lines)
        columns = {}
        for name, pieces in self._pieces.items():
            column = joined(pieces, self._found.name)
            if column.cells == "word" and name != self._text:
                column = typed(
                    [None if m else w for w, m in zip(column.values, column.missing, strict=True)],
                    name,
                    frozenset(),
                )
            columns[name] = column
        return Table(
            self._found.name,
            columns,
            self._n,
            lambda i: f"line {lines[i]:,}",
            self._notes,
            self._odd,
            loose=True,
        )


def _nothing(name: str, n: int) -> Column:
    return number_column(name, np.full(n, np.nan))


def _refuse_mixed(pieces: list[Column], line: int) -> None:
    """Pieces of one key must agree, where they hold anything."""
    full = [p for p in pieces if not p.missing.all()]
    kinds = {p.cells for p in full}
    if len(kinds) > 1 and kinds != {"flag", "number"}:
        raise Odd(f"holds {' and '.join(f'{kind}s' for kind in sorted(kinds))} (from line {line:,} on)")
    if kinds == {"vector"} and len({p.values.shape[1] for p in full}) > 1:
        raise Odd(f"holds lists of different lengths (from line {line:,} on)")


def _column(name: str, values: list[Any], lines: list[int]) -> Column:
    """Numbers, flags, words or vectors, whichever all values are."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {bool}:
        cells: Cells = "flag" if kinds else "number"
        return number_column(
            name, np.array([np.nan if v is None else v for v in values], dtype=np.float64), cells
        )
    if kinds <= {int, float, bool}:
        return number_column(name, _floats(values))
    if kinds == {str}:
        return word_column(name, [None if v is None else well_formed(v) for v in values], frozenset())
    if kinds == {list}:
        return vector_column(name, _vectors(values, lines))
    if kinds <= {int, float, bool, str} and all(v in NOTHING for v in values if isinstance(v, str)):
        return number_column(name, _floats([None if isinstance(v, str) else v for v in values]))
    first = next(v for v in values if v is not None)
    other = next(i for i, v in enumerate(values) if v is not None and type(v) is not type(first))
    raise Odd(f"holds {_called(first)} and {_called(values[other])} (line {lines[other]:,})")


def _called(value: Any) -> str:
    return {str: "words", list: "lists", bool: "true or false"}.get(type(value), "numbers")


def _floats(values: list[Any]) -> Any:
    try:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except OverflowError:  # a whole number of more than 308 digits
        return np.array([np.nan if v is None else float(str(v)) for v in values])


def _vectors(values: list[Any], lines: list[int]) -> Any:
    """Lists of numbers of one length as rows, flat; NaN where there is none."""
    rows: list[Any] = []
    for value, line in zip(values, lines, strict=True):
        rows.append(None if value is None else _flat(value, line))
    full = [row for row in rows if row is not None]
    width = len(full[0])
    for row, line in zip(rows, lines, strict=True):
        if row is not None and len(row) != width:
            raise Odd(f"holds lists of different lengths ({width:,} and {len(row):,}, line {line:,})")
    if not width:
        raise Odd("holds empty lists")
    return np.array([np.full(width, np.nan) if row is None else row for row in rows])


def _flat(value: list[Any], line: int) -> Any:
    """One list of numbers, or of lists of numbers, as an array."""
    try:
        array = np.array([np.nan if v is None else v for v in value])
    except (ValueError, OverflowError):
        raise Odd(f"holds lists that are ragged (line {line:,})") from None
    if array.dtype.kind not in "fiub":
        raise Odd(f"holds lists of words or objects (line {line:,})")
    return array.astype(np.float64).ravel()
