"""HOW IS A RESULT WRITTEN? One answer as a table for the eye, CSV, JSON, names or Parquet.

# sheet   columns by name, all of one length
# glance  the few columns that fit a terminal
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np

from ..readers.columns import in_words

Sheet: TypeAlias = dict[str, list[Any]]

# What a spreadsheet takes for the start of a formula, in narrow and in wide letters.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, eq=False)
class Answer:
    """A result.

    ``head``   the lines above the table
    ``ids``    the names, one per line
    ``facts``  what JSON says
    """

    head: list[str]
    glance: Sheet
    sheet: Sheet
    ids: list[str]
    facts: dict[str, Any]

    def text(self, form: str, width: int | None = None) -> str:
        """The answer as text; ``width`` columns at most for a table."""
        if form == "json":
            return as_json(self.facts)
        if form == "csv":
            return as_csv(self.sheet)
        if form == "ids":
            return "".join(f"{name}\n" for name in self.ids)
        return "\n".join([*self.head, "", *as_table(self.glance, width), ""])

    def data(self, form: str) -> bytes:
        """The answer as a file."""
        if form == "parquet":
            return as_parquet(self.sheet)
        return self.text(form).encode("utf-8", "surrogateescape")


# --- JSON ---------------------------------------------------------------------------------------


def as_json(facts: dict[str, Any]) -> str:
    """Valid JSON without NaN; hostile characters are escaped, wherever it is shown."""
    from .terminal import visible

    return visible(_written(_spread(facts), "")) + "\n"


def _written(value: Any, margin: str) -> str:
    """Indented, but lists of numbers on one line: one pick per line would hide the rest."""
    deeper = margin + "  "
    if isinstance(value, dict) and value:
        lines = [f"{_one(key)}: {_written(one, deeper)}" for key, one in value.items()]
        return "{\n" + ",\n".join(deeper + line for line in lines) + f"\n{margin}}}"
    if isinstance(value, list) and any(isinstance(one, (dict, list, str)) for one in value):
        return "[\n" + ",\n".join(deeper + _written(one, deeper) for one in value) + f"\n{margin}]"
    return _one(value)


def _one(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _spread(value: Any) -> Any:
    """Plain values: sets of NumPy numbers and tuples inside, and nothing that JSON has no word for."""
    if isinstance(value, dict):
        return {str(key): _spread(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spread(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


# --- CSV ----------------------------------------------------------------------------------------


def neutral(cell: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets an apostrophe; a number stays a number.

    >>> neutral("=1+2"), neutral("-3.5"), neutral(-3.5)
    ("'=1+2", '-3.5', -3.5)
    """
    formula = isinstance(cell, str) and cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if formula else cell


def as_csv(sheet: Sheet) -> str:
    """The sheet for a spreadsheet: no cell of it is a formula."""
    rows = [list(sheet), *zip(*sheet.values(), strict=True)]
    return "".join(_line([neutral(_cell(value)) for value in row]) for row in rows)


def _line(cells: list[Any]) -> str:
    # ended by \r\n the writer quotes cells with either in them: a bare \r would start a row of its own
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if np.isfinite(value) else ""
    return "" if value is None else value


def plain_column(values: Any) -> list[Any]:
    """The values of a column as they were written: 3 and not 3.0 where all are whole."""
    array = in_words(values)
    if array.dtype.kind == "f" and array.size:
        there = array[~np.isnan(array)]
        if (np.abs(there) < 2**53).all() and (there == np.floor(there)).all():
            return [None if value != value else int(value) for value in array.tolist()]
    return list(array.tolist())


def as_parquet(sheet: Sheet) -> bytes:
    """The sheet as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({name: pa.array(values) for name, values in sheet.items()}), out)
    return out.getvalue()


# --- a table ------------------------------------------------------------------------------------


def as_table(sheet: Sheet, width: int | None = None) -> list[str]:
    """Lines of aligned columns, numbers to the right; the last column is cut to fit the width."""
    from .terminal import visible

    columns = [[_shown(name), *(_shown(v) for v in values)] for name, values in sheet.items()]
    right = [all(isinstance(v, (int, float, np.number)) or v is None for v in c) for c in sheet.values()]
    columns = [[visible(cell).replace("\n", " ") for cell in column] for column in columns]
    wide = [max(map(width_of, column)) for column in columns]
    lines = []
    for row in zip_longest(*columns, fillvalue=""):
        cells = [_padded(c, w, r) for c, w, r in zip(row, wide, right, strict=True)]
        line = "  ".join(cells).rstrip()
        lines.append(line if width is None else cut(line, width))
    return lines


def _shown(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}" if np.isfinite(value) else "-"
    return "-" if value is None else str(value)


def _padded(text: str, width: int, right: bool) -> str:
    blank = " " * (width - width_of(text))
    return blank + text if right else text + blank


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: two for the letters of East Asia, none for accents.

    >>> width_of("café"), width_of("日本")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, width: int) -> str:
    """The text, with three dots where it does not fit."""
    if width_of(text) <= width:
        return text
    while width_of(text) > width - 1:
        text = text[: max(0, min(len(text) - 1, width))]
    return f"{text}…"


def taken(values: Sequence[Any], rows: Iterable[int]) -> list[Any]:
    """Some of the values, in this order."""
    return [values[row] for row in rows]
