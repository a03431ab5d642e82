"""The doors that Dask collections come in by, and the sentences for those that cannot."""

from __future__ import annotations

import asyncio
import time

import cuts
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from leftovers import tasks_left

import diverset as dv

K = 10
X, KERNEL = cuts.POOLS["random"]
ASKED = {"kernel": KERNEL, "solver": dv.LowRank(rank=80)}


@pytest.fixture(scope="module")
def alone():
    return list(dv.select(X, K, **ASKED))


@pytest.fixture
def pieces():
    return cuts.array(X, [100, 0, 320])


@pytest.fixture
def quickly():
    """A refusal has to come within seconds."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 15


# --- clients ----------------------------------------------------------------------------------


def test_a_closed_client_is_an_error(cluster, pieces, quickly):
    client = Client(cluster, set_as_default=False)
    client.close()
    with pytest.raises(RuntimeError, match="client is closed"):
        dv.select(pieces, K, client=client)


def test_rows_that_a_closed_client_persisted_are_an_error(cluster, pieces, quickly):
    with Client(cluster, set_as_default=False) as client, client.as_current():
        persisted = pieces.persist()
    with pytest.raises(RuntimeError, match="persisted on a cluster whose client is closed"):
        dv.select(persisted, K)


@pytest.mark.parametrize("what", ["client", "cluster"])
def test_a_cluster_that_goes_away_in_the_middle_is_an_error(what, pieces, at_round, quickly):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0", silence_logs=50) as cluster:
        client = Client(cluster, set_as_default=False)
        at_round(3, client.close if what == "client" else cluster.close)
        with pytest.raises(RuntimeError, match="client is closed"):
            dv.select(pieces, K, client=client, **ASKED)
        client.close()


def test_an_asynchronous_client_is_refused(cluster, pieces, quickly):
    async def choose():
        async with Client(cluster.scheduler_address, asynchronous=True, set_as_default=False) as client:
            with pytest.raises(TypeError, match="asynchronous=False"):
                dv.select(pieces, K, client=client)

    asyncio.run(choose())


def test_persisted_rows_know_their_client(client, pieces, alone):
    with client.as_current():
        persisted = pieces.persist()
    assert list(dv.select(persisted, K, **ASKED)) == alone
    assert len(tasks_left(client, seconds=1.0)) == pieces.npartitions


def test_no_cluster_is_ever_started(pieces, alone):
    assert list(dv.select(pieces, K, **ASKED)) == alone
    with pytest.raises(ValueError, match="No clients found"):
        Client.current()


def chosen_inside(rows, sizes, k):
    """A selection inside of a task: all imports are the worker's."""
    import dask.array

    import diverset

    pool = dask.array.from_array(rows, chunks=(tuple(sizes), rows.shape[1]))
    return list(diverset.select(pool, k, kernel=diverset.Gaussian(1.0), solver=diverset.LowRank(rank=80)))


def test_selections_inside_of_tasks_do_not_wait_for_each_other(client, alone, nothing_left):
    """More of them than there are threads: each makes room for the tasks that it waits for."""
    import sys

    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    futures = [client.submit(chosen_inside, X, [100, 320], K, pure=False) for _ in range(4)]
    assert client.gather(futures) == [alone] * 4
    del futures


def test_a_selection_inside_of_a_local_task_works(alone):
    inside = [dask.delayed(chosen_inside)(X, [100, 320], K) for _ in range(3)]
    assert list(dask.compute(*inside, scheduler="threads", num_workers=2)) == [alone] * 3


def test_selections_side_by_side_do_not_disturb_each_other(client, pieces, nothing_left):
    from concurrent.futures import ThreadPoolExecutor

    methods = ["deterministic-kdpp", "greedy-trace", "deterministic-kdpp", "derandomized"]
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(dv.select, pieces, K, method=m, client=client, **ASKED) for m in methods]
        found = [list(one.result()) for one in asked]
    assert found == [list(dv.select(X, K, method=method, **ASKED)) for method in methods]


# --- what is refused --------------------------------------------------------------------------

WORDS = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
REFUSED = {
    "words": (lambda: dd.from_pandas(WORDS, npartitions=1), TypeError, "Column 'b' of X holds"),
    "complex": (lambda: da.ones((9, 2), dtype=complex), TypeError, "dtype complex128"),
    "one dimension": (lambda: da.ones(9), ValueError, r"two dimensions.*shape \(9,\)"),
    "a column": (lambda: dd.from_pandas(WORDS, npartitions=1)["a"], ValueError, "two dimensions"),
    "no rows": (lambda: da.ones((0, 3)), ValueError, "no items"),
    "unknown both ways": (
        lambda: da.from_array(X, chunks=(100, 2))[da.from_array(X[:, 0] > 0, chunks=100)],
        ValueError,
        "Type X.compute_chunk_sizes",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_a_table_of_numbers_is_refused(name):
    make, kind, sentence = REFUSED[name]
    with pytest.raises(kind, match=sentence):
        dv.select(make(), 1)


@pytest.mark.parametrize("where", ["cluster", "here"])
@pytest.mark.parametrize("kind", [cuts.array, cuts.frame], ids=["array", "frame"])
def test_a_missing_value_is_named_by_row_and_column(kind, where, client, nothing_left):
    broken = X.copy()
    broken[[300, 317], [2, 0]] = np.nan, np.inf
    column = "'c2'" if kind is cuts.frame else "2"
    with pytest.raises(ValueError, match=f"X has 2 values .* row 300, column {column}"):
        dv.select(kind(broken, [120, 0, 300]), K, client=client if where == "cluster" else None)


def test_doors_for_rows_in_memory_say_so(pieces):
    for call in (
        lambda: dv.sample(pieces, K),
        lambda: dv.kernel_matrix(pieces),
    ):
        with pytest.raises(TypeError, match=r"Type X.compute\(\)"):
            call()
    with pytest.raises(ValueError, match=r"norm='trace' or 'max', or X=X.compute\(\)"):
        dv.metrics.relative_error(pieces, [1], norm="operator")
    with pytest.raises(TypeError, match="client is for Dask collections"):
        dv.select(X, K, client=object())
    with pytest.raises(TypeError, match="client must be a"):
        dv.select(pieces, K, client=object())


# --- the other doors --------------------------------------------------------------------------


def test_plan_and_compare_go_to_the_rows(client, pieces, alone, nothing_left):
    plan = dv.plan(pieces, K, client=client)
    assert plan.n == len(X)
    assert plan.solver.startswith("LowRank")
    assert plan.cores == 2  # threads of the workers
    methods = ["derandomized", "greedy-map"]
    table = dv.compare(pieces, K, kernel=KERNEL, methods=methods, client=client)
    here = dv.compare(X, K, kernel=KERNEL, methods=methods, solver="low-rank")
    assert list(table[0].selection) == list(here[0].selection)
    assert table[0].trace == pytest.approx(here[0].trace)


@pytest.mark.parametrize("norm", ["trace", "max"])
def test_errors_of_picks_are_found_where_the_rows_are(norm, client, pieces, alone, nothing_left):
    here = dv.metrics.relative_error(X, alone, kernel=KERNEL, norm=norm, eps=1e-12)
    with client.as_current():
        there = dv.metrics.relative_error(pieces, alone, kernel=KERNEL, norm=norm, eps=1e-12)
    assert there == pytest.approx(here, rel=1e-9)


def test_coverage_and_landmarks_come_from_where_the_rows_are(client, pieces, alone, nothing_left):
    with client.as_current():
        covered = dv.metrics.coverage(pieces, alone, kernel=KERNEL)
        there = dv.Nystrom(pieces, alone, kernel=KERNEL)
    assert covered == pytest.approx(dv.metrics.coverage(X, alone, kernel=KERNEL), rel=1e-12)
    here = dv.Nystrom(X, alone, kernel=KERNEL)
    np.testing.assert_allclose(there.features(X), here.features(X), rtol=1e-6, atol=1e-9)
    with pytest.raises(TypeError, match=r"features\(Y\)"):
        there.columns()


@pytest.mark.parametrize("kind", [cuts.array, cuts.frame], ids=["array", "frame"])
def test_nystrom_features_are_a_lazy_array(kind, client, nothing_left):
    there = kind(X, [100, 0, 320])
    model = dv.DiverseNystroem(gamma=0.3, n_components=K, method="greedy-map")
    with client.as_current():
        features = model.fit(there).transform(there)
        assert isinstance(features, da.Array)
        found = features.compute()
    here = dv.DiverseNystroem(gamma=0.3, n_components=K, method="greedy-map").fit(X)
    assert list(model.component_indices_) == list(here.component_indices_)
    np.testing.assert_allclose(found, here.transform(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.transform(there.compute()), found, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match=r"3 features|feature names should match"):
        model.transform(there[there.columns[:3]] if kind is cuts.frame else there[:, :3])
    broken = X.copy()
    broken[5, 1] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        model.transform(kind(broken, [420])).compute()


def test_random_landmarks_of_a_dask_array_are_refused(pieces):
    with pytest.raises(TypeError, match="Take a deterministic method"):
        dv.DiverseNystroem(method="uniform").fit(pieces)


def test_picks_of_other_rows_are_not_taken(pieces, alone):
    chosen = dv.select(pieces, K, **ASKED)
    assert list(chosen) == alone
    np.testing.assert_array_equal(chosen.take(pieces), X[chosen])
    with pytest.raises(ValueError, match="These picks are rows of 420 items, X has 100"):
        chosen.take(pieces[:100])
