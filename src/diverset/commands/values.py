"""WHAT MAY AN OPTION HOLD? Names with settings, amounts of memory, bandwidths, lists of names."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..messages import nearest

if TYPE_CHECKING:  # generic since click 8.4
    ParamType: TypeAlias = click.ParamType[Any]
else:
    ParamType = click.ParamType


class Named(ParamType):
    """A name from a table, perhaps with settings: matern:nu=2.5,bandwidth=3."""

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        self.name, self._names = kind, names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if str(value).partition(":")[0] not in self._names:
            self.fail(nearest(self.name, str(value).partition(":")[0], self._names), param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self._names if name.startswith(incomplete)]


class Memory(ParamType):
    """Bytes: 4GB, 512MiB, 1e9."""

    name = "memory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+\.?\d*(?:e\d+)?)\s*([kmgt]?)(i?)b?", str(value).strip().lower())
        if found is None:
            self.fail(f"{value!r} is no amount of memory: wanted 4GB, 512MiB, ...", param, ctx)
        step = 1024 if found[3] else 1000
        amount = int(float(found[1]) * step ** " kmgt".index(found[2] or " "))
        if amount < 1:
            self.fail(f"{value!r} is nothing: wanted 4GB, 512MiB, ...", param, ctx)
        return amount


class Bandwidth(ParamType):
    """A number, or "median"."""

    name = "bandwidth"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "median":
            return value
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor 'median'.", param, ctx)


class Delimiter(ParamType):
    """One character; tabs may be spelt."""

    name = "delimiter"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        character = {"tab": "\t", r"\t": "\t"}.get(value, value)
        if len(character) != 1:
            self.fail(f"{value!r} is not one character (or 'tab').", param, ctx)
        return str(character)


def split(values: Sequence[str]) -> tuple[str, ...]:
    """Names from options that may be repeated and hold several; one with a comma stands in quotes.

    >>> split(["a,b", '"c,d"'])
    ('a', 'b', 'c,d')
    """
    cells = [cell for row in csv.reader(values, skipinitialspace=True) for cell in row]
    return tuple(cell for cell in cells if cell)
