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
