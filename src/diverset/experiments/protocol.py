"""WHAT IS RUN? The paper's protocol, and the smaller one behind --fast.

# grid    every k for which sets are picked and judged
# clock   the k for which times are taken
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..methods.volume import PAPER_GAMMAS

PAPER = ("uniform", "kdpp", "das", "deterministic-kdpp")
OURS = ("derandomized", "greedy-trace", "greedy-map", "rpcholesky", "leverage", "ridge-leverage")
RANDOM = ("uniform", "kdpp", "rpcholesky")

TITLES = {
    "uniform": "uniform",
    "kdpp": "k-DPP",
    "das": "DAS, best gamma",
    "deterministic-kdpp": "deterministic k-DPP",
    "derandomized": "derandomised k-DPP",
    "greedy-trace": "greedy trace",
    "greedy-map": "greedy MAP",
    "rpcholesky": "randomly pivoted Cholesky",
    "leverage": "top leverage",
    "ridge-leverage": "top ridge leverage",
}

BANDWIDTHS = {"boston": 2.0, "stock": 2.0, "abalone": 2.0, "bank8fm": 5.0}
EPS_OF_THE_PAPER = 1e-12  # (K_CC + 1e-12 I)^-1


@dataclass(frozen=True)
class Protocol:
    """The settings of one run; all that can change a number is in here."""

    grid: tuple[int, ...]
    clock: tuple[int, ...]
    repetitions: int
    same: int  # how often the deterministic k-DPP is run anew to see whether it repeats itself
    gammas: tuple[float, ...] = PAPER_GAMMAS
    # beyond this many items only so many leading eigenpairs are computed; None: always all
    whole_up_to: int | None = None
    leading: int = 0
    seed: int = 2019
    fast: bool = False

    def rng(self, *names: object) -> np.random.Generator:
        """A generator of its own for every draw, so that no draw depends on those before it."""
        words = [self.seed, *(word for name in names for word in str(name).encode())]
        return np.random.default_rng(words)

    def cut(self, rank: int) -> tuple[int, ...]:
        """The grid below the numerical rank."""
        return tuple(k for k in self.grid if k < rank)


FULL = Protocol(
    grid=(5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300),
    clock=(10, 50, 100, 200, 300),
    repetitions=10,
    same=10,
)
FAST = Protocol(
    grid=(5, 10, 20, 40, 80),
    clock=(10, 40),
    repetitions=3,
    same=3,
    whole_up_to=1000,
    leading=300,
    fast=True,
)
