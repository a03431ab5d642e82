"""WHERE ARE THE ROWS, WHEN THEY ARE DASK'S? In the partitions of a collection, here or on a cluster."""

from __future__ import annotations

from .blocks import take
from .parts import DaskParts

__all__ = ["DaskParts", "take"]
