"""The packages that people use today, each called the way its own documentation does.

Peers are imported inside the functions: a missing one is a line in the table, not an error.
"""

from __future__ import annotations

import numpy as np

from benchmarks.case import DRAWS, JUDGED, Clock, Run
from benchmarks.data import Array
from benchmarks.reference import GAMMA, gaussian


def nystroem(X: Array, k: int, clock: Clock) -> Run:
    """scikit-learn's landmarks are k rows drawn uniformly; fit evaluates their k x k block."""
    from sklearn.kernel_approximation import Nystroem

    picks = []
    for seed in range(JUDGED):
        model = Nystroem(kernel="rbf", gamma=GAMMA, n_components=k, random_state=seed)
        with clock():
            model.fit(X)
        picks.append(model.component_indices_)
    return Run.of(*picks, entries=k * k)


def nystroem_twice(X: Array, k: int, clock: Clock) -> Run:
    """Twice the landmarks, to see what a landmark is worth when it is drawn uniformly."""
    return nystroem(X, 2 * k, clock)


def apricot_facility_location(X: Array, k: int, clock: Clock) -> Run:
    """Facility location on the same kernel matrix, the lazy greedy (the package's default)."""
    from apricot import FacilityLocationSelection

    with clock():
        K = gaussian(X, X)
        model = FacilityLocationSelection(k, metric="precomputed").fit(K)
    return Run.of(model.ranking, entries=len(X) ** 2)


def skmatter_fps(X: Array, k: int, clock: Clock) -> Run:
    """Farthest point sampling works on distances: it reads k columns of them, no kernel."""
    from skmatter.sample_selection import FPS

    with clock():
        model = FPS(n_to_select=k, initialize=0).fit(X)
    return Run.of(model.selected_idx_, entries=len(X) * k)


def pyversity_dpp(X: Array, k: int, clock: Clock) -> Run:
    """Greedy MAP of a DPP on the cosine kernel; all items equally relevant."""
    from pyversity import Strategy, diversify

    relevance = np.ones(len(X), dtype=np.float32)
    with clock():
        result = diversify(X, relevance, k, strategy=Strategy.DPP, diversity=1.0)
    return Run.of(result.indices, entries=len(X) * k)


def dppy_kdpp(X: Array, k: int, clock: Clock) -> Run:
    """Exact k-DPP draws in the default mode; K is given, so its evaluation is not timed."""
    return dppy_draws(X, k, clock, mode="GS")


def dppy_kdpp_bis(X: Array, k: int, clock: Clock) -> Run:
    """The faster of DPPy's exact modes, which one has to ask for."""
    return dppy_draws(X, k, clock, mode="GS_bis")


def dppy_draws(X: Array, k: int, clock: Clock, mode: str) -> Run:
    from dppy.finite_dpps import FiniteDPP

    K = gaussian(X, X)
    chance = np.random.RandomState(0)  # DPPy refuses a Generator
    with clock("first"):
        dpp = FiniteDPP("likelihood", L=K)
        picks = [dpp.sample_exact_k_dpp(size=k, mode=mode, random_state=chance)]
    picks += clock.each(lambda: dpp.sample_exact_k_dpp(size=k, mode=mode, random_state=chance), DRAWS)
    return Run.of(*picks[:JUDGED], entries=len(X) ** 2)
