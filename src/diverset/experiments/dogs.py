"""CLAIM 6: four of 150 photos of dogs, every breed among them?

# descriptors  SIFT, 128 numbers per place in a photo
# words        centres of the descriptors by k-means with a fixed seed
# histogram    how often each word occurs in a photo
# reading      one way to fill in what the paper leaves open; the first, the plainest, is the one that decides
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import kernels
from ..arrays import Ints, spread
from ..door import select
from ..readers.features import sift
from .kpca import projection
from .pictures import Pictures

K_PICKS = 4
PLACES = ("keypoints", "dense grid")
WEIGHTS = sift.WEIGHTS
WORDS = (500, 100, 200, 1000)
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Reading:
    """How a photo becomes a histogram.

    ``places``   where SIFT looks: its own keypoints (OpenCV's defaults), or a grid every 10 pixels
    ``words``    the size of the vocabulary; ``seed`` the start of k-means
    ``weights``  "shares" sum to one in each photo, "counts" do not, "present or not" are 0 and 1
    """

    places: str = PLACES[0]
    words: int = WORDS[0]
    weights: str = WEIGHTS[0]
    seed: int = SEEDS[0]


def vocabularies(fast: bool = False) -> list[tuple[str, int, int]]:
    """Places, words and seed of every vocabulary that is learnt."""
    if fast:
        return [(PLACES[0], 500, 0), (PLACES[0], 100, 0)]
    return [(p, w, s) for p in PLACES for w in WORDS for s in SEEDS]


class Album:
    """The photos with their descriptors, computed when needed and kept."""

    def __init__(self, photos: Pictures) -> None:
        self.photos = photos
        self._descriptors: dict[str, list[Any]] = {}

    def descriptors(self, places: str) -> list[Any]:
        if places not in self._descriptors:
            grid = places == PLACES[1]
            self._descriptors[places] = [sift.descriptors(image, grid) for image in self.photos.images]
        return self._descriptors[places]

    def counts(self, places: str, words: int, seed: int) -> Ints:
        """How often each word occurs in each photo."""
        every = self.descriptors(places)
        pooled = np.concatenate(every)
        centres = sift.vocabulary(pooled[np.sort(spread(len(pooled), sift.SAMPLE))], words, seed)
        return np.array([sift.histogram(D, centres) for D in every])


def judged(album: Album, places: str, words: int, seed: int) -> list[dict[str, Any]]:
    """The four picks for each weighting of the histograms, and the breeds that they show."""
    counts = album.counts(places, words, seed)
    return [_judged(album.photos, counts, Reading(places, words, w, seed)) for w in WEIGHTS]


def _judged(photos: Pictures, counts: Ints, reading: Reading) -> dict[str, Any]:
    H = sift.weighted(counts, reading.weights)
    picks = select(H, K_PICKS, kernel=kernels.HistogramIntersection())
    found = [photos.classes[i] for i in picks]
    row = {
        **asdict(reading),
        "breeds": len(set(found)),
        "missing": " ".join(c for c in dict.fromkeys(photos.classes) if c not in found) or "-",
        "certified": picks.certified,
        "picks": " ".join(photos.names[i] for i in picks),
        "indices": list(picks),
    }
    if reading == Reading():
        points, shares = projection(kernels.HistogramIntersection()(H))
        row |= {"points": points.tolist(), "shares": shares.tolist()}
    return row


def chance(photos: Pictures) -> float:
    """How likely four picks at random show all three breeds."""
    from math import comb

    a, b, c = (photos.classes.count(breed) for breed in dict.fromkeys(photos.classes))
    ways = comb(a, 2) * b * c + a * comb(b, 2) * c + a * b * comb(c, 2)
    return ways / comb(a + b + c, 4)


def classes(photos: Pictures) -> Iterator[tuple[str, list[int]]]:
    """Every class with its pictures."""
    for name in dict.fromkeys(photos.classes):
        yield name, [i for i, c in enumerate(photos.classes) if c == name]
