"""WHAT ONE LOOKS AT, I: curves over k.

# panel  one table; random methods as their mean, with the span of the repetitions behind it
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .protocol import OURS, PAPER, RANDOM, TITLES
from .results import Results, TableResult
from .style import LOOKS, paper_style, save

LABELS = {
    "log_det": r"$\log\det K_{CC}$",
    "operator": r"$\|K-\hat K\|_2\,/\,\|K\|_2$",
    "max": r"$\|K-\hat K\|_{\max}\,/\,\|K\|_{\max}$",
    "trace": r"$\mathrm{tr}(K-\hat K)\,/\,$best at rank $k$",
    "time": "seconds",
}
FOCUS = ("kdpp", "deterministic-kdpp", *OURS)


def draw_all(results: Results, folder: Path) -> list[str]:
    """All curves that the results allow; their names."""
    tables = list(results.tables.values())
    if not tables:
        return []
    with paper_style() as plt:
        drawn = {"spectra": spectra(plt, tables)}
        if "stock" in results.tables:
            drawn["stock"] = four(plt, results.tables["stock"])
        for name, measure in (
            ("log-det", "log_det"),
            ("operator-norm", "operator"),
            ("max-norm", "max"),
            ("time", "time"),
        ):
            drawn[name] = grid(plt, tables, measure, PAPER)
        for name, measure in (
            ("ours-log-det", "log_det"),
            ("ours-operator-norm", "operator"),
            ("ours-max-norm", "max"),
            ("ours-trace-norm", "trace"),
            ("ours-time", "time"),
        ):
            drawn[name] = grid(plt, tables, measure, FOCUS)
        for name, figure in drawn.items():
            save(figure, folder, name)
    return list(drawn)


def grid(plt: Any, tables: Sequence[TableResult], measure: str, methods: Sequence[str]) -> Any:
    """One measure on every table, two panels a row."""
    rows = (len(tables) + 1) // 2
    width = 2 if len(tables) > 1 else 1
    figure, axes = plt.subplots(rows, width, figsize=(3.45 * width, 2.5 * rows), squeeze=False)
    for axis, table in zip(axes.flat, tables, strict=False):
        panel(axis, table, measure, methods)
        axis.set_title(table.title)
    for axis in axes.flat[len(tables) :]:
        axis.remove()
    for axis in axes[:, 0]:
        axis.set_ylabel(LABELS[measure])
    figure.tight_layout(h_pad=1.4, w_pad=1.4)
    _legend(figure, axes.flat[: len(tables)], columns=4)
    return figure


def four(plt: Any, table: TableResult) -> Any:
    """The four panels of one table."""
    figure, axes = plt.subplots(2, 2, figsize=(6.9, 5.0))
    for axis, measure, letter in zip(axes.flat, ("log_det", "operator", "max", "time"), "abcd", strict=True):
        panel(axis, table, measure, PAPER)
        axis.set_ylabel(LABELS[measure])
        axis.set_title(f"({letter})", loc="left")
    figure.tight_layout(h_pad=1.2, w_pad=1.4)
    _legend(figure, axes.flat, columns=4)
    return figure


def panel(axis: Any, table: TableResult, measure: str, methods: Sequence[str]) -> None:
    """One measure on one table, for these methods."""
    for method in methods:
        values = _timed(table, method) if measure == "time" else table.values(method, measure)
        if values:
            _curve(axis, method, values)
    if measure == "trace":
        ks = sorted(table.values("derandomized", "trace"))
        axis.plot(ks, [k + 1 for k in ks], color="black", linewidth=0.7, label=r"bound, $k+1$")
        axis.plot(
            ks, [1] * len(ks), color="black", linewidth=0.7, linestyle=(0, (1, 2)), label="best possible"
        )
    if measure != "log_det":
        axis.set_yscale("log")
    axis.set_xlabel("$k$")
    axis.margins(x=0.02)


def _timed(table: TableResult, method: str) -> dict[int, list[float]]:
    return {k: [row[method]] for k, row in table.times.items() if method in row}


def _curve(axis: Any, method: str, values: dict[int, list[float]]) -> None:
    ks = sorted(k for k, found in values.items() if np.isfinite(found).all())
    found = [values[k] for k in ks]
    mean = [float(np.mean(v)) for v in found]
    # DAS lies on the deterministic k-DPP where the paper says so: its open marker goes around the filled one
    order = {"deterministic-kdpp": 3, "das": 4}.get(method, 2)
    look = LOOKS[method]
    axis.plot(ks, mean, label=TITLES[method], zorder=order, markeredgewidth=0.8, **look)
    if method in RANDOM and max(map(len, found)) > 1:
        low, high = [min(v) for v in found], [max(v) for v in found]
        axis.fill_between(ks, low, high, color=look["color"], alpha=0.16, linewidth=0, zorder=1)


def spectra(plt: Any, tables: Sequence[TableResult]) -> Any:
    """The leading eigenvalues of every table, on a log scale, relative to the first."""
    figure, axes = plt.subplots(
        1, len(tables), figsize=(1.75 * len(tables) + 0.4, 1.9), squeeze=False, sharey=True
    )
    shown = 500
    for axis, table in zip(axes[0], tables, strict=True):
        values = np.array(table.spectrum[:shown])
        values = values[values > 1e-16 * values[0]]
        axis.semilogy(np.arange(1, len(values) + 1), values / values[0], color="black")
        axis.set_title(table.title)
        axis.set_xlabel("$j$")
        axis.grid(True, axis="y", linewidth=0.3, color="#cccccc")
    axes[0, 0].set_ylabel(r"$\lambda_j\,/\,\lambda_1$")
    figure.tight_layout(w_pad=0.8)
    return figure


def _legend(figure: Any, axes: Any, columns: int) -> None:
    found: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    columns = columns if len(found) != 6 else 3
    figure.legend(found.values(), found.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns)
