"""A determinantal point process as a mixture: first directions are drawn, then items within them.

# log_values  logs of the eigenvalues of L, ascending; +inf for a direction that is always taken
# sure        how many of those there are
# width       how many columns the table of chances has: enough for every k up to it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..arrays import Floats, Ints
from .draws import projection_draw
from .esp import choose, esp_chances, inclusion, log_esp

# A vector costs a third in company of what it costs on its own (n = 4,000): one that will be wanted
# with this chance is computed in advance.
_WORTH = 1 / 3


class Eigen(Protocol):
    """Orthonormal directions on demand."""

    @property
    def n(self) -> int: ...
    def vectors(self, indices: Ints | list[int], likely: Callable[[], Ints] | None = None) -> Floats: ...


class Mixture:
    """Directions, and how likely each is to be drawn."""

    def __init__(self, eigen: Eigen, log_values: Floats) -> None:
        self.eigen = eigen
        self.log_values = log_values
        self.rank = int(np.sum(log_values > -np.inf))
        self.sure = int(np.sum(log_values == np.inf))
        # lambda / (1 + lambda), and log(1 + lambda), without overflow
        self.probabilities: Floats = np.exp(-np.logaddexp(0.0, -log_values))
        self.log_normalizer = float(np.logaddexp(0.0, self._unsure).sum())
        self._chances: Floats = np.empty((len(self._unsure), 0))
        self._inclusion: dict[int, Floats] = {}
        self._draws = 0

    @property
    def _unsure(self) -> Floats:
        return self.log_values[: len(self.log_values) - self.sure]

    def log_normalizer_k(self, k: int) -> float:
        """log e_k: what the determinants of all sets of k items sum to."""
        return float(log_esp(self._unsure, k - self.sure)[-1])

    def prepare(self, k: int) -> None:
        """Compute the table of chances for up to k directions, unless it is there."""
        if self._chances.shape[1] < k - self.sure:
            self._chances = esp_chances(self._unsure, k - self.sure)

    def inclusion(self, k: int | None) -> Floats:
        """How likely each direction is to be among those drawn."""
        if k is None:
            return self.probabilities
        if k not in self._inclusion:
            self.prepare(k)
            unsure = inclusion(self._chances, k - self.sure)
            self._inclusion[k] = np.concatenate([unsure, np.ones(self.sure)])
        return self._inclusion[k]

    def draw(self, k: int | None, rng: np.random.Generator, to_come: int) -> Ints:
        """k items; as many as come if k is None. ``to_come``: the draws that are expected after this one."""
        count = len(self.log_values)
        if k is None:
            chosen = np.flatnonzero(rng.random(count) < self.probabilities)
        else:
            self.prepare(k)
            some = choose(self._chances, k - self.sure, rng)
            chosen = np.concatenate([some, np.arange(count - self.sure, count)])
        V = self.eigen.vectors(chosen, lambda: self._likely(k, to_come))
        self._draws += 1
        return projection_draw(V, rng)

    def _likely(self, k: int | None, to_come: int) -> Ints:
        """Directions worth computing along with others, if so many draws follow, or as many as there were."""
        # by powers of two: a look ahead is dear, and should be rare
        expected = max(to_come, 2 ** self._draws.bit_length() if self._draws else 0)
        if expected == 0:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.inclusion(k) * expected > _WORTH)
