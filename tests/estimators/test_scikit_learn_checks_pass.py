"""Every check that scikit-learn has for estimators, without an expected failure."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from diverset import DiverseNystroem, DiverseSubset, Gaussian

SKINS = [
    DiverseNystroem(),
    DiverseNystroem(kernel=Gaussian()),
    DiverseNystroem(method="uniform"),
    DiverseSubset(),
    DiverseSubset(method="rpcholesky", kernel="rbf"),
]


@pytest.mark.filterwarnings(
    "ignore:n_components > n", "ignore:Only .* add anything new", "ignore:After"
)
@parametrize_with_checks(SKINS)
def test_passes(estimator, check):
    check(estimator)
