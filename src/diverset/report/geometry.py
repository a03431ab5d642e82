"""WHERE DO THE ITEMS LIE, AND WHICH PICK IS NEAREST? The numbers of the map and of "why this one".

# drawn       the rows that the map shows: all of them up to 50,000
# K           the kernel matrix of the drawn rows
# places      where the picks are among the drawn rows
# similarity  K_ij / sqrt(K_ii K_jj), 1 for items that are the same to the kernel
# F           features with F F^T = K_hat, the Nystrom approximation from a few landmarks
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints, spread
from ..kernels import KernelMatrix, Precomputed, kernel_matrix
from ..nystrom import Nystrom
from ..solvers import Auto
from ..threads import blas_for, narrow, row_blocks

POINTS = 50_000  # the map draws no more
EXACT = 4_000  # up to so many items the components are those of K itself, beyond of K_hat
LANDMARKS = 500
_NOTHING = 1e-12  # a share of the trace that is rounding


class Components(NamedTuple):
    """The drawing: two coordinates per item, and how much of the variance each carries."""

    coordinates: Floats
    shares: Floats
    spectrum: Floats  # leading eigenvalues of K as shares of its trace
    landmarks: int | None  # None: exact


class Likeness(NamedTuple):
    """How the picks stand to the items and to each other; picks are meant by their place in pick order."""

    nearest: Ints  # of every drawn item: the pick most like it
    similarity: Floats  # and how much
    coverage: Floats  # mean similarity to the nearest of the first j picks, for every j
    stands_for: Ints  # how many drawn items each pick is nearest to
    earlier: Ints  # of every pick: the earlier one most like it; -1 for the first
    earlier_similarity: Floats


def drawn_rows(n: int, wanted: Ints) -> Ints:
    """The rows that the map shows: all, or an even spread of them and the wanted ones."""
    if n <= POINTS:
        return np.arange(n, dtype=np.int64)
    return np.unique(np.concatenate([wanted, spread(n, max(POINTS - len(wanted), 0))]))


def matrix_of(X: Any, kernel: Any, rows: Ints) -> KernelMatrix:
    """The kernel matrix of these rows."""
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    every = len(rows) == X.shape[0]
    if isinstance(kernel, Precomputed):
        return kernel_matrix(X if every else X[rows][:, rows], kernel)
    return kernel_matrix(X if every else X[rows], kernel)


# --- the drawing ---------------------------------------------------------------------------


@narrow()
def components(K: KernelMatrix, places: Ints, count: int) -> Components:
    """Kernel principal components, and ``count`` leading eigenvalues of K."""
    if K.n > EXACT:
        return _from_landmarks(K, places, count)
    ones = np.ones((K.n, 1))
    trace = float(K.diagonal().sum())
    variance = trace - float((ones.T @ K.matmul(ones)).item()) / K.n
    if variance <= _NOTHING * trace:
        return Components(np.zeros((K.n, 2)), np.zeros(2), np.eye(1, count)[0], None)
    values, vectors = _leading_centred(K)
    solver: Any = Auto().choose(K, count)  # K is small enough for those that have `leading`
    spectrum = next(solver.leading(K, count))  # the first is exact enough for a drawing
    return Components(
        _signed(vectors * np.sqrt(np.maximum(values, 0.0))), values / variance, spectrum.values / trace, None
    )


def _leading_centred(K: KernelMatrix) -> tuple[Floats, Floats]:
    """The two leading eigenpairs of H K H, with H = I - 11^T / n."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    def product(v: Floats) -> Floats:
        v = v.reshape(K.n, -1)
        Kv = K.matmul(v - v.mean(axis=0))
        return np.asarray(Kv - Kv.mean(axis=0))

    if K.n > 64:
        operator = LinearOperator(K.shape, matvec=product, matmat=product, dtype=np.float64)
        try:
            values, vectors = eigsh(operator, k=2, which="LA", v0=np.cos(np.arange(K.n) + 1.0), tol=1e-7)
            return values[::-1], vectors[:, ::-1]
        except ArpackNoConvergence:
            pass
    centred = product(np.eye(K.n))
    values, vectors = np.linalg.eigh((centred + centred.T) / 2)
    pad = max(0, 2 - K.n)
    return np.pad(values[::-1], (0, pad))[:2], np.pad(vectors[:, ::-1], ((0, 0), (0, pad)))[:, :2]


def _from_landmarks(K: KernelMatrix, places: Ints, count: int) -> Components:
    """The same of K_hat = F F^T: through the small matrices F^T F and F^T H F."""
    landmarks = np.unique(np.concatenate([spread(K.n, LANDMARKS), places[:LANDMARKS]]))
    F = Nystrom(K, landmarks).columns()
    with blas_for(F.size * F.shape[1]):
        gram, mean = F.T @ F, F.mean(axis=0)
    trace = float(K.diagonal().sum())
    variance = trace - K.n * float(mean @ mean)
    values, turn = np.linalg.eigh(gram - K.n * np.outer(mean, mean))
    coordinates = _signed((F - mean) @ turn[:, :-3:-1])
    shares = np.maximum(values[:-3:-1], 0.0) / variance if variance > _NOTHING * trace else np.zeros(2)
    spectrum = np.asarray(np.linalg.eigvalsh(gram)[::-1][:count] / trace, dtype=np.float64)
    return Components(coordinates, shares, spectrum, len(landmarks))


def _signed(coordinates: Floats) -> Floats:
    """Eigenvectors have no sign of their own: the largest coordinate is positive."""
    largest = coordinates[np.abs(coordinates).argmax(axis=0), np.arange(2)]
    return coordinates * np.where(largest < 0, -1.0, 1.0)


# --- which pick is nearest -----------------------------------------------------------------


@narrow()
def likeness(K: KernelMatrix, places: Ints) -> Likeness:
    """Similarities between all drawn items and the picks, a block of rows at a time."""
    k, lengths = len(places), np.sqrt(np.maximum(K.diagonal(), 0.0))
    lengths[lengths == 0] = 1.0
    nearest: Ints = np.empty(K.n, dtype=np.int64)
    similarity, total = np.empty(K.n), np.zeros(k)
    for rows in row_blocks(K.n, max(1, 2**21 // k)):
        S = K.block(rows, places) / lengths[rows, None] / lengths[places]
        nearest[rows] = S.argmax(axis=1)
        similarity[rows] = S.max(axis=1)
        total += np.maximum.accumulate(S, axis=1).sum(axis=0)
    nearest[places[::-1]] = np.arange(k)[::-1]  # a pick stands for itself, also among its copies
    among = K.block(places, places) / lengths[places, None] / lengths[places]
    before: Bools = np.tri(k, k=-1, dtype=bool)
    among = np.where(before, among, -np.inf)
    earlier: Ints = among.argmax(axis=1)
    earlier[0] = -1
    return Likeness(
        nearest=nearest,
        similarity=similarity,
        coverage=total / K.n,
        stands_for=np.bincount(nearest, minlength=k),
        earlier=earlier,
        earlier_similarity=among.max(axis=1),
    )
