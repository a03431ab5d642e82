"""WHICH k? The deterministic recipes by name."""

from __future__ import annotations

from .base import Method, Outcome, Problem
from .cover import DerandomizedKDPP, FarthestPoint, GreedyTrace
from .leverage import TopLeverage, TopRidgeLeverage
from .volume import DAS, DeterministicKDPP, GreedyMAP

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        DeterministicKDPP,
        DAS,
        GreedyMAP,
        GreedyTrace,
        DerandomizedKDPP,
        TopLeverage,
        TopRidgeLeverage,
        FarthestPoint,
    )
}

__all__ = [
    "DAS",
    "METHODS",
    "DerandomizedKDPP",
    "DeterministicKDPP",
    "FarthestPoint",
    "GreedyMAP",
    "GreedyTrace",
    "Method",
    "Outcome",
    "Problem",
    "TopLeverage",
    "TopRidgeLeverage",
]
