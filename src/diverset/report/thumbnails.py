"""WHAT DOES IT LOOK LIKE? Small WebP pictures of items, as base64.

# side  the longer side of a picture, in pixels
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..arrays import Ints, spread
from ..readers import Reading
from ..rounds.pool import Progress

if TYPE_CHECKING:
    from PIL.Image import Image

PICK = 240  # pixels of a pick: sharp at 120 on a fine screen
POOL = 96
MOST = 2_000  # items that have a thumbnail although they were not picked
_TINY = 48  # smaller pictures are shown with the pixels they have

Opener: TypeAlias = "Callable[[int], Image | None]"


def thumbnails(reading: Reading, rows: Ints, picked: Ints, progress: Progress) -> dict[int, str]:
    """Pictures by row: of all that are picked, and of a spread of the others. Empty if there are none."""
    opener = _opener(reading)
    if opener is None:
        return {}
    others = rows[spread(len(rows), MOST)] if len(rows) > MOST else rows
    wanted = dict.fromkeys(others.tolist(), POOL) | dict.fromkeys(picked.tolist(), PICK)
    made: dict[int, str] = {}
    for at, (row, side) in enumerate(wanted.items()):
        if at % 50 == 0:
            progress("thumbnails", at, len(wanted))
        picture = opener(row)
        if picture is not None:
            made[row] = _webp(picture, side)
    progress("thumbnails", len(wanted), len(wanted))
    return made


def _opener(reading: Reading) -> Opener | None:
    """How the picture of a row is found, if items have pictures."""
    if reading.pictures is not None:
        return _from_array(np.asarray(reading.pictures))
    if reading.files is not None and reading.kind == "images":
        files = reading.files
        return lambda row: _opened(files[row])
    return None


def _from_array(pictures: np.ndarray[Any, Any]) -> Opener:
    """Pictures of bytes as they are; of other numbers, from zero to the largest."""
    from PIL import Image

    largest = 255 if pictures.dtype == np.uint8 else max(float(pictures.max(initial=0)), 1e-300)

    def opened(row: int) -> Image.Image:
        levels = np.clip(np.asarray(pictures[row], dtype=np.float64) * (255 / largest), 0, 255)
        return Image.fromarray(np.rint(levels).astype(np.uint8))

    return opened


def _opened(path: Any) -> Image | None:
    from PIL import Image, ImageOps

    try:
        with Image.open(path, formats=["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF"]) as found:
            found.draft("RGB", (2 * PICK, 2 * PICK))
            return ImageOps.exif_transpose(found).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _webp(picture: Image, side: int) -> str:
    from PIL import Image

    picture = picture if picture.mode in ("L", "RGB", "RGBA") else picture.convert("RGB")
    tiny = max(picture.size) <= _TINY
    if not tiny:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    stream = BytesIO()
    picture.save(stream, "WEBP", quality=80, method=4, lossless=tiny)
    return b64encode(stream.getvalue()).decode()


def are_tiny(reading: Reading) -> bool:
    """Whether the pictures are so small that their pixels should be seen."""
    return reading.pictures is not None and max(np.shape(reading.pictures)[1:3]) <= _TINY


def data_uri(picture: str | None) -> str:
    """The address of a picture that is in the page."""
    return f"data:image/webp;base64,{picture}" if picture else ""
