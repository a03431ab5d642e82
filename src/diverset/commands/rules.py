"""WHO MAY BE PICKED? Names and columns become rows, labels and weights for the library.

# names  how items are called; a picture or a text file also by its path
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..arrays import Floats
from ..messages import nearest
from ..readers import Reading
from .group import BadInput
from .sheets import plain_column
from .values import split

NO_LABEL = "(none)"


def rows_named(option: str, typed: Sequence[str], reading: Reading) -> list[int]:
    """The rows of items given by name, or by row number where nothing is called so."""
    if not typed:
        return []
    called: dict[str, list[int]] = {}
    for row, name in enumerate(reading.names):
        called.setdefault(name, []).append(row)
    for row, path in enumerate(reading.files or ()):
        if str(path) not in called:
            called[str(path)] = [row]
    rows: list[int] = []
    for item in _listed(option, typed, called):
        if item in called:
            rows += called[item]
        elif item.isdecimal() and int(item) < reading.n:
            rows.append(int(item))
        else:
            raise BadInput(_unknown(option, item, reading))
    return list(dict.fromkeys(rows))


def _listed(option: str, typed: Sequence[str], called: Mapping[str, Any]) -> list[str]:
    items: list[str] = []
    for one in typed:
        if one in called:  # a name with commas in it, or an @
            items.append(one)
        elif one.startswith("@"):
            try:
                items += Path(one[1:]).read_text("utf-8").splitlines()
            except (OSError, UnicodeDecodeError) as why:
                raise BadInput(f"--{option} {one}: {getattr(why, 'strerror', None) or why}") from why
        else:
            items += split([one])
    return [item for item in items if item]


def _unknown(option: str, item: str, reading: Reading) -> str:
    if item.isdecimal():
        return f"--{option} {item}: {reading.source} has the rows 0 to {reading.n - 1:,}."
    if reading.n > 1000:  # too many to look for a near one
        return f"--{option}: no item of {reading.source} is called {item!r}, such as {reading.names[0]!r}."
    known = nearest("item", item, reading.names).partition(" Known:")[0]
    return f"--{option}: {known} {reading.source} has {reading.n:,}, such as {reading.names[0]!r}."


def column(option: str, name: str, reading: Reading) -> Any:
    """A column of the table behind the items."""
    if name not in reading.columns:
        if not reading.columns:
            raise BadInput(f"--{option} {name}: {reading.source} has no columns.")
        raise BadInput(f"--{option}: {reading.source}: {nearest('column', name, reading.columns)}")
    return reading.columns[name]


def label(value: Any) -> str:
    """A value as one would type it.

    >>> label(3.0), label("a"), label(float("nan"))
    ('3', 'a', '(none)')
    """
    if value is None or value != value or value == "":  # NaN is the value that differs from itself
        return NO_LABEL
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def group_labels(name: str, reading: Reading) -> list[str]:
    """The group of each item; those without a label are a group of their own."""
    return [label(value) for value in plain_column(column("groups", name, reading))]


def quota_of(typed: Sequence[str]) -> int | dict[str, int] | None:
    """One number for all groups, or a number for each that is named.

    >>> quota_of(["5"]), quota_of(["cat=3,dog=2"])
    (5, {'cat': 3, 'dog': 2})
    """
    parts = split(typed)
    if not parts:
        return None
    try:
        if len(parts) == 1 and "=" not in parts[0]:
            return _count(parts[0])
        named = [part.rpartition("=") for part in parts]
        return {name.strip(): _count(count) for name, _, count in named if name.strip() or _refuse()}
    except ValueError:
        raise click.UsageError(
            f"--quota {','.join(typed)}: wanted a number for all groups, or label=number,..."
        ) from None


def _count(text: str) -> int:
    count = int(text)
    return count if count >= 0 else _refuse()


def _refuse() -> Any:
    raise ValueError


def weights(name: str, reading: Reading) -> Floats:
    """A column of numbers >= 0."""
    values = np.asarray(column("quality", name, reading))
    if values.dtype.kind not in "fiub":
        raise BadInput(f"--quality {name}: column {name!r} of {reading.source} holds words, wanted numbers.")
    numbers: Floats = values.astype(np.float64)
    bad = ~np.isfinite(numbers) | (numbers < 0)
    if bad.any():
        row = int(np.argmax(bad))
        said = "no value" if np.isnan(numbers[row]) else f"{numbers[row]:g}"
        raise BadInput(
            f"--quality {name}: {reading.source}, item {reading.names[row]!r} has {said} in column {name!r}, "
            "wanted a finite number >= 0. Fill the column first, or leave such rows out."
        )
    return numbers
