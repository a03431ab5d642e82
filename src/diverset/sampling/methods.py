"""Random methods by name. Each prepares once what needs no chance, then draws at will."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from ..arrays import EPS, Floats, Ints, is_sparse
from ..eigen import FactorEigen, SymmetricEigen
from ..kernels import KernelMatrix
from ..messages import checked_k, positive, whole
from ..threads import blas_for
from .draws import generator, pivoted_cholesky_draw, uniform_draw, weighted_draw
from .lensemble import LEnsemble
from .swap import swap_draw, swap_start


@dataclass(frozen=True, eq=False)
class Sampler:
    """What is left to do once a method has prepared."""

    n: int
    run: Callable[[np.random.Generator, int], Ints]

    def draw(self, rng: object = None, to_come: int = 0) -> Ints:
        """Distinct row numbers, in the order drawn. ``rng`` is a Generator, a seed or None.

        ``to_come``: how many draws will follow; some methods then prepare for them.
        """
        return self.run(generator(rng), to_come)


class RandomMethod(Protocol):
    """The settings of a random method; frozen, comparable, printable."""

    name: ClassVar[str]

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler: ...


@dataclass(frozen=True)
class KDPP:
    """Exactly k items with probability det(K_S) / e_k: diverse, and every item has its chance.

    Needs all eigenvalues of K (n^3 operations once), then O(n k^2) a draw.
    """

    name: ClassVar[str] = "kdpp"

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        size = _needed(self.name, k, K.n)
        process = _ensemble(K)
        if size > process.rank:
            raise ValueError(
                f"kdpp cannot draw k={size} items: the kernel matrix has the numerical rank "
                f"{process.rank}, so all sets of more have probability zero. "
                f'Type k={max(process.rank, 1)} or less, or method="rpcholesky".'
            )
        process.prepare_k(size)
        return Sampler(K.n, lambda rng, to_come: process.sample_k(size, rng, to_come=to_come))


@dataclass(frozen=True)
class DPP:
    """Any number of items with probability det(K_S) / det(I + K): the scale of K sets how many."""

    name: ClassVar[str] = "dpp"

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        if k is not None:
            raise ValueError(
                f'dpp draws as many items as come, got k={k}. Type method="kdpp" for exactly {k}, '
                "or leave k out."
            )
        process = _ensemble(K)
        _ = process.expected_size  # decomposes
        return Sampler(K.n, lambda rng, to_come: process.sample(rng, to_come=to_come))


@dataclass(frozen=True)
class RPCholesky:
    """Pivoted Cholesky with random pivots, each in proportion to the diagonal left so far.

    Chen, Epperly, Tropp and Webber 2022, with blocks of proposals thinned by rejection as in
    Epperly, Tropp and Webber 2024 (the same law). Reads about k columns of K: the one to take when
    K is too large to form. DEPARTURE: past the numerical rank the rest is drawn uniformly, with a
    warning; the papers stop, published code pads with zeros.
    """

    name: ClassVar[str] = "rpcholesky"

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        size = _needed(self.name, k, K.n)
        return Sampler(K.n, lambda rng, _: pivoted_cholesky_draw(K, size, rng))


@dataclass(frozen=True)
class LeverageSampling:
    """k items in turn, in proportion to leverage: squared row norms of the k leading vectors."""

    name: ClassVar[str] = "leverage-sampling"

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        size = _needed(self.name, k, K.n)
        pairs = _eigen(K)
        count = len(pairs.values)
        V = pairs.vectors(np.arange(count - min(size, pairs.rank), count))
        return _weighted(np.einsum("ij,ij->i", V, V), size)


@dataclass(frozen=True)
class RidgeLeverageSampling:
    """k items in turn, in proportion to ridge leverage: the diagonal of K (K + n gamma I)^-1."""

    gamma: float = 1e-3
    name: ClassVar[str] = "ridge-leverage-sampling"

    def __post_init__(self) -> None:
        positive(self, gamma=self.gamma)

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        size = _needed(self.name, k, K.n)
        values, V = _all_pairs(K)
        return _weighted(np.einsum("ij,j,ij->i", V, values / (values + K.n * self.gamma), V), size)


@dataclass(frozen=True)
class Uniform:
    """k items, all sets equally likely: the baseline. Reads nothing of K."""

    name: ClassVar[str] = "uniform"

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        size = _needed(self.name, k, K.n)
        return Sampler(K.n, lambda rng, _: uniform_draw(K.n, size, rng))


@dataclass(frozen=True)
class MCMCKDPP:
    """A k-DPP without eigenvalues: a chain of random swaps (Li, Jegelka and Sra 2016).

    Starts from the greedy set; exact in the limit of many ``steps``, by default 100 k. What is
    proven asks for about n k log(n k) steps from a likely start. Take it when n^3 operations are
    too many, and `KDPP` otherwise.
    """

    steps: int | None = None
    name: ClassVar[str] = "mcmc-kdpp"

    def __post_init__(self) -> None:
        if self.steps is not None and whole("steps", self.steps) < 0:
            raise ValueError(f"MCMCKDPP wants steps >= 0, got steps={self.steps}. Type steps=None for 100 k.")

    def prepare(self, K: KernelMatrix, k: int | None) -> Sampler:
        size = _needed(self.name, k, K.n)
        steps = 100 * size if self.steps is None else self.steps
        start = swap_start(K, size)
        return Sampler(K.n, lambda rng, _: swap_draw(K, start, steps, rng))


AnySampler: TypeAlias = (
    KDPP | DPP | RPCholesky | LeverageSampling | RidgeLeverageSampling | Uniform | MCMCKDPP
)

SAMPLERS: dict[str, type[AnySampler]] = {
    method.name: method
    for method in (
        KDPP,
        DPP,
        RPCholesky,
        LeverageSampling,
        RidgeLeverageSampling,
        Uniform,
        MCMCKDPP,
    )
}


def _needed(name: str, k: int | None, n: int) -> int:
    if k is None:
        raise ValueError(
            f"{name} needs to know how many items to draw, got no k. "
            'Type k=10, or method="dpp" for a random number.'
        )
    return checked_k(k, n)


def _dense_factor(K: KernelMatrix) -> Floats | None:
    F: Any = K.factor()
    dense: Floats | None = F.toarray() if is_sparse(F) else F
    return dense


def _ensemble(K: KernelMatrix) -> LEnsemble:
    """The L-ensemble of K, in the dual form where the kernel has features fewer than items."""
    F = _dense_factor(K)
    return LEnsemble(K) if F is None else LEnsemble.from_factor(F)


def _eigen(K: KernelMatrix) -> SymmetricEigen | FactorEigen:
    F = _dense_factor(K)
    return SymmetricEigen(K.dense()) if F is None else FactorEigen(F)


def _all_pairs(K: KernelMatrix) -> tuple[Floats, Floats]:
    """All eigenpairs at once: where every vector is needed, one by one would not pay."""
    F = _dense_factor(K)
    if F is not None:
        pairs = FactorEigen(F)
        return pairs.values, pairs.vectors(np.arange(len(pairs.values)))
    with blas_for(K.n**3):
        values, V = np.linalg.eigh(K.dense())
    return np.maximum(values, 0.0), V


def _weighted(weights: Floats, k: int) -> Sampler:
    # below this share a weight is rounding, and the item has none
    weights = np.where(weights > EPS * weights.max(), weights, 0.0)
    return Sampler(len(weights), lambda rng, _: weighted_draw(weights, k, rng))
