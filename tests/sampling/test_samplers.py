"""What holds for every random method, and what each refuses."""

from __future__ import annotations

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from diverset.kernels import Gaussian, Linear, Precomputed, kernel_matrix
from diverset.sampling import DPP, KDPP, MCMCKDPP, SAMPLERS, RidgeLeverageSampling, RPCholesky
from diverset.sampling.draws import thin

X = np.random.default_rng(0).normal(size=(300, 3))
every = pytest.mark.parametrize("name", SAMPLERS)
fixed_size = pytest.mark.parametrize("name", sorted(set(SAMPLERS) - {"dpp"}))


def prepared(name, k=12, X=X, kernel=Gaussian(bandwidth=0.6), **options):  # noqa: B008  frozen
    K = kernel_matrix(X, kernel, **options)
    return SAMPLERS[name]().prepare(K, None if name == "dpp" else k)


# --- conformance ----------------------------------------------------------------------------


@every
def test_draws_are_distinct_rows_in_range(name):
    sampler, rng = prepared(name), np.random.default_rng(1)
    for _ in range(20):
        items = sampler.draw(rng)
        assert items.dtype == np.int64
        assert len(np.unique(items)) == len(items)
        assert items.min() >= 0
        assert items.max() < 300
        assert name == "dpp" or len(items) == 12


@every
def test_the_same_seed_gives_the_same_draws(name):
    one, two = prepared(name), prepared(name)
    first = [one.draw(rng).tolist() for rng in [np.random.default_rng(7)] for _ in range(4)]
    again = [two.draw(rng).tolist() for rng in [np.random.default_rng(7)] for _ in range(4)]
    assert first == again
    assert len({tuple(items) for items in first}) == 4


@every
def test_a_draw_does_not_depend_on_the_draws_before_it(name):
    """What was computed for earlier draws is kept, and must not show."""
    sampler = prepared(name)
    fresh = sampler.draw(3).tolist()
    for seed in range(10):
        sampler.draw(seed)
    assert sampler.draw(3).tolist() == fresh


@every
def test_a_copied_input_gives_the_same_draw_and_is_not_written_to(name):
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    assert prepared(name, X=frozen).draw(5).tolist() == prepared(name).draw(5).tolist()
    assert np.array_equal(frozen, X)


@fixed_size
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (9, 9)])
def test_tiny_pools(name, n, k):
    items = prepared(name, k=k, X=X[:n]).draw(0)
    assert len(set(items.tolist())) == k


@every
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_scale_of_the_kernel_is_no_obstacle(name, scale):
    matrix = kernel_matrix(X[:40], Gaussian(bandwidth=0.6)).dense() * scale
    items = prepared(name, k=6, X=matrix, kernel=Precomputed()).draw(0)
    assert len(set(items.tolist())) == len(items)


@every
def test_methods_are_frozen_comparable_and_printable(name):
    method = SAMPLERS[name]
    assert method.name == name
    assert method() == method()
    assert repr(method()).startswith(method.__name__ + "(")
    with pytest.raises(FrozenInstanceError):
        method().gamma = 1.0


@fixed_size
def test_a_method_that_needs_k_says_so(name):
    with pytest.raises(ValueError, match=rf"{name} needs to know how many.*k=10"):
        SAMPLERS[name]().prepare(kernel_matrix(X[:9]), None)


@fixed_size
@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (10, ValueError), (3.0, TypeError)])
def test_a_k_that_cannot_be(name, k, error):
    with pytest.raises(error, match=r"k must be|k=10"):
        SAMPLERS[name]().prepare(kernel_matrix(X[:9]), k)


def test_dpp_refuses_k_and_names_the_way():
    with pytest.raises(ValueError, match=r'got k=5\. Type method="kdpp" for exactly 5'):
        DPP().prepare(kernel_matrix(X[:9]), 5)


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, "small", True])
def test_a_gamma_that_cannot_be(gamma):
    with pytest.raises(ValueError, match="gamma > 0"):
        RidgeLeverageSampling(gamma=gamma)


@pytest.mark.parametrize(("steps", "error"), [(-1, ValueError), (2.5, TypeError)])
def test_steps_that_cannot_be(steps, error):
    with pytest.raises(error, match="steps"):
        MCMCKDPP(steps=steps)


# --- at and past the numerical rank ---------------------------------------------------------


@pytest.mark.parametrize("method", [KDPP(), MCMCKDPP()])
def test_exact_methods_name_the_rank(method):
    with pytest.raises(ValueError, match=r"rank 3.*Type k=3 or less"):
        method.prepare(kernel_matrix(X, Linear()), 4)
    assert len(set(method.prepare(kernel_matrix(X, Linear()), 3).draw(0).tolist())) == 3


@pytest.mark.parametrize("copies", [1, 40])
def test_random_pivots_past_the_rank_neither_repeat_nor_pad_with_zeros(copies):
    pool = np.repeat(X[:8], copies, axis=0)
    sampler = RPCholesky().prepare(kernel_matrix(pool, Linear()), 6)
    for seed in range(50):
        with pytest.warns(UserWarning, match=r"After 3 of k=6 items.*Type k=3"):
            items = sampler.draw(seed)
        assert len(set(items.tolist())) == 6


def test_random_pivots_up_to_the_rank_come_without_a_warning():
    sampler = RPCholesky().prepare(kernel_matrix(X, Linear()), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(50):
            basis = X[sampler.draw(seed)]
            assert np.linalg.matrix_rank(basis) == 3


@pytest.mark.parametrize("name", ["kdpp", "rpcholesky", "mcmc-kdpp"])
def test_copies_of_an_item_do_not_come_together(name):
    pool = np.repeat(X[:30], 5, axis=0)
    for seed in range(5):
        items = prepared(name, k=20, X=pool).draw(seed)
        assert len(np.unique(items // 5)) == 20


def test_leverage_without_enough_directions_still_gives_k_items():
    K = kernel_matrix(np.diag([1.0, 1.0, 0.0, 0.0]), Precomputed())
    with pytest.warns(UserWarning, match="After 2 of k=3 items"):
        items = SAMPLERS["leverage-sampling"]().prepare(K, 3).draw(0)
    assert len(set(items.tolist())) == 3


def test_an_item_proposed_twice_is_accepted_once_whatever_rounding_says():
    items, stale = np.array([3, 3, 3]), np.ones(5)
    gram = np.ones((3, 3)) + 1e-3 * np.eye(3)  # rounding, exaggerated
    for seed in range(200):
        rng = np.random.default_rng(seed)
        assert len(thin(gram, items, stale, 0 * stale, 3, rng)[0]) <= 1


# --- cost -----------------------------------------------------------------------------------


def test_random_pivots_read_few_columns():
    K = kernel_matrix(X.repeat(4, axis=0) + np.arange(1200)[:, None] * 1e-4, Gaussian(bandwidth=0.6))
    RPCholesky().prepare(K, 30).draw(0)
    assert K.entries < 2 * 30 * 1200


def test_preparing_reads_the_matrix_and_drawing_does_not():
    K = kernel_matrix(X, Gaussian(bandwidth=0.6))
    sampler = KDPP().prepare(K, 10)
    entries = K.entries
    sampler.draw(0)
    sampler.draw(1)
    assert K.entries == entries


def test_a_swap_reads_k_entries():
    K = kernel_matrix(X, Gaussian(bandwidth=0.6), memory=0)
    sampler = MCMCKDPP(steps=80).prepare(K, 10)
    entries = K.entries
    sampler.draw(0)
    assert K.entries - entries <= 80 * 10 + 10 * 10


def test_the_swap_chain_works_where_determinants_underflow():
    """Its peer cannot even start here: det is 1e-1000."""
    K = kernel_matrix(1e-10 * np.eye(150) + 1e-12, Precomputed())
    items = MCMCKDPP(steps=2000).prepare(K, 100).draw(0)
    assert len(set(items.tolist())) == 100


def test_the_inverse_stays_accurate_over_many_swaps():
    from diverset.sampling import swap

    K = kernel_matrix(X, Gaussian(bandwidth=1.0))
    S, M = np.arange(20), np.linalg.inv(K.block(np.arange(20), np.arange(20)))
    rng = np.random.default_rng(0)
    for _ in range(60):
        s, t = rng.integers(20), rng.choice(np.setdiff1d(np.arange(300), S))
        b = K.block([t], S)[0]
        b[s] = 0.0
        shared = M @ b
        ratio = M[s, s] * (1.0 - b @ shared) + shared[s] ** 2
        swapped = S.copy()
        swapped[s] = t
        direct = np.linalg.slogdet(K.block(swapped, swapped))[1] - np.linalg.slogdet(K.block(S, S))[1]
        assert np.log(ratio) == pytest.approx(direct, abs=1e-5)
        if ratio > 0.5:
            M, S = swap._swapped(M, s, shared, ratio), swapped
    assert M @ K.block(S, S) == pytest.approx(np.eye(20), abs=1e-6)
