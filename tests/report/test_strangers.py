"""Hostile names, columns, words and texts: all are read, none does anything."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from samples import DIGEST

import diverset as dv
from diverset.commands.sheets import neutral
from diverset.methods import Outcome, Problem
from diverset.readers import Reading, Skipped
from diverset.report import page
from diverset.report.safe import visible

PAYLOADS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</ScRiPt ><script>alert(3)</script>",
    "<!--<script>",
    "--><script>alert(4)</script>",
    "]]><script>alert(5)</script>",
    "</style><script>alert(6)</script>",
    "</title><script>alert(7)</script>",
    "</textarea></select></option><img src=x onerror=alert(8)>",
    "<img src=x onerror=alert(9)>",
    "<img src='https://example.invalid/pixel.gif'>",
    '"><img src=x onerror=alert(10)>',
    "' onmouseover='alert(11)",
    '" onfocus="alert(12)" autofocus tabindex=1 x="',
    "x onclick=alert(13)",
    "<svg onload=alert(14)>",
    "<svg><script href='data:text/javascript,alert(15)'/></svg>",
    "<svg><animate onbegin=alert(16) attributeName=x dur=1s>",
    "<math><mtext></mtext><script>alert(17)</script></math>",
    "<iframe srcdoc='<script>alert(18)</script>'></iframe>",
    "<object data='javascript:alert(19)'></object>",
    "<embed src='//example.invalid/x.swf'>",
    "<link rel=stylesheet href=https://example.invalid/x.css>",
    "<style>@import 'https://example.invalid/y.css';</style>",
    "<base href='https://example.invalid/'>",
    "<meta http-equiv=refresh content='0;url=https://example.invalid/'>",
    "<form action=javascript:alert(20)><button autofocus>go</button></form>",
    "<a href='javascript:alert(21)'>here</a>",
    "javascript:alert(22)",
    "<details open ontoggle=alert(23)>",
    "{{ 7 * 7 }}{% raw %}${alert(24)}#{alert(25)}",
    "{{ self.__init__.__globals__ }}",
    "@{name}{safe} @$name $index $x @{<img src=x onerror=alert(26)>}",
    "&lt;script&gt;alert(27)&lt;/script&gt; &#x3C;b&#x3E;",
    "invoice\u202egnp.exe \u2066hidden\u2069 \u200f right",
    "a\u0000b\u0007c\u001b[31m\u2028alert(28)\u2029",
    "\udcff\ud800 no UTF-8",
    '=HYPERLINK("https://example.invalid","x")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "__proto__",
    "constructor",
    "\\u003cscript\\u003ealert(29)\\u003c/script\\u003e \\x3cb\\x3e",
)
N = len(PAYLOADS)


_EVERYTHING = """() => {
    const all = (names) => [...document.querySelectorAll(names)];
    const colour = document.getElementById("colour");
    for (const { value } of colour.options) {
        colour.value = value;
        colour.dispatchEvent(new Event("change"));
    }
    all(".card, [role=tab], summary, [data-theme-to]").forEach((one) => one.click());
    const pool = Bokeh.documents.map((d) => d.get_model_by_name("pool-data")).find(Boolean);
    pool.selected.indices = pool.data.x.map((_, at) => at);
}"""


@dataclass(frozen=True)
class Named:
    """A method whose name is a stranger's."""

    name: str

    def select(self, problem: Problem) -> Outcome:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.name


def hostile(kind: str) -> str:
    """A page in which every field is a payload, and every payload is in every field."""
    X = np.random.default_rng(0).normal(size=(N, 3))
    words = np.array(PAYLOADS, dtype=object)
    columns = {f"{name} {i}": np.roll(words, i) for i, name in enumerate(PAYLOADS)} if kind == "table" else {}
    # few enough words to colour by, and numbers
    columns |= {name: words[(np.arange(N) % 9 + 9 * i) % N] for i, name in enumerate(PAYLOADS[:5])}
    columns |= {name: words[np.arange(N) % 9] for name in PAYLOADS[5:]} if kind == "texts" else {}
    columns["n" + PAYLOADS[0]] = X[:, 0]
    reading = Reading(
        X=X,
        kernel=dv.Gaussian(),
        kind=kind,
        names=list(PAYLOADS),
        source=" ".join(PAYLOADS),
        digest=DIGEST,
        columns=columns,
        texts=list(np.roll(words, 7)) if kind == "texts" else None,
        pictures=np.zeros((N, 4, 4)) if kind == "images" else None,
        skipped=tuple(Skipped(name, name) for name in PAYLOADS),
        notes=PAYLOADS,
    )
    picks = dv.select(X, N, kernel=reading.kernel)
    beside = dv.compare(X, N - 5, kernel=reading.kernel, methods=["greedy-map"] * N)
    renamed = [
        replace(one, selection=replace(one.selection, method=Named(name)))
        for one, name in zip(beside, PAYLOADS, strict=True)
    ]
    return page(
        reading,
        replace(picks, method=Named(" ".join(PAYLOADS))),
        comparison=replace(beside, compared=tuple(renamed), notes=PAYLOADS),
        command=" ".join(PAYLOADS),
    )


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("kind", ["table", "texts", "images"])
def test_forty_payloads_in_every_field_do_nothing(open_page, kind):
    """No dialog, no request, no complaint: the fixture checks; no element that we did not write: below."""
    opened = open_page(hostile(kind))
    tab = opened.tab
    opened.shot(f"strangers-{kind}")
    for at in range(0, N, 6):
        tab.mouse.move(*opened.place("picks-data", at))
    assert "most like" in tab.locator("#tip").text_content() or "pick" in tab.locator("#tip").text_content()
    tab.evaluate(_EVERYTHING)
    assert tab.locator("#chosen-list li").count() == N
    tab.wait_for_timeout(200)
    strange = "iframe, object, embed, link:not([rel=icon]), base, form, a:not(.skip), math, animate, textarea"
    count = "names => names.map((name) => document.querySelectorAll(name).length)"  # not those of the plots
    assert tab.evaluate(count, [strange, "script", "svg", "style"]) == [0, 5, 1, 1]
    assert tab.evaluate("[...document.images].every((one) => /^data:image/.test(one.src))")
    handlers = """() => [...document.querySelectorAll("*")]
        .flatMap((one) => [...one.attributes])
        .filter((attribute) => attribute.name.startsWith("on"))
        .map((attribute) => attribute.ownerElement.outerHTML.slice(0, 200))"""
    assert tab.evaluate(handlers) == []
    shown = tab.evaluate("document.body.innerText")
    assert "<script>alert(1)</script>" in shown, "it is shown as what it is"
    assert "49" not in tab.locator(".source").text_content(), "no template saw it"
    assert not set("\u202e\u2066\u2069\u200f\u2028\x00\x07\x1b") & set(shown), (
        "what cannot be seen is written out"
    )
    assert "‹U+202E›" in shown
    assert "‹0xff›" in shown


@pytest.mark.xdist_group("browser")
def test_exports_of_the_page_are_as_harmless_as_those_of_the_command(open_page):
    """The rule stands twice, in Python and in the page's script."""
    names = [
        f"{start}{rest}" for start in "=+-@\t\r\n＝＋－＠'x" for rest in ("SUM(A1)", "3.5", "1e5", ".5", "")
    ]
    reading = Reading(
        X=np.eye(len(names)), kernel=dv.Linear(), kind="table", names=names, source="x", digest=DIGEST
    )
    picks = dv.select(reading.X, len(names), kernel=reading.kernel)
    opened = open_page(page(reading, picks))
    with opened.tab.expect_download() as download:
        opened.tab.click("#export-csv")
    with Path(download.value.path()).open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["name"] for row in rows] == [neutral(names[row]) for row in picks]


def test_the_policy_names_the_two_scripts_and_nothing_else():
    html = hostile("table")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)[1].replace("&#39;", "'")
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["img-src"] == "data: blob:"
    assert directives["base-uri"] == directives["form-action"] == "'none'"
    assert "unsafe" not in directives["script-src"]
    scripts = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert len(scripts) == 2
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert directives["script-src"] == " ".join(f"'sha256-{one}'" for one in hashes)


@pytest.mark.parametrize("text", ["plain", "ünïcödé", "日本語", "👩‍👩‍👧", "a\tb\nc", "می‌خواهم"])
def test_words_of_any_script_stay_as_they_are(text):
    assert visible(text) == text
    assert visible(text + "\r\n") == text + "\n"
