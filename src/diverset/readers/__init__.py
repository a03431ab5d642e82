"""Files, tables, images and texts become items."""

from __future__ import annotations

from .reading import Kind, Reading, Skipped

__all__ = ["Kind", "Reading", "Skipped"]
