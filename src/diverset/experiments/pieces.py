"""WHAT IS FINISHED ALREADY? Pieces of work, kept by the content that went into them.

# piece  one result, a JSON value: lists, numbers, texts
# key    a sum over all that can change the piece; the code version is in it
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Raise this when the code that makes pieces changes what they hold.
VERSION = 2


class Pieces:
    """A folder of finished pieces. A piece that is there is not made again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.made = self.reused = 0

    def get(self, name: str, key: object, make: Callable[[], Any]) -> Any:
        """The piece of this name and key, made now if it is not there."""
        path = self.path(name, key)
        if path.is_file():
            self.reused += 1
            return json.loads(path.read_text())
        value = json.loads(json.dumps(make()))  # what is made and what is read back are one form
        self.made += 1
        self._folder.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".part")
        half.write_text(json.dumps(value))
        half.replace(path)  # all of it or nothing: an interrupted run leaves no half piece
        return value

    def has(self, name: str, key: object) -> bool:
        return self.path(name, key).is_file()

    def path(self, name: str, key: object) -> Path:
        content = json.dumps([VERSION, name, key], sort_keys=True, default=str)
        return self._folder / f"{name}-{hashlib.sha256(content.encode()).hexdigest()[:16]}.json"
