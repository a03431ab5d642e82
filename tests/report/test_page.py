"""The page as text: what it says, how large it is, and what it refuses."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import samples

import diverset as dv
from diverset.readers import Reading, Skipped
from diverset.report import facts as facts_module
from diverset.report import geometry, page


def few(n: int = 40, **fields) -> Reading:
    """A small pool."""
    X = np.random.default_rng(3).normal(size=(n, 3))
    given = {
        "X": X,
        "kernel": dv.Gaussian(2.0),
        "kind": "table",
        "names": [str(row) for row in range(n)],
        "source": "few.csv",
        "digest": samples.DIGEST,
        "columns": {"a": X[:, 0], "b": X[:, 1]},
    }
    return Reading(**(given | fields))


def told(html: str):
    """The facts that the page's script reads."""
    packed = re.search(r'id="facts">([^<]*)<', html)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_it_says_what_was_picked_and_how():
    reading = few(notes=("standardised",), skipped=(Skipped("odd.csv", "empty"),))
    picks = dv.select(reading.X, 5, kernel=reading.kernel)
    html = page(reading, picks, command="diverset select few.csv -k 5")
    for words in (
        "<em>5</em> of 40 rows",
        "few.csv",
        "Certified",
        "DeterministicKDPP()",
        "Gaussian(bandwidth=2.0)",
        "diverset select few.csv -k 5",
        samples.DIGEST,
        "standardised",
        "1 left out",
        "odd.csv",
        "All 40 rows",
    ):
        assert words in html, words
    assert "Methods side by side" not in html
    facts = told(html)
    assert [pick["row"] for pick in facts["picks"]] == list(picks)
    assert facts["curves"]["gains"] == pytest.approx(picks.gains, rel=1e-6)
    assert facts["export"]["command"] == "diverset select few.csv -k 5"


def test_the_same_picks_give_the_same_page():
    reading = few()
    picks = dv.select(reading.X, 5, kernel=reading.kernel)

    def without_names_of_bokeh(html):
        return re.sub(r'"(id|root_ids|root_id)":("[^"]*"|\[[^]]*\])', "", html)

    first, second = (without_names_of_bokeh(page(reading, picks)) for _ in range(2))
    assert first == second


def test_what_is_not_certain_is_said():
    reading = few()
    picks = dv.select(reading.X, 4, kernel=reading.kernel)
    doubtful = replace(picks, decided=np.array([True, True, False, False]))
    assert "Certified up to pick 2: then two items were too close" in page(reading, doubtful)
    assert "at the very first pick" in page(reading, replace(picks, decided=np.zeros(4, dtype=bool)))
    drawn = dv.sample(reading.X, 4, kernel=reading.kernel, rng=0)
    html = page(reading, drawn)
    assert "Drawn by chance" in html
    assert told(html)["picks"][0]["gain"] is None
    with pytest.warns(UserWarning, match="numerical rank"):
        short = dv.select(np.repeat([[0.0], [1.0]], 20, axis=0), 4)
    html = page(few(X=np.repeat([[0.0], [1.0]], 20, axis=0)), short)
    assert "Fewer than k items add anything new" in html


def test_picks_of_other_items_are_refused():
    reading = few(20)
    picks = dv.select(np.eye(30), 3)
    with pytest.raises(ValueError, match="rows of 30 items, the reading has 20"):
        page(reading, picks)
    picks = dv.select(reading.X, 3, kernel=reading.kernel)
    with pytest.raises(ValueError, match="comparison is of 30 items, the picks are of 20"):
        page(reading, picks, comparison=dv.compare(np.eye(30), 3, methods=["greedy-map"]))


def test_progress_is_told_from_nothing_to_all():
    reading = few()
    stages: dict[str, list[tuple[int, int]]] = {}
    page(
        reading,
        dv.select(reading.X, 3, kernel=reading.kernel),
        progress=lambda stage, done, of: stages.setdefault(stage, []).append((done, of)),
    )
    assert set(stages) == {"map", "page"}
    assert all(steps[-1][0] == steps[-1][1] for steps in stages.values())


@pytest.mark.parametrize("kind", ["digits", "texts"])
def test_without_pictures_it_is_small(kind):
    reading = getattr(samples, kind)()
    picks = dv.select(reading.X, 10, kernel=reading.kernel, method="greedy-map")
    html = page(replace(reading, pictures=None), picks)
    assert len(html.encode()) < 1_600_000


def test_fifty_thousand_texts_stay_under_three_megabytes(monkeypatch):
    """Words share what room there is: 10 characters for a name, 10 for a text."""
    monkeypatch.setattr(geometry, "LANDMARKS", 100)  # the map is another test's
    rng = np.random.default_rng(1)
    words = np.array([f"word{i}" for i in range(3000)])
    texts = [" ".join(row) for row in words[rng.integers(0, 3000, size=(50_000, 12))]]
    reading = few(50_000, kind="texts", texts=texts, names=[f"{i:05}.txt" for i in range(50_000)], columns={})
    picks = dv.select(reading.X, 20, kernel=reading.kernel, method="greedy-map")
    html = page(reading, picks)
    assert len(html.encode()) < 3_000_000
    assert texts[picks[0]] in html, "a pick is shown in full"


def test_beyond_what_can_be_drawn_it_says_so(monkeypatch):
    monkeypatch.setattr(geometry, "POINTS", 30)
    reading = few(200)
    picks = dv.select(reading.X, 8, kernel=reading.kernel)
    html = page(reading, picks)
    facts = told(html)
    rows = np.frombuffer(base64.b64decode(facts["rows"]), dtype="<u4")
    assert set(picks) <= set(rows.tolist())
    assert rows[facts["places"]].tolist() == list(picks)
    assert re.search(r"The map draws \d+ of the 200 items", html)
    assert f"{len(rows)} of 200 rows" in html


def test_columns_without_room_are_named(monkeypatch):
    monkeypatch.setattr("diverset.report.colours.BYTES", 4 * 40 + 60)
    words = np.array(["x", "y"] * 20, dtype=object)
    reading = few(columns={"a": np.linspace(0, 0.9, 40), "b": np.linspace(0, 0.8, 40), "c": words})
    html = page(reading, dv.select(reading.X, 3, kernel=reading.kernel))
    assert [column["name"] for column in told(html)["columns"]] == ["a", "c"]
    assert "cannot be coloured by b" in html


def test_many_picks_have_cards_up_to_a_point(monkeypatch):
    monkeypatch.setattr(facts_module, "CARDS", 6)
    reading = few()
    html = page(reading, dv.select(reading.X, 10, kernel=reading.kernel))
    assert html.count('class="card"') == 6
    assert len(told(html)["picks"]) == 10
    assert "The first 6 picks have a card" in html


def test_cells_show_where_a_value_lies_among_all():
    reading = few(columns={"a": np.arange(40.0), "same": np.ones(40), "hole": np.full(40, np.nan)})
    picks = dv.select(reading.X, 3, kernel=reading.kernel)
    html = page(reading, picks)
    at = 100 * (picks[0] + 0.5) / 40
    card = html[html.index('id="pick-1"') : html.index('id="pick-2"')]
    assert f"left:{at:.1f}%" in card
    assert "left:50.0%" in card, "a value that all have lies in the middle"
    assert "–" in card, "no number is a dash"


def test_pictures_that_are_gone_by_now_are_missed_without_a_fuss(tmp_path):
    reading = samples.photos(tmp_path)
    picks = dv.select(reading.X, 3, kernel=reading.kernel)
    reading.files[picks[0]].unlink()
    html = page(reading, picks)
    assert html.count("no picture") == 1
    assert html.count('src="data:image/webp') == 2


def test_photos_can_be_coloured_by_folder():
    reading = few(kind="images", names=[f"{'ab'[i % 2]}/{i}.png" for i in range(40)], columns={})
    reading = replace(reading, files=[Path("/absent")] * 40)
    html = page(reading, dv.select(reading.X, 3, kernel=reading.kernel))
    [column] = told(html)["columns"]
    assert column["name"] == "folder"
    assert column["words"] == ["a", "b"]


def test_every_file_of_the_page_is_in_the_package():
    names = {file.name for file in (files("diverset.report") / "assets").iterdir()}
    assert {"page.html", "page.css", "facts.js", "start.js"} <= names
