"""WHAT CAN BE TYPED? Options that several commands share, each defined once, and their help in sections.

# section  the heading under which an option is listed
# matters  whether an option can change the picks: then it is part of the command that reproduces them
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from .values import Bandwidth, Delimiter, Memory, Named

Function: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[Function], Function]

# The names in the tables of the library, which would have to be imported to be listed. A test compares them.
METHODS = (
    "deterministic-kdpp",
    "derandomized",
    "greedy-trace",
    "greedy-map",
    "farthest-point",
    "das",
    "leverage",
    "ridge-leverage",
)
SAMPLERS = (
    "kdpp",
    "dpp",
    "rpcholesky",
    "mcmc-kdpp",
    "leverage-sampling",
    "ridge-leverage-sampling",
    "uniform",
)
KERNELS = (
    "gaussian",
    "laplacian",
    "matern",
    "linear",
    "cosine",
    "polynomial",
    "histogram-intersection",
    "chi-squared",
    "tanimoto",
    "precomputed",
)
SOLVERS = ("auto", "dense", "block-krylov", "low-rank")
KINDS = ("table", "vectors", "images", "texts")
FEATURES = ("sift", "pixels", "hog", "color", "efficientnet", "tfidf", "wordllama")
MEMORY = 4 * 2**30  # as in `diverset.kernels`
SECTIONS = ("Picks", "Kernel", "Reading", "Output", "Other")
_SUFFIXES = ".json, .csv, .txt (names), .parquet, .html (the report)"


class Option(click.Option):
    """An option with a section."""

    def __init__(self, *names: Any, section: str = "Other", matters: bool = True, **more: Any) -> None:
        super().__init__(*names, **more)
        self.section, self.matters = section, matters


class Command(click.Command):
    """A command whose options are listed in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections[getattr(param, "section", "Other")].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


# --- the options ------------------------------------------------------------------------------


def _each(section: str, *options: tuple[tuple[str, ...], dict[str, Any]]) -> Decorator:
    def decorate(function: Function) -> Function:
        for names, more in reversed(options):
            function = click.option(*names, cls=Option, section=section, **more)(function)
        return function

    return decorate


def option(section: str, *names: str, **more: Any) -> Decorator:
    """An option of one command."""
    return _each(section, (names, more))


def source(function: Function) -> Function:
    """What is read, and how."""
    reading = _each(
        "Reading",
        (("--kind",), {"type": click.Choice(KINDS), "help": "What the items are, where that is open."}),
        (
            ("--columns",),
            {"multiple": True, "metavar": "GLOBS", "help": "The columns that are features: 'emb_*,price'."},
        ),
        (
            ("--drop",),
            {"multiple": True, "metavar": "GLOBS", "help": "Columns that are no features."},
        ),
        (("--text",), {"metavar": "COL", "help": "The column that holds a text per row."}),
        (("--id",), {"metavar": "COL", "help": "The column that names the rows."}),
        (
            ("--features",),
            {
                "type": click.Choice(FEATURES),
                "help": "How images (sift, pixels, hog, color, efficientnet) and texts (tfidf, wordllama) "
                "become numbers.  [default: sift, tfidf]",
            },
        ),
        (
            ("--header/--no-header",),
            {"default": None, "help": "Whether the first line of a CSV names the columns.  [default: look]"},
        ),
        (
            ("--delimiter",),
            {"type": Delimiter(), "metavar": "CHAR", "help": "Of a CSV; 'tab' for tabs.  [default: look]"},
        ),
        (("--encoding",), {"metavar": "NAME", "help": "Of a CSV.  [default: look]"}),
        (
            ("--standardize/--no-standardize",),
            {"default": True, "help": "Columns of numbers get mean 0, deviation 1.  [default: do]"},
        ),
        (
            ("--one-hot/--no-one-hot",),
            {"default": True, "help": "A column of 0 and 1 for each word; else words are left out."},
        ),
        (
            ("--missing",),
            {
                "type": click.Choice(["refuse", "drop", "mean"]),
                "default": "refuse",
                "show_default": True,
                "help": "What to do about cells that hold nothing.",
            },
        ),
        (
            ("--no-cache",),
            {"is_flag": True, "matters": False, "help": "Compute features of images and texts anew."},
        ),
    )
    wanted = click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
    return wanted(reading(function))


def kernel(function: Function) -> Function:
    """What makes two items alike."""
    options = _each(
        "Kernel",
        (
            ("--kernel",),
            {
                "type": Named("kernel", KERNELS),
                "metavar": "NAME[:SETTINGS]",
                "help": f"{', '.join(KERNELS)}; settings as in matern:nu=2.5.  "
                "[default: what goes with the features]",
            },
        ),
        (
            ("--bandwidth",),
            {"type": Bandwidth(), "metavar": "NUMBER", "help": "Of the kernel.  [default: median distance]"},
        ),
        (
            ("--memory",),
            {
                "type": Memory(),
                "default": MEMORY,
                "metavar": "SIZE",
                "help": "What the work may take beside the items.  [default: 4GiB]",
            },
        ),
    )
    return options(function)


def solver(function: Function) -> Function:
    """Where eigenvectors come from."""
    one = option(
        "Kernel",
        "--solver",
        type=Named("solver", SOLVERS),
        default="auto",
        show_default=True,
        metavar="NAME[:SETTINGS]",
        help=f"{', '.join(SOLVERS)}; settings as in low-rank:rank=500.",
    )
    return one(function)


def method(names: Sequence[str]) -> Decorator:
    """How items are picked; the first name is the default."""
    settings = "das:gamma=1e-3" if "das" in names else "mcmc-kdpp:steps=10000"
    return option(
        "Picks",
        "--method",
        type=Named("method", names),
        default=names[0],
        show_default=True,
        metavar="NAME[:SETTINGS]",
        help=f"{', '.join(names)}; settings as in {settings}.",
    )


def size(required: bool = True, **more: Any) -> Decorator:
    """How many items are picked."""
    return option(
        "Picks",
        "-k",
        "k",
        type=click.IntRange(min=1),
        required=required,
        metavar="N",
        **{"help": "How many to pick.", **more},
    )


QUALITY = (
    ("--quality",),
    {"metavar": "COL", "help": "A column of weights >= 0: items with more of it are preferred."},
)


def quality(function: Function) -> Function:
    """Which items are preferred."""
    one = _each("Picks", QUALITY)
    return one(function)


def rules(function: Function) -> Function:
    """Who may be picked."""
    options = _each(
        "Picks",
        (
            ("--include",),
            {
                "multiple": True,
                "metavar": "ITEMS",
                "help": "Items to start from, by name or by row from 0; @FILE holds one per line.",
            },
        ),
        (
            ("--exclude",),
            {"multiple": True, "metavar": "ITEMS", "help": "Items that may not be picked; @FILE likewise."},
        ),
        (
            ("--groups",),
            {
                "metavar": "COL",
                "help": "The column with the group of each item; 'folder' for files of several.",
            },
        ),
        (
            ("--quota",),
            {
                "multiple": True,
                "metavar": "N|LABEL=N,..",
                "help": "At most N from each group, or from the groups named.",
            },
        ),
        QUALITY,
    )
    return options(function)


def output(*forms: str) -> Decorator:
    """In which form, and where to."""
    said = {
        "json": "JSON: parameters, the input's SHA-256, picks, margins, certified.",
        "csv": "CSV for spreadsheets, the default when stdout is no terminal. A text that starts with = + - "
        "@ (a formula) gets a leading apostrophe.",
        "ids": "The names alone, one per line.",
    }
    flags = [
        ((f"--{form}", "form"), {"flag_value": form, "help": said[form], "matters": False}) for form in forms
    ]
    where = (
        ("-o", "--output"),
        {
            "metavar": "FILE",
            "matters": False,
            "help": f"Write here instead of stdout, all or nothing: {_SUFFIXES}.",
        },
    )
    return _each("Output", *flags, where)


def report(function: Function) -> Function:
    """Whether there is a page."""
    one = option(
        "Output",
        "--report",
        metavar="FILE.html",
        matters=False,
        help="A page to look at the picks, in one file that needs no network.",
    )
    return one(function)


def talk(function: Function) -> Function:
    """How much is said."""
    options = _each(
        "Other",
        (
            ("--quiet", "-q"),
            {"is_flag": True, "matters": False, "help": "No notes and no progress on stderr."},
        ),
        (
            ("--debug",),
            {
                "is_flag": True,
                "matters": False,
                "expose_value": False,
                "help": "Show the traceback of an error.",
            },
        ),
    )
    return options(function)


# --- the command, again -------------------------------------------------------------------------


def command_line(ctx: click.Context, **also: Any) -> str:
    """The command that gives the same picks, to be pasted into a shell; ``also`` replaces values."""
    given = [param for param in ctx.command.params if isinstance(param, Option) and param.matters]
    words: list[str] = []
    for param in sorted(given, key=lambda param: SECTIONS.index(param.section)):
        name = str(param.name)
        if name in also or ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            words += _typed(param, also.get(name, ctx.params.get(name)))
    sources = [str(one) for one in ctx.params.get("sources", ())]
    if any(one.startswith("-") and one != "-" for one in sources):
        words += ["--", *sources]
    else:
        words = [*sources, *words]
    return shlex.join(["diverset", str(ctx.info_name), *words])


def _typed(param: Option, value: Any) -> list[str]:
    name = max(param.opts, key=len)
    if isinstance(value, bool):
        return [name if value else max(param.secondary_opts, key=len)]
    values = value if isinstance(value, tuple) else (value,)
    # --quota=-1: a value that starts with a dash would be read as an option
    return [
        word
        for one in values
        for word in ([f"{name}={one}"] if str(one).startswith("-") else [name, str(one)])
    ]
