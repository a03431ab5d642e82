"""What the README tells people to type runs, each block by itself, as they would paste it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^(make \S+)", README, flags=re.MULTILINE)


def test_there_are_examples_and_the_first_is_short():
    assert len(BLOCKS) >= 4
    assert len(BLOCKS[0].strip().splitlines()) <= 7
    assert README.index("```python") < README.index("make demo") < README.index("make test") < 1500


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[-1][:50])
def test_an_example_runs_where_it_is_pasted(block, tmp_path):
    """In a new interpreter and an empty folder: it may rest on nothing but itself."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_a_command_is_a_target_of_the_makefile(command):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert command.split()[1] in targets


def test_every_method_and_link_is_there():
    import diverset as dv

    for name in [*dv.METHODS, *dv.SAMPLERS]:
        assert name in README, f"{name} is not in the README"
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), f"the README points to {target}"
