"""The pools of the scale benchmark: any number of rows, the same ones however many are asked for."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.data import Array, bank8fm

COLUMNS = 8
CLUSTERS, WIDTH = 16, 0.7
BLOCK = 2**16  # rows made, and written, at a time
_SEED = 20_190_917


def clustered(rows: int) -> Array:
    """Sixteen overlapping normal clusters in eight columns, of mean 0 and deviation 1."""
    return np.concatenate(list(_blocks(rows)))


def _blocks(rows: int) -> Iterator[Array]:
    centres = np.random.default_rng(_SEED).normal(size=(CLUSTERS, COLUMNS))
    middle, deviation = centres.mean(axis=0), np.sqrt(centres.var(axis=0) + WIDTH**2)
    for number, start in enumerate(range(0, rows, BLOCK)):
        rng = np.random.default_rng([_SEED, number])
        block = centres[rng.integers(CLUSTERS, size=BLOCK)] + WIDTH * rng.normal(size=(BLOCK, COLUMNS))
        yield ((block - middle) / deviation)[: rows - start]


@contextmanager
def on_disk(rows: int) -> Iterator[Path]:
    """The same rows as a .npy file, written in blocks, and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="diverset-scale-"))
    try:
        path = folder / "rows.npy"
        stored = np.lib.format.open_memmap(path, "w+", np.float64, (rows, COLUMNS))
        for number, block in enumerate(_blocks(rows)):
            stored[number * BLOCK : number * BLOCK + len(block)] = block
        stored.flush()
        del stored
        yield path
    finally:
        shutil.rmtree(folder)


def small(name: str, rows: int, directory: Path | None) -> Array:
    """The pools of the quality table."""
    match name:
        case "Bank8FM":
            return bank8fm(directory)[:rows] if directory else clustered(rows)
        case "normal, 3 columns":
            return np.random.default_rng(_SEED).normal(size=(rows, 3))
        case "normal, 8 columns":
            return np.random.default_rng(_SEED).normal(size=(rows, 8))
        case "clusters":
            return clustered(rows)
        case _:
            raise ValueError(f"there is no pool {name!r}")
