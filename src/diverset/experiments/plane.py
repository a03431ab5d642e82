"""THE ILLUSTRATION: a dense bulk with sparse surroundings in the plane, and three ways to pick from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..door import select
from ..kernels import kernel_matrix
from ..sampling import KDPP
from .protocol import Protocol

BULK, AROUND, K_PICKS, BANDWIDTH = 400, 100, 20, 0.7


def points(protocol: Protocol) -> Floats:
    """400 points of a narrow normal law, and 100 spread evenly over a disc around them."""
    rng = protocol.rng("plane")
    bulk = rng.normal(scale=0.35, size=(BULK, 2))
    radius, angle = 4 * np.sqrt(rng.random(AROUND)), 2 * np.pi * rng.random(AROUND)
    return np.vstack([bulk, np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)])


def picked(protocol: Protocol) -> dict[str, Any]:
    """The points, and the picks of the three methods."""
    X = points(protocol)
    kernel = kernels.Gaussian(BANDWIDTH)
    K = kernel_matrix(X, kernel)
    rng = protocol.rng("plane", "picks")
    return {
        "points": X.tolist(),
        "uniform": rng.permutation(len(X))[:K_PICKS].tolist(),
        "kdpp": KDPP().prepare(K, K_PICKS).draw(rng).tolist(),
        "deterministic-kdpp": list(select(X, K_PICKS, kernel=kernel)),
    }
