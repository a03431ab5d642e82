"""WHAT IS ASKED OF A PART? Pure functions of its rows and of a message that holds all that came before.

All of them look at the rows through one map, phi(x) = k(x, S) W, with S some rows of the pool:

# S, m      landmarks: rows that every other row is compared with, and how many
# W         what turns kernel values with the landmarks into coordinates
# gains     what each row would still add: k(x, x) or ||k(x, S) start||^2, less ||k(x, S) removed||^2
# keys      arrival times of a race in which each row runs at the speed of its gain: the first to
#           arrive are draws in proportion to the gains, the same ones however the pool is cut
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats, Ints, is_sparse
from ..greedy import TIE
from ..kernels import Kernel
from ..kernels.base import Points
from .parts import Part

_BLOCK = 2**19  # kernel values computed at a time: they stay in cache until they are used


@dataclass(frozen=True, eq=False)
class View:
    """The landmarks, and a kernel to compare them with."""

    kernel: Kernel
    landmarks: Any  # rows
    weights: Floats | None = None  # the quality of the landmarks

    def extended(self, rows: Any, weights: Floats | None) -> View:
        """The same with more landmarks."""
        if is_sparse(rows):
            from scipy.sparse import vstack

            landmarks = vstack([self.landmarks, rows], format="csr")
        else:
            landmarks = np.vstack([self.landmarks, rows])
        joined = weights if self.weights is None or weights is None else np.append(self.weights, weights)
        return replace(self, landmarks=landmarks, weights=joined)

    def columns(self, part: Part, dtype: Any = np.float64) -> Iterator[tuple[slice, Points, Floats]]:
        """k(x, S) for some rows at a time, quality included."""
        marks = narrowed(self.kernel.points(self.landmarks), dtype)
        n, m = part.rows.shape[0], max(len(marks.norms), 1)
        quality = None if part.along is None else part.along[0]
        step = max(64, _BLOCK // m)
        for start in range(0, n, step):
            here = slice(start, min(start + step, n))
            points = self.kernel.points(part.rows[here])
            out = np.empty((here.stop - start, len(marks.norms)), dtype)
            if out.size:
                self.kernel.block(narrowed(points, dtype), marks, out)
            if quality is not None and self.weights is not None:
                out *= quality[here, None]
                out *= self.weights
            yield here, points, out


def narrowed(points: Points, dtype: Any) -> Points:
    """The same points with this many digits."""
    if is_sparse(points.rows) or points.rows.dtype.kind != "f" or points.rows.dtype == dtype:
        return points
    return Points(points.rows.astype(dtype), points.norms.astype(dtype))


@dataclass(frozen=True, eq=False)
class Question:
    """Which rows of a part should be looked at next?"""

    key: str  # of this selection: under it a part remembers its gains
    view: View
    start: Floats | None
    removed: Floats
    most: int
    race: int | None = None  # None: those with the largest gains; else which race they run
    taken: tuple[int, ...] = ()  # rows that are out, by number
    dtype: str = "float64"


class Answer(NamedTuple):
    """Candidates of one part, by number; the largest gain of all others; the sum of all gains."""

    numbers: Ints
    gains: Floats
    keys: Floats
    bound: float
    total: float


def answer(part: Part, question: Question) -> Answer:
    """The candidates of this part."""
    gains = current_gains(part, question).copy()
    numbers = part.first + np.arange(len(gains))
    if part.along is not None and part.along[1] is not None:
        gains[part.along[1]] = -np.inf
    out = np.array(question.taken, dtype=np.int64) - part.first
    gains[out[(out >= 0) & (out < len(gains))]] = -np.inf
    total = float(gains[gains > 0].sum())
    if question.race is None:
        chosen = _largest(gains, question.most)
        keys = -gains
    else:
        with np.errstate(divide="ignore"):
            keys = arrivals(question.race, part.first, len(gains)) / np.maximum(gains, 0.0)
        chosen = np.arange(len(keys))
        if len(keys) > question.most:
            chosen = np.argpartition(keys, question.most - 1)[: question.most]
    outside = np.ones(len(gains), dtype=bool)
    outside[chosen] = False
    bound = float(np.max(gains, where=outside, initial=-np.inf))
    return Answer(numbers[chosen], gains[chosen], keys[chosen], bound, total)


def _largest(gains: Floats, most: int) -> Ints:
    """Where the largest gains are, and the first of those that tie with the very largest."""
    if len(gains) <= most:
        return np.arange(len(gains))
    chosen = np.argpartition(gains, len(gains) - most)[len(gains) - most :]
    first = int(np.argmax(gains >= gains.max() * (1 - TIE)))
    return chosen if first in chosen else np.append(chosen, first)


def current_gains(part: Part, question: Question) -> Floats:
    """Gains after all that was removed so far; from the cache, what was removed before."""
    kept = part.cache.get(question.key)
    if kept is not None and kept[1] > question.removed.shape[1]:
        kept = None  # of a later round, and this is an earlier one again
    gains, done = (np.empty(part.rows.shape[0]), 0) if kept is None else kept
    new = question.removed[:, done:]
    if kept is not None and new.shape[1] == 0:
        return gains
    gains = gains.copy()  # an interrupted round leaves the cache as it was
    for here, points, columns in question.view.columns(part, question.dtype):
        if kept is None:
            if question.start is None:
                gains[here] = own_values(part, question.view.kernel, here, points)
            else:
                gains[here] = squares(columns @ question.start.astype(question.dtype, copy=False))
        if new.shape[1]:
            gains[here] -= squares(columns @ new.astype(question.dtype, copy=False))
    np.maximum(gains, 0.0, out=gains)
    part.cache[question.key] = gains, question.removed.shape[1]
    return gains


def squares(rows: Floats) -> Floats:
    """The squared length of every row."""
    summed: Floats = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return summed


def arrivals(race: int, first: int, count: int) -> Floats:
    """Exponential times of rows first, first + 1, ...: a fixed function of the race and the row number."""
    words = np.random.Philox(key=race)
    words.advance(first // 4)
    bits = words.random_raw(count + first % 4)[first % 4 :]
    uniform = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    times: Floats = -np.log1p(-uniform)
    return times


@dataclass(frozen=True, eq=False)
class Gram:
    """Asks for Phi^T Phi with phi(x) = k(x, S) W and W upper triangular (None: the identity)."""

    view: View
    W: Floats | None
    dtype: str = "float64"


class GramSum(NamedTuple):
    """Phi^T Phi, and the sum of k(x, x)."""

    gram: Floats
    diagonal: float

    def __add__(self, other: Any) -> GramSum:  # a sum, not a longer tuple
        return GramSum(self.gram + other.gram, self.diagonal + other.diagonal)


def gram(part: Part, message: Gram) -> GramSum:
    """The share of this part."""
    from scipy.linalg.blas import dtrmm, strmm

    m, diagonal = message.view.landmarks.shape[0], 0.0
    summed = np.zeros((m, m))
    W = None if message.W is None else np.asarray(message.W, dtype=message.dtype)
    times = dtrmm if message.dtype == "float64" else strmm
    for here, points, features in message.view.columns(part, message.dtype):
        if W is not None:
            # (W^T k(S, x))^T: BLAS wants Fortran order, and this way nothing is copied
            features = times(1.0, W, features.T, trans_a=1).T
        summed += features.T @ features
        diagonal += float(own_values(part, message.view.kernel, here, points).sum())
    return GramSum(summed, diagonal)


def own_values(part: Part, kernel: Kernel, here: slice, points: Points) -> Floats:
    """k(x, x) of some rows, quality included."""
    own = kernel.diagonal(points)
    return own if part.along is None or part.along[0] is None else own * part.along[0][here] ** 2
