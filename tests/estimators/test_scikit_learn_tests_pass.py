"""scikit-learn's own Nystroem tests, as installed, with our class in the place of theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import pytest
from sklearn.tests import test_kernel_approximation as theirs

from diverset import DiverseNystroem

# Copied rows, and ten landmarks in four dimensions, are among their cases: only we warn of them.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* add anything new")

# Their marks come along; "Nystroem" is looked up in their module, where the fixture puts ours.
globals().update(
    (name, test)
    for name, test in vars(theirs).items()
    if name.startswith("test_") and "nystroem" in name and "array_api" not in name
)

ON_OTHER_ARRAYS = """
from sklearn.metrics.pairwise import kernel_metrics
from sklearn.tests import test_kernel_approximation as theirs
from diverset import DiverseNystroem

theirs.Nystroem = DiverseNystroem
for kernel in [*kernel_metrics(), theirs._linear_kernel, "precomputed"]:
    for n_components in (2, 100):
        for dtype in ("float64", "float32"):
            theirs.test_nystroem_approximation_array_api("numpy", None, dtype, kernel, n_components)
"""


@pytest.fixture(autouse=True)
def ours(request, monkeypatch):
    # one of them counts kernel calls, and all but uniform landmarks look at the kernel
    counts = request.function is theirs.test_nystroem_callable
    method = "uniform" if counts else "deterministic-kdpp"
    monkeypatch.setattr(theirs, "Nystroem", partial(DiverseNystroem, method=method))


def test_their_tests_are_there():
    assert len([name for name in globals() if name.startswith("test_nystroem_")]) >= 7


@pytest.mark.slow
@pytest.mark.skipif(
    not hasattr(theirs, "test_nystroem_approximation_array_api"), reason="scikit-learn 1.9 has it"
)
def test_their_array_api_test_passes_on_numpy():
    # the switch must be set before SciPy is imported
    env = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", ON_OTHER_ARRAYS], env=env, check=True)
