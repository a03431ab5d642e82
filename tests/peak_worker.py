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
import pandas as pd

import diverset as dv

STATUS = Path("/proc/self/status")
HIGH_WATER = Path("/proc/self/clear_refs")


def bytes_of(name):
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def stored(rows, path):
    """The path of a file with these rows, in one row group if it has such."""
    path = Path(path).with_stem(f"{len(rows)}-rows")
    if path.suffix == ".npy":
        np.save(path, rows)
    else:
        pd.DataFrame(rows, columns=[f"column {at}" for at in range(rows.shape[1])]).to_parquet(path)
    return path


def main():
    case = json.loads(sys.stdin.read())
    warnings.simplefilter("ignore")
    rows = np.random.default_rng(0).normal(size=(case["n"], case["d"]))
    settings = case["settings"] | {"kernel": dv.Gaussian(case["bandwidth"])}
    if case.get("rank"):
        settings["solver"] = dv.LowRank(rank=case["rank"])
    few = np.random.default_rng(1).normal(size=(600, case["d"]))
    if case.get("path"):
        few, rows = (stored(part, case["path"]) for part in (few, rows))
    warm = settings | ({"memory": 0} if case.get("path") else {})  # files are read in blocks
    dv.select(few, 5, **warm)  # what is loaded once, and the buffers of BLAS
    HIGH_WATER.write_text("5")
    before = bytes_of("VmRSS")
    dv.select(rows, case["k"], **settings)
    peak = bytes_of("VmHWM") - before
    plan = dv.plan(rows, case["k"], **settings)
    print(json.dumps({"plan": plan.memory, "peak": peak, "solver": plan.solver}))  # noqa: T201  read by the test


if __name__ == "__main__":
    main()
