"""THE DEMO: the digits that scikit-learn brings, as if they were a folder of images."""

from __future__ import annotations

import hashlib
import shlex
import webbrowser
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..arrays import Floats
from ..comparison import compare
from ..door import select
from ..kernels import Gaussian
from ..readers import Reading
from .bar import progress_bar
from .group import reading_from
from .output import write_all
from .picked import head_of
from .sheets import as_table
from .terminal import Teller, put

_SHADES = " .:*#@"
_WIDE = 10  # digits beside each other


def run(k: int, page: Path | None, show: bool, tell: Teller) -> None:
    """Pick, print, draw, and leave the page."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    started = perf_counter()
    with reading_from("the digits"):
        picks = select(digits.data, k)
    seconds = perf_counter() - started
    classes = digits.target[picks.indices].tolist()
    table = {
        "pick": list(range(1, k + 1)),
        "row": list(picks),
        "gain": picks.gains.tolist(),
        "margin": picks.margins.tolist(),
        "digit": classes,
    }
    told = f"{len(set(classes))} of 10 classes, in {seconds:.2f} s"
    put(
        "\n".join([*head_of(picks), told, "", *as_table(table), "", *drawn(digits.images[picks.indices]), ""])
    )
    if page is None:
        return
    from ..report import page as report_page

    with progress_bar(tell.bar) as progress:
        reading = as_reading(digits)
        beside = compare(digits.data, k, progress=progress)
        command = shlex.join(["diverset", "demo", "-k", str(k)])
        html = report_page(reading, picks, comparison=beside, command=command, progress=progress)
    write_all({page: html.encode()})
    tell(f"The page: {page}")
    if show:
        webbrowser.open(page.resolve().as_uri())


def drawn(images: Floats) -> list[str]:
    """The images in shades of letters, side by side."""
    lines: list[str] = []
    for start in range(0, len(images), _WIDE):
        some = images[start : start + _WIDE]
        lines += ["  ".join(map(_shaded, some[:, row])).rstrip() for row in range(some.shape[1])]
        lines.append("")
    return lines[:-1]


def _shaded(levels: Floats) -> str:
    return "".join(_SHADES[int(level) // 3] for level in levels)


def as_reading(digits: Any) -> Reading:
    """The digits as a reader would give them."""
    return Reading(
        X=digits.data,
        kernel=Gaussian(),
        kind="images",
        names=[f"digit-{row:04}" for row in range(len(digits.data))],
        source="scikit-learn's handwritten digits",
        digest=hashlib.sha256(np.ascontiguousarray(digits.data).tobytes()).hexdigest(),
        columns={"digit": np.array([str(target) for target in digits.target], dtype=object)},
        pictures=(255 - digits.images * (255 / 16)).astype(np.uint8),  # dark on light, as it was written
        notes=("8 x 8 pixels of 17 grey levels, as they are",),
    )
