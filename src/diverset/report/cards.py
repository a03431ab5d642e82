"""WHAT IS SAID OF A PICK? Its words, its numbers, and why it was picked.

# place    of a pick in pick order, from 0
# at       where a value lies among all values of its column, from 0 to 1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..readers import Reading
from ..readers.columns import in_words
from ..selection import Selection, Stop
from .geometry import Likeness
from .safe import visible

CARDS = 400  # more picks than this are on the map and in the export, but have no card
CELLS = 6
_TEXT = 1_500
_CELL = 80


class Cell(NamedTuple):
    """A value of a row."""

    column: str
    value: str
    at: float | None


@dataclass(frozen=True)
class Card:
    """One pick as it is shown. None stands for a number that there is not."""

    place: int
    row: int
    name: str
    picture: str | None
    text: str | None
    cells: tuple[Cell, ...]
    more: int  # columns that the card has no room for
    gain: float | None
    share: float | None  # of the largest gain
    margin: float | None
    decided: bool
    drawn: bool
    earlier: int | None
    similarity: float | None
    stands_for: int

    def to_dict(self) -> dict[str, Any]:
        """What the page's script needs; the words are in its cards."""
        return {
            "row": self.row,
            "gain": self.gain,
            "margin": self.margin,
            "decided": self.decided,
            "earlier": self.earlier,
            "similarity": self.similarity,
            "standsFor": self.stands_for,
        }


def item_name(reading: Reading, row: int) -> str:
    """How an item is called in the page: rows that have no name by their number."""
    name = reading.names[row]
    return f"row {row:,}" if name == str(row) else visible(name)


def cards(reading: Reading, picks: Selection, alike: Likeness, pictures: dict[int, str]) -> list[Card]:
    """A card for every pick."""
    known = picks.gains[np.isfinite(picks.gains)]
    largest = float(known.max(initial=0.0))
    columns = _columns(reading)
    few = _few(columns)
    ranked = _ranked(few)
    return [
        Card(
            place=place,
            row=row,
            name=item_name(reading, row),
            picture=pictures.get(row),
            text=None if reading.texts is None else visible(reading.texts[row], _TEXT),
            cells=tuple(_cell(name, values, ranked[name], row) for name, values in few.items()),
            more=max(len(columns) - CELLS, 0),
            gain=finite(picks.gains[place]),
            share=finite(picks.gains[place] / largest) if largest > 0 else None,
            margin=finite(picks.margins[place]),
            decided=bool(picks.decided[place]),
            drawn=picks.stop is Stop.DRAWN,
            earlier=int(alike.earlier[place]) if place else None,
            similarity=finite(alike.earlier_similarity[place]),
            stands_for=int(alike.stands_for[place]),
        )
        for place, row in enumerate(picks)
    ]


def finite(value: Any) -> float | None:
    """A number that JSON knows, to seven digits; else None."""
    return float(f"{value:.7g}") if np.isfinite(value) else None


def _columns(reading: Reading) -> dict[str, Any]:
    """What a card shows of a row; pictures and texts speak for themselves."""
    if reading.kind == "images" or reading.texts is not None:
        return {}
    return dict(reading.columns)


def _few(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: in_words(columns[name]) for name in list(columns)[:CELLS]}


def _ranked(columns: dict[str, Any]) -> dict[str, Floats | None]:
    """The sorted values of every column of numbers."""
    ranked: dict[str, Floats | None] = {}
    for name, values in columns.items():
        is_number = values.dtype.kind in "fiu"
        ranked[name] = np.sort(values[np.isfinite(values)]) if is_number else None
    return ranked


def _cell(name: str, values: Any, ranked: Floats | None, row: int) -> Cell:
    value = values[row]
    column = visible(name, _CELL)
    if ranked is None or not np.isfinite(value):
        return Cell(column, "–" if value is None or value != value else visible(value, _CELL), None)
    # the middle of its equals, so that a value that all rows have lies in the middle
    below, upto = np.searchsorted(ranked, value, side="left"), np.searchsorted(ranked, value, side="right")
    return Cell(column, short(value), float(below + upto) / (2 * len(ranked)))


def short(value: float) -> str:
    """A number in few characters.

    >>> short(3.0), short(1234567.0), short(0.000123456), short(-2.34567)
    ('3', '1,234,567', '0.0001235', '-2.346')
    """
    if float(value).is_integer() and abs(value) < 1e9:
        return f"{value:,.0f}"
    return f"{value:.4g}"
