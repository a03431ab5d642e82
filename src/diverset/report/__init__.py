"""One HTML page with the picks: it opens from disk, with no network and no server."""

from __future__ import annotations

from .document import page

__all__ = ["page"]
