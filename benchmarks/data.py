"""The pools: what the benchmarks pick from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.floating]

# name -> (rows, columns). "table" is Bank8FM where that file is found, generated rows otherwise.
POOLS = {
    "table": (8_192, 8),
    "table-4000": (4_000, 8),
    "large": (50_000, 8),
    "embeddings": (10_000, 256),
}
SMOKE_ROWS = 1_000  # enough for every case to run, too few for any time to mean something

BANK8FM = Path("bank8fm", "bank8fm.csv")
BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "data"


def find(directory: Path | None) -> Path | None:
    """Where Bank8FM is: in `directory`, $DIVERSET_DATA, ../shared/data, or nowhere."""
    if directory is not None and not (directory / BANK8FM).is_file():
        raise FileNotFoundError(f"--data {directory} has no file {BANK8FM}")
    places = [directory, os.environ.get("DIVERSET_DATA"), BESIDE_THE_CHECKOUT]
    found = [Path(place) for place in places if place and (Path(place) / BANK8FM).is_file()]
    return found[0].resolve() if found else None


def load(pool: str, directory: Path | None, smoke: bool = False) -> Array:
    """The rows of a pool, the same ones in every process."""
    rows, columns = POOLS[pool]
    if smoke:
        rows = min(rows, SMOKE_ROWS)
    if pool == "embeddings":
        return embeddings(rows, columns)
    if pool.startswith("table") and directory is not None:
        return bank8fm(directory)[:rows]
    return clustered(rows, columns)


def source(pool: str, directory: Path | None) -> str:
    """One word on where the rows come from, for the table."""
    return "Bank8FM" if pool.startswith("table") and directory is not None else "generated"


def bank8fm(directory: Path) -> Array:
    """Bank8FM's eight features; the last column is the target, not a feature."""
    table = np.loadtxt(directory / BANK8FM, delimiter=",", skiprows=1)
    return standardised(table[:, :-1])


def clustered(rows: int, columns: int) -> Array:
    """Sixteen overlapping normal clusters, so that the spectrum has both a head and a tail."""
    rng = np.random.default_rng(20_190_915)
    centres = rng.normal(size=(16, columns))
    X = centres[rng.integers(16, size=rows)] + 0.7 * rng.normal(size=(rows, columns))
    return standardised(X)


def embeddings(rows: int, columns: int) -> Array:
    """Unit vectors around sixty-four topics, in the precision that embedding models return."""
    rng = np.random.default_rng(20_190_916)
    topics = rng.normal(size=(64, columns))
    X = topics[rng.integers(64, size=rows)] + rng.normal(size=(rows, columns))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X.astype(np.float32)


def standardised(X: Array) -> Array:
    """Columns of mean 0 and population standard deviation 1."""
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))
