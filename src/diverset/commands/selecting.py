"""`diverset select`: the k items that differ most."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .terminal import Teller

COMPARED = 5000  # up to so many items a report shows other methods beside the one asked for


@click.command("select", cls=options.Command)
@options.source
@options.size()
@options.method(options.METHODS)
@options.rules
@options.kernel
@options.solver
@options.output("json", "csv", "ids")
@options.report
@options.option(
    "Output",
    "--compare/--no-compare",
    "beside",
    default=None,
    matters=False,
    help=f"Whether the report shows other methods beside.  [default: up to {COMPARED:,} items]",
)
@options.option(
    "Output",
    "--strict",
    is_flag=True,
    matters=False,
    help="Exit with 4, and write nothing, if not certified.",
)
@options.option(
    "Output",
    "--dry-run",
    is_flag=True,
    matters=False,
    help="Print what would be done and what it would take; write no file.",
)
@options.talk
@click.pass_context
def select(
    ctx: click.Context, /, strict: bool, dry_run: bool, beside: bool | None, quiet: bool, **given: Any
) -> None:
    """Pick the k items that differ most from each other, the same ones every time.

    SOURCE is a CSV, Parquet, Feather, JSON lines or NumPy file, a folder or glob of images or of text files,
    several of these, or - for standard input. On a terminal the picks are a table, else CSV.

    \b
    Examples:
      diverset select items.csv -k 20
      diverset select photos/ -k 12 --report picks.html
      diverset select items.parquet -k 50 --columns 'emb_*' --groups label --quota 5 -o picks.csv
      diverset select reviews.jsonl --text body -k 20 --json | jq .indices
      diverset select photos/ -k 12 --ids | xargs -d '\\n' cp -t chosen/
      diverset select items.csv -k 20 --method derandomized --exclude @seen.txt

    "pick" counts from 1; "row" and "indices" count the items that were read, from 0; the name of an item is
    its id or file, else its row in the file.
    """
    from .output import planned

    tell = Teller(quiet)
    output = planned(given["form"], given["output"], given["report"], sources=given["sources"])
    from .task import task_of
    from .work import find_picks, find_plan, page_of, picks_answer

    task = task_of(given, tell)
    if dry_run:
        find_plan(task, output, options.command_line(ctx))
        return
    picks = find_picks(task, tell)
    if strict and picks.undecided is not None:
        from .group import NotCertified

        raise NotCertified(
            f"Pick {picks.undecided + 1} was closer than the numerical noise: another machine may pick "
            "another item from there on. Nothing was written. Leave out copies, take a smaller -k, or no "
            "--strict."
        )
    command = options.command_line(ctx)
    page = None
    if output.page is not None:
        compared = task.reading.n <= COMPARED if beside is None else beside
        page = page_of(task, picks, command, compared, tell)
    output.deliver(picks_answer(task, picks, command), page, tell)
