"""Every check that scikit-learn has for estimators, without an expected failure."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from diverset import DiverseNystroem, DiverseSubset, Gaussian, Laplacian

CHECKS = parametrize_with_checks(
    [
        DiverseNystroem(),
        DiverseNystroem(kernel=Gaussian()),
        DiverseNystroem(method="uniform"),
        DiverseSubset(),
        DiverseSubset(kernel=Laplacian()),
        DiverseSubset(method="rpcholesky", kernel="rbf"),
    ]
)


@pytest.mark.filterwarnings("ignore:n_components > n", "ignore:Only .* add anything new")
# before scikit-learn 1.8 the cases are a generator, which pytest 9 warns of
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_passes(estimator, check):
    check(estimator)
