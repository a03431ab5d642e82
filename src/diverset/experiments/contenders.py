"""WHO PICKS WHAT? Every method on one shared pool, for every k of the grid.

# picks     k -> one row of picks per repetition (one row in all where there is no chance)
# prefix    a greedy method that does not look at k is run once, for the largest, and cut
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import EPS, Floats, Ints
from ..greedy import RowPool, greedy
from ..methods import DerandomizedKDPP, DeterministicKDPP, GreedyMAP, GreedyTrace, TopLeverage
from ..methods.base import floor_of
from ..metrics import log_det
from ..sampling.draws import pivoted_cholesky_draw, uniform_draw
from ..sampling.mixture import Mixture
from ..threads import narrow
from .pool import SharedPool

Picks = dict[int, list[Ints]]
_TIE = 1e-9  # a log det that is larger by rounding alone must not decide between two gammas


def contend(method: str, pool: SharedPool, ks: tuple[int, ...]) -> Picks:
    """The picks of this method for every k."""
    with narrow():
        return CONTENDERS[method](pool, ks)


def _projector(recipe: DeterministicKDPP | DerandomizedKDPP | TopLeverage) -> Contender:
    def run(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
        return _complete({k: [recipe.select(pool.problem(k)).picks] for k in ks})

    return run


def _prefix(recipe: GreedyMAP | GreedyTrace) -> Contender:
    def run(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
        picks = recipe.select(pool.problem_alone(max(ks))).picks
        return _complete({k: [picks[:k]] for k in ks})

    return run


def _complete(picks: Picks) -> Picks:
    """Only sets of k items: where a method ends before, it does not take part."""
    return {k: sets for k, sets in picks.items() if all(len(C) == k for C in sets)}


def uniform(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
    return {k: [uniform_draw(pool.n, k, rng) for rng in _rngs("uniform", pool, k)] for k in ks}


def kdpp(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
    process = mixture(pool)
    process.prepare(max(ks))
    return {k: [process.draw(k, rng, to_come=0) for rng in _rngs("kdpp", pool, k)] for k in ks}


def rpcholesky(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
    """The first k pivots of a longer draw are a draw of k: one run per repetition."""
    most = max(ks)
    draws = [pivoted_cholesky_draw(pool.K, most, rng) for rng in _rngs("rpcholesky", pool, most)]
    return {k: [draw[:k] for draw in draws] for k in ks}


def das(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
    """For every k the gamma with the largest log det K_CC, as in `diverset.DAS`; the first of equals."""
    found: Picks = {}
    runs = [das_run(gamma, pool, max(ks)) for gamma in pool.protocol.gammas]
    for k in ks:
        sets = [run[:k] for run in runs if len(run) >= k]
        if sets:
            criteria = np.array([log_det(pool.K.block(C, C)) for C in sets])
            slack = _TIE * max(1.0, abs(criteria.max()))
            found[k] = [sets[int(np.argmax(criteria >= criteria.max() - slack))]]
    return found


def das_run(gamma: float, pool: SharedPool, k: int) -> Ints:
    """`das_with`, computed once per pool."""
    if (gamma, k) not in pool.das_runs:
        pool.das_runs[gamma, k] = das_with(gamma, pool, k)
    return pool.das_runs[gamma, k]


def das_with(gamma: float, pool: SharedPool, k: int) -> Ints:
    """Greedy on K (K + n gamma I)^-1, from the shared spectrum; ends where gains are rounding.

    Eigenvalues that are rounding themselves are left out.
    """
    values, vectors = pool.pairs.values[: pool.rank], pool.pairs.vectors[:, : pool.rank]
    ridge = pool.n * gamma
    rows = RowPool(vectors * np.sqrt(values / (values + ridge)))
    noise = 8 * (4 * EPS + pool.K.entry_noise) * float(values[0]) / ridge
    floor = max(floor_of(pool.n), noise / float(rows.start().max()))
    return greedy(rows, pool.choice(k), pool.K.same, min(floor, 0.5)).picks


def ridge_leverage(pool: SharedPool, ks: tuple[int, ...]) -> Picks:
    """The k largest diagonal entries of K (K + n gamma I)^-1 with McCurdy's n gamma = tail / k."""
    values, squares = pool.pairs.values, pool.pairs.vectors**2
    picks: Picks = {}
    for k in ks:
        ridge = max(pool.tail(k) / k, floor_of(pool.n) * float(values[0]))
        scores: Floats = squares @ (values / (values + ridge))
        picks[k] = [np.argsort(-scores, kind="stable")[:k].astype(np.int64)]
    return picks


class _Ascending:
    """The shared spectrum in the order in which a mixture asks for it."""

    def __init__(self, pool: SharedPool) -> None:
        self._pairs, self.n = pool.pairs, pool.n

    def vectors(self, indices: Ints | list[int], likely: object = None) -> Floats:
        return self._pairs.columns(np.asarray(indices, dtype=np.int64))


def mixture(pool: SharedPool) -> Mixture:
    """The k-DPP of the shared spectrum; eigenvalues that are rounding count as zero."""
    ascending = pool.pairs.values[::-1].copy()
    ascending[: len(ascending) - pool.rank] = 0.0
    with np.errstate(divide="ignore"):
        return Mixture(_Ascending(pool), np.log(ascending))


def _rngs(method: str, pool: SharedPool, k: int) -> list[np.random.Generator]:
    repetitions = range(pool.protocol.repetitions)
    return [pool.protocol.rng(method, pool.name, k, at) for at in repetitions]


Contender = Callable[[SharedPool, tuple[int, ...]], Picks]

CONTENDERS: dict[str, Contender] = {
    "uniform": uniform,
    "kdpp": kdpp,
    "das": das,
    "deterministic-kdpp": _projector(DeterministicKDPP()),
    "derandomized": _projector(DerandomizedKDPP()),
    "greedy-trace": _prefix(GreedyTrace()),
    "greedy-map": _prefix(GreedyMAP()),
    "rpcholesky": rpcholesky,
    "leverage": _projector(TopLeverage()),
    "ridge-leverage": ridge_leverage,
}
