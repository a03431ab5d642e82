"""Every kernel is its formula, and the lazy matrix is the plain one, entry by entry."""

from __future__ import annotations

import mpmath
import numpy as np
import oracle
import pools
import pytest
import scipy.sparse
from scipy.spatial.distance import pdist
from sklearn.gaussian_process.kernels import Matern as SklearnMatern
from sklearn.metrics import pairwise

import diverset as dv

CASES = pytest.mark.parametrize("case", pools.KERNELS.values(), ids=pools.KERNELS)
SPARSE = [
    dv.Gaussian(1.3),
    dv.Linear(),
    dv.Cosine(),
    dv.Polynomial(degree=3, gamma=0.2, coef0=0.5),
]


def items(case, n=23, d=4, seed=1):
    return case.prepare(np.random.default_rng(seed).standard_normal((n, d)))


# --- formulas -------------------------------------------------------------------------------

x, y = [1.0, 4.0], [3.0, 1.0]  # ||x - y||^2 = 13, ||x - y||_1 = 5, x.y = 7, |x|^2 = 17, |y|^2 = 10
BY_HAND = [
    (dv.Gaussian(bandwidth=3.0), np.exp(-13 / 18)),
    (dv.Gaussian(bandwidth=0.5), np.exp(-26.0)),
    (dv.Laplacian(bandwidth=4.0), np.exp(-1.25)),
    (dv.Matern(bandwidth=2.0, nu=0.5), np.exp(-np.sqrt(13) / 2)),
    (dv.Matern(bandwidth=2.0, nu=1.5), (1 + np.sqrt(39) / 2) * np.exp(-np.sqrt(39) / 2)),
    (
        dv.Matern(bandwidth=2.0, nu=2.5),
        (1 + np.sqrt(65) / 2 + 65 / 12) * np.exp(-np.sqrt(65) / 2),
    ),
    (dv.Linear(), 7.0),
    (dv.Cosine(), 7 / np.sqrt(170)),
    (dv.Polynomial(degree=4, gamma=0.5, coef0=2.5), 6.0**4),
    (dv.Polynomial(degree=2, coef0=0.5), 4.0**2),  # gamma is 1 / 2 columns
    (dv.HistogramIntersection(), 2.0),
    (dv.ChiSquared(gamma=0.5), np.exp(-0.5 * (4 / 4 + 9 / 5))),
    (dv.Tanimoto(), 2 / 7),
    (lambda X, Y: 3.0 * X @ Y.T, 21.0),
]


@pytest.mark.parametrize(("kernel", "value"), BY_HAND, ids=pools.name_of)
def test_two_items_by_hand(kernel, value):
    K = dv.kernel_matrix([x, y], kernel)
    assert K.dense()[0, 1] == pytest.approx(value, rel=1e-14)
    assert K.block([0], [1])[0, 0] == pytest.approx(value, rel=1e-14)


@CASES
def test_the_formula_on_many_items(case):
    X, Y = items(case), items(case, n=11, seed=2)
    np.testing.assert_allclose(case.kernel(X), case.formula(X, X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(case.kernel(X, Y), case.formula(X, Y), rtol=1e-12, atol=1e-15)


PEERS = [
    (dv.Gaussian(1.7), lambda X, Y: pairwise.rbf_kernel(X, Y, gamma=1 / (2 * 1.7**2))),
    (dv.Laplacian(1.7), lambda X, Y: pairwise.laplacian_kernel(X, Y, gamma=1 / 1.7)),
    (dv.Matern(1.7, nu=0.5), SklearnMatern(length_scale=1.7, nu=0.5)),
    (dv.Matern(1.7, nu=1.5), SklearnMatern(length_scale=1.7, nu=1.5)),
    (dv.Matern(1.7, nu=2.5), SklearnMatern(length_scale=1.7, nu=2.5)),
    (dv.Linear(), pairwise.linear_kernel),
    (dv.Cosine(), pairwise.cosine_similarity),
    (dv.Polynomial(3, 0.4, 2.0), lambda X, Y: pairwise.polynomial_kernel(X, Y, 3, 0.4, 2.0)),
    (dv.Polynomial(), pairwise.polynomial_kernel),  # the same defaults
    (dv.ChiSquared(0.6), lambda X, Y: pairwise.chi2_kernel(X, Y, gamma=0.6)),
]


@pytest.mark.parametrize(("kernel", "peer"), PEERS, ids=pools.name_of)
def test_scikit_learn_has_the_same_numbers(kernel, peer):
    X = np.abs(np.random.default_rng(3).standard_normal((30, 5)))
    Y = np.abs(np.random.default_rng(4).standard_normal((12, 5)))
    np.testing.assert_allclose(kernel(X, Y), peer(X, Y), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", [dv.Cosine(), dv.Tanimoto(), dv.ChiSquared(2.0)])
def test_empty_rows_have_an_answer(kernel):
    """A zero vector is like no other; two empty fingerprints or histograms are alike."""
    K = kernel([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    expected = 0.0 if kernel == dv.Cosine() else 1.0
    assert K[0, 2] == expected
    assert np.isfinite(K).all()


# --- accuracy -------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6, 1e8])
@pytest.mark.parametrize("kernel", [dv.Gaussian(0.8), dv.Laplacian(0.8), dv.Matern(0.8)])
def test_rows_far_from_the_origin_lose_no_digits(shift, kernel):
    X = np.random.default_rng(5).standard_normal((6, 3)) + shift
    K = dv.kernel_matrix(X, kernel)
    with mpmath.workdps(40):
        exact = np.array([[float(_exact(kernel, a, b)) for b in X] for a in X])
    # a distance that holds 16 digits of the coordinates holds eps x shift of itself
    np.testing.assert_allclose(K.dense(), exact, rtol=1e-12, atol=3e-16 * (1 + 3 * shift))


def _exact(kernel, a, b):
    gaps = [mpmath.mpf(float(p)) - mpmath.mpf(float(q)) for p, q in zip(a, b, strict=True)]
    squares, width = sum(g**2 for g in gaps), mpmath.mpf(kernel.bandwidth)
    if isinstance(kernel, dv.Gaussian):
        return mpmath.exp(-squares / (2 * width**2))
    if isinstance(kernel, dv.Laplacian):
        return mpmath.exp(-sum(abs(g) for g in gaps) / width)
    r = mpmath.sqrt(3 * squares) / width
    return (1 + r) * mpmath.exp(-r)


@pytest.mark.parametrize("shift", [0.0, 30.0, 100.0])
def test_the_diagonal_of_a_gaussian_is_one_wherever_it_is_asked(shift):
    X = np.random.default_rng(6).standard_normal((50, 7)) + shift
    K = dv.kernel_matrix(X, dv.Gaussian(1.0))
    assert (K.diagonal() == 1.0).all()
    assert (np.diagonal(K.dense()) == 1.0).all()
    np.testing.assert_allclose(np.diagonal(K.block(slice(None), slice(None))), 1.0, rtol=1e-11)


# --- the lazy matrix ------------------------------------------------------------------------


@CASES
@pytest.mark.parametrize("memory", [dv.kernels.MEMORY, 0], ids=["formed", "never formed"])
@pytest.mark.parametrize("quality", [None, "varied"])
def test_the_lazy_matrix_is_the_plain_one(case, memory, quality):
    X = items(case)
    n = len(X)
    weights = None if quality is None else np.linspace(0.0, 3.0, n)
    expected = case.formula(X, X)
    if weights is not None:
        expected = weights[:, None] * expected * weights
    K = dv.kernel_matrix(X, case.kernel, memory=memory, quality=weights)
    rows, cols = np.array([4, 0, 22]), np.array([7, 4])
    V = np.random.default_rng(7).standard_normal((n, 3))
    same = {"rtol": 1e-11, "atol": 1e-13}
    assert K.shape == (n, n)
    assert K.fits is (memory > 0)
    np.testing.assert_allclose(K.diagonal(), np.diagonal(expected), **same)
    np.testing.assert_allclose(K.block(rows, cols), expected[np.ix_(rows, cols)], **same)
    np.testing.assert_allclose(K.block(slice(2, 9), slice(None)), expected[2:9], **same)
    np.testing.assert_allclose(K.columns(cols), expected[:, cols], **same)
    np.testing.assert_allclose(K.matmul(V), expected @ V, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(K.row_squares(), np.sum(expected**2, axis=1), **same)
    assert K.frobenius2() == pytest.approx(np.sum(expected**2), rel=1e-12)
    if memory:
        np.testing.assert_allclose(K.dense(), expected, **same)
        assert not K.dense().flags.writeable
    else:
        with pytest.raises(ValueError, match=r"budget.*memory=\d+"):
            K.dense()
    F = K.factor()
    if F is not None:
        np.testing.assert_allclose(F @ F.T, expected, **same)


def test_entries_are_counted_one_by_one():
    X = np.random.default_rng(8).standard_normal((200, 3))
    K = dv.kernel_matrix(X, dv.Gaussian(1.0), memory=0)
    steps = [
        (K.diagonal, 0),  # known without any entry
        (lambda: K.block([1, 2], [3, 4, 5]), 6),
        (lambda: K.columns([0, 9]), 400),
        (lambda: K.matmul(np.ones((200, 2))), 40_000),
        (lambda: K.matmul(np.ones((200, 2))), 40_000),  # beyond the budget: computed again
        (K.row_squares, 40_000),
    ]
    for step, cost in steps:
        before = K.entries
        step()
        assert K.entries - before == cost
    formed = dv.kernel_matrix(X, dv.Gaussian(1.0))
    for _ in range(3):
        formed.dense()
        formed.matmul(np.ones((200, 2)))
        formed.columns([5])
    assert formed.entries == 40_000  # computed once


@pytest.mark.parametrize("kernel", SPARSE, ids=repr)
@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_sparse_rows_give_the_dense_numbers(kernel, make):
    rng = np.random.default_rng(9)
    X = rng.standard_normal((40, 60)) * (rng.random((40, 60)) < 0.1)
    X[5] = X[31]
    S = make(X)
    np.testing.assert_allclose(kernel(S), kernel(X), rtol=1e-12, atol=1e-14)
    lazy, plain = dv.kernel_matrix(S, kernel), dv.kernel_matrix(X, kernel)
    V = rng.standard_normal((40, 2))
    np.testing.assert_allclose(lazy.matmul(V), plain.matmul(V), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(lazy.row_squares(), plain.row_squares(), rtol=1e-10)
    assert lazy.same(5, np.array([4, 5, 31])).tolist() == [False, True, True]
    for method in ("deterministic-kdpp", "greedy-map"):
        assert list(dv.select(S, 5, kernel=kernel, method=method)) == list(
            dv.select(X, 5, kernel=kernel, method=method)
        )


def test_the_median_bandwidth_is_a_plain_median_and_can_be_read_back():
    X = np.random.default_rng(10).standard_normal((80, 3))
    assert dv.Gaussian().resolve(X).bandwidth == pytest.approx(np.median(pdist(X)))
    taxi = np.median(pdist(X, "cityblock"))
    assert dv.Laplacian().resolve(X).bandwidth == pytest.approx(taxi)
    picks = dv.select(X, 4)
    assert picks.kernel.bandwidth == pytest.approx(np.median(pdist(X)))
    assert dv.Gaussian(2.0).resolve(X) == dv.Gaussian(2.0)


def test_the_median_of_many_rows_is_close_to_that_of_all_and_always_the_same():
    X = np.random.default_rng(11).standard_normal((3000, 3))
    width = dv.Gaussian().resolve(X).bandwidth
    assert width == pytest.approx(np.median(pdist(X)), rel=0.02)
    assert dv.Gaussian().resolve(np.asfortranarray(X)).bandwidth == width


def test_the_median_of_copies_is_never_zero():
    assert dv.Gaussian().resolve(np.ones((9, 2))).bandwidth > 0
    mostly = np.zeros((30, 1))
    mostly[:3, 0] = [1.0, 2.0, 5.0]
    assert dv.Gaussian().resolve(mostly).bandwidth > 0


def test_a_function_is_a_kernel():
    X = np.random.default_rng(12).standard_normal((30, 3))

    def function(A, B):
        return oracle.laplacian(np.asarray(A), np.asarray(B), 2.2)

    for method in ("deterministic-kdpp", "greedy-map", "greedy-trace", "farthest-point"):
        ours = dv.select(X, 6, kernel=dv.Laplacian(2.2), method=method)
        assert list(dv.select(X, 6, kernel=function, method=method)) == list(ours)


def test_a_precomputed_matrix_is_taken_as_it_is():
    X = np.random.default_rng(13).standard_normal((30, 3))
    K = oracle.matern(X, X, 1.9, 2.5)
    for method in oracle.METHODS:
        ours = dv.select(X, 6, kernel=dv.Matern(1.9, nu=2.5), method=method)
        given = dv.select(K, 6, kernel=dv.Precomputed(), method=method)
        assert list(given) == list(ours)
        scaled = dv.select(K * 1e6, 6, kernel=dv.Precomputed(), method="deterministic-kdpp")
        assert list(scaled) == list(dv.select(X, 6, kernel=dv.Matern(1.9, nu=2.5)))
    assert dv.kernel_matrix(K, dv.Precomputed()).entries == 0
