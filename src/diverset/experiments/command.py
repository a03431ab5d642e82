"""`diverset paper`: words and paths stop here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..commands import options
from ..commands.group import BadInput
from ..messages import nearest

if TYPE_CHECKING:
    from .claims import Claim


@click.command("paper")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder with boston/boston.csv and so on. Looked in first; then $DIVERSET_DATA, ../shared/data, "
    "the cache; what is nowhere is downloaded.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("paper"),
    show_default=True,
    metavar="DIR",
    help="Where figures, numbers and the page go. A run that was interrupted resumes there.",
)
@click.option("--fast", is_flag=True, help="A smaller grid and three repetitions: about a minute.")
@click.option(
    "--only",
    metavar="NAMES",
    help="Some of boston,stock,abalone,bank8fm,plane,dogs,kimia99, separated by commas.",
)
@options.talk
def paper(data: Path | None, out: Path, fast: bool, only: str | None, quiet: bool) -> None:
    """Rerun the experiments of "Towards Deterministic Diverse Subset Sampling" on the real data.

    Leaves figures (PNG, SVG), numbers (CSV) and one page: the paper says / we measured.
    """
    try:
        import matplotlib as mpl  # noqa: F401  asked for before minutes of work, not after
        import rich  # noqa: F401
    except ModuleNotFoundError as why:
        raise click.ClickException(
            f"diverset paper needs {why.name}. Type: pip install 'diverset[paper]'"
        ) from None
    from .data import PARTS, DataError
    from .progress import showing
    from .run import run

    names = tuple(part.strip() for part in only.split(",") if part.strip()) if only else PARTS
    for name in names:
        if name not in PARTS:
            raise click.UsageError(f"--only: {nearest('part', name, PARTS)}")
    try:
        with showing(sys.stderr.isatty() and not quiet) as show:
            outcome = run(out, data=data, fast=fast, only=names, show=show)
    except DataError as why:
        raise BadInput(str(why)) from None
    except ModuleNotFoundError as why:
        raise click.ClickException(
            f"diverset paper needs {why.name}. Type: pip install 'diverset[paper]'"
        ) from None
    for claim in outcome.claims:
        click.echo(_line(claim))
    click.echo(
        f"{outcome.seconds:.0f} s, {outcome.made} pieces made, {outcome.reused} found finished. "
        f"See {outcome.page}"
    )


def _line(claim: Claim) -> str:
    return f"{claim.number:>3}  {claim.verdict.value:<20} {claim.says}"
