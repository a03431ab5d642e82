"""How much memory a piece of work took at its worst, above what the process held before."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")


class PeakMemory:
    """Bytes above the baseline, which is the resident memory when this object is made.

    On Linux the kernel's high-water mark is reset first, or imports and the making of the data
    would hide a smaller peak; elsewhere the mark of the whole life of the process has to do.
    """

    def __init__(self) -> None:
        if STATUS.exists():
            reset_high_water_mark()
            self.baseline = status_bytes("VmRSS")
        else:
            self.baseline = lifetime_peak()

    def bytes(self) -> int:
        peak = status_bytes("VmHWM") if STATUS.exists() else lifetime_peak()
        return max(0, peak - self.baseline)


def reset_high_water_mark() -> None:
    # Refused in a locked-down container: the mark then covers the whole life of the process.
    with contextlib.suppress(OSError):
        CLEAR_REFS.write_text("5")


def status_bytes(name: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"{STATUS} has no line {name}")


def lifetime_peak() -> int:
    """Of the process since its start. Linux counts in kilobytes, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
