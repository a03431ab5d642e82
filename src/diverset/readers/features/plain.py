"""PIXELS, HOG, COLOUR: features that are a page of arithmetic, with no package but Pillow.

# grey   from 0 to 255; the picture is stretched to a square
# share  of the pixels of a picture
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...kernels import Gaussian, HistogramIntersection
from ..pictures import Image8
from .base import Array, Extracted, PictureFeatures

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def grey_square(rgb: Image8, side: int) -> Image8:
    """The picture in grey, stretched to a square."""
    from PIL import Image

    picture = Image.fromarray(rgb).convert("L").resize((side, side), Image.Resampling.BICUBIC)
    return np.asarray(picture, dtype=np.uint8)


@dataclass(frozen=True)
class Pixels(PictureFeatures):
    """A grey thumbnail of 32 x 32, from 0 (black) to 1 (white), not standardised; Gaussian kernel.

    Two pictures are alike if light and shade fall in the same places: icons, scans, digits, silhouettes.
    """

    pixels: int = 32

    name: ClassVar[str] = "pixels"
    side: ClassVar[int] = 256

    def describe(self, rgb: Image8) -> Array:
        return grey_square(rgb, self.pixels).ravel()

    def extracted(self, rows: Array, names: Sequence[str]) -> Extracted:
        note = f"features: grey thumbnails of {self.pixels} x {self.pixels}, from 0 to 1, Gaussian kernel"
        return Extracted(rows / 255.0, Gaussian(), (note,))


def hog(grey: Array, cell: int, bins: int = 9, cut: float = 0.2) -> Floats:
    """Histograms of oriented gradients (Dalal and Triggs, 2005) of a grey square.

    Each pixel votes with the length of its gradient for the two bins of direction (0 to 180 degrees) around
    its own. Every 2 x 2 cells are a block, scaled to length 1, cut off at 0.2 and scaled again.
    """
    levels = np.pad(grey.astype(np.float64), 1, mode="edge")
    across = levels[1:-1, 2:] - levels[1:-1, :-2]
    down = levels[2:, 1:-1] - levels[:-2, 1:-1]
    length = np.hypot(across, down)
    place = np.arctan2(down, across) / np.pi % 1.0 * bins - 0.5  # in bins, from the middle of the first
    left = np.floor(place)
    share = place - left
    cells = len(grey) // cell
    rows, columns = np.indices(grey.shape) // cell
    votes: Floats = np.zeros(cells * cells * bins)
    for offset, part in ((0, 1 - share), (1, share)):
        at = (rows * cells + columns) * bins + (left.astype(np.int64) + offset) % bins
        votes += np.bincount(at.ravel(), (length * part).ravel(), len(votes))
    votes = votes.reshape(cells, cells, bins)
    blocks = np.concatenate([votes[:-1, :-1], votes[:-1, 1:], votes[1:, :-1], votes[1:, 1:]], axis=2)
    blocks = np.minimum(_unit(blocks.reshape(-1, 4 * bins)), cut)
    return _unit(blocks).ravel()


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


@dataclass(frozen=True)
class Hog(PictureFeatures):
    """Histograms of oriented gradients: 8 x 8 cells on a grey square of 128 pixels; Gaussian kernel.

    Two pictures are alike if edges run in the same directions in the same places, whatever their light.
    """

    pixels: int = 128
    cell: int = 16

    name: ClassVar[str] = "hog"
    side: ClassVar[int] = 256

    def describe(self, rgb: Image8) -> Array:
        return hog(grey_square(rgb, self.pixels), self.cell).astype(np.float32)

    def extracted(self, rows: Array, names: Sequence[str]) -> Extracted:
        cells = self.pixels // self.cell
        note = f"features: oriented gradients (HOG) in {cells} x {cells} cells, Gaussian kernel"
        return Extracted(rows, Gaussian(), (note,))


class _Palette(NamedTuple):
    """The bin of every colour of 5 bits a channel, and how many bins there are."""

    of: Ints
    size: int


def lab(rgb: Floats) -> Floats:
    """CIELAB (D65) of sRGB colours from 0 to 1: equal steps look about equally large.

    >>> lab(np.array([[1.0, 1.0, 1.0]])).round(1) + 0.0
    array([[100.,   0.,   0.]])
    """
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    t = linear @ (_TO_XYZ / _TO_XYZ.sum(axis=1, keepdims=True)).T  # white is (1, 1, 1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@cache
def palette(width: float) -> _Palette:
    """Cubes of this width in CIELAB, those that hold a colour that a screen can show."""
    levels = (np.arange(32) * 8 + 4) / 255.0
    colours = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    cubes = np.floor(lab(colours) / width).astype(np.int64)
    found, of = np.unique(cubes, axis=0, return_inverse=True)
    return _Palette(of.ravel().astype(np.int64), len(found))


@dataclass(frozen=True)
class Color(PictureFeatures):
    """Shares of colours: a histogram over cubes of CIELAB, compared by histogram intersection.

    Two pictures are alike if they could be painted from the same pots, wherever the paint goes.
    """

    width: float = 20.0  # of a cube; two colours 2 apart can just be told apart

    name: ClassVar[str] = "color"
    side: ClassVar[int] = 256

    def describe(self, rgb: Image8) -> Array:
        high = (rgb >> 3).astype(np.int64)  # five bits of each channel
        colours = palette(self.width)
        code = high[..., 0] << 10 | high[..., 1] << 5 | high[..., 2]
        return np.bincount(colours.of[code.ravel()], minlength=colours.size).astype(np.uint32)

    def extracted(self, rows: Array, names: Sequence[str]) -> Extracted:
        counts: Any = rows.astype(np.float64)
        note = f"features: shares of {rows.shape[1]} colours, histogram intersection kernel"
        return Extracted(counts / counts.sum(axis=1, keepdims=True), HistogramIntersection(), (note,))
