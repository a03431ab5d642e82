"""The outer doors: names become objects, X becomes items, and what a method found a Selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from .arrays import Bools, Floats, Ints, spread
from .choice import Choice, plan_choice
from .items import Items, read_items
from .kernels import MEMORY, Gaussian, Kernel, KernelMatrix, Precomputed, as_kernel, kernel_matrix
from .kernels.distance import MEDIAN_ROWS
from .kernels.matrix import checked_quality
from .messages import checked_k, checked_memory, nearest, whole
from .methods import METHODS, Method, Outcome, Problem
from .metrics import log_det
from .rounds.parts import LocalParts, Parts, tidy
from .rounds.pool import Progress, RoundPool, quiet
from .rounds.tasks import ends
from .selection import Selection, Stop
from .solvers import Solver
from .sources import find_items
from .threads import narrow

if TYPE_CHECKING:
    from .sampling import RandomMethod

LARGEST = 1e150  # of the values in K: the square of a larger one is infinite


@narrow()
@tidy()
def select(
    X: Any,
    k: int,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    method: str | Method = "deterministic-kdpp",
    solver: str | Solver = "auto",
    include: Any = (),
    exclude: Any = (),
    groups: Any = None,
    quota: Any = None,
    quality: Any = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
    client: Any = None,
) -> Selection:
    """The k most diverse rows of X, the same ones every time.

    ``X``        an array, a frame, a sparse matrix; a memory map, the path of a .npy or Parquet file, or a
                 Dask collection, whose rows then stay where they are
    ``kernel``   what makes two rows alike; default Gaussian() with the median bandwidth
    ``method``   a name or an object: "deterministic-kdpp" (default) for items that differ most from each
                 other, "derandomized" for items that stand best for all; see `diverset.METHODS`
    ``solver``   where eigenvectors come from: "auto", "dense", "block-krylov", "low-rank", or an object
    ``include``  rows to start from; they count among the k, and come first
    ``exclude``  rows that may not be picked
    ``groups``   a label per row; with ``quota``, at most so many per group (a number, or a dict by label)
    ``quality``  a weight per row, >= 0: rows with more of it are preferred (L = q K q)
    ``memory``   bytes that the work may take beside X (4 GiB): "auto" takes the most exact solver that keeps
                 to them, a low-rank factor for large pools, and K is computed in blocks where it does not
                 fit. The least that a factor takes is about 150 MB, and 28 bytes a row
    ``progress`` a function that is told the stage, how much of it is done, and out of how much
    ``client``   the Dask client for Dask collections, if it is not the current one

    >>> import diverset as dv
    >>> picks = dv.select([[0.0], [0.1], [5.0], [9.0]], 3)
    >>> list(picks), picks.certified
    ([3, 2, 0], True)
    """
    chosen = resolve_method(method)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of (stage, done, of), got {progress!r}.")
    items, problem = find_problem(
        X,
        k,
        kernel=kernel,
        solver=solver,
        quality=quality,
        memory=memory,
        progress=progress or quiet,
        client=client,
        include=include,
        exclude=exclude,
        groups=groups,
        quota=quota,
    )
    picks, made = solve(items, problem, chosen)
    if made < picks.k:
        warnings.warn(rank_reached(made, picks.k), stacklevel=4)  # behind the frames of `narrow` and `tidy`
    return picks


def solve(items: Items | Parts, problem: Problem, method: Method) -> tuple[Selection, int]:
    """What a method picks, and how many of the picks add anything new."""
    nothing = Outcome([], np.empty(0, dtype=bool))
    outcome = method.select(problem) if anything(problem) else nothing
    return _selection(outcome, items, problem, method), len(outcome.decisions)


def find_problem(
    X: Any,
    k: int,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    solver: str | Solver = "auto",
    quality: Any = None,
    memory: int = MEMORY,
    progress: Progress = quiet,
    client: Any = None,
    **rules: Any,
) -> tuple[Items | Parts, Problem]:
    """The items behind X, and what is to be selected from them."""
    memory = int(checked_memory(memory))
    items = find_items(X, memory, client)
    n = items.n if isinstance(items, Items) else int(items.sizes.sum())
    choice = plan_choice(n, checked_k(k, n), **rules)
    return items, make_problem(items, choice, kernel, solver, quality, memory, progress)


def make_problem(
    items: Items | Parts,
    choice: Choice,
    kernel: Kernel | Callable[[Any, Any], Any] | None,
    solver: str | Solver,
    quality: Any,
    memory: int,
    progress: Progress,
) -> Problem:
    """What is to be selected from, for a method."""
    if isinstance(items, Items):
        K = kernel_matrix(items, kernel, memory=memory, quality=quality)

        def in_rounds() -> RoundPool:
            given = isinstance(K.kernel, Precomputed)
            rows = np.arange(items.n)[:, None] if given else items.values
            return RoundPool(
                LocalParts(rows), K.row_kernel(), quality=K.quality, memory=memory, progress=progress
            )

        return Problem(K, choice, solver, in_rounds, memory)
    chosen = as_kernel(kernel if kernel is not None else Gaussian())
    if isinstance(chosen, Precomputed):
        raise TypeError("Precomputed() wants the matrix in memory. Type X=np.asarray(X).")
    chosen = chosen.resolve(items.rows(np.sort(spread(choice.n, MEDIAN_ROWS))))
    weights = None if quality is None else checked_quality(quality, choice.n)
    pool = RoundPool(items, chosen, quality=weights, memory=memory, progress=progress)

    def loaded() -> KernelMatrix | None:
        """Rows of files come into memory where there is room for them, and the method or solver wants it."""
        if not isinstance(items, LocalParts) or 8 * choice.n * items.columns > memory:
            return None
        return kernel_matrix(items.all(), chosen, memory=memory, quality=weights)

    return Problem(None, choice, solver, lambda: pool, memory, loaded)


@overload
def sample(
    X: Any,
    k: int | None = None,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    method: str | RandomMethod = "kdpp",
    rng: object = None,
    draws: Literal[1] = 1,
    quality: Any = None,
    memory: int = MEMORY,
) -> Selection: ...
@overload
def sample(
    X: Any,
    k: int | None = None,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    method: str | RandomMethod = "kdpp",
    rng: object = None,
    draws: int,
    quality: Any = None,
    memory: int = MEMORY,
) -> Selection | list[Selection]: ...
@narrow()
def sample(
    X: Any,
    k: int | None = None,
    *,
    kernel: Kernel | Callable[[Any, Any], Any] | None = None,
    method: str | RandomMethod = "kdpp",
    rng: object = None,
    draws: int = 1,
    quality: Any = None,
    memory: int = MEMORY,
) -> Selection | list[Selection]:
    """Diverse rows of X by chance: one Selection, or a list of them for ``draws`` > 1.

    ``method``  "kdpp" (default; exactly k items), "dpp" (any number, no k), "rpcholesky" (fast, large
                pools), "mcmc-kdpp", "leverage-sampling", "ridge-leverage-sampling", "uniform", or an object
    ``rng``     a seed or a numpy Generator; None gives other picks every time
    ``draws``   how many; what needs no chance (the eigenvalues) is done once for all of them

    >>> import diverset as dv
    >>> picks = dv.sample([[0.0], [0.1], [5.0], [9.0]], 2, rng=0)
    >>> len(picks), picks.stop
    (2, Stop.DRAWN)
    """
    from .sampling import generator

    items = read_items(X)
    count = None if k is None else checked_k(k, items.n)
    times = whole("draws", draws)
    if times < 1:
        raise ValueError(f"draws must be at least 1, got draws={times}.")
    chosen = random_method(method)
    random = generator(rng)
    K = kernel_matrix(items, kernel, memory=memory, quality=quality)
    _diagonal(K)
    sampler = chosen.prepare(K, count)
    drawn = [drawn_picks(sampler.draw(random, left), items, K, chosen) for left in reversed(range(times))]
    return drawn[0] if times == 1 else drawn


def random_method(method: str | RandomMethod) -> RandomMethod:
    """The random method object behind a name."""
    from .sampling import SAMPLERS

    if isinstance(method, str):
        if method in METHODS:
            raise ValueError(f"{method!r} leaves nothing to chance. Type dv.select(X, k, method={method!r}).")
        if method not in SAMPLERS:
            raise ValueError(nearest("method", method, SAMPLERS))
        return SAMPLERS[method]()
    if isinstance(method, type) or not hasattr(method, "prepare"):
        raise TypeError(f"method must be a name or a method object such as KDPP(), got {method!r}.")
    return method


def drawn_picks(picks: Ints, items: Items, K: KernelMatrix, method: RandomMethod) -> Selection:
    """The Selection of items drawn at random."""
    nothing = np.full(len(picks), np.nan)
    return Selection(
        indices=picks,
        gains=nothing,
        margins=nothing,
        decided=np.zeros(len(picks), dtype=bool),
        stop=Stop.DRAWN,
        log_det=log_det(K.block(picks, picks)),
        kernel=K.kernel,
        method=method,
        labels=_labels(items, picks),
        n=items.n,
    )


def _labels(items: Items, picks: Ints) -> Any:
    return None if items.labels is None else items.labels[picks]


def anything(problem: Problem) -> bool:
    """Whether some item is not zero to the kernel."""
    if problem.matrix is not None:
        return bool(_diagonal(problem.matrix).any())
    low, high = zip(*problem.rounds.ask(ends, problem.kernel), strict=True)
    _refuse_ends(problem.kernel, min(low), max(high))
    return bool(max(high)[0] > 0)


def _diagonal(K: KernelMatrix) -> Floats:
    diagonal = K.diagonal()
    lowest, highest = int(np.argmin(diagonal)), int(np.argmax(diagonal))
    _refuse_ends(K.kernel, (float(diagonal[lowest]), lowest), (float(diagonal[highest]), highest))
    return diagonal


def _refuse_ends(kernel: Kernel, lowest: tuple[float, int], highest: tuple[float, int]) -> None:
    """A sentence about values k(x, x) that no kernel has, or whose squares overflow."""
    if highest[0] > LARGEST:
        raise ValueError(
            f"{kernel!r} gives row {highest[1]} the value {highest[0]:.3g} with itself: squares of such "
            "values overflow. Type X / np.abs(X).max()."
        )
    if lowest[0] < 0:
        raise ValueError(
            f"{kernel!r} gives row {lowest[1]} the value {lowest[0]:.3g} with itself, wanted k(x, x) >= 0: "
            "it is not positive semi-definite. Type kernel=Gaussian(), or change its settings."
        )


def resolve_method(method: str | Method) -> Method:
    """The method object behind a name."""
    if isinstance(method, str):
        if method not in METHODS:
            raise ValueError(_unknown(method))
        return METHODS[method]()
    if isinstance(method, type) or not hasattr(method, "select"):
        raise TypeError(f"method must be a name or a method object such as GreedyMAP(), got {method!r}.")
    return method


def _unknown(method: str) -> str:
    from .sampling import SAMPLERS

    if method in SAMPLERS:
        return f"{method!r} draws at random. Type dv.sample(X, k, method={method!r}, rng=0)."
    return nearest("method", method, METHODS)


def _selection(outcome: Outcome, items: Items | Parts, problem: Problem, method: Method) -> Selection:
    made, choice = len(outcome.decisions), problem.choice
    missing = choice.k - made
    picks = np.concatenate([outcome.picks, _filled(outcome.picks, choice)]) if missing else outcome.picks
    past: Floats = np.zeros(missing)
    # after a pick that the noise could have changed, all that follow depend on it
    clear: Bools = np.concatenate([outcome.clear, np.zeros(missing, dtype=bool)])
    return Selection(
        indices=picks,
        gains=np.concatenate([[d.gain for d in outcome.decisions], past]),
        margins=np.concatenate([[d.margin for d in outcome.decisions], past]),
        decided=np.logical_and.accumulate(clear),
        stop=Stop.RANK if missing else Stop.COMPLETE,
        log_det=log_det(problem.K_CC(picks)),
        kernel=problem.kernel,
        method=method,
        solver=outcome.solver,
        gap=outcome.gap,
        missed=outcome.missed,
        labels=_labels(items, picks) if isinstance(items, Items) else items.labels(picks),
        n=choice.n,
    )


def rank_reached(made: int, k: int) -> str:
    """The sentence for a k beyond the numerical rank."""
    advice = f"Type k={made}, or a smaller bandwidth." if made else "All items look the same to this kernel."
    return (
        f"Only {made} of k={k} items add anything new: the numerical rank is reached. The other "
        f"{k - made} are the lowest row numbers allowed. {advice}"
    )


def _filled(picks: Ints, choice: Choice) -> Ints:
    """The lowest row numbers that are still allowed."""
    openings = choice.start()
    for pick in picks:
        openings.take(int(pick))
    filled: list[int] = []
    while len(picks) + len(filled) < choice.k:
        filled.append(int(np.argmax(openings.open)))
        openings.take(filled[-1])
    return np.array(filled, dtype=np.int64)
