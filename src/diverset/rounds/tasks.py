"""WHAT IS ASKED OF A PART? Pure functions of its rows and of a message that holds all that came before.

All of them look at the rows through one map, phi(x) = k(x, S) W, with S some rows of the pool:

# S, m      landmarks: rows that every other row is compared with, and how many
# W         what turns kernel values with the landmarks into coordinates
# gains     what each row would still add: k(x, x) or ||k(x, S) start||^2, less ||k(x, S) removed||^2
# scores    the gains, or the speeds in a race whose first arrivals are draws in proportion to the
#           gains, the same ones however the pool is cut
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints, is_sparse
from ..greedy import TIE
from ..kernels import Kernel
from ..kernels.base import Points
from ..threads import row_blocks
from .parts import Part

BLOCK = 2**19  # kernel values computed at a time: they stay in cache until they are used


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

    def columns(
        self, part: Part, dtype: Any = np.float64, which: Ints | None = None
    ) -> Iterator[tuple[Any, Points, Floats]]:
        """k(x, S) for some rows at a time, of all or ``which``, quality included."""
        marks = narrowed(self.kernel.points(self.landmarks), dtype)
        n, m = part.rows.shape[0] if which is None else len(which), max(len(marks.norms), 1)
        quality = None if part.along is None else part.along[0]
        step = max(64, BLOCK // m)
        for start in range(0, n, step):
            here = slice(start, min(start + step, n)) if which is None else which[start : start + step]
            points = self.kernel.points(part.rows[here])
            out = np.empty((len(points.norms), len(marks.norms)), dtype)
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


class Bounds(NamedTuple):
    """The largest score that rows may have which were not put forward: an entry per stretch of rows.

    Which side of ``places`` they are on matters where scores tie: ties go to the lowest number, and the first
    row of a stretch that ties with its largest is always put forward.
    """

    places: Ints
    before: Floats
    after: Floats

    @property
    def largest(self) -> float:
        return float(max(self.before.max(initial=-np.inf), self.after.max(initial=-np.inf)))

    def around(self, pick: int) -> tuple[float, float]:
        """Of rows before ``pick``, and of rows after it."""
        either = np.maximum(self.before, self.after)
        earlier = np.where(self.places >= pick, self.before, either)
        later = np.where(self.places <= pick, self.after, either)
        return float(earlier.max(initial=-np.inf)), float(later.max(initial=-np.inf))

    def clearance(self, pick: int, score: float) -> float:
        """The relative noise that the pick stands against all these rows."""
        earlier, later = self.around(pick)
        return float(min((score - earlier) / score - TIE, (score - later) / score + TIE))

    @classmethod
    def joined(cls, several: Iterable[Bounds]) -> Bounds:
        return cls(*(np.concatenate(column) for column in zip(*several, strict=True)))


class Answer(NamedTuple):
    """Candidates of one part, by number, and what all other rows may have."""

    numbers: Ints
    gains: Floats
    scores: Floats
    bounds: Bounds


class Known(NamedTuple):
    """What a part remembers: gains as they were when so many of the directions were removed."""

    gains: Floats
    removed: Ints


def answer(part: Part, question: Question) -> Answer:
    """The candidates of this part by their gains of now, and only as many rows looked at as that takes.

    Gains only fall: a row that is behind others by its gain of some rounds ago is behind them now.
    """
    known, speeds, open_ = _recalled(part, question), _speeds(part, question), open_rows(part, question.taken)
    now, look = question.removed.shape[1], question.most
    while True:
        scores = np.where(open_, known.gains * speeds, -np.inf)
        ahead = foremost(scores, question.most)
        if (known.removed[ahead[open_[ahead]]] == now).all():
            break
        wider = np.sort(foremost(scores, look))
        _bring_up_to_date(part, question, known, wider[open_[wider] & (known.removed[wider] < now)])
        look *= 2  # those behind may be ahead of them now: few and large looks
    part.cache[question.key] = known
    gains = np.where(open_[ahead], known.gains[ahead], -np.inf)
    return Answer(part.first + ahead, gains, scores[ahead], bounds_behind(scores, scores, ahead, part.first))


def _speeds(part: Part, question: Question) -> Floats:
    """What the gains are multiplied with."""
    if question.race is None:
        return np.ones(part.rows.shape[0])
    return np.asarray(1 / arrivals(question.race, part.first, part.rows.shape[0]))


def open_rows(part: Part, taken: tuple[int, ...]) -> Bools:
    """Which rows may be candidates, if these are taken."""
    open_ = np.ones(part.rows.shape[0], dtype=bool)
    if part.along is not None and part.along[1] is not None:
        open_ &= ~part.along[1]
    out = np.array(taken, dtype=np.int64) - part.first
    open_[out[(out >= 0) & (out < len(open_))]] = False
    return open_


def foremost(scores: Floats, most: int) -> Ints:
    """Where the largest scores are, and the first of those that tie with the very largest."""
    if len(scores) <= most:
        return np.arange(len(scores))
    ahead = np.argpartition(scores, len(scores) - most)[len(scores) - most :]
    first = _first_tied(scores)
    return ahead if first in ahead else np.append(ahead, first)


def _first_tied(scores: Floats) -> int:
    return int(np.argmax(scores >= scores.max() * (1 - TIE))) if len(scores) else 0


def bounds_behind(scores: Floats, highest: Floats, ahead: Ints, number: int) -> Bounds:
    """What all rows but those ahead may have at the highest, if the first of them has this number."""
    rest, first = highest.copy(), _first_tied(scores)
    rest[ahead] = -np.inf
    sides = rest[:first].max(initial=-np.inf), rest[first:].max(initial=-np.inf)
    return Bounds(np.array([number + first]), *(np.array([side]) for side in sides))


def _recalled(part: Part, question: Question) -> Known:
    """What the part knows, copied: an interrupted round leaves the cache as it was."""
    kept = part.cache.get(question.key)
    if kept is not None and kept.removed.max(initial=0) <= question.removed.shape[1]:  # else of a later round
        return Known(kept.gains.copy(), kept.removed.copy())
    n = part.rows.shape[0]
    gains = np.empty(n)
    if question.start is None:
        for here in row_blocks(n, BLOCK):
            points = question.view.kernel.points(part.rows[here])
            gains[here] = own_values(part, question.view.kernel, here, points)
    else:
        start = question.start.astype(question.dtype, copy=False)
        for here, _, columns in question.view.columns(part, question.dtype):
            gains[here] = squares(columns @ start)
    return Known(gains, np.zeros(n, dtype=np.int32))


def _bring_up_to_date(part: Part, question: Question, known: Known, rows: Ints) -> None:
    """Take off the gains of these rows what was removed since they were last looked at."""
    for before in np.unique(known.removed[rows]):
        new = question.removed[:, before:].astype(question.dtype, copy=False)
        which = rows[known.removed[rows] == before]
        for here, _, columns in question.view.columns(part, question.dtype, which):
            known.gains[here] = np.maximum(known.gains[here] - squares(columns @ new), 0.0)
    known.removed[rows] = question.removed.shape[1]


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
    times: Floats = np.maximum(-np.log1p(-uniform), 2.0**-60)
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
    W = None if message.W is None else np.asarray(message.W, dtype=message.dtype, order="F")
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


def ends(part: Part, kernel: Kernel) -> tuple[tuple[float, int], tuple[float, int]]:
    """The lowest and the highest k(x, x), and the numbers of the rows that have them."""
    low, high = (np.inf, 0), (-np.inf, 0)
    for here in row_blocks(part.rows.shape[0], BLOCK):
        own = own_values(part, kernel, here, kernel.points(part.rows[here]))
        lowest, highest = int(np.argmin(own)), int(np.argmax(own))
        low = min(low, (float(own[lowest]), part.first + here.start + lowest))
        high = max(high, (float(own[highest]), part.first + here.start + highest))
    return low, high
