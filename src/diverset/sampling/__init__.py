"""WHICH k, BY CHANCE? Everything here takes ``rng``; nothing outside does."""

from __future__ import annotations

from .draws import generator
from .lensemble import LEnsemble
from .methods import (
    DPP,
    KDPP,
    MCMCKDPP,
    SAMPLERS,
    LeverageSampling,
    RandomMethod,
    RidgeLeverageSampling,
    RPCholesky,
    Sampler,
    Uniform,
)

__all__ = [
    "DPP",
    "KDPP",
    "MCMCKDPP",
    "SAMPLERS",
    "LEnsemble",
    "LeverageSampling",
    "RPCholesky",
    "RandomMethod",
    "RidgeLeverageSampling",
    "Sampler",
    "Uniform",
    "generator",
]
