"""The pools of items and the kernels that the tests are a table of.

A pool is `generic` when nothing in it can make a pick undecidable: there the tests ask that every
selection is certified, so that "equal wherever certified" cannot be empty.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import oracle

import diverset as dv


class Pool(NamedTuple):
    """Items, and how many of them to pick."""

    name: str
    X: np.ndarray
    k: int
    generic: bool = True


def _normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def clustered(seed, n, d, clusters=5, width=0.15):
    centres = 4 * _normal(seed, clusters, d)
    return centres[np.arange(n) % clusters] + width * _normal(seed + 1, n, d)


def duplicated(seed, n, d):
    """Every third row is a copy of an earlier one."""
    X = _normal(seed, n, d)
    X[2::3] = X[: len(X[2::3])]
    return X


def badly_scaled(seed, n, d):
    """Columns from 1e-8 to 1e8."""
    return _normal(seed, n, d) * np.logspace(-8, 8, d)


def grid(side, d=2):
    return np.stack(np.meshgrid(*[np.arange(float(side))] * d), axis=-1).reshape(-1, d)


POOLS = {
    pool.name: pool
    for pool in [
        Pool("random", _normal(1, 60, 4), 15),
        Pool("wide", _normal(2, 25, 40), 12),
        Pool("clustered", clustered(3, 60, 3), 14),
        Pool("duplicated", duplicated(4, 60, 3), 15),
        Pool("rank deficient", _normal(5, 50, 2) @ _normal(6, 2, 6), 12),
        Pool("badly scaled", badly_scaled(7, 40, 5), 6),
        Pool("far from the origin", _normal(8, 50, 3) + 1e6, 12),
        Pool("one item", np.array([[3.0, 4.0]]), 1),
        Pool("two items", np.array([[3.0, 4.0], [1.0, 2.5]]), 1),
        Pool("two of two", np.array([[3.0, 4.0], [1.0, 2.5]]), 2),
        Pool("three items", np.array([[3.0, 4.0], [1.0, 2.5], [-2.0, 0.5]]), 2),
        Pool("k is n", _normal(9, 9, 3), 9),
        Pool("one feature", _normal(10, 40, 1), 6),
        Pool("grid", grid(6), 10, generic=False),
        Pool("cube", grid(3, 3), 9, generic=False),
        Pool("identity", np.eye(12), 5, generic=False),
        Pool("constant", np.ones((10, 3)), 1, generic=False),
        Pool("rank one", np.outer(np.arange(1.0, 16.0), [1.0, -2.0, 0.5]), 1, generic=False),
    ]
}


class Case(NamedTuple):
    """A kernel and the same formula written out."""

    kernel: dv.Kernel
    formula: object
    prepare: object = np.asarray  # items as this kernel wants them

    def __repr__(self):
        return repr(self.kernel)


def _shares(X):
    """Histograms: no negative entry."""
    X = np.abs(X)
    return X / np.maximum(X.max(axis=0), 1e-300)


KERNELS = {
    repr(case.kernel): case
    for case in [
        Case(dv.Gaussian(bandwidth=0.7), lambda X, Y: oracle.gaussian(X, Y, 0.7)),
        Case(dv.Gaussian(bandwidth=2.5), lambda X, Y: oracle.gaussian(X, Y, 2.5)),
        Case(dv.Laplacian(bandwidth=3.0), lambda X, Y: oracle.laplacian(X, Y, 3.0)),
        Case(dv.Matern(bandwidth=1.7, nu=0.5), lambda X, Y: oracle.matern(X, Y, 1.7, 0.5)),
        Case(dv.Matern(bandwidth=1.7, nu=1.5), lambda X, Y: oracle.matern(X, Y, 1.7, 1.5)),
        Case(dv.Matern(bandwidth=0.6, nu=2.5), lambda X, Y: oracle.matern(X, Y, 0.6, 2.5)),
        Case(dv.Linear(), oracle.linear),
        Case(dv.Cosine(), oracle.cosine),
        Case(
            dv.Polynomial(degree=2, gamma=0.3, coef0=1.5),
            lambda X, Y: oracle.polynomial(X, Y, 2, 0.3, 1.5),
        ),
        Case(dv.HistogramIntersection(), oracle.histogram_intersection, _shares),
        Case(dv.ChiSquared(gamma=1.8), lambda X, Y: oracle.chi_squared(X, Y, 1.8), _shares),
        Case(dv.Tanimoto(), oracle.tanimoto, _shares),
    ]
}


# --- the paper's data -----------------------------------------------------------------------

BANDWIDTHS = {"boston": 2.0, "stock": 2.0, "abalone": 2.0, "bank8fm": 5.0}


def data_folder():
    """$DIVERSET_DATA, or a folder shared/data next to the checkout; None if there is neither."""
    named = os.environ.get("DIVERSET_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def paper_data(name):
    """The features of one of the paper's data sets, standardised, or None where it is absent."""
    folder = data_folder()
    path = None if folder is None else folder / name / f"{name}.csv"
    if path is None or not path.is_file():
        return None
    with path.open() as file:
        header, *lines = list(csv.reader(file))
    kept = [at for at, column in enumerate(header) if column not in ("target", "Sex")]
    X = np.array([[float(line[at]) for at in kept] for line in lines])
    return (X - X.mean(axis=0)) / X.std(axis=0)


def name_of(value):
    """A name for a test that every process gives it: no addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))[:60]
