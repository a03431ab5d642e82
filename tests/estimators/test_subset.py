"""DiverseSubset is diverset.select with scikit-learn's manners."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

import diverset as dv
from diverset import DiverseNystroem, DiverseSubset, Stop
from diverset.sampling import SAMPLERS

X = np.random.default_rng(0).uniform(size=(40, 5))
RANDOM = [name for name in SAMPLERS if name != "dpp"]


@pytest.mark.parametrize("method", [*dv.METHODS, dv.DAS(gamma=1e-3)], ids=str)
@pytest.mark.parametrize("kernel", [None, dv.Matern(), dv.Linear()], ids=str)
def test_it_picks_what_select_picks(method, kernel):
    k = 4
    subset = DiverseSubset(k, kernel=kernel, method=method).fit(X)
    picks = dv.select(X, k, kernel=kernel, method=method)
    assert subset.selected_indices_.tolist() == list(picks) == list(subset.selection_)
    assert subset.selection_.to_dict() == picks.to_dict()


@pytest.mark.parametrize(
    ("name", "params", "kernel"),
    [
        ("rbf", {"gamma": 0.5}, dv.Gaussian(bandwidth=1.0)),
        ("rbf", None, dv.Gaussian(bandwidth=2.5**0.5)),
        ("laplacian", {"gamma": 0.25}, dv.Laplacian(bandwidth=4.0)),
        ("poly", {"degree": 2, "coef0": 0.5}, dv.Polynomial(degree=2, coef0=0.5, gamma=0.2)),
        (lambda x, y, c: c * float(x @ y), {"c": 2.0}, dv.Linear()),
    ],
)
def test_names_and_functions_mean_what_they_do_in_scikit_learn(name, params, kernel):
    subset = DiverseSubset(4, kernel=name, kernel_params=params).fit(X)
    assert subset.selected_indices_.tolist() == list(dv.select(X, 4, kernel=kernel))


@pytest.mark.parametrize("method", RANDOM)
def test_draws_follow_random_state_and_say_so(method):
    subset = DiverseSubset(5, kernel="rbf", method=method, random_state=0).fit(X)
    again = clone(subset).fit(X).selected_indices_.tolist()
    assert len(set(again)) == 5
    assert subset.selected_indices_.tolist() == again
    assert clone(subset).set_params(random_state=1).fit(X).selected_indices_.tolist() != again
    if method != "uniform":  # which copies scikit-learn there
        nystroem = DiverseNystroem(n_components=5, method=method, random_state=0).fit(X)
        assert nystroem.component_indices_.tolist() == again
    selection = subset.selection_
    assert selection.stop is Stop.DRAWN
    assert not selection.certified
    assert np.isnan(selection.gains).all()
    kernel = dv.Gaussian(bandwidth=2.5**0.5)
    K = kernel(X[subset.selected_indices_])
    assert selection.log_det == pytest.approx(np.linalg.slogdet(K)[1])


def test_include_comes_first():
    subset = DiverseSubset(5, include=[7, 3]).fit(X)
    assert subset.selected_indices_.tolist() == list(dv.select(X, 5, include=[7, 3]))
    assert subset.selected_indices_[:2].tolist() == [7, 3]


@pytest.mark.parametrize("read", [csr_matrix, np.asfortranarray, lambda rows: rows.tolist()])
def test_the_container_does_not_matter(read):
    assert DiverseSubset(5).fit(read(X)).selected_indices_.tolist() == list(dv.select(X, 5))


@pytest.mark.parametrize("method", ["deterministic-kdpp", "rpcholesky"])
def test_a_frame_keeps_its_labels(method):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"), index=[f"row {i}" for i in range(len(X))])
    subset = DiverseSubset(4, method=method, random_state=0).fit(frame)
    assert list(subset.selection_.labels) == [f"row {i}" for i in subset.selected_indices_]
    assert subset.feature_names_in_.tolist() == list("abcde")


def test_a_precomputed_kernel_is_the_matrix():
    by_matrix = DiverseSubset(4, kernel="precomputed").fit(X @ X.T)
    assert by_matrix.selected_indices_.tolist() == list(dv.select(X, 4, kernel=dv.Linear()))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 0}, ValueError, "k must be between 1 and n_samples = 40, got k=0"),
        ({"k": 41}, ValueError, "k must be between 1 and n_samples = 40, got k=41"),
        ({"k": 2.0}, TypeError, "k must be a whole number"),
        ({"method": "gredy-map"}, ValueError, "Did you mean 'greedy-map'?"),
        ({"kernel": "gaussian"}, ValueError, "Unknown kernel 'gaussian'"),
        ({"include": [99]}, ValueError, "include holds row 99"),
        ({"include": [1], "method": "kdpp"}, ValueError, "include is for deterministic methods"),
        ({"kernel": "precomputed"}, ValueError, "must be (n, n) in fit, got shape (40, 5)"),
    ],
    ids=str,
)
def test_refusals_say_what_to_type(options, error, words):
    with pytest.raises(error) as refusal:
        DiverseSubset(**{"k": 4, **options}).fit(X)
    assert words in str(refusal.value)


@pytest.mark.parametrize("options", [{}, {"kernel": "sigmoid"}, {"method": dv.FarthestPoint()}], ids=str)
def test_it_survives_clone_and_pickle(options):
    subset = DiverseSubset(5, **options).fit(X)
    again = pickle.loads(pickle.dumps(subset))  # noqa: S301  our own bytes
    assert again.selection_.to_dict() == subset.selection_.to_dict()
    assert clone(subset).fit(X).selected_indices_.tolist() == subset.selected_indices_.tolist()


def test_scikit_learn_comes_only_with_the_skins():
    code = (
        "import sys, diverset as dv; assert 'sklearn' not in sys.modules; "
        "dv.DiverseSubset, dv.DiverseNystroem; assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
