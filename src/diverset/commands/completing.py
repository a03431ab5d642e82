"""`diverset completion`: what a shell needs to complete commands, options and names."""

from __future__ import annotations

import click

from . import options


@click.command("completion", cls=options.Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, /, shell: str) -> None:
    """Print the completion script for a shell.

    \b
      bash   diverset completion bash > ~/.local/share/bash-completion/completions/diverset
      zsh    diverset completion zsh > ~/.zfunc/_diverset     (with fpath+=~/.zfunc before compinit)
      fish   diverset completion fish > ~/.config/fish/completions/diverset.fish
    """
    from click.shell_completion import get_completion_class

    from .terminal import put

    kind = get_completion_class(shell)
    assert kind is not None  # the three that click knows
    put(kind(ctx.find_root().command, {}, "diverset", "_DIVERSET_COMPLETE").source())
