"""Pools too large for one look: in parts, a round at a time."""

from __future__ import annotations
