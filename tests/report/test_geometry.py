"""The numbers behind the page, against formulas that are slow and obviously right."""

from __future__ import annotations

import numpy as np
import pytest

import diverset as dv
from diverset.experiments.kpca import projection
from diverset.report import geometry
from diverset.report.geometry import components, drawn_rows, likeness, matrix_of

rng = np.random.default_rng(7)
SMOOTH = rng.normal(size=(400, 3)) * [3.0, 1.0, 0.3]


def slow_likeness(K, picks):
    """Every similarity, one at a time."""
    similarity = [[K[i, c] / np.sqrt(K[i, i] * K[c, c]) for c in picks] for i in range(len(K))]
    coverage = [np.mean([max(row[: j + 1]) for row in similarity]) for j in range(len(picks))]
    nearest = [int(np.argmax(row)) for row in similarity]
    earlier = [-1] + [int(np.argmax(similarity[picks[j]][:j])) for j in range(1, len(picks))]
    return nearest, coverage, earlier, similarity


@pytest.mark.parametrize("kernel", [dv.Gaussian(1.7), dv.Linear(), dv.Polynomial(degree=2)], ids=str)
def test_likeness_is_that_of_the_definition(kernel):
    X = SMOOTH[:60] + 5.0
    picks = np.array([7, 33, 2, 58, 19])
    K = matrix_of(X, kernel, np.arange(60))
    nearest, coverage, earlier, similarity = slow_likeness(kernel(X), picks)
    found = likeness(K, picks)
    assert found.nearest.tolist() == nearest
    assert found.coverage == pytest.approx(coverage)
    assert found.coverage[-1] == pytest.approx(dv.metrics.coverage(X, picks, kernel=kernel))
    assert found.earlier.tolist() == earlier
    assert found.earlier_similarity[3] == pytest.approx(max(similarity[58][:3]))
    assert found.stands_for.tolist() == np.bincount(nearest, minlength=5).tolist()


def test_a_pick_stands_for_itself_also_among_its_copies():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    found = likeness(matrix_of(X, dv.Gaussian(1.0), np.arange(12)), np.array([4, 5, 0]))
    assert found.nearest[[4, 5, 0]].tolist() == [0, 1, 2]


@pytest.mark.parametrize("n", [40, 150])
def test_the_map_is_kernel_principal_components(n):
    kernel = dv.Gaussian(2.5)
    found = components(matrix_of(SMOOTH[:n], kernel, np.arange(n)), np.arange(5), 30)
    coordinates, shares = projection(kernel(SMOOTH[:n]))
    assert found.coordinates == pytest.approx(coordinates, abs=1e-5)
    assert found.shares == pytest.approx(shares)
    values = np.linalg.eigvalsh(kernel(SMOOTH[:n]))[::-1] / n
    assert found.spectrum[:30] == pytest.approx(values[:30], rel=1e-6)


def test_landmarks_draw_nearly_the_same_map(monkeypatch):
    kernel = dv.Gaussian(2.5)
    K = matrix_of(SMOOTH, kernel, np.arange(400))
    exact = components(K, np.arange(5), 20)
    monkeypatch.setattr(geometry, "EXACT", 100)
    monkeypatch.setattr(geometry, "LANDMARKS", 80)
    found = components(K, np.arange(5), 20)
    assert found.landmarks is not None
    assert 80 <= found.landmarks <= 85
    for axis in range(2):
        assert abs(np.corrcoef(found.coordinates[:, axis], exact.coordinates[:, axis])[0, 1]) > 0.999
    assert found.shares == pytest.approx(exact.shares, rel=0.01)
    assert found.spectrum[:8] == pytest.approx(exact.spectrum[:8], rel=0.05)


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.ones((1, 2)), np.array([[0.0], [1.0]])], ids=len)
def test_pools_without_two_directions_have_a_map_all_the_same(X):
    K = matrix_of(X, dv.Gaussian(1.0), np.arange(len(X)))
    found = components(K, np.array([0]), min(24, len(X)))
    assert found.coordinates.shape == (len(X), 2)
    assert np.isfinite(found.coordinates).all()
    assert np.isfinite(found.shares).all()


def test_a_given_matrix_is_drawn_too():
    K = dv.Gaussian(2.0)(SMOOTH[:50])
    given = components(matrix_of(K, dv.Precomputed(), np.arange(50)), np.arange(3), 10)
    computed = components(matrix_of(SMOOTH[:50], dv.Gaussian(2.0), np.arange(50)), np.arange(3), 10)
    assert given.coordinates == pytest.approx(computed.coordinates, abs=1e-8)
    part = matrix_of(K, dv.Precomputed(), np.array([3, 7]))
    assert part.block([0], [1])[0, 0] == K[3, 7]


def test_of_very_many_rows_an_even_spread_is_drawn_with_every_pick():
    wanted = np.array([5, 999_999])
    rows = drawn_rows(1_000_000, wanted)
    assert 49_990 <= len(rows) <= geometry.POINTS
    assert set(wanted) <= set(rows.tolist())
    assert (np.diff(rows) > 0).all()
    assert np.abs(np.histogram(rows, 10)[0] - len(rows) / 10).max() < 50
    assert drawn_rows(500, wanted[:1]).tolist() == list(range(500))
