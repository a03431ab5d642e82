"""WHAT DOES IT LOOK LIKE? Small WebP pictures of items, as base64.

# side  the longer side of a picture, in pixels
# tiny  so small that its pixels should be seen: it is sent as it is and drawn without smoothing
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..arrays import Ints, spread
from ..readers import Reading
from ..readers.pictures import Image8, Unreadable, bytes_of, decoding, picture
from ..rounds.pool import Progress
from ..threads import cores

PICK = 240  # pixels of a pick: sharp at 120 on a fine screen
POOL = 96
MOST = 2_000  # items that have a thumbnail although they were not picked
TINY = 48

Opener: TypeAlias = Callable[[int, int], Image8]  # of a row, so large; or Unreadable


class Thumbnails(NamedTuple):
    """Pictures by row, for those that have one."""

    by_row: dict[int, str]
    tiny: bool


def thumbnails(reading: Reading, rows: Ints, picked: Ints, progress: Progress) -> Thumbnails:
    """Of all that are picked, and of a spread of the others. A file that is gone by now has none."""
    opener = _opener(reading)
    if opener is None:
        return Thumbnails({}, tiny=False)
    others = rows[spread(len(rows), MOST)] if len(rows) > MOST else rows
    sides = dict.fromkeys(others.tolist(), POOL) | dict.fromkeys(picked.tolist(), PICK)

    def made(row: int) -> tuple[str, int] | None:
        try:
            pixels = opener(row, sides[row])
        except Unreadable:
            return None
        return _webp(pixels), max(pixels.shape[:2])

    found: dict[int, tuple[str, int]] = {}
    with decoding(), ThreadPoolExecutor(cores()) as workers:
        for at, (row, one) in enumerate(zip(sides, workers.map(made, sides), strict=True)):
            if one is not None:
                found[row] = one
            progress("thumbnails", at + 1, len(sides))
    tiny = bool(found) and max(side for _, side in found.values()) <= TINY
    return Thumbnails({row: words for row, (words, _) in found.items()}, tiny)


def _opener(reading: Reading) -> Opener | None:
    """How the picture of a row is found, if items have pictures."""
    if reading.pictures is not None:
        return _from_array(np.asarray(reading.pictures))
    if reading.files is not None and reading.kind == "images":
        files = reading.files
        return lambda row, side: picture(bytes_of(files[row]), side).rgb
    return None


def _from_array(pictures: np.ndarray[Any, Any]) -> Opener:
    """Pictures of bytes as they are; of other numbers, from zero to the largest."""
    from PIL import Image

    largest = 255 if pictures.dtype == np.uint8 else max(float(pictures.max(initial=0)), 1e-300)

    def opened(row: int, side: int) -> Image8:
        levels = np.clip(np.asarray(pictures[row], dtype=np.float64) * (255 / largest), 0, 255)
        image = Image.fromarray(np.rint(levels).astype(np.uint8)).convert("RGB")
        image.thumbnail((side, side), Image.Resampling.BICUBIC)
        return np.asarray(image)

    return opened


def _webp(pixels: Image8) -> str:
    from PIL import Image

    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "WEBP", quality=80, method=4, lossless=max(pixels.shape) <= TINY)
    return b64encode(stream.getvalue()).decode()


def data_uri(webp: str | None) -> str:
    """The address of a picture that is in the page."""
    return f"data:image/webp;base64,{webp}" if webp else ""
