"""WHAT IS THE MATRIX? Kernels, and the lazy matrix between all items of a pool."""

from .functions import (
    ChiSquared,
    Cosine,
    Custom,
    Gaussian,
    HistogramIntersection,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Tanimoto,
    as_kernel,
)
from .matrix import MEMORY, KernelMatrix, kernel_matrix

__all__ = [
    "MEMORY",
    "ChiSquared",
    "Cosine",
    "Custom",
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
    "as_kernel",
    "kernel_matrix",
]
