"""`diverset compare`: methods side by side."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .terminal import Teller

_SIDE_BY_SIDE = "deterministic-kdpp, derandomized, greedy-map, farthest-point, rpcholesky, uniform"


@click.command("compare", cls=options.Command)
@options.source
@options.size()
@options.option(
    "Picks",
    "--methods",
    multiple=True,
    metavar="NAMES",
    help=f"Of `select` and of `sample`, separated by commas.  [default: {_SIDE_BY_SIDE}]",
)
@options.option(
    "Picks",
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="For the methods of `sample`, a draw each.",
)
@options.rules
@options.kernel
@options.solver
@options.output("json", "csv")
@options.report
@options.talk
@click.pass_context
def compare(ctx: click.Context, /, methods: tuple[str, ...], seed: int, quiet: bool, **given: Any) -> None:
    """The same k of the same items by several methods, and how good each set is.

    \b
      log det   of the kernel matrix of the picks; larger: they differ more from each other
      operator, max, trace   relative norms of what the picks leave unexplained; smaller is better
      vendi     how many items of their own the picks amount to, 1 to k
      coverage  how well the nearest pick stands for an item, on average, up to 1
      seconds   for the picks alone, the kernel matrix given

    \b
    Examples:
      diverset compare items.csv -k 20
      diverset compare items.csv -k 20 --methods derandomized,das:gamma=1e-3,kdpp --csv
    """
    from .output import SUFFIXES, planned

    tell = Teller(quiet)
    suffixes = {end: form for end, form in SUFFIXES.items() if form != "ids"}
    output = planned(
        given["form"], given["output"], given["report"], sources=given["sources"], suffixes=suffixes
    )
    from .compared import comparison_answer
    from .task import task_of
    from .work import find_comparison, methods_of, report_page

    chosen = methods_of(methods)
    task = task_of(given | {"methods": [str(one) for one in chosen]}, tell)
    found = find_comparison(task, chosen, tell, seed)
    command = options.command_line(ctx)
    page = None
    if output.page is not None:
        page = report_page(task, found[0].selection, command, found, tell)
    for note in found.notes:
        tell(f"  {note}")
    output.deliver(comparison_answer(task, found, seed, command), page, tell)
