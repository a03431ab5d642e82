"""WHICH PLOTS? Figures without data and without colours: the page's script brings both.

Bokeh draws on a canvas, not by WebGL: its WebGL layer makes programs out of texts, which the page's
policy forbids to everybody. 50,000 points take about 0.15 s to draw; what moves with the slider (picks,
rings, lines) lies on a layer of its own and is drawn alone.
"""

from __future__ import annotations

import json
from typing import Any


def figures() -> dict[str, Any]:
    """Every figure as JSON, by the id of the element that it goes to."""
    made = {
        "map": _map(),
        "gains": _curve("gains", log=True),
        "coverage": _curve("coverage"),
        "spectrum": _curve("spectrum", log=True),
        "method-map": _small_map(),
    }
    from bokeh.core.types import ID
    from bokeh.embed import json_item

    return {name: json_item(figure, ID(name)) for name, figure in made.items()}


def as_json(items: dict[str, Any]) -> str:
    """For a script element. Nothing in it comes from the items; it is escaped all the same.

    >>> as_json({"a": "</script>"})
    '{"a":"\\\\u003c/script>"}'
    """
    return json.dumps(items, separators=(",", ":")).replace("<", "\\u003c")


def _figure(name: str, **settings: Any) -> Any:
    from bokeh.plotting import figure

    plot = figure(
        name=name,
        tools="",
        toolbar_location=None,
        sizing_mode="stretch_both",
        min_border=0,
        outline_line_color=None,
        background_fill_color=None,
        border_fill_color=None,
        **settings,
    )
    plot.grid.visible = False
    plot.axis.axis_line_color = None
    plot.axis.minor_tick_line_color = None
    plot.axis.major_tick_line_color = None
    plot.axis.major_label_text_font_size = "11px"
    return plot


def _source(name: str, *columns: str) -> Any:
    from bokeh.models import ColumnDataSource

    return ColumnDataSource({column: [] for column in columns}, name=f"{name}-data")


def _map() -> Any:
    from bokeh.models import HoverTool, LassoSelectTool, PanTool, Range1d, TapTool, WheelZoomTool

    plot = _figure(
        "map",
        x_range=Range1d(start=0, end=1),
        y_range=Range1d(start=0, end=1),
        lod_threshold=20_000,
        lod_factor=4,
    )
    plot.axis.visible = False
    pool = plot.scatter(
        "x",
        "y",
        marker="marker",
        size="size",
        fill_color="color",
        line_color=None,
        fill_alpha=0.75,
        nonselection_fill_alpha=0.12,
        hit_dilation=2.5,
        source=_source("pool", "x", "y", "color", "marker", "size"),
        name="pool",
    )
    link = plot.segment(
        "x0", "y0", "x1", "y1", line_width=1.5, source=_source("link", "x0", "y0", "x1", "y1"), name="link"
    )
    ring = plot.scatter(
        "x",
        "y",
        size="size",
        fill_color=None,
        line_width=2.5,
        source=_source("ring", "x", "y", "size"),
        name="ring",
    )
    picked = _source("picks", "x", "y", "size", "label")
    dots = plot.scatter("x", "y", size="size", line_width=1.5, source=picked, name="picks")
    labels = plot.text(
        "x",
        "y",
        text="label",
        text_align="center",
        text_baseline="middle",
        text_font_size="11px",
        text_font_style="bold",
        source=picked,
        name="labels",
    )
    for renderer in (dots, labels):
        renderer.nonselection_glyph = None
    for renderer in (link, ring, dots, labels):
        renderer.level = "overlay"
    plot.add_tools(
        PanTool(name="pan"),
        LassoSelectTool(name="lasso", renderers=[pool], continuous=False),
        TapTool(name="tap", renderers=[pool, dots]),
        WheelZoomTool(name="wheel", modifiers={"ctrl": True}),
        HoverTool(name="hover", tooltips=None, renderers=[pool, dots]),
    )
    return plot


def _small_map() -> Any:
    from bokeh.models import Range1d

    plot = _figure("method-map", x_range=Range1d(start=0, end=1), y_range=Range1d(start=0, end=1))
    plot.axis.visible = False
    plot.scatter(
        "x", "y", size=3, line_color=None, fill_alpha=0.6, source=_source("some", "x", "y"), name="pool"
    )
    picked = plot.scatter("x", "y", size=11, line_width=1.5, source=_source("theirs", "x", "y"), name="picks")
    picked.level = "overlay"
    return plot


def _curve(name: str, *, log: bool = False) -> Any:
    """A curve over places, with the first j of them in full colour."""
    from bokeh.models import Range1d
    from bokeh.models.annotations import Span

    # log plots need a range above zero before they have data
    ranges = {"x_range": Range1d(start=0, end=1), "y_range": Range1d(start=0.1, end=1)}
    plot = _figure(name, y_axis_type="log" if log else "linear", **ranges)
    plot.ygrid.visible = True
    plot.xaxis.ticker.min_interval = 1
    plot.line("x", "y", line_width=1.5, line_alpha=0.5, source=_source(f"{name}-all", "x", "y"), name="line")
    plot.scatter("x", "y", size=4, line_color=None, source=_source(f"{name}-rest", "x", "y"), name="pool")
    plot.scatter("x", "y", size=6, line_color=None, source=_source(f"{name}-first", "x", "y"), name="picks")
    plot.add_layout(Span(dimension="height", location=0, line_dash="dotted", line_width=1.5, name="here"))
    return plot
