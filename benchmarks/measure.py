"""Runs cases, each in a process of its own, and gathers what they report."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.case import keep_least
from benchmarks.catalogue import Case, Group

ROOT = Path(__file__).resolve().parent.parent
TIME_LIMIT = 1_800  # seconds for one process
SMOKE_K = 20

# Every library that keeps threads of its own reads one of these once, when it is loaded.
THREAD_VARIABLES = (
    "BLIS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True)
class Setting:
    """What holds for the whole run."""

    directory: Path | None  # where Bank8FM is, if anywhere
    threads: int
    rounds: int = 2
    smoke: bool = False


@dataclass
class Measurement:
    """One case after its rounds; `problem` stands in place of numbers."""

    seconds: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    peak: int = 0
    entries: int = 0
    blas_threads: int = 0
    picks: list[list[int]] = field(default_factory=list)
    quality: dict[str, float] = field(default_factory=dict)
    problem: str | None = None

    def add(self, answer: dict[str, Any]) -> None:
        """One round more: the least time counts (other programs only add), and the largest peak."""
        keep_least(self.seconds, answer["seconds"])
        keep_least(self.cpu, answer["cpu"])
        self.peak = max(answer["peak"], self.peak)
        self.entries, self.picks = answer["entries"], answer["picks"]
        self.blas_threads = answer["blas_threads"]


def measure(group: Group, setting: Setting) -> dict[str, Measurement]:
    """All cases of a group, round after round, so that a busy minute hits all of them alike."""
    results = {case.call: Measurement(problem=missing(case)) for case in group.cases}
    for _ in range(setting.rounds):
        for case in group.cases:
            if results[case.call].problem is None:
                measure_once(group, case, setting, results[case.call])
    add_quality(group, setting, results)
    return results


def missing(case: Case) -> str | None:
    installed = case.package is None or importlib.util.find_spec(case.package) is not None
    return None if installed else "not installed"


def measure_once(group: Group, case: Case, setting: Setting, result: Measurement) -> None:
    try:
        answer = job(group, setting, {"do": "case", "call": case.call})
    except JobError as error:
        result.problem = outcome = f"failed: {error}"
    else:
        result.add(answer)
        outcome = brief(answer["seconds"])
    say(f"{group.key:8} {case.rows[0].title:34} {outcome}")


def add_quality(group: Group, setting: Setting, results: dict[str, Measurement]) -> None:
    """Afterwards, in one process for the group, which makes the large matrix once."""
    picks = {call: one.picks for call, one in results.items() if one.picks}
    try:
        answer = job(
            group,
            setting,
            {
                "do": "quality",
                "kernel": group.kernel,
                "operator_norm": group.operator_norm,
                "picks": picks,
            },
        )
    except JobError as error:
        say(f"{group.key:8} quality of the picks failed: {error}")
        return
    for call, numbers in answer["quality"].items():
        results[call].quality = numbers


class JobError(RuntimeError):
    """A child process did not give an answer."""


def job(group: Group, setting: Setting, what: dict[str, Any]) -> dict[str, Any]:
    """One child process: threads set by its environment, job on stdin, answer on the last line."""
    threads = group.threads or setting.threads
    request = what | {
        "pool": group.pool,
        "directory": str(setting.directory) if setting.directory else None,
        "k": size(group, setting),
        "smoke": setting.smoke,
        "threads": threads,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.worker"],
            input=json.dumps(request),
            env=os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads)),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise JobError(f"no answer within {TIME_LIMIT} s") from None
    if done.returncode != 0:
        raise JobError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def size(group: Group, setting: Setting) -> int:
    return min(group.k, SMOKE_K) if setting.smoke else group.k


def brief(seconds: dict[str, float]) -> str:
    return "  ".join(f"{part} {one:.3g} s" for part, one in seconds.items())


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
