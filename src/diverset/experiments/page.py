"""ONE PAGE: the paper says / we measured. Self-contained HTML, and the same in Markdown."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import Any

from .captions import CAPTIONS, PLATES
from .claims import Claim, Verdict, count
from .results import Results, Rows, TableResult

TITLE = "Towards Deterministic Diverse Subset Sampling, reproduced"
_MARKS = {Verdict.REPRODUCED: "yes", Verdict.PARTLY: "part", Verdict.NOT: "no", Verdict.NOT_RUN: "none"}
_WRITTEN_BY = (
    "Written by `diverset paper`, which leaves more beside this page: the numbers behind every figure, the "
    "figures as SVG, and plates with the photos and silhouettes themselves, which are not ours to hand on."
)
_LONG = 10  # rows of a table that is shown at once
_PHOTOS = ("dogs-", "kimia-")  # drawn as pictures in the page, not as vectors

_STYLE = """
:root{color-scheme:light}
body{font:16px/1.55 Georgia,'Iowan Old Style','Times New Roman',serif;color:#1b1b1b;background:#fdfcfa;
margin:0 auto;max-width:62rem;padding:3rem 1.5rem 6rem}
h1{font-size:2rem;line-height:1.2;font-weight:normal;margin:0 0 .4rem}
h2{font-size:1.35rem;font-weight:normal;margin:3.2rem 0 .8rem;border-bottom:1px solid #d9d4cb;
padding-bottom:.3rem}
h3{font-size:1rem;margin:1.6rem 0 .4rem}
p{max-width:44rem}
.lead{color:#555;margin-top:0}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.55rem .8rem .55rem 0;border-bottom:1px solid #e6e1d8}
th{font-weight:normal;color:#6b665d;font-size:.82rem;letter-spacing:.03em}
.claims>tbody>tr>td{padding-top:.9rem;padding-bottom:.9rem}
.claims>tbody>tr>td:first-child{font-variant-numeric:tabular-nums;color:#6b665d;width:2rem}
.claims>tbody>tr>td:nth-child(2){width:31%}
.claims>tbody>tr>td:last-child{width:8.5rem}
.rule{color:#6b665d;font-size:.86rem;margin-top:.45rem}
.verdict{display:inline-block;padding:.05rem .55rem;border:1px solid;border-radius:1rem;font-size:.82rem;
white-space:nowrap}
.yes{color:#165a36;border-color:#8fbfa4;background:#eef6f0}
.part{color:#7a5200;border-color:#d9bd83;background:#fbf5e6}
.no{color:#8c1d1d;border-color:#dba5a5;background:#fbeeee}
.none{color:#666;border-color:#ccc;background:#f4f4f4}
a{color:#1d4f7c;text-decoration-thickness:1px;text-underline-offset:2px}
figure{margin:2rem 0;scroll-margin-top:1rem}
figure img{max-width:100%;background:#fff}
figure img.drawn{width:54rem}
figcaption{font-size:.9rem;color:#444;max-width:46rem;margin-top:.5rem}
details{margin:.5rem 0 0;font-size:.88rem}
summary{cursor:pointer;color:#6b665d}
.numbers{width:auto;font-size:.84rem}
.numbers td,.numbers th{padding:.2rem 1.2rem .2rem 0}
.scroll{overflow-x:auto}
@media(max-width:44rem){.claims>tbody{display:block}.claims>thead{display:none}
.claims>tbody>tr{display:block;border-bottom:1px solid #e6e1d8;padding:.8rem 0}
.claims>tbody>tr>td{display:block;width:auto!important;border:0;padding:.2rem 0}}
@media print{body{max-width:none}}
"""


def html(results: Results, claims: list[Claim], figures: list[str], folder: Path, facts: list[str]) -> str:
    """The page; `folder` is where the figures lie that go into it."""
    paper = [c for c in claims if not c.ours]
    ours = [c for c in claims if c.ours]
    parts = [
        f"<h1>{TITLE}</h1>",
        f'<p class="lead">{escape(summary(claims))}</p>',
        "<h2>The paper says, we measured</h2>",
        _claims(paper, figures),
        "<h2>One claim of ours, on the same data</h2>",
        _claims(ours, figures),
    ]
    for title, words, rows in choices(results):
        parts.append(f"<h2>{escape(title)}</h2><p>{escape(words)}</p>{_folded(rows)}")
    parts.append("<h2>Figures</h2>")
    parts += [_figure(name, folder) for name in ordered(figures)]
    parts.append("<h2>How it was run</h2><ul>")
    parts += [f"<li>{escape(fact)}</li>" for fact in facts]
    parts.append("</ul>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def summary(claims: list[Claim]) -> str:
    """One sentence of counts."""
    tried = [c for c in claims if not c.ours and c.verdict is not Verdict.NOT_RUN]
    counts = [
        f"{sum(c.verdict is v for c in tried)} {v.value}"
        for v in (Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT)
    ]
    return (
        f"Schreurs, Fanuel and Suykens, on the real data. Of {len(tried)} claims that were put to the test: "
        f"{', '.join(counts)}."
    )


def ordered(figures: list[str]) -> list[str]:
    """The figures in the order of their captions."""
    return [name for name in CAPTIONS if name in figures]


def choices(results: Results) -> list[tuple[str, str, Rows]]:
    """What the paper leaves open, and what each reading gives."""
    found: list[tuple[str, str, Rows]] = []
    if results.readings and "abalone" in results.tables:
        found.append(
            (
                "What to do with Sex in Abalone",
                "The paper counts eight features, one of them a name. We number it (M 1, F 2, I 3), which "
                "keeps "
                "the eight; here are the other two readings. Each cell counts the k at which the "
                "deterministic "
                "k-DPP does what the head says.",
                [
                    reading_row("numbered (chosen)", results.tables["abalone"]),
                    *(reading_row(_SEX[n], t) for n, t in results.readings.items()),
                ],
            )
        )
    plain = ("points", "shares", "indices")
    if results.dogs:
        words = (
            "Where SIFT looks, how many words, how a histogram is weighted, where k-means starts. The first "
            "row decides, the plainest: OpenCV's own keypoints, and histograms that sum to one. No row was "
            "left out."
        )
        found.append(("Dogs: all readings", words, _without(results.dogs, plain)))
    if results.kimia:
        words = (
            "Resizing, tone, where standardisation applies, polarity. The first row decides, the plainest: "
            "MATLAB's way to resize, and every pixel standardised as every column of the tables is. No row "
            "was left out. Polarity cannot matter once the data are standardised, and does not."
        )
        found.append(("Kimia-99: all readings", words, _without(results.kimia, plain)))
    return found


_SEX = {"one-hot": "three columns of 0 and 1", "drop": "left out"}


def reading_row(name: str, table: TableResult) -> dict[str, Any]:
    """How often the deterministic k-DPP beats the others under this reading."""

    def share(measure: str, rivals: tuple[str, ...], sign: int) -> str:
        def holds(t: TableResult, k: int) -> bool:
            mine = t.mean("deterministic-kdpp", measure)[k]
            return all(sign * mine > sign * t.mean(rival, measure)[k] for rival in rivals)

        hits, points, _, _ = count([table], holds)
        return f"{hits} of {points}"

    return {
        "Sex": name,
        "log det above k-DPP, uniform": share("log_det", ("kdpp", "uniform"), 1),
        "max norm below k-DPP, uniform": share("max", ("kdpp", "uniform"), -1),
        "operator norm above k-DPP": share("operator", ("kdpp",), 1),
    }


def _without(rows: Rows, names: tuple[str, ...]) -> Rows:
    return [{k: v for k, v in row.items() if k not in names} for row in rows]


def _claims(claims: list[Claim], figures: list[str]) -> str:
    rows = []
    for c in claims:
        links = ", ".join(f'<a href="#{f}">{f.replace("-", " ")}</a>' for f in c.figures if f in figures)
        rows.append(
            f'<tr id="claim-{c.number}"><td>{c.number}</td>'
            f'<td>{escape(c.says)}<div class="rule">Rule: {escape(c.rule)}</div></td>'
            f"<td>{escape(c.measured)}{_details(c.numbers)}</td>"
            f'<td><span class="verdict {_MARKS[c.verdict]}">{c.verdict.value}</span>'
            f'<div class="rule">{links}</div></td></tr>'
        )
    heads = "<th></th><th>the paper says</th><th>we measured</th><th>verdict</th>"
    if claims and claims[0].ours:
        heads = heads.replace("the paper says", "we say")
    return f'<table class="claims"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _details(rows: Rows) -> str:
    return f"<details><summary>numbers</summary>{_table(rows)}</details>" if rows else ""


def _folded(rows: Rows) -> str:
    """A long table waits to be opened."""
    if len(rows) <= _LONG:
        return _table(rows)
    return f"<details><summary>{len(rows)} readings</summary>{_table(rows)}</details>"


def _table(rows: Rows) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_said(value))}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table class="numbers"><tr>{head}</tr>{body}</table></div>'


def _said(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _figure(name: str, folder: Path) -> str:
    photo = name.startswith(_PHOTOS)
    kind, mime, look = ("png", "image/png", "photo") if photo else ("svg", "image/svg+xml", "drawn")
    content = base64.b64encode((folder / f"{name}.{kind}").read_bytes()).decode()
    return (
        f'<figure id="{name}"><img class="{look}" alt="{name.replace("-", " ")}" '
        f'src="data:{mime};base64,{content}">'
        f"<figcaption>{escape(CAPTIONS[name])} "
        f'<a href="figures/{name}.png">PNG</a> <a href="figures/{name}.svg">SVG</a></figcaption></figure>'
    )


def markdown(results: Results, claims: list[Claim], figures: list[str], facts: list[str]) -> str:
    """The same page to be passed on: without the plates that show other people's pictures."""
    lines = [f"# {TITLE}", "", summary(claims), "", _WRITTEN_BY, ""]
    for title, ours in (("The paper says, we measured", False), ("One claim of ours", True)):
        lines += [f"## {title}", "", "| | claim | we measured | verdict |", "|---|---|---|---|"]
        lines += [
            f"| {c.number} | {c.says} *{c.rule}* | {c.measured} | **{c.verdict.value}** |"
            for c in claims
            if c.ours == ours
        ]
        lines.append("")
    for title, words, rows in choices(results):
        long = len(rows) > _LONG
        lines += [f"## {title}", "", words, ""]
        lines += [f"<details><summary>{len(rows)} readings</summary>", ""] if long else []
        lines += [*_markdown_table(rows), ""]
        lines += ["</details>", ""] if long else []
    lines += ["## Figures", ""]
    for name in ordered(figures):
        if name not in PLATES:
            lines += [f"![{name}](figures/{name}.png)", "", CAPTIONS[name], ""]
    lines += ["## How it was run", "", *(f"- {fact}" for fact in facts), ""]
    return "\n".join(lines)


def _markdown_table(rows: Rows) -> list[str]:
    if not rows:
        return []
    names = list(rows[0])
    body = [" | ".join(_said(row.get(name, "")) for name in names) for row in rows]
    return ["| " + " | ".join(names) + " |", "|" + "---|" * len(names), *(f"| {line} |" for line in body)]
