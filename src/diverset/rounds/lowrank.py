"""WHICH DIRECTIONS, WHEN PRODUCTS WITH K ARE TOO DEAR? Those of a low-rank factor.

# S       landmarks, drawn by randomly pivoted Cholesky from a fixed seed
# W       upper triangular: phi(x) = k(x, S) W, and K_hat = Phi Phi^T is the Nystrom approximation from S
# R       K - K_hat, what the landmarks leave unexplained
# sample  rows that stand for the pool when the rank is chosen
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import ClassVar, Literal

import numpy as np

from ..arrays import EPS, Floats, Ints, spread
from ..messages import is_real, whole
from ..spectrum import WHY
from .pool import FETCHED, RoundPool
from .tasks import Gram, Question, View, arrivals, gram

_SEED = 2022
_CAP = 800  # landmarks that are always allowed: few picks may need as many as a hundred do
SAMPLE = 2000  # rows on which the rank is chosen, at least
# Matrices of landmarks in memory at a time: the driver's, and those of two parts that make the Gram matrix.
# How many parts work at once follows from the rank, never the other way round: picks depend on the rank.
_OURS, _OF_A_PART = 4, 3
_SQUARES = _OURS + 2 * _OF_A_PART
_PER_ROW = 28  # bytes of every row
_FLOOR = 1e-10  # landmarks explain at least this share of their own k(x, x): W stays well conditioned
_LOSS = 1e-10  # rounding that K_hat may have, relative to its largest eigenvalue, to save half of a pass
_CALL = 1e-9  # a draw that is closer than this might be another one on another machine


@dataclass(frozen=True)
class LowRank:
    """Eigenvectors of a low-rank factor, for pools whose kernel matrix does not fit the memory.

    The factor is that of accelerated randomly pivoted Cholesky (Epperly, Tropp, Webber 2024) from a fixed
    seed; its leading eigenvectors are those of Rayleigh and Ritz. n m^2 work for m landmarks, a few
    passes over the rows, and nothing of size n m is ever stored.

    ``rank``      how many landmarks; None: as many as it takes until the largest eigenvalue of K - K_hat,
                  estimated on a sample, is below ``accuracy`` x the k-th eigenvalue; at most 8 k, or what the
                  memory allows, and always up to 800
    ``accuracy``  see there: first-order perturbation theory moves the k-th eigenvalue by less than that share
    ``dtype``     "float64", or "float32" for the factor: faster, and never certified. float64 all the same
                  where the rounding of float32 is above ``accuracy`` x the k-th eigenvalue
    """

    rank: int | None = None
    accuracy: float = 0.01
    dtype: Literal["float64", "float32"] = "float64"
    why: str = WHY

    name: ClassVar[str] = "low-rank"

    def __post_init__(self) -> None:
        if self.rank is not None and whole("rank", self.rank) < 1:
            raise ValueError(f"LowRank wants rank >= 1, got rank={self.rank}.")
        if not is_real(self.accuracy) or self.accuracy <= 0:
            raise ValueError(f"LowRank wants accuracy > 0, got accuracy={self.accuracy!r}.")
        if self.dtype not in ("float64", "float32"):
            raise ValueError(f"LowRank wants dtype 'float64' or 'float32', got dtype={self.dtype!r}.")

    def most(self, n: int, k: int, memory: int) -> int:
        """The largest rank that it may take."""
        if self.rank is not None and self.rank < min(k, n):
            raise ValueError(
                f"LowRank(rank={self.rank}) has at most {self.rank} directions, fewer than k={k}. "
                f"Type LowRank(rank={10 * k})."
            )
        room = _room(n, memory)
        wanted = min(n, max(8 * k, _CAP) if self.rank is None else self.rank)
        least = min(n, k) if self.rank is None else wanted
        if room < least:
            raise ValueError(
                f"A low-rank factor of {least:,} directions takes {_taken(n, least) / 1e9:.2g} GB of {n:,} "
                f"items, the budget is {memory / 1e9:.2g} GB. Type memory={_rounded_up(_taken(n, least))}."
            )
        return min(room, wanted)

    def factor(self, pool: RoundPool, k: int) -> Factor:
        """Landmarks and their eigenvalues, enough of them for k directions."""
        most = self.most(pool.n, k, pool.memory)
        growing = _Growing(pool, self.dtype)
        sample = None if self.rank is not None else _Sample(pool, sample_size(pool.n, k, pool.memory))
        while growing.m < most:
            pool.tell("landmarks", growing.m, most)
            grown = growing.draw(min(max(64, k, growing.m // 2), most - growing.m))
            if not grown or (sample is not None and sample.enough(growing, k, self.accuracy)):
                break
        pool.tell("landmarks", most, most)
        del sample  # its matrix is as large as what follows
        return growing.ritz(k, self.accuracy)


def sample_size(n: int, k: int, memory: int) -> int:
    """Rows on which the rank is chosen."""
    return max(SAMPLE, min(8 * k, _room(n, memory)))


def _room(n: int, memory: int) -> int:
    """How many landmarks there is memory for."""
    left = (1 - FETCHED) * memory - _PER_ROW * n
    return max(isqrt(max(int(left / (8 * _SQUARES)), 0)), _CAP)


def at_once(m: int, memory: int) -> int:
    """How many parts may make their share of the Gram matrix at a time."""
    squares = (1 - FETCHED) * memory / (8 * max(m, 1) ** 2)
    return max(int((squares - _OURS) / _OF_A_PART), 1)


def _rounded_up(size: float) -> str:
    """Bytes in three digits, never fewer of them."""
    digit = 10 ** (len(str(int(size))) - 3)
    return f"{(int(size) // digit + 1) * digit:.3g}"


def _taken(n: int, rank: int) -> float:
    return (8.0 * _SQUARES * rank**2 + _PER_ROW * n) / (1 - FETCHED)


@dataclass(frozen=True, eq=False)
class Factor:
    """K_hat = Phi Phi^T with phi(x) = k(x, S) W, and the eigenpairs of Phi^T Phi, largest first."""

    view: View
    W: Floats
    gram: Floats
    values: Floats
    turn: Floats
    missed: float  # the share of the trace of K that K_hat lacks
    scale: float  # the largest k(x, x) that was seen
    level: float  # rounding, relative to the largest eigenvalue
    dtype: Literal["float64", "float32"]  # of Phi^T Phi
    certain: bool  # whether every draw of a landmark was clear of rounding

    @property
    def rank(self) -> int:
        """How many eigenvalues are more than rounding."""
        return int(np.sum(self.values > 8 * self.level * self.values[0]))

    def embedding(self, scales: Floats) -> Floats:
        """A, so that x -> k(x, S) A has one coordinate per eigenvector, of length scale x that of Phi."""
        return np.asarray(self.W @ (self.turn[:, : len(scales)] * scales))


class _Growing:
    """Landmarks, more and more of them, drawn in proportion to the diagonal of R."""

    def __init__(self, pool: RoundPool, dtype: Literal["float64", "float32"]) -> None:
        self._pool, self._dtype = pool, dtype
        self._scale = 0.0  # the largest k(x, x) that was seen
        self._races = 0
        self._key = pool.key("landmarks", dtype)
        self.view = pool.no_view()
        self.W: Floats = np.empty((0, 0))
        self.certain = True

    @property
    def m(self) -> int:
        return len(self.W)

    def draw(self, count: int) -> bool:
        """Up to ``count`` landmarks more from one round. False when nothing is left to draw from.

        Proposals come in proportion to the diagonal of R as it was; each is taken with the probability
        that its residual, after those taken before it, has to that, which makes the draws exact.
        """
        numbers, gains = self._proposals(2 * count)
        races = self._races
        self._races += 1
        self._scale = max(self._scale, float(gains.max(initial=0.0)))
        alive = gains > _FLOOR * self._scale
        numbers, gains = numbers[alive], gains[alive]
        if len(numbers) == 0:
            return False
        proposed = self._pool.fetch(numbers)
        Phi = self._pool.coordinates(proposed, self.view, self.W)
        left = self._pool.among(proposed) - Phi @ Phi.T
        taken = self._taken(left.copy(), gains, _chances(races, len(gains)), count)
        self._extend(left[np.ix_(taken, taken)], Phi[taken])
        weights = None if proposed.weights is None else proposed.weights[taken]
        self.view = self.view.extended(proposed.rows[taken], weights)
        return True

    def _proposals(self, count: int) -> tuple[Ints, Floats]:
        """The first rows to arrive, in this order, and their gains: from each part no more than it takes."""
        most = min(count, 2 * count // len(self._pool.parts.sizes) + 16)
        while True:
            question = Question(
                self._key, self.view, None, self.W, most, race=_SEED + self._races, dtype=self._dtype
            )
            found = self._pool.candidates(question)
            first = np.argsort(-found.scores, kind="stable")[:count]
            if most == count or (len(first) == count and found.bounds.largest < found.scores[first[-1]]):
                return found.numbers[first], found.gains[first]
            most = min(2 * most, count)  # a part may have more of them: they come sorted, or in clusters

    def _taken(self, left: Floats, gains: Floats, chances: Floats, count: int) -> list[int]:
        taken: list[int] = []
        for at, (gain, chance) in enumerate(zip(gains, chances, strict=True)):
            now = left[at, at]
            # the one with no landmark before it is as it was proposed
            if taken and not chance * gain < now:
                continue
            if now <= _FLOOR * self._scale:
                continue
            self.certain &= bool(not taken or abs(chance * gain - now) > _CALL * gain)
            taken.append(at)
            if len(taken) == count:
                break
            column = left[:, at] / np.sqrt(now)
            left -= np.outer(column, column)
        return taken

    def _extend(self, left: Floats, Phi: Floats) -> None:
        """W of more landmarks: the inverse of the triangular factor of K_SS, block by block."""
        from scipy.linalg import cholesky, solve_triangular

        old, new = self.m, len(left)
        corner = solve_triangular(cholesky(left), np.eye(new))
        W = np.zeros((old + new, old + new))
        W[:old, :old] = self.W
        W[:old, old:] = -(self.W @ Phi.T) @ corner
        W[old:, old:] = corner
        self.W = W

    def ritz(self, k: int, accuracy: float) -> Factor:
        """Rayleigh and Ritz, with as many digits as the k-th eigenvalue needs."""
        factor = self._ritz(self._dtype)
        few = factor.level * factor.values[0] > accuracy * factor.values[min(k, len(factor.values)) - 1]
        return self._ritz("float64") if few and self._dtype == "float32" else factor

    def _ritz(self, dtype: Literal["float64", "float32"]) -> Factor:
        """One more pass, for Phi^T Phi, whose eigenvalues are those of K_hat."""
        digits = EPS if dtype == "float64" else float(np.finfo(np.float32).eps)
        swollen = float(np.abs(self.W).max()) * np.sqrt(self._scale)
        # W^T (k(S, X) k(X, S)) W takes half the work, and loses as many digits again as W is large
        later = digits * swollen**2 < _LOSS
        asked = Gram(self.view, None if later else self.W, dtype)
        summed = self._pool.total(gram, asked, at_once(self.m, self._pool.memory))
        M = self.W.T @ summed.gram @ self.W if later else summed.gram
        values, turn = np.linalg.eigh(M)
        return Factor(
            view=self.view,
            W=self.W,
            gram=M,
            values=np.maximum(values[::-1], 0.0),
            turn=turn[:, ::-1],
            missed=max(1.0 - float(np.trace(M)) / summed.diagonal, 0.0),
            scale=self._scale,
            level=digits * (4 + (swollen**2 if later else swollen)),
            dtype=dtype,
            certain=self.certain and self._dtype == "float64",
        )


def _chances(race: int, count: int) -> Floats:
    """Numbers between 0 and 1 that decide on proposals: fixed functions of the race and the place."""
    return np.asarray(np.exp(-arrivals(2**32 + _SEED + race, 0, count)))


class _Sample:
    """Rows that stand for the pool: is the rank high enough?"""

    def __init__(self, pool: RoundPool, size: int) -> None:
        numbers = np.sort(spread(pool.n, size))
        self._pool = pool
        self._rows = pool.fetch(numbers)
        self._K = pool.among(self._rows)

    def enough(self, growing: _Growing, k: int, accuracy: float) -> bool:
        """Whether the largest eigenvalue of R is small beside the k-th of K_hat, on the sample."""
        if growing.m < k:
            return False
        Phi = self._pool.coordinates(self._rows, growing.view, growing.W)
        kth = float(np.linalg.eigvalsh(Phi.T @ Phi)[-k]) if len(Phi) >= k else 0.0
        return self._largest_left(Phi) <= accuracy * kth

    def _largest_left(self, Phi: Floats) -> float:
        """The largest eigenvalue of R on the sample, to a few per cent: by powers of a block."""
        X = np.cos(np.outer(np.arange(len(Phi)) + 1.0, np.arange(1.0, 9.0)))
        for _ in range(8):
            X, _ = np.linalg.qr(X)
            RX = self._K @ X - Phi @ (Phi.T @ X)
            X, before = RX, X
        return float(np.linalg.eigvalsh(before.T @ RX)[-1])
