"""`diverset demo`: ten digits out of 1,797."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from . import options
from .terminal import Teller, on_terminal

PAGE = "diverset-demo.html"


@click.command("demo", cls=options.Command)
@options.size(required=False, default=10, show_default=True)
@options.option(
    "Output",
    "--report",
    metavar="FILE.html",
    default=PAGE,
    show_default=True,
    help="Where the page goes.",
)
@options.option(
    "Output",
    "--open/--no-open",
    "show",
    default=None,
    help="Open it in a browser.  [default: if there is one]",
)
@options.talk
def demo(k: int, report: str, show: bool | None, quiet: bool) -> None:
    """Pick the most diverse of scikit-learn's 1,797 handwritten digits. No network is needed.

    Prints the picks and draws them, and leaves a page to look at them.
    """
    from .output import planned

    tell = Teller(quiet)
    try:
        planned("table", page=report)
    except click.UsageError:
        raise
    except click.ClickException as why:  # the picks can be seen without the page
        tell(f"No page: {why.format_message()}")
        report = ""
    from .digits import run

    run(k, Path(report) if report else None, _browser() if show is None else show, tell)


def _browser() -> bool:
    """Whether somebody sits in front of this machine."""
    display = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return display and on_terminal(sys.stdout)
