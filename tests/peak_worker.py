"""Run as a program: one selection, told by a JSON object on stdin; prints its plan and its peak memory."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path

if sys.argv[1:] == ["one core"]:  # before BLAS counts them
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np

import diverset as dv

STATUS = Path("/proc/self/status")
HIGH_WATER = Path("/proc/self/clear_refs")


def bytes_of(name):
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def main():
    case = json.loads(sys.stdin.read())
    warnings.simplefilter("ignore")
    rows = np.random.default_rng(0).normal(size=(case["n"], case["d"]))
    if case.get("path"):
        np.save(case["path"], rows)
        rows = case["path"]
    settings = case["settings"] | {"kernel": dv.Gaussian(case["bandwidth"])}
    if case.get("rank"):
        settings["solver"] = dv.LowRank(rank=case["rank"])
    few = np.random.default_rng(1).normal(size=(600, case["d"]))
    dv.select(few, 5, **settings)  # what is loaded once, and the buffers of BLAS
    HIGH_WATER.write_text("5")
    before = bytes_of("VmRSS")
    dv.select(rows, case["k"], **settings)
    peak = bytes_of("VmHWM") - before
    plan = dv.plan(rows, case["k"], **settings)
    print(json.dumps({"plan": plan.memory, "peak": peak, "solver": plan.solver}))  # noqa: T201  read by the test


if __name__ == "__main__":
    main()
