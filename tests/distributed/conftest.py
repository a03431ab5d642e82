"""One cluster of two processes for the whole session, and the ways to cut a pool."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # cuts.py and leftovers.py, by name

from distributed import Client, LocalCluster
from leftovers import tasks_left

from diverset.distributed.engines import Cluster


def pytest_collection_modifyitems(items):
    """All on one worker of xdist: the cluster is made once. A hang is a failure, not a wait."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("cluster"))
            item.add_marker(pytest.mark.timeout(120 if item.get_closest_marker("slow") is None else 600))


def local_cluster(**settings):
    """Processes with one thread each, which say nothing when they are killed."""
    return LocalCluster(
        **{"n_workers": 2, **settings},
        threads_per_worker=1,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="session")
def cluster():
    """Two processes; whoever kills one waits until it is back."""
    with local_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def client(cluster):
    """A client that is not the current one: tests without it run in this process."""
    with Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def make_cluster():
    """Clusters for tests that break or reshape theirs."""
    return local_cluster


@pytest.fixture
def nothing_left(client):
    """Fails if, a moment after the test, the cluster still holds anything."""
    yield
    assert tasks_left(client) == []


@pytest.fixture
def at_round(monkeypatch):
    """at_round(r, call): in the r-th wait of the driver for its workers, after they were asked, call."""
    called = []

    def plan(number, call):
        waits = iter(range(10**6))
        gather = Cluster.gather
        called.append(False)

        def gathered(self, nodes):
            if next(waits) == number:
                called[-1] = True
                call()
            return gather(self, nodes)

        monkeypatch.setattr(Cluster, "gather", gathered)

    yield plan
    assert all(called), "there were fewer rounds"


@pytest.fixture
def rng():
    return np.random.default_rng(2020)
