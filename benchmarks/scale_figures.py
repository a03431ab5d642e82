"""`python -m benchmarks.scale_figures FILE.scale.json --out docs/figures`: curves from saved answers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

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

    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for key, (label, colour, marker) in SERIES.items():
        line = sorted((a["n"], a["cpu"], a["peak"] / 1e9) for a in answers if series(a) == key)
        if line:
            n, seconds, peak = zip(*line, strict=True)
            style = {"color": colour, "marker": marker, "markersize": 5, "linewidth": 1.5}
            time.loglog(n, seconds, label=label, **style)
            memory.loglog(n, peak, label=label, **style)
    time.set_ylabel("processor seconds, both cores together")
    memory.set_ylabel("peak memory beside the rows, GB")
    for axes in (time, memory):
        axes.set_xlabel("rows")
        axes.grid(which="major", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    time.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=160)


def series(answer: Answer) -> tuple[str, str]:
    digits = (answer["solver"] or {}).get("dtype", "float64")
    return answer["settings"]["method"], digits


if __name__ == "__main__":
    main()
