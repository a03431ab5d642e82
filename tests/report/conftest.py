"""One browser for all tests of the page, and a page that remembers all that it should not do."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # samples.py, by name

import samples

import diverset as dv
from diverset.report import page

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
METHODS = ("deterministic-kdpp", "greedy-map", "uniform")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium; without one, a failure in CI and a skip elsewhere."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        how = "The tests of the page need a browser. Type: sudo apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(how)
        pytest.skip(how)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@dataclass
class Opened:
    """A page in the browser, and what went wrong in it."""

    tab: Any
    wrong: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Remember every dialog, every request that leaves the file, every complaint."""
        tab, note = self.tab, self.wrong.append
        tab.on("pageerror", lambda error: note(f"error: {error}"))
        tab.on(
            "console",
            lambda said: note(f"{said.type}: {said.text}") if said.type in ("error", "warning") else None,
        )
        tab.on("request", lambda r: note(f"request: {r.url}") if not r.url.startswith(_HARMLESS) else None)

        def dialog(opened: Any) -> None:
            note(f"dialog: {opened.message}")
            opened.dismiss()

        tab.on("dialog", dialog)
        tab.on("popup", lambda other: note(f"popup: {other.url}"))

    def shot(self, name: str, *, whole: bool = False) -> None:
        ARTIFACTS.mkdir(exist_ok=True)
        self.tab.screenshot(path=ARTIFACTS / f"report-{name}.png", full_page=whole)

    def place(self, source: str, at: int) -> tuple[float, float]:
        """Where an item is on the screen."""
        self.tab.locator("#stage").scroll_into_view_if_needed()
        x, y = self.tab.evaluate(_PLACE, [source, at])
        return x, y

    def data(self, source: str) -> Any:
        """What a plot draws."""
        return self.tab.evaluate(
            "name => { for (const d of Bokeh.documents) { const m = d.get_model_by_name(name);"
            " if (m) return Object.fromEntries(Object.entries(m.data).map(([k, v]) => [k, [...v]])); } }",
            source,
        )


_HARMLESS = ("file:", "data:", "blob:")
_PLACE = """([name, at]) => {
    const view = [...Bokeh.index].find((v) => v.model.name === "map");
    const { data } = view.model.document.get_model_by_name(name);
    const box = view.el.getBoundingClientRect();
    return [box.x + view.frame.x_scale.compute(data.x[at]), box.y + view.frame.y_scale.compute(data.y[at])];
}"""


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens HTML from disk. At the end nothing may have gone wrong."""
    opened = []

    def opener(html: str | Path, **settings: Any) -> Opened:
        path = html if isinstance(html, Path) else tmp_path / "page.html"
        if isinstance(html, str):
            path.write_text(html, encoding="utf-8")
        settings = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce", **settings}
        tab = browser.new_context(accept_downloads=True, **settings).new_page()
        tab.set_default_timeout(15_000)
        found = Opened(tab)
        found.watch()
        opened.append(found)
        tab.goto(path.as_uri())
        tab.wait_for_selector("html[data-ready]")
        return found

    yield opener
    for one in opened:
        one.tab.context.close()
        assert one.wrong == []


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of each kind of item, made once."""
    made: dict[str, Path] = {}
    folder = tmp_path_factory.mktemp("pages")
    sources: dict[str, Callable[[], Any]] = {
        "digits": samples.digits,
        "photos": lambda: samples.photos(folder),
        "texts": samples.texts,
        "table": lambda: samples.table(folder),
    }

    def find(kind: str) -> Path:
        if kind not in made:
            reading = sources[kind]()
            picks = dv.select(reading.X, 12, kernel=reading.kernel)
            beside = dv.compare(reading.X, 12, kernel=reading.kernel, methods=METHODS)
            html = page(reading, picks, comparison=beside, command=f"diverset select {kind} -k 12")
            made[kind] = folder / f"{kind}.html"
            made[kind].write_text(html, encoding="utf-8")
        return made[kind]

    return find
