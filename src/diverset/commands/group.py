"""WHICH COMMAND, AND HOW DID IT END? The commands by name, and an exit code for every ending.

# 0 done   1 failure   2 usage   3 bad input   4 --strict and not certified   130 interrupted
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from io import StringIO
from typing import Any

import click

from .terminal import discard_stdout, say

# name -> module and object, and the help that `diverset --help` shows without loading it
COMMANDS = {
    "select": ("diverset.commands.selecting:select", "Pick the k items that differ most, always the same."),
    "sample": ("diverset.commands.drawing:sample", "Draw k diverse items by chance, from a seed."),
    "compare": ("diverset.commands.comparing:compare", "Methods side by side: how good is each set?"),
    "info": ("diverset.commands.informing:info", "What was read, its kernel and spectrum, what k will cost."),
    "demo": ("diverset.commands.demonstrating:demo", "See it work on handwritten digits. No network."),
    "paper": ("diverset.experiments.command:paper", "Rerun the experiments of the paper on the real data."),
    "completion": ("diverset.commands.completing:completion", "Print the completion script for a shell."),
}

FAILURE, USAGE, BAD_INPUT, NOT_CERTIFIED, INTERRUPTED = 1, 2, 3, 4, 130

_HELP = """Deterministic diverse subsets: the k items that differ most, the same k every time.

\b
  diverset select photos/ -k 12 --report picks.html
  diverset select items.parquet -k 50 --columns 'emb_*' --groups label --quota 5 -o picks.csv
  diverset select reviews.jsonl --text body -k 20 --json | jq .indices
  diverset compare items.csv -k 20

Data go to stdout, words to stderr. Exit codes: 0 done, 1 failure, 2 usage, 3 bad input,
4 --strict and not certified, 130 interrupted."""


class BadInput(click.ClickException):
    """The items, or what is asked of them, cannot be; the text says what to do."""

    exit_code = BAD_INPUT


class NotCertified(click.ClickException):
    """A pick was closer than the numerical noise, and --strict was given."""

    exit_code = NOT_CERTIFIED


@contextmanager
def reading_from(source: str) -> Iterator[None]:
    """Refusals of the library become bad input; what does not name a file yet is given one."""
    from ..readers import ReadError

    try:
        yield
    except ReadError as why:
        raise BadInput(str(why)) from why
    except (ValueError, TypeError) as why:
        raise BadInput(f"{source}: {why}") from why


class Diverset(click.Group):
    """The commands, each loaded when it is typed."""

    def __init__(self) -> None:
        super().__init__("diverset", help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
        self.params.append(
            click.Option(
                ["--version"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_version,
                help="The versions of diverset, Python, NumPy, SciPy and BLAS, and its threads.",
            )
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from ..messages import nearest

            ctx.fail(nearest("command", args[0], COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        with _not_as_click_does():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _not_as_click_does():
            return super().invoke(ctx)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        def run() -> Any:
            return super(Diverset, self).main(args, prog_name, complete_var, False, **extra)

        if not standalone_mode:
            return run()
        typed = sys.argv[1:] if args is None else args
        with own_warnings():
            sys.exit(_ended(run, debug="--debug" in typed))


@contextmanager
def _not_as_click_does() -> Iterator[None]:
    try:
        yield
    except EOFError as why:  # click would take it for Ctrl-D
        raise click.ClickException(f"A file ended too early. {why}") from why
    except BrokenPipeError:  # click would call it a failure, but the reader of our output has seen enough
        discard_stdout()
        raise click.exceptions.Exit(0) from None


def _ended(run: Any, debug: bool) -> int:
    """Run to the end, say what went wrong, and the exit code."""
    try:
        return int(run() or 0)
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except Exception as why:  # noqa: BLE001  the last door: whatever it is, no traceback unless asked for
        if debug and not isinstance(why, click.UsageError):
            import traceback

            traceback.print_exc()
        return _refused(why)


def _refused(why: Exception) -> int:
    if isinstance(why, click.UsageError):
        usage = StringIO()
        with redirect_stdout(usage):
            why.show(file=usage)
        *lines, _ = usage.getvalue().rstrip("\n").rsplit("\nError: ", 1)
        say("\n".join(lines))
        say(why.format_message(), "error")
        return USAGE
    if isinstance(why, click.ClickException):
        say(why.format_message(), "error")
        return why.exit_code
    if isinstance(why, ModuleNotFoundError):
        say(str(why), "error")
    elif isinstance(why, MemoryError):
        say(f"Not enough memory: {str(why) or 'the system has no more'}. Give a smaller --memory.", "error")
    elif isinstance(why, OSError):
        named = f"{why.filename}: " if why.filename else ""
        say(f"{named}{(why.strerror or str(why)).lower()}", "error")
    else:
        say(f"Unexpected {type(why).__name__}: {why}. See where with --debug.", "error")
    return FAILURE


@contextmanager
def own_warnings() -> Iterator[None]:
    """Warnings of the library are said in one line, without the code that they came from."""
    import warnings

    def show(message: Any, *_: Any, **__: Any) -> None:
        say(str(message), "warning")

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=UserWarning, module=r"diverset\b")
        warnings.showwarning = show
        yield


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from .versions import versions

        click.echo(versions())
        ctx.exit()
