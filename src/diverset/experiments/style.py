"""HOW FIGURES LOOK: one look for each method, told apart without colour; files that repeat.

# look  colour, marker and line of a method, the same in every figure
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SETTINGS: dict[Any, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "legend.fontsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.2,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "svg.hashsalt": "diverset",  # the same drawing gives the same file
    "svg.fonttype": "path",
    "path.simplify": True,
}

_OPEN = {"markerfacecolor": "white"}
LOOKS: dict[str, dict[str, Any]] = {
    "uniform": {"color": "#8a8a8a", "marker": "x", "linestyle": ":"},
    "kdpp": {"color": "#1f6fb4", "marker": "s", "linestyle": "--", **_OPEN},
    "das": {
        "color": "#c2661a",
        "marker": "^",
        "linestyle": "-.",
        "markersize": 6.5,
        "markerfacecolor": "none",
    },
    "deterministic-kdpp": {"color": "#000000", "marker": "o", "linestyle": "-"},
    "derandomized": {"color": "#177245", "marker": "D", "linestyle": "-"},
    "greedy-trace": {"color": "#7a3b8f", "marker": "v", "linestyle": "--", **_OPEN},
    "greedy-map": {"color": "#a8871a", "marker": "^", "linestyle": ":", **_OPEN},
    "rpcholesky": {"color": "#3f9fb0", "marker": "P", "linestyle": "-.", **_OPEN},
    "leverage": {"color": "#9a9a9a", "marker": "1", "linestyle": "--"},
    "ridge-leverage": {"color": "#5f5f5f", "marker": "2", "linestyle": "-."},
}


@contextmanager
def paper_style() -> Iterator[Any]:
    """matplotlib.pyplot, without a screen, in our look; figures are closed on the way out."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcParams.update(mpl.rcParamsDefault)
        mpl.rcParams.update(SETTINGS)
        mpl.use("Agg")
        import matplotlib.pyplot as plt

        try:
            yield plt
        finally:
            plt.close("all")


def save(figure: Any, folder: Path, name: str, *, photo: bool = False) -> None:
    """PNG and SVG, without a date and without the version that drew them.

    Drawings need few colours: a palette makes their PNG a third of the size. Photos keep theirs.
    """
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    figure.savefig(path, metadata={"Software": None}, bbox_inches="tight")
    if not photo:
        with Image.open(path) as drawn:
            few = drawn.convert("RGB").quantize(64, dither=Image.Dither.NONE)
        few.save(path, optimize=True)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
