"""HOW LONG DOES IT TAKE? Every method on its own, from the kernel matrix to the picks.

# whole    seconds for all eigenpairs of K, which k-DPP, DAS and ridge leverage need
# leading  seconds for the k leading eigenpairs, converged
# own      seconds of the method itself, once it has the eigenpairs it needs
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter

from ..methods import DerandomizedKDPP, DeterministicKDPP, GreedyMAP, GreedyTrace, Method, TopLeverage
from ..sampling.draws import pivoted_cholesky_draw, uniform_draw
from ..solvers import resolve_solver
from ..spectrum import Dense
from ..threads import narrow
from .contenders import das_with, mixture, ridge_leverage
from .pool import SharedPool

_LITTLE = 1.0  # second

_ALONE: dict[str, Method] = {
    "deterministic-kdpp": DeterministicKDPP(),
    "greedy-trace": GreedyTrace(),
    "greedy-map": GreedyMAP(),
}


def clocked(pool: SharedPool, k: int) -> dict[str, float]:
    """Seconds per method for this k, each as if it were the only one (the kernel matrix is given).

    Methods that need all eigenpairs are charged the seconds that these took once; derandomised k-DPP and
    top leverage those of k eigenpairs, converged. The deterministic k-DPP stops its solver as soon as its
    picks are certain, as it does for users.
    """
    K, whole = pool.K, pool.pairs.seconds
    if whole <= _LITTLE:
        whole = _seconds(lambda: Dense().full(K))
    rng = pool.protocol.rng("clock", pool.name, k)

    def kdpp() -> None:
        process = mixture(pool)
        process.draw(k, rng, to_come=0)

    def das() -> None:
        for gamma in pool.protocol.gammas:
            das_with(gamma, pool, k)

    leading = _seconds(lambda: list(resolve_solver("auto", K, k).leading(K, k)))
    seconds: dict[str, float] = {
        "k eigenpairs": leading,
        "derandomized": leading + _seconds(partial(DerandomizedKDPP().select, pool.problem(k))),
        "leverage": leading + _seconds(partial(TopLeverage().select, pool.problem(k))),
        "uniform": _seconds(lambda: uniform_draw(pool.n, k, rng)),
        "rpcholesky": _seconds(lambda: pivoted_cholesky_draw(K, k, rng)),
    }
    for name, recipe in _ALONE.items():
        seconds[name] = _seconds(partial(recipe.select, pool.problem_alone(k)))
    if pool.pairs.whole:
        seconds["kdpp"] = whole + _seconds(kdpp)
        seconds["das"] = whole + _seconds(das)
        seconds["ridge-leverage"] = whole + _seconds(lambda: ridge_leverage(pool, (k,)))
        seconds["all eigenpairs"] = whole
    return seconds


def _seconds(work: Callable[[], object]) -> float:
    """What the work takes; the best of three if that is little, for then other work can double it."""
    with narrow():
        taken = _once(work)
        return taken if taken > _LITTLE else min(taken, _once(work), _once(work))


def _once(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
