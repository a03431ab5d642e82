"""`diverset sample`: diverse items by chance, from a seed."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .terminal import Teller


@click.command("sample", cls=options.Command)
@options.source
@options.size(required=False, help="How many to draw; dpp draws as many as come and takes none.")
@options.method(options.SAMPLERS)
@options.option(
    "Picks",
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="The same draws again.  [default: a new one]",
)
@options.option(
    "Picks",
    "--draws",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many sets to draw.",
)
@options.quality
@options.kernel
@options.output("json", "csv", "ids")
@options.talk
@click.pass_context
def sample(ctx: click.Context, /, seed: int | None, draws: int, quiet: bool, **given: Any) -> None:
    """Draw k diverse items by chance: by default from the exact k-DPP.

    The seed is said on stderr and in the JSON, so that any draw can be repeated.

    \b
    Examples:
      diverset sample items.npy -k 20 --seed 7 --draws 5
      diverset sample items.csv --method dpp --kernel gaussian:bandwidth=2
      diverset sample items.csv -k 100 --method rpcholesky --json
    """
    from .output import planned

    tell = Teller(quiet)
    any_number = given["method"].partition(":")[0] == "dpp"
    if given["k"] is None and not any_number:
        raise click.UsageError(f"--method {given['method']} wants a number of items: -k 20.")
    if given["k"] is not None and any_number:
        raise click.UsageError(f"--method dpp draws as many items as come: leave -k {given['k']} out.")
    output = planned(given["form"], given["output"], sources=given["sources"])
    if output.page is not None:
        raise click.UsageError("sample makes no report: wanted .json, .csv, .txt or .parquet.")
    if seed is None:
        seed = _new_seed()
        tell(f"--seed {seed}")
    from .drawn import draws_answer
    from .task import task_of
    from .work import find_draws

    task = task_of(given | {"draws": draws}, tell)
    found = find_draws(task, seed, draws, tell)
    command = options.command_line(ctx, seed=seed)
    output.deliver(draws_answer(task, found, seed, command), None, tell)


def _new_seed() -> int:
    import secrets

    return secrets.randbelow(2**32)
