"""A DATA SET, SHARED: its kernel matrix and its spectrum, computed once for all methods and all k.

# values, V  eigenpairs of K, largest first; all of them, or the leading ones if the protocol says so
# Cut        a solver that hands out the k leading ones of what is known
# tail       what the eigenvalues beyond k sum to: the best possible trace error at rank k
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from ..arrays import EPS, Floats, Ints
from ..choice import Choice, plan_choice
from ..kernels import Gaussian, KernelMatrix, kernel_matrix
from ..methods import Problem
from ..spectrum import BlockKrylov, Dense, Spectrum, row_noise
from .protocol import Protocol

_NEAR = 20  # eigenvectors beyond the cut to which it may turn


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Eigenpairs of K, largest first."""

    values: Floats
    vectors: Floats
    whole: bool
    seconds: float

    @property
    def n(self) -> int:
        return len(self.vectors)

    def columns(self, ascending: Ints) -> Floats:
        """Vectors by their place in ascending order."""
        return np.asarray(self.vectors[:, self.vectors.shape[1] - 1 - ascending])


@dataclass(frozen=True, eq=False)
class Cut:
    """A solver that has already solved: the k leading pairs of a spectrum computed once."""

    pairs: Eigenpairs
    level: float

    def __repr__(self) -> str:
        return "Cut"

    def leading(self, K: KernelMatrix, k: int) -> Iterator[Spectrum]:
        """One Spectrum of the k leading eigenpairs."""
        values, vectors = self.pairs.values, self.pairs.vectors
        V, W = np.ascontiguousarray(vectors[:, :k]), vectors[:, k : k + _NEAR]
        after = float(values[k]) if len(values) > k else 0.0
        residual = np.zeros((len(V), k + W.shape[1]))
        noise = row_noise(V, values, W, residual, 0.0, self.level)
        yield Spectrum(
            values=values[: k + 1],
            vectors=V,
            noise=noise[0],
            weighted_noise=noise[1:],
            gap=float((values[k - 1] - after) / values[k - 1]),
            rank=None,
            products=0,
        )


class SharedPool:
    """One data set under one kernel. Nothing is computed before it is asked for."""

    def __init__(self, name: str, X: Floats, bandwidth: float, protocol: Protocol) -> None:
        self.name, self.X, self.bandwidth, self.protocol = name, X, bandwidth, protocol
        self.das_runs: dict[tuple[float, int], Ints] = {}  # by gamma and k, see contenders.das_run

    @property
    def n(self) -> int:
        return len(self.X)

    @cached_property
    def K(self) -> KernelMatrix:
        K = kernel_matrix(self.X, Gaussian(bandwidth=self.bandwidth))
        K.dense()
        return K

    @cached_property
    def pairs(self) -> Eigenpairs:
        """The spectrum, and the seconds it took."""
        limit = self.protocol.whole_up_to
        K = self.K
        start = perf_counter()
        if limit is None or self.n <= limit:
            values, vectors = Dense().full(K)
            return Eigenpairs(values, vectors, True, perf_counter() - start)
        *_, found = BlockKrylov(block=self.protocol.leading, max_products=2).leading(K, self.protocol.leading)
        return Eigenpairs(found.values[: found.k], found.vectors, False, perf_counter() - start)

    @property
    def rank(self) -> int:
        """How many of the known eigenvalues are more than rounding."""
        values = self.pairs.values
        return int(np.sum(values > 8 * self.n * EPS * values[0]))

    def tail(self, k: int) -> float:
        return float(self.K.diagonal().sum() - self.pairs.values[:k].sum())

    def choice(self, k: int) -> Choice:
        return plan_choice(self.n, k)

    def problem(self, k: int) -> Problem:
        """To pick k with the shared spectrum."""
        return Problem(self.K, self.choice(k), Cut(self.pairs, 4 * EPS + self.K.entry_noise))

    def problem_alone(self, k: int) -> Problem:
        """To pick k as if nothing were known yet: what a user pays."""
        return Problem(self.K, self.choice(k))
