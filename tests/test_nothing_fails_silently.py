"""Past the rank, with copies, on any scale: always k distinct picks, and a word when it matters.

Each case in the lower half is a defect that users of other packages have met.
"""

from __future__ import annotations

import warnings

import numpy as np
import oracle
import pandas as pd
import pools
import pytest
import scipy.sparse

import diverset as dv

METHODS = pytest.mark.parametrize("method", dv.METHODS)
X = np.random.default_rng(1).standard_normal((40, 3))


# --- k beyond the numerical rank ---------------------------------------------------------------

LOW_RANK = {
    "linear": (X, dv.Linear(), 3),
    "cosine": (X[:, :2], dv.Cosine(), 2),
    "constant": (np.ones((40, 3)), dv.Gaussian(1.0), 1),
    "rank one": (np.outer(np.arange(1.0, 41.0), [1.0, 2.0]), dv.Linear(), 1),
    "copies": (np.repeat(X[:5], 8, axis=0), dv.Laplacian(1.0), 5),
    "zero": (np.zeros((40, 2)), dv.Linear(), 0),
    "one of all": (np.eye(40)[:, :1], dv.Linear(), 1),
}


@pytest.mark.parametrize("method", ["deterministic-kdpp", "das", "greedy-map", "derandomized"])
@pytest.mark.parametrize("name", LOW_RANK)
def test_past_the_rank_there_is_a_warning_and_no_certificate(name, method):
    rows, kernel, rank = LOW_RANK[name]
    with pytest.warns(UserWarning, match=rf"Only {rank} of k=9 items add anything new"):
        picks = dv.select(rows, 9, kernel=kernel, method=method)
    assert len(set(picks)) == len(picks) == 9
    assert picks.stop is dv.Stop.RANK
    assert not picks.certified
    assert not picks.decided[rank:].any()
    assert (picks.gains[rank:] == 0).all()
    assert "rank" in str(picks)
    filled = picks[rank:]
    assert filled == [row for row in range(40) if row not in picks[:rank]][: 9 - rank]


def test_the_warning_points_at_the_line_that_asked():
    with pytest.warns(UserWarning, match="Only 1 of k=2") as caught:
        dv.select(np.ones((5, 2)), 2)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", LOW_RANK)
def test_at_the_rank_there_is_no_warning(name):
    rows, kernel, rank = LOW_RANK[name]
    if rank:
        picks = dv.select(rows, rank, kernel=kernel, method="greedy-map")
        assert picks.stop is dv.Stop.COMPLETE
        assert picks.certified


@METHODS
@pytest.mark.parametrize("name", LOW_RANK)
def test_past_the_rank_the_answer_is_always_the_same(name, method):
    rows, kernel, _ = LOW_RANK[name]
    answers = set()
    for layout in (rows, np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2]):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Only .* items add anything new")
            picks = dv.select(layout, 9, kernel=kernel, method=method)
        assert len(set(picks)) == 9
        answers.add(tuple(picks[: 9 if picks.certified else picks.undecided]))
    assert len(answers) == 1


@METHODS
def test_past_the_rank_the_rules_still_hold(method):
    groups = np.arange(40) % 4
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        picks = dv.select(
            np.ones((40, 2)),
            6,
            kernel=dv.Gaussian(1.0),
            method=method,
            include=[7],
            exclude=[0, 1],
            groups=groups,
            quota=2,
        )
    assert picks[0] == 7
    assert not {0, 1} & set(picks)
    assert np.bincount(groups[list(picks)]).max() <= 2
    assert len(set(picks)) == 6


# --- inputs are read, never written --------------------------------------------------------------


@METHODS
@pytest.mark.parametrize("kernel", [None, dv.Linear(), dv.Cosine(), dv.Precomputed()], ids=repr)
def test_inputs_are_never_written_to(kernel, method):
    rows = oracle.gaussian(X, X, 1.3) if kernel == dv.Precomputed() else X.copy()
    quality, groups = np.linspace(0.5, 2.0, 40), np.arange(40) % 3
    include, exclude = np.array([4]), np.array([9])
    given = [rows, quality, groups, include, exclude]
    before = [array.tobytes() for array in given]
    for array in given:
        array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        dv.select(
            rows,
            5,
            kernel=kernel,
            method=method,
            quality=quality,
            groups=groups,
            quota=3,
            include=include,
            exclude=exclude,
        )
    assert [array.tobytes() for array in given] == before


def test_a_sparse_matrix_is_not_tidied_in_place():
    data = [1.0, 2.0, 3.0, 4.0]
    S = scipy.sparse.csr_matrix((data, [2, 0, 1, 1], [0, 2, 4]), shape=(2, 3))  # copies, unsorted
    before = S.data.tobytes(), S.indices.tobytes(), S.has_canonical_format
    dv.select(S, 2, kernel=dv.Linear(), method="greedy-map")
    assert (S.data.tobytes(), S.indices.tobytes(), S.has_canonical_format) == before


# --- what users of other packages have met -----------------------------------------------------


@METHODS
@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e150])
def test_the_scale_of_the_kernel_changes_nothing(scale, method):
    K = oracle.matern(X, X, 1.3, 0.5)
    usual = dv.select(K, 8, kernel=dv.Precomputed(), method=method)
    scaled = dv.select(scale * K, 8, kernel=dv.Precomputed(), method=method)
    assert usual.certified
    if method == "das":  # its gamma is measured against the kernel: only the small ones are alike
        assert len(set(scaled)) == 8
        return
    assert list(scaled) == list(usual)
    assert scaled.certified


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-map"])
def test_a_determinant_too_small_for_a_float_still_has_a_logarithm(method):
    K = 1e-8 * oracle.laplacian(X, X, 1.0)
    picks = dv.select(K, 40, kernel=dv.Precomputed(), method=method)
    assert np.linalg.det(K[np.ix_(list(picks), list(picks))]) == 0.0
    assert np.isfinite(picks.log_det)
    assert picks.log_det < -700


@METHODS
def test_k_picks_are_k_distinct_picks(pool, method):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        for k in {1, len(pool.X) // 2, len(pool.X)} - {0}:
            assert sorted(set(dv.select(pool.X, k, method=method))) == sorted(
                dv.select(pool.X, k, method=method)
            )


@METHODS
def test_a_start_set_works_on_sparse_rows(method):
    rng = np.random.default_rng(3)
    rows = rng.random((50, 30)) * (rng.random((50, 30)) < 0.3)
    S = scipy.sparse.csr_array(rows)
    picks = dv.select(S, 6, kernel=dv.Cosine(), method=method, include=[8, 2])
    assert picks[:2] == [8, 2]
    assert list(picks) == list(dv.select(rows, 6, kernel=dv.Cosine(), method=method, include=[8, 2]))


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-map", "farthest-point", "das"])
def test_a_pick_is_compared_with_all_picks_not_only_the_last(method):
    """Two far groups: comparing with the last pick alone would swing between them for ever."""
    rng = np.random.default_rng(4)
    rows = np.concatenate([rng.normal(c, 0.01, (20, 2)) for c in (0.0, 10.0, 20.0, 31.0)])
    picks = dv.select(rows, 4, kernel=dv.Gaussian(3.0), method=method)
    assert sorted(pick // 20 for pick in picks) == [0, 1, 2, 3]


def test_row_numbers_are_positions_and_labels_are_labels():
    frame = pd.DataFrame(X, index=np.arange(100, 140)[::-1])
    picks = dv.select(frame, 5)
    assert list(picks) == list(dv.select(X, 5))
    assert list(picks.labels) == [139 - row for row in picks]


@METHODS
def test_the_order_of_copies_is_their_order_in_the_pool(method):
    rows = pools.duplicated(5, 30, 3)
    picks = dv.select(rows, 8, kernel=dv.Gaussian(1.5), method=method)
    for pick in picks:
        assert not any((rows[earlier] == rows[pick]).all() and earlier not in picks
                       for earlier in range(pick))  # fmt: skip
