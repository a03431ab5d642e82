"""Deterministic diverse subset selection: the k items that differ most, the same k every time.

import diverset as dv
picks = dv.select(X, 20)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import metrics
from .door import sample, select
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
from .plan import Plan, plan
from .rounds.lowrank import LowRank
from .selection import Selection, Stop
from .solvers import Auto
from .spectrum import BlockKrylov, Dense

__version__ = "0.1.0"

__all__ = [
    "DAS",
    "DPP",
    "KDPP",
    "MCMCKDPP",
    "METHODS",
    "SAMPLERS",
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
    "LEnsemble",
    "Laplacian",
    "LeverageSampling",
    "Linear",
    "LowRank",
    "Matern",
    "Nystrom",
    "Plan",
    "Polynomial",
    "Precomputed",
    "RPCholesky",
    "RidgeLeverageSampling",
    "Selection",
    "Stop",
    "Tanimoto",
    "TopLeverage",
    "TopRidgeLeverage",
    "Uniform",
    "kernel_matrix",
    "metrics",
    "plan",
    "sample",
    "select",
]

if TYPE_CHECKING:
    from .estimators import DiverseNystroem, DiverseSubset
    from .sampling import (
        DPP,
        KDPP,
        MCMCKDPP,
        SAMPLERS,
        LEnsemble,
        LeverageSampling,
        RidgeLeverageSampling,
        RPCholesky,
        Uniform,
    )

# scikit-learn takes most of a second to import, scipy.linalg a tenth: they come when asked for
_LAZY = {
    "estimators": ("DiverseNystroem", "DiverseSubset"),
    "sampling": (
        "DPP",
        "KDPP",
        "MCMCKDPP",
        "RPCholesky",
        "SAMPLERS",
        "LEnsemble",
        "LeverageSampling",
        "RidgeLeverageSampling",
        "Uniform",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _LAZY.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
