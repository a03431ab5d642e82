"""WHICH DIRECTIONS? The k leading eigenvectors of K, and how far they can be trusted.

# values   leading eigenvalues, largest first; one or more beyond the cut when they are known
# V        (n, k) leading eigenvectors, orthonormal columns
# W        eigenvectors just beyond the cut: what V mixes with when it is not exact
# noise    per row, how far V may be from the exact eigenvectors, up to a rotation among the k;
#          weighted: the same of V L^(1/2) and V L, with L the eigenvalues
# beyond   an upper bound on the eigenvalues that the solver has not seen (mu below)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from .arrays import EPS, Floats, Rows, is_sparse, signs, spread
from .kernels import KernelMatrix
from .messages import whole
from .threads import blas_for, each, row_blocks

# a field that every solver has: why it was taken
WHY: Any = field(default="asked for", repr=False, compare=False)
NEAR = 20  # how many eigenvectors beyond the cut are kept to measure how V mixes with them


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Leading eigenpairs of K, cut at the numerical rank if that is below k."""

    values: Floats
    vectors: Floats
    noise: Floats
    weighted_noise: Floats
    gap: float
    rank: int | None
    products: int

    @property
    def k(self) -> int:
        return int(self.vectors.shape[1])


class Solver(Protocol):
    """Anything that finds leading eigenvectors, better and better."""

    def leading(self, K: KernelMatrix, k: int) -> Iterator[Spectrum]: ...


def row_noise(
    V: Floats,
    values: Floats,
    W: Floats,
    residual: Floats,
    beyond: float,
    level: float,
    n: int | None = None,
) -> Floats:
    """How far the rows of V, V L^(1/2) and V L may be from the exact ones (Davis and Kahan, by rows).

    V and W may be some of the n rows.

    A direction z outside of all that the solver has seen has an eigenvalue of at most `beyond`, so
    v_a lacks at most r_a / (theta_a - beyond) of it. Through these directions, and through rounding
    of relative size `level`, v_a mixes with w_b by (r_a . r_b / (theta_a - beyond) + level theta_1) /
    (theta_a - theta_b).
    """
    k, near = V.shape[1], W.shape[1]
    theta, after = values[:k], values[k : k + near]
    # an error of norm level theta_1, without a preferred direction: a small part of it is between two vectors
    rounding = level * theta[0] * min(1.0, 8 / np.sqrt(n or len(V)))
    outside = residual[:, :k] / (theta - beyond)
    shared = np.abs(outside.T @ residual[:, k : k + near])
    mixing = (shared + rounding) / (theta[:, None] - after)
    # the rest of the space, where the gaps are at least as large as to the last one that is known
    rest = rounding / (theta - after[-1]) if near else np.zeros(k)
    elsewhere = np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", V, V), 0))
    weights = np.stack([np.ones(k), theta, theta**2])
    noise: Floats = np.sqrt(weights @ (outside**2).T)
    noise += np.sqrt((weights @ mixing**2) @ (W**2).T)
    noise += np.sqrt(weights @ rest**2)[:, None] * elsewhere
    return noise


def cut_spectrum(
    values: Floats,
    vectors: Floats,
    residual: Floats,
    *,
    k: int,
    beyond: float,
    level: float,
    products: int,
    n: int | None = None,
    floor: float | None = None,
) -> Spectrum:
    """The leading Ritz pairs as a Spectrum, cut at k or at the numerical rank.

    The vectors may be given on some of the n rows only. ``floor``: the share of the largest eigenvalue
    from which on they are rounding.
    """
    rows, n = len(vectors), n or len(vectors)
    floor = 8 * n * EPS if floor is None else floor
    rank = int(np.sum(values[:k] > floor * max(values[0], 0.0)))
    cut = max(rank, 1)
    theta, after = values[cut - 1], max(values[cut], 0.0) if len(values) > cut else 0.0
    gap = float((theta - after) / theta) if theta > 0 else 0.0
    if cut == n:
        noise = np.zeros((3, rows))  # all of the space: no direction is left to mix with
    elif gap <= 0 or beyond >= theta:
        # nothing is known: two rows of length at most one
        noise = np.outer(2 * values[0] ** np.array([0.0, 0.5, 1.0]), np.ones(rows))
    else:
        near = slice(cut, cut + NEAR)
        noise = row_noise(vectors[:, :cut], values, vectors[:, near], residual, beyond, level, n)
    return Spectrum(
        values=values[: cut + 1],
        vectors=np.ascontiguousarray(vectors[:, :cut]),
        noise=noise[0],
        weighted_noise=noise[1:],
        gap=gap,
        rank=rank if rank < k else None,
        products=products,
    )


def _level(K: KernelMatrix) -> float:
    """Rounding in K and in an eigensolver, relative to the largest eigenvalue."""
    return 4 * EPS + K.entry_noise


@dataclass(frozen=True)
class Dense:
    """LAPACK on the formed matrix: exact, n^3 work; the default for small pools.

    A kernel with few columns (Linear, Cosine) is taken through its factor instead: n d^2 work.
    """

    why: str = WHY

    def leading(self, K: KernelMatrix, k: int) -> Iterator[Spectrum]:
        """One Spectrum of the k leading eigenpairs."""
        F = K.factor()
        if F is not None:
            values, vectors = _from_factor(F)
        else:
            values, vectors = _eigh(K.dense(), min(K.n, k + NEAR))
        values, vectors = values[: k + NEAR], vectors[:, : k + NEAR]
        residual = np.zeros_like(vectors)
        yield cut_spectrum(values, vectors, residual, k=k, beyond=0.0, level=_level(K), products=0)

    def full(self, K: KernelMatrix) -> tuple[Floats, Floats]:
        """All eigenpairs, largest first, without those that are zero but for rounding."""
        F = K.factor()
        values, vectors = _from_factor(F) if F is not None else _eigh(K.dense(), K.n)
        positive = values > 0
        return values[positive], np.ascontiguousarray(vectors[:, positive])


def _eigh(K: Floats, count: int) -> tuple[Floats, Floats]:
    from scipy.linalg import eigh

    n = len(K)
    # the tridiagonal reduction is bound by memory: a second thread only pays for large matrices
    with blas_for(n**3 // 256):
        if count == n:
            values, vectors = np.linalg.eigh(K)
        else:
            values, vectors = eigh(K, subset_by_index=(n - count, n - 1), driver="evr", check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _from_factor(F: Rows) -> tuple[Floats, Floats]:
    """Eigenpairs of F F^T from the singular vectors of F."""
    from scipy.linalg import svd

    rows = F.toarray() if is_sparse(F) else F
    U, singular, _ = svd(rows, full_matrices=False, check_finite=False)
    return singular**2, U


@dataclass(frozen=True)
class BlockKrylov:
    """Products with K only: a Krylov space from a fixed start, Rayleigh and Ritz in it.

    It hands out its eigenvectors whenever they may be good enough, with their noise, so that the
    selection can stop it as soon as the picks are certain. Equivalent to `Dense` at far less work
    for k << n; n^2 (k + block) operations per product, and K need not be formed.
    """

    block: int | None = None
    max_products: int = 12
    why: str = WHY

    def __post_init__(self) -> None:
        for name in ("block", "max_products"):
            value = getattr(self, name)
            if value is not None and whole(name, value) < 1:
                raise ValueError(f"BlockKrylov wants {name} >= 1, got {name}={value}.")

    def width(self, n: int, k: int) -> int:
        """Columns of the first product: some more than are wanted."""
        return min(n, self.block if self.block is not None else k + max(NEAR, k // 3))

    def leading(self, K: KernelMatrix, k: int) -> Iterator[Spectrum]:
        """Better and better Spectra; the last one is converged to rounding, or all there is."""
        n, level = K.n, _level(K)
        space = _Space(K)
        block = space.orthonormal(_start(K, k, self.width(n, k)))
        for products in range(1, self.max_products + 1):
            space.extend(block)
            K.refuse_negative(space.lowest())
            values, vectors, residual = space.ritz(k + NEAR)
            lengths = np.sqrt(np.einsum("ij,ij->j", residual, residual))
            last = products == self.max_products or space.size == n
            last = last or bool(lengths[:k].max() <= level * values[0] / 2)
            beyond = space.unseen(values[min(k, len(values) - 1)])
            found = cut_spectrum(
                values, vectors, residual, k=k, beyond=beyond, level=level, products=products
            )
            if last or np.median(found.noise) < _COARSE * np.sqrt(found.k / n):
                yield found
            if last:
                return
            # Only what is still wrong is taken further: leading vectors converge long before the cut.
            wrong = lengths / np.maximum(np.abs(values), level * values[0])
            worst = wrong >= np.partition(wrong, -min(_LEAST, len(wrong)))[-min(_LEAST, len(wrong))]
            needy = worst | (wrong > 1e-3 * wrong[:k].max())
            block = space.orthonormal(residual[:, needy])[:, : n - space.size]


_LEAST = 10  # columns of a product at least
_COARSE = 1e-2  # noise of this share of a typical row's length cannot certify anything yet


def _start(K: KernelMatrix, k: int, width: int) -> Floats:
    """Where the Krylov space starts: the smooth directions guessed, the others by signs.

    The eigenvectors of a small block of K, extended to all items by one product with its
    columns, are nearly right for smooth directions and save a product with all of K. They are
    blind to items far from all others, so the rest of the columns are fixed signs, which have a
    part in every direction.
    """
    n = K.n
    few = spread(n, min(n, starting(k)))
    blind = signs(n, width)
    if len(few) == n or width <= k:
        return blind
    _, vectors = _eigh(K.block(few, few), min(k, len(few)))
    guess = _combined([K.columns(few)], vectors)
    squares = np.einsum("ij,ij->j", guess, guess)
    guess *= np.sqrt(n / np.where(squares > 0, squares, 1.0))  # zero where the few items have no quality
    return np.hstack([guess, blind[:, : width - guess.shape[1]]])


def starting(k: int) -> int:
    """Columns of K that the space starts from."""
    return max(300, 5 * k)


class _Space:
    """The space so far, in blocks of orthonormal columns: Q, K Q, and T = Q^T K Q.

    The blocks are never joined: copying them would cost as much as the products with them.
    """

    def __init__(self, K: KernelMatrix) -> None:
        self.K = K
        self._Q: list[Floats] = []
        self._KQ: list[Floats] = []
        self._T = np.empty((0, 0))
        self._trace = float(K.diagonal().sum())

    @property
    def size(self) -> int:
        return len(self._T)

    def orthonormal(self, Z: Floats) -> Floats:
        """Z made orthonormal to the space and in itself.

        A round that takes little away leaves only rounding behind; after one that does not, another follows.
        """
        Z = _orthonormal_columns(Z)
        for _ in range(3):
            if self._Q:
                Z = _combined(self._Q, self._shares(Z), from_=Z)
            shortest = float(np.einsum("ij,ij->j", Z, Z).min())
            Z = _orthonormal_columns(Z)
            if shortest > 0.5:
                break
        return np.ascontiguousarray(Z)  # BLAS is nearly twice as fast on rows

    def extend(self, block: Floats) -> None:
        """One product with K, for these new orthonormal columns."""
        product = self.K.matmul(block)
        self._Q.append(block)
        self._KQ.append(product)
        corner = self._shares(product)
        self._T = np.block([[self._T, corner[: -block.shape[1]]], [corner.T]])

    def ritz(self, count: int) -> tuple[Floats, Floats, Floats]:
        """Leading Ritz values and vectors, and their residuals K v - theta v."""
        values, U = _eigh(self._T, min(count, self.size))
        vectors = _combined(self._Q, U)
        residual = _combined([*self._KQ, vectors], np.vstack([U, -np.diag(values)]))
        return values, vectors, residual

    def lowest(self) -> float:
        """The lowest Ritz value: K has an eigenvalue that is no larger."""
        from scipy.linalg import eigh

        return float(eigh(self._T, eigvals_only=True, subset_by_index=(0, 0), check_finite=False)[0])

    def unseen(self, after: float) -> float:
        """A bound on the eigenvalues of K outside of the space.

        The Frobenius norm and the trace of what is left of K are true bounds. While both are useless,
        take the eigenvalue after the cut: with signs in the start, no direction stays unseen for long.
        """
        if self.size == self.K.n:
            return 0.0
        total = self.K.frobenius2()
        seen = 2 * sum(float(np.vdot(KQ, KQ)) for KQ in self._KQ) - float(np.vdot(self._T, self._T))
        left2 = max(total - seen, 8 * EPS * total)
        left1 = max(self._trace - float(np.trace(self._T)), 8 * EPS * self._trace)
        return min(float(np.sqrt(left2)), left1, max(after, 0.0))

    def _shares(self, Z: Floats) -> Floats:
        return _inner(self._Q, Z)


# Row blocks on our own threads, here and below. NumPy and SciPy each bring a BLAS with threads that wait by
# spinning: with small products of the one between those of the other, they take the cores from each other.
_ROWS = 1024


def _inner(blocks: list[Floats], Z: Floats) -> Floats:
    """Blocks of columns, one below the other, times Z; summed in the order of the rows."""
    parts: dict[int, Floats] = {}

    def multiply(rows: slice) -> None:
        parts[rows.start] = np.vstack([block[rows].T @ Z[rows] for block in blocks])

    each(multiply, row_blocks(len(Z), _ROWS))
    total: Floats = np.zeros_like(parts[0])
    for start in sorted(parts):
        total += parts[start]
    return total


def _combined(blocks: list[Floats], U: Floats, from_: Floats | None = None) -> Floats:
    """Of these blocks of columns side by side, the combinations U (or what they leave of others).

    By row blocks: fresh memory is dear, and the products of a row block need next to none.
    """
    n = len(blocks[0])
    out = np.zeros((n, U.shape[1])) if from_ is None else np.array(from_, order="C")
    sign = 1 if from_ is None else -1
    edges = np.cumsum([0, *(block.shape[1] for block in blocks)])
    parts = [sign * U[start:stop] for start, stop in pairwise(edges)]

    def combine(rows: slice) -> None:
        for block, part in zip(blocks, parts, strict=True):
            out[rows] += block[rows] @ part

    each(combine, row_blocks(n, _ROWS))
    return out


def _orthonormal_columns(Z: Floats) -> Floats:
    """Orthonormal columns with the span of Z, by Cholesky where Z allows it, else by QR."""
    from scipy.linalg import LinAlgError, cholesky, solve_triangular

    gram = _inner([Z], Z)
    lengths = np.sqrt(np.diagonal(gram))
    lengths = np.where(lengths > 0, lengths, 1.0)
    try:
        R = cholesky(gram / lengths / lengths[:, None], check_finite=False)
        # above this, the loss of orthogonality is below 1e-6 and goes in the second round
        if np.diagonal(R).min() > 1e-5:
            R *= lengths
            out = np.empty(Z.shape)

            def solve(rows: slice) -> None:
                out[rows] = solve_triangular(R, Z[rows].T, trans="T", check_finite=False).T

            each(solve, row_blocks(len(Z), _ROWS))
            return out
    except LinAlgError:
        pass
    return np.linalg.qr(Z / lengths)[0]
