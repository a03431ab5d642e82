"""The page of the last full run that comes with the project is one that this code would write."""

from __future__ import annotations

import re
from pathlib import Path

from diverset.experiments.captions import CAPTIONS, PLATES
from diverset.experiments.claims import Verdict, all_claims
from diverset.experiments.protocol import FULL
from diverset.experiments.results import Results

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE = (DOCS / "paper.md").read_text()
AGAIN = "type: make paper, make docs"


def test_every_claim_has_a_row_with_its_rule_and_a_verdict() -> None:
    verdicts = "|".join(verdict.value for verdict in Verdict if verdict is not Verdict.NOT_RUN)
    for claim in all_claims(Results(FULL)):
        start = f"| {claim.number} | {claim.says} *{claim.rule}* | "
        row = next((line for line in PAGE.splitlines() if line.startswith(start)), None)
        assert row is not None, f"{claim.number}: {AGAIN}"
        assert re.search(rf"\*\*({verdicts})\*\* \|$", row), row


def test_it_was_a_full_run_on_all_the_data() -> None:
    assert f"k = {', '.join(map(str, FULL.grid))}," in PAGE, AGAIN
    for title in ("Boston housing", "Stock", "Abalone", "Bank8FM"):
        assert re.search(rf"^- {title}: .* verified by SHA-256", PAGE, re.MULTILINE)


def test_every_figure_is_there_with_its_caption_and_no_picture_of_others() -> None:
    shown = re.findall(r"!\[.*\]\(figures/(.+)\.png\)", PAGE)
    assert shown == [name for name in CAPTIONS if name not in PLATES], AGAIN
    for name in CAPTIONS:
        assert (DOCS / "figures" / f"{name}.png").is_file() == (name in shown)
        assert (CAPTIONS[name] in PAGE) == (name in shown), AGAIN


def test_the_readme_shows_three_figures_links_to_the_page_and_counts_as_it_does() -> None:
    readme = (ROOT / "README.md").read_text()
    figures = set(re.findall(r"!\[.+?\]\(docs/figures/(.+?)\.png\)", readme))
    assert len(figures & set(CAPTIONS) - set(PLATES)) == 3
    assert "(docs/paper.md)" in readme
    counts = re.search(r"\d+ reproduced, \d+ partly reproduced, \d+ not reproduced", PAGE)
    assert counts is not None
    assert counts.group() in readme, "README.md counts the verdicts of another run"
