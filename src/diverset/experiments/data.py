"""WHERE ARE THE NUMBERS? The four tables, looked for in a stated order and checked by their sum.

# place   a folder that holds a folder per data set, as in PLACE/boston/boston.csv
# row     one line of a table as text values; the last value is the target, not a feature
# sum     SHA-256 of the numbers in a canonical form, the same whatever file they came from
"""

from __future__ import annotations

import csv
import hashlib
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import numpy as np

from ..arrays import Floats

Rows = list[list[str]]


class DataError(RuntimeError):
    """Data that is not there, or not what it should be; the text says what to do."""


@dataclass(frozen=True)
class TableSpec:
    """What is known of a table before it is read."""

    name: str
    title: str
    columns: tuple[str, ...]
    items: int
    openml: int
    sha256_numbers: str
    nominal: str | None = None


TABLES = {
    spec.name: spec
    for spec in (
        TableSpec(
            "boston",
            "Boston housing",
            ("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"),
            506,
            531,
            "deb0e86e85e0fd3d4412c93f885172a4d0229ad8aeec21b10dc17794718601f5",
        ),
        TableSpec(
            "stock",
            "Stock",
            tuple(f"company{i}" for i in range(1, 10)),
            950,
            223,
            "e1e6afea16609a1aa596e63ec63df97956801a835f79011ac80a050bbb4d186e",
        ),
        TableSpec(
            "abalone",
            "Abalone",
            ("Sex", "Length", "Diameter", "Height", "Whole", "Shucked", "Viscera", "Shell"),
            4177,
            183,
            "514e40ba8add63bcb0d1b0579bfd6fa5fba4d243b0f98a0280e3973726ba7585",
            nominal="Sex",
        ),
        TableSpec(
            "bank8fm",
            "Bank8FM",
            ("a1cx", "a1cy", "b2x", "b2y", "a2pop", "a3pop", "temp", "mxql"),
            8192,
            572,
            "11c72b7ade43aa449124d49cc48baa3f6fe8dd18ceb8ee61b9ea089e799006ff",
        ),
    )
}


# What can be run by itself.
PARTS = (*TABLES, "plane", "dogs", "kimia99")

# How a download breaks: no network, an answer that ends too early, a page of excuses instead of an archive.
BROKEN = (OSError, HTTPException, tarfile.TarError, zipfile.BadZipFile)


@dataclass(frozen=True, eq=False)
class Table:
    """A table that passed its check."""

    spec: TableSpec
    rows: Rows
    source: str

    def features(self, nominal: str = "code") -> Floats:
        """The features as numbers, in the order of the columns; the target is left out.

        ``nominal`` says what becomes of a column of names: "code" numbers them in the order in
        which they first appear from 1 on, "one-hot" gives each name a column, "drop" leaves it out.
        """
        columns = list(zip(*self.rows, strict=True))[:-1]
        numbers: list[list[float]] = []
        for name, column in zip(self.spec.columns, columns, strict=True):
            if name == self.spec.nominal:
                numbers += _coded(column, nominal)
            else:
                numbers.append([float(value) for value in column])
        return np.array(numbers).T.copy()


def _coded(column: Sequence[str], how: str) -> list[list[float]]:
    names = list(dict.fromkeys(column))
    if how == "drop":
        return []
    if how == "code":
        return [[float(names.index(value) + 1) for value in column]]
    if how == "one-hot":
        return [[float(value == name) for value in column] for name in names]
    raise ValueError(f"nominal must be 'code', 'one-hot' or 'drop', got {how!r}.")


def standardised(X: Floats) -> Floats:
    """Columns with mean zero and (population) standard deviation one; a constant column is zero."""
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


# --- where to look ----------------------------------------------------------------------------


def cache() -> Path:
    """Where downloads are kept."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "diverset" / "data"


def places(given: Path | None = None) -> list[Path]:
    """Where data is looked for, in this order: `given`, $DIVERSET_DATA, ../shared/data beside the
    current folder and beside the checkout, the user's cache."""
    named = os.environ.get("DIVERSET_DATA")
    found = [given] if given is not None else []
    found += [Path(named)] if named else []
    checkout = Path(__file__).resolve().parents[3]
    found += [Path.cwd().parent / "shared" / "data", checkout.parent / "shared" / "data", cache()]
    return list(dict.fromkeys(found))


def locate(name: str, wanted: str, given: Path | None = None) -> Path | None:
    """The folder of this data set: the first place whose folder `name` holds the file `wanted`."""
    if given is not None and not given.is_dir():
        raise DataError(f"--data {given} is not a folder.")
    for place in places(given):
        if (place / name / wanted).is_file():
            return place / name
    return None


def missing(part: str, folder: str, wanted: str, given: Path | None, why: object) -> DataError:
    """What to do when the data of a part is nowhere to be had."""
    looked = ", ".join(str(place) for place in places(given))
    others = ",".join(name for name in PARTS if name != part)
    return DataError(
        f"{folder} is in none of {looked}, and the download failed ({why}). Without a network: put "
        f"{wanted} into a folder DIR/{folder}/ on this machine and type diverset paper --data DIR. "
        f"To go on without it, name the others: diverset paper --only {others}"
    )


# --- the tables -------------------------------------------------------------------------------

Fetch = Callable[[TableSpec, Callable[[str], None]], Rows]


def load_table(
    name: str,
    given: Path | None = None,
    *,
    fetch: Fetch | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Table:
    """A table from the first place that has it, else downloaded to the cache; checked either way."""
    spec = TABLES[name]
    wanted = f"{name}.csv"
    folder = locate(name, wanted, given)
    if folder is not None:
        path = folder / wanted
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:]
        check(spec, rows, str(path))
        return Table(spec, rows, str(path))
    try:
        rows = (fetch or _download)(spec, say)
    except BROKEN as why:
        raise missing(name, name, wanted, given, why) from why
    source = f"OpenML {spec.openml}"
    check(spec, rows, source)
    _keep(spec, rows, cache() / name / wanted)
    return Table(spec, rows, source)


def _download(spec: TableSpec, say: Callable[[str], None]) -> Rows:
    from .download import fetch_table

    return fetch_table(spec, say)


def _keep(spec: TableSpec, rows: Rows, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    with half.open("w", newline="") as out:
        csv.writer(out).writerows([[*spec.columns, "target"], *rows])
    half.replace(path)


def check(spec: TableSpec, rows: Rows, source: str) -> None:
    """Refuse a table whose numbers are not the known ones."""
    wide = {len(row) for row in rows}
    if len(rows) != spec.items or wide != {len(spec.columns) + 1}:
        raise DataError(
            f"{source} holds {len(rows)} rows of {sorted(wide)} values, wanted {spec.items} rows of "
            f"{len(spec.columns) + 1}: {', '.join(spec.columns)} and the target."
        )
    found = sum_of_numbers(spec, rows)
    if found != spec.sha256_numbers:
        raise DataError(
            f"{source} is not the {spec.title} data of the paper: its numbers sum to "
            f"{found[:12]}..., wanted {spec.sha256_numbers[:12]}... (SHA-256). "
            f"Remove it to try the next place, or name the right folder with --data DIR."
        )


def sum_of_numbers(spec: TableSpec, rows: Iterable[Sequence[str]]) -> str:
    """SHA-256 of a table in a canonical form: no header, a line per row, every number as the
    shortest text that reads back as the same double ("18", "18.0" and "1.8e1" are one)."""
    nominal = spec.columns.index(spec.nominal) if spec.nominal else -1
    digest = hashlib.sha256()
    for row in rows:
        values = [v.strip() if at == nominal else _number(v) for at, v in enumerate(row)]
        digest.update((",".join(values) + "\n").encode())
    return digest.hexdigest()


def _number(text: str) -> str:
    try:
        return repr(float(text) + 0.0)  # minus zero is zero
    except ValueError:
        return text
