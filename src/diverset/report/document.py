"""HOW DOES IT BECOME A PAGE? Facts into a template, with all scripts and pictures inside.

# hashed  the page runs two scripts, the plotting library and ours; its policy names both by their hash
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from ..comparison import Comparison
from ..readers import Kind, Reading
from ..rounds.pool import Progress, quiet
from ..selection import Selection, Stop
from .cards import finite
from .facts import Facts, for_script, gather
from .plots import as_json, figures
from .safe import packed, policy, visible
from .thumbnails import data_uri

# In the order in which they stand in the one script of the page.
_SCRIPTS = ("facts", "look", "map", "curves", "picks", "methods", "exports", "start")
_NOUNS: dict[Kind, tuple[str, str]] = {
    "images": ("picture", "pictures"),
    "texts": ("text", "texts"),
    "table": ("row", "rows"),
    "vectors": ("item", "items"),
}
_NEEDS = "The report needs {}. Type: pip install 'diverset[report]'"


def page(
    reading: Reading,
    picks: Selection,
    *,
    comparison: Comparison | None = None,
    command: str = "",
    progress: Progress = quiet,
) -> str:
    """The whole report as one HTML document: gallery, map, curves, methods side by side, exports.

    ``comparison``  what other methods pick of the same items; without it, that part is left out
    ``command``     what to type to get the same picks again
    """
    if picks.n != reading.n:
        raise ValueError(
            f"These picks are rows of {picks.n:,} items, the reading has {reading.n:,}: "
            "pass the reading they came from."
        )
    template = _template()
    library, ours = _library(), _ours()
    facts = gather(reading, picks, comparison, command, progress)
    progress("page", 0, 1)
    html: str = template.render(
        policy=policy(library, ours),
        style=_asset("page.css"),
        library=library,
        ours=ours,
        plots=as_json(figures()),
        facts=packed(for_script(facts)),
        thumbs=as_json(_other_pictures(facts)),
        **_said(facts),
    )
    progress("page", 1, 1)
    return html


# --- the parts ---------------------------------------------------------------------------


def _asset(name: str) -> str:
    return (files("diverset.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _ours() -> str:
    """Our script: its files one after the other, in a scope of their own."""
    parts = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


@cache
def _library() -> str:
    """Bokeh's script, from its wheel."""
    try:
        found = files("bokeh") / "server" / "static" / "js" / "bokeh.min.js"
    except ModuleNotFoundError:
        raise ModuleNotFoundError(_NEEDS.format("bokeh")) from None
    script = found.read_text(encoding="utf-8")
    assert "</script" not in script.lower()
    return script


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ModuleNotFoundError:
        raise ModuleNotFoundError(_NEEDS.format("jinja2")) from None
    jinja = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    jinja.filters.update(percent=_percent, tiny=_tiny, rounded=_rounded, data_uri=data_uri)
    return jinja.from_string(_asset("page.html"))


def _percent(share: float) -> str:
    """A share in words.

    >>> _percent(0.314), _percent(0.0004)
    ('31 %', 'under 1 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.005 else "under 1 %"


def _tiny(value: float | None) -> str:
    """A number that may be of any size, as small ones are best read; a dash where there is none.

    >>> _tiny(0.0213), _tiny(3.2e-7), _tiny(None)
    ('0.0213', '3.2e-07', '–')
    """
    if value is None:
        return "–"
    return f"{value:.3g}" if abs(value) >= 1e-3 or value == 0 else f"{value:.1e}"


def _other_pictures(facts: Facts) -> dict[str, str]:
    """By place among the drawn rows: the pictures that are not in a card."""
    cards = {card.row for card in facts.shown}
    pictures = facts.pictures.by_row
    return {
        str(at): pictures[row]
        for at, row in enumerate(facts.drawn.tolist())
        if row in pictures and row not in cards
    }


def _rounded(text: str) -> str:
    """A printed object with the numbers in it as long as one likes to read them.

    >>> _rounded("Gaussian(bandwidth=49.24428900898052)")
    'Gaussian(bandwidth=49.244)'
    """
    return re.sub(r"\d+\.\d{5,}(e[-+]\d+)?", lambda found: f"{float(found[0]):.5g}", text)


# --- the words ---------------------------------------------------------------------------


def _said(facts: Facts) -> dict[str, Any]:
    """What the template says, as plain values."""
    reading, picks = facts.reading, facts.picks
    one, many = _NOUNS[reading.kind]
    shares, found = facts.components.shares, facts.components
    return {
        "k": picks.k,
        "n": picks.n,
        "noun": one,
        "nouns": many,
        "kind": reading.kind,
        "tiny_pictures": facts.pictures.tiny,
        "source": visible(reading.source),
        "digest": reading.digest,
        "method": visible(picks.method),
        "kernel": visible(repr(picks.kernel)),
        "solver": None if picks.solver is None else visible(repr(picks.solver)),
        "why_solver": visible(getattr(picks.solver, "why", "") or ""),
        "certified": picks.certified,
        "chance": picks.stop is Stop.DRAWN,
        "undecided": picks.undecided,
        "advice": None if picks.stop is Stop.COMPLETE else picks.stop.value,
        "log_det": finite(picks.log_det),
        "gap": None if picks.gap is None else finite(picks.gap),
        "missed": picks.missed,
        "coverage": float(facts.alike.coverage[-1]),
        "shares": [float(share) for share in shares],
        "landmarks": found.landmarks,
        "drawn": len(facts.drawn),
        "cards": facts.shown,
        "columns": facts.columns,
        "command": visible(facts.command),
        "reading_notes": [visible(note) for note in reading.notes],
        "skipped": [(visible(what), visible(why)) for what, why in reading.skipped],
        "notes": facts.notes,
        "comparison": None if facts.comparison is None else _compared(facts.comparison),
    }


# name of the column, form, and whether more is better
_MEASURES = (
    ("log_det", "log det", ".4g", True, "how different the picks are from each other"),
    ("operator", "operator error", ".3g", False, "largest eigenvalue of what the picks leave unexplained"),
    ("max", "max error", ".3g", False, "largest entry of what the picks leave unexplained"),
    ("trace", "trace error", ".3g", False, "sum of what the picks leave unexplained"),
    ("vendi", "Vendi score", ".4g", True, "how many items of their own the picks amount to"),
    ("coverage", "coverage", ".3f", True, "mean similarity of an item to its nearest pick"),
    ("seconds", "seconds", ".2g", False, "for the picks alone, on the machine that made this page"),
)


def _compared(comparison: Comparison) -> dict[str, Any]:
    """The table of methods: cells as texts, the best of each column marked."""
    rows = [[getattr(one, name) for name, *_ in _MEASURES] for one in comparison]
    best = [
        _best([_as_shown(row[at], form) for row in rows], more=more)
        for at, (_, _, form, more, _) in enumerate(_MEASURES)
    ]
    cells = [
        [
            {"text": "–" if finite_or_none(v) is None else format(v, _MEASURES[at][2]), "best": i in best[at]}
            for at, v in enumerate(row)
        ]
        for i, row in enumerate(rows)
    ]
    return {
        "names": [visible(name) for name in comparison.names],
        "measures": [{"title": title, "why": why} for _, title, _, _, why in _MEASURES],
        "rows": cells,
        "overlap": comparison.overlap,
        "k": comparison.k,
        "notes": [visible(note) for note in comparison.notes],
    }


def _as_shown(value: float | None, form: str) -> float | None:
    """The number that the cell says: what looks equal is not marked as better."""
    return value if value is None else float(format(value, form))


def finite_or_none(value: float | None) -> float | None:
    return None if value is None else finite(value)


def _best(values: list[float | None], *, more: bool) -> set[int]:
    """Who has the best value; nobody if all are equal."""
    known = [value for value in map(finite_or_none, values) if value is not None]
    if len(set(known)) < 2:
        return set()
    best = max(known) if more else min(known)
    return {at for at, value in enumerate(values) if finite_or_none(value) == best}
