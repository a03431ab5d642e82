"""What is expensive is counted: passes over the pool, entries of K, bytes, the time to import."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pools
import pytest

import diverset as dv
from diverset.choice import plan_choice
from diverset.methods import Problem

MB = 2**20


def solved(K, k, method, **settings):
    """The outcome of a method with what it cost."""
    return dv.METHODS[method]().select(Problem(K, plan_choice(K.n, k), **settings))


def peak(task):
    """The most memory that NumPy held at once while this ran."""
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# --- passes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "most"), [(3, 25), (8, 12), (60, 12)])
def test_a_hundred_picks_of_twenty_thousand_need_few_passes(d, most):
    rng = np.random.default_rng(d)
    X = rng.standard_normal((20_000, d))
    K = dv.kernel_matrix(X, dv.Gaussian(2.0 * np.sqrt(d)), memory=0)
    assert solved(K, 100, "greedy-map").passes <= most


def test_an_embedding_is_read_a_few_times_for_a_hundred_picks():
    B = np.linalg.qr(pools.clustered(3, 20_000, 100, clusters=300, width=0.5))[0]
    outcome = solved(dv.kernel_matrix(B, dv.Linear()), 100, "deterministic-kdpp")
    assert len(outcome.decisions) == 100
    assert outcome.passes <= 40


def test_one_reading_is_enough_where_scores_never_change():
    K = dv.kernel_matrix(pools.clustered(4, 3000, 3), dv.Matern(2.0))
    assert solved(K, 50, "leverage", solver=dv.BlockKrylov()).passes == 1


# --- entries --------------------------------------------------------------------------------


def test_greedy_map_computes_little_more_than_k_columns():
    X = np.random.default_rng(1).standard_normal((6000, 6))
    K = dv.kernel_matrix(X, dv.Gaussian(4.0), memory=0)
    solved(K, 60, "greedy-map")
    assert 60 * 6000 <= K.entries <= 2.5 * 60 * 6000


def test_farthest_point_from_a_start_computes_exactly_k_columns():
    X = np.random.default_rng(1).standard_normal((3000, 6))
    K = dv.kernel_matrix(X, dv.Gaussian(4.0), memory=0)
    dv.FarthestPoint(start=5).select(Problem(K, plan_choice(3000, 20)))
    assert K.entries == 20 * 3000


def test_the_matrix_is_computed_once_where_it_fits():
    X = np.random.default_rng(2).standard_normal((1500, 4))
    for method in dv.METHODS:
        K = dv.kernel_matrix(X, dv.Laplacian(2.0))
        solved(K, 20, method)
        assert K.entries <= 1.6 * 1500**2


def test_the_matrix_of_a_cheap_kernel_is_not_kept_for_a_few_products():
    X = np.random.default_rng(2).standard_normal((3000, 4))  # the matrix would take 69 MiB
    used = peak(lambda: dv.select(X, 15, kernel=dv.Gaussian(2.0)))
    assert used < 55 * MB


def test_products_with_the_matrix_are_few():
    X = np.random.default_rng(3).standard_normal((2000, 4))
    K = dv.kernel_matrix(X, dv.Gaussian(2.0), memory=0)
    solved(K, 20, "deterministic-kdpp", solver="block-krylov")
    assert K.entries <= 5 * 2000**2  # a few sweeps, and the columns it starts from


def test_the_factor_of_a_linear_kernel_spares_the_matrix():
    X = np.random.default_rng(4).standard_normal((20_000, 12))
    for kernel in (dv.Linear(), dv.Cosine()):
        K = dv.kernel_matrix(X, kernel)
        solved(K, 10, "deterministic-kdpp")
        assert K.entries == 0


def test_errors_are_measured_without_computing_more_than_the_norm_needs():
    X = np.random.default_rng(5).standard_normal((1000, 4))
    picks = list(range(10))
    costs = {}
    for norm in ("trace", "frobenius", "max"):
        K = dv.kernel_matrix(X, dv.Gaussian(2.0), memory=0)
        dv.metrics.relative_error(K, picks, norm=norm)
        costs[norm] = K.entries
    assert costs["trace"] == 100 + 10 * 1000
    assert costs["frobenius"] <= 1000**2 + costs["trace"]
    assert costs["max"] <= 1000**2 + costs["trace"]


# --- memory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-map", "farthest-point"])
def test_beyond_the_budget_no_square_matrix_is_formed(method):
    n = 8000  # the matrix would take 488 MiB
    X = np.random.default_rng(6).standard_normal((n, 4))
    used = peak(lambda: dv.select(X, 15, kernel=dv.Gaussian(2.0), method=method, memory=MB))
    assert used < 100 * MB


@pytest.mark.parametrize("norm", ["operator", "max", "trace", "frobenius"])
def test_errors_beyond_the_budget_form_no_square_matrix(norm):
    X = np.random.default_rng(7).standard_normal((3000, 4))
    K = dv.kernel_matrix(X, dv.Gaussian(2.0), memory=MB)
    assert peak(lambda: dv.metrics.relative_error(K, range(15), norm=norm)) < 55 * MB


def test_two_hundred_thousand_items_are_no_trouble_without_the_matrix():
    """Others ask for 196 TiB here."""
    X = np.random.default_rng(8).standard_normal((200_000, 3))
    found = []
    used = peak(lambda: found.append(dv.select(X, 5, kernel=dv.Gaussian(2.0), method="greedy-map")))
    assert len(found[0]) == 5
    assert used < 200 * MB


@pytest.mark.slow
def test_fifty_thousand_items_stay_below_the_promised_memory():
    """n = 50,000, d = 8, k = 100 without forming K: about 100 s on two cores."""
    X = np.random.default_rng(9).standard_normal((50_000, 8))
    assert peak(lambda: dv.select(X, 100, kernel=dv.Gaussian(5.0))) < 1500 * MB


# --- the public surface ------------------------------------------------------------------------

HEAVY = "sklearn", "pandas", "polars", "matplotlib"


def fresh(code):
    """What a new interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_is_quick_and_brings_nothing_heavy():
    code = """
        import sys, time
        start = time.process_time()  # a busy machine must not fail the test
        import diverset
        diverset.select  # it is loaded when it is asked for
        print(time.process_time() - start, *sys.modules)
    """
    times = []
    for _ in range(5):
        seconds, *modules = fresh("\n".join(map(str.strip, code.splitlines()))).split()
        assert not set(HEAVY) & set(modules)
        times.append(float(seconds))
    assert min(times) < 0.25


def test_selecting_from_an_array_brings_nothing_heavy_either():
    code = "import sys, diverset as dv; dv.select([[0.0], [1.0], [3.0]], 2); print(*sys.modules)"
    assert not set(HEAVY) & set(fresh(code).split())


@pytest.mark.parametrize("name", dv.__all__)
def test_every_public_name_is_there_and_documented(name):
    thing = getattr(dv, name)
    if name != "METHODS":
        assert thing.__doc__
        assert thing.__doc__.strip()
        assert "<object" not in thing.__doc__
        assert not thing.__doc__.startswith(f"{name}(")  # a dataclass without words of its own


def test_nothing_public_is_missing_from_all():
    public = {
        name
        for name, thing in vars(dv).items()
        if not name.startswith("_")
        and getattr(thing, "__module__", "").startswith("diverset")
        and callable(thing)
    }
    assert public <= set(dv.__all__)
    assert set(dir(dv)) >= set(dv.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'selekt'"):
        dv.selekt  # noqa: B018


def test_small_selections_take_milliseconds():
    """BLAS threads must not make small calls slow: the best of many, far above what it takes."""
    X = np.random.default_rng(10).standard_normal((1000, 32))
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        dv.select(X, 20, kernel=dv.Linear(), method="greedy-map")
        best = min(best, time.perf_counter() - start)
    assert best < 0.05
