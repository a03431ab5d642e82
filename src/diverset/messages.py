"""Words of refusal that several doors share: what came, what was wanted, what to type."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from math import isfinite
from numbers import Real
from operator import index
from typing import TypeGuard

MANY = 20  # names that a sentence can list


def nearest(kind: str, name: object, names: Iterable[str]) -> str:
    """The sentence for an unknown name.

    >>> nearest("method", "gredy-map", ["das", "greedy-map"])
    "Unknown method 'gredy-map'. Did you mean 'greedy-map'? Known: das, greedy-map."
    """
    known = sorted(names)
    close = get_close_matches(str(name), known, n=1, cutoff=0.45)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    shown = known if len(known) <= MANY else [*known[:MANY], f"and {len(known) - MANY:,} more"]
    return f"Unknown {kind} {name!r}.{hint} Known: {', '.join(shown)}."


def whole(name: str, value: object) -> int:
    """``value`` as an int, or a TypeError that names it. Floats are refused, also 3.0; so is True."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)  # type: ignore[arg-type]  # the TypeError is the point
    except TypeError:
        raise TypeError(
            f"{name} must be a whole number, got {name}={value!r} "
            f"({type(value).__name__}). Type {name}=int(...)."
        ) from None


def is_real(value: object) -> TypeGuard[float]:
    """Whether this is a finite number; True and False are none."""
    return not isinstance(value, bool) and isinstance(value, Real) and isfinite(value)


def positive(owner: object, **settings: object) -> None:
    """ValueError unless each of these settings of the owner is a number above zero."""
    for name, value in settings.items():
        if not is_real(value) or value <= 0:
            raise ValueError(f"{type(owner).__name__} wants {name} > 0, got {name}={value!r}.")


def checked_memory(memory: object) -> float:
    """The bytes that a kernel matrix may take."""
    if not is_real(memory) or memory < 0:
        raise ValueError(f"memory must be a number of bytes >= 0, got memory={memory!r}. Type memory=4e9.")
    return memory


def checked_k(k: object, n: int) -> int:
    """k as an int within 1..n."""
    count = whole("k", k)
    if not 1 <= count <= n:
        raise ValueError(f"k must be between 1 and the {n:,} items in X, got k={count}.")
    return count
