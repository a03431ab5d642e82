"""WHERE ARE THE ROWS, WHEN THEY ARE DASK'S? In the partitions of a collection, here or on a cluster."""

from __future__ import annotations

from .blocks import row_count, row_map, take
from .parts import DaskParts

__all__ = ["DaskParts", "row_count", "row_map", "take"]
