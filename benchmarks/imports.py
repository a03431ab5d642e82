"""What it costs to say `import`, in a fresh interpreter, and what comes along uninvited."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass

# What one has to import to pick something; NumPy alone is the floor under all of them.
MODULES = (
    "diverset",
    "numpy",
    "pyversity",
    "dppy.finite_dpps",
    "skmatter.sample_selection",
    "apricot",
)
UNINVITED = ("sklearn", "pandas", "polars", "matplotlib")
REPEATS = 7

PROGRAM = f"""
import sys, time, json
start = time.perf_counter()
import MODULE
seconds = time.perf_counter() - start
print(json.dumps([seconds, [name for name in {UNINVITED!r} if name in sys.modules]]))
"""


@dataclass(frozen=True)
class ImportTime:
    module: str
    seconds: float  # the median
    loaded: tuple[str, ...]  # of UNINVITED


def import_time(module: str) -> ImportTime:
    """The first import is not counted: it may still write bytecode and fill the disk cache."""
    measured = [import_once(module) for _ in range(REPEATS + 1)][1:]
    seconds = statistics.median(one.seconds for one in measured)
    return ImportTime(module, seconds, measured[-1].loaded)


def import_once(module: str) -> ImportTime:
    # diverset loads what is asked for, so that an import alone says little: ask for the main function
    program = PROGRAM.replace("MODULE", "diverset; diverset.select" if module == "diverset" else module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ImportError(done.stderr.strip().splitlines()[-1])
    seconds, loaded = json.loads(done.stdout.splitlines()[-1])
    return ImportTime(module, seconds, tuple(loaded))
