"""Files, tables, images and texts become items."""

from __future__ import annotations

from .door import read
from .reading import Kind, Reading, Skipped
from .wanted import FEATURES, ReadError, Wanted

__all__ = ["FEATURES", "Kind", "ReadError", "Reading", "Skipped", "Wanted", "read"]
