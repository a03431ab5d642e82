"""WHAT DOES THIS FILE SHOW? A stranger's bytes become one upright picture in RGB, or the reason why not.

# side   the longer side of a picture, in pixels; larger ones are made smaller, smaller ones stay
# bomb   a small file that says it is a huge picture
# scan   one of the passes over a progressive JPEG; each costs time, whatever its size
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .wanted import ReadError

if TYPE_CHECKING:
    from PIL.Image import Image

Image8: TypeAlias = NDArray[np.uint8]

IMAGE_SUFFIXES = frozenset(
    ".jpg .jpeg .jpe .jfif .png .apng .webp .bmp .dib .tif .tiff .gif".split()  # noqa: SIM905  as people write them
)
FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF")  # Pillow would open forty more
BYTES = 2**30  # of a file of pixels
SCANS = 100
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"GIF87a", b"GIF89a")
_LARGE = 2**24  # pixels; such pictures are decoded one at a time, because each may take a gigabyte
_ONE_AT_A_TIME = Lock()
_ORIENTATION = 0x0112  # of EXIF
_TURNS = (  # names in PIL.Image.Transpose that undo orientations 2 to 8
    "FLIP_LEFT_RIGHT",
    "ROTATE_180",
    "FLIP_TOP_BOTTOM",
    "TRANSPOSE",
    "ROTATE_270",
    "TRANSVERSE",
    "ROTATE_90",
)


class Unreadable(Exception):
    """Why a file cannot be used; its name is known to whoever catches this."""


class Picture(NamedTuple):
    """A picture, upright: bytes of shape (height, width, 3)."""

    rgb: Image8
    frames: bool = False  # whether the file holds more pictures than this first one


def looks_like_image(head: bytes) -> bool:
    """Whether a file that starts with these bytes (16 will do) says that it is an image."""
    webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    bitmap = head[:2] == b"BM" and head[6:10] == bytes(4)
    return webp or bitmap or head.startswith(_MAGIC)


@contextmanager
def decoding() -> Iterator[None]:
    """Around all that opens pictures: bombs are errors, and what decoders mutter is not shown.

    Entered once, before threads start: the filters of warnings belong to the whole process.
    """
    try:
        from PIL.Image import DecompressionBombWarning
    except ModuleNotFoundError:
        raise ReadError("Pictures need Pillow: pip install 'diverset[images]'") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DecompressionBombWarning)
        yield


def bytes_of(path: Path, most: int = BYTES) -> bytes:
    """The bytes of a file, if they are not too many."""
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > most:
                raise Unreadable(f"it has {size:,} bytes, more than the {most:,} that are read")
            return stream.read(most)
    except OSError as why:
        raise Unreadable((why.strerror or str(why)).lower()) from None


def picture(data: bytes, side: int) -> Picture:
    """The picture in these bytes, as a viewer would show it on white. `decoding` is around this.

    Of several frames it is the first; 16 bits become 8 by their scale, not by cutting them off.
    """
    from PIL import Image, UnidentifiedImageError

    if not data:
        raise Unreadable("empty: it has no bytes")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            # compressed data never holds these two bytes, so they are counted rather than parsed
            if image.format in ("JPEG", "MPO") and data.count(b"\xff\xda") > SCANS:
                raise Unreadable(f"a JPEG of more than {SCANS} scans: made to waste time")
            # an MPO is a photo with its own previews, no sequence of pictures
            frames = bool(getattr(image, "is_animated", False)) and image.format != "MPO"
            image.draft(None, (2 * side, 2 * side))  # a JPEG can be read at a fraction of its size
            with _ONE_AT_A_TIME if image.width * image.height > _LARGE else nullcontext():
                image.load()
                small = _shrunk(image, side)
            return Picture(np.asarray(_turned(small, _orientation(image)), dtype=np.uint8), frames)
    except Unreadable:
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        limit = f"{Image.MAX_IMAGE_PIXELS or 0:,}"
        raise Unreadable(f"more than {limit} pixels: it may be a decompression bomb") from None
    except UnidentifiedImageError:
        raise Unreadable("not a JPEG, PNG, WebP, BMP, TIFF or GIF") from None
    except Exception as why:  # noqa: BLE001  decoders of broken files raise whatever comes to their mind
        raise Unreadable(f"broken: {_said(why)}") from None


def _said(why: Exception) -> str:
    """The words of an exception, which may quote the file."""
    words = str(why) or type(why).__name__
    return "".join(c if c.isprintable() else "?" for c in words.split("\n")[0])[:120]


def _shrunk(image: Image, side: int) -> Image:
    """In RGB and small, with white where it is transparent. Made small first: colours take memory."""
    from PIL import Image

    if image.mode in ("I", "F") or image.mode.startswith("I;"):
        return _levelled(image, side)
    clear = image.has_transparency_data
    image = image.convert("RGBA" if clear else "RGB")
    # resampling of bytes is done in whole numbers: the same pixels on every machine
    image.thumbnail((side, side), Image.Resampling.BICUBIC)
    if not clear:
        return image
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")


def _levelled(image: Image, side: int) -> Image:
    """Grey levels from 0 to 255: 16 bits by their scale; other numbers from their least to their largest."""
    from PIL import Image

    values = np.asarray(image)
    low, high = float(values.min()), float(values.max())
    if not np.isfinite(high - low):
        raise Unreadable("it has pixels that are not finite")
    whole = values.dtype.kind in "iu"
    if whole and low >= 0 and high <= 65535:  # Pillow may hand over 16 bits as mode I
        low, high = 0.0, 65535.0
    elif not whole and low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    small = Image.fromarray(values.astype(np.float32))
    small.thumbnail((side, side), Image.Resampling.BICUBIC)
    levels = (np.asarray(small) - low) * (255 / (high - low) if high > low else 0.0)
    return Image.fromarray(np.rint(levels.clip(0, 255)).astype(np.uint8)).convert("RGB")


def _orientation(image: Image) -> int:
    """How the camera was held, from 1 to 8. What cannot be understood is upright."""
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # noqa: BLE001  EXIF is a format of its own with errors of its own
        return 1


def _turned(image: Image, orientation: int) -> Image:
    from PIL import Image

    if not 2 <= orientation <= 8:
        return image
    return image.transpose(Image.Transpose[_TURNS[orientation - 2]])
