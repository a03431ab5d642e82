"""WHAT IS THERE TO SHOW? Everything the page says, before any of it is HTML.

# drawn  the rows on the map, in their order; the script means items by their place among them
# words  names and texts of items that were not picked: cut to what the page has room for
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..comparison import Comparison
from ..readers import Reading
from ..rounds.pool import Progress
from ..selection import Selection
from .cards import CARDS, Card, cards, finite, item_name
from .colours import colourings
from .geometry import Components, Likeness, components, drawn_rows, likeness, matrix_of
from .safe import numbers, visible
from .thumbnails import MOST, Thumbnails, thumbnails

WORDS = 1_000_000  # characters of all names and texts of the items that were not picked
_SNIPPET = 240
_NAME = 120
_STEPS = 65_535  # coordinates travel in 16 bits


@dataclass(frozen=True, eq=False)
class Facts:
    """What the page is made of."""

    reading: Reading
    picks: Selection
    comparison: Comparison | None
    command: str
    drawn: Ints
    places: Ints
    components: Components
    alike: Likeness
    pictures: Thumbnails
    cards: list[Card]
    columns: list[dict[str, Any]]
    notes: list[str]

    @property
    def shown(self) -> list[Card]:
        """The cards that are in the gallery."""
        return self.cards[:CARDS]

    @property
    def all_drawn(self) -> bool:
        return len(self.drawn) == self.picks.n


def gather(
    reading: Reading,
    picks: Selection,
    comparison: Comparison | None,
    command: str,
    progress: Progress,
) -> Facts:
    """Compute what is not in the selection: the map, similarities, thumbnails."""
    shown = _shown(picks, comparison)
    drawn = drawn_rows(picks.n, shown)
    places: Ints = np.searchsorted(drawn, picks.indices)
    progress("map", 0, 2)
    K = matrix_of(reading.X, picks.kernel, drawn)
    found = components(K, places, min(K.n, max(2 * picks.k, 24), 200))
    progress("map", 1, 2)
    alike = likeness(K, places)
    progress("map", 2, 2)
    pictures = thumbnails(reading, drawn, shown, progress)
    columns, left_out = colourings(reading.columns or _folders(reading), drawn)
    return Facts(
        reading=reading,
        picks=picks,
        comparison=comparison,
        command=command,
        drawn=drawn,
        places=places,
        components=found,
        alike=alike,
        pictures=pictures,
        cards=cards(reading, picks, alike, pictures.by_row),
        columns=columns,
        notes=_notes(picks, drawn, pictures, left_out),
    )


def _shown(picks: Selection, comparison: Comparison | None) -> Ints:
    """Every row that was picked, by any method."""
    sets = [picks.indices]
    if comparison is not None:
        if comparison.n != picks.n:
            raise ValueError(
                f"The comparison is of {comparison.n:,} items, the picks are of {picks.n:,}: "
                "make both from the same X."
            )
        sets += [one.selection.indices for one in comparison]
    return np.unique(np.concatenate(sets))


def _folders(reading: Reading) -> dict[str, Any]:
    """The folder of each file as a column, for items that have no other."""
    folders = [name.rpartition("/")[0] for name in reading.names] if reading.files is not None else []
    return {"folder": np.array(folders, dtype=object)} if len(set(folders)) > 1 else {}


def _notes(picks: Selection, drawn: Ints, pictures: Thumbnails, left_out: list[str]) -> list[str]:
    """What the page does not show, and why."""
    notes = []
    if len(drawn) < picks.n:
        notes.append(
            f"The map draws {len(drawn):,} of the {picks.n:,} items: an even spread of the rows, and all "
            "picks. Similarities and counts are of these."
        )
    if pictures.by_row and len(drawn) > MOST:
        notes.append(f"{MOST:,} items and all picks have a thumbnail.")
    if picks.k > CARDS:
        notes.append(f"The first {CARDS} picks have a card; the map and the exports have all {picks.k:,}.")
    if left_out:
        names = ", ".join(visible(name, 40) for name in left_out[:8])
        more = f" and {len(left_out) - 8:,} more" if len(left_out) > 8 else ""
        notes.append(f"For want of room the map cannot be coloured by {names}{more}.")
    return notes


# --- for the script ----------------------------------------------------------------------


def for_script(facts: Facts) -> dict[str, Any]:
    """The facts as the page's script reads them."""
    drawn, picks, found = facts.drawn, facts.picks, facts.components
    x, y = _steps(found.coordinates[:, 0]), _steps(found.coordinates[:, 1])
    names, snippets = _words(facts)
    return {
        "n": picks.n,
        "drawn": len(drawn),
        "rows": None if facts.all_drawn else numbers(drawn, "u4"),
        "x": numbers(x, "u2"),
        "y": numbers(y, "u2"),
        "nearest": numbers(facts.alike.nearest, "u4"),
        "similarity": numbers(np.clip(np.rint(facts.alike.similarity * 100), -100, 100), "i1"),
        "places": facts.places.tolist(),
        "picks": [card.to_dict() for card in facts.cards],
        "names": names,
        "snippets": snippets,
        "pickNames": [facts.reading.names[row] for row in picks],  # as they are: for exports
        "columns": facts.columns,
        "curves": {
            "gains": [finite(gain) for gain in picks.gains],
            "coverage": [finite(value) for value in facts.alike.coverage],
            "spectrum": [finite(value) for value in found.spectrum],
        },
        "methods": _methods(facts),
        "export": _export(facts),
    }


def _steps(values: Floats) -> Floats:
    """Coordinates as whole steps between the smallest and the largest."""
    low, high = values.min(), values.max()
    return np.rint((values - low) * (_STEPS / (high - low))) if high > low else np.full(len(values), 32767.0)


def _words(facts: Facts) -> tuple[list[str] | None, list[str] | None]:
    """Names and beginnings of texts; None where names are the row numbers, or there are no texts."""
    reading, rows = facts.reading, facts.drawn.tolist()
    numbered = all(reading.names[row] == str(row) for row in rows)
    texts = reading.texts
    each = WORDS // (len(rows) * (1 if numbered or texts is None else 2))
    names = None if numbered else [visible(reading.names[row], min(_NAME, max(each, 8))) for row in rows]
    if texts is None:
        return names, None
    most = min(_SNIPPET, max(each, 8))
    return names, [visible(" ".join(texts[row][: 4 * most].split()), most) for row in rows]


def _methods(facts: Facts) -> list[dict[str, Any]]:
    if facts.comparison is None:
        return []
    return [
        {
            "name": name,
            "places": np.searchsorted(facts.drawn, one.selection.indices).tolist(),
            "names": [item_name(facts.reading, row) for row in one.selection],
        }
        for name, one in zip(facts.comparison.names, facts.comparison, strict=True)
    ]


def _export(facts: Facts) -> dict[str, Any]:
    """What an exported file says of itself."""
    picks = facts.picks.to_dict()
    told = ("kernel", "method", "solver", "n", "k", "certified", "log_det", "stop")
    return {
        "source": facts.reading.source,
        "digest": facts.reading.digest,
        "command": facts.command,
        **{name: picks[name] for name in told},
    }
