"""What travels: messages that know neither the rows nor the partitions, and a panel of rows back."""

from __future__ import annotations

import cuts
import numpy as np
import pytest

import diverset as dv
from diverset.distributed import parts as module
from diverset.door import find_problem, solve
from diverset.rounds.parts import tidy

D, K, RANK = 6, 20, 80
KERNEL = dv.Gaussian(1.5)


def trips(n, pieces, client, method="deterministic-kdpp", k=K, **rules):
    """The trips of one selection, and its picks."""
    rows = np.random.default_rng(0).normal(size=(n, D))
    sizes = np.diff(np.linspace(0, n, pieces + 1).astype(int))
    solver = "auto" if method == "greedy-map" else dv.LowRank(rank=4 * k)
    with tidy():
        items, problem = find_problem(
            cuts.array(rows, sizes), k, kernel=KERNEL, solver=solver, client=client, **rules
        )
        chosen, _ = solve(items, problem, dv.METHODS[method]())
        return items.trips, list(chosen)


def asked(found):
    return [trip for trip in found if trip.name not in ("rows", "labels", "first_look")]


@pytest.mark.parametrize("method", cuts.METHODS)
def test_a_message_is_of_the_order_of_k_times_k_plus_d(method, client, nothing_left):
    found, _ = trips(3000, 5, client, method)
    m = RANK if method != "greedy-map" else K
    # landmarks; and at most two (m, m) or (m, 2k) arrays: O(k (k + d)), as m is a multiple of k
    most = 8 * m * (D + 2 * m + 2 * K) + 8192
    assert max(trip.sent for trip in asked(found)) <= most
    # what stays as it was is not sent again, in as many rounds as there are picks
    assert sum(trip.sent for trip in asked(found)) <= 5 * most


def test_messages_do_not_grow_with_the_pool_or_its_pieces(client, nothing_left):
    few, picks = trips(2000, 2, client)
    more, same = trips(2000, 16, client)
    large, _ = trips(20_000, 2, client)
    assert same == picks
    longest = [max(trip.sent for trip in asked(found)) for found in (few, more, large)]
    assert max(longest) <= 1.05 * min(longest)


def test_the_driver_gets_no_more_than_a_panel_of_each_piece(client, nothing_left):
    n, pieces = 30_000, 4
    found, _ = trips(n, pieces, client)
    panel = 2**12 // pieces + 1
    assert max(trip.received for trip in asked(found) if trip.name == "answer") <= pieces * (32 + 24 * panel)
    assert max(trip.received for trip in found if trip.name == "rows") <= 8 * D * max(pieces * panel, 4000)
    assert found[-1].name == "rows"
    # the Gram matrices are added up on the workers: one arrives
    (gram,) = [trip for trip in found if trip.name == "gram"]
    assert gram.received <= 8 * RANK**2 + 64


def test_one_panel_comes_to_the_driver_and_serves_many_picks():
    """Also where two rows for every pick, from each of many pieces, would be more than a panel."""
    n, pieces, k = 6000, 64, 60
    found, picks = trips(n, pieces, None, k=k)
    answers = [at for at, trip in enumerate(found) if trip.name == "answer"]
    assert len(answers) < k / 3
    assert max(found[at].received for at in answers) > 24 * 2**12  # the pieces put more forward
    assert max(trip.received for trip in found if trip.name == "rows") <= 8 * D * 2**12
    rows = np.random.default_rng(0).normal(size=(n, D))
    assert picks == list(dv.select(rows, k, kernel=KERNEL, solver=dv.LowRank(rank=4 * k)))


def test_what_goes_along_with_the_rows_travels_once(client, nothing_left):
    n = 40_000
    quality = np.linspace(1.0, 2.0, n)
    found, _ = trips(n, 4, client, quality=quality, exclude=[1, 2, 3])
    heavy = [trip for trip in asked(found) if trip.sent >= quality.nbytes]
    assert len(heavy) == 1
    assert sum(trip.sent for trip in asked(found)) < 9 * n + 12 * (8 * RANK * (D + 2 * RANK) + 8192)


def test_sums_are_added_up_by_a_tree(client, monkeypatch):
    """With groups of two, 7 answers take 3 levels, and the sum is the same."""
    rows = np.random.default_rng(1).normal(size=(70, 3))
    monkeypatch.setattr(module, "_GROUP", 2)
    for where in (client, None):
        parts = module.DaskParts(cuts.array(rows, [10] * 7), client=where)
        np.testing.assert_allclose(parts.total(gram_of, None), rows.T @ rows)
        parts.close()


def gram_of(part, _):
    return part.rows.T @ part.rows
