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
CLOSE = 0.25  # "close to DAS": within this share of the distance between DAS and k-DPP
FAST_DECAY = ("boston", "stock")


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
    from .claims_pictures import dogs, kimia

    return [
        log_det_above(results),
        log_det_close(results),
        max_below(results),
        operator_below(results),
        operator_above(results),
        decay_explains(results),
        leading_is_enough(results),
        always_the_same(results),
        dogs(results),
        kimia(results),
        smallest_operator(results),
        bound_holds(results),
    ]


# --- how points are counted -------------------------------------------------------------------

Holds = Callable[[TableResult, int], bool]


def count(tables: list[TableResult], holds: Holds) -> tuple[int, int, str, Rows]:
    """Hits, points, both in words per table, and as rows."""
    rows: Rows = []
    for table in tables:
        ks = _common(table)
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


def _common(table: TableResult) -> list[int]:
    """The k at which every one of the paper's methods took part."""
    sets = [set(table.values(m, "log_det")) for m in ("uniform", "kdpp", "das", "deterministic-kdpp")]
    return sorted(set.intersection(*sets)) if sets else []


def _at(table: TableResult, method: str, measure: str, k: int) -> float:
    return table.mean(method, measure)[k]


def _counted(
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
            row["over k-DPP, geometric mean"] = f"{_ratio(table, measure):.2f}"
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


def _ratio(table: TableResult, measure: str) -> float:
    """The error of the deterministic k-DPP over the mean one of the k-DPP, averaged over k in logs."""
    logs = [
        log(_at(table, "deterministic-kdpp", measure, k) / _at(table, "kdpp", measure, k))
        for k in _common(table)
    ]
    return exp(sum(logs) / len(logs)) if logs else nan


def _below(measure: str, rivals: tuple[str, ...]) -> Holds:
    def holds(t: TableResult, k: int) -> bool:
        mine = _at(t, "deterministic-kdpp", measure, k)
        return all(mine < _at(t, rival, measure, k) for rival in rivals)

    return holds


def _tables(results: Results, names: tuple[str, ...] | None = None) -> list[TableResult]:
    return [t for name, t in results.tables.items() if names is None or name in names]


# --- the paper's claims on the tables -----------------------------------------------------------


def log_det_above(results: Results) -> Claim:
    def holds(t: TableResult, k: int) -> bool:
        mine = _at(t, "deterministic-kdpp", "log_det", k)
        return all(mine > _at(t, rival, "log_det", k) for rival in ("kdpp", "uniform"))

    return _counted(
        "1a",
        "The sets of the deterministic k-DPP are more diverse: its log det is above that of the k-DPP "
        "and of uniform sampling, at every k and on all four tables.",
        "log det above both means at every point.",
        _tables(results),
        holds,
        "log-det",
    )


def log_det_close(results: Results) -> Claim:
    def holds(t: TableResult, k: int) -> bool:
        mine, das = (_at(t, m, "log_det", k) for m in ("deterministic-kdpp", "das"))
        return das - mine <= CLOSE * (das - _at(t, "kdpp", "log_det", k))

    return _counted(
        "1b",
        "Its log det is close to that of DAS.",
        f"The gap to DAS is at most {CLOSE:.0%} of the gap between DAS and the k-DPP, at every point.",
        _tables(results),
        holds,
        "log-det",
    )


def max_below(results: Results) -> Claim:
    return _counted(
        "2",
        "Its Nyström approximation has a smaller max norm error than that of the k-DPP and of "
        "uniform sampling.",
        "Max norm error below both means at every point.",
        _tables(results),
        _below("max", ("kdpp", "uniform")),
        "max-norm",
        measure="max",
    )


def operator_below(results: Results) -> Claim:
    return _counted(
        "3a",
        "Where the spectrum decays fast (Boston, Stock) its operator norm error is below that of the k-DPP.",
        "Operator norm error below the mean of the k-DPP at every point of Boston and Stock.",
        _tables(results, FAST_DECAY),
        _below("operator", ("kdpp",)),
        "operator-norm",
        measure="operator",
    )


def operator_above(results: Results) -> Claim:
    holds = _below("operator", ("kdpp",))
    slow = tuple(name for name in results.tables if name not in FAST_DECAY)
    return _counted(
        "3b",
        "Where it decays slowly (Abalone, Bank8FM) the k-DPP has the smaller operator norm error.",
        "Operator norm error above the mean of the k-DPP at every point of Abalone and Bank8FM.",
        _tables(results, slow),
        lambda t, k: not holds(t, k),
        "operator-norm",
        measure="operator",
    )


def decay_explains(results: Results) -> Claim:
    """Is it the decay that decides between 3a and 3b?"""
    rows: Rows = []
    won: list[tuple[bool, float, float]] = []
    for t in _tables(results):
        hits, points, _, _ = count([t], _below("operator", ("kdpp",)))
        values = t.spectrum
        if points == 0 or len(values) < 200:
            continue
        whole, step = values[99] / values[0], values[199] / values[99]
        won.append((2 * hits > points, whole, step))
        rows.append(
            {
                "table": t.title,
                "deterministic k-DPP better at": f"{hits} of {points}",
                "lambda_100 / lambda_1": f"{whole:.2g}",
                "lambda_200 / lambda_100": f"{step:.2g}",
            }
        )
    words = "; ".join(
        f"{r['table']} {r['lambda_100 / lambda_1']} and {r['lambda_200 / lambda_100']}, better at "
        f"{r['deterministic k-DPP better at']}"
        for r in rows
    )
    return Claim(
        "3c",
        "It is the decay of the spectrum that decides which of the two has the smaller operator norm error.",
        "Every table on which the deterministic k-DPP is better at most k has a faster decay than "
        "every table on which it is not: by lambda_100 / lambda_1 and by lambda_200 / lambda_100 "
        "(by one of the two only: in part).",
        _separated(won),
        f"lambda_100 / lambda_1 and lambda_200 / lambda_100: {words}." if rows else "No table was run.",
        ("spectra", "operator-norm"),
        numbers=rows,
    )


def _separated(won: list[tuple[bool, float, float]]) -> Verdict:
    better = [w for w in won if w[0]]
    worse = [w for w in won if not w[0]]
    if not better or not worse:
        return Verdict.NOT_RUN
    apart = [max(b[i] for b in better) < min(w[i] for w in worse) for i in (1, 2)]
    return {2: Verdict.REPRODUCED, 1: Verdict.PARTLY, 0: Verdict.NOT}[sum(apart)]


def leading_is_enough(results: Results) -> Claim:
    found = [
        (t.title, k, row["k eigenpairs"], row["all eigenpairs"])
        for t in _tables(results)
        for k, row in sorted(t.times.items())
        if "all eigenpairs" in row
    ]
    quick = sum(leading < every for _, _, leading, every in found)
    words = []
    for title in dict.fromkeys(f[0] for f in found):
        mine = [f for f in found if f[0] == title]
        shown = ", ".join(f"{leading:.2g} s for k = {k}" for _, k, leading, _ in mine)
        words.append(f"{title} {mine[0][3]:.2g} s for all, {shown}")
    return Claim(
        "4",
        "Only the k leading eigenvectors are needed, which is cheaper than the full decomposition "
        "that k-DPP and DAS need.",
        "The k leading eigenpairs take less time than all of them at every k that was timed.",
        by_share(quick, len(found)),
        f"Less time at {quick} of {len(found)} points: {'; '.join(words)}." if found else "No table was run.",
        ("time",),
        rests_on_times=True,
        numbers=[
            {"table": t, "k": k, "k leading": f"{a:.3g} s", "all": f"{b:.3g} s", "share": f"{a / b:.2f}"}
            for t, k, a, b in found
        ],
    )


def always_the_same(results: Results) -> Claim:
    rows = [{"table": t.title, **row} for t in _tables(results) for row in t.pieces["repeats"]]
    same = sum(row["distinct"] == 1 for row in rows)
    sure = sum(bool(row["certified"]) for row in rows)
    again = max((row["repetitions"] for row in rows), default=0)
    return Claim(
        "5",
        "There is no failure probability: the deterministic k-DPP returns the same set every time.",
        "One distinct result over all repetitions, for every table and k tried (repetitions vary the "
        "memory layout and the number of BLAS threads).",
        by_share(same, len(rows)),
        f"{same} of {len(rows)} cases gave one result in {again} repetitions; {sure} of them are "
        "certified: clear of the rounding noise at every pick."
        if rows
        else "No table was run.",
        numbers=rows,
    )


# --- ours -----------------------------------------------------------------------------------------


def smallest_operator(results: Results) -> Claim:
    two = ("derandomized", "greedy-trace")

    def holds(t: TableResult, k: int) -> bool:
        others = [m for m in t.methods if m not in two and k in t.values(m, "operator")]
        worst = max(_at(t, m, "operator", k) for m in two)
        return worst < min(_at(t, m, "operator", k) for m in others)

    return _counted(
        "A",
        "Derandomised k-DPP and greedy trace have the smallest operator norm errors of all methods, "
        "slow decay included.",
        "Both are below all eight others at every point (random methods: their means).",
        _tables(results),
        holds,
        "ours-operator-norm",
        ours=True,
    )


def bound_holds(results: Results) -> Claim:
    rows: Rows = []
    for t in _tables(results):
        ratios = {k: v / (k + 1) for k, v in t.mean("derandomized", "trace").items()}
        if ratios:
            k = max(ratios, key=lambda k: ratios[k])
            rows.append(
                {
                    "table": t.title,
                    "points": len(ratios),
                    "beyond the bound": sum(r > 1 for r in ratios.values()),
                    "largest share of the bound": f"{ratios[k]:.3g}",
                    "at k": k,
                    "largest ratio to the best": f"{max(t.mean('derandomized', 'trace').values()):.3g}",
                }
            )
    points, beyond = sum(r["points"] for r in rows), sum(r["beyond the bound"] for r in rows)
    words = "; ".join(
        f"{r['table']} at most {r['largest ratio to the best']} times the best possible" for r in rows
    )
    return Claim(
        "B",
        "The trace norm error of the derandomised k-DPP never exceeds its bound, k + 1 times the best "
        "possible at rank k.",
        "At most k + 1 times what the eigenvalues beyond k sum to, at every point.",
        by_share(points - beyond, points),
        f"Within the bound at {points - beyond} of {points} points: {words}."
        if rows
        else "No table was run.",
        ("ours-trace-norm",),
        ours=True,
        numbers=rows,
    )
