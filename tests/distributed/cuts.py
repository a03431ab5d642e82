"""Ten pools, and the ways to cut them."""

from __future__ import annotations

from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pools
import pytest

import diverset as dv
from diverset.methods.base import BY_ROUNDS

N = 420


def _normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def _unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


# pool, kernel; the picks of the last two are ties, decided by row number as far as rounding allows
POOLS = {
    "random": (_normal(1, N, 4), dv.Gaussian(1.0)),
    "wide": (_normal(2, N, 40), dv.Gaussian(6.0)),
    "clustered": (pools.clustered(3, N, 3, clusters=9, width=0.4), dv.Gaussian(2.0)),
    "badly scaled": (pools.badly_scaled(7, N, 5) / 1e8, dv.Laplacian(0.5)),
    "far from the origin": (_normal(8, N, 3) + 1e5, dv.Matern(bandwidth=1.0, nu=1.5)),
    "one feature": (_normal(10, N, 1), dv.Laplacian(0.3)),
    "embeddings": (_unit(_normal(11, N, 24) + 2 * _normal(12, 6, 24)[np.arange(N) % 6]), dv.Cosine()),
    "polynomial": (_normal(13, N, 5), dv.Polynomial(degree=3, coef0=1.0)),
    "duplicated": (pools.duplicated(4, N, 3), dv.Gaussian(0.7)),
    "grid": (pools.grid(20), dv.Gaussian(2.0)),
}


def _even(pieces):
    return lambda n: np.diff(np.linspace(0, n, pieces + 1).astype(int))


def _with(*sizes):
    return lambda n: [*sizes, n - sum(sizes)]


CHUNKINGS = {
    "1": _even(1),
    "2": _even(2),
    "7": _even(7),
    "64": _even(64),
    "ragged": _with(3, 150, 11, 90, 29),
    "one-row and empty": _with(0, 1, 130, 0, 0, 1, 1, 77, 0),
}


# one of each kind; the others, which share their rounds, are slow tests
METHODS = [
    method
    if method in ("das", "greedy-map", "derandomized")
    else pytest.param(method, marks=pytest.mark.slow)
    for method in BY_ROUNDS
]


def array(X, sizes):
    """The rows as a Dask array with chunks of these sizes; Dask can make them again at any time."""
    return da.from_array(X, chunks=(tuple(int(size) for size in sizes), X.shape[1]))


def frame(X, sizes):
    """The rows as a Dask dataframe with partitions of these sizes."""
    table = pd.DataFrame(X, columns=[f"c{at}" for at in range(X.shape[1])])
    edges = np.concatenate([[0], np.cumsum(sizes)])
    pieces = [table.iloc[a:b] for a, b in pairwise(edges)]
    return dd.from_map(lambda piece: piece, pieces, meta=table.iloc[:0])
