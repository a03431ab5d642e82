"""One test that every method passes, and the few golden picks that no machine may change."""

from __future__ import annotations

import dataclasses
import pickle
import warnings

import numpy as np
import pools
import pytest
from sklearn.datasets import load_iris, load_wine

import diverset as dv
from diverset.greedy import new_direction

METHODS = pytest.mark.parametrize("method", dv.METHODS)
BOUNDED = {  # a gain of these is a share of a projector or filter
    "deterministic-kdpp",
    "das",
    "leverage",
    "ridge-leverage",
}


@METHODS
@pytest.mark.parametrize("kernel", [dv.Gaussian(), dv.Laplacian(2.0), dv.Linear(), dv.Cosine()], ids=repr)
def test_every_method_conforms(pool, method, kernel):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        picks, again = (dv.select(pool.X, pool.k, kernel=kernel, method=method) for _ in range(2))
    n, k = len(pool.X), pool.k
    assert list(picks) == list(again)  # deterministic
    np.testing.assert_array_equal(picks.gains, again.gains)
    assert len(picks) == len(set(picks)) == k  # distinct, and as many as asked for
    assert all(0 <= pick < n for pick in picks)
    for column in (picks.gains, picks.margins, picks.decided):
        assert column.shape == (k,)
        assert not np.isnan(column).any()
    assert (picks.gains >= 0).all()
    assert (picks.margins >= 0).all()
    assert picks.certified == picks.decided.all()
    assert (np.diff(picks.decided.astype(int)) <= 0).all()  # after a doubt, all depends on it
    assert picks.undecided is None or not picks.decided[picks.undecided]
    if method in BOUNDED:
        assert (picks.gains <= 1 + 1e-9).all()
    assert picks.method == dv.METHODS[method]()
    assert picks.kernel == kernel.resolve(pool.X)
    assert (picks.stop is dv.Stop.RANK) <= (not picks.certified)


@METHODS
def test_methods_are_frozen_comparable_and_picklable(method):
    made = dv.METHODS[method]()
    assert made == dv.METHODS[method]()
    assert hash(made) == hash(dv.METHODS[method]())
    assert made.name == method
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301  our own bytes
    assert repr(made).startswith(type(made).__name__)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        made.gamma = 3.0
    X = pools.POOLS["random"].X
    assert list(dv.select(X, 5, method=made)) == list(dv.select(X, 5, method=method))


@pytest.mark.parametrize("kernel", [case.kernel for case in pools.KERNELS.values()], ids=repr)
def test_kernels_are_frozen_comparable_and_picklable(kernel):
    assert kernel == dataclasses.replace(kernel)
    assert hash(kernel) == hash(dataclasses.replace(kernel))
    assert pickle.loads(pickle.dumps(kernel)) == kernel  # noqa: S301  our own bytes
    assert eval(repr(kernel), vars(dv)) == kernel  # noqa: S307  what is printed can be typed
    with pytest.raises(dataclasses.FrozenInstanceError):
        kernel.anything = 1


@METHODS
def test_the_order_of_columns_and_a_shift_of_all_rows_change_nothing(method):
    X = pools.POOLS["random"].X
    usual = dv.select(X, 8, kernel=dv.Gaussian(1.5), method=method)
    for moved in (X[:, ::-1], X + 3.0, -X):
        assert list(dv.select(moved, 8, kernel=dv.Gaussian(1.5), method=method)) == list(usual)


@METHODS
def test_the_order_of_rows_changes_the_numbers_not_the_items(method):
    X = pools.POOLS["random"].X
    order = np.random.default_rng(3).permutation(len(X))
    kernel = dv.Polynomial(degree=3, gamma=0.5)  # no ties: a diagonal of ones would be one for MAP
    usual = dv.select(X, 8, kernel=kernel, method=method)
    shuffled = dv.select(X[order], 8, kernel=kernel, method=method)
    assert order[list(shuffled)].tolist() == list(usual)


GOLDEN = {
    ("iris", "deterministic-kdpp"): [131, 15, 118, 41, 68, 106, 100, 13, 31, 65],
    ("iris", "das"): [131, 15, 41, 118, 106, 62, 100, 22, 50, 36],
    ("iris", "greedy-map"): [0, 118, 60, 131, 70, 15, 41, 87, 106, 50],
    ("iris", "greedy-trace"): [78, 7, 139, 80, 48, 108, 138, 117, 8, 122],
    ("iris", "derandomized"): [2, 115, 72, 130, 117, 91, 17, 33, 80, 66],
    ("iris", "leverage"): [131, 117, 41, 15, 118, 122, 33, 109, 60, 13],
    ("iris", "ridge-leverage"): [41, 131, 15, 118, 117, 60, 106, 109, 14, 135],
    ("iris", "farthest-point"): [15, 118, 41, 85, 131, 119, 24, 114, 76, 60],
    ("wine", "deterministic-kdpp"): [131, 91, 11, 17, 56, 138, 97, 166, 102, 18],
    ("wine", "das"): [121, 110, 59, 69, 73, 158, 115, 96, 13, 123],
    ("wine", "greedy-trace"): [35, 148, 106, 5, 162, 131, 38, 125, 86, 34],
    ("wine", "derandomized"): [56, 131, 12, 53, 148, 91, 125, 138, 34, 97],
    ("wine", "leverage"): [131, 133, 150, 91, 11, 20, 12, 56, 17, 4],
}


@pytest.mark.parametrize(("data", "method"), GOLDEN)
def test_golden_picks(data, method):
    """A change of any of these is a change of the method: it belongs in the changelog."""
    X = {"iris": load_iris, "wine": load_wine}[data]().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    picks = dv.select(X, 10, kernel=dv.Gaussian(2.0), method=method)
    assert picks.certified
    first = 1 if method == "greedy-map" else 0  # K_ii = 1 for all: an exact tie, by the rule
    assert picks.margins[first:].min() > 1e-5  # so wide that no other BLAS can flip one
    assert list(picks) == GOLDEN[data, method]


# --- the tie rule and the engine, on their own ---------------------------------------------------


@pytest.mark.parametrize("method", ["greedy-map", "das", "greedy-trace", "ridge-leverage", "farthest-point"])
@pytest.mark.parametrize(
    ("step", "expected"), [(1e-12, [0, 1, 2, 3]), (1e-10, [0, 1, 2, 3]), (1e-7, [8, 7, 6, 5])]
)
def test_gains_within_a_billionth_are_a_tie_and_beyond_they_are_not(method, step, expected):
    """Nine items, each a little larger than the one before: rounding must not choose.

    The methods that look at eigenvectors are left out: with eigenvalues that close those are open.
    """
    scale = 1e-3 if method == "das" else 1.0  # its filter flattens what is large
    K = scale * np.diag(1.0 + step * np.arange(9.0))
    picks = dv.select(K, 4, kernel=dv.Precomputed(), method=method)
    assert list(picks) == expected
    assert picks.certified


@pytest.mark.parametrize("apart", [1e-2, 1e-5, 1e-9])
def test_directions_stay_orthonormal_however_close_the_rows(apart):
    rng = np.random.default_rng(6)
    rows = rng.standard_normal(30) + apart * rng.standard_normal((12, 30))
    Q = np.empty((0, 30))
    for row in rows:
        Q = np.vstack([Q, new_direction(row, Q)])
    np.testing.assert_allclose(Q @ Q.T, np.eye(12), atol=1e-14)
