"""The command `diverset`. A command is a line in COMMANDS; its module is loaded when it is typed."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

# name -> module and object, and the help that `diverset --help` shows without loading it
COMMANDS = {
    "paper": ("diverset.experiments.command:paper", "Rerun the experiments of the paper on the real data."),
}
_NEEDS_CLICK = "The command diverset needs click. Type: pip install 'diverset[paper]'\n"


def main() -> None:
    """The entry point of the script."""
    try:
        import click  # noqa: F401  only to see whether it is there
    except ModuleNotFoundError:
        sys.stderr.write(_NEEDS_CLICK)
        raise SystemExit(1) from None
    group()(prog_name="diverset")


def group() -> click.Group:
    """All commands; none of their modules is loaded yet."""
    import click

    class Lazy(click.Group):
        """Commands by name, from the table above."""

        def list_commands(self, ctx: click.Context) -> list[str]:
            return sorted(COMMANDS)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in COMMANDS:
                return None
            module, name = COMMANDS[cmd_name][0].split(":")
            command: click.Command = getattr(import_module(module), name)
            return command

        def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
            with formatter.section("Commands"):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    return Lazy(
        "diverset", help="Deterministic diverse subsets: the k items that differ most, the same k every time."
    )


if __name__ == "__main__":
    main()
