"""The two claims on pictures, which hang on how one reads what the paper leaves open."""

from __future__ import annotations

from typing import Any

from .claims import MOSTLY, Claim, Verdict
from .results import Results, Rows

_RULE = (
    "Reproduced if the first reading, the plainest, gives it and at least three quarters of all readings "
    "do; in part if the first gives it and fewer do."
)


def by_readings(rows: Rows, what: str, wanted: int) -> Verdict:
    """The first reading decides, not the one that flatters."""
    if not rows:
        return Verdict.NOT_RUN
    if rows[0][what] != wanted:
        return Verdict.NOT
    share = sum(row[what] == wanted for row in rows) / len(rows)
    return Verdict.REPRODUCED if share >= MOSTLY else Verdict.PARTLY


def grouped(rows: Rows, what: str, wanted: int, by: tuple[str, ...]) -> Rows:
    """How many readings of each kind give the paper's result."""
    found: dict[tuple[Any, ...], list[bool]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in by), []).append(row[what] == wanted)
    return [
        {**dict(zip(by, kind, strict=True)), "readings": len(hits), "as in the paper": sum(hits)}
        for kind, hits in found.items()
    ]


def _words(groups: Rows, by: tuple[str, ...]) -> str:
    """Which kinds of reading give the paper's result always, now and then, and never."""
    kinds: dict[str, list[str]] = {"always": [], "sometimes": [], "never": []}
    for g in groups:
        hits, readings = g["as in the paper"], g["readings"]
        how = "always" if hits == readings else "sometimes" if hits else "never"
        share = f" ({hits} of {readings})" if how == "sometimes" else ""
        kinds[how].append(", ".join(str(g[name]) for name in by) + share)
    return "; ".join(f"{how} with {' / '.join(names)}" for how, names in kinds.items() if names)


def dogs(results: Results) -> Claim:
    """Every breed among the four."""
    by = ("places", "weights")
    groups = grouped(results.dogs, "breeds", 3, by)
    good = sum(g["as in the paper"] for g in groups)
    first = results.dogs[0]["breeds"] if results.dogs else 0
    return Claim(
        "6",
        "Stanford Dogs, k = 4: every one of the three breeds is among the four photos.",
        _RULE,
        by_readings(results.dogs, "breeds", 3),
        f"The first reading (SIFT keypoints, 500 words, shares) shows {first} of 3 breeds. Of all "
        f"readings {good} of {len(results.dogs)} show all three: {_words(groups, by)}. Four photos at "
        f"random show all three with probability {results.dogs_chance:.2f}, so one reading says little."
        if results.dogs
        else "Not asked for.",
        ("dogs-picks", "dogs-projection", "dogs-training"),
        numbers=groups,
    )


def kimia(results: Results) -> Claim:
    """One from each of the nine classes."""
    by = ("shape", "scale")
    groups = grouped(results.kimia, "classes", 9, by)
    good = sum(g["as in the paper"] for g in groups)
    first = results.kimia[0]["classes"] if results.kimia else 0
    return Claim(
        "7",
        "Kimia-99, k = 9: the picks are one shape from each of the nine classes.",
        _RULE,
        by_readings(results.kimia, "classes", 9),
        f"The first reading (stretched, bicubic, grey, each pixel) shows {first} of 9 classes. Of all "
        f"readings {good} of {len(results.kimia)} show all nine: {_words(groups, by)}. Nine shapes at "
        f"random would do so with probability {results.kimia_chance:.4f}."
        if results.kimia
        else "Not asked for.",
        ("kimia-picks", "kimia-projection", "kimia-training"),
        numbers=groups,
    )
