"""WHAT IS THE MATRIX? Kernels, and the lazy matrix between all items of a pool."""

from __future__ import annotations

from .base import Kernel
from .distance import Gaussian, Laplacian, Matern
from .given import Custom, Precomputed, as_kernel
from .histograms import ChiSquared, HistogramIntersection, Tanimoto
from .matrix import MEMORY, KernelMatrix, kernel_matrix
from .products import Cosine, Linear, Polynomial

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
