"""The child process: does one job, described by one JSON object on stdin, and prints one JSON line.

A process of its own for every job is what makes peak memory mean something, keeps a peer's global
settings (threads, numba's pools, np.seterr) away from the others, and survives its crashes.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

WARM_UP_ROWS, WARM_UP_K = 256, 8
REPEAT_UNTIL, REPEAT_AT_MOST = 2.0, 20  # seconds of work, runs: small times are the least of many


def main() -> None:
    job = json.loads(sys.stdin.read())
    keep_to_cores(job["threads"])
    doing = {"case": measure, "quality": judge}[job["do"]]
    print(json.dumps(doing(job)))


def keep_to_cores(threads: int) -> None:
    """As many cores as threads: environment variables bind BLAS, not a package's own threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Warm up on a few rows, run once for the memory, and again while that is cheap."""
    from benchmarks.case import CaseFunction, Clock
    from benchmarks.memory import PeakMemory

    module, name = job["call"].split(":")
    call: CaseFunction = getattr(importlib.import_module(module), name)
    X = pool(job)
    call(X[:WARM_UP_ROWS].copy(), WARM_UP_K, Clock())  # lazy imports, compilation, thread pools

    memory, clock = PeakMemory(), Clock()
    start = time.perf_counter()
    run = call(X, job["k"], clock)
    peak, runs = memory.bytes(), 1
    while time.perf_counter() - start < REPEAT_UNTIL and runs < REPEAT_AT_MOST:
        again = Clock()
        call(X, job["k"], again)
        clock.keep_shortest(again)
        runs += 1
    return {
        "seconds": clock.seconds,
        "cpu": clock.cpu,
        "peak": peak,
        "entries": run.entries,
        "picks": run.picks,
        "blas_threads": blas_threads(),
    }


def judge(job: dict[str, Any]) -> dict[str, Any]:
    from benchmarks.quality import quality

    return {"quality": quality(pool(job), job["kernel"], job["picks"], job["operator_norm"])}


def pool(job: dict[str, Any]) -> Any:
    from benchmarks.data import load

    directory = Path(job["directory"]) if job["directory"] else None
    return load(job["pool"], directory, job["smoke"])


def blas_threads() -> int:
    from threadpoolctl import threadpool_info

    return max((lib["num_threads"] for lib in threadpool_info()), default=0)


if __name__ == "__main__":
    main()
