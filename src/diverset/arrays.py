"""The array types that signatures speak of, and rows chosen without chance."""

from __future__ import annotations

from math import gcd
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = Any  # Floats or a SciPy sparse array: these have no common public base class

EPS = float(np.finfo(np.float64).eps)
PART_ROWS = 2**16  # rows read in one go from memory or disk, at most


def spread(n: int, m: int) -> Ints:
    """``min(m, n)`` distinct rows of ``n``, spread evenly and always the same.

    Steps of the golden ratio visit the rows without a period that could fall in step with
    one in the data, and need no random numbers.

    >>> spread(10, 4).tolist()
    [0, 7, 4, 1]
    """
    step = max(1, round(0.6180339887498949 * n))
    while gcd(step, n) != 1:
        step += 1
    chosen: Ints = np.arange(min(m, n), dtype=np.int64) * step % n
    return chosen


def signs(n: int, m: int) -> Floats:
    """An n x m matrix of signs that is the same on every machine and in every release.

    Raw Philox bits are a fixed function of key and counter; NumPy's normal variates are not promised to be.
    """
    words = np.random.Philox(key=2019).random_raw(-(-n * m // 64))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), count=n * m)
    return bits.reshape(n, m).astype(np.float64) * 2.0 - 1.0


def is_sparse(X: object) -> bool:
    """Whether X is a SciPy sparse array or matrix, without importing SciPy for the answer."""
    return type(X).__module__.startswith("scipy.sparse")


def is_dask(X: object) -> bool:
    """Whether X is a Dask collection, without importing Dask for the answer."""
    return type(X).__module__.startswith(("dask.", "dask_expr"))
