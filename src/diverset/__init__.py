"""Deterministic diverse subset selection: the k items that differ most, the same k every time.

    import diverset as dv
    picks = dv.select(X, 20)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import metrics
from .kernels import (
    ChiSquared,
    Cosine,
    Gaussian,
    HistogramIntersection,
    Kernel,
    KernelMatrix,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Tanimoto,
    kernel_matrix,
)
from .methods import (
    DAS,
    METHODS,
    DerandomizedKDPP,
    DeterministicKDPP,
    FarthestPoint,
    GreedyMAP,
    GreedyTrace,
    TopLeverage,
    TopRidgeLeverage,
)
from .nystrom import Nystrom
from .select import select
from .selection import Selection, Stop
from .spectrum import Auto, BlockKrylov, Dense

__version__ = "0.1.0"

__all__ = [
    "DAS",
    "METHODS",
    "Auto",
    "BlockKrylov",
    "ChiSquared",
    "Cosine",
    "Dense",
    "DerandomizedKDPP",
    "DeterministicKDPP",
    "DiverseNystroem",
    "DiverseSubset",
    "FarthestPoint",
    "Gaussian",
    "GreedyMAP",
    "GreedyTrace",
    "HistogramIntersection",
    "Kernel",
    "KernelMatrix",
    "Laplacian",
    "Linear",
    "Matern",
    "Nystrom",
    "Polynomial",
    "Precomputed",
    "Selection",
    "Stop",
    "Tanimoto",
    "TopLeverage",
    "TopRidgeLeverage",
    "kernel_matrix",
    "metrics",
    "select",
]

# scikit-learn takes most of a second to import: its skins come when they are asked for
_LAZY = {"DiverseNystroem": "estimators", "DiverseSubset": "estimators"}

if TYPE_CHECKING:
    from .estimators import DiverseNystroem, DiverseSubset


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
