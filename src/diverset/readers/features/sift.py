"""SIFT: how often does each visual word occur in a photo? The paper's recipe for photos.

# descriptors  SIFT, 128 whole numbers from 0 to 255 for each place in a photo
# words        centres of the descriptors by k-means with a fixed seed
# histogram    how often each word occurs in a photo
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints, spread
from ...kernels import HistogramIntersection
from ...threads import blas_threads
from ..columns import listed
from ..pictures import Image8
from .base import Array, Extracted, PictureFeatures, missing_extra

WEIGHTS = ("shares", "counts", "present or not")
SAMPLE = 20_000  # descriptors from which the words are learnt
STEPS = 4  # of a centre's coordinates from one whole number to the next
_ROUNDS = 25  # of k-means, at most
_STEP, _PATCH = 10, 16  # of a dense grid, in pixels


def descriptors(rgb: Image8, grid: bool = False) -> Array:
    """The SIFT descriptors of a photo, as float32 rows: at its keypoints, or on a grid of places."""
    import cv2

    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    make: Any = getattr(cv2, "SIFT_create")  # noqa: B009  its stubs lack the name
    sift = make()
    if not grid:
        _, found = sift.detectAndCompute(grey, None)
    else:
        height, width = grey.shape
        places = [
            cv2.KeyPoint(float(x), float(y), float(_PATCH))
            for y in range(_STEP, height - _STEP + 1, _STEP)
            for x in range(_STEP, width - _STEP + 1, _STEP)
        ]
        _, found = sift.compute(grey, places)
    return np.empty((0, 128), dtype=np.float32) if found is None else np.asarray(found)


def vocabulary(descriptors: Array, words: int, seed: int, steps: int | None = None) -> Array:
    """Centres by Lloyd's k-means, started at descriptors drawn with this seed; at most ``words``.

    Written out because scikit-learn's adds up its clusters in the order in which threads finish: two
    runs may differ. A centre that loses all its descriptors stays where it is.

    With centres on a grid of 1 / ``steps`` nothing is ever rounded on the way: sums of descriptors are
    whole numbers, d.c and |c|^2 multiples of 1/4 and 1/16 for ``steps=4``, and the squared length of a
    descriptor is about 2^18, so all of them are exact in float32, which holds 24 bits. The words are
    then the same on every machine.
    """
    from scipy.sparse import csr_array

    count = len(descriptors)
    centres = descriptors[np.random.default_rng(seed).permutation(count)[:words]]
    words = len(centres)
    before = np.full(count, -1, dtype=np.int64)
    for _ in range(_ROUNDS):
        labels = nearest(descriptors, centres)
        if (labels == before).all():
            break
        before = labels
        ones = np.ones(count, dtype=descriptors.dtype)
        members = csr_array((ones, (labels, np.arange(count))), shape=(words, count))
        sizes = np.bincount(labels, minlength=words)[:, None]
        centres = np.where(sizes > 0, members @ descriptors / np.maximum(sizes, 1), centres)
        if steps is not None:
            centres = np.rint(centres * steps) / steps
        centres = centres.astype(descriptors.dtype)
    return centres


def nearest(descriptors: Array, centres: Array) -> Ints:
    """The nearest word of every descriptor: the least |c|^2 - 2 d.c, and of equals the first."""
    offset = (centres**2).sum(axis=1)
    found: Ints = np.argmin(offset - 2 * (descriptors @ centres.T), axis=1).astype(np.int64)
    return found


def histogram(descriptors: Array, centres: Array) -> Ints:
    """How often each word occurs among these descriptors."""
    return np.bincount(nearest(descriptors, centres), minlength=len(centres))


def weighted(counts: Array, weights: str = WEIGHTS[0]) -> Floats:
    """Histograms from counts: shares that sum to one in each photo, the counts, or 0 and 1."""
    H = counts.astype(np.float64)
    if weights == WEIGHTS[0]:
        return np.asarray(H / np.maximum(H.sum(axis=1, keepdims=True), 1.0))
    return H if weights == WEIGHTS[1] else (H > 0).astype(np.float64)


@dataclass(frozen=True)
class Sift(PictureFeatures):
    """Bags of visual words: the share of each word, compared by histogram intersection.

    The words are learnt from the pool itself, from the 400 photos whose bytes have the smallest check sums
    and as many descriptors of each: a choice without chance, which one more photo in a large folder hardly
    ever changes. A photo without any keypoint is a row of zeros, and is picked last.
    """

    words: int = 500
    seed: int = 0

    name: ClassVar[str] = "sift"
    packages: ClassVar[tuple[str, ...]] = (
        "numpy",
        "pillow",
        "opencv-python-headless",
        "opencv-python",
        "opencv-contrib-python-headless",
        "opencv-contrib-python",
    )
    learns: ClassVar[int] = 400
    side: ClassVar[int] = 320  # as in the paper's photos; a larger one takes seconds

    @contextmanager
    def ready(self) -> Iterator[None]:
        try:
            import cv2
        except ImportError:
            raise missing_extra("SIFT features need OpenCV", "images") from None
        threads = cv2.getNumThreads()
        cv2.setNumThreads(1)  # the photos share the cores
        try:
            with blas_threads(1):
                yield
        finally:
            cv2.setNumThreads(threads)

    def describe(self, rgb: Image8) -> Array:
        return descriptors(rgb).astype(np.uint8)  # they are whole numbers up to 255

    def learn(self, described: Sequence[Array]) -> Array:
        each = -(-SAMPLE // len(described)) if described else 0
        some = [d[np.sort(spread(len(d), each))] for d in described if len(d)]
        if not some:
            return np.empty((0, 128), dtype=np.float32)
        return vocabulary(np.concatenate(some).astype(np.float32), self.words, self.seed, STEPS)

    def row(self, described: Array, learnt: Array | None) -> Array:
        if learnt is None or not len(learnt) or not len(described):
            return np.zeros(self.words, dtype=np.uint32)
        counts = np.zeros(self.words, dtype=np.uint32)
        counts[: len(learnt)] = histogram(described.astype(np.float32), learnt)
        return counts

    def extracted(self, rows: Array, names: Sequence[str]) -> Extracted:
        notes = [f"features: shares of {self.words} visual words (SIFT), histogram intersection kernel"]
        blank = [name for name, row in zip(names, rows, strict=True) if not row.any()]
        if blank:
            notes.append(f"without any SIFT keypoint, picked last: {listed(blank)}")
        return Extracted(weighted(rows), HistogramIntersection(), tuple(notes))
