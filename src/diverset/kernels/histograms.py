"""Kernels of rows without negative entries: histograms and fingerprints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..messages import positive
from .base import Kernel, Points, taxi


class _Histogram(Kernel):
    """Kernels of rows without negative entries; norms hold the row sums."""

    def points(self, X: Any) -> Points:
        if X.size and X.min() < 0:
            row, column = np.argwhere(X < 0)[0]
            raise ValueError(
                f"{type(self).__name__} wants counts or shares >= 0, got {X[row, column]} "
                f"in row {row}, column {column}."
            )
        return Points(X, np.asarray(X.sum(axis=1)))


def _overlap(A: Points, B: Points, out: Floats) -> None:
    # sum min(x, y) = (|x| + |y| - ||x - y||_1) / 2: one compiled pass instead of d
    taxi(A, B, out)
    np.subtract(A.norms[:, None], out, out=out)
    out += B.norms
    out *= 0.5


@dataclass(frozen=True)
class HistogramIntersection(_Histogram):
    """k(x, y) = sum_i min(x_i, y_i); for histograms such as bags of visual words.

    >>> HistogramIntersection()([[1.0, 5.0]], [[2.0, 3.0]]).item()
    4.0
    """

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _overlap(A, B, out)

    def diagonal(self, A: Points) -> Floats:
        return A.norms.copy()


@dataclass(frozen=True)
class ChiSquared(_Histogram):
    """k(x, y) = exp(-gamma sum_i (x_i - y_i)^2 / (x_i + y_i)); for histograms.

    Equivalent to ``sklearn.metrics.pairwise.chi2_kernel``.

    >>> bool(np.isclose(ChiSquared(gamma=0.5)([[1.0, 0.0]], [[3.0, 0.0]]).item(), np.exp(-0.5)))
    True
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        positive(self, gamma=self.gamma)

    def block(self, A: Points, B: Points, out: Floats) -> None:
        from sklearn.metrics.pairwise import chi2_kernel

        out[...] = chi2_kernel(A.rows, B.rows, gamma=self.gamma)


@dataclass(frozen=True)
class Tanimoto(_Histogram):
    """k(x, y) = sum min(x, y) / sum max(x, y); for binary or count fingerprints.

    On 0/1 rows this is shared bits over bits set in either. Two empty fingerprints are alike.

    >>> Tanimoto()([[1, 1, 0, 0]], [[1, 0, 1, 0]]).item()
    0.3333333333333333
    >>> Tanimoto()([[2, 1]], [[1, 3]]).item()
    0.4
    """

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _overlap(A, B, out)
        union = A.norms[:, None] + B.norms - out
        np.divide(out, union, out=out, where=union > 0)
        out[union <= 0] = 1.0
