"""HOW DOES A SELECTION LOOK? As text, as a table for notebooks, and as a curve of its gains.

# shown  the places of the picks in a table; None stands for those left out of a long one
# share  a gain over the largest of them: the length of the bar behind it
# lead   from the gain of a pick down to what is left of it when its margin is taken off
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Floats
from .selection import Selection, Stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONG, _HEAD, _TAIL = 20, 15, 4  # a table of more picks than _LONG shows the first and the last
_LABEL = 80  # characters of a label in a notebook
_DECADES = 100.0  # gains further apart than this are drawn on a log scale


def heading(picks: Selection) -> str:
    return f"{picks.k} of {picks.n:,} items by {picks.method}, {picks.kernel}"


def certainty(picks: Selection) -> str:
    """How sure the picks are, in words."""
    if picks.stop is Stop.DRAWN:
        sure = "drawn at random"
    elif picks.certified:
        sure = "certified"
    else:
        sure = f"not decidable from pick {picks.undecided} on"
    return sure if picks.missed is None else f"{sure}, {picks.missed:.1e} of the trace missed"


def shown(k: int) -> list[int | None]:
    """Which places of k a table shows.

    >>> shown(21)[13:]
    [13, 14, None, 17, 18, 19, 20]
    """
    if k <= _LONG:
        return list(range(k))
    return [*range(_HEAD), None, *range(k - _TAIL, k)]


# --- text -----------------------------------------------------------------------------------


def text_table(picks: Selection) -> str:
    """The picks as a short table; those that the noise could have changed end in a question mark."""
    title = f"{'pick':>5}{'row':>9}{'gain':>12}{'margin':>10}" + ("  label" if _labelled(picks) else "")
    mark = "" if picks.certified or picks.stop is Stop.DRAWN else " (marked ?)"
    lines = [f"{'...':>5}" if at is None else _line(picks, at) for at in shown(picks.k)]
    if picks.stop is Stop.RANK:
        lines.append(picks.stop.value)
    sure = f"{certainty(picks)}{mark}, log det {picks.log_det:.4g}"
    return "\n".join([heading(picks), sure, title, *lines])


def _labelled(picks: Selection) -> bool:
    return picks.labels is not None


def _line(picks: Selection, at: int) -> str:
    line = f"{at:>5}{picks.indices[at]:>9}{_number(picks.gains[at], '.4g'):>12}"
    line += f"{_number(picks.margins[at], '.1e'):>10}"
    if _labelled(picks):
        line += f"  {picks.labels[at]}"
    return line if picks.decided[at] or picks.stop is Stop.DRAWN else line + "  ?"


def _number(value: float, form: str, without: str = "-") -> str:
    return format(value, form) if np.isfinite(value) else without


# --- a table for notebooks ------------------------------------------------------------------

# Every colour is a shade of the notebook's own text colour: light and dark need no telling apart.
_STYLE = """
.diverset-picks{border-collapse:collapse;font-size:13px;line-height:1.5;margin:.4em 0;
min-width:min(34em,100%)}
.diverset-picks caption{text-align:left;caption-side:top;padding:0 0 .5em;color:inherit}
.diverset-picks caption strong,.diverset-picks caption span{display:block;max-width:46em}
.diverset-picks caption span{opacity:.75}
.diverset-picks th,.diverset-picks td{padding:.12em .9em;text-align:right;white-space:nowrap;
background:none;border:0;border-bottom:1px solid color-mix(in srgb,currentColor 14%,transparent);
font-variant-numeric:tabular-nums}
.diverset-picks th{font-weight:normal;opacity:.75}
.diverset-picks .words{text-align:left;max-width:26em;overflow:hidden;text-overflow:ellipsis}
.diverset-picks .gain{background:linear-gradient(to right,
color-mix(in srgb,currentColor 16%,transparent) var(--share),transparent var(--share))}
"""


def html_table(picks: Selection) -> str:
    """The picks as HTML: no script, no request; labels escaped, short, and kept to their cell."""
    heads = "".join(f'<th scope="col"{_words(name)}>{name}</th>' for name in _columns(picks))
    words = [f"{certainty(picks)}, log det {picks.log_det:.4g}"]
    words += [picks.stop.value] if picks.stop is Stop.RANK else []
    caption = "".join(f"<span>{escape(line)}</span>" for line in words)
    return (
        f'<style>{_STYLE}</style><table class="diverset-picks">'
        f"<caption><strong>{escape(heading(picks))}</strong>{caption}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(_rows(picks))}</tbody></table>"
    )


def _columns(picks: Selection) -> list[str]:
    """Draws have no gains and nothing that was decided."""
    label = ["label"] if _labelled(picks) else []
    return ["pick", "row", *label, *([] if picks.stop is Stop.DRAWN else ["gain", "margin", "decided"])]


def _rows(picks: Selection) -> Iterator[str]:
    columns, shares = _columns(picks), _shares(picks.gains)
    for at in shown(picks.k):
        if at is None:
            left_out = picks.k - _HEAD - _TAIL
            yield f'<tr><td class="words" colspan="{len(columns)}">… {left_out:,} more</td></tr>'
        else:
            cells = "".join(_cell(picks, name, at, shares[at]) for name in columns)
            yield f"<tr>{cells}</tr>"


def _cell(picks: Selection, name: str, at: int, share: float) -> str:
    match name:
        case "pick":
            return f'<th scope="row">{at}</th>'
        case "row":
            return f"<td>{picks.indices[at]}</td>"
        case "label":
            return f"<td{_words(name)}>{_isolated(picks.labels[at])}</td>"
        case "gain":
            gain = _number(picks.gains[at], ".4g", "–")
            return f'<td class="gain" style="--share:{share:.0%}">{gain}</td>'
        case "margin":
            without = "no rival" if np.isposinf(picks.margins[at]) else "–"
            return f"<td>{_number(picks.margins[at], '.1e', without)}</td>"
        case _:
            return f"<td>{'yes' if picks.decided[at] else '<strong>no</strong>'}</td>"


def _words(name: str) -> str:
    return ' class="words"' if name == "label" else ""


def _isolated(label: object) -> str:
    """Signs that turn the direction of writing end with the cell."""
    text = str(label)
    short = text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
    return f"<bdi>{escape(short)}</bdi>"


def _shares(gains: Floats) -> Floats:
    known = np.maximum(np.nan_to_num(gains), 0.0)
    most = known.max(initial=0.0)
    return np.asarray(known / most if most > 0 else known)


# --- the gain curve -------------------------------------------------------------------------


def plot_gains(picks: Selection, ax: Axes | None) -> Axes:
    """Filled circles are decided picks, open ones could have gone otherwise; bars are the leads."""
    gains = np.asarray(picks.gains, dtype=np.float64)
    if not np.isfinite(gains).any():
        raise ValueError(
            f"{picks.method} gives its picks no gains: there is no curve to plot. "
            "Deterministic methods do: dv.select(X, k).plot()."
        )
    if ax is None:
        ax = _new_axes()
    elif not hasattr(ax, "vlines"):
        raise TypeError(
            f"ax must be an Axes of matplotlib, got {type(ax).__name__}. "
            "Type figure, ax = plt.subplots(), then picks.plot(ax=ax)."
        )
    _draw_leads(ax, gains, picks.margins)
    ax.plot(np.arange(picks.k), gains, color="C0", linewidth=1.0, zorder=2)
    for which, fill, label in ((picks.decided, "C0", "decided"), (~picks.decided, "white", "not decidable")):
        if which.any():
            _draw_circles(ax, np.flatnonzero(which), gains[which], fill, label)
    positive = gains[gains > 0]
    if len(positive) and positive.max() > _DECADES * positive.min():
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0.0)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("pick")
    ax.set_ylabel("gain")
    ax.set_title(f"{picks.k} of {picks.n:,} items, {certainty(picks)}")
    ax.legend()
    return ax


def _new_axes() -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "Selection.plot() draws with matplotlib. Type: pip install 'diverset[plot]'", name="matplotlib"
        ) from None
    axes: Axes = plt.subplots()[1]
    return axes


def _draw_leads(ax: Axes, gains: Floats, margins: Floats) -> None:
    """From the gain of a pick down to that of the best item it beat, where it beat one."""
    at = np.flatnonzero(np.isfinite(margins) & np.isfinite(gains))
    if len(at):
        low = gains[at] * np.maximum(1.0 - margins[at], 0.0)
        ax.vlines(at, low, gains[at], color="C0", alpha=0.35, linewidth=4.0, label="lead over the next best")


def _draw_circles(ax: Axes, at: Any, gains: Floats, fill: str, label: str) -> None:
    ax.plot(
        at,
        gains,
        linestyle="none",
        marker="o",
        markeredgecolor="C0",
        markerfacecolor=fill,
        label=label,
        zorder=3,
    )
