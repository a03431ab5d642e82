"""Our own claim, on the same data, by the same rules."""

from __future__ import annotations

from .claims import Claim, at, by_share, counted, tables_of
from .results import Results, Rows, TableResult


def smallest_operator(results: Results) -> Claim:
    two = ("derandomized", "greedy-trace")

    def holds(t: TableResult, k: int) -> bool:
        others = [m for m in t.methods if m not in two and k in t.values(m, "operator")]
        worst = max(at(t, m, "operator", k) for m in two)
        return worst < min(at(t, m, "operator", k) for m in others)

    return counted(
        "A",
        "Derandomised k-DPP and greedy trace have the smallest operator norm errors of all methods, "
        "slow decay included.",
        "Both are below all eight others at every point (random methods: their means).",
        tables_of(results),
        holds,
        "ours-operator-norm",
        ours=True,
    )


def bound_holds(results: Results) -> Claim:
    rows: Rows = []
    for t in tables_of(results):
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
