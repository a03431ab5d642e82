"""Verdicts on made-up numbers: a claim that does not hold must come out as not reproduced."""

from __future__ import annotations

from typing import Any

import pytest

from diverset.experiments import claims_ours, claims_pictures, claims_tables
from diverset.experiments.claims import Verdict, all_claims, by_share
from diverset.experiments.protocol import FULL, OURS, PAPER
from diverset.experiments.results import Results, TableResult

KS = (5, 10, 20, 40)
# method -> log det, operator, max, trace: what the paper says, and what we say
AS_CLAIMED = {
    "uniform": (-9.0, 0.50, 0.9, 3.0),
    "kdpp": (-5.0, 0.30, 0.5, 2.5),
    "das": (-1.0, 0.30, 0.2, 2.5),
    "deterministic-kdpp": (-1.5, 0.20, 0.2, 2.2),
    "derandomized": (-4.0, 0.10, 0.3, 1.5),
    "greedy-trace": (-6.0, 0.11, 0.4, 1.6),
    "greedy-map": (-1.0, 0.40, 0.1, 2.8),
    "rpcholesky": (-5.0, 0.25, 0.5, 2.4),
    "leverage": (-7.0, 0.90, 0.8, 9.0),
    "ridge-leverage": (-7.0, 0.90, 0.8, 9.0),
}
MEASURES = ("log_det", "operator", "max", "trace")


def table(name: str, *, decay: float = 0.9, changed: dict[tuple[str, int], Any] | None = None) -> TableResult:
    """A table as claimed, but for what is changed: (method, k) -> measures that differ there."""
    pieces: dict[str, Any] = {}
    for method in (*PAPER, *OURS):
        pieces[method] = [
            {"k": k, "repetition": 0, "picks": [], **dict(zip(MEASURES, AS_CLAIMED[method], strict=True))}
            | (changed or {}).get((method, k), {})
            for k in KS
        ]
    pieces["spectrum"] = {"values": [decay**j for j in range(300)]}
    pieces["gammas"] = []
    pieces["repeats"] = [{"k": 10, "repetitions": 10, "distinct": 1, "certified": True}]
    pieces["times"] = {"10": {"k eigenpairs": 0.1, "all eigenpairs": 1.0}}
    return TableResult(name, name.title(), pieces)


def results(*tables: TableResult) -> Results:
    return Results(FULL, {t.name: t for t in tables})


def slow(name: str) -> TableResult:
    """As the paper has it where the decay is slow: the k-DPP has the smaller operator norm error."""
    return table(name, decay=0.99, changed={("kdpp", k): {"operator": 0.12} for k in KS})


@pytest.mark.parametrize(
    ("hits", "points", "verdict"),
    [
        (0, 0, Verdict.NOT_RUN),
        (8, 8, Verdict.REPRODUCED),
        (6, 8, Verdict.PARTLY),
        (5, 8, Verdict.NOT),
        (0, 8, Verdict.NOT),
    ],
)
def test_shares_become_verdicts(hits: int, points: int, verdict: Verdict) -> None:
    assert by_share(hits, points) is verdict


def test_numbers_as_claimed_reproduce_every_claim_on_tables() -> None:
    found = all_claims(results(table("boston"), table("stock"), slow("abalone"), slow("bank8fm")))
    verdicts = {c.number: c.verdict for c in found}
    assert verdicts.pop("6") is verdicts.pop("7") is Verdict.NOT_RUN
    assert set(verdicts.values()) == {Verdict.REPRODUCED}, verdicts


def test_one_point_of_four_against_it_is_in_part_and_named() -> None:
    claim = claims_tables.log_det_above(
        results(table("stock", changed={("deterministic-kdpp", 20): {"log_det": -6.0}}))
    )
    assert claim.verdict is Verdict.PARTLY
    assert "not at k = 20" in claim.measured


def test_a_tie_is_not_above() -> None:
    tied = {("deterministic-kdpp", k): {"log_det": -5.0} for k in KS}
    assert claims_tables.log_det_above(results(table("stock", changed=tied))).verdict is Verdict.NOT


def test_random_methods_count_with_their_mean() -> None:
    t = table("stock")
    t.pieces["kdpp"] += [{**row, "repetition": 1, "log_det": 20.0} for row in t.pieces["kdpp"]]
    assert t.mean("kdpp", "log_det")[5] == pytest.approx(7.5)
    assert claims_tables.log_det_above(results(t)).verdict is Verdict.NOT


def test_far_from_das_is_not_close() -> None:
    far = {("deterministic-kdpp", k): {"log_det": -2.5} for k in KS}
    assert claims_tables.log_det_close(results(table("stock", changed=far))).verdict is Verdict.NOT


def test_max_norm_must_beat_both() -> None:
    worse = {("uniform", k): {"max": 0.1} for k in KS}
    assert claims_tables.max_below(results(table("stock", changed=worse))).verdict is Verdict.NOT


def test_level_max_norms_are_neither_won_nor_lost() -> None:
    level = {("deterministic-kdpp", k): {"max": 0.498} for k in (5, 10, 20)}
    claim = claims_tables.max_below(results(table("stock", changed=level)))
    assert claim.verdict is Verdict.PARTLY
    assert "Level within 1% at 3 points, behind at 0" in claim.measured
    behind = level | {("deterministic-kdpp", 5): {"max": 0.6}}
    assert claims_tables.max_below(results(table("stock", changed=behind))).verdict is Verdict.NOT


def test_the_operator_norm_is_asked_of_the_right_tables() -> None:
    both = results(table("boston"), slow("abalone"))
    assert "Abalone" not in claims_tables.operator_below(both).measured
    assert "Boston" not in claims_tables.operator_above(both).measured
    assert claims_tables.operator_above(results(table("abalone"))).verdict is Verdict.NOT
    assert claims_tables.operator_below(results(slow("boston"))).verdict is Verdict.NOT


def test_the_decay_must_tell_the_tables_apart() -> None:
    slower = table("boston", decay=0.995)
    assert claims_tables.decay_explains(results(slower, slow("abalone"))).verdict is Verdict.NOT
    assert claims_tables.decay_explains(results(table("boston"))).verdict is Verdict.NOT_RUN


def test_a_slow_solver_and_a_changing_set_are_seen() -> None:
    t = table("stock")
    t.pieces["times"]["10"]["k eigenpairs"] = 2.0
    t.pieces["repeats"].append({"k": 20, "repetitions": 10, "distinct": 2, "certified": False})
    assert claims_tables.leading_is_enough(results(t)).verdict is Verdict.NOT
    assert claims_tables.always_the_same(results(t)).verdict is Verdict.NOT


def test_ours_can_fail_too() -> None:
    beaten = {("rpcholesky", k): {"operator": 0.105} for k in KS}
    assert claims_ours.smallest_operator(results(table("stock", changed=beaten))).verdict is Verdict.NOT
    beyond = {("derandomized", 5): {"trace": 6.1}}
    assert claims_ours.bound_holds(results(table("stock", changed=beyond))).verdict is Verdict.PARTLY
    within = {("derandomized", 5): {"trace": 6.0}}
    assert claims_ours.bound_holds(results(table("stock", changed=within))).verdict is Verdict.REPRODUCED


def test_the_share_of_the_gap_to_das_is_told() -> None:
    far = {("deterministic-kdpp", k): {"log_det": -2.0} for k in KS}
    assert (
        "over all k: Stock 25%" in claims_tables.log_det_close(results(table("stock", changed=far))).measured
    )


def test_readings_are_told_apart_by_what_they_give() -> None:
    def row(places: str, weights: str, breeds: int) -> dict[str, Any]:
        return {"places": places, "weights": weights, "breeds": breeds}

    rows = [row("keypoints", "shares", 3), row("keypoints", "shares", 3), row("keypoints", "counts", 1)]
    rows += [row("grid", "shares", 2), row("grid", "shares", 3)]
    claim = claims_pictures.dogs(Results(FULL, dogs=rows, dogs_chance=0.45))
    assert claim.verdict is Verdict.PARTLY
    for words in (
        "3 of 5 show all three",
        "always with keypoints, shares",
        "sometimes with grid, shares (1 of 2)",
        "never with keypoints, counts",
    ):
        assert words in claim.measured


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ([3, 3, 3, 3], Verdict.REPRODUCED),
        ([3, 3, 3, 2], Verdict.REPRODUCED),
        ([3, 2, 2, 2], Verdict.PARTLY),
        ([2, 3, 3, 3], Verdict.NOT),  # no picking the reading that flatters
        ([], Verdict.NOT_RUN),
    ],
)
def test_the_reading_chosen_beforehand_decides(found: list[int], verdict: Verdict) -> None:
    assert claims_pictures.by_readings([{"breeds": b} for b in found], "breeds", 3) is verdict
