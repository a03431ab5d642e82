"""THE WORK: calls of the library, each with its progress bar, and its refusals as bad input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import Any, TypeVar

import click

from ..comparison import SIDE_BY_SIDE, Comparison, compare
from ..door import sample, select
from ..kernels import Kernel
from ..messages import nearest
from ..methods import METHODS
from ..planning import plan
from ..sampling import SAMPLERS
from ..selection import Selection
from ..solvers import SOLVERS
from .bar import progress_bar
from .group import reading_from
from .output import Output, facts_of
from .picked import facts_about, glance_of, head_of, ids_of, sheet_of
from .sheets import Answer, as_json
from .specs import made
from .task import Task
from .terminal import Teller, put

T = TypeVar("T")
_PATIENCE = 5000  # items from which on n^3 work is worth a word
_OF_ALL_EIGENVALUES = ("kdpp", "dpp", "leverage-sampling", "ridge-leverage-sampling")
_METHODS: dict[str, Any] = {**METHODS, **SAMPLERS}


def interruptible(call: Callable[[], T]) -> T:
    """The result of a call, made in a thread: Ctrl-C ends the wait even where LAPACK would not notice."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as why:  # noqa: BLE001  raised again where the result is waited for
            future.set_exception(why)

    Thread(target=run, daemon=True).start()
    return future.result()


def method_of(typed: str) -> Any:
    """The method behind a name and its settings."""
    return made("method", typed, _METHODS)


def methods_of(typed: Sequence[str]) -> list[Any]:
    """Methods from a list; settings that follow a comma stay with their name: das:gamma=1,leverage."""
    words: list[str] = []
    for word in ",".join(typed).split(","):
        if "=" in word and ":" not in word and words:
            words[-1] += f",{word}"
        elif word.strip():
            words.append(word.strip())
    for word in words:
        if word.partition(":")[0] not in _METHODS:
            raise click.UsageError(f"--methods: {nearest('method', word.partition(':')[0], _METHODS)}")
    return [method_of(word) for word in words or SIDE_BY_SIDE]


def solver_of(task: Task) -> Any:
    """The solver behind a name and its settings."""
    return made("solver", task.given["solver"], SOLVERS)


def find_picks(task: Task, tell: Teller) -> Selection:
    """`diverset.select` on the items of a task."""
    method, solver = method_of(task.given["method"]), solver_of(task)
    with progress_bar(tell.bar) as progress, reading_from(task.reading.source):
        call = partial(select, method=method, solver=solver, progress=progress)
        call = partial(call, quality=task.quality, **task.rules, **task.kernel_options)
        return interruptible(partial(call, task.reading.X, task.given["k"]))


def find_plan(task: Task, output: Output, command: str) -> None:
    """Print what `find_picks` would do."""
    from ..choice import plan_choice
    from ..messages import checked_k

    method, solver = method_of(task.given["method"]), solver_of(task)
    with reading_from(task.reading.source):
        plan_choice(task.reading.n, checked_k(task.given["k"], task.reading.n), **task.rules)
        call = partial(plan, method=method, solver=solver, **task.kernel_options)
        found = interruptible(partial(call, task.reading.X, task.given["k"]))
    if output.form == "json":
        put(as_json({**facts_of("plan", command), "input": task.input, **found.to_dict()}))
    else:
        put(f"{found}\n")


def picks_answer(task: Task, picks: Selection, command: str) -> Answer:
    """The picks, in all forms."""
    facts = {
        **facts_of("select", command),
        "input": task.input,
        "parameters": task.parameters,
        **facts_about(picks, task.reading),
    }
    return Answer(
        head_of(picks),
        glance_of(picks, task),
        sheet_of(picks, task.reading),
        ids_of(picks, task.reading),
        facts,
    )


def find_comparison(task: Task, methods: list[Any], tell: Teller, seed: int = 0) -> Comparison:
    """`diverset.compare` on the items of a task."""
    solver = solver_of(task)
    with progress_bar(tell.bar) as progress, reading_from(task.reading.source):
        call = partial(compare, methods=methods, solver=solver, rng=seed, progress=progress)
        call = partial(call, quality=task.quality, **task.rules, **task.kernel_options)
        return interruptible(partial(call, task.reading.X, task.given["k"]))


def find_draws(task: Task, seed: int, draws: int, tell: Teller) -> list[Selection]:
    """`diverset.sample` on the items of a task."""
    method, n = method_of(task.given["method"]), task.reading.n
    by_columns = type(task.kernel).factor is not Kernel.factor  # few of them: no large matrix
    if n > _PATIENCE and method.name in _OF_ALL_EIGENVALUES and not by_columns:
        tell(f"  {method.name} wants all {n:,} eigenvalues, n^3 work; --method rpcholesky wants none")
    with progress_bar(tell.bar) as progress, reading_from(task.reading.source):
        progress(method.name, 0, 0)
        call = partial(sample, method=method, rng=seed, draws=draws)
        call = partial(call, quality=task.quality, **task.kernel_options)
        found = interruptible(partial(call, task.reading.X, task.given["k"]))
    return found if isinstance(found, list) else [found]


def page_of(task: Task, picks: Selection, command: str, compared: bool, tell: Teller) -> str:
    """The report, with other methods beside if there is time for them."""
    comparison = None
    if compared:
        own = task.given["method"]
        methods = [own, *(name for name in SIDE_BY_SIDE if name != own)]
        comparison = find_comparison(task, [method_of(name) for name in methods], tell)
    return report_page(task, picks, command, comparison, tell)


def report_page(
    task: Task, picks: Selection, command: str, comparison: Comparison | None, tell: Teller
) -> str:
    """The HTML page."""
    from ..report import page

    with progress_bar(tell.bar) as progress:
        call = partial(page, comparison=comparison, command=command, progress=progress)
        return interruptible(partial(call, task.reading, picks))
