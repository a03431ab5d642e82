"""Fixtures that every test file may ask for; the tables themselves are in pools.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # oracle.py and pools.py, by name

import pools

# The same examples every time: a failure is there for everybody, a pass is not luck.
settings.register_profile("same", derandomize=True, deadline=None, max_examples=40, database=None)
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Features of pictures and texts are kept in a folder of this run, not among those of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVERSET_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(params=pools.POOLS.values(), ids=lambda pool: pool.name)
def pool(request):
    """Every pool in turn."""
    return request.param


@pytest.fixture(params=pools.BANDWIDTHS)
def paper(request):
    """(name, X, bandwidth) of each of the paper's data sets."""
    return load(request.param)


def load(name):
    """One of the paper's data sets, or the test is skipped."""
    X = pools.paper_data(name)
    if X is None:
        pytest.skip(f"{name}.csv is not here: set DIVERSET_DATA to the folder that holds {name}/")
    return name, X, pools.BANDWIDTHS[name]


@pytest.fixture
def load_paper():
    """Loads a data set by name, or skips."""
    return load
