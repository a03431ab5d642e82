"""WHAT WAS READ? Items, as the library wants them and as a person would look at them.

# X        one row per item: an array, a memory map or a sparse matrix
# columns  the table as it was read, one array per column: for groups, quality, colours and the report
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..kernels import Kernel

Kind = Literal["table", "vectors", "images", "texts"]


class Skipped(NamedTuple):
    """A file or row that was left out, and why."""

    what: str
    why: str


@dataclass(frozen=True, eq=False)
class Reading:
    """The items of a source.

    ``kernel``   the kernel that goes with items of this kind
    ``names``    how each item is called: its file, its id, its row
    ``digest``   SHA-256 of all that was read: the same input gives the same picks
    ``texts``, ``files``  the text or the picture of each item, where it has one
    ``pictures``  the same for pictures that are no files: an array (n, height, width[, 3]), as shown
    ``notes``    what was done to the features, in words
    """

    X: Any
    kernel: Kernel
    kind: Kind
    names: Sequence[str]
    source: str
    digest: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    texts: list[str] | None = None
    files: list[Path] | None = None
    pictures: Any = None
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return len(self.names)
