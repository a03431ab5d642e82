"""The command in this process, and small files for it to read."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")

from click.testing import CliRunner

from diverset.cli import group

N = 60
LABELS = ("cat", "dog", "=bird")


@pytest.fixture
def type_(tmp_path, monkeypatch):
    """Type a command in an empty folder; the result has stdout, stderr and exit_code."""
    monkeypatch.chdir(tmp_path)
    try:
        runner = CliRunner(mix_stderr=False)  # click 8.1
    except TypeError:
        runner = CliRunner()
    return lambda *words, **more: runner.invoke(group(), [str(word) for word in words], **more)


@pytest.fixture
def facts(type_):
    """Type a command with --json; the parsed answer. NaN and infinity are no JSON."""

    def run(*words):
        result = type_(*words, "--json")
        assert result.exit_code == 0, result.stderr
        return strict_json(result.stdout)

    return run


def strict_json(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def items(tmp_path):
    """60 rows: an id, three numbers, a label, stars; the numbers by hand too."""
    X = np.random.default_rng(5).normal(size=(N, 3))
    path = tmp_path / "items.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "a", "b", "c", "label", "stars"])
        for row, values in enumerate(X.tolist()):
            writer.writerow([f"item{row}", *values, LABELS[row % 3], row % 5])
    return path


@pytest.fixture
def shell(tmp_path):
    """Start the command as a process of its own, in the folder of the test."""

    def start(*words, env=None, **more):
        return subprocess.Popen(
            [sys.executable, "-m", "diverset", *map(str, words)],
            cwd=tmp_path,
            # buffered, as it is for people: what is left in the buffer is flushed again at exit
            env={**os.environ, "PYTHONUNBUFFERED": "", "TMPDIR": str(tmp_path / "spool"), **(env or {})},
            **more,
        )

    (tmp_path / "spool").mkdir()
    return start


def left_in(folder: Path) -> list[str]:
    """The files in a folder, by name."""
    return sorted(path.name for path in folder.iterdir())
