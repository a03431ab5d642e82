"""What came in: the partitions of a Dask array or dataframe, or a sentence about why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Ints


def blocks_of(X: Any) -> tuple[list[Any], int, list[Any] | None]:
    """The partitions of a Dask array or dataframe as delayed objects; how many columns, and their names."""
    if hasattr(X, "to_dask_array") and getattr(X, "ndim", 0) == 2:
        _refuse_words(X)
        return list(X.to_delayed()), len(X.columns), list(X.columns)
    if not hasattr(X, "chunks") or len(X.chunks) != 2:
        kind = f"shape {X.shape}" if hasattr(X, "chunks") else f"a {type(X).__name__}"
        raise ValueError(
            f"X must be a Dask array or dataframe with two dimensions, one item per row; got {kind}."
        )
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X has dtype {X.dtype}, wanted numbers. Encode it as numbers first.")
    if len(X.chunks[1]) > 1:
        if np.isnan(X.chunks[0]).any():
            raise ValueError(
                f"X is cut into {len(X.chunks[1])} pieces along its columns, and the sizes of its chunks are "
                "unknown. Type X.compute_chunk_sizes() first."
            )
        X = X.rechunk({1: -1})
    return X.to_delayed().ravel().tolist(), int(X.shape[1]), None


def _refuse_words(X: Any) -> None:
    from pandas.api.types import is_complex_dtype, is_numeric_dtype

    for name, dtype in X.dtypes.items():
        if not is_numeric_dtype(dtype) or is_complex_dtype(dtype):
            raise TypeError(
                f"Column {str(name)!r} of X holds {dtype} values, wanted numbers. "
                "Drop or encode it first, for example with dask.dataframe.get_dummies(X)."
            )


def row_map(function: Callable[[Any], Any], X: Any, width: int) -> Any:
    """A lazy Dask array: ``function`` of the rows of every partition, ``width`` columns."""
    rows = X.to_dask_array() if hasattr(X, "to_dask_array") else X.rechunk({1: -1})
    dtype = np.float32 if rows.dtype == np.float32 else np.float64

    def checked(block: Any) -> Any:
        numbers = np.asarray(block, dtype=dtype)
        if not np.isfinite(numbers).all():
            raise ValueError("X holds values that are not finite. Drop or fill them first: X.dropna().")
        return function(numbers) if len(numbers) else np.empty((0, width), dtype)

    chunks = rows.chunks[0], (width,)
    return rows.map_blocks(checked, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))


def take(X: Any, numbers: Ints) -> Any:
    """These rows of a Dask collection as they are, in memory: an array, or a frame with its labels."""
    from dask.base import compute
    from dask.delayed import delayed

    blocks, _, names = blocks_of(X)
    firsts = np.concatenate([[0], np.cumsum(_sizes(blocks), dtype=np.int64)])
    homes = np.searchsorted(firsts[1:], numbers, side="right")
    order = np.argsort(homes, kind="stable")
    pieces = compute(
        *[delayed(_picked)(blocks[home], numbers[homes == home] - firsts[home]) for home in np.unique(homes)]
    )
    back = np.argsort(order)
    if names is None:
        return np.concatenate(pieces)[back]
    from pandas import concat

    return concat(pieces).iloc[back]


def row_count(X: Any) -> int:
    """How many rows there are, also where Dask does not know."""
    return sum(_sizes(blocks_of(X)[0]))


def _sizes(blocks: list[Any]) -> tuple[int, ...]:
    from dask.base import compute
    from dask.delayed import delayed

    sizes: tuple[int, ...] = compute(*[delayed(len)(block) for block in blocks])
    return sizes


def _picked(block: Any, wanted: Ints) -> Any:
    return block.iloc[wanted] if hasattr(block, "iloc") else np.asarray(block)[wanted]
