"""HOW FAR IS IT? A bar with an estimate on a terminal; silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..commands.bar import rich_bar
from .run import Show, Silent


@contextmanager
def showing(wanted: bool | None = None) -> Iterator[Show]:
    """A bar if stderr is a terminal (or as wanted), else silence."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield Silent()
        return
    bar = rich_bar(transient=False)
    with bar:
        yield _Bar(bar)


class _Bar:
    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("data", total=None)

    def say(self, text: str) -> None:
        self._bar.update(self._task, description=text)

    def plan(self, seconds: float) -> None:
        self._bar.update(self._task, total=seconds, completed=0)

    def done(self, seconds: float) -> None:
        self._bar.advance(self._task, seconds)
