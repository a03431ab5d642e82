"""Runs selections under whatever BLAS this process was started with; prints picks as JSON.

    python one_answer_worker.py <<< '{"data": {"boston": [5, 20]}, "layouts": ["C", "strided"]}'

`test_one_answer_everywhere.py` starts it once per setting.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pools

import diverset as dv

DELICATE = ["das", "ridge-leverage"]  # they need the whole spectrum: n^3


def mapped(X):
    folder = Path(tempfile.mkdtemp())
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def strided(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": strided,
    "mapped": mapped,
}

TIES = {
    "grid": (pools.grid(12), dv.Gaussian(2.0)),
    "cube": (pools.grid(5, 3), dv.Laplacian(3.0)),
    "long grid": (pools.grid(9) * [1.0, 0.1], dv.Matern(2.0, nu=2.5)),
    "far grid": (pools.grid(10) + 1e5, dv.Gaussian(2.0)),
    "duplicated": (pools.duplicated(1, 300, 4), dv.Gaussian(1.5)),
    "rounded": (np.round(pools.duplicated(2, 200, 2), 1), dv.Matern(1.0)),
    "identity": (np.eye(40), dv.Linear()),
    "identity, smooth": (np.eye(40), dv.Gaussian(1.0)),
    "constant": (np.ones((30, 3)), dv.Gaussian(1.0)),
    "rank one": (np.outer(np.arange(1.0, 41.0), [1.0, -2.0]), dv.Linear()),
    "two values": (np.tile([[0.0], [1.0]], (25, 1)), dv.Laplacian(1.0)),
}


def answer(X, k, **settings):
    """[picks, how many of them the selection vouches for]."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* items add anything new")
        picks = dv.select(X, k, **settings)
    return [list(picks), k if picks.certified else picks.undecided]


def ties(layouts, few):
    """Every method on every adversarial pool."""
    for name, (X, kernel) in TIES.items():
        for layout in layouts:
            rows = LAYOUTS[layout](X)
            for method in dv.METHODS:
                for k in few:
                    yield (
                        f"{name} | {method} | {k}",
                        layout,
                        answer(rows, min(k, len(X)), kernel=kernel, method=method),
                    )


def wild(count):
    """Every method on random pools at the limits of double precision: smooth kernels, many picks."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 90)), int(rng.integers(1, 4))
        k = int(rng.integers(5, min(n, 26)))
        X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-1, 2, d)
        width = float(rng.uniform(0.3, 6.0))
        kernel = [dv.Gaussian(width), dv.Matern(width, nu=2.5), dv.Laplacian(width)][seed % 3]
        for method in dv.METHODS:
            yield f"wild {seed} | {method} | {k}", "C", answer(X, k, kernel=kernel, method=method)


def real(name, ks, layouts, methods):
    """Every method and k on one of the paper's data sets, each in one of the layouts in turn."""
    X = pools.paper_data(name)
    kernel = dv.Gaussian(pools.BANDWIDTHS[name])
    dense = dv.Dense.full
    # one decomposition for all of DAS and ridge leverage: at n = 8,192 it takes minutes
    once = cache(lambda n: dense(dv.Dense(), dv.kernel_matrix(X, kernel)))
    dv.Dense.full = lambda self, K: once(K.n)
    for at, (method, k) in enumerate((method, k) for method in methods for k in ks):
        layout = layouts[at % len(layouts)]
        found = answer(LAYOUTS[layout](X), k, kernel=kernel, method=method)
        yield f"{name} | {method} | {k}", layout, found
    dv.Dense.full = dense


def main():
    job = json.load(sys.stdin)
    if job["threads"] == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # our own workers too
    found = {}

    def note(answers):
        for key, layout, picks in answers:
            found.setdefault(key, {})[layout] = picks

    note(ties(job["layouts"], job["few"]))
    note(wild(job["wild"]))
    for name, ks in job["data"].items():
        methods = [m for m in dv.METHODS if m not in DELICATE or name in job["delicate"]]
        note(real(name, ks, job["layouts"], methods))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
