"""WHAT CAME OUT, in the one form that claims, figures and the page read.

# points  (method, measure) -> k -> the values of all repetitions
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .measures import MEASURES
from .protocol import Protocol

Rows = list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class TableResult:
    """All that was measured on one table."""

    name: str
    title: str
    pieces: dict[str, Any]

    @cached_property
    def _points(self) -> dict[tuple[str, str], dict[int, list[float]]]:
        found: dict[tuple[str, str], dict[int, list[float]]] = {}
        for method, rows in self.pieces.items():
            if method in ("spectrum", "gammas", "repeats", "times"):
                continue
            for row in rows:
                for measure in MEASURES:
                    at = found.setdefault((method, measure), {})
                    at.setdefault(int(row["k"]), []).append(float(row[measure]))
        return found

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(method for method, _ in self._points))

    def values(self, method: str, measure: str) -> dict[int, list[float]]:
        """k -> one value per repetition; empty for a method that did not take part."""
        return self._points.get((method, measure), {})

    def mean(self, method: str, measure: str) -> dict[int, float]:
        """k -> mean over the repetitions."""
        return {k: float(np.mean(v)) for k, v in self.values(method, measure).items()}

    @property
    def spectrum(self) -> list[float]:
        return list(self.pieces["spectrum"]["values"])

    @property
    def times(self) -> dict[int, dict[str, float]]:
        """k -> method -> seconds."""
        return {int(k): row for k, row in self.pieces["times"].items()}


@dataclass(frozen=True, eq=False)
class Results:
    """All that was measured. What was not asked for is empty."""

    protocol: Protocol
    tables: dict[str, TableResult] = field(default_factory=dict)
    readings: dict[str, TableResult] = field(default_factory=dict)  # of Abalone's column Sex
    plane: dict[str, Any] | None = None
    dogs: Rows = field(default_factory=list)
    dogs_chance: float = 0.0
    kimia: Rows = field(default_factory=list)
    kimia_chance: float = 0.0
    kimia_drawing: dict[str, Any] | None = None
