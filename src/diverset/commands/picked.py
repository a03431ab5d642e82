"""HOW DOES A SELECTION LOOK? Its picks with their names, in the forms that can be asked for."""

from __future__ import annotations

import re
from typing import Any

from ..readers import Reading
from ..readers.csvs import distinct
from ..selection import Selection, Stop
from .sheets import Sheet, plain_column, taken
from .task import Task


def head_of(picks: Selection) -> list[str]:
    """How many, by which method and kernel, and how sure."""
    if picks.stop is Stop.DRAWN:
        sure = "drawn at random"
    elif picks.undecided is None:
        sure = "certified: the same on every machine"
    else:
        sure = f"not decidable from pick {picks.undecided + 1} on (marked ?)"
    return [
        f"{picks.k} of {picks.n:,} items by {picks.method.name}, {short(picks.kernel)}",
        f"{sure}, log det {picks.log_det:.4g}",
    ]


def places_of(picks: Selection) -> list[int]:
    """The places of the picks as people count: the first is 1, here and on the page."""
    return list(range(1, picks.k + 1))


def short(kernel: object) -> str:
    """A kernel with its numbers in few digits.

    >>> from diverset import Matern
    >>> short(Matern(bandwidth=3.1996939107747013, nu=2.5))
    'Matern(bandwidth=3.2, nu=2.5)'
    """
    return re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.4g}", repr(kernel))


def ids_of(picks: Selection, reading: Reading) -> list[str]:
    """The path of an item that is a file of its own, where the reader knows it; else the name."""
    return taken([str(p) for p in reading.files] if reading.files is not None else reading.names, picks)


def glance_of(picks: Selection, task: Task) -> Sheet:
    """What fits a terminal."""
    reading = task.reading
    sheet: Sheet = {"pick": places_of(picks), "row": list(picks)}
    names = taken(reading.names, picks)
    if names != [str(row) for row in picks]:
        sheet["name"] = names
    if picks.stop is not Stop.DRAWN:
        sheet["gain"] = picks.gains.tolist()
        sheet["margin"] = picks.margins.tolist()
        if not picks.certified:
            sheet["sure"] = ["" if sure else "?" for sure in picks.decided]
    if task.groups is not None:
        sheet[str(task.given["groups"])] = taken(task.groups, picks)
    if reading.texts is not None:
        sheet["text"] = [" ".join(text[:300].split()) for text in taken(reading.texts, picks)]
    return sheet


def sheet_of(picks: Selection, reading: Reading) -> Sheet:
    """All about the picks, and the columns of the table that they come from."""
    sheet: Sheet = {
        "pick": places_of(picks),
        "row": list(picks),
        "name": taken(reading.names, picks),
    }
    if picks.stop is not Stop.DRAWN:
        sheet |= {
            "gain": picks.gains.tolist(),
            "margin": picks.margins.tolist(),
            "decided": picks.decided.tolist(),
        }
    if reading.files is not None:
        sheet["file"] = ids_of(picks, reading)
    beside = {name: plain_column(values[picks.indices]) for name, values in reading.columns.items()}
    if reading.texts is not None and not any(
        taken(reading.texts, picks) == values for values in beside.values()
    ):
        sheet["text"] = taken(reading.texts, picks)
    names = distinct([*sheet, *beside])
    return dict(zip(names, [*sheet.values(), *beside.values()], strict=True))


def facts_about(picks: Selection, reading: Reading) -> dict[str, Any]:
    """The selection for JSON."""
    facts = picks.to_dict()
    facts.pop("labels")
    facts["names"] = taken(reading.names, picks)
    if reading.files is not None:
        facts["files"] = ids_of(picks, reading)
    if reading.texts is not None:
        facts["texts"] = taken(reading.texts, picks)
    return facts
