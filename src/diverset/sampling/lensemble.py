"""A DPP as an object to ask: probabilities of sets, of items, and samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..messages import checked_k, whole
from .draws import generator
from .forms import FactorForm, Form, MarginalForm, MatrixForm
from .mixture import Mixture

_TO_COME = 64  # draws that are prepared for: who makes this object has more than one question


class LEnsemble:
    """The determinantal point process P(S) = det(L_S) / det(I + L) over the sets S of n items.

    L is an (n, n) positive semi-definite array or a `KernelMatrix`. Nothing is decomposed before
    it is needed, and everything is decomposed once. For exactly k items (a k-DPP) see `sample_k`
    and `log_prob_k`. Take it to study a DPP; to draw from rows of features, `sample` is shorter.

    >>> process = LEnsemble([[2.0, 1.0], [1.0, 2.0]])
    >>> np.exp([process.log_prob(S) for S in ([], [0], [1], [0, 1])])
    array([0.125, 0.25 , 0.25 , 0.375])
    >>> process.marginals()
    array([0.625, 0.625])
    >>> process.sample_k(2, rng=0).tolist() in ([0, 1], [1, 0])
    True
    """

    def __init__(self, L: Any) -> None:
        self._form: Form = MatrixForm(L)

    @classmethod
    def from_factor(cls, B: Any) -> LEnsemble:
        """L = B B^T for B with a row per item: with d columns, O(n d^2) and never n x n.

        >>> LEnsemble.from_factor([[1.0], [2.0]]).marginals()  # at most one item: rank one
        array([0.167, 0.667])
        """
        return cls._from(FactorForm(B))

    @classmethod
    def from_marginal(cls, P: Any) -> LEnsemble:
        """From the marginal kernel P = L (L + I)^-1, with eigenvalues from 0 to 1; 1 is allowed.

        >>> projection = LEnsemble.from_marginal([[0.5, 0.5], [0.5, 0.5]])
        >>> projection.expected_size, round(np.exp(projection.log_prob([1])).item(), 3)
        (1.0, 0.5)
        """
        return cls._from(MarginalForm(P))

    @classmethod
    def _from(cls, form: Form) -> LEnsemble:
        process = object.__new__(cls)
        process._form = form
        return process

    def __repr__(self) -> str:
        return f"LEnsemble(n={self.n}, {type(self._form).__name__.removesuffix('Form').lower()})"

    @property
    def n(self) -> int:
        """The number of items."""
        return self._form.n

    @property
    def rank(self) -> int:
        """The numerical rank of L: no set with more items has a probability above zero."""
        return self._mixture.rank

    @property
    def expected_size(self) -> float:
        """How many items a sample has on average: the sum of lambda / (1 + lambda)."""
        return float(self._mixture.probabilities.sum())

    @property
    def _mixture(self) -> Mixture:
        return self._form.mixture

    # --- matrices ---------------------------------------------------------------------------

    def matrix(self) -> Floats:
        """L; from a marginal kernel it is P (I - P)^-1."""
        return self._form.matrix()

    def marginal_kernel(self) -> Floats:
        """P = L (L + I)^-1, whose minor det(P_S) is the probability that a sample holds all of S.

        >>> LEnsemble([[2.0, 1.0], [1.0, 2.0]]).marginal_kernel()
        array([[0.625, 0.125],
               [0.125, 0.625]])
        """
        V, weights = self._directions(None)
        return (V * weights) @ V.T

    # --- probabilities ----------------------------------------------------------------------

    def log_prob(self, subset: Any) -> float:
        """log P(S) = log det(L_S) - log det(I + L); the empty set has a probability too."""
        return self._form.log_minor(checked_subset(subset, self.n)) - self._mixture.log_normalizer

    def log_prob_k(self, subset: Any) -> float:
        """log P(S) = log det(L_S) - log e_k for the k-DPP, with k the size of the subset.

        >>> float(np.exp(LEnsemble([[1.0, 0.0], [0.0, 3.0]]).log_prob_k([1])))
        0.75
        """
        S = checked_subset(subset, self.n)
        k = self._within_rank(len(S))
        return self._form.log_minor(S) - self._mixture.log_normalizer_k(k)

    def marginals(self) -> Floats:
        """How likely a sample is to hold each item: the diagonal of P."""
        return self._marginals(None)

    def marginals_k(self, k: int) -> Floats:
        """How likely a sample of the k-DPP is to hold each item; sums to k.

        >>> LEnsemble([[1.0, 0.0], [0.0, 3.0]]).marginals_k(1)
        array([0.25, 0.75])
        """
        return self._marginals(self._possible_k(k))

    def _marginals(self, k: int | None) -> Floats:
        V, weights = self._directions(k)
        return np.asarray(np.einsum("ij,j,ij->i", V, weights, V))

    def _directions(self, k: int | None) -> tuple[Floats, Floats]:
        """All directions that can be drawn, and how likely each is."""
        weights = self._mixture.inclusion(k)
        kept = np.flatnonzero(weights)
        return self._mixture.eigen.vectors(kept), weights[kept]

    # --- samples ----------------------------------------------------------------------------

    def sample(self, rng: object = None, *, to_come: int = _TO_COME) -> Ints:
        """A set of items, in the order drawn; its size is random too.

        Draws eigenvectors, each with probability lambda / (1 + lambda), then items from their
        projection DPP (Hough et al. 2006). ``to_come``: for how many more draws to prepare; it
        changes the time that this one and those take, not what is drawn.
        """
        return self._mixture.draw(None, generator(rng), whole("to_come", to_come))

    def sample_k(self, k: int, rng: object = None, *, to_come: int = _TO_COME) -> Ints:
        """A set of exactly k items (Kulesza and Taskar 2011); ``to_come`` as in `sample`."""
        return self._mixture.draw(self._possible_k(k), generator(rng), whole("to_come", to_come))

    def prepare_k(self, k: int) -> None:
        """Do now what the first draw of k items would do once for all: eigenvalues, chances."""
        self._mixture.prepare(self._possible_k(k))

    def _possible_k(self, k: object) -> int:
        return self._within_rank(checked_k(k, self.n))

    def _within_rank(self, count: int) -> int:
        if count > self.rank:
            raise ValueError(
                f"No {count} items have a determinant above zero: L has the numerical rank "
                f"{self.rank}, less than k={count}. Type k={max(self.rank, 1)} or less, or add a "
                "ridge: LEnsemble(L + 1e-6 * np.eye(len(L)))."
            )
        if count < self._mixture.sure:
            raise ValueError(
                f"Every sample has at least {self._mixture.sure} items, one for each eigenvalue 1 "
                f"of P; got k={count}. Type k={self._mixture.sure} or more."
            )
        return count


def checked_subset(subset: Any, n: int) -> Ints:
    """Distinct row numbers from 0 to n - 1, or a sentence about what is wrong with them."""
    given = np.asarray(subset)
    if given.ndim != 1:
        raise ValueError(f"subset must be a list of row numbers, got shape {given.shape}.")
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    rows = np.array([whole("subset's row", row) for row in given.tolist()], dtype=np.int64)
    outside = rows[(rows < 0) | (rows >= n)]
    if len(outside):
        raise ValueError(f"subset holds row {outside[0]}, wanted row numbers from 0 to {n - 1}.")
    values, counts = np.unique(rows, return_counts=True)
    if len(values) < len(rows):
        raise ValueError(
            f"subset holds row {values[counts > 1][0]} more than once. Type sorted(set(subset))."
        )
    return rows
