"""What the script `diverset` starts. It loads click, and nothing else before a command is typed."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .commands.group import Diverset

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM
_NEEDS_CLICK = "The command diverset needs click. Type: pip install 'diverset[command]'\n"


def main() -> None:
    """The entry point of the script."""
    try:
        # what an orderly end cleans up (a copy of standard input, half a file) a kill would leave behind
        signal.signal(signal.SIGTERM, _terminated)
        group()(prog_name="diverset")
    except SystemExit as end:
        if end.code in (INTERRUPTED, TERMINATED):  # threads at work would be waited for
            sys.stderr.flush()
            os._exit(end.code)
        raise
    except KeyboardInterrupt:  # too early or too late for the command to say so
        raise SystemExit(INTERRUPTED) from None
    except ModuleNotFoundError as why:
        if why.name != "click":
            raise
        sys.stderr.write(_NEEDS_CLICK)
        raise SystemExit(1) from None


def group() -> Diverset:
    """All commands; none of their modules is loaded yet."""
    from .commands.group import Diverset

    return Diverset()


def _terminated(*_: Any) -> None:
    raise SystemExit(TERMINATED)


if __name__ == "__main__":
    main()
