"""Deterministic diverse subset selection: the k items that differ most, the same k every time.

import diverset as dv
picks = dv.select(X, 20)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where every public name lives. It is imported when it is asked for: the help of the command needs no
# NumPy, a selection no scikit-learn.
_HOMES = {
    "comparison": ("Compared", "Comparison", "compare"),
    "door": ("sample", "select"),
    "estimators": ("DiverseNystroem", "DiverseSubset"),
    "kernels": (
        "ChiSquared",
        "Cosine",
        "Gaussian",
        "HistogramIntersection",
        "Kernel",
        "KernelMatrix",
        "Laplacian",
        "Linear",
        "Matern",
        "Polynomial",
        "Precomputed",
        "Tanimoto",
        "kernel_matrix",
    ),
    "methods": (
        "DAS",
        "METHODS",
        "DerandomizedKDPP",
        "DeterministicKDPP",
        "FarthestPoint",
        "GreedyMAP",
        "GreedyTrace",
        "TopLeverage",
        "TopRidgeLeverage",
    ),
    "nystrom": ("Nystrom",),
    "planning": ("Plan", "plan"),
    "rounds.lowrank": ("LowRank",),
    "sampling": (
        "DPP",
        "KDPP",
        "MCMCKDPP",
        "SAMPLERS",
        "LEnsemble",
        "LeverageSampling",
        "RPCholesky",
        "RidgeLeverageSampling",
        "Uniform",
    ),
    "selection": ("Selection", "Stop"),
    "solvers": ("Auto",),
    "spectrum": ("BlockKrylov", "Dense"),
}
_MODULES = ("kernels", "metrics", "sampling")
__all__ = [*_MODULES, *(name for names in _HOMES.values() for name in names)]  # noqa: PLE0604  they are strings


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f".{name}", __name__)
    for home, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


if TYPE_CHECKING:  # the same once more, for editors and type checkers
    from . import kernels as kernels
    from . import metrics as metrics
    from . import sampling as sampling
    from .comparison import Compared as Compared
    from .comparison import Comparison as Comparison
    from .comparison import compare as compare
    from .door import sample as sample
    from .door import select as select
    from .estimators import DiverseNystroem as DiverseNystroem
    from .estimators import DiverseSubset as DiverseSubset
    from .kernels import ChiSquared as ChiSquared
    from .kernels import Cosine as Cosine
    from .kernels import Gaussian as Gaussian
    from .kernels import HistogramIntersection as HistogramIntersection
    from .kernels import Kernel as Kernel
    from .kernels import KernelMatrix as KernelMatrix
    from .kernels import Laplacian as Laplacian
    from .kernels import Linear as Linear
    from .kernels import Matern as Matern
    from .kernels import Polynomial as Polynomial
    from .kernels import Precomputed as Precomputed
    from .kernels import Tanimoto as Tanimoto
    from .kernels import kernel_matrix as kernel_matrix
    from .methods import DAS as DAS
    from .methods import METHODS as METHODS
    from .methods import DerandomizedKDPP as DerandomizedKDPP
    from .methods import DeterministicKDPP as DeterministicKDPP
    from .methods import FarthestPoint as FarthestPoint
    from .methods import GreedyMAP as GreedyMAP
    from .methods import GreedyTrace as GreedyTrace
    from .methods import TopLeverage as TopLeverage
    from .methods import TopRidgeLeverage as TopRidgeLeverage
    from .nystrom import Nystrom as Nystrom
    from .planning import Plan as Plan
    from .planning import plan as plan
    from .rounds.lowrank import LowRank as LowRank
    from .sampling import DPP as DPP
    from .sampling import KDPP as KDPP
    from .sampling import MCMCKDPP as MCMCKDPP
    from .sampling import SAMPLERS as SAMPLERS
    from .sampling import LEnsemble as LEnsemble
    from .sampling import LeverageSampling as LeverageSampling
    from .sampling import RidgeLeverageSampling as RidgeLeverageSampling
    from .sampling import RPCholesky as RPCholesky
    from .sampling import Uniform as Uniform
    from .selection import Selection as Selection
    from .selection import Stop as Stop
    from .solvers import Auto as Auto
    from .spectrum import BlockKrylov as BlockKrylov
    from .spectrum import Dense as Dense
