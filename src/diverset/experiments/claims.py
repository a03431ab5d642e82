"""THE PAPER SAYS / WE MEASURED: every claim, a rule, and what the rule makes of the numbers.

# point  one table at one k; random methods count with the mean of their repetitions
# hits   points at which a claim holds
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from math import exp, log, nan

from .results import Results, Rows, TableResult

MOSTLY = 0.75  # a claim that holds at this share of the points, but not at all, holds in part


class Verdict(Enum):
    """How a claim fared."""

    REPRODUCED = "reproduced"
    PARTLY = "partly reproduced"
    NOT = "not reproduced"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Claim:
    """A row of the page."""

    number: str
    says: str
    rule: str
    verdict: Verdict
    measured: str
    figures: tuple[str, ...] = ()
    ours: bool = False
    rests_on_times: bool = False
    numbers: Rows = field(default_factory=list, compare=False)


def by_share(hits: int, points: int) -> Verdict:
    """Reproduced where a claim holds at every point, in part where it holds at most of them."""
    if points == 0:
        return Verdict.NOT_RUN
    if hits == points:
        return Verdict.REPRODUCED
    return Verdict.PARTLY if hits >= MOSTLY * points else Verdict.NOT


def all_claims(results: Results) -> list[Claim]:
    """Every claim, in the order of the paper, then ours."""
    from . import claims_ours, claims_pictures, claims_tables

    return [
        claims_tables.log_det_above(results),
        claims_tables.log_det_close(results),
        claims_tables.max_below(results),
        claims_tables.operator_below(results),
        claims_tables.operator_above(results),
        claims_tables.decay_explains(results),
        claims_tables.leading_is_enough(results),
        claims_tables.always_the_same(results),
        claims_pictures.dogs(results),
        claims_pictures.kimia(results),
        claims_ours.smallest_operator(results),
        claims_ours.bound_holds(results),
    ]


# --- how points are counted -------------------------------------------------------------------

Holds = Callable[[TableResult, int], bool]


def count(tables: list[TableResult], holds: Holds) -> tuple[int, int, str, Rows]:
    """Hits, points, both in words per table, and as rows."""
    rows: Rows = []
    for table in tables:
        ks = common(table)
        found = [holds(table, k) for k in ks]
        misses = " ".join(str(k) for k, hit in zip(ks, found, strict=True) if not hit)
        rows.append(
            {"table": table.title, "hits": sum(found), "points": len(ks), "fails at k": misses or "-"}
        )
    hits, points = sum(r["hits"] for r in rows), sum(r["points"] for r in rows)
    words = "; ".join(
        f"{r['table']} {r['hits']} of {r['points']}"
        + (f" (not at k = {r['fails at k'].replace(' ', ', ')})" if r["fails at k"] != "-" else "")
        for r in rows
    )
    return hits, points, words, rows


def common(table: TableResult) -> list[int]:
    """The k at which every one of the paper's methods took part."""
    sets = [set(table.values(m, "log_det")) for m in ("uniform", "kdpp", "das", "deterministic-kdpp")]
    return sorted(set.intersection(*sets)) if sets else []


def at(table: TableResult, method: str, measure: str, k: int) -> float:
    return table.mean(method, measure)[k]


def counted(
    number: str,
    says: str,
    rule: str,
    tables: list[TableResult],
    holds: Holds,
    figure: str,
    *,
    ours: bool = False,
    measure: str | None = None,
) -> Claim:
    hits, points, words, rows = count(tables, holds)
    if measure is not None:
        for row, table in zip(rows, tables, strict=True):
            row["over k-DPP, geometric mean"] = f"{ratio(table, measure):.2f}"
        words += ". Error over that of the k-DPP, geometric mean over k: " + ", ".join(
            f"{row['table']} {row['over k-DPP, geometric mean']}" for row in rows
        )
    return Claim(
        number,
        says,
        rule,
        by_share(hits, points),
        f"Holds at {hits} of {points} points: {words}." if points else "No table was run.",
        (figure,),
        ours=ours,
        numbers=rows,
    )


def ratio(table: TableResult, measure: str) -> float:
    """The error of the deterministic k-DPP over the mean one of the k-DPP, averaged over k in logs."""
    logs = [
        log(at(table, "deterministic-kdpp", measure, k) / at(table, "kdpp", measure, k))
        for k in common(table)
    ]
    return exp(sum(logs) / len(logs)) if logs else nan


def below(measure: str, rivals: tuple[str, ...]) -> Holds:
    def holds(t: TableResult, k: int) -> bool:
        mine = at(t, "deterministic-kdpp", measure, k)
        return all(mine < at(t, rival, measure, k) for rival in rivals)

    return holds


def tables_of(results: Results, names: tuple[str, ...] | None = None) -> list[TableResult]:
    return [t for name, t in results.tables.items() if names is None or name in names]
