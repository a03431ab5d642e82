"""HOW FAR IS IT? A bar with the time left, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..rounds.pool import Progress, quiet


def rich_bar(transient: bool) -> Any:
    """A bar of rich on stderr: what is done, the share, the time it took and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description:<44.44}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        speed_estimate_period=300,
        transient=transient,
    )


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Progress]:
    """Who is told about the stages of a reading or a selection."""
    try:
        bar = rich_bar(transient=True) if wanted else None
    except ModuleNotFoundError:  # a selection without its bar is still a selection
        bar = None
    if bar is None:
        yield quiet
        return
    with bar:
        yield _Stages(bar)


class _Stages:
    """One line, which starts anew with every stage."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None)
        self._stage = ""

    def __call__(self, stage: str, done: int, of: int) -> None:
        if stage != self._stage:
            self._stage = stage
            self._bar.reset(self._task, description=stage, total=of or None)
        self._bar.update(self._task, completed=done, total=of or None)  # none: there is no telling
