"""WHICH k STAND BEST FOR ALL? Greedy on what the picks leave unexplained of the other items.

# R  K - K_hat, what is left of K          E  (I - V V^T) K^(1/2), whose rows have the Gram matrix K - V L V^T
# p  what item i would still add           e  ||E_i||^2, what it costs to interpolate through item i
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import EPS, Floats, spread
from ..greedy import KernelPool, RowPool, one_at_a_time
from ..kernels import KernelMatrix
from ..messages import whole
from ..rounds.lowrank import LowRank
from ..rounds.ratio import GainPerCost, TraceDrop
from ..spectrum import Spectrum
from . import by_rounds
from .base import Outcome, Problem, floor_of
from .volume import rest_by_volume


@dataclass(frozen=True)
class DerandomizedKDPP:
    """The k-DPP with the expectation taken out (Osinsky 2023; Cortinovis and Kressner 2024).

    From the paper's V, pick the item with the largest gain per cost p_i / e_i. The picks C satisfy
    tr(K - K_C K_CC^+ K_C^T) <= (k + 1) (lambda_k+1 + ... + lambda_n): a proven bound, close to the best
    possible in practice. Take it when the picks must stand for all items (landmarks, summaries).
    """

    name: ClassVar[str] = "derandomized"

    def select(self, problem: Problem) -> Outcome:
        return rest_by_volume(problem, self._by_leading(problem))

    def _by_leading(self, problem: Problem) -> Outcome:
        solver = problem.spectral()
        if isinstance(solver, LowRank):
            return by_rounds.ratio(problem, solver, lambda factor, k: GainPerCost(factor, k, problem.n))
        K = problem.K
        for spectrum in solver.leading(K, problem.k):
            scorer = _GainPerCost(K, spectrum)
            choice = replace(problem.choice, k=max(spectrum.k, len(problem.choice.forced)))
            decisions, clear = one_at_a_time(scorer, choice, K.same)
            if clear.all():
                break
        return Outcome(decisions, clear, solver, spectrum.gap, len(decisions))


class _GainPerCost:
    def __init__(self, K: KernelMatrix, spectrum: Spectrum) -> None:
        self._K, self._spectrum = K, spectrum
        V = spectrum.vectors
        self.pool = RowPool(V)
        self._weighted = V * spectrum.values[: spectrum.k]
        self._diagonal = K.diagonal()
        self._roots = np.sqrt(self._diagonal)
        self._gains = self.pool.start()
        self._lengths = np.sqrt(self._gains)
        self._reach = _Reach(K.n)
        self._floor = floor_of(K.n) * float(self._gains.max())
        self._costs = self._diagonal - np.einsum("ij,ij->i", self._weighted, V)
        # DEPARTURE: a cost below a millionth of the mean counts as that much. Items far from all others
        # have costs that are nothing but rounding, which would order them. The bound grows by 1e-6.
        rounding = 8 * EPS * np.sqrt(K.n) * float(self._diagonal.max())
        self._least = max(1e-6 * float(self._costs.mean()), rounding)
        self._shares = np.empty((0, K.n))  # a of every step: how much of E_pick each row gave up
        self._products = np.empty((0, K.n))  # E E_pick^T at that step
        self._picks: list[int] = []
        self.scores = self._rated(self._gains, self._costs)

    def _rated(self, gains: Floats, costs: Floats) -> Floats:
        rated: Floats = gains / np.maximum(costs, self._least)
        rated[gains <= self._floor] = 0.0
        return rated

    def take(self, pick: int) -> None:
        shared = self.pool.columns(np.array([pick]))[0]
        self.pool.keep(1)
        if shared[pick] > 0:
            share = shared / shared[pick]
            product = self._product(pick)
            # E_j <- E_j - a_j E_i changes ||E_j||^2 by inner products with E_i alone
            self._costs += share * (share * product[pick] - 2 * product)
            self._gains -= shared**2
            np.maximum(self._gains, 0.0, out=self._gains)
            self._shares = np.vstack([self._shares, share])
            self._products = np.vstack([self._products, product])
            self._picks.append(pick)
            self._reach.take(pick, share)
        self.scores = self._rated(self._gains, self._costs)

    def _product(self, pick: int) -> Floats:
        """E E_i^T for this i: its column of K - V L V^T, with every earlier step applied from both sides.

        Step s turns a column g into g - a (g_c - a_i h_c) - a_i h, with c the item picked then and
        h = E E_c^T. The g_c of all steps are one triangular system.
        """
        from scipy.linalg import solve_triangular

        column: Floats = self._K.columns(np.array([pick]))[:, 0]
        column = column - self._spectrum.vectors @ self._weighted[pick]
        if not self._picks:
            return column
        a, h = self._shares[:, self._picks].T, self._products[:, self._picks].T  # [s, r]: step r, at c_s
        mine = self._shares[:, pick]
        known = column[self._picks] - np.tril(h) @ mine
        others = solve_triangular(np.tril(a, -1), known, lower=True, unit_diagonal=True, check_finite=False)
        product: Floats = column - others @ self._shares - mine @ self._products
        return product

    def bounds(self) -> tuple[Floats, Floats]:
        """From the noise of p = u^T V V^T u, and that of e = u^T (K - V L V^T) u."""
        moved = self._reach.sums(self._spectrum.noise)
        half, full = (self._reach.sums(rows) for rows in self._spectrum.weighted_noise)
        lengths = np.sqrt(self._gains)
        gain_error = (2 * lengths + moved) * moved + 16 * EPS * self._reach.sums(self._lengths) ** 2
        # V L V^T moves by V (L dV)^T, its transpose, and the square of L^(1/2) dV
        cost_error = 2 * lengths * full + half**2
        cost_error += (16 * EPS + self._K.entry_noise) * self._reach.sums(self._roots) ** 2
        return (
            self._rated(self._gains - gain_error, self._costs + cost_error),
            self._rated(self._gains + gain_error, self._costs - cost_error),
        )


@dataclass(frozen=True)
class GreedyTrace:
    """Greedy on the drop of tr(K - K_hat) (Farahat, Ghodsi and Kamel 2011).

    Picks the item with the largest ||R e_i||^2 / R_ii, R = K - K_hat. No eigenvectors; one product
    with K per pick, n^2 work. The smallest errors in practice, next to `DerandomizedKDPP`, without a bound.
    Where K does not fit the memory, a low-rank factor takes its place.
    """

    name: ClassVar[str] = "greedy-trace"

    def select(self, problem: Problem) -> Outcome:
        solver = problem.spectral()
        if isinstance(solver, LowRank):
            return by_rounds.ratio(problem, solver, lambda factor, k: TraceDrop(factor))
        problem.no_solver(self)
        K = problem.K
        decisions, clear = one_at_a_time(_TraceDrop(K), problem.choice, K.same)
        return Outcome(decisions, clear, passes=len(decisions) + 1)


class _TraceDrop:
    def __init__(self, K: KernelMatrix) -> None:
        self._K = K
        self.pool = KernelPool(K)
        self._left = K.diagonal()
        self._floor = floor_of(K.n) * float(self._left.max())
        self._squares = self._before = K.row_squares()
        self._lengths = np.sqrt(self._left)
        self._reach = _Reach(K.n)
        self.scores = self._rated(self._squares, self._left, self._left)

    def _rated(self, squares: Floats, left: Floats, by: Floats) -> Floats:
        rated: Floats = np.maximum(squares, 0.0) / np.maximum(by, self._floor)
        rated[left <= self._floor] = 0.0
        return rated

    def take(self, pick: int) -> None:
        earlier = self.pool.F
        column = self.pool.columns(np.array([pick]))[0]
        self.pool.keep(1)
        # R' = R - w w^T changes ||R e_i||^2 by -2 w_i (R w)_i + w_i^2 ||w||^2
        product = self._K.matmul(column[:, None])[:, 0] - (earlier @ column) @ earlier
        self._squares = self._squares - 2 * column * product + column**2 * (column @ column)
        self._left = np.maximum(self._left - column**2, 0.0)
        if column[pick] > 0:
            self._reach.take(pick, column / column[pick])
        self.scores = self._rated(self._squares, self._left, self._left)

    def bounds(self) -> tuple[Floats, Floats]:
        """From the noise of ||R e_i||^2 and R_ii, updated pick by pick."""
        reach = self._reach.sums(self._lengths)
        entry = (16 * EPS + self._K.entry_noise) * reach
        # an entry R_ij is off by entry_i reach_j
        rows = np.sqrt(np.maximum(self._squares, 0.0))
        error = 2 * entry * np.sqrt(reach @ reach) * rows + 8 * EPS * self._before
        left_error = entry * reach
        return (
            self._rated(self._squares - error, self._left, self._left + left_error),
            self._rated(self._squares + error, self._left + left_error, self._left - left_error),
        )


class _Reach:
    """|u| of every item, u = e_i - sum_j c_j e_j with c interpolating it from the picks so far."""

    def __init__(self, n: int) -> None:
        self._coefficients = np.empty((0, n))
        self._picks: list[int] = []

    def take(self, pick: int, share: Floats) -> None:
        """One more pick; every item holds this share of what the pick adds."""
        lost = np.outer(self._coefficients[:, pick], share)
        self._coefficients = np.vstack([self._coefficients - lost, share])
        self._picks.append(pick)

    def sums(self, values: Floats) -> Floats:
        """sum_j |u_j| values_j, for every item."""
        return np.asarray(values + values[self._picks] @ np.abs(self._coefficients))


_MEAN = 256  # rows whose mean stands for the middle of the pool
_AT_ONCE = 16  # columns of K that are in memory at a time


@dataclass(frozen=True)
class FarthestPoint:
    """Farthest-point (k-centre, MaxMin) selection in the distance of the kernel.

    Picks the item farthest from its nearest pick, d^2(i, c) = K_ii - 2 K_ic + K_cc. Starts with the item
    farthest from the mean of 256 rows (always the same ones), or with row ``start``. Within twice the
    smallest possible covering radius. Sees no density: it takes the outliers.
    """

    start: int | None = None

    name: ClassVar[str] = "farthest-point"

    def __post_init__(self) -> None:
        if self.start is not None and whole("start", self.start) < 0:
            raise ValueError(f"FarthestPoint wants start >= 0, got start={self.start}.")

    def select(self, problem: Problem) -> Outcome:
        problem.no_solver(self)
        K = problem.K
        choice = problem.choice
        if self.start is not None and not choice.forced:
            if self.start >= K.n or choice.barred[self.start]:
                raise ValueError(f"start={self.start} is not one of the {K.n} items that may be picked.")
            choice = replace(choice, forced=(self.start,))
        scorer = _Distance(K, bool(choice.forced))
        decisions, clear = one_at_a_time(scorer, choice, K.same)
        return Outcome(decisions, clear, passes=len(decisions))


class _Distance:
    def __init__(self, K: KernelMatrix, started: bool) -> None:
        self._K = K
        self._diagonal = K.diagonal()
        self._floor = floor_of(K.n) * float(self._diagonal.max())
        self._nearest = np.full(K.n, np.inf)
        if started:
            self.scores = self._nearest
        else:
            sample = spread(K.n, _MEAN)
            some = np.array_split(sample, -(-len(sample) // _AT_ONCE))
            means = sum(K.columns(few).sum(axis=1) for few in some) / len(sample)
            self.scores = self._diagonal - 2 * means + float(means[sample].mean())
            if float(self.scores.max()) <= self._floor:  # all items are the same: any will do
                self.scores = np.ones(K.n)

    def take(self, pick: int) -> None:
        distances = self._diagonal + self._diagonal[pick] - 2 * self._K.columns(np.array([pick]))[:, 0]
        self._nearest = np.minimum(self._nearest, distances)
        self.scores = np.where(self._nearest > self._floor, self._nearest, 0.0)

    def bounds(self) -> tuple[Floats, Floats]:
        """From the noise of four entries of K."""
        entry = 4 * (16 * EPS + self._K.entry_noise) * float(self._diagonal.max())
        return self.scores - entry, self.scores + entry
