"""HOW DO DRAWS LOOK? Several selections, one below the other."""

from __future__ import annotations

from ..selection import Selection
from .output import facts_of
from .picked import facts_about, glance_of, head_of, ids_of, sheet_of
from .sheets import Answer, Sheet
from .task import Task


def draws_answer(task: Task, draws: list[Selection], seed: int, command: str) -> Answer:
    """The draws, in all forms; names of different draws stand apart by an empty line."""
    ids: list[str] = []
    for at, picks in enumerate(draws):
        ids += ([""] if at else []) + ids_of(picks, task.reading)
    # log det is of one draw: the line about it is left to the JSON when there are several
    head = head_of(draws[0]) if len(draws) == 1 else [f"{len(draws)} draws of {head_of(draws[0])[0]}"]
    return Answer(
        head,
        _below([glance_of(picks, task) for picks in draws]),
        _below([sheet_of(picks, task.reading) for picks in draws]),
        ids,
        {
            **facts_of("sample", command),
            "input": task.input,
            "parameters": {**task.parameters, "seed": seed},
            "draws": [facts_about(picks, task.reading) for picks in draws],
        },
    )


def _below(sheets: list[Sheet]) -> Sheet:
    """One sheet of all, which says the draw of each row."""
    if len(sheets) == 1:
        return sheets[0]
    numbers = [draw for draw, sheet in enumerate(sheets, 1) for _ in sheet["pick"]]
    columns = dict.fromkeys(name for sheet in sheets for name in sheet)
    return {"draw": numbers} | {
        name: [cell for sheet in sheets for cell in sheet.get(name, [None] * len(sheet["pick"]))]
        for name in columns
    }
