"""WHAT IS KNOWN ALREADY? Features kept on disk, each under a name made of all that it depends on.

# key    SHA-256 of what the arrays depend on: the bytes of the file, the extractor, its settings, versions
# entry  a few arrays in an .npz file; the check sums of the zip tell when one is broken

An entry is never changed: a file is written under another name and then renamed, so that several programs
may write at once. What cannot be read is made again. The answer is the same with the cache as without.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

LIMIT = 2**30  # bytes on disk; when they are exceeded, one fifth is cleared
LARGE = 2**14  # large entries go before small ones: those are made from these
_LAYOUT = "1"  # of the entries; another number leaves the old ones behind
_STALE = 3600.0  # seconds after which an unfinished file has nobody who finishes it

Arrays: TypeAlias = dict[str, np.ndarray[Any, Any]]


def root() -> Path:
    """$DIVERSET_CACHE, else the folder diverset in $XDG_CACHE_HOME or in ~/.cache."""
    if named := os.environ.get("DIVERSET_CACHE"):
        return Path(named).expanduser()
    base = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (base if base.is_absolute() else Path.home() / ".cache") / "diverset"


def key_of(*parts: object) -> str:
    """One name for all of these.

    >>> key_of("a", "bc") == key_of("ab", "c")
    False
    """
    return hashlib.sha256(repr(tuple(map(str, parts))).encode("utf-8", "surrogatepass")).hexdigest()


def versions(*packages: str) -> str:
    """The versions of these packages, as far as they are installed.

    >>> versions("no-such-package")
    ''
    """
    found = []
    for name in packages:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{name}={metadata.version(name)}")
    return " ".join(found)


@dataclass
class Cache:
    """Entries in a folder, or nothing at all if there is no folder.

    ``problem``  why entries could not be written, if so: features are then made every time
    """

    folder: Path | None
    limit: int = LIMIT
    problem: str | None = None
    _wrote: bool = field(default=False, repr=False)

    def get(self, key: str, *names: str) -> Arrays | None:
        """The arrays of an entry, or None if it is not there, is broken, or lacks one of these."""
        if self.folder is None:
            return None
        path = self._path(self.folder, key)
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as entry:
                arrays = {name: entry[name] for name in names}
        except Exception:  # noqa: BLE001  whatever is wrong with it, it is made again
            return None
        with suppress(OSError):
            os.utime(path)  # used just now: the last to be cleared
        return arrays

    def put(self, key: str, arrays: Arrays) -> None:
        """Keep these arrays, unless they are too large for the cache. What fails is told in `problem`."""
        if self.folder is None or sum(a.nbytes for a in arrays.values()) > self.limit // 4:
            return
        path, unfinished = self._path(self.folder, key), None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as stream:
                unfinished = Path(stream.name)
                np.savez(stream, **arrays)  # type: ignore[arg-type]  # no name is an option of savez
            unfinished.replace(path)
            self._wrote = True
        except OSError as why:
            self.problem = f"{why.strerror or why}".lower()
            if unfinished is not None:
                with suppress(OSError):
                    unfinished.unlink()

    def tidy(self) -> None:
        """Clear entries, if something was written and they are too much: large ones first, then old ones."""
        if self.folder is None or not self._wrote:
            return
        entries = []
        now = time.time()
        for path in self.folder.glob("*/*"):
            with suppress(OSError):  # another program clears it as well
                found = path.stat()
                if path.suffix == ".tmp" and now - found.st_mtime > _STALE:
                    path.unlink()
                elif path.suffix == ".npz":
                    entries.append((found.st_size < LARGE, found.st_mtime, found.st_size, path))
        total = sum(size for _, _, size, _ in entries)
        if total <= self.limit:
            return
        for _, _, size, path in sorted(entries):
            if total <= 0.8 * self.limit:
                break
            path.unlink(missing_ok=True)
            total -= size

    def notes(self) -> list[str]:
        if self.problem is None:
            return []
        where = f" in {self.folder.parent}" if self.folder else ""
        return [f"features could not be kept{where} ({self.problem}): the next run makes them again"]

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / key[:2] / f"{key[2:]}.npz"


def cache_for(wanted: bool | Path) -> Cache:
    """The cache that was asked for: the usual one, one in this folder, or none."""
    if wanted is False:
        return Cache(None)
    try:
        folder = root() / "features" if wanted is True else Path(wanted).expanduser()
    except RuntimeError:  # there is no home
        return Cache(None, problem="there is no home folder")
    return Cache(folder / _LAYOUT)
