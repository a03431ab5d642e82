"""HOW DOES A COMPARISON LOOK? A row for each method."""

from __future__ import annotations

from typing import Any

from ..comparison import Comparison
from .output import facts_of
from .picked import facts_about, short
from .sheets import Answer, Sheet
from .task import Task

_NUMBERS = "log_det", "operator", "max", "trace", "vendi", "coverage", "seconds"


def comparison_answer(task: Task, found: Comparison, seed: int, command: str) -> Answer:
    """The comparison, in all forms."""
    names = found.names
    sheet: Sheet = {"method": names}
    sheet |= {number: [getattr(one, number) for one in found] for number in _NUMBERS}
    facts = found.to_dict()
    for method, one in zip(facts["methods"], found, strict=True):
        method["selection"] = facts_about(one.selection, task.reading)
    return Answer(
        [f"{found.k} of {found.n:,} items, {short(found.kernel)}"],
        {name.replace("_", " "): [_short(name, v) for v in values] for name, values in sheet.items()},
        sheet,
        [],
        {
            **facts_of("compare", command),
            "input": task.input,
            "parameters": {**task.parameters, "seed": seed},
            **facts,
        },
    )


def _short(name: str, value: Any) -> Any:
    return round(value, 3) if name == "seconds" and value is not None else value
