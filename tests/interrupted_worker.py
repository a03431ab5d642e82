"""Run as a program: a long selection from a file, which says when it is well under way."""

from __future__ import annotations

import sys
import threading
import time

import diverset as dv


def main():
    def tell(stage, done, of):
        if stage == sys.argv[2] and done > 0:
            print("under way", flush=True)  # noqa: T201  read by the test

    try:
        dv.select(sys.argv[1], 60, kernel=dv.Gaussian(2.0), solver="low-rank", memory=2**26, progress=tell)
    except KeyboardInterrupt:
        patience = time.monotonic() + 10
        while threading.active_count() > 1 and time.monotonic() < patience:
            time.sleep(0.01)  # a thread that was just being started ends with the part it took
        print("interrupted", threading.active_count(), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
