"""WHO MAY BE PICKED? include, exclude, groups and quota, checked once and then only followed.

# forced  rows that come first, in the order given
# open    which items may still be picked: not excluded, not picked, group not full
# left    how many more each group may give
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import Bools, Ints
from .messages import whole


@dataclass(frozen=True, eq=False)
class Choice:
    """The rules of one selection."""

    n: int
    k: int
    forced: tuple[int, ...]
    barred: Bools
    codes: Ints | None = None
    quotas: Ints | None = None

    @property
    def ruled(self) -> bool:
        """Whether anything but k was asked for."""
        return bool(self.forced) or self.quotas is not None or bool(self.barred.any())

    def start(self) -> Openings:
        """A fresh state: nothing picked yet."""
        return Openings(self)


class Openings:
    """Which items may still be picked, as picks are made."""

    def __init__(self, choice: Choice) -> None:
        self._codes = choice.codes
        self._left = None if choice.quotas is None else choice.quotas.copy()
        self.open = ~choice.barred
        if self._codes is not None and self._left is not None:
            self.open &= (self._left > 0)[self._codes]

    def take(self, item: int) -> None:
        """Close what this pick closes: the item, and its group when that is full."""
        self.open[item] = False
        if self._codes is not None and self._left is not None:
            code = self._codes[item]
            self._left[code] -= 1
            if self._left[code] == 0:
                self.open[self._codes == code] = False

    def copy(self) -> Openings:
        """A state to try picks on."""
        twin = object.__new__(Openings)
        twin._codes = self._codes
        twin._left = None if self._left is None else self._left.copy()
        twin.open = self.open.copy()
        return twin


def plan_choice(
    n: int, k: int, *, include: Any = (), exclude: Any = (), groups: Any = None, quota: Any = None
) -> Choice:
    """The rules, or a sentence why they cannot be met."""
    forced = _rows("include", include, n)
    excluded = _rows("exclude", exclude, n)
    both = sorted(set(forced) & set(excluded))
    if both:
        raise ValueError(f"Row {both[0]} is in both include and exclude: take it out of one of them.")
    if len(forced) > k:
        raise ValueError(
            f"include names {len(forced)} rows but k={k}: they count among the k. "
            f"Type k={len(forced)} or more."
        )
    barred = np.zeros(n, dtype=bool)
    barred[list(excluded)] = True
    left = n - len(excluded)
    if left < k:
        advice = f"Type k={left} or less, or exclude fewer." if left else "Exclude fewer."
        raise ValueError(f"exclude leaves {left} of {n} items, fewer than k={k}. {advice}")
    if (groups is None) != (quota is None):
        given, missing = ("groups", "quota") if quota is None else ("quota", "groups")
        hint = "quota=2 for at most two per group" if quota is None else "groups=<one label per row>"
        raise ValueError(f"{given} came without {missing}. Type {hint}.")
    if groups is None:
        return Choice(n, k, forced, barred)
    labels, codes = _grouped(groups, n)
    quotas = _quotas(quota, labels, n)
    _check_quotas(k, forced, barred, labels, codes, quotas)
    return Choice(n, k, forced, barred, codes, quotas)


def _rows(name: str, rows: Any, n: int) -> tuple[int, ...]:
    try:
        array = np.asarray(rows)
    except ValueError:
        raise ValueError(f"{name} must be a flat list of row numbers, got {rows!r}.") from None
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(f"{name} as a mask must have one entry per item ({n}), got shape {array.shape}.")
        array = np.flatnonzero(array)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be a list of row numbers, got shape {array.shape}. Type {name}=[3, 7]."
        )
    numbers = tuple(whole(f"{name}[{at}]", value) for at, value in enumerate(array.tolist()))
    for number in numbers:
        if not 0 <= number < n:
            raise ValueError(f"{name} holds row {number}, wanted row numbers from 0 to {n - 1}.")
    if len(set(numbers)) < len(numbers):
        repeated = next(number for number in numbers if numbers.count(number) > 1)
        raise ValueError(f"{name} holds row {repeated} more than once.")
    return numbers


def _grouped(groups: Any, n: int) -> tuple[list[Any], Ints]:
    try:
        array = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
    except ValueError:
        raise ValueError("groups must hold one label per item, got lists of different lengths.") from None
    if array.shape != (n,):
        raise ValueError(f"groups must hold one label per item, {n} in all; got shape {array.shape}.")
    codes = np.empty(n, dtype=np.int64)
    numbers: dict[Any, int] = {}
    for at, label in enumerate(array.tolist()):
        if label is None or label != label:  # NaN is the value that differs from itself
            raise ValueError(f"groups has no label in row {at}. Fill it, for example with 'unknown'.")
        if not isinstance(label, Hashable):
            raise TypeError(f"groups holds a {type(label).__name__} in row {at}, wanted a text or a number.")
        codes[at] = numbers.setdefault(label, len(numbers))
    return list(numbers), codes


def _quotas(quota: Any, labels: list[Any], n: int) -> Ints:
    if not isinstance(quota, Mapping):
        return np.full(len(labels), _count("quota", quota), dtype=np.int64)
    unknown = [label for label in quota if label not in set(labels)]
    if unknown:
        shown = ", ".join(repr(label) for label in labels[:8])
        raise ValueError(f"quota names the group {unknown[0]!r}, which no row has. Groups: {shown}.")
    return np.array(
        [_count(f"quota[{label!r}]", quota[label]) if label in quota else n for label in labels],
        dtype=np.int64,
    )


def _count(name: str, value: Any) -> int:
    count = whole(name, value)
    if count < 0:
        raise ValueError(f"{name} must not be negative, got {count}.")
    return count


def _check_quotas(
    k: int, forced: tuple[int, ...], barred: Bools, labels: list[Any], codes: Ints, quotas: Ints
) -> None:
    given = np.bincount(codes[list(forced)], minlength=len(labels)) if forced else np.zeros(len(labels), int)
    for at in np.flatnonzero(given > quotas):
        raise ValueError(
            f"include names {given[at]} rows of group {labels[at]!r}, but its quota is {quotas[at]}."
        )
    available = np.bincount(codes[~barred], minlength=len(labels))
    most = int(np.minimum(available, quotas).sum())
    if most < k:
        raise ValueError(
            f"groups and quota allow at most {most} picks, fewer than k={k}. "
            f"Type k={most} or less, or raise the quota."
        )
