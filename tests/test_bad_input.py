"""Every refusal says what came, what was wanted and what to type; nothing fails silently."""

from __future__ import annotations

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import diverset as dv

X = np.random.default_rng(1).standard_normal((12, 3))
K = oracle.gaussian(X, X, 1.2)
LABELS = list("aaaabbbbcccc")


def changed(at, value, source=X):
    """A copy with one entry changed."""
    new = np.array(source, dtype=np.result_type(source, type(value)))
    new[at] = value
    return new


def both(matrix, i, j, value):
    return changed((j, i), value, changed((i, j), value, matrix))


# A matrix whose 2 x 2 minors are all fine, and that is indefinite all the same.
SNEAKY = np.eye(3) + 0.9 * np.array([[0, 1, 1], [1, 0, -1], [1, -1, 0]])

REFUSED = {
    # --- the items: (call, exception, words that the message must contain) -----------------
    "a missing value": (lambda: dv.select(changed((7, 2), np.nan), 3), "NaN row_7, column_2"),
    "the first of many": (
        lambda: dv.select(changed((9, 0), np.inf, changed((4, 1), np.nan)), 3),
        "2_values NaN row_4, column_1",
    ),
    "infinity": (lambda: dv.select(changed((0, 1), -np.inf), 3), "-inf row_0, column_1"),
    "a missing value in a frame": (
        lambda: dv.select(pd.DataFrame(changed((7, 2), np.nan), columns=["a", "b", "price"]), 3),
        "row_7 'price' dropna",
    ),
    "a missing value of a nullable type": (
        lambda: dv.select(pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")}), 2),
        "row_1 'n'",
    ),
    "a missing value in polars": (
        lambda: dv.select(pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, None, 2.0]}), 2),
        "row_1 'b'",
    ),
    "a missing value in a sparse matrix": (
        lambda: dv.select(scipy.sparse.csr_array(changed((5, 1), np.nan)), 3, kernel=dv.Linear()),
        "NaN row_5, column_1",
    ),
    "a masked value": (
        lambda: dv.select(np.ma.masked_array(X, mask=np.isclose(X, X.max())), 3),
        "masked first X.filled",
    ),
    "no items": (lambda: dv.select(np.empty((0, 3)), 1), "0_rows (0,_3) minimum_of_1"),
    "no columns": (lambda: dv.select(np.empty((5, 0)), 1), "0_columns (5,_0) minimum_of_1"),
    "one dimension": (lambda: dv.select(X[:, 0], 3), "two_dimensions (12,) X.reshape(-1,_1)"),
    "three dimensions": (lambda: dv.select(X[None], 3), "two_dimensions (1,_12,_3)"),
    "a number": (lambda: dv.select(5.0, 3), "two_dimensions ()"),
    "an L of rows of different lengths": (lambda: dv.LEnsemble([[1, 2], [3]]), "L ragged"),
    "rows of different lengths": (lambda: dv.select([[1, 2], [3]], 1), "ragged differ_in_length"),
    # --- k ------------------------------------------------------------------------------------
    "k of zero": (lambda: dv.select(X, 0), "k between_1 12 k=0"),
    "k below zero": (lambda: dv.select(X, -1), "k between_1 12 k=-1"),
    "k above n": (lambda: dv.select(X, 13), "k between_1 12 k=13"),
    # --- kernels ----------------------------------------------------------------------------
    "negative counts": (
        lambda: dv.select(X - 9, 3, kernel=dv.Tanimoto()),
        "Tanimoto >=_0 row_0, column_0",
    ),
    "a bandwidth of zero": (lambda: dv.Gaussian(bandwidth=0), "Gaussian bandwidth_>_0 0"),
    "a negative bandwidth": (lambda: dv.Laplacian(bandwidth=-2.0), "bandwidth -2.0"),
    "a bandwidth that is missing": (lambda: dv.Gaussian(bandwidth=np.nan), "bandwidth nan"),
    "an unknown rule": (lambda: dv.Gaussian(bandwidth="mean"), "'median' 'mean'"),
    "an unknown smoothness": (lambda: dv.Matern(nu=2.0), "0.5 1.5 2.5 nu=2.0"),
    "half a degree": (lambda: dv.Polynomial(degree=1.5), "degree 1.5"),
    "a negative coef0": (lambda: dv.Polynomial(coef0=-1), "coef0 -1"),
    "a function of another shape": (
        lambda: dv.select(X, 3, kernel=lambda A, B: np.ones((2, 2))),
        "function (2,_2) shape",
    ),
    "a function that gives NaN": (
        lambda: dv.select(X, 3, kernel=lambda A, B: np.full((len(A), len(B)), np.nan)),
        "function not_finite",
    ),
    "a function that is not symmetric": (
        lambda: dv.select(X, 3, kernel=lambda A, B: A @ B.T + np.arange(len(A))[:, None]),
        "function not_symmetric f(y,_x)",
    ),
    "a function of distances": (
        lambda: dv.sample(X, 3, kernel=lambda A, B: 9 - (A[:, :1] - B[:, :1].T) ** 2, rng=0),
        "function not_positive_semi-definite 12_of_the_items eigenvalue",
    ),
    "rows whose distances overflow": (lambda: dv.select(1e200 * X, 3), "overflow X_/_np.abs(X).max()"),
    "a kernel whose values overflow": (
        lambda: dv.select(1e200 * X, 3, kernel=dv.Linear()),
        "Linear() row_ overflow X_/_np.abs(X).max()",
    ),
    "a kernel whose squares overflow": (
        lambda: dv.select(1e40 * X, 3, kernel=dv.Polynomial(degree=2, gamma=1.0)),
        "Polynomial overflow",
    ),
    "half of text as degree": (lambda: dv.Polynomial(degree="two"), "degree 'two'"),
    "text as coef0": (lambda: dv.Polynomial(coef0="one"), "coef0 'one'"),
    # --- precomputed matrices ------------------------------------------------------------------
    "rows where the matrix was wanted": (
        lambda: dv.select(X, 3, kernel=dv.Precomputed()),
        "n_x_n (12,_3) Gaussian()",
    ),
    "an asymmetric matrix": (
        lambda: dv.select(changed((2, 5), 0.9, K), 3, kernel=dv.Precomputed()),
        "not_symmetric (X_+_X.T)_/_2",
    ),
    "a negative diagonal": (
        lambda: dv.select(changed((4, 4), -1.0, K), 3, kernel=dv.Precomputed()),
        "not_positive_semi-definite diagonal row_4",
    ),
    "an entry that is too large": (
        lambda: dv.select(both(K, 2, 6, 1.5), 3, kernel=dv.Precomputed()),
        "not_positive_semi-definite X[2,_6]",
    ),
    "indefinite with fine minors": (
        lambda: dv.select(SNEAKY, 2, kernel=dv.Precomputed()),
        "not_positive_semi-definite eigenvalue",
    ),
    "distances": (
        lambda: dv.select(1 - K, 2, kernel=dv.Precomputed()),
        "not_positive_semi-definite distances",
    ),
    "a missing entry": (
        lambda: dv.select(both(K, 1, 3, np.nan), 3, kernel=dv.Precomputed()),
        "row_1, column_3",
    ),
    # --- quality, include, exclude, quota -------------------------------------------------------
    "negative quality": (
        lambda: dv.select(X, 3, quality=[1.0] * 8 + [-2.0] * 4),
        "quality negative -2.0 row_8",
    ),
    "missing quality": (
        lambda: dv.select(X, 3, quality=changed(3, np.nan, np.ones(12))),
        "quality nan row_3",
    ),
    "quality of another length": (lambda: dv.select(X, 3, quality=[1.0, 2.0]), "quality 12 (2,)"),
    "one quality for all": (lambda: dv.select(X, 3, quality=2.0), "quality one_number_per_item ()"),
    "no quality at all": (lambda: dv.select(X, 3, quality=np.zeros(12)), "quality zero"),
    "included and excluded": (
        lambda: dv.select(X, 3, include=[4, 5], exclude=[5]),
        "Row_5 include exclude",
    ),
    "more included than k": (lambda: dv.select(X, 2, include=[1, 2, 3]), "include 3 k=2 k=3"),
    "included twice": (lambda: dv.select(X, 3, include=[1, 1]), "include row_1 more_than_once"),
    "included beyond the end": (lambda: dv.select(X, 3, include=[12]), "include row_12 0_to_11"),
    "excluded from the end": (lambda: dv.select(X, 3, exclude=[-1]), "exclude row_-1 0_to_11"),
    "too many excluded": (lambda: dv.select(X, 3, exclude=range(10)), "exclude 2_of_12 k=3"),
    "a row number alone": (lambda: dv.select(X, 3, include=4), "include list () include=["),
    "lists of rows": (lambda: dv.select(X, 3, exclude=[[1], [2, 3]]), "exclude flat_list [[1],_[2,_3]]"),
    "a mask of another length": (lambda: dv.select(X, 3, exclude=[True, False]), "exclude 12"),
    "groups without quota": (lambda: dv.select(X, 3, groups=LABELS), "groups without_quota"),
    "quota without groups": (lambda: dv.select(X, 3, quota=2), "quota without_groups"),
    "groups of another length": (lambda: dv.select(X, 3, groups=["a"], quota=1), "groups 12 (1,)"),
    "groups of different lengths": (
        lambda: dv.select(X, 3, groups=[[1], [2, 3]] * 6, quota=1),
        "groups one_label_per_item",
    ),
    "a missing group": (
        lambda: dv.select(X, 3, groups=[*LABELS[:11], None], quota=1),
        "groups row_11",
    ),
    "a quota that cannot be met": (
        lambda: dv.select(X, 7, groups=LABELS, quota=2),
        "quota at_most_6 k=7 k=6",
    ),
    "a quota that exclusion makes impossible": (
        lambda: dv.select(X, 6, groups=LABELS, quota=2, exclude=[0, 1, 2]),
        "quota at_most_5 k=6",
    ),
    "a quota below what is included": (
        lambda: dv.select(X, 5, groups=LABELS, quota={"a": 1}, include=[0, 1]),
        "include 2 'a' quota_is_1",
    ),
    "a quota for nobody": (lambda: dv.select(X, 3, groups=LABELS, quota={"z": 1}), "quota 'z'"),
    "a negative quota": (lambda: dv.select(X, 3, groups=LABELS, quota=-1), "quota -1"),
    # --- methods and solvers --------------------------------------------------------------------
    "a method misspelt": (
        lambda: dv.select(X, 3, method="gredy-map"),
        "'gredy-map' Did_you_mean_'greedy-map' das",
    ),
    "a random method": (lambda: dv.select(X, 3, method="kdpp"), "'kdpp' dv.sample"),
    "a solver misspelt": (lambda: dv.select(X, 3, solver="dens"), "'dens' Did_you_mean_'dense'"),
    "a solver for a method without one": (
        lambda: dv.select(X, 3, method="greedy-map", solver="dense"),
        "GreedyMAP no_eigenvectors",
    ),
    "half a spectrum where all is needed": (
        lambda: dv.select(X, 3, method="das", solver="block-krylov"),
        "DAS whole_spectrum solver='dense'",
    ),
    "a gamma of zero": (lambda: dv.DAS(gamma=0.0), "DAS gamma_>_0 0.0"),
    "a negative gamma among others": (lambda: dv.DAS(gamma=[1.0, -1.0]), "DAS gamma -1.0"),
    "no gamma": (lambda: dv.DAS(gamma=[]), "DAS at_least_one"),
    "a ridge of zero": (lambda: dv.TopRidgeLeverage(gamma=0), "gamma_>_0"),
    "a start that is not there": (
        lambda: dv.select(X, 3, method=dv.FarthestPoint(start=12)),
        "start=12 12_items",
    ),
    "a start that is excluded": (
        lambda: dv.select(X, 3, method=dv.FarthestPoint(start=2), exclude=[2]),
        "start=2",
    ),
    "a negative start": (lambda: dv.FarthestPoint(start=-1), "start -1"),
    "no products": (lambda: dv.BlockKrylov(max_products=0), "max_products 0"),
    "a negative budget": (lambda: dv.select(X, 3, memory=-1), "memory -1 memory=4e9"),
    "a budget in words": (lambda: dv.kernel_matrix(X, memory="4 GB"), "memory '4 GB' memory=4e9"),
    "a matrix beyond the budget": (
        lambda: dv.select(X, 3, solver="dense", memory=100),
        "budget memory=",
    ),
    # --- Nystrom and metrics --------------------------------------------------------------------
    "an unknown norm": (
        lambda: dv.metrics.relative_error(X, [1], norm="frobenus"),
        "norm Did_you_mean_'frobenius'",
    ),
    "a landmark that is not there": (lambda: dv.Nystrom(X, [3, 12]), "indices row_12 0_to_11"),
    "a landmark twice": (lambda: dv.Nystrom(X, [3, 3]), "indices more_than_once"),
    "no landmark": (lambda: dv.metrics.coverage(X, []), "indices at_least_one"),
    "a negative eps": (lambda: dv.Nystrom(X, [3], eps=-1.0), "eps -1.0"),
    "an eps in words": (lambda: dv.Nystrom(X, [3], eps="small"), "eps 'small'"),
    "new items of another width": (
        lambda: dv.Nystrom(X, [3], kernel=dv.Gaussian(1.0)).features(X[:, :2]),
        "Y_has_2_columns wanted_the_3",
    ),
    "new items with a missing value": (
        lambda: dv.Nystrom(X, [3]).features(changed((7, 2), np.nan)),
        "Y_has NaN row_7, column_2 Y.dropna()",
    ),
    "a determinant of a row": (lambda: dv.metrics.log_det(X[0]), "K_CC square (3,)"),
    "a determinant of features": (lambda: dv.metrics.log_det(X), "K_CC square (12,_3)"),
    "a score of features": (lambda: dv.metrics.vendi_score(X), "K_CC square (12,_3)"),
    "a score of missing values": (
        lambda: dv.metrics.vendi_score(changed((1, 1), np.nan, K)),
        "K_CC not_finite",
    ),
    "a missing value behind scikit-learn's door": (
        lambda: dv.DiverseSubset(3).fit(changed((7, 2), np.nan)),
        "NaN row_7, column_2",
    ),
    "a missing value in a frame behind it": (
        lambda: dv.DiverseNystroem(n_components=3).fit(
            pd.DataFrame(changed((7, 2), np.inf), columns=["a", "b", "price"])
        ),
        "inf row_7 'price'",
    ),
    "a missing value in transform": (
        lambda: dv.DiverseNystroem(n_components=3).fit(X).transform(changed((7, 2), np.nan)),
        "NaN row_7, column_2",
    ),
    "rows of another pool": (lambda: dv.select(X, 3).take(X[:5]), "12 5"),
}

WRONG_TYPE = {
    "k as a float": (lambda: dv.select(X, 3.0), "k whole_number 3.0 float int("),
    "k as a numpy float": (lambda: dv.select(X, np.float64(3)), "k whole_number"),
    "k as a bool": (lambda: dv.select(X, True), "k whole_number True bool"),
    "k as a numpy bool": (lambda: dv.select(X, np.True_), "k whole_number"),
    "k as text": (lambda: dv.select(X, "3"), "k whole_number '3' str"),
    "k as None": (lambda: dv.select(X, None), "k whole_number None"),
    "complex": (lambda: dv.select(X + 1j, 3), "complex real X.real"),
    "objects": (lambda: dv.select(np.array([[1, "a"], [2, "b"]], dtype=object), 1), "objects"),
    "nothing": (lambda: dv.select(None, 3), "NoneType table_of_numbers"),
    "a dict": (lambda: dv.select({"a": [1.0, 2.0]}, 1), "dict table_of_numbers frame"),
    "a generator": (lambda: dv.select((row for row in X), 3), "generator table_of_numbers"),
    "a lazy frame": (lambda: dv.select(pl.LazyFrame({"a": [1.0, 2.0]}), 1), "LazyFrame X.collect()"),
    "text": (lambda: dv.select([["a", "b"], ["c", "d"]], 1), "numbers"),
    "dates": (lambda: dv.select(np.array([["2020-01-01"]], dtype="M8[D]"), 1), "datetime numbers"),
    "a column of text": (
        lambda: dv.select(pd.DataFrame({"size": [1.0, 2.0], "city": ["x", "y"]}), 1),
        "'city' get_dummies",
    ),
    "a column of text in polars": (
        lambda: dv.select(pl.DataFrame({"size": [1.0, 2.0], "city": ["x", "y"]}), 1),
        "'city' to_dummies",
    ),
    "complex and sparse": (
        lambda: dv.select(scipy.sparse.csr_array(X + 1j), 3, kernel=dv.Linear()),
        "complex",
    ),
    "sparse where it cannot be": (
        lambda: dv.select(scipy.sparse.csr_array(np.abs(X)), 3, kernel=dv.Tanimoto()),
        "Tanimoto sparse toarray()",
    ),
    "a sparse matrix of similarities": (
        lambda: dv.select(scipy.sparse.csr_array(K), 3, kernel=dv.Precomputed()),
        "sparse toarray()",
    ),
    "a kernel by name": (lambda: dv.select(X, 3, kernel="rbf"), "kernel 'rbf' Gaussian()"),
    "a kernel as a class": (lambda: dv.select(X, 3, kernel=dv.Cosine), "class Cosine()"),
    "a method as a class": (lambda: dv.select(X, 3, method=dv.GreedyMAP), "method GreedyMAP()"),
    "a method as a number": (lambda: dv.select(X, 3, method=3), "method name 3"),
    "a solver as a number": (lambda: dv.select(X, 3, solver=3), "solver dense 3"),
    "a solver as a class": (lambda: dv.select(X, 3, solver=dv.Dense), "solver Dense()"),
    "half a row": (lambda: dv.select(X, 3, include=[1.5]), "include[0] whole_number 1.5"),
    "a row by name": (lambda: dv.select(X, 3, exclude=["a"]), "exclude[0] whole_number 'a'"),
    "half a quota": (lambda: dv.select(X, 3, groups=LABELS, quota=1.5), "quota whole_number"),
    "half a quota for one": (
        lambda: dv.select(X, 3, groups=LABELS, quota={"b": 1.5}),
        "quota['b'] whole_number",
    ),
    "text as quality": (lambda: dv.select(X, 3, quality=["good"] * 12), "quality numbers"),
    "nothing as quality": (lambda: dv.select(X, 3, quality=[None] * 12), "quality NoneType numbers"),
    "lists as groups": (
        lambda: dv.select(X, 3, groups=pd.Series([[1]] * 12), quota=1),
        "groups list row_0",
    ),
    "a sparse L": (lambda: dv.LEnsemble(scipy.sparse.csr_array(K)), "L sparse L.toarray()"),
    "an L of objects": (lambda: dv.LEnsemble([[1, None], [None, 1]]), "L objects"),
    "half a start": (lambda: dv.FarthestPoint(start=0.5), "start whole_number"),
    "half a landmark": (lambda: dv.Nystrom(X, [0.5]), "indices[0] whole_number"),
}


def says(message, words):
    """All of the words; "_" may stand for a space inside of one."""
    found = {word: {word, word.replace("_", " ")} for word in words.split()}
    missing = [word for word, forms in found.items() if not any(f in message for f in forms)]
    assert not missing, f"{missing} not in: {message}"


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_value_is_refused_in_words(call, words):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011  the words are checked below
        call()
    says(str(refusal.value), words)


@pytest.mark.parametrize(("call", "words"), WRONG_TYPE.values(), ids=WRONG_TYPE)
def test_a_wrong_type_is_refused_in_words(call, words):
    with pytest.raises(TypeError) as refusal:
        call()
    says(str(refusal.value), words)


@pytest.mark.parametrize("k", [np.int8(3), np.int64(3), np.uint16(3), np.array(3)])
def test_any_whole_number_is_a_k(k):
    assert list(dv.select(X, k)) == list(dv.select(X, 3))


def test_a_missing_value_in_a_memory_map_is_found(tmp_path):
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=(40_000, 2))
    mapped[:] = 1.0
    mapped[33_333, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 33333, column 1"):
        dv.select(mapped, 2, kernel=dv.Linear(), method="greedy-map")
