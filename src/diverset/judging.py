"""HOW GOOD ARE SEVERAL SETS OF PICKS? All of them over the same few looks at the pool.

# left    of an item: what the picks do not say of it, its entry on the diagonal of K - K_hat
# stands  of an item: max_c K_ic / sqrt(K_ii K_cc), how well its nearest pick stands for it
# S       (k, rank) with S S^T = K_CC^+, so that F = K_C S has F F^T = K_hat
# T       what Lanczos sees of an operator: tridiagonal
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .arrays import Floats, Ints
from .door import find_problem
from .kernels import KernelMatrix
from .methods import Problem
from .metrics import vendi_score
from .nystrom import checked_indices, inverse_root
from .rounds import tasks
from .rounds.parts import Part, tidy
from .threads import narrow

_STEPS = 100
_CLOSE = 1e-4  # the residual at which an eigenvalue is taken, relative to it


class Judged(NamedTuple):
    """Of one set: see `diverset.Compared`."""

    operator: float | None
    max: float
    trace: float
    vendi: float
    coverage: float


def judge(problem: Problem, sets: Sequence[Ints]) -> list[Judged]:
    """The numbers of each set. The operator norm is None where products with K cannot be had."""
    views = [_view(problem, picks) for picks in sets]
    operators: list[float] | list[None] = [None] * len(sets)
    if products(problem, sets):
        operators = _operators(problem.K, sets, [view.S for view, _ in views])
    judged = []
    for (view, vendi), operator in zip(views, operators, strict=True):
        trace, most, coverage = _looked(problem, view)
        judged.append(Judged(operator, most, trace, vendi, coverage))
    return judged


def products(problem: Problem, sets: Sequence[Ints]) -> bool:
    """Whether a few dozen products with K - K_hat can be afforded."""
    K = problem.matrix
    wide = sum(8 * problem.n * len(picks) for picks in sets)
    return K is not None and (K.fits or (K.has_factor and wide <= problem.memory))


# --- one look at every item -----------------------------------------------------------------


class View(NamedTuple):
    """The picks, as every part of the pool needs them."""

    picks: tasks.View
    roots: Floats  # of their diagonal
    S: Floats


def _view(problem: Problem, picks: Ints, eps: float | None = None) -> tuple[View, float]:
    pool = problem.rounds
    fetched = pool.fetch(picks)
    K_CC = pool.among(fetched)
    roots = _roots(np.diagonal(K_CC))
    marks = tasks.View(pool.kernel, fetched.rows, fetched.weights)
    view = View(marks, roots, inverse_root(K_CC, eps))
    return view, vendi_score(K_CC)


class Looked(NamedTuple):
    """Of one set: trace and largest entry of K - K_hat relative to those of K, and the coverage."""

    trace: float
    max: float
    coverage: float


def _looked(problem: Problem, view: View) -> Looked:
    """One pass. Both matrices are positive semi-definite: their largest entries stand on the diagonal."""
    pool = problem.rounds
    along = None if pool.quality is None else (pool.quality,)
    answers = np.array(list(pool.parts.ask(_stand, view, along)))
    left, whole, stands = answers[:, :3].sum(axis=0)
    most_left, most = answers[:, 3:].max(axis=0)
    return Looked(float(left / whole), float(most_left / most), float(stands / problem.n))


def _stand(part: Part, view: View) -> tuple[float, ...]:
    sums, largest = np.zeros(3), np.zeros(2)
    for here, points, K_C in view.picks.columns(part):
        diagonal = tasks.own_values(part, view.picks.kernel, here, points)
        F = K_C @ view.S
        left = np.maximum(diagonal - np.einsum("ij,ij->i", F, F), 0.0)  # below zero by rounding only
        stands = (K_C / view.roots).max(axis=1) / _roots(diagonal)
        sums += left.sum(), diagonal.sum(), stands.sum()
        largest = np.maximum(largest, [left.max(), diagonal.max()])
    return *sums.tolist(), *largest.tolist()


def _roots(diagonal: Floats) -> Floats:
    return np.sqrt(np.where(diagonal > 0, diagonal, 1.0))


@narrow()
@tidy()
def looked_in_parts(X: Any, indices: Any, kernel: Any, eps: float | None, memory: int) -> Looked:
    """The same of picks from rows that stay where they are."""
    _, problem = find_problem(X, 1, kernel=kernel, memory=memory)
    view, _ = _view(problem, checked_indices(indices, problem.n), eps)
    return _looked(problem, view)


# --- operator norms, all in step --------------------------------------------------------------


def _operators(K: KernelMatrix, sets: Sequence[Ints], roots: Sequence[Floats]) -> list[float]:
    """||K - K_hat|| / ||K|| of every set: one product with K serves all of them."""
    factors = [K.columns(picks) @ S for picks, S in zip(sets, roots, strict=True)]

    def product(V: Floats) -> Floats:
        W = np.array(K.matmul(V))
        for at, F in enumerate(factors):
            W[:, at] -= F @ (F.T @ V[:, at])
        return W

    *left, whole = largest_eigenvalues(product, K.n, len(sets) + 1)
    return [float(norm / whole) for norm in left]


def largest_eigenvalues(product: Callable[[Floats], Floats], n: int, m: int) -> Floats:
    """The largest eigenvalue of each of m positive semi-definite operators, by Lanczos, all in step.

    ``product`` maps the columns of an (n, m) array each by its own operator. The start is fixed.
    """
    V = np.repeat(np.cos(np.arange(n) + 1.0)[:, None], m, axis=1)
    V /= np.linalg.norm(V, axis=0)
    steps = min(n, _STEPS)
    top: Floats = np.zeros(m)
    T = np.zeros((m, steps, steps))
    basis: list[Floats] = []
    for step in range(steps):
        basis.append(V)
        W = product(V)
        T[:, step, step] = np.einsum("nm,nm->m", V, W)
        for Q in basis * 2:  # twice is enough for orthogonality to rounding
            W = W - Q * np.einsum("nm,nm->m", Q, W)
        values, vectors = np.linalg.eigh(T[:, : step + 1, : step + 1])
        top, beta = np.maximum(values[:, -1], 0.0), np.linalg.norm(W, axis=0)
        if step + 1 == steps or (beta * np.abs(vectors[:, -1, -1]) <= _CLOSE * top).all():
            break
        alive = beta > 1e-14 * top.max()  # an operator whose space is exhausted goes on with zeros
        V = np.where(alive, W / np.where(alive, beta, 1.0), 0.0)
        T[:, step, step + 1] = T[:, step + 1, step] = np.where(alive, beta, 0.0)
    return top
