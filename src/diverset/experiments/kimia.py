"""CLAIM 7: nine of 99 silhouettes, one from each of the nine classes?

# reading  one way to fill in what the paper leaves open; the first, the plainest, is the one that decides
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..door import select
from .kpca import projection
from .pictures import Image8, Pictures

SIDE, K_PICKS, BANDWIDTH = 100, 9, 100.0

SHAPES = ("stretched", "framed")
FILTERS = ("bicubic", "bilinear", "area", "nearest")
TONES = ("grey", "black and white")
SCALES = ("each pixel", "each picture", "all pixels together")
POLARITIES = ("black on white", "white on black")


@dataclass(frozen=True)
class Reading:
    """How a silhouette becomes a row of 10,000 numbers.

    ``shape``   "stretched" to 100 x 100, or "framed": as large as fits, the rest background
    ``filter``  of the resizing; bicubic with antialiasing is what MATLAB's imresize does
    ``tone``    "grey" as resized, or thresholded at one half
    ``scale``   standardised over the 99 values of each pixel, over the pixels of each picture, or with
                one mean and one deviation for everything
    """

    shape: str = SHAPES[0]
    filter: str = FILTERS[0]
    tone: str = TONES[0]
    scale: str = SCALES[0]
    polarity: str = POLARITIES[0]


def readings(fast: bool = False) -> list[Reading]:
    """All combinations, the plainest first; the polarity is varied once per scale."""
    filters = FILTERS[:2] if fast else FILTERS
    found = [Reading(*choice) for choice in product(SHAPES, filters, TONES, SCALES)]
    found += [Reading(scale=scale, polarity=POLARITIES[1]) for scale in SCALES]
    return found


def rows(shapes: Pictures, reading: Reading) -> Floats:
    """The silhouettes under this reading, one per row."""
    X = np.array([_resized(image, reading).ravel() for image in shapes.images])
    if reading.tone != TONES[0]:
        X = (X > 127.5).astype(np.float64) * 255
    if reading.polarity == POLARITIES[1]:
        X = 255.0 - X
    axis = {SCALES[0]: 0, SCALES[1]: 1, SCALES[2]: None}[reading.scale]
    mean, spread = X.mean(axis=axis, keepdims=True), X.std(axis=axis, keepdims=True)
    return np.asarray((X - mean) / np.where(spread > 0, spread, 1.0))


def _resized(image: Image8, reading: Reading) -> Floats:
    from PIL import Image

    how = {
        "bicubic": Image.Resampling.BICUBIC,
        "bilinear": Image.Resampling.BILINEAR,
        "area": Image.Resampling.BOX,
        "nearest": Image.Resampling.NEAREST,
    }[reading.filter]
    picture = Image.fromarray(image)
    if reading.shape == SHAPES[0]:
        return np.asarray(picture.resize((SIDE, SIDE), how), dtype=np.float64)
    scale = SIDE / max(picture.size)
    width, height = (max(1, round(length * scale)) for length in picture.size)
    frame = Image.new("L", (SIDE, SIDE), 255)
    frame.paste(picture.resize((width, height), how), ((SIDE - width) // 2, (SIDE - height) // 2))
    return np.asarray(frame, dtype=np.float64)


def judged(shapes: Pictures, reading: Reading) -> dict[str, Any]:
    """The nine picks of this reading and how many classes they come from."""
    picks = select(rows(shapes, reading), K_PICKS, kernel=kernels.Gaussian(BANDWIDTH))
    found = [shapes.classes[i] for i in picks]
    return {
        **asdict(reading),
        "classes": len(set(found)),
        "missing": " ".join(c for c in dict.fromkeys(shapes.classes) if c not in found) or "-",
        "certified": picks.certified,
        "picks": " ".join(shapes.names[i] for i in picks),
        "indices": list(picks),
    }


def chance(shapes: Pictures) -> float:
    """How likely nine picks at random hold all nine classes: 11^9 / (99 choose 9)."""
    from math import comb, prod

    sizes = [shapes.classes.count(c) for c in dict.fromkeys(shapes.classes)]
    return prod(sizes) / comb(len(shapes.classes), len(sizes))


def drawing(shapes: Pictures) -> dict[str, Any]:
    """The projection under the first reading."""
    X = rows(shapes, Reading())
    points, shares = projection(kernels.Gaussian(BANDWIDTH)(X))
    return {"points": points.tolist(), "shares": shares.tolist()}
