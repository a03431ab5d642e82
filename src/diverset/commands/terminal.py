"""WHAT IS SAID, AND WHAT DOES A TERMINAL SHOW? Words on stderr, and names that cannot play tricks.

# hostile  characters that a terminal obeys or that turn a line around: control, bidi, invisible
"""

from __future__ import annotations

import os
import re
import sys
from typing import IO, Any, Literal

import click

Tone = Literal["error", "warning", "note"]

# Control characters but the line feed, lone surrogates, bidi marks and overrides, line and paragraph
# separators, what is there and has no width. The joiners of emoji and of Persian are left alone.
_HOSTILE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_STYLES: dict[Tone, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
}


def visible(text: str) -> str:
    r"""The text with hostile characters written as JSON would write them.

    >>> print(visible("a\x1b[31mb\u202ec"))
    a\u001b[31mb\u202ec
    """
    return _HOSTILE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def on_terminal(stream: IO[Any] | None) -> bool:
    """Whether a person is looking."""
    return stream is not None and stream.isatty()


def colours(stream: IO[Any] | None) -> bool:
    """Whether a stream gets colours: a terminal does, unless NO_COLOR says otherwise."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str, tone: Tone = "note") -> None:
    """A line of words on stderr."""
    text = visible(text)
    if tone != "note":
        text = click.style(f"{tone}:", **_STYLES[tone]) + f" {text}"
    click.echo(text, err=True, color=colours(sys.stderr))


def put(data: str | bytes) -> None:
    """Data on stdout, to the last byte or with a complaint. A terminal gets no hostile character."""
    if sys.stdout is None:
        raise click.ClickException("Standard output is closed. Open it, or write to a file with -o.")
    if isinstance(data, str):
        seen = on_terminal(sys.stdout)
        data = (
            visible(data) if seen else data.encode("utf-8", "surrogateescape")
        )  # names of files as they are
    try:
        click.echo(data, nl=False)
    except BrokenPipeError:
        raise
    except OSError as why:
        discard_stdout()
        raise click.ClickException(f"Standard output: {(why.strerror or str(why)).lower()}.") from why


def discard_stdout() -> None:
    """What is still to be flushed at exit goes nowhere: it cannot be written, and that has been said."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Teller:
    """Says notes, unless --quiet; warnings and errors go past it."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, text: str) -> None:
        if not self.quiet:
            say(text)

    @property
    def bar(self) -> bool:
        """Whether a progress bar has a place."""
        return not self.quiet and on_terminal(sys.stderr)
