"""`python -m benchmarks`: measure, then print one table."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import scale
from benchmarks.catalogue import CLUSTER, GROUPS, IMPORTS, SCALE, Group
from benchmarks.data import find
from benchmarks.imports import MODULES, ImportTime, import_time
from benchmarks.measure import Setting, measure, say
from benchmarks.table import Section, as_json, as_markdown, as_text, import_section, section

DISTRIBUTIONS = (
    "diverset",
    "numpy",
    "scipy",
    "scikit-learn",
    "dppy",
    "pyversity",
    "skmatter",
    "apricot-select",
    "dask",
    "distributed",
)


KEYS = [*(group.key for group in GROUPS), SCALE, CLUSTER, IMPORTS]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        directory = None if options.generated else find(options.data)
    except FileNotFoundError as error:
        parser().error(str(error))
    if CLUSTER in (options.only or []):
        from benchmarks import cluster  # which needs Dask

        print(cluster.page(options.smoke))
        if options.only == [CLUSTER]:
            print(surroundings())
            return 0
    before = load()
    setting = Setting(directory, options.threads, options.rounds, options.smoke)
    sections = [section(group, setting, measure(group, setting)) for group in wanted_groups(options)]
    if SCALE in (options.only or []):
        sections += scale.sections(setting, options.full, options.part, options.json)
    if IMPORTS in (options.only or [IMPORTS]):
        sections.append(import_section([import_or_missing(name) for name in MODULES]))
    report(sections, f"{surroundings()}; {before}", options)
    missed = [line for one in sections for line in one.lines if line.missed()]
    return 1 if options.strict and missed else 0


def parser() -> argparse.ArgumentParser:
    new = argparse.ArgumentParser(
        prog="python -m benchmarks", description="diverset beside what people use today."
    )
    add = new.add_argument
    add("--data", type=Path, metavar="DIR", help="where bank8fm/bank8fm.csv is")
    add("--generated", action="store_true", help="generated rows even where that file is found")
    add("--full", action="store_true", help="the largest cases as well (minutes)")
    add("--part", action="append", choices=(*scale.PARTS, *scale.NAMED), help="of the group scale")
    add("--only", action="append", choices=KEYS, help="one group")
    add("--threads", type=int, default=cores(), help="threads for all (default: %(default)s)")
    add("--rounds", type=int, default=2, help="of which the least counts (default: %(default)s)")
    add("--smoke", action="store_true", help="small pools: does everything run?")
    add("--markdown", action="store_true", help="print the table as Markdown")
    add("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    add("--strict", action="store_true", help="exit with 1 when a target is missed")
    return new


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def wanted_groups(options: argparse.Namespace) -> list[Group]:
    if options.only:
        return [group for group in GROUPS if group.key in options.only]
    return [group for group in GROUPS if options.full or not group.full]


def import_or_missing(module: str) -> ImportTime | str:
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        return module
    say(f"{IMPORTS:8} {module}")
    return import_time(module)


def report(sections: Sequence[Section], where: str, options: argparse.Namespace) -> None:
    print(as_markdown(sections) if options.markdown else as_text(sections))
    print(where)
    if options.json:
        facts = {"surroundings": where, "lines": as_json(sections)}
        options.json.write_text(json.dumps(facts, indent=2) + "\n")


def surroundings() -> str:
    """What the numbers depend on besides the code."""
    installed = [f"{name} {found}" for name in DISTRIBUTIONS if (found := release(name))]
    return f"Python {platform.python_version()}, {cores()} cores; {', '.join(installed)}"


def load() -> str:
    """How busy the machine was before the run: on a busy one, compare `cpu s`, not `seconds`."""
    return f"load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""


def release(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
