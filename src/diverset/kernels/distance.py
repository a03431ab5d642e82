"""Kernels of a distance in units of a bandwidth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..arrays import EPS, Floats, Rows, is_sparse, spread
from ..messages import positive
from .base import Kernel, Points, Self, inner, rows_for, squared_lengths, taxi

MEDIAN_ROWS = 1000  # the median heuristic looks at the distances between this many rows

# |x|^2 + |y|^2 - 2 x.y loses digits when the rows lie far from the origin for their distances.
# Beyond this squared length (in bandwidths) differences are taken one by one: slower, exact.
FAR = 1e3

MANY = 64  # rows on both sides from which on copies of them are nothing beside the block

FEW_COLUMNS = 64  # up to here a product of rows costs less than the exponential that follows


def _exponent(A: Points, B: Points, out: Floats) -> None:
    """-||x - y||^2 / 2 with norms holding ||x||^2 / 2."""
    if not is_sparse(A.rows) and max(A.norms.max(), B.norms.max()) > FAR:
        from scipy.spatial.distance import cdist

        cdist(A.rows, B.rows, "sqeuclidean", out=out)
        out *= -0.5
        return
    if is_sparse(A.rows) or min(out.shape) < MANY:
        inner(A, B, out)
        out -= A.norms[:, None]
        out -= B.norms
    else:  # the norms as two more columns: one pass over the block in place of three
        left = np.column_stack([A.rows, -A.norms, np.ones(len(A.norms))])
        right = np.column_stack([B.rows, np.ones(len(B.norms)), -B.norms])
        np.matmul(left, right.T, out=out)
    np.minimum(out, 0.0, out=out)


def median_distance(X: Rows, metric: str) -> float:
    """The median distance between MEDIAN_ROWS rows, the same rows every time."""
    from scipy.spatial.distance import pdist

    rows = X[np.sort(spread(X.shape[0], MEDIAN_ROWS))]
    if is_sparse(rows):
        points = Points(rows, squared_lengths(rows) / 2)
        exponents = np.empty((rows.shape[0], rows.shape[0]))
        _exponent(points, points, exponents)
        distances = np.sqrt(-2 * exponents[np.triu_indices(len(exponents), 1)])
    else:
        distances = pdist(rows, metric)
    apart = distances[distances > 0]
    if apart.size == 0:
        return 1.0  # all rows are the same: any width gives the same matrix
    median = float(np.median(distances))
    if not np.isfinite(median):
        raise ValueError("The distances between rows of X overflow. Type X / np.abs(X).max().")
    return median if median > 0 else float(np.median(apart))


@dataclass(frozen=True)
class _Scaled(Kernel):
    """Kernels of a distance in units of a bandwidth."""

    bandwidth: float | Literal["median"] = "median"

    _metric = "euclidean"

    def __post_init__(self) -> None:
        if isinstance(self.bandwidth, str):
            if self.bandwidth != "median":
                raise ValueError(f"bandwidth must be a number or 'median', got bandwidth={self.bandwidth!r}.")
        else:
            positive(self, bandwidth=self.bandwidth)

    def resolve(self: Self, X: Any) -> Self:
        if self.bandwidth != "median":  # type: ignore[attr-defined]  # Self is a _Scaled here
            return self
        width = median_distance(rows_for(X, self), self._metric)  # type: ignore[attr-defined]
        return replace(self, bandwidth=width)  # type: ignore[type-var]

    @property
    def _width(self) -> float:
        if isinstance(self.bandwidth, str):
            raise ValueError(
                f"{type(self).__name__}(bandwidth='median') has no number yet: type kernel.resolve(X)."
            )
        return float(self.bandwidth)

    def points(self, X: Any) -> Points:
        rows = X / self._width
        return Points(rows, squared_lengths(rows) / 2)

    def entry_noise(self, A: Points) -> float:
        # a rounding of the exponent of this size, as long as it is not taken from differences
        largest = float(A.norms.max())
        return EPS * (8 + 4 * (largest if largest <= FAR or is_sparse(A.rows) else 1.0))


@dataclass(frozen=True)
class Gaussian(_Scaled):
    """k(x, y) = exp(-||x - y||^2 / (2 bandwidth^2)); the default for rows of numbers.

    ``bandwidth="median"`` is the median distance between 1,000 rows (always the same ones).
    Equivalent to scikit-learn's "rbf" with gamma = 1 / (2 bandwidth^2).

    >>> bool(np.isclose(Gaussian(bandwidth=2.0)([[0.0]], [[2.0]]).item(), np.exp(-0.5)))
    True
    >>> Gaussian().resolve([[0.0], [3.0]])
    Gaussian(bandwidth=3.0)
    """

    sparse = True

    def cheap(self, A: Points) -> bool:
        return not is_sparse(A.rows) and A.rows.shape[1] <= FEW_COLUMNS and A.norms.max() <= FAR

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _exponent(A, B, out)
        np.exp(out, out=out)


@dataclass(frozen=True)
class Laplacian(_Scaled):
    """k(x, y) = exp(-||x - y||_1 / bandwidth); rougher than the Gaussian, slow spectral decay.

    Equivalent to scikit-learn's "laplacian" with gamma = 1 / bandwidth.

    >>> bool(np.isclose(Laplacian(bandwidth=2.0)([[0.0, 0.0]], [[3.0, 1.0]]).item(), np.exp(-2.0)))
    True
    """

    _metric = "cityblock"

    def block(self, A: Points, B: Points, out: Floats) -> None:
        taxi(A, B, out)
        np.negative(out, out=out)
        np.exp(out, out=out)

    def entry_noise(self, A: Points) -> float:
        return 8 * EPS


@dataclass(frozen=True)
class Matern(_Scaled):
    """The Matern kernel of smoothness ``nu`` (0.5, 1.5, 2.5) at distance r = ||x - y|| / bandwidth.

    exp(-r), (1 + sqrt(3) r) exp(-sqrt(3) r), (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r).
    Equivalent to ``sklearn.gaussian_process.kernels.Matern(length_scale=bandwidth, nu=nu)``.

    >>> r = 3.0
    >>> value = Matern(bandwidth=2.0, nu=1.5)([[0.0]], [[6.0]])[0, 0]
    >>> bool(np.isclose(value, (1 + 3**0.5 * r) * np.exp(-(3**0.5) * r)))
    True
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"Matern has nu=0.5, 1.5 or 2.5, got nu={self.nu!r}.")

    def block(self, A: Points, B: Points, out: Floats) -> None:
        from scipy.spatial.distance import cdist

        # by differences: near r = 0 the square root would turn rounding 1e-16 into 1e-8
        cdist(A.rows, B.rows, "euclidean", out=out)
        out *= np.sqrt(2 * self.nu)
        decay = np.exp(-out)
        if self.nu == 0.5:
            out[...] = decay
        elif self.nu == 1.5:
            out += 1.0
            out *= decay
        else:
            out += out * out / 3.0
            out += 1.0
            out *= decay

    def entry_noise(self, A: Points) -> float:
        return 8 * EPS
