"""The page, looked at in a real browser: everything on it works, and nothing leaves it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import samples

import diverset as dv
from diverset.report import geometry, page

pytestmark = pytest.mark.xdist_group("browser")

KINDS = "digits", "photos", "texts", "table"


@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_from_disk_at_every_width_light_and_dark(open_page, pages, kind):
    opened = open_page(pages(kind))
    assert opened.tab.locator(".card").count() == 12
    for width, scheme in ((1440, "light"), (390, "dark")):
        opened.tab.set_viewport_size({"width": width, "height": 900})
        opened.tab.emulate_media(color_scheme=scheme)
        opened.tab.wait_for_timeout(300)  # plots are drawn again
        assert opened.tab.evaluate("document.documentElement.scrollWidth") == width, "it scrolls sideways"
        opened.shot(f"{kind}-{width}-{scheme}", whole=True)
    assert opened.tab.locator("#why").is_hidden(), "where there is little room it comes when it is asked"
    opened.tab.click("#pick-2 .card")
    assert opened.tab.locator("#why").bounding_box()["y"] > 300
    opened.shot(f"{kind}-390-why")
    opened.tab.click("#why-close")
    assert opened.tab.locator("#why").is_hidden()


@pytest.mark.parametrize("kind", KINDS)
def test_slider_hover_lasso_tabs_and_exports_work(open_page, pages, kind):
    opened = open_page(pages(kind))
    hovering_shows_an_item(opened, pictures=kind in ("digits", "photos"))
    the_lasso_lists_items_and_exports_them(opened)
    tabs_show_what_each_method_picks(opened)
    the_slider_drives_gallery_map_and_curves(opened)
    exports_hold_the_picks_that_are_shown(opened, kind)


def the_slider_drives_gallery_map_and_curves(opened):
    slider = opened.tab.locator("#first")
    slider.focus()
    slider.press("Home")
    for _ in range(3):
        slider.press("ArrowRight")
    assert opened.tab.locator("#first-out").text_content() == "4"
    assert opened.tab.locator(".cards li:visible").count() == 4
    assert opened.data("picks-data")["label"] == ["1", "2", "3", "4"]
    assert opened.data("gains-first-data")["x"] == [1, 2, 3, 4]
    assert len(opened.data("coverage-rest-data")["x"]) == 8
    assert "pick 4 adds" in opened.tab.locator("#now").text_content()


def hovering_shows_an_item(opened, pictures):
    tip = opened.tab.locator("#tip")
    assert tip.is_hidden()
    opened.tab.mouse.move(*opened.place("picks-data", 0))
    assert "pick 1" in tip.text_content()
    assert tip.locator("img").count() == pictures
    name = opened.tab.locator("#pick-1 .name").text_content()
    assert name in tip.text_content()
    opened.tab.mouse.move(5, 5)
    assert tip.is_hidden()


def the_lasso_lists_items_and_exports_them(opened):
    opened.tab.click("text=Lasso")
    box = opened.tab.locator("#map").bounding_box()
    left, top, right, bottom = (
        box["x"] + 4,
        box["y"] + 4,
        box["x"] + box["width"] / 2,
        box["y"] + box["height"] - 4,
    )
    mouse = opened.tab.mouse
    mouse.move(left, top)
    mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        mouse.move(x, y, steps=4)
    mouse.up()
    heading = opened.tab.locator("#chosen-count").text_content()
    count = int(heading.split()[0].replace(",", ""))
    half = [x < 0.5 for x in opened.data("pool-data")["x"]]
    assert abs(count - sum(half)) <= 0.02 * len(half) + 2, "the left half was drawn around"
    assert opened.tab.locator("#chosen-list li").count() == min(count, 60)
    with opened.tab.expect_download() as download:
        opened.tab.click("#chosen-csv")
    with Path(download.value.path()).open(newline="", encoding="utf-8") as stream:
        records = list(csv.DictReader(stream))
    assert len(records) == count
    assert all(half[int(record["row"])] for record in records[: count // 2])
    opened.tab.click("#chosen-clear")
    assert opened.tab.locator("#chosen").is_hidden()


def test_zoom_and_keys_move_the_map(open_page, pages):
    opened = open_page(pages("digits"))
    ends = """() => {
        const { x_range } = [...Bokeh.index].find((v) => v.model.name === "map").model;
        return [x_range.start, x_range.end];
    }"""
    before = opened.tab.evaluate(ends)
    opened.tab.click("[aria-label='Zoom in']")
    after = opened.tab.evaluate(ends)
    assert after[1] - after[0] == pytest.approx(0.6 * (before[1] - before[0]))
    opened.tab.focus("#map")
    opened.tab.keyboard.press("ArrowRight")
    assert opened.tab.evaluate(ends)[0] > after[0]
    opened.tab.keyboard.press("0")
    assert opened.tab.evaluate(ends) == before


def test_why_this_one_says_gain_margin_and_the_nearest_earlier_pick(open_page, pages):
    opened = open_page(pages("photos"))
    opened.tab.click("#pick-3 .card")
    said = opened.tab.locator("#why-body").text_content()
    assert "Pick 3 of 12" in said
    assert "of the largest gain" in said
    assert "It led the best item that it beat by" in said
    assert "Certified" in said
    assert "Its nearest earlier pick" in said
    assert len(opened.data("ring-data")["x"]) == len(opened.data("link-data")["x0"]) == 1
    opened.tab.click(".why-earlier")
    assert opened.tab.locator(".card[aria-pressed=true]").count() == 1
    assert "Pick 3 of 12" not in opened.tab.locator("#why-body").text_content()


def test_the_gallery_is_walked_by_keys(open_page, pages):
    opened = open_page(pages("digits"))
    opened.tab.focus("#pick-1 .card")
    opened.tab.keyboard.press("ArrowRight")
    opened.tab.keyboard.press("ArrowRight")
    assert opened.tab.evaluate("document.activeElement.parentElement.id") == "pick-3"
    assert "Pick 3 of 12" in opened.tab.locator("#why-body").text_content()
    opened.tab.keyboard.press("Escape")
    assert opened.tab.locator(".card[aria-pressed=true]").count() == 0
    ring = opened.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert ring == "solid", "who walks by keys sees where"


def test_the_tabulator_stops_once_at_gallery_and_map_and_never_within_a_plot(open_page, pages):
    opened = open_page(pages("texts"))
    stops = []
    for _ in range(40):
        opened.tab.keyboard.press("Tab")
        stops.append(opened.tab.evaluate("document.activeElement.id || document.activeElement.className"))
    stops = stops[: stops.index("skip", 1)] if "skip" in stops[1:] else stops
    assert stops.count("card") == 1
    assert stops.count("map") == 1
    assert not [stop for stop in stops if stop.startswith("bk-")]
    assert {"first", "export-csv", "colour", "tab-0", "method-panel"} <= set(stops)


def test_clicking_a_pick_on_the_map_chooses_it(open_page, pages):
    opened = open_page(pages("table"))
    opened.tab.mouse.click(*opened.place("picks-data", 11))
    assert opened.tab.locator("#pick-12 .card").get_attribute("aria-pressed") == "true"


def tabs_show_what_each_method_picks(opened):
    first = opened.data("theirs-data")["x"]
    assert opened.tab.locator("#method-strip li.shared").count() == 12
    opened.tab.focus("#tab-0")
    opened.tab.keyboard.press("ArrowRight")
    assert opened.tab.locator("#tab-1").get_attribute("aria-selected") == "true"
    opened.tab.click("#tab-2")
    assert opened.data("theirs-data")["x"] != first
    shared = opened.tab.locator("#method-strip li.shared").count()
    assert opened.tab.locator("#method-said").text_content().startswith(f"{shared} of its 12 picks")
    overlap = opened.tab.locator(".overlap tbody tr").nth(0).locator("td").nth(2).text_content()
    assert overlap == str(shared)


def exports_hold_the_picks_that_are_shown(opened, kind):
    opened.tab.locator("#first").fill("5")
    with opened.tab.expect_download() as download:
        opened.tab.click("#export-csv")
    assert download.value.suggested_filename == "picks.csv"
    with Path(download.value.path()).open(newline="", encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    with opened.tab.expect_download() as download:
        opened.tab.click("#export-json")
    told = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [int(record["pick"]) for record in table] == [1, 2, 3, 4, 5]
    assert [int(record["row"]) for record in table] == [pick["row"] for pick in told["picks"]]
    assert told["command"] == f"diverset select {kind} -k 12"
    assert told["k"] == 12
    assert len(told["digest"]) == 64


def test_colours_come_with_a_legend(open_page, pages):
    opened = open_page(pages("digits"))
    plain = set(opened.data("pool-data")["color"])
    assert len(plain) == 1
    opened.tab.select_option("#colour", label="class")
    assert opened.tab.locator("#legend .entry").count() == 10
    drawn = opened.data("pool-data")
    told_apart = set(zip(drawn["color"], drawn["marker"], strict=True))
    assert len(told_apart) == 10, "ten classes by colour and shape"
    opened.shot("digits-classes")
    opened.tab.select_option("#colour", label="ink")
    assert opened.tab.locator("#legend .gradient").count() == 1
    assert len(set(opened.data("pool-data")["color"])) > 30
    opened.tab.select_option("#colour", label="nothing")
    assert opened.tab.locator("#legend").is_hidden()


def test_plots_follow_light_and_dark(open_page, pages):
    opened = open_page(pages("photos"), color_scheme="light")
    light = opened.data("pool-data")["color"][0]
    opened.tab.click("text=Dark")
    assert opened.data("pool-data")["color"][0] != light
    assert opened.tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 18, 20)"
    opened.tab.click("text=Auto")
    assert opened.data("pool-data")["color"][0] == light
    opened.tab.emulate_media(color_scheme="dark")
    for _ in range(100):  # the page's policy allows no function to wait for
        if opened.data("pool-data")["color"][0] != light:
            break
        opened.tab.wait_for_timeout(50)
    assert opened.data("pool-data")["color"][0] != light


CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (levels) => {
        const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const [r, g, b] = levels.map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
        for (; node; node = node.parentElement) {
            const levels = rgb(getComputedStyle(node).backgroundColor);
            if (levels[3] === 255) return levels;
        }
        return [255, 255, 255, 255];
    };
    const poor = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        const words = walker.currentNode.data.trim();
        if (!words || !node.checkVisibility() || node.closest("script, style, noscript")) continue;
        const a = light(rgb(getComputedStyle(node).color)), b = light(behind(node));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${node.className} ${words.slice(0, 30)}`);
    }
    return poor;
}"""


def test_every_word_stands_out_from_what_is_behind_it(open_page, pages):
    opened = open_page(pages("table"))
    opened.tab.click("#pick-2 .card")
    for scheme in ("light", "dark"):
        opened.tab.emulate_media(color_scheme=scheme)
        assert opened.tab.evaluate(CONTRAST) == [], scheme


def test_everything_that_works_has_a_name_for_those_who_cannot_see_it(open_page, pages):
    opened = open_page(pages("photos"))
    unnamed = """() => {
        const named = (e) =>
            e.textContent.trim() || e.ariaLabel || e.getAttribute("aria-labelledby") || e.labels?.length;
        const all = document.querySelectorAll("button, select, input, [role], [tabindex='0']");
        return [...all].filter((e) => e.checkVisibility() && !named(e)).map((e) => e.outerHTML.slice(0, 100));
    }"""
    assert opened.tab.evaluate(unnamed) == []
    assert opened.tab.locator("html").get_attribute("lang") == "en"
    assert opened.tab.locator("h1").count() == 1
    opened.tab.keyboard.press("Tab")
    assert opened.tab.evaluate("document.activeElement.className") == "skip"
    opened.tab.click("#table-title")
    rows = opened.tab.locator(".as-table tbody tr")
    assert rows.count() == 12
    assert rows.nth(0).locator("th[scope=row]").count() == 1


def test_it_says_what_there_is_without_a_script(browser, pages):
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(pages("texts").as_uri())
    assert tab.locator(".card").count() == 12
    assert tab.locator(".bar").is_hidden()
    assert "Without JavaScript" in tab.locator(".noscript").text_content()
    tab.context.close()


def test_fifty_thousand_points_are_drawn_in_seconds(open_page, monkeypatch):
    monkeypatch.setattr(geometry, "LANDMARKS", 100)  # the map is another test's
    reading = samples.large(50_000)
    picks = dv.select(reading.X, 30, kernel=reading.kernel, method="greedy-map")
    html = page(reading, picks)
    assert len(html.encode()) < 3_000_000
    opened = open_page(html)
    ready = int(opened.tab.locator("html").get_attribute("data-ready"))
    assert ready < 10_000, (
        "milliseconds from the start of the page until all is drawn"
    )  # 1,500 on a quiet core
    count = "() => Bokeh.documents[0].get_model_by_name('pool-data').data.x.length"
    assert opened.tab.evaluate(count) == 50_000
    paint = """() => {
        const view = [...Bokeh.index].find((v) => v.model.name === "map");
        const start = performance.now();
        view.paint();
        return performance.now() - start;
    }"""
    assert opened.tab.evaluate(paint) < 2_000  # 150 on a quiet core
    opened.tab.select_option("#colour", label="cluster")
    opened.shot("large")
