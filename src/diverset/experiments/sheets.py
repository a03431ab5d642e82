"""THE NUMBERS BEHIND: one CSV for each figure and claim, the same bytes in every run.

# sheet  rows of one kind, with six significant digits
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .claims import Claim
from .measures import MEASURES
from .results import Results, TableResult

_DRAWN = ("points", "shares", "indices")


def write_all(results: Results, claims: list[Claim], folder: Path) -> list[str]:
    """All sheets; those that hold times are named times-*.csv."""
    written = {f"measures-{name}.csv": list(measures(table)) for name, table in results.tables.items()}
    for name, table in results.tables.items():
        written[f"gammas-{name}.csv"] = table.pieces["gammas"]
        written[f"picks-{name}.csv"] = list(picks(table))
        written[f"times-{name}.csv"] = list(times(table))
    if results.tables:
        written["spectra.csv"] = list(spectra(results))
        written["repetitions.csv"] = [
            {"table": name, **row} for name, t in results.tables.items() for row in t.pieces["repeats"]
        ]
    for nominal, table in results.readings.items():
        written[f"measures-abalone-sex-{nominal}.csv"] = list(measures(table))
    if results.plane:
        written["illustration.csv"] = list(plane(results.plane))
    for name, rows in (("dogs", results.dogs), ("kimia", results.kimia)):
        if rows:
            written[f"{name}-readings.csv"] = [
                {k: v for k, v in row.items() if k not in _DRAWN} for row in rows
            ]
    for name, drawn in (
        ("dogs", results.dogs[0] if results.dogs else None),
        ("kimia", results.kimia_drawing),
    ):
        if drawn:
            written[f"{name}-projection.csv"] = [
                {"item": at, "component 1": x, "component 2": y} for at, (x, y) in enumerate(drawn["points"])
            ]
    written["claims.csv"] = [
        {
            "claim": c.number,
            "says": c.says,
            "rule": c.rule,
            "verdict": c.verdict.value,
            "measured": c.measured,
        }
        for c in claims
        if not c.rests_on_times
    ]
    written["times-claims.csv"] = [
        {"claim": c.number, "verdict": c.verdict.value, "measured": c.measured}
        for c in claims
        if c.rests_on_times
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in written.items():
        write(folder / name, rows)
    return sorted(written)


def measures(table: TableResult) -> Iterable[dict[str, Any]]:
    for method in table.methods:
        for row in table.pieces[method]:
            yield {"method": method, **{k: row[k] for k in ("k", "repetition", *MEASURES)}}


def picks(table: TableResult) -> Iterable[dict[str, Any]]:
    for method in table.methods:
        for row in table.pieces[method]:
            chosen = " ".join(map(str, row["picks"]))
            yield {"method": method, "k": row["k"], "repetition": row["repetition"], "picks": chosen}


def times(table: TableResult) -> Iterable[dict[str, Any]]:
    for k, row in table.times.items():
        for method, seconds in row.items():
            yield {"method": method, "k": k, "seconds": seconds}


def spectra(results: Results) -> Iterable[dict[str, Any]]:
    for name, table in results.tables.items():
        for at, value in enumerate(table.spectrum[:1000], start=1):
            yield {"table": name, "j": at, "lambda": value}


def plane(drawn: dict[str, Any]) -> Iterable[dict[str, Any]]:
    methods = [name for name in drawn if name != "points"]
    for at, (x, y) in enumerate(drawn["points"]):
        yield {"point": at, "x": x, "y": y, **{m: int(at in drawn[m]) for m in methods}}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows with a header; floats with six significant digits, below which runs may differ."""
    with path.open("w", newline="") as out:
        if rows:
            writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n", extrasaction="ignore")
            writer.writeheader()
            writer.writerows({k: _short(v) for k, v in row.items()} for row in rows)


def _short(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
