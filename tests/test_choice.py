"""include, exclude, groups, quota and quality are obeyed by every method, to the letter."""

from __future__ import annotations

import numpy as np
import oracle
import pandas as pd
import pools
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diverset as dv

METHODS = pytest.mark.parametrize("method", dv.METHODS)
X = np.random.default_rng(1).standard_normal((40, 3))
KERNEL = dv.Gaussian(1.3)
K = oracle.gaussian(X, X, 1.3)
LABELS = np.array(["red", "green", "blue", "grey"])[np.random.default_rng(2).integers(0, 4, 40)]

RULES = {
    "nothing": {},
    "include one": {"include": [17]},
    "include several, in this order": {"include": [30, 2, 11]},
    "include copies of a choice": {"include": [0, 1, 2, 3, 4, 5, 6, 7]},
    "exclude": {"exclude": [0, 5, 6, 33, 39]},
    "exclude most": {"exclude": list(range(30))},
    "one of each": {"groups": LABELS, "quota": 3},
    "a quota by label": {"groups": LABELS, "quota": {"red": 1, "blue": 0, "grey": 20}},
    "all at once": {
        "include": [8, 21],
        "exclude": [3, 14],
        "groups": LABELS,
        "quota": {"red": 4, "green": 3, "blue": 3},
    },
}


def broken(picks, k, include=(), exclude=(), groups=None, quota=None):
    """Which rules these picks break, read one by one."""
    faults = []
    if len(picks) != k or len(set(picks)) != k:
        faults.append("k distinct picks")
    if picks[: len(include)] != list(include):
        faults.append("include first, in its order")
    if set(picks) & set(exclude):
        faults.append("exclude")
    if groups is not None:
        for label in set(groups):
            most = quota.get(label, k) if isinstance(quota, dict) else quota
            if sum(groups[pick] == label for pick in picks) > most:
                faults.append(f"quota of {label}")
    return faults


@METHODS
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_rules_are_obeyed(method, rules):
    picks = dv.select(X, 9, kernel=KERNEL, method=method, **rules)
    assert broken(list(picks), 9, **rules) == []
    assert picks.stop is dv.Stop.COMPLETE


@METHODS
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_within_the_rules_they_are_the_oracles_picks(method, rules):
    picks = dv.select(X, 9, kernel=KERNEL, method=method, **rules)
    truth = oracle.select(method, K, 9, oracle.copies(X), **rules)
    assert list(picks) == truth.indices
    assert picks.certified
    first = 1 if method == "farthest-point" and rules.get("include") else 0  # no pick to be far from
    np.testing.assert_allclose(picks.gains[first:], truth.gains[first:], rtol=1e-6)


@METHODS
@pytest.mark.parametrize("rules", [RULES["nothing"], RULES["all at once"]], ids=["no rules", "all"])
def test_quality_weighs_the_kernel_on_both_sides(method, rules):
    quality = np.random.default_rng(3).uniform(0.2, 3.0, 40)
    L = quality[:, None] * K * quality
    picks = dv.select(X, 9, kernel=KERNEL, method=method, quality=quality, **rules)
    truth = oracle.select(method, L, 9, oracle.copies(X, quality), **rules)
    assert list(picks) == truth.indices
    given = dv.select(L, 9, kernel=dv.Precomputed(), method=method, **rules)
    assert list(given) == list(picks)
    assert picks.log_det == pytest.approx(np.linalg.slogdet(L[np.ix_(list(picks), list(picks))])[1], rel=1e-9)


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-map", "greedy-trace", "das"])
def test_more_quality_is_preferred(method):
    quality = np.where(np.arange(40) < 20, 10.0, 0.1)
    picks = dv.select(X, 6, kernel=KERNEL, method=method, quality=quality)
    assert max(picks) < 20


@pytest.mark.parametrize("method", ["deterministic-kdpp", "greedy-map", "das"])
def test_no_quality_is_not_picked_and_one_for_all_changes_nothing(method):
    quality = np.where(np.arange(40) % 2, 1.0, 0.0)
    picks = dv.select(X, 9, kernel=KERNEL, method=method, quality=quality)
    assert all(pick % 2 for pick in picks)
    usual = dv.select(X, 9, kernel=KERNEL, method="greedy-map")
    same = dv.select(X, 9, kernel=KERNEL, method="greedy-map", quality=np.full(40, 7.0))
    assert list(same) == list(usual)


def test_copies_of_different_quality_are_not_copies():
    rows = np.repeat(X[:10], 2, axis=0)
    quality = np.tile([1.0, 1.5], 10)  # the second of each pair is better
    picks = dv.select(rows, 6, kernel=KERNEL, method="greedy-map", quality=quality)
    assert all(pick % 2 for pick in picks)


def test_a_mask_says_the_same_as_row_numbers():
    mask = np.zeros(40, dtype=bool)
    mask[[3, 9, 20]] = True
    assert list(dv.select(X, 6, exclude=mask)) == list(dv.select(X, 6, exclude=[3, 9, 20]))
    assert list(dv.select(X, 6, include=mask)) == list(dv.select(X, 6, include=[3, 9, 20]))


@pytest.mark.parametrize(
    "groups",
    [
        LABELS.tolist(),
        LABELS,
        pd.Series(LABELS),
        pd.Series(LABELS, index=range(60, 100)),
        pd.Series(LABELS).astype("category"),
        np.unique(LABELS, return_inverse=True)[1],
    ],
    ids=["list", "array", "series", "other index", "categories", "numbers"],
)
def test_groups_come_as_any_column(groups):
    expected = dv.select(X, 8, kernel=KERNEL, groups=LABELS, quota=2)
    assert list(dv.select(X, 8, kernel=KERNEL, groups=groups, quota=2)) == list(expected)


def test_an_earlier_selection_can_be_extended():
    first = dv.select(X, 5, kernel=KERNEL, method="greedy-map")
    more = dv.select(X, 9, kernel=KERNEL, method="greedy-map", include=first)
    assert list(more) == list(dv.select(X, 9, kernel=KERNEL, method="greedy-map"))
    rest = dv.select(X, 5, kernel=KERNEL, method="greedy-map", exclude=first)
    assert not set(rest) & set(first)


@pytest.mark.parametrize("solver", ["auto", "low-rank"])
@pytest.mark.parametrize("method", ["deterministic-kdpp", "derandomized"])
def test_rows_outside_of_the_leading_directions_are_picked_by_what_they_add(method, solver):
    """All that is allowed lies in few of the k leading directions, and is far from dependent."""
    rng = np.random.default_rng(0)
    far = np.vstack([rng.normal(size=(300, 5)), 12 + 0.5 * rng.normal(size=(40, 5))])
    picks = dv.select(far, 5, exclude=range(300), method=method, solver=solver)
    assert picks.stop is dv.Stop.COMPLETE
    assert picks.certified
    start = dv.select(far, 5, exclude=range(300), include=picks[:1], method="greedy-map")
    assert list(picks) == list(start)
    few = dv.select(far, 10, groups=np.arange(340) >= 300, quota=5, method=method, solver=solver)
    assert few.stop is dv.Stop.COMPLETE
    assert sum(pick >= 300 for pick in few) == 5


@METHODS
def test_everything_included_is_everything(method):
    order = np.random.default_rng(5).permutation(40)[:7].tolist()
    picks = dv.select(X, 7, kernel=KERNEL, method=method, include=order)
    assert list(picks) == order
    assert picks.certified


@METHODS
def test_the_only_way_to_meet_a_quota_is_taken(method):
    """Two groups full from the start leave exactly one choice."""
    groups = ["a"] * 2 + ["b"] * 38
    picks = dv.select(X, 5, kernel=KERNEL, method=method, groups=groups, quota={"a": 2, "b": 3})
    assert sum(pick < 2 for pick in picks) == 2


@st.composite
def combinations(draw):
    n = draw(st.integers(4, 24))
    rows = np.random.default_rng(draw(st.integers(0, 10**6))).standard_normal((n, 3))
    order = draw(st.permutations(range(n)))
    k = draw(st.integers(1, n // 2))
    include = order[: draw(st.integers(0, k))]
    exclude = order[len(include) : len(include) + draw(st.integers(0, n // 4))]
    groups = draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    quota = draw(st.one_of(st.integers(0, n), st.just({"a": draw(st.integers(0, n))})))
    return rows, k, {"include": include, "exclude": exclude, "groups": groups, "quota": quota}


@given(combinations(), st.sampled_from(sorted(dv.METHODS)))
def test_any_combination_is_obeyed_or_refused(case, method):
    rows, k, rules = case
    quota = rules["quota"]
    most = {g: quota.get(g, len(rows)) if isinstance(quota, dict) else quota for g in "ab"}
    free = [i for i in range(len(rows)) if i not in rules["exclude"]]
    groups = rules["groups"]
    possible = sum(min(most[g], sum(groups[i] == g for i in free)) for g in "ab") >= k
    possible &= all(sum(groups[i] == g for i in rules["include"]) <= most[g] for g in "ab")
    if not possible:
        with pytest.raises(ValueError, match="quota"):
            dv.select(rows, k, kernel=dv.Laplacian(2.0), method=method, **rules)
        return
    picks = dv.select(rows, k, kernel=dv.Laplacian(2.0), method=method, **rules)
    assert broken(list(picks), k, **rules) == []
    same = oracle.copies(rows)
    matrix = pools.KERNELS["Laplacian(bandwidth=3.0)"].formula(rows, rows) ** 1.5  # bandwidth 2
    if picks.certified:
        assert list(picks) == oracle.select(method, matrix, k, same, **rules).indices


@pytest.mark.parametrize("method", dv.METHODS)
def test_few_rows_with_any_quality_are_found_among_many(method):
    rows, quality = np.random.default_rng(0).normal(size=(2_000, 4)), np.zeros(2_000)
    quality[[5, 6]] = 1.0
    with pytest.warns(UserWarning, match="of k=4 items add anything new"):
        picks = dv.select(rows, 4, kernel=dv.Gaussian(2.0), quality=quality, method=method)
    assert {5, 6} <= set(picks)
