"""`python -m benchmarks.scale_figures FILE.scale.json --out docs/figures`: curves from saved answers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

Answer = dict[str, Any]

# method and digits of the factor -> label, colour (of a palette that all readers can tell apart), marker
SERIES = {
    ("deterministic-kdpp", "float64"): ("deterministic-kdpp, low rank", "#0072B2", "o"),
    ("deterministic-kdpp", "float32"): ("the same, float32", "#56B4E9", "s"),
    ("greedy-map", "float64"): ("greedy-map", "#D55E00", "^"),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    answers = [a for file in given.files for a in json.loads(file.read_text()) if a["do"] == "reach"]
    draw([a for a in answers if "problem" not in a], given.out / "how-it-scales.png")


def draw(answers: list[Answer], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for key, (label, colour, marker) in SERIES.items():
        line = sorted((a["n"], a["cpu"], a["peak"] / 1e6) for a in answers if series(a) == key)
        if line:
            n, seconds, peak = zip(*line, strict=True)
            style = {"color": colour, "marker": marker, "markersize": 5, "linewidth": 1.5}
            time.loglog(n, seconds, label=label, **style)
            memory.loglog(n, peak, label=label, **style)
    time.set_ylabel("processor seconds, all cores together")
    memory.set_ylabel("peak memory beside the rows, MB")
    for axes in (time, memory):
        for axis in (axes.xaxis, axes.yaxis):  # whole decades, marked at their ends alone
            low, high = axis.get_view_interval()
            axis.set_view_interval(10.0 ** np.floor(np.log10(low)), 10.0 ** np.ceil(np.log10(high)), True)
            axis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("rows")
        axes.grid(which="major", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    time.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=160)


def series(answer: Answer) -> tuple[str, str]:
    digits = "float32" if answer["title"].endswith("float32") else "float64"
    return answer["settings"]["method"], digits


if __name__ == "__main__":
    main()
