"""BY WHAT CAN THE MAP BE COLOURED? Columns of the table, small enough to travel in the page.

# codes  of a nominal column: which of its words each item has; few words are in order, many by frequency
# NONE   the code of an item without a word
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Ints
from .safe import numbers, visible

BYTES = 600_000  # what all columns may take in the page
WORDS = 250  # a column with more different words would be no colours but noise
NONE = 255
_CLASSES = 14  # whole numbers that are so few are classes: told apart by colour and shape
_LONGEST = 60
_YEAR = 365.2425 * 86400  # seconds


def colourings(columns: Mapping[str, Any], rows: Ints) -> tuple[list[dict[str, Any]], list[str]]:
    """The columns that can colour the map, and the names of those for which there was no room."""
    chosen: list[dict[str, Any]] = []
    left_out: list[str] = []
    room = BYTES
    for name, values in columns.items():
        values = np.asarray(values)
        if values.ndim != 1:
            continue
        if len(rows) > room:  # a byte each is the least
            left_out.append(name)
            continue
        found = _colouring(values[rows])
        if found is None:
            continue
        size = len(rows) * (4 if found["kind"] == "numbers" else 1)
        if size > room:
            left_out.append(name)
            continue
        room -= size
        chosen.append({"name": visible(name, 80), **found})
    return chosen, left_out


def _colouring(values: Any) -> dict[str, Any] | None:
    if values.dtype.kind == "M":  # in years, which a legend can count
        values = np.where(np.isnat(values), np.nan, 1970 + values.astype(np.float64) / _YEAR)
    if values.dtype.kind in "fiub":
        present = values[np.isfinite(values)]
        if len(present) == 0:
            return None
        distinct = np.unique(present)
        whole = len(distinct) <= _CLASSES and bool((distinct == np.rint(distinct)).all())
        if not whole:
            return {"kind": "numbers", "values": numbers(values, "f4")}
        return _nominal(["" if not np.isfinite(v) else f"{v:.0f}" for v in values])
    return _nominal(["" if value is None else str(value) for value in values.tolist()])


def _nominal(words: list[str]) -> dict[str, Any] | None:
    counts = Counter(word for word in words if word)
    distinct = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    if len(distinct) <= _CLASSES:
        distinct.sort(key=_in_order)
    # a word of its own for every item says nothing, unless there are few items
    if not distinct or len(distinct) > WORDS or len(distinct) > max(10, len(words) / 2):
        return None
    code = {word: at for at, word in enumerate(distinct)}
    codes = [code.get(word, NONE) for word in words]
    return {
        "kind": "words",
        "words": [visible(word, _LONGEST) for word in distinct],
        "counts": [counts[word] for word in distinct],
        "values": numbers(codes, "u1"),
    }


def _in_order(word: str) -> tuple[float, str]:
    """Numbers by their size, before words."""
    return (float(word) if word.lstrip("-").isdecimal() else np.inf), word
