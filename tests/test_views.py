"""What a notebook shows of a Selection, and its gain curve."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import diverset as dv

X = np.random.default_rng(3).normal(size=(60, 4))
KERNEL = dv.Gaussian(bandwidth=1.6)
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></tr></table><h1>mine</h1>",
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}</style>",
    "&lt;already&gt; &amp; escaped",
    "abc\u202egnp.exe",
    "a name of " + 300 * "x",
]


class Seen(HTMLParser):
    """Tags with their attributes, and the text of every cell, as a browser would read them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.caption = ""
        self._in: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        while self._in and self._in.pop() != tag:
            pass

    def handle_data(self, data):
        if "caption" in self._in:
            self.caption += data
        elif self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def seen(picks) -> Seen:
    return Seen(picks._repr_html_())


# --- the table ------------------------------------------------------------------------------


def test_the_notebook_table_holds_what_the_text_table_holds():
    frame = pd.DataFrame(X, index=[f"name-{i}" for i in range(60)])
    picks = dv.select(frame, 6, kernel=KERNEL)
    page = seen(picks)
    head, *rows = page.rows
    assert head == ["pick", "row", "label", "gain", "margin", "decided"]
    for at, (pick, row, label, gain, margin, decided) in enumerate(rows):
        assert (int(pick), int(row), label) == (at, picks[at], picks.labels[at])
        assert float(gain) == pytest.approx(picks.gains[at], rel=1e-3)
        assert float(margin) == pytest.approx(picks.margins[at], rel=0.1)
        assert decided == "yes"
    for words in ("6 of 60 items", "DeterministicKDPP()", "Gaussian(bandwidth=1.6)", "certified", "log det"):
        assert words in page.caption


def test_a_reader_of_the_screen_is_told_which_cells_are_heads():
    page = seen(dv.select(X, 3, kernel=KERNEL))
    heads = [attrs["scope"] for tag, attrs in page.tags if tag == "th"]
    assert heads == ["col"] * 5 + ["row"] * 3
    assert "caption" in [tag for tag, _ in page.tags]


def test_what_is_not_decided_says_so_in_words():
    picks = dv.select(np.eye(6) * [3, 3, 3, 1, 1, 1], 2, kernel=dv.Linear())
    page = seen(picks)
    assert "not decidable from pick 0 on" in page.caption
    assert [row[-1] for row in page.rows[1:]] == ["no", "no"]


def test_a_pick_without_a_rival_says_so_and_a_draw_has_no_gains():
    picks = dv.select(X, 3, kernel=KERNEL, include=[7])
    assert seen(picks).rows[1][1:4:2] == ["7", "no rival"]
    drawn = seen(dv.sample(X, 3, kernel=KERNEL, rng=0))
    assert drawn.rows[0] == ["pick", "row"]
    assert "drawn at random" in drawn.caption


def test_beyond_the_rank_the_advice_is_in_the_caption():
    with pytest.warns(UserWarning, match="numerical rank"):
        picks = dv.select(np.repeat(X[:4, :2], 2, axis=0), 6, kernel=dv.Linear())
    assert picks.stop.value in seen(picks).caption


@pytest.mark.parametrize(("k", "rows"), [(20, 20), (21, 20), (60, 20)])
def test_a_long_table_is_cut_in_the_middle_and_says_by_how_much(k, rows):
    page = seen(dv.select(X, k, kernel=dv.Gaussian(bandwidth=0.5)))
    assert len(page.rows) == 1 + rows
    if k > 20:
        assert page.rows[16] == [f"… {k - 19} more"]
        assert [int(row[0]) for row in page.rows[17:]] == list(range(k - 4, k))


def test_hostile_labels_stay_text_in_their_cell():
    frame = pd.DataFrame(X[: len(HOSTILE)], index=HOSTILE)
    picks = dv.select(frame, len(HOSTILE), kernel=KERNEL)
    page = seen(picks)
    tags = {tag for tag, _ in page.tags}
    assert tags == {"style", "table", "caption", "strong", "span", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert {name for _, attrs in page.tags for name in attrs} == {"class", "scope", "style"}
    assert all(len(row) == 6 for row in page.rows)
    shown = [row[2] for row in page.rows[1:]]
    assert [text[:60] for text in shown] == [str(label)[:60] for label in picks.labels]
    assert max(map(len, shown)) == 80  # the long one, cut


def test_a_kernel_of_ones_own_is_escaped_too():
    class Odd:
        def __call__(self, A, B):
            return A @ B.T

        def __repr__(self):
            return "<b onclick=alert(1)>odd</b>"

    page = seen(dv.select(X, 3, kernel=Odd()))
    assert "b" not in {tag for tag, _ in page.tags}
    assert "<b onclick=alert(1)>odd</b>" in page.caption


# --- the curve ------------------------------------------------------------------------------


@pytest.fixture
def plt():
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def labelled(ax):
    return dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))


def test_the_curve_is_that_of_the_gains_and_leads_reach_the_next_best(plt):
    picks = dv.select(X, 8, kernel=KERNEL, method="greedy-map")
    ax = picks.plot()
    found = labelled(ax)
    np.testing.assert_array_equal(found["decided"].get_xydata(), np.c_[np.arange(8), picks.gains])
    (low, high) = np.array([line[:, 1] for line in found["lead over the next best"].get_segments()]).T
    np.testing.assert_array_equal(high, picks.gains)
    np.testing.assert_allclose(low, picks.gains * (1 - picks.margins))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("pick", "gain")
    assert "certified" in ax.get_title()


def test_picks_that_were_not_decidable_are_open_circles(plt):
    with pytest.warns(UserWarning, match="numerical rank"):
        picks = dv.select(np.repeat(X[:4, :2], 2, axis=0), 6, kernel=dv.Linear())
    found = labelled(picks.plot())
    assert found["not decidable"].get_markerfacecolor() == "white"
    assert found["not decidable"].get_xdata().tolist() == np.flatnonzero(~picks.decided).tolist()
    assert found["decided"].get_xdata().tolist() == np.flatnonzero(picks.decided).tolist()


def test_it_draws_into_the_axes_that_it_is_given_and_opens_no_other(plt):
    figure, (left, right) = plt.subplots(1, 2)
    assert dv.select(X, 4, kernel=KERNEL).plot(ax=right) is right
    assert right.lines
    assert not left.lines
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("wrong", ["figure", "array"])
def test_what_is_no_axes_is_refused_with_what_to_type(plt, wrong):
    figure, axes = plt.subplots(1, 2)
    with pytest.raises(TypeError, match=r"ax must be an Axes of matplotlib, got (Figure|ndarray)\. Type"):
        dv.select(X, 4, kernel=KERNEL).plot(ax=figure if wrong == "figure" else axes)


def test_gains_over_decades_are_drawn_on_a_log_scale(plt):
    line = np.linspace(0, 1, 60)[:, None]
    assert dv.select(line, 6, kernel=KERNEL, method="greedy-map").plot().get_yscale() == "log"
    assert dv.select(X, 6, kernel=KERNEL, method="greedy-map").plot().get_yscale() == "linear"


def test_draws_have_no_curve_and_say_what_has(plt):
    with pytest.raises(ValueError, match=r"KDPP\(\) gives its picks no gains.*dv\.select"):
        dv.sample(X, 3, kernel=KERNEL, rng=0).plot()
    assert plt.get_fignums() == []


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import diverset as dv\n"
        "picks = dv.select([[0.0], [1.0], [5.0]], 2)\n"
        "assert '<table' in picks._repr_html_()\n"
        "try: picks.plot()\n"
        "except ModuleNotFoundError as why: print(why)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Selection.plot() draws with matplotlib. Type: pip install 'diverset[plot]'\n"
