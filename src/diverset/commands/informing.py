"""`diverset info`: what was read, and what to expect of it."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .terminal import Teller


@click.command("info", cls=options.Command)
@options.source
@options.size(required=False, help="What is planned for.  [default: 20, or all]")
@options.method(options.METHODS)
@options.kernel
@options.solver
@options.option("Output", "--json", "form", flag_value="json", matters=False, help="All of it as JSON.")
@options.talk
@click.pass_context
def info(ctx: click.Context, /, quiet: bool, form: str | None, **given: Any) -> None:
    """What was read, the kernel and its bandwidth, the spectrum, the numerical rank, memory and time.

    \b
    Examples:
      diverset info items.csv
      diverset info photos/ -k 200 --method das
    """
    from .informed import find_info
    from .sheets import as_json
    from .task import task_of
    from .terminal import put

    task = task_of(given, Teller(quiet=True))
    found = find_info(task, Teller(quiet))
    put(as_json(found.facts(options.command_line(ctx))) if form == "json" else str(found))
