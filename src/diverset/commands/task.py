"""WHAT IS ASKED? Options become items, a kernel and rules: a call of the library.

# given  the options of a command by name, as click has checked them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import click
import numpy as np

from ..kernels import Kernel
from ..readers import ReadError, Reading, Wanted, read
from . import rules, specs
from .bar import progress_bar
from .group import reading_from
from .terminal import Teller
from .values import split

FOLDER = "folder"  # the column with the folder of each file
_SHOWN = 5  # files or rows left out that are named


@dataclass(frozen=True, eq=False)
class Task:
    """The items, and all that was asked about them.

    ``rules``   include, exclude, groups, quota, as `diverset.select` wants them
    ``groups``  the label of each item, if there are groups
    """

    reading: Reading
    kernel: Kernel
    wanted: Wanted
    given: Mapping[str, Any]
    rules: dict[str, Any] = field(default_factory=dict)
    quality: Any = None

    @property
    def groups(self) -> list[str] | None:
        labels: list[str] | None = self.rules.get("groups")
        return labels

    @property
    def kernel_options(self) -> dict[str, Any]:
        """What every function of the library takes."""
        return {"kernel": self.kernel, "memory": self.given["memory"]}

    @property
    def input(self) -> dict[str, Any]:
        """What was read, for JSON."""
        reading = self.reading
        return {
            "source": reading.source,
            "kind": reading.kind,
            "n": reading.n,
            "columns": int(reading.X.shape[1]),
            "sha256": reading.digest,
            "notes": list(reading.notes),
            "skipped": [{"what": one.what, "why": one.why} for one in reading.skipped],
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked for, for JSON."""
        asked = {
            "k",
            "method",
            "methods",
            "kernel",
            "bandwidth",
            "solver",
            "memory",
            "groups",
            "quality",
            "draws",
        }
        said = {name: value for name, value in self.given.items() if name in asked}
        listed = {name: rule for name, rule in self.rules.items() if name != "groups"}
        reading = {name: value for name, value in asdict(self.wanted).items() if name != "cache"}
        return {**said, **listed, "reading": reading}


def task_of(given: Mapping[str, Any], tell: Teller) -> Task:
    """Read what is to be read, and look up what is named."""
    wanted = _wanted(given)
    sources = given["sources"]
    # a mistake in what was typed is said before minutes of reading
    if given["kernel"] is not None:
        specs.kernel_for(given["kernel"], given["bandwidth"], None)  # type: ignore[arg-type]  # one is given
    quota = rules.quota_of(given.get("quota", ()))
    if (quota is None) != (given.get("groups") is None):
        raise click.UsageError("--groups and --quota go together: --groups label --quota 5.")
    with progress_bar(tell.bar) as progress, reading_from(str(sources[0])):
        reading = read(sources[0] if len(sources) == 1 else list(sources), wanted, progress=progress)
    reading = _with_folders(reading)
    for line in words_about(reading):
        tell(line)
    found = _rules(given, quota, reading)
    nameless = found.get("groups", ()).count(rules.NO_LABEL)
    if nameless:
        tell(f"  {nameless:,} items have no {given['groups']!r}: they are the group {rules.NO_LABEL}")
    kernel = specs.kernel_for(given["kernel"], given["bandwidth"], reading.kernel)
    _refuse_standardised(given["kernel"], reading, wanted)
    return Task(reading, kernel, wanted, given, found, _quality(given, reading))


def _wanted(given: Mapping[str, Any]) -> Wanted:
    columns, drop = split(given["columns"]), split(given["drop"])
    # what groups or weighs the items does not also tell them apart, unless it is named as a feature
    beside = [given[name] for name in ("groups", "quality") if given.get(name) is not None]
    drop += tuple(name for name in beside if name not in columns)
    precomputed = given["kernel"] == "precomputed"
    try:
        return Wanted(
            kind=given["kind"],
            columns=columns,
            drop=tuple(dict.fromkeys(drop)),
            text=given["text"],
            id=given["id"],
            header=given["header"],
            delimiter=given["delimiter"],
            encoding=given["encoding"],
            standardize=given["standardize"] and not precomputed,
            one_hot=given["one_hot"],
            missing=given["missing"],
            features=given["features"],
            cache=not given["no_cache"],
        )
    except ReadError as why:
        raise click.UsageError(str(why)) from why


def _with_folders(reading: Reading) -> Reading:
    """Files of several folders can be grouped by them."""
    if reading.columns or reading.kind not in ("images", "texts"):
        return reading  # a table may have a column of that name, and names with slashes that are no paths
    folders = np.array([name.rpartition("/")[0] for name in reading.names], dtype=object)
    return replace(reading, columns={FOLDER: folders}) if len(set(folders)) > 1 else reading


def _refuse_standardised(typed: str | None, reading: Reading, wanted: Wanted) -> None:
    if typed and typed.partition(":")[0] in specs.COUNTS and reading.kind == "table" and wanted.standardize:
        raise click.UsageError(f"--kernel {typed} wants counts >= 0: add --no-standardize.")


def _rules(given: Mapping[str, Any], quota: Any, reading: Reading) -> dict[str, Any]:
    if "include" not in given:
        return {}
    found: dict[str, Any] = {}
    for name in ("include", "exclude"):
        found[name] = rules.rows_named(name, given[name], reading)
    if given["groups"] is not None:
        found["groups"] = rules.group_labels(given["groups"], reading)
        found["quota"] = quota
    return found


def _quality(given: Mapping[str, Any], reading: Reading) -> Any:
    return None if given.get("quality") is None else rules.weights(given["quality"], reading)


def words_about(reading: Reading) -> list[str]:
    """What was read, and what was done to it."""
    lines = [f"{reading.source}: {reading.n:,} items with {reading.X.shape[1]:,} features"]
    lines += [f"  {note}" for note in reading.notes]
    lines += [f"  left out {one.what}: {one.why}" for one in reading.skipped[:_SHOWN]]
    if len(reading.skipped) > _SHOWN:
        lines.append(f"  left out {len(reading.skipped) - _SHOWN:,} more")
    return lines
