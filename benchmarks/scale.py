"""How does it scale? Reach, rivals at 100,000 rows, and the quality of low-rank factors.

Every job is a process of its own (scale_jobs.py). With --json FILE the answers are kept in FILE as they
come, beside the table, for scale_figures.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.catalogue import GIGABYTE, Target
from benchmarks.measure import ROOT, THREAD_VARIABLES, Setting, say
from benchmarks.table import Line, Section

K = 100
TIME_LIMIT = 10_800
DRAWS = 3  # of rivals that draw at random
PARTS = ("reach", "disk", "rivals", "quality", "large", "das")
LONG = ("disk", "large", "das")  # in full, or when asked for by name
NAMED = ("far",)  # when asked for by name
OURS = "diverset deterministic-kdpp"
PERCENT = 0.03  # what the errors may differ from those of the exact spectrum, on average

Answer = dict[str, Any]


def sections(setting: Setting, full: bool, parts: list[str] | None, kept: Path | None) -> list[Section]:
    """The wanted parts."""
    wanted = parts or [part for part in PARTS if full or part not in LONG]
    log = Log(setting, kept.with_suffix(".scale.json") if kept else None)
    made: list[Section] = []
    if not {"reach", "disk", "far"}.isdisjoint(wanted):
        made.append(reach_section(reach(log, wanted), setting))
    if "rivals" in wanted:
        made.append(rival_section(rivals(log), setting))
    if not {"quality", "large", "das"}.isdisjoint(wanted):
        made += quality_sections(quality(log, wanted))
    return made


@dataclass
class Log:
    """Runs jobs, and keeps all answers, in a file too if there is one."""

    setting: Setting
    path: Path | None
    answers: list[Answer] = field(default_factory=list)

    def run(self, jobs: list[Answer]) -> list[Answer]:
        """The answers of these jobs."""
        for job in jobs:
            self.answers.append(run(self.setting, job))
            if self.path is not None:
                self.path.write_text(json.dumps(self.answers, indent=1) + "\n")
        return self.answers[len(self.answers) - len(jobs) :]


def run(setting: Setting, what: Answer) -> Answer:
    """One child process; a failure is an answer too."""
    request = {"k": K, **what, "threads": setting.threads, "directory": str(setting.directory or "")}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale_jobs"],
        input=json.dumps(request),
        env=os.environ | dict.fromkeys(THREAD_VARIABLES, str(setting.threads)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    load = os.getloadavg()[0]
    if done.returncode != 0:
        answer = {"problem": (done.stderr.strip().splitlines() or ["no answer"])[-1]}
    else:
        answer = json.loads(done.stdout.splitlines()[-1])
    outcome = answer.get("problem") or f"{answer['seconds']:.3g} s" if "seconds" in answer else "done"
    say(f"scale    {what.get('title', what['do']):50} {outcome}, load {load:.1f}")
    return what | answer | {"load": load}


# --- how far -----------------------------------------------------------------------------------

# rows -> seconds and gigabytes allowed
LIMITS = {100_000: (10.0, None), 1_000_000: (60.0, 4.0), 10_000_000: (1200.0, 8.0)}
STEPS = (30_000, 100_000, 300_000, 1_000_000)


def reach(log: Log, parts: list[str]) -> list[Answer]:
    jobs = []
    if "reach" in parts:
        jobs += [selecting(n, "deterministic-kdpp") for n in STEPS]
        jobs += [selecting(n, "deterministic-kdpp", {"dtype": "float32"}) for n in STEPS[1:3]]
        jobs += [selecting(n, "greedy-map") for n in STEPS[1:]]
    if "disk" in parts:
        jobs += [selecting(10_000_000, "deterministic-kdpp", disk=True)]
    if "far" in parts:
        jobs += [selecting(100_000_000, "deterministic-kdpp", disk=True)]
    for job in jobs:
        if log.setting.smoke:
            job["n"] //= 100
    return log.run(jobs)


def selecting(n: int, method: str, solver: Answer | None = None, disk: bool = False) -> Answer:
    settings = {"method": method} | ({"memory": 2**28} if n < 50_000 and method != "greedy-map" else {})
    title = f"{n:,} rows{' on disk' if disk else ''}, {method}{', float32' if solver else ''}"
    return {"do": "reach", "title": title, "n": n, "disk": disk, "settings": settings, "solver": solver}


def reach_section(answers: list[Answer], setting: Setting) -> Section:
    per_row = {a["n"]: a["cpu"] / a["n"] for a in answers if plain(a)}
    lines = []
    for answer in answers:
        if "problem" in answer:
            lines.append(Line("scale", answer["title"], note=answer["problem"]))
            continue
        note = f"{1e6 * answer['seconds'] / answer['n']:.0f} us a row, load {answer['load']:.1f}"
        if answer["missed"] is not None:
            note += f", missed {answer['missed']:.1e} of the trace"
        if plain(answer) and 100_000 in per_row and answer["n"] > 100_000:
            note += f", cpu a row x {per_row[answer['n']] / per_row[100_000]:.2f} of that at 100,000"
        lines.append(
            Line(
                group="scale",
                title=answer["title"],
                seconds=answer["seconds"],
                cpu=answer["cpu"],
                peak=answer["peak"],
                log_det=answer["log_det"],
                note=note,
                targets=() if setting.smoke else limits(answer),
            )
        )
    return Section(f"how far: {K} rows, 8 columns, Gaussian(5), {setting.threads} threads", tuple(lines))


def plain(answer: Answer) -> bool:
    """Whether this is the default method and solver."""
    default = answer["settings"]["method"] == "deterministic-kdpp" and not answer["solver"]
    return default and "cpu" in answer


def limits(answer: Answer) -> tuple[Target, ...]:
    if not plain(answer) or answer["n"] not in LIMITS:
        return ()
    seconds, gigabytes = LIMITS[answer["n"]]
    time = Target("seconds", below=seconds)
    return (time,) if gigabytes is None else (time, Target("peak", below=gigabytes * GIGABYTE))


# --- beside others -----------------------------------------------------------------------------


def rivals(log: Log) -> list[Answer]:
    from benchmarks.scale_jobs import RIVALS

    n = 2_000 if log.setting.smoke else 100_000
    k = 20 if log.setting.smoke else K
    return log.run(
        [
            {"do": "rival", "title": name, "name": name, "n": n, "k": k, "draws": draws(name)}
            for name in RIVALS
        ]
    )


def draws(name: str) -> int:
    return 1 if name.startswith("diverset") or "farthest" in name or "KMeans" in name else DRAWS


def rival_section(answers: list[Answer], setting: Setting) -> Section:
    first = next(a for a in answers if a["title"] == OURS)
    lines = [
        Line("scale", a["title"], note=a["problem"])
        if "problem" in a
        else Line(
            group="scale",
            title=a["title"],
            seconds=a["seconds"],
            cpu=a["cpu"],
            ratio=a["seconds"] / first["seconds"] if a is not first and "seconds" in first else None,
            peak=a["peak"],
            trace_error=a["trace_error"],
            note=f"mean of {a['draws']} draws" if a["draws"] > 1 else "",
        )
        for a in answers
    ]
    heading = f"beside others: {first['k']} landmarks of {first['n']:,} x 8, Gaussian(5)"
    return Section(f"{heading}, {setting.threads} threads", tuple(lines))


# --- how good ----------------------------------------------------------------------------------

# pool and bandwidth: the first of a pair has slow decay, the second fast
POOLS = (
    ("Bank8FM", 2.0),
    ("Bank8FM", 5.0),
    ("normal, 3 columns", 0.5),
    ("normal, 3 columns", 2.0),
    ("normal, 8 columns", 2.0),
    ("normal, 8 columns", 5.0),
    ("clusters", 2.0),
    ("clusters", 5.0),
)
SOLVERS: Answer = {"float64": {}, "float32": {"dtype": "float32"}}


def quality(log: Log, parts: list[str]) -> list[Answer]:
    """All methods that take a factor; "large": with more rows; "das": its exact answer takes n^3."""
    shrink = 10 if log.setting.smoke else 1
    jobs: list[Answer] = []
    if "quality" in parts:
        jobs += [asking(8_192 // shrink, *pool, "deterministic-kdpp", (20, 50, K)) for pool in POOLS]
        for method in ("greedy-trace", "derandomized"):
            jobs += [asking(8_192 // shrink, *pool, method, (20, 50, K)) for pool in POOLS]
    if "large" in parts:
        made = [pool for pool in POOLS if pool[0] != "Bank8FM"]  # which has no more rows
        jobs += [asking(20_000 // shrink, *pool, "deterministic-kdpp", (50, K)) for pool in made]
        jobs += [asking(20_000 // shrink, *pool, "greedy-trace", (K,)) for pool in made]
    if "das" in parts:
        jobs += [asking(8_192 // shrink, *pool, "das", (K,)) for pool in POOLS]
    return log.run(jobs)


def asking(n: int, pool: str, width: float, method: str, ks: tuple[int, ...]) -> Answer:
    return {
        "do": "quality",
        "title": f"{method}, {pool}, bandwidth {width:g}",
        "pool": pool,
        "bandwidth": width,
        "n": n,
        "k": ks,
        "method": method,
        "solvers": SOLVERS,
    }


def quality_sections(answers: list[Answer]) -> list[Section]:
    kinds = dict.fromkeys((a["method"], a["n"]) for a in answers)
    return [quality_section(m, [a for a in answers if (a["method"], a["n"]) == (m, n)]) for m, n in kinds]


def quality_section(method: str, answers: list[Answer]) -> Section:
    lines: list[Line] = []
    away: dict[str, list[list[float]]] = {name: [] for name in SOLVERS}
    for answer in answers:
        exact: Answer = {}
        for row in answer.get("rows", []):
            note = ""
            if row["solver"] == "exact":
                exact = row
            else:
                differences = compared(row, exact)
                away[row["solver"]].append(differences)
                note = f"rank {row['rank']}: {spelled(differences)}"
            where = f"{answer['pool']}, {answer['bandwidth']:g}, k={row['k']}, {row['solver']}"
            lines.append(
                Line(
                    group="scale",
                    title=where,
                    seconds=row["seconds"],
                    cpu=row["cpu"],
                    peak=row["peak"],
                    log_det=row["log_det"],
                    operator_error=row["operator_error"],
                    trace_error=row["trace_error"],
                    note=note,
                )
            )
        if "problem" in answer:
            lines.append(Line("scale", answer["title"], note=answer["problem"]))
    for name, found in away.items():
        if found:
            lines.append(Line("scale", f"on average, {name}", note=averaged(np.array(found))))
    n = answers[0]["n"]
    return Section(f"how good: {method} on a factor beside the exact spectrum, {n:,} rows", tuple(lines))


def compared(row: Answer, exact: Answer) -> list[float]:
    """Operator and trace error, relative to the exact spectrum's; log det per item, as a difference."""
    return [
        row["operator_error"] / exact["operator_error"] - 1,
        row["trace_error"] / exact["trace_error"] - 1,
        (row["log_det"] - exact["log_det"]) / row["k"],
    ]


def spelled(differences: list[float]) -> str:
    operator, trace, log_det = differences
    return f"operator {operator:+.1%}, trace {trace:+.1%}, log det {log_det:+.3f} an item"


def averaged(away: Any) -> str:
    mean, doubt = away.mean(axis=0), away.std(axis=0) / np.sqrt(len(away))
    met = "within" if (np.abs(mean) <= PERCENT).all() else "NOT within"
    names = ("operator", "trace", "log det an item")
    parts = [f"{name} {m:+.3f} (s.e. {s:.3f})" for name, m, s in zip(names, mean, doubt, strict=True)]
    return f"{', '.join(parts)}; {met} {PERCENT:.0%}, {len(away)} cases"
