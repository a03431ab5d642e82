"""Methods side by side: the picks are those of `select`, the numbers those of `metrics`."""

from __future__ import annotations

import json

import numpy as np
import pools
import pytest

import diverset as dv
from diverset.judging import largest_eigenvalues

X = pools.clustered(3, 120, 4, clusters=7)
KERNEL = dv.Gaussian(1.3)
TABLE = dv.compare(X, 12, kernel=KERNEL)
NORMS = "operator", "max", "trace"


@pytest.mark.parametrize("one", list(TABLE), ids=lambda one: one.name)
def test_the_picks_are_those_of_select_or_sample(one):
    alone = (
        dv.sample(X, 12, kernel=KERNEL, method=one.name, rng=0)
        if one.name in dv.SAMPLERS
        else dv.select(X, 12, kernel=KERNEL, method=one.name)
    )
    assert list(one.selection) == list(alone)
    assert one.seconds >= 0


@pytest.mark.parametrize("one", list(TABLE), ids=lambda one: one.name)
def test_the_numbers_are_those_of_the_dense_matrix(one):
    K = KERNEL(X)
    C = list(one.selection)
    E = K - K[:, C] @ np.linalg.pinv(K[np.ix_(C, C)], rcond=1e-13, hermitian=True) @ K[C]
    assert one.log_det == pytest.approx(np.linalg.slogdet(K[np.ix_(C, C)])[1], rel=1e-9)
    assert one.operator == pytest.approx(np.linalg.norm(E, 2) / np.linalg.norm(K, 2), rel=1e-3)
    assert one.max == pytest.approx(np.abs(E).max(), rel=1e-6)
    assert one.trace == pytest.approx(np.trace(E) / 120, rel=1e-6)
    assert one.vendi == pytest.approx(dv.metrics.vendi_score(K[np.ix_(C, C)]))
    assert one.coverage == pytest.approx(K[:, C].max(axis=1).mean())


@pytest.mark.parametrize("kernel", [dv.Laplacian(2.0), dv.Linear(), dv.Cosine(), dv.Polynomial()])
@pytest.mark.parametrize("memory", [2**30, 0], ids=["formed", "in parts"])
def test_weights_and_other_kernels_are_judged_as_metrics_judges_them(kernel, memory):
    quality = np.linspace(0.5, 2.0, 120)
    K = dv.kernel_matrix(X, kernel, quality=quality)
    for one in dv.compare(
        X, 3, kernel=kernel, quality=quality, methods=["greedy-map", "uniform"], memory=memory
    ):
        for norm in NORMS:
            truth = dv.metrics.relative_error(K, one.selection, norm=norm)
            if getattr(one, norm) is not None:
                assert getattr(one, norm) == pytest.approx(truth, rel=1e-3, abs=1e-12)
        assert one.coverage == pytest.approx(dv.metrics.coverage(K, one.selection))


def test_many_operators_at_once_have_the_eigenvalues_of_each():
    rng = np.random.default_rng(0)
    squares = [B @ B.T for B in (rng.standard_normal((70, r)) for r in (1, 3, 70, 200))]
    squares.append(np.zeros((70, 70)))
    found = largest_eigenvalues(
        lambda V: np.column_stack([A @ v for A, v in zip(squares, V.T, strict=True)]), 70, len(squares)
    )
    np.testing.assert_allclose(found, [np.linalg.norm(A, 2) for A in squares], rtol=1e-4, atol=1e-12)


def test_the_kernel_matrix_is_computed_once(monkeypatch):
    filled = []
    block = dv.Gaussian.block
    monkeypatch.setattr(
        dv.Gaussian, "block", lambda self, A, B, out: (filled.append(out.size), block(self, A, B, out))[1]
    )
    rows = pools.clustered(5, 1500, 6)
    dv.compare(rows, 10, kernel=KERNEL, methods=["deterministic-kdpp", "derandomized", "greedy-trace"])
    assert 1500**2 <= sum(filled) <= 1.2 * 1500**2


def test_rules_hold_for_all_and_random_methods_are_left_out_with_a_note():
    half = X[:, 0] > np.median(X[:, 0])
    table = dv.compare(X, 12, kernel=KERNEL, include=[5], exclude=[1, 2], groups=half, quota=6)
    for one in table:
        assert one.selection[0] == 5
        assert not {1, 2} & set(one.selection)
        assert np.sum(half[list(one.selection)]) == 6
    assert table.names == ["deterministic-kdpp", "derandomized", "greedy-map", "farthest-point"]
    assert sum("is left out. Random methods follow no rules" in note for note in table.notes) == 2


def test_the_first_method_has_to_work():
    with pytest.raises(ValueError, match="needs no eigenvectors"):
        dv.compare(X, 3, methods=["greedy-map", "das"], solver="dense")
    table = dv.compare(X, 3, methods=["das", "greedy-map"], solver="dense")
    assert len(table) == 2


def test_what_cannot_be_had_of_a_large_pool_is_left_out_and_said(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    table = dv.compare(path, 8, kernel=KERNEL, memory=1000)
    assert table.names[0] == "deterministic-kdpp"
    assert all(one.operator is None for one in table)
    assert "operator is left out" in table.notes[-1]
    for one in table:
        truth = dv.metrics.relative_error(X, one.selection, kernel=KERNEL, norm="trace")
        assert one.trace == pytest.approx(truth, rel=1e-9)
    assert any(note.startswith("uniform is left out") for note in table.notes)  # items not in memory


def test_a_rank_that_is_reached_is_a_note():
    table = dv.compare(np.eye(20)[:, :3], 5, kernel=dv.Linear(), methods=["greedy-map"])
    assert table.notes == (
        "greedy-map: Only 3 of k=5 items add anything new: the numerical rank is reached. The other 2 are "
        "the lowest row numbers allowed. Type k=3, or a smaller bandwidth.",
    )


def test_settings_tell_namesakes_apart():
    table = dv.compare(X, 5, kernel=KERNEL, methods=[dv.DAS(gamma=1e-2), dv.DAS(gamma=1e-4), "greedy-map"])
    assert table.names == ["DAS(gamma=0.01)", "DAS(gamma=0.0001)", "greedy-map"]


def test_it_prints_and_goes_to_json():
    assert [word for word in (*TABLE.names, "log det", "vendi", "seconds") if word not in str(TABLE)] == []
    facts = TABLE.to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert [row["name"] for row in facts["methods"]] == TABLE.names
    assert [row[at] for at, row in enumerate(facts["overlap"])] == [12] * len(TABLE)


def test_progress_is_told_from_the_first_method_to_the_last():
    told = []
    dv.compare(X, 5, kernel=KERNEL, progress=lambda *facts: told.append(facts))
    stages = [stage for stage, _, _ in told]
    assert [name for name in TABLE.names if name not in stages] == []
    assert stages[-1] == "errors"


@pytest.mark.parametrize("methods", ["das", [], ["das", "gredy-map"], [dv.DAS]])
def test_methods_that_are_none_are_refused(methods):
    with pytest.raises((TypeError, ValueError), match="method"):
        dv.compare(X, 3, methods=methods)
