"""Rounds, bytes and seconds on a cluster of this machine, and what they say about a larger one.

# trip    a round, or a fetch of rows
# pieces  partitions of the pool
# busy    processor seconds of all workers together, in tasks of ours
# wait    what else a trip takes: fixed + per piece + per megabyte, fitted to all trips
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import say
from diverset import METHODS, Gaussian
from diverset.arrays import Floats, Ints
from diverset.choice import plan_choice
from diverset.distributed import DaskParts
from diverset.door import make_problem, solve
from diverset.kernels import MEMORY
from diverset.rounds.engine import _PANEL
from diverset.rounds.parts import Part, Task, tidy
from diverset.rounds.pool import quiet
from diverset.sources import checked
from diverset.threads import cores, narrow

K, D, KERNEL, METHOD = 100, 8, Gaussian(5.0), "deterministic-kdpp"
WORKERS = (1, 2, 4)
POOLS = ((50_000, 8), (50_000, 64), (200_000, 16))  # rows, pieces
SMOKE_POOLS = ((20_000, 4), (20_000, 16), (40_000, 4))
REPEATS = 3
FAR = (10**9, 100, 1000)  # rows, workers, pieces of the cluster on paper


class Trip(NamedTuple):
    """One question to the cluster."""

    name: str
    seconds: float
    busy: float
    pieces: int
    sent: int
    received: int

    @property
    def megabytes(self) -> float:
        return (self.sent + self.received) / 1e6


class Run(NamedTuple):
    """One selection."""

    workers: int
    rows: int
    pieces: int
    seconds: float
    landmarks: int
    trips: tuple[Trip, ...]

    @property
    def busy(self) -> float:
        return sum(trip.busy for trip in self.trips)

    @property
    def driver(self) -> float:
        """Seconds between the trips."""
        return self.seconds - sum(trip.seconds for trip in self.trips)

    @property
    def rounds(self) -> int:
        return sum(trip.name != "rows" for trip in self.trips)

    @property
    def side_by_side(self) -> int:
        """Workers that really compute at the same time."""
        return min(self.workers, cores())


class Clocked(NamedTuple):
    """An answer, and the processor seconds that it took."""

    found: Any
    busy: float

    def __add__(self, other: Any) -> Clocked:  # a sum, not a longer tuple
        return Clocked(self.found + other.found, self.busy + other.busy)


class Clock:
    """A task that reports how long it took."""

    def __init__(self, task: Task) -> None:
        self._task, self.__name__ = task, task.__name__

    def __call__(self, part: Part, message: Any) -> Clocked:
        start = time.thread_time()
        found = self._task(part, message)
        return Clocked(found, time.thread_time() - start)


class Watched(DaskParts):
    """The same parts under a clock."""

    def __init__(self, X: Any, client: Any) -> None:
        self.watched: list[Trip] = []
        super().__init__(X, client)

    def ask(self, task: Task, message: Any, along: Any = None) -> Iterator[Any]:
        start = time.perf_counter()
        answers = list(super().ask(Clock(task), message, along))
        self._note(start, len(self.sizes), sum(answer.busy for answer in answers))
        return iter([answer.found for answer in answers])

    def total(self, task: Task, message: Any, along: Any = None, at_once: int | None = None) -> Any:
        start = time.perf_counter()
        answer = super().total(Clock(task), message, along, at_once)
        self._note(start, len(self.sizes), answer.busy)
        return answer.found

    def rows(self, numbers: Ints) -> Floats:
        start, before = time.perf_counter(), len(self.trips)
        found = super().rows(numbers)
        if len(self.trips) > before:
            firsts = np.cumsum(self.sizes)
            self._note(start, len(np.unique(np.searchsorted(firsts, numbers, side="right"))), 0.0)
        return found

    def _note(self, start: float, pieces: int, busy: float) -> None:
        name, sent, received = self.trips[-1]
        self.watched.append(Trip(name, time.perf_counter() - start, busy, pieces, sent, received))


@narrow()
@tidy()
def selection(rows: int, pieces: int, workers: int, client: Any) -> Run:
    """Normal rows, made on the workers and held there before the clock starts."""
    import dask.array as da

    X = da.random.default_rng(7).normal(size=(rows, D), chunks=(-(-rows // pieces), D))
    parts = Watched(X, client)
    parts.total(count, None)
    parts.watched.clear()
    start = time.perf_counter()
    checked(parts)
    choice = plan_choice(rows, K, include=(), exclude=(), groups=None, quota=None)
    problem = make_problem(parts, choice, KERNEL, "low-rank", None, MEMORY, quiet)
    picks, _ = solve(parts, problem, METHODS[METHOD]())
    seconds = time.perf_counter() - start
    return Run(workers, rows, len(parts.sizes), seconds, picks.solver.rank, tuple(parts.watched))


def least(runs: list[Run]) -> Run:
    """One run of the shortest trips of several: they make the same trips, and other programs only add."""
    trips = tuple(
        min(same, key=lambda trip: trip.seconds) for same in zip(*(r.trips for r in runs), strict=True)
    )
    driver = min(run.driver for run in runs)
    return runs[0]._replace(trips=trips, seconds=driver + sum(trip.seconds for trip in trips))


def count(part: Part, _: None) -> int:
    return len(part.rows)


def measure(smoke: bool) -> list[Run]:
    """All pools on clusters of 1, 2 and 4 processes."""
    import logging

    from distributed import Client, LocalCluster

    runs = []
    for workers in WORKERS:
        with (
            LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
            ) as one,
            Client(one) as client,
        ):
            selection(2000, workers, workers, client)  # imports
            for rows, pieces in SMOKE_POOLS if smoke else POOLS:
                run = least([selection(rows, pieces, workers, client) for _ in range(REPEATS)])
                say(f"cluster  {workers} workers, {rows:,} rows in {run.pieces} pieces: {run.seconds:.1f} s")
                runs.append(run)
    return runs


class Model(NamedTuple):
    """Seconds of a trip beside the busy ones."""

    fixed: float
    per_piece: float
    per_megabyte: float

    def wait(self, trip: Trip) -> float:
        return self.fixed + self.per_piece * trip.pieces + self.per_megabyte * trip.megabytes

    def seconds(self, run: Run) -> float:
        return run.driver + run.busy / run.side_by_side + sum(self.wait(trip) for trip in run.trips)


def fit(runs: list[Run]) -> Model:
    """Non-negative least squares over all trips of the clusters that had a core for each worker."""
    from scipy.optimize import nnls

    seen = [(run, trip) for run in runs for trip in run.trips if run.workers <= cores()]
    A = np.array([[1.0, trip.pieces, trip.megabytes] for _, trip in seen])
    waits = np.array([max(trip.seconds - trip.busy / run.side_by_side, 0.0) for run, trip in seen])
    return Model(*(float(term) for term in nnls(A, waits)[0]))


def page(smoke: bool = False) -> str:
    """The table, the model, and the cluster on paper."""
    runs = measure(smoke)
    model = fit(runs)
    lines = [
        f"{K} of n x {D} normal rows by {METHOD}, low-rank, on clusters of this machine",
        f"({cores()} cores, of which the driver and the scheduler need their share)",
        "",
        _row(*_HEADINGS),
        *(_row(*_cells(run, model)) for run in runs),
        "",
        f"model: driver + busy / workers + for each round or fetch {1e3 * model.fixed:.0f} ms "
        f"+ {1e3 * model.per_piece:.2f} ms x pieces + {1e3 * model.per_megabyte:.1f} ms x MB",
        "",
        *on_paper(runs, model),
    ]
    return "\n".join(lines) + "\n"


_HEADINGS = (
    "workers",
    "rows",
    "pieces",
    "marks",
    "rounds",
    "fetches",
    "MB out",
    "MB in",
    "busy s",
    "driver s",
    "all s",
    "model s",
)


def _cells(run: Run, model: Model) -> list[str]:
    return [
        f"{run.workers}",
        f"{run.rows:,}",
        f"{run.pieces}",
        f"{run.landmarks}",
        f"{run.rounds}",
        f"{len(run.trips) - run.rounds}",
        f"{sum(trip.sent for trip in run.trips) / 1e6:.1f}",
        f"{sum(trip.received for trip in run.trips) / 1e6:.1f}",
        f"{run.busy:.2f}",
        f"{run.driver:.2f}",
        f"{run.seconds:.2f}",
        f"{model.seconds(run):.2f}",
    ]


def _row(*cells: str) -> str:
    return " ".join(cell.rjust(8) for cell in cells)


def on_paper(runs: list[Run], model: Model) -> list[str]:
    """The same selection from the pool and the cluster that are not here."""
    rows, workers, pieces = FAR
    like = max(runs, key=lambda run: (run.rows, -run.workers))
    work = like.busy / like.rows * rows
    answers = sum(trip.name == "answer" for trip in like.trips)
    put_forward = answers * 24 * pieces * max(2 * K, _PANEL[1] // pieces)  # numbers, gains and scores
    megabytes = (sum(trip.sent for trip in like.trips) * math.log2(2 * workers) + put_forward) / 1e6
    latency, tasks = model.fixed * len(like.trips), model.per_piece * pieces * like.rounds
    carried = model.per_megabyte * megabytes
    waits = like.driver + latency + tasks + carried
    held, panel = rows * (8 * D + 24) / workers, 8 * _PANEL[1] * 8 * K
    return [
        f"on paper: {rows:.0e} rows in {pieces:,} pieces on {workers} workers of one such core each,",
        f"with the {like.rounds} rounds, {len(like.trips) - like.rounds} fetches and {like.landmarks} "
        f"landmarks of {like.rows:,} rows",
        f"{work / workers + waits:8.0f} s in all, once the rows are held; of these",
        f"{work / workers:8.0f} s work: {1e6 * like.busy / like.rows:.1f} processor seconds per million rows",
        f"{tasks:8.0f} s the scheduler's, for {like.rounds} x {pieces:,} tasks",
        f"{latency:8.1f} s latency",
        f"{carried:8.1f} s for {megabytes:.0f} MB, each message passed on from worker to worker",
        f"{like.driver:8.1f} s the driver's own work on landmarks and panels",
        f"{held / 1e9:8.1f} GB a worker: the rows, and 24 bytes each for what is remembered of them",
        f"{(rows + panel) / 1e9:8.1f} GB at the driver: a byte per row (who may be picked), and a panel",
        f"beyond {work / waits:,.0f} workers the waits take longer than the work",
    ]
