"""WHAT IS AN EXTRACTOR? What turns one picture, or a pile of texts, into numbers.

# described  what one picture says by itself: an array that depends on nothing but the picture
# learnt     what is common to all pictures of a pool, such as a vocabulary of visual words
# row        the features of one picture, from what it says and what was learnt
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ...kernels import Kernel
from ...rounds.pool import Progress
from ..pictures import Image8
from ..wanted import ReadError

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Extracted:
    """Features of items, the kernel that goes with them, and what was done, in words."""

    X: Any
    kernel: Kernel
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PictureFeatures(ABC):
    """Pictures -> rows. Frozen: it holds settings, which are part of the name that features are kept under.

    ``version``   goes up when the same picture gives other features
    ``packages``  whose versions may change the features
    ``learns``    from how many pictures of the pool it learns; 0: every picture is by itself
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    packages: ClassVar[tuple[str, ...]] = ("pillow",)
    learns: ClassVar[int] = 0
    side: ClassVar[int]  # of the pictures that it wants to see

    def ready(self) -> AbstractContextManager[Any]:
        """Around all the work: refuses if a package is missing, and keeps libraries to one thread each."""
        return nullcontext()

    @abstractmethod
    def describe(self, rgb: Image8) -> Array:
        """What one picture says."""

    def learn(self, described: Sequence[Array]) -> Array:
        """What is common to these pictures."""
        raise NotImplementedError

    def row(self, described: Array, learnt: Array | None) -> Array:
        """The features of one picture."""
        return described

    @abstractmethod
    def extracted(self, rows: Array, names: Sequence[str]) -> Extracted:
        """The items, from the rows of all pictures."""


class TextFeatures(ABC):
    """Texts -> rows."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    packages: ClassVar[tuple[str, ...]]

    @abstractmethod
    def rows(self, texts: Sequence[str], progress: Progress) -> Any:
        """One row per text, dense or sparse. A text that says nothing is a row of zeros."""

    @abstractmethod
    def extracted(self, rows: Any) -> Extracted:
        """The items, from the rows of all texts."""


def missing_extra(what: str, extra: str) -> ReadError:
    """The refusal when a package is not installed."""
    return ReadError(f"{what}: pip install 'diverset[{extra}]'")
