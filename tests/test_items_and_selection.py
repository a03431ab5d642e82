"""What comes in, what comes out: every container gives the same picks, and gets its own kind back."""

from __future__ import annotations

import json

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import diverset as dv

rng = np.random.default_rng(1)
X = np.round(rng.standard_normal((30, 4)), 2)  # two decimals: exact after a round trip as text
WHOLE = rng.integers(0, 6, (30, 4))
KERNEL = dv.Gaussian(1.6)
PICKS = list(dv.select(X, 6, kernel=KERNEL))
WHOLE_PICKS = list(dv.select(WHOLE.astype(float), 6, kernel=KERNEL))
NAMES = ["a", "b", "c", "d"]


def strided(rows):
    wide = np.zeros((2 * rows.shape[0], 3 * rows.shape[1]), dtype=rows.dtype)
    wide[::2, ::3] = rows
    return wide[::2, ::3]


def reversed_view(rows):
    return np.ascontiguousarray(rows[::-1, ::-1])[::-1, ::-1]


def swapped_bytes(rows):
    return rows.astype(rows.dtype.newbyteorder())


CONTAINERS = {
    "array": np.asarray,
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "reversed": reversed_view,
    "other byte order": swapped_bytes,
    "long double": lambda rows: rows.astype(np.longdouble),
    "list of lists": lambda rows: rows.tolist(),
    "tuple of tuples": lambda rows: tuple(map(tuple, rows.tolist())),
    "list of arrays": list,
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "pandas nullable": lambda rows: pd.DataFrame(rows, columns=NAMES).convert_dtypes(),
    "pandas mixed": lambda rows: pd.DataFrame(rows, columns=NAMES).astype({"a": "Float64", "b": np.float64}),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
    "csr": scipy.sparse.csr_array,
    "csc": scipy.sparse.csc_array,
    "coo matrix": scipy.sparse.coo_matrix,
}
KINDS = pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)


@KINDS
def test_every_container_gives_the_same_picks(make):
    assert list(dv.select(make(X), 6, kernel=KERNEL)) == PICKS
    assert list(dv.select(make(X), 6, kernel=KERNEL, method="greedy-trace")) == list(
        dv.select(X, 6, kernel=KERNEL, method="greedy-trace")
    )


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32, np.float64]
)
def test_every_dtype_that_holds_the_numbers_gives_the_same_picks(dtype):
    assert list(dv.select(WHOLE.astype(dtype), 6, kernel=KERNEL)) == WHOLE_PICKS


def test_booleans_are_zeros_and_ones():
    bits = rng.random((25, 9)) < 0.4
    picks = dv.select(bits, 5, kernel=dv.Tanimoto())
    assert list(picks) == list(dv.select(bits.astype(float), 5, kernel=dv.Tanimoto()))


def test_float32_is_read_exactly():
    single = rng.standard_normal((60, 3)).astype(np.float32)
    picks = dv.select(single, 8, kernel=KERNEL)
    assert list(picks) == list(dv.select(single.astype(np.float64), 8, kernel=KERNEL))
    assert picks.certified


def test_a_memory_map_is_read(tmp_path):
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape, order="F")
    mapped[:] = X
    picks = dv.select(mapped, 6, kernel=KERNEL)
    assert list(picks) == PICKS
    assert isinstance(picks.take(mapped), np.ndarray)


# --- labels and take ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [
        [f"row {i}" for i in range(30)],
        pd.date_range("2020-01-01", periods=30),
        pd.MultiIndex.from_product([range(5), list("uvwxyz")]),
        [7] * 30,
    ],
    ids=["text", "dates", "two levels", "all the same"],
)
def test_labels_are_those_of_the_frame(index):
    frame = pd.DataFrame(X, index=index, columns=NAMES)
    picks = dv.select(frame, 6, kernel=KERNEL)
    assert list(picks) == PICKS
    assert list(picks.labels) == [frame.index[row] for row in PICKS]
    pd.testing.assert_frame_equal(picks.take(frame), frame.iloc[PICKS])
    json.dumps(picks.to_dict(), allow_nan=False)


@KINDS
def test_take_gives_the_rows_back_in_their_type(make):
    rows = make(X)
    taken = dv.select(rows, 6, kernel=KERNEL).take(rows)
    if isinstance(rows, (scipy.sparse.sparray, scipy.sparse.spmatrix)):
        assert scipy.sparse.issparse(taken)
        assert isinstance(taken, scipy.sparse.sparray) == isinstance(rows, scipy.sparse.sparray)
        taken = taken.toarray()
    else:
        assert type(taken) is type(rows)
    np.testing.assert_array_equal(np.asarray(taken, dtype=float), X[PICKS])


def test_take_works_on_anything_with_a_row_per_item():
    picks = dv.select(X, 6, kernel=KERNEL)
    names = [f"photo {i}.png" for i in range(30)]
    assert picks.take(names) == [names[row] for row in PICKS]
    series = pd.Series(names, index=range(100, 130))
    assert picks.take(series).tolist() == [names[row] for row in PICKS]
    assert picks.take(pl.Series(names)).to_list() == [names[row] for row in PICKS]


def test_columns_of_a_frame_are_read_in_their_order():
    frame = pd.DataFrame(X * [1.0, 1.0, 100.0, 1.0], columns=["a", "b", "c", "d"])
    assert list(dv.select(frame, 6, kernel=KERNEL)) == list(dv.select(frame.to_numpy(), 6, kernel=KERNEL))


# --- the result -----------------------------------------------------------------------------


def test_a_selection_is_a_sequence_of_row_numbers():
    picks = dv.select(X, 6, kernel=KERNEL)
    assert len(picks) == picks.k == 6
    assert list(picks) == PICKS
    assert [picks[i] for i in range(6)] == PICKS
    assert picks[-1] == PICKS[-1]
    assert picks[1:4] == PICKS[1:4]
    assert PICKS[2] in picks
    assert next(row for row in range(30) if row not in PICKS) not in picks
    assert all(type(row) is int for row in picks)
    with pytest.raises(IndexError):
        picks[6]
    np.testing.assert_array_equal(np.asarray(picks), PICKS)
    assert np.asarray(picks).dtype == np.int64
    assert np.asarray(picks, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(X[np.asarray(picks)], X[PICKS])


def test_a_selection_is_frozen():
    picks = dv.select(X, 6, kernel=KERNEL)
    with pytest.raises(AttributeError):
        picks.stop = None
    copy = np.asarray(picks)
    copy[0] = -1
    assert list(picks) == PICKS


@pytest.mark.parametrize("method", dv.METHODS)
def test_a_selection_is_ready_for_json(method):
    picks = dv.select(X, 6, kernel=KERNEL, method=method, include=[3])
    facts = picks.to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["indices"] == list(picks)
    assert facts["certified"] is picks.certified
    assert facts["n"] == 30
    assert facts["k"] == 6
    assert facts["stop"] == "COMPLETE"
    assert facts["kernel"] == "Gaussian(bandwidth=1.6)"
    assert facts["method"] == repr(dv.METHODS[method]())


def test_margins_are_the_relative_lead_over_the_best_that_was_beaten():
    K = oracle.gaussian(X, X, 1.6)
    truth = oracle.greedy_map(K, 6, oracle.copies(X), oracle.Rules(30, include=[3]))
    picks = dv.select(X, 6, kernel=KERNEL, method="greedy-map", include=[3])
    assert picks.margins[0] == np.inf  # there was no choice
    np.testing.assert_allclose(picks.margins[1:], truth.leads[1:], rtol=1e-6, atol=2e-9)


def test_a_tie_has_no_margin_and_goes_to_the_lowest_row():
    picks = dv.select(np.eye(5), 3, kernel=dv.Linear(), method="greedy-map")
    assert list(picks) == [0, 1, 2]
    assert picks.margins.tolist() == [0.0, 0.0, 0.0]
    assert picks.certified  # by the rule, on every machine


@pytest.mark.parametrize("k", [1, 6, 20, 25])
def test_it_prints_as_a_short_table(k):
    frame = pd.DataFrame(X, index=[f"name-{i}" for i in range(30)])
    text = str(dv.select(frame, k, kernel=KERNEL, method="greedy-map"))
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    head = f"{k} of 30", "GreedyMAP()", "Gaussian(bandwidth=1.6)", "certified", "log det"
    columns = "pick", "row", "gain", "margin", "label"
    assert [word for word in (*head, *columns) if word not in "".join(lines[:3])] == []
    assert "name-" in lines[3]
    assert repr(dv.select(frame, k, kernel=KERNEL, method="greedy-map")) == text


def test_what_is_not_decided_is_marked():
    picks = dv.select(np.eye(6) * [3, 3, 3, 1, 1, 1], 2, kernel=dv.Linear())
    assert picks.gap == pytest.approx(0.0, abs=1e-12)
    assert picks.undecided == 0
    assert "not decidable from pick 0 on" in str(picks)


def test_every_reason_to_stop_is_advice():
    for stop in dv.Stop:
        assert stop.value.endswith(".")
        assert len(stop.value.split()) > 8
        assert repr(stop) == f"Stop.{stop.name}"


@pytest.mark.parametrize("method", ["deterministic-kdpp", "leverage", "derandomized"])
@pytest.mark.parametrize("solver", ["dense", "block-krylov"])
def test_the_gap_is_the_one_at_the_cut(method, solver):
    values = np.linalg.eigvalsh(oracle.gaussian(X, X, 1.6))[::-1]
    picks = dv.select(X, 6, kernel=KERNEL, method=method, solver=solver)
    assert picks.gap == pytest.approx((values[5] - values[6]) / values[5], rel=1e-6)
    assert type(picks.solver).__name__ == {"dense": "Dense", "block-krylov": "BlockKrylov"}[solver]
    assert dv.select(X, 6, kernel=KERNEL, method="greedy-map").gap is None
