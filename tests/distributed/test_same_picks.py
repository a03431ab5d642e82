"""However a pool is cut and wherever its pieces are, the picks are those of the rows in one array."""

from __future__ import annotations

import functools

import cuts
import numpy as np
import pytest

import diverset as dv
from diverset.choice import plan_choice
from diverset.methods import Problem
from diverset.methods.base import BY_ROUNDS
from diverset.rounds.parts import LocalParts
from diverset.rounds.pool import RoundPool
from diverset.rounds.ratio import rate
from diverset.rounds.tasks import answer

K = 12


@functools.cache
def here(name, method="deterministic-kdpp"):
    X, kernel = cuts.POOLS[name]
    return dv.select(X, K, kernel=kernel, method=method, **settings(method))


def settings(method):
    return {} if method == "greedy-map" else {"solver": dv.LowRank(rank=90)}


def agree(there, alone):
    """The same picks, as far as they are decided."""
    sure = K if alone.certified else alone.undecided
    assert list(there)[:sure] == list(alone)[:sure]
    np.testing.assert_allclose(there.gains[:sure], alone.gains[:sure], rtol=1e-6)
    return sure


def check(name, cut, client, method="deterministic-kdpp", kind=cuts.array):
    X, kernel = cuts.POOLS[name]
    pieces = kind(X, cuts.CHUNKINGS[cut](len(X)))
    there = dv.select(pieces, K, kernel=kernel, method=method, client=client, **settings(method))
    agree(there, here(name, method))


def test_there_is_something_to_agree_on():
    assert all(here(name).certified for name in cuts.POOLS)
    assert sum(here("clustered", method).certified for method in BY_ROUNDS) == len(BY_ROUNDS)


@pytest.mark.parametrize("name", cuts.POOLS)
def test_the_picks_are_those_of_one_array(name, client, nothing_left):
    check(name, "one-row and empty", client)


@pytest.mark.parametrize("cut", cuts.CHUNKINGS)
def test_however_the_pool_is_cut(cut, client, nothing_left):
    check("random", cut, client)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [cuts.array, cuts.frame], ids=["array", "frame"])
@pytest.mark.parametrize("cut", cuts.CHUNKINGS)
@pytest.mark.parametrize("name", cuts.POOLS)
def test_every_pool_in_every_cut(name, cut, kind, client):
    check(name, cut, client, kind=kind)


@pytest.mark.parametrize("method", cuts.METHODS)
def test_every_method_that_goes_by_rounds(method, client, nothing_left):
    check("clustered", "ragged", client, method)


@pytest.mark.parametrize("method", BY_ROUNDS)
def test_without_a_cluster_the_threads_of_this_process_do_it(method):
    check("clustered", "one-row and empty", None, method)


def test_frames_bring_their_labels(client, nothing_left):
    X, kernel = cuts.POOLS["random"]
    table = cuts.frame(X, cuts.CHUNKINGS["ragged"](len(X)))
    table = table.set_index(table.index + 1000, sorted=True)
    picks = dv.select(table, K, kernel=kernel, solver=dv.LowRank(rank=90), client=client)
    assert list(picks) == list(here("random"))
    assert list(picks.labels) == [1000 + row for row in picks]
    taken = picks.take(table)
    assert list(taken.index) == list(picks.labels)
    np.testing.assert_array_equal(taken.to_numpy(), X[picks])


@pytest.mark.parametrize("where", ["cluster", "here"])
def test_chunks_of_unknown_size_are_counted_first(where, client, nothing_left):
    X, kernel = cuts.POOLS["random"]
    known = cuts.array(X, cuts.CHUNKINGS["7"](len(X)))
    unknown = known[known[:, 0] > -0.5]
    assert np.isnan(unknown.chunks[0]).all()
    there = dv.select(unknown, K, kernel=kernel, client=client if where == "cluster" else None)
    alone = dv.select(X[X[:, 0] > -0.5], K, kernel=kernel, solver="low-rank")
    assert agree(there, alone) == K
    np.testing.assert_array_equal(there.take(unknown), X[X[:, 0] > -0.5][there])


def test_chunks_along_columns_are_joined(client, nothing_left):
    import dask.array as da

    X, kernel = cuts.POOLS["wide"]
    there = dv.select(da.from_array(X, chunks=(100, 7)), K, kernel=kernel, client=client, **settings(""))
    assert agree(there, here("wide")) == K


RULES = {
    "include": {"include": [3, 100], "exclude": [0, 1, 2]},
    "groups": {"groups": np.arange(cuts.N) % 5, "quota": {0: 1, 1: 2, 2: 0, 3: 4, 4: 9}},
    "quality": {"quality": np.exp(np.sin(np.arange(cuts.N)))},
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_rules_hold_on_a_cluster(rules, client, nothing_left):
    X, kernel = cuts.POOLS["random"]
    asked = {"kernel": kernel, "solver": dv.LowRank(rank=90), **rules}
    there = dv.select(cuts.array(X, cuts.CHUNKINGS["one-row and empty"](len(X))), K, client=client, **asked)
    assert agree(there, dv.select(X, K, **asked)) == K


def test_the_current_client_is_found(client, nothing_left):
    X, kernel = cuts.POOLS["random"]
    with client.as_current():
        there = dv.select(cuts.array(X, [200, 220]), K, kernel=kernel, **settings(""))
    assert agree(there, here("random")) == K


@pytest.mark.parametrize("method", ["deterministic-kdpp", "derandomized"])
def test_a_round_that_is_asked_again_later_finds_what_it_found(method):
    """Whatever the cache holds by then: a message is answered by itself."""
    X, kernel = cuts.POOLS["random"]
    asked = []

    class Listening(LocalParts):
        def ask(self, task, message, along=None):
            answers = list(super().ask(task, message, along))
            asked.append((task, message, answers))
            yield from answers

    parts = Listening(X, np.array([0, 300, len(X)]))
    pool = RoundPool(parts, kernel)
    problem = Problem(None, plan_choice(len(X), K), dv.LowRank(rank=90), lambda: pool)
    dv.METHODS[method]().select(problem)
    assert len(asked) > 2
    for task, message, answers in reversed([one for one in asked if one[0] in (answer, rate)]):
        for again, before in zip(LocalParts.ask(parts, task, message), answers, strict=True):
            states = zip(again, before, strict=True) if task is rate else [(again, before)]
            for new, old in states:
                order, first = np.argsort(new.numbers), np.argsort(old.numbers)
                np.testing.assert_array_equal(new.numbers[order], old.numbers[first])
                np.testing.assert_allclose(new.scores[order], old.scores[first], rtol=1e-6, atol=1e-9)
