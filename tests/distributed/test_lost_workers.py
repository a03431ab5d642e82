"""Workers die, retire, join, spill and fail to read: the picks stay, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import cuts
import numpy as np
import pytest
from distributed import Client
from leftovers import tasks_left

import diverset as dv
from diverset.distributed import DaskParts
from diverset.door import find_problem, solve
from diverset.rounds.parts import tidy

K = 12
X, KERNEL = cuts.POOLS["random"]
SIZES = cuts.CHUNKINGS["ragged"](len(X))
ASKED = {"kernel": KERNEL, "solver": dv.LowRank(rank=90)}
METHOD = "derandomized"  # which has rounds of every kind to die in


@pytest.fixture(scope="module")
def alone():
    return list(dv.select(X, K, method=METHOD, **ASKED))


def picks(client, pieces=None, method=METHOD):
    pieces = cuts.array(X, SIZES) if pieces is None else pieces
    return list(dv.select(pieces, K, method=method, client=client, **ASKED))


@pytest.fixture
def breakable(make_cluster):
    """A cluster of its own, and its client."""
    with make_cluster() as cluster, Client(cluster, set_as_default=False) as client:
        yield cluster, client


def kill(cluster, count):
    """SIGKILL, from which nothing can be saved. As many others join: Dask's nannies now and then give up."""
    for nanny in list(cluster.workers.values())[:count]:
        os.kill(nanny.pid, signal.SIGKILL)
    cluster.scale(len(cluster.workers) + count)


def trips(client):
    """The picks, and what was asked for them."""
    with tidy():
        items, problem = find_problem(cuts.array(X, SIZES), K, client=client, **ASKED)
        chosen, _ = solve(items, problem, dv.METHODS[METHOD]())
        return list(chosen), [(trip.name, trip.received) for trip in items.trips]


def test_killed_workers_change_no_pick_and_cost_no_round(breakable, at_round, alone):
    """The history is replayed from the message of the round, and nothing more."""
    cluster, client = breakable
    undisturbed = trips(client)
    assert undisturbed[0] == alone
    at_round(13, lambda: kill(cluster, 2))  # when earlier picks are in the caches that are lost
    assert trips(client) == undisturbed
    assert tasks_left(client) == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("round_", range(16))
def test_in_whichever_round(round_, count, breakable, at_round, alone):
    cluster, client = breakable
    before = set(client.scheduler_info()["workers"])
    at_round(round_, lambda: kill(cluster, count))
    assert picks(client) == alone
    assert len(before - set(client.scheduler_info()["workers"])) == count
    assert tasks_left(client) == []


def test_workers_retire_and_join_while_it_runs(make_cluster, at_round, alone):
    with make_cluster() as cluster, Client(cluster, set_as_default=False) as client:
        first = next(iter(client.scheduler_info()["workers"]))
        at_round(6, lambda: (cluster.scale(3), client.retire_workers([first])))
        assert picks(client) == alone
        assert first not in client.scheduler_info()["workers"]
        assert tasks_left(client) == []


def test_a_memory_limit_that_forces_spilling_changes_no_pick(make_cluster):
    import dask

    rows = np.random.default_rng(5).normal(size=(60_000, 24))
    sizes = [10_000] * 6
    spilled = []

    def look(stage, done, of):
        spilled.append(max(client.run(lambda dask_worker: dask_worker.data.spilled_total.disk).values()))

    with (
        # of a worker's memory, Python alone takes more than half
        dask.config.set({"distributed.worker.memory.target": 0.01}),
        make_cluster(n_workers=1, memory_limit="500 MB") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        asked = {"kernel": dv.Gaussian(6.0), "solver": dv.LowRank(rank=60)}
        there = dv.select(cuts.array(rows, sizes), K, client=client, progress=look, **asked)
    assert max(spilled) > rows.nbytes / 4
    assert list(there) == list(dv.select(rows, K, **asked))


# --- sources ----------------------------------------------------------------------------------


def failing(folder, times):
    """A dataframe from a source that fails at the first readings of its second part."""
    import dask.dataframe as dd
    import pandas as pd

    def read(part):
        import pathlib

        marks = pathlib.Path(folder)
        if part == 1 and len(list(marks.iterdir())) < times:
            (marks / str(len(list(marks.iterdir())))).touch()
            raise OSError("the disk is busy")
        return pd.DataFrame(table[part * 210 : (part + 1) * 210])

    table = X
    return dd.from_map(read, [0, 1], meta=pd.DataFrame(X[:0]))


def test_a_source_that_fails_once_is_asked_again(client, tmp_path, alone, nothing_left):
    assert picks(client, failing(tmp_path, 1)) == alone
    assert len(list(tmp_path.iterdir())) == 1


def test_a_source_that_always_fails_is_an_error(client, tmp_path, nothing_left):
    with pytest.raises(OSError, match="the disk is busy"):
        picks(client, failing(tmp_path, 100))
    assert 2 <= len(list(tmp_path.iterdir())) < 10


def test_chunks_that_are_not_of_their_size_are_an_error(client, nothing_left):
    import dask.array as da

    pieces = [da.from_array(X[:200]), da.from_array(X[200:])]
    short = da.map_blocks(lambda rows: rows[1:], pieces[1], chunks=pieces[1].chunks, meta=X[:0])
    with pytest.raises(ValueError, match="has 219 rows now and had 220 before"):
        picks(client, da.concatenate([pieces[0], short]))


@pytest.mark.slow
def test_a_source_that_does_not_say_the_same_twice_is_an_error(breakable, at_round, tmp_path):
    import dask.dataframe as dd
    import pandas as pd

    def read(part):
        import pathlib

        mark = pathlib.Path(folder) / str(part)
        rows = 209 if mark.exists() else 210
        mark.touch()
        return pd.DataFrame(table[:rows])

    folder, table = tmp_path, X
    cluster, client = breakable
    at_round(5, lambda: kill(cluster, 2))
    with pytest.raises(ValueError, match="same rows each time"):
        picks(client, dd.from_map(read, [0, 1], meta=pd.DataFrame(X[:0])))


@pytest.mark.slow
def test_scattered_rows_that_are_lost_are_an_error(breakable, at_round):
    import dask.array as da

    cluster, client = breakable
    futures = client.scatter([X[:200], X[200:]])
    with client.as_current():
        pieces = [da.from_delayed(one, (200 + 20 * at, 4), float) for at, one in enumerate(futures)]
        at_round(5, lambda: kill(cluster, 2))
        with pytest.raises(RuntimeError, match="lost with their worker and have no recipe"):
            picks(None, da.concatenate(pieces))


# --- interruptions ----------------------------------------------------------------------------


def stop(*_):
    raise KeyboardInterrupt


def test_ctrl_c_while_waiting_leaves_nothing_behind(client, at_round):
    at_round(7, stop)
    with pytest.raises(KeyboardInterrupt) as caught:  # holds every frame of the selection alive
        picks(client)
    assert tasks_left(client) == []
    assert caught.traceback


def test_ctrl_c_between_rounds_leaves_nothing_behind(client):
    with pytest.raises(KeyboardInterrupt) as caught:
        dv.select(cuts.array(X, SIZES), K, client=client, progress=stop, **ASKED)
    assert tasks_left(client) == []
    assert caught.traceback


def test_parts_that_nobody_tidies_are_let_go_of_with_their_last_name(client, nothing_left):
    parts = DaskParts(cuts.array(X, SIZES), client=client)
    assert list(parts.ask(count, None)) == list(SIZES)
    assert tasks_left(client, seconds=0.1)
    del parts


def count(part, _):
    return len(part.rows)


DRIVER = """
import sys, time
import cuts
import diverset as dv
from distributed import Client

if __name__ == "__main__":
    X, kernel = cuts.POOLS["random"]
    with Client(sys.argv[1]) as client:
        told = lambda stage, done, of: (print("asked", flush=True), time.sleep(0.2))
        for _ in range(50):
            dv.select(cuts.array(X, [200, 220]), 12, kernel=kernel, method="derandomized", progress=told)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_driver_that_ends_in_the_middle_leaves_nothing_behind(how, cluster, client, tmp_path):
    here = Path(__file__).parent
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, cluster.scheduler_address],
        env=os.environ | {"PYTHONPATH": f"{here}{os.pathsep}{here.parent}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(5):
        driver.stdout.readline()
    assert tasks_left(client, seconds=0.0)
    driver.send_signal(how)
    driver.wait(timeout=30)
    driver.stdout.close()
    assert tasks_left(client, seconds=20) == []
