"""DiverseNystroem beside scikit-learn's Nystroem and beside diverset.select."""

from __future__ import annotations

import pickle

import numpy as np
import pools
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import diverset as dv
from diverset import DiverseNystroem
from diverset.kernels import Custom
from diverset.sampling import KDPP, SAMPLERS

X = np.random.default_rng(0).uniform(size=(60, 5))
Y = np.random.default_rng(1).uniform(size=(9, 5))

# name, settings away from the defaults, the kernel object that picks
NAMED = [
    ("rbf", {}, dv.Gaussian),
    ("rbf", {"gamma": 0.7}, dv.Gaussian),
    ("laplacian", {}, dv.Laplacian),
    ("laplacian", {"gamma": 0.3}, dv.Laplacian),
    ("linear", {}, dv.Linear),
    ("cosine", {}, dv.Cosine),
    ("poly", {}, dv.Polynomial),
    ("polynomial", {"gamma": 0.4, "coef0": 0.5, "degree": 2}, dv.Polynomial),
    ("polynomial", {"degree": 3.1}, Custom),
    ("polynomial", {"coef0": -0.2}, Custom),
    ("chi2", {}, dv.ChiSquared),
    ("chi2", {"gamma": 2.5}, dv.ChiSquared),
    ("sigmoid", {"gamma": 0.2, "coef0": 0.3}, Custom),
    ("additive_chi2", {}, dv.ChiSquared),
]
named = pytest.mark.parametrize(("name", "settings", "picks"), NAMED)
RANDOM = [name for name in SAMPLERS if name != "dpp"]


def _weighted_dot(x, y, weight=1.0):
    return weight * float(x @ y)


class Instead(np.random.RandomState):
    """Hands scikit-learn's Nystroem the landmarks that are wanted."""

    def __init__(self, landmarks):
        super().__init__(0)
        self.landmarks = landmarks

    def permutation(self, n):
        return np.concatenate([self.landmarks, np.setdiff1d(np.arange(n), self.landmarks)])


# --- a drop-in -----------------------------------------------------------------------------


@named
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_uniform_is_scikit_learns_nystroem(name, settings, picks, dtype):
    data, new = X.astype(dtype), Y.astype(dtype)
    options = {"kernel": name, "n_components": 4, "random_state": 3, **settings}
    ours = DiverseNystroem(method="uniform", **options).fit(data)
    theirs = Nystroem(**options).fit(data)
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    # eigenvalues cut off at 1e-12 blow rounding up a millionfold
    close = 1e-9 if dtype == np.float64 else 2e-2
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=close)
    assert ours.transform(new).dtype == ours.normalization_.dtype == dtype


def test_uniform_advances_a_random_state_as_scikit_learn_does():
    ours, theirs = np.random.RandomState(5), np.random.RandomState(5)
    for _ in range(2):
        mine = DiverseNystroem(n_components=7, method="uniform", random_state=ours).fit(X)
        their = Nystroem(n_components=7, random_state=theirs).fit(X)
        assert mine.component_indices_.tolist() == their.component_indices_.tolist()


@pytest.mark.parametrize("method", [*dv.METHODS, "rpcholesky"])
@pytest.mark.parametrize("sparse", [False, True])
def test_equal_landmarks_give_equal_features(method, sparse):
    data, new = (csr_matrix(X), csr_matrix(Y)) if sparse else (X, Y)
    ours = DiverseNystroem(gamma=0.8, n_components=8, method=method, random_state=0).fit(data)
    instead = Instead(ours.component_indices_)
    theirs = Nystroem(gamma=0.8, n_components=8, random_state=instead).fit(data)
    np.testing.assert_allclose(ours.normalization_, theirs.normalization_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-10)


def test_the_parameters_are_those_of_nystroem_and_method():
    ours, theirs = DiverseNystroem().get_params(), Nystroem().get_params()
    assert ours == {**theirs, "method": "deterministic-kdpp"}


def test_the_tags_are_those_of_nystroem_and_pairwise():
    tags = DiverseNystroem().__sklearn_tags__()
    assert tags.transformer_tags == Nystroem().__sklearn_tags__().transformer_tags
    assert tags.input_tags.sparse
    assert not tags.input_tags.pairwise
    assert DiverseNystroem("precomputed").__sklearn_tags__().input_tags.pairwise


def test_more_components_than_rows_warn_in_scikit_learns_words():
    with pytest.warns(UserWarning, match=r"n_components > n_samples. This is not possible"):
        ours = DiverseNystroem(gamma=5.0).fit(X)
    assert sorted(ours.component_indices_) == list(range(len(X)))
    np.testing.assert_allclose(
        ours.transform(X) @ ours.transform(X).T, pairwise_kernels(X, metric="rbf", gamma=5.0)
    )


def test_components_past_the_rank_warn():
    with pytest.warns(UserWarning, match=r"Only 5 of k=7 items add anything new"):
        DiverseNystroem(kernel="linear", n_components=7).fit(X)


# --- which rows ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "settings", "picks"), [*NAMED, ("rbf", {"gamma": 0.0}, Custom)])
def test_a_name_picks_by_the_formula_that_it_transforms_with(name, settings, picks):
    ours = DiverseNystroem(kernel=name, n_components=4, method="uniform", **settings).fit(X)
    assert type(ours.kernel_) is picks
    wanted = pairwise_kernels(X, Y, metric=name, **settings)
    if name == "additive_chi2":  # minus a squared distance is no kernel to pick by
        wanted = np.exp(wanted)
    np.testing.assert_allclose(ours.kernel_(X, Y), wanted, rtol=1e-12)


@pytest.mark.parametrize(("name", "settings", "picks"), [c for c in NAMED if c[1] != {"coef0": -0.2}])
@pytest.mark.parametrize("method", [*dv.METHODS, "rpcholesky"])
def test_every_name_goes_with_every_method(name, settings, picks, method):
    # a warning, that nothing is left to pick by, would fail it
    skin = DiverseNystroem(name, n_components=3, method=method, random_state=0, **settings)
    assert len(set(skin.fit(X).component_indices_)) == 3
    assert skin.transform(Y).shape == (9, 3)


@pytest.mark.parametrize("method", [*dv.METHODS, dv.DAS(gamma=1e-2), dv.FarthestPoint(start=3)])
def test_deterministic_landmarks_are_those_of_select(method):
    ours = DiverseNystroem(gamma=0.5, n_components=6, method=method).fit(X)
    assert ours.component_indices_.tolist() == list(
        dv.select(X, 6, kernel=dv.Gaussian(bandwidth=1.0), method=method)
    )


@pytest.mark.parametrize("kernel", [dv.Gaussian(), dv.Matern(nu=2.5), dv.Tanimoto(), dv.Linear()])
def test_kernel_objects_learn_from_the_training_rows_only(kernel):
    ours = DiverseNystroem(kernel=kernel, n_components=4).fit(X)
    assert ours.component_indices_.tolist() == list(dv.select(X, 4, kernel=kernel))
    assert ours.kernel_ == kernel.resolve(X)
    wanted = dv.Nystrom(X, ours.component_indices_, kernel=kernel)
    K_hat = ours.transform(Y) @ ours.transform(X).T
    np.testing.assert_allclose(K_hat, wanted.features(Y) @ wanted.features(X).T, atol=1e-9)


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-map", "rpcholesky"])
def test_a_function_of_two_rows_is_called_with_its_kernel_params(method):
    options = {"n_components": 4, "method": method, "random_state": 0}
    by_function = DiverseNystroem(_weighted_dot, kernel_params={"weight": 2.5}, **options).fit(X)
    by_name = DiverseNystroem("linear", **options).fit(X)
    assert by_function.component_indices_.tolist() == by_name.component_indices_.tolist()
    np.testing.assert_allclose(by_function.transform(Y), 2.5**0.5 * by_name.transform(Y))


def test_sparse_rows_pick_as_dense_ones_do():
    for name in ("rbf", "linear", "cosine", "laplacian"):
        dense, sparse = (DiverseNystroem(name, n_components=4).fit(rows) for rows in (X, csr_matrix(X)))
        assert dense.component_indices_.tolist() == sparse.component_indices_.tolist(), name


def test_n_jobs_reaches_scikit_learn(monkeypatch):
    asked = []

    def spy(*args, n_jobs, **options):
        asked.append(n_jobs)
        return pairwise_kernels(*args, n_jobs=n_jobs, **options)

    monkeypatch.setattr("diverset.estimators.pairwise_kernels", spy)
    DiverseNystroem(n_components=4, n_jobs=2).fit(X).transform(Y)
    assert asked == [2, 2]


def test_kernel_params_are_not_written_to():
    given = {"gamma": 0.1, "degree": None}
    ours = DiverseNystroem(gamma=0.9, kernel_params=given, n_components=3).fit(X)
    assert given == {"gamma": 0.1, "degree": None}
    assert ours.kernel_ == dv.Gaussian(bandwidth=1.8**-0.5)


# --- random methods ------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*RANDOM, KDPP()], ids=str)
def test_random_landmarks_follow_random_state(method):
    def landmarks(random_state):
        ours = DiverseNystroem(gamma=3.0, n_components=6, method=method, random_state=random_state)
        return ours.fit(X).component_indices_.tolist()

    assert landmarks(0) == landmarks(0) == landmarks(np.random.RandomState(0))
    state = np.random.RandomState(0)
    draws = [landmarks(state), landmarks(state), landmarks(1), landmarks(None)]
    assert len({tuple(draw) for draw in draws}) == 4
    assert all(len(set(draw)) == 6 for draw in draws)


def test_deterministic_landmarks_ignore_random_state():
    picks = {
        tuple(DiverseNystroem(n_components=6, random_state=seed).fit(X).component_indices_)
        for seed in (0, 1, None)
    }
    assert len(picks) == 1


# --- a precomputed kernel ------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [np.asarray, csr_matrix])
@pytest.mark.parametrize("kernel", ["precomputed", dv.Precomputed()])
@pytest.mark.parametrize("method", ["deterministic-kdpp", "derandomized", "uniform", "kdpp"])
def test_precomputed_equals_the_kernel_by_name(wrap, kernel, method):
    options = {"n_components": 7, "method": method, "random_state": 0}
    named = DiverseNystroem(gamma=2.0, **options).fit(X)
    K, K_new = (pairwise_kernels(rows, X, metric="rbf", gamma=2.0) for rows in (X, Y))
    given = DiverseNystroem(kernel, **options).fit(wrap(K))
    assert given.component_indices_.tolist() == named.component_indices_.tolist()
    np.testing.assert_allclose(given.transform(wrap(K_new)), named.transform(Y), atol=1e-9)
    assert given.components_.shape == (7, len(X))


def test_precomputed_is_sliced_on_both_sides_in_cross_validation():
    digits, y = load_digits(return_X_y=True)
    digits, y = digits[:300], y[:300]
    K = pairwise_kernels(digits, metric="rbf", gamma=1e-3)
    scores = [
        cross_val_score(make_pipeline(skin, RidgeClassifier()), rows, y, cv=3)
        for skin, rows in [
            (DiverseNystroem("precomputed", n_components=40), K),
            (DiverseNystroem(gamma=1e-3, n_components=40), digits),
        ]
    ]
    np.testing.assert_allclose(*scores, atol=0.011)


# --- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"kernel": "rfb"}, ValueError, "Unknown kernel 'rfb'. Did you mean 'rbf'?"),
        ({"kernel": dv.Gaussian}, TypeError, "Type kernel=Gaussian()"),
        ({"kernel": 3}, TypeError, "got 3"),
        ({"kernel": dv.Gaussian(), "gamma": 1.0}, ValueError, "Don't pass gamma, coef0 or degree"),
        ({"kernel": _weighted_dot, "degree": 2}, ValueError, "got {'degree': 2}"),
        ({"gamma": -0.1}, ValueError, "gamma must be at least 0, got gamma=-0.1"),
        ({"kernel": "poly", "degree": 0}, ValueError, "degree must be at least 1, got degree=0"),
        ({"method": "rpcholeski"}, ValueError, "Did you mean 'rpcholesky'?"),
        ({"method": dv.GreedyMAP}, TypeError, "such as GreedyMAP()"),
        ({"method": KDPP}, TypeError, "method must be a name or a method object"),
        ({"method": "dpp"}, ValueError, 'Type method="kdpp"'),
        ({"n_components": 0}, ValueError, "n_components must be at least 1, got n_components=0"),
        ({"n_components": 2.5}, TypeError, "n_components must be a whole number"),
    ],
    ids=pools.name_of,
)
def test_refusals_say_what_to_type(options, error, words):
    with pytest.raises(error) as refusal:
        DiverseNystroem(**{"n_components": 4, **options}).fit(X)
    assert words in str(refusal.value)


@pytest.mark.parametrize("method", ["uniform", "deterministic-kdpp"])
def test_a_precomputed_kernel_has_as_many_columns_as_rows(method):
    with pytest.raises(ValueError, match=r"must be \(n, n\) in fit, got shape \(60, 5\)"):
        DiverseNystroem("precomputed", n_components=4, method=method).fit(X)


def test_precomputed_wants_all_training_rows_in_transform():
    ours = DiverseNystroem("precomputed", n_components=4).fit(X @ X.T)
    with pytest.raises(ValueError, match="expecting 60 features"):
        ours.transform((Y @ X.T)[:, ours.component_indices_])


# --- among scikit-learn's tools ------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", ["rbf", "laplacian", "poly", dv.Matern(), _weighted_dot], ids=pools.name_of
)
@pytest.mark.parametrize("method", ["deterministic-kdpp", dv.DAS(gamma=1e-2), "kdpp"], ids=str)
def test_it_survives_clone_and_pickle(kernel, method):
    ours = DiverseNystroem(kernel, n_components=4, method=method, random_state=0)
    assert clone(ours).get_params() == ours.get_params()
    ours.fit(X)
    again = pickle.loads(pickle.dumps(ours))  # noqa: S301  our own bytes
    np.testing.assert_array_equal(again.transform(Y), ours.transform(Y))
    np.testing.assert_array_equal(clone(ours).fit(X).transform(Y), ours.transform(Y))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_with_names(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({name: X[:, at] for at, name in enumerate("abcde")})
    ours = DiverseNystroem(n_components=3).set_output(transform=library)
    out = ours.fit_transform(frame)
    assert isinstance(out, frames.DataFrame)
    names = [f"diversenystroem{at}" for at in range(3)]
    assert list(out.columns) == ours.get_feature_names_out().tolist() == names
    # which frames have names that count is up to the release of scikit-learn
    theirs = Nystroem(n_components=3).fit(frame)
    assert np.array_equal(*(getattr(skin, "feature_names_in_", None) for skin in (ours, theirs)))
    assert ours.n_features_in_ == 5


def test_methods_can_be_searched_over():
    digits, y = load_digits(return_X_y=True)
    model = make_pipeline(DiverseNystroem(gamma=1e-3, random_state=0), RidgeClassifier())
    methods = ["deterministic-kdpp", "rpcholesky", "uniform", dv.DerandomizedKDPP()]
    grid = {"diversenystroem__method": methods, "diversenystroem__n_components": [5, 30]}
    search = GridSearchCV(model, grid, cv=2).fit(digits[:300], y[:300])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_["diversenystroem__n_components"] == 30


def test_diverse_landmarks_classify_digits_no_worse_than_uniform_ones():
    digits, y = load_digits(return_X_y=True)
    digits = digits / 16

    def accuracy(method, random_state=0):
        skin = DiverseNystroem(gamma=0.05, n_components=20, method=method, random_state=random_state)
        model = make_pipeline(skin, SGDClassifier(alpha=1e-4, random_state=0))
        return model.fit(digits[:1000], y[:1000]).score(digits[1000:], y[1000:])

    uniform = np.mean([accuracy("uniform", seed) for seed in range(6)])
    assert accuracy("deterministic-kdpp") > uniform + 0.005  # 0.894 and 0.879 when written
    assert accuracy("derandomized") > uniform + 0.015  # 0.909


def test_diverse_landmarks_keep_more_of_the_trace_than_any_uniform_ones():
    digits = load_digits(return_X_y=True)[0][:1000] / 16

    def kept(method, random_state=0):
        skin = DiverseNystroem(gamma=0.05, n_components=20, method=method, random_state=random_state)
        return (skin.fit_transform(digits) ** 2).sum() / len(digits)

    uniform = max(kept("uniform", seed) for seed in range(6))
    assert kept("deterministic-kdpp") > uniform + 0.01  # 0.851 and 0.831 when written
    assert kept("derandomized") > uniform + 0.02  # 0.868
