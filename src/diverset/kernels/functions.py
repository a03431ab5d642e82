"""WHAT IS THE MATRIX? Kernels as frozen objects: one formula, one place.

# rows   items as a kernel wants them: scaled, normalised
# norms  what the formula needs of each row besides (its squared length, its sum)
# block  the kernel between some rows and others, written into an array that the caller owns
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from ..arrays import EPS, Floats, Sparse, is_sparse, spread
from ..items import Items, read_items

Self = TypeVar("Self", bound="Kernel")

MEDIAN_ROWS = 1000  # the median heuristic looks at the distances between this many rows

# |x|^2 + |y|^2 - 2 x.y loses digits when the rows lie far from the origin for their distances.
# Beyond this squared length (in bandwidths) differences are taken one by one: slower, exact.
FAR = 1e3


class Points(NamedTuple):
    """Items as one kernel wants them."""

    rows: Floats | Sparse
    norms: Floats

    def take(self, which: Any) -> Points:
        return Points(self.rows[which], self.norms[which])


class Kernel(ABC):
    """A symmetric, positive semi-definite function of two items.

    Calling it gives the matrix: ``kernel(X)`` within X, ``kernel(X, Y)`` between two sets.
    """

    sparse = False  # whether SciPy sparse rows make sense here

    def resolve(self: Self, X: Any) -> Self:
        """The same kernel with numbers for all that is to be learnt from X."""
        return self

    @abstractmethod
    def points(self, X: Any) -> Points:
        """Checked rows of X in the form that `block` reads."""

    @abstractmethod
    def block(self, A: Points, B: Points, out: Floats) -> None:
        """Write the kernel between A and B into ``out``."""

    def diagonal(self, A: Points) -> Floats:
        """k(x, x) of every row: one for the normalised kernels."""
        return np.ones(len(A.norms))

    def factor(self, A: Points) -> Floats | Sparse | None:
        """Rows F with K = F F^T where the kernel is such a product of few columns, else None."""
        return None

    def entry_noise(self, A: Points) -> float:
        """How far an entry may be off, relative to the diagonal, by rounding alone."""
        return 8 * EPS

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        kernel = self.resolve(X)
        A = kernel.points(_rows(X, kernel))
        B = A if Y is None else kernel.points(_rows(Y, kernel))
        if A.rows.shape[1] != B.rows.shape[1]:
            raise ValueError(
                f"X has {A.rows.shape[1]} columns and Y has {B.rows.shape[1]}, wanted the same."
            )
        out = np.empty((len(A.norms), len(B.norms)))
        kernel.block(A, B, out)
        return out


def dense_or_refuse(items: Items, kernel: Kernel) -> Any:
    """The rows, if this kernel can read them."""
    if items.sparse and not kernel.sparse:
        raise TypeError(
            f"{type(kernel).__name__} needs dense rows, got a sparse matrix. Type X.toarray(), "
            "or take Gaussian, Linear, Cosine or Polynomial, which read sparse rows."
        )
    return items.values


def _rows(X: Any, kernel: Kernel) -> Any:
    return dense_or_refuse(read_items(X), kernel)


def _squared_lengths(X: Floats | Sparse) -> Floats:
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    # einsum sums each row by itself: the same bits whatever the slicing or the threads
    lengths: Floats = np.einsum("ij,ij->i", X, X)
    return lengths


def _inner(A: Points, B: Points, out: Floats) -> None:
    if is_sparse(A.rows):
        out[...] = (A.rows @ B.rows.T).toarray()
    else:
        np.matmul(A.rows, B.rows.T, out=out)


def _half_squared_distance(A: Points, B: Points, out: Floats) -> None:
    """||x - y||^2 / 2 with norms holding ||x||^2 / 2."""
    if not is_sparse(A.rows) and max(A.norms.max(), B.norms.max()) > FAR:
        from scipy.spatial.distance import cdist

        cdist(A.rows, B.rows, "sqeuclidean", out=out)
        out *= 0.5
        return
    _inner(A, B, out)
    np.subtract(A.norms[:, None], out, out=out)
    out += B.norms
    np.maximum(out, 0.0, out=out)


def _taxi(A: Points, B: Points, out: Floats) -> None:
    from scipy.spatial.distance import cdist

    cdist(A.rows, B.rows, "cityblock", out=out)


def median_distance(X: Floats | Sparse, metric: str) -> float:
    """The median distance between MEDIAN_ROWS rows, the same rows every time."""
    from scipy.spatial.distance import pdist

    rows = X[np.sort(spread(X.shape[0], MEDIAN_ROWS))]
    if is_sparse(rows):
        points = Points(rows, _squared_lengths(rows) / 2)
        half = np.empty((rows.shape[0], rows.shape[0]))
        _half_squared_distance(points, points, half)
        distances = np.sqrt(2 * half[np.triu_indices(len(half), 1)])
    else:
        distances = pdist(rows, metric)
    apart = distances[distances > 0]
    if apart.size == 0:
        return 1.0  # all rows are the same: any width gives the same matrix
    median = float(np.median(distances))
    return median if median > 0 else float(np.median(apart))


def _positive(kernel: object, **numbers: object) -> None:
    for name, value in numbers.items():
        ok = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not ok or not 0 < float(value) < np.inf:  # type: ignore[arg-type]  # checked above
            raise ValueError(f"{type(kernel).__name__} wants {name} > 0, got {name}={value!r}.")


@dataclass(frozen=True)
class _Scaled(Kernel):
    """Kernels of a distance in units of a bandwidth."""

    bandwidth: float | Literal["median"] = "median"

    _metric = "euclidean"

    def __post_init__(self) -> None:
        if isinstance(self.bandwidth, str):
            if self.bandwidth != "median":
                raise ValueError(
                    f"bandwidth must be a number or 'median', got bandwidth={self.bandwidth!r}."
                )
        else:
            _positive(self, bandwidth=self.bandwidth)

    def resolve(self: Self, X: Any) -> Self:
        if self.bandwidth != "median":  # type: ignore[attr-defined]  # Self is a _Scaled here
            return self
        width = median_distance(_rows(X, self), self._metric)  # type: ignore[attr-defined]
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
        return Points(rows, _squared_lengths(rows) / 2)

    def entry_noise(self, A: Points) -> float:
        # a rounding of the exponent of this size, as long as it is not taken from differences
        largest = float(A.norms.max())
        return EPS * (8 + 4 * (largest if largest <= FAR or is_sparse(A.rows) else 1.0))


@dataclass(frozen=True)
class Gaussian(_Scaled):
    """k(x, y) = exp(-||x - y||^2 / (2 bandwidth^2)); the default for rows of numbers.

    ``bandwidth="median"`` is the median distance between 1,000 rows (always the same ones).
    Equivalent to scikit-learn's "rbf" with gamma = 1 / (2 bandwidth^2).

    >>> float(Gaussian(bandwidth=2.0)([[0.0]], [[2.0]])[0, 0]) == np.exp(-0.5)
    True
    >>> Gaussian().resolve([[0.0], [3.0]])
    Gaussian(bandwidth=3.0)
    """

    sparse = True

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _half_squared_distance(A, B, out)
        np.negative(out, out=out)
        np.exp(out, out=out)


@dataclass(frozen=True)
class Laplacian(_Scaled):
    """k(x, y) = exp(-||x - y||_1 / bandwidth); rougher than the Gaussian, slow spectral decay.

    Equivalent to scikit-learn's "laplacian" with gamma = 1 / bandwidth.

    >>> float(Laplacian(bandwidth=2.0)([[0.0, 0.0]], [[3.0, 1.0]])[0, 0]) == np.exp(-2.0)
    True
    """

    _metric = "cityblock"

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _taxi(A, B, out)
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


class _Plain(Kernel):
    """Kernels that take the rows as they are."""

    def points(self, X: Any) -> Points:
        return Points(X, _squared_lengths(X))


@dataclass(frozen=True)
class Linear(_Plain):
    """k(x, y) = x . y; its rank is at most the number of columns, and so is a useful k.

    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).item()
    11.0
    """

    sparse = True

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _inner(A, B, out)

    def diagonal(self, A: Points) -> Floats:
        return A.norms.copy()

    def factor(self, A: Points) -> Floats | Sparse | None:
        return A.rows


@dataclass(frozen=True)
class Cosine(Kernel):
    """k(x, y) = x . y / (||x|| ||y||); for embeddings and TF-IDF rows. A zero row is like no other.

    >>> float(Cosine()([[3.0, 0.0]], [[5.0, 5.0]])[0, 0]) == 0.5**0.5
    True
    """

    sparse = True

    def points(self, X: Any) -> Points:
        lengths = np.sqrt(_squared_lengths(X))
        scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
        if is_sparse(X):
            return Points(X.multiply(scale[:, None]).tocsr(), (lengths > 0) * 1.0)
        return Points(X * scale[:, None], (lengths > 0) * 1.0)

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _inner(A, B, out)

    def diagonal(self, A: Points) -> Floats:
        return A.norms.copy()

    def factor(self, A: Points) -> Floats | Sparse | None:
        return A.rows


@dataclass(frozen=True)
class Polynomial(_Plain):
    """k(x, y) = (gamma x . y + coef0)^degree; ``gamma=None`` is 1 / number of columns.

    >>> Polynomial(degree=3, gamma=0.5, coef0=2.0)([[2.0]], [[4.0]]).item()
    216.0
    """

    degree: int = 3
    gamma: float | None = None
    coef0: float = 1.0

    sparse = True

    def __post_init__(self) -> None:
        if self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"Polynomial wants a whole degree >= 1, got degree={self.degree!r}.")
        if self.gamma is not None:
            _positive(self, gamma=self.gamma)
        if not 0 <= self.coef0 < np.inf:
            raise ValueError(f"Polynomial wants coef0 >= 0, got coef0={self.coef0!r}.")

    def resolve(self, X: Any) -> Polynomial:
        return self if self.gamma is not None else replace(self, gamma=1.0 / _rows(X, self).shape[1])

    def _power(self, out: Floats) -> None:
        if self.gamma is None:
            raise ValueError("Polynomial(gamma=None) has no number yet: type kernel.resolve(X).")
        out *= self.gamma
        out += self.coef0
        np.power(out, self.degree, out=out)

    def block(self, A: Points, B: Points, out: Floats) -> None:
        _inner(A, B, out)
        self._power(out)

    def diagonal(self, A: Points) -> Floats:
        out = A.norms.copy()
        self._power(out)
        return out


class _Histogram(Kernel):
    """Kernels of rows without negative entries; norms hold the row sums."""

    def points(self, X: Any) -> Points:
        if X.min() < 0:
            row, column = np.argwhere(X < 0)[0]
            raise ValueError(
                f"{type(self).__name__} wants counts or shares >= 0, got {X[row, column]} "
                f"in row {row}, column {column}."
            )
        return Points(X, np.asarray(X.sum(axis=1)))


def _overlap(A: Points, B: Points, out: Floats) -> None:
    # sum min(x, y) = (|x| + |y| - ||x - y||_1) / 2: one compiled pass instead of d
    _taxi(A, B, out)
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

    >>> float(ChiSquared(gamma=0.5)([[1.0, 0.0]], [[3.0, 0.0]])[0, 0]) == np.exp(-0.5)
    True
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, gamma=self.gamma)

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


@dataclass(frozen=True)
class Precomputed(Kernel):
    """X is the n x n kernel matrix itself: symmetric, without negative eigenvalues."""

    def points(self, X: Any) -> Points:
        raise TypeError("Precomputed() has no rows to compare: pass the matrix itself as X.")

    def block(self, A: Points, B: Points, out: Floats) -> None:
        raise TypeError("Precomputed() has no formula: its entries are the matrix.")

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        if Y is not None:
            raise TypeError("Precomputed() cannot compare new items: it only knows the matrix.")
        matrix: Floats = read_items(X).values
        return matrix


@dataclass(frozen=True)
class Custom(Kernel):
    """A kernel from any callable f(X, Y) -> matrix; made for you when you pass a function.

    >>> Custom(lambda X, Y: 2.0 * X @ Y.T)([[1.0]], [[4.0]]).item()
    8.0
    """

    function: Callable[[Any, Any], Any]

    sparse = True

    def points(self, X: Any) -> Points:
        return Points(X, np.empty(X.shape[0]))

    def block(self, A: Points, B: Points, out: Floats) -> None:
        values = self.function(A.rows, B.rows)
        values = np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)
        if values.shape != out.shape:
            raise ValueError(
                f"The kernel function returned shape {values.shape}, wanted {out.shape}: "
                "f(X, Y) gives one row per row of X and one column per row of Y."
            )
        if not np.isfinite(values).all():
            raise ValueError("The kernel function returned values that are not finite.")
        out[...] = values

    def diagonal(self, A: Points) -> Floats:
        n = A.rows.shape[0]
        diagonal, step = np.empty(n), 64  # step^2 entries for step diagonal ones: keep it small
        for start in range(0, n, step):
            part = A.take(slice(start, min(start + step, n)))
            block = np.empty((len(part.norms), len(part.norms)))
            self.block(part, part, block)
            diagonal[start : start + step] = np.diagonal(block)
        return diagonal


def as_kernel(kernel: Kernel | Callable[[Any, Any], Any]) -> Kernel:
    """A kernel object from a kernel object or a function."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise TypeError(f"kernel is the class {kernel.__name__}. Type kernel={kernel.__name__}().")
    if callable(kernel):
        return Custom(kernel)
    raise TypeError(
        f"kernel must be a kernel object or a function f(X, Y) -> matrix, got {kernel!r}. "
        "Type kernel=Gaussian(), or kernel=Precomputed() when X is the matrix."
    )
