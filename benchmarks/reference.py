"""Kernels in plain scikit-learn: what the peers are given, and what quality is judged by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

from benchmarks.data import Array

BANDWIDTH = 5.0  # the paper's, for Bank8FM
GAMMA = 1 / (2 * BANDWIDTH**2)  # the same width in scikit-learn's words

Kernel = Callable[[Array, Array], Array]


def gaussian(X: Array, Y: Array) -> Array:
    return np.asarray(rbf_kernel(X, Y, gamma=GAMMA))


def cosine(X: Array, Y: Array) -> Array:
    return np.asarray(cosine_similarity(X, Y))


KERNELS: dict[str, Kernel] = {"gaussian": gaussian, "cosine": cosine}
