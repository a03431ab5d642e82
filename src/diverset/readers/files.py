"""WHICH FILES, WHICH BYTES? Paths, folders, globs and pipes become regular files, looked at once.

# root   the folder that was named; files below it are called by their path from there
# spool  a temporary copy of what comes through a pipe, so that readers may seek in it
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from select import select
from typing import IO, Any

from ..rounds.pool import Progress, quiet
from .reading import Skipped
from .wanted import ReadError

STDIN = "-"
_WRITER = 2.0  # seconds in which a named pipe must find somebody who writes to it
CHUNK = 2**20


@dataclass(frozen=True)
class Found:
    """A regular file, and what it is called. ``digest`` is that of the file it was unpacked from."""

    path: Path
    name: str
    digest: str | None = None


@dataclass(frozen=True)
class Listing:
    """The files behind a source, in the order of the bytes of their names.

    ``skipped``  what could not be read
    ``folder``   whether a folder was searched, rather than files named
    ``spool``    a folder for copies, which goes away when everything is read
    """

    source: str
    files: list[Found]
    skipped: list[Skipped] = field(default_factory=list)
    folder: bool = False
    spool: Path = Path()

    def refuse_if_most_failed(self, read: int, failed: Sequence[Skipped]) -> None:
        """The one rule for files that cannot be read: a few are skipped and listed, but not most of them."""
        if read and len(failed) <= read:
            return
        if not read and not failed:
            raise ReadError(f"{self.source} holds no file that can be read.")
        shown = "; ".join(f"{what}: {why}" for what, why in failed[:5])
        more = f"; and {len(failed) - 5:,} more" if len(failed) > 5 else ""
        raise ReadError(
            f"{self.source}: {len(failed):,} of {read + len(failed):,} files cannot be read ({shown}{more}). "
            "Name those that are to be read."
        )


def printable(path: str | Path) -> str:
    """A path as text that no terminal obeys; bytes that are not UTF-8 are shown as \\xff.

    >>> print(printable("a\\x1b[2J.csv"))
    a\\x1b[2J.csv
    """
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


@contextmanager
def listing(source: str | Path | Sequence[str | Path]) -> Iterator[Listing]:
    """The files of a source. What comes through a pipe is copied to a file that goes away afterwards."""
    named = [source] if isinstance(source, (str, Path)) else list(source)
    if not named:
        raise ReadError("No file was named: wanted a file, a folder, a glob such as 'photos/*.jpg', or -.")
    title = printable(named[0]) if len(named) == 1 else f"{printable(named[0])} and {len(named) - 1:,} more"
    with tempfile.TemporaryDirectory(prefix="diverset-", ignore_cleanup_errors=True) as spool:
        found = Listing("standard input" if title == STDIN else title, [], spool=Path(spool))
        folder = False
        for one in named:
            try:
                folder |= _add(one, found, Path(spool))
            except OSError as why:
                raise ReadError(f"{printable(one)} cannot be read: {_reason(why)}.") from None
        yield replace(found, folder=folder)


def _add(named: str | Path, to: Listing, spool: Path) -> bool:
    """Put the files behind one name into the listing; True if that was a folder or a glob."""
    if str(named) == STDIN:
        with (spool / f"{len(to.files)}-stdin").open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        to.files.append(Found(Path(copy.name), "standard input"))
        return False
    path = Path(named)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as why:  # ValueError: a NUL in the name
        matches = sorted(glob.glob(str(named), recursive=True), key=os.fsencode)  # noqa: PTH207  it may be absolute
        if not matches:
            raise ReadError(f"{printable(named)} cannot be read: {_reason(why)}.") from None
        for match in matches:
            _add_match(Path(match), to)
        return True
    if stat.S_ISDIR(mode):
        _walk(path, to)
        return True
    if stat.S_ISFIFO(mode):
        to.files.append(Found(_copied(path, spool / f"{len(to.files)}-pipe"), printable(path)))
    elif not stat.S_ISREG(mode):
        raise ReadError(f"{printable(path)} is a device or a socket: wanted a file, a folder or a pipe.")
    else:
        to.files.append(Found(path, printable(path)))
    return False


def _reason(why: Exception) -> str:
    return " ".join((getattr(why, "strerror", None) or str(why)).lower().split())


def _copied(pipe: Path, copy: Path) -> Path:
    # opened without waiting: a pipe that nobody writes to is empty, not a reason to hang
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as come, copy.open("wb") as out:  # noqa: PTH123  of a descriptor
        select([come], [], [], _WRITER)
        os.set_blocking(come.fileno(), True)
        shutil.copyfileobj(come, out)
    return copy


def _add_match(path: Path, to: Listing) -> None:
    """One match of a glob: a file. Folders among the matches are left alone."""
    problem = not_a_file(path)
    if problem is None:
        to.files.append(Found(path, printable(path)))
    elif not path.is_dir():
        to.skipped.append(Skipped(printable(path), problem))


def _walk(root: Path, to: Listing) -> None:
    """All files below a folder, in the order of their names. Links to folders are not followed."""
    found: list[tuple[bytes, Path]] = []

    def called(path: Path) -> str:
        return printable(root if path == root else path.relative_to(root).as_posix())

    def unreadable(why: OSError) -> None:
        to.skipped.append(Skipped(called(Path(why.filename)), _reason(why)))

    for here, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in folders:
            if (Path(here) / name).is_symlink():
                to.skipped.append(Skipped(called(Path(here) / name), "a link to a folder, not followed"))
        for name in names:
            if not name.startswith("."):
                path = Path(here) / name
                found.append((os.fsencode(path.relative_to(root).as_posix()), path))
    for _, path in sorted(found):
        problem = not_a_file(path)
        if problem is None:
            to.files.append(Found(path, called(path)))
        else:
            to.skipped.append(Skipped(called(path), problem))


def not_a_file(path: Path) -> str | None:
    """Why a path is not a regular file, if it is not."""
    try:
        mode = path.stat().st_mode
    except OSError as why:  # a broken link, a loop of links
        return _reason(why)
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return None if stat.S_ISREG(mode) else kinds.get(stat.S_IFMT(mode), "a device")


@contextmanager
def opened(found: Found) -> Iterator[IO[bytes]]:
    """The file for reading bytes, or a ReadError that says why not."""
    try:
        with found.path.open("rb") as stream:
            yield stream
    except OSError as why:
        raise ReadError(f"{found.name} cannot be read: {_reason(why)}.") from None


def digest_of(found: Found, progress: Progress = quiet, look: Any = None) -> str:
    """SHA-256 of a file; ``look`` is called with each piece of it on the way, unpacked."""
    digest = hashlib.sha256()
    with opened(found) as stream:
        size, done = os.fstat(stream.fileno()).st_size, 0
        while piece := stream.read(CHUNK):
            digest.update(piece)
            if look is not None:
                look(piece)
            done += len(piece)
            progress("reading", done, max(size, done))
    return found.digest or digest.hexdigest()


def digest_of_all(digests: Sequence[str]) -> str:
    """One sum for several files: that of the only one, else the sum of the sums in order."""
    return digests[0] if len(digests) == 1 else hashlib.sha256(" ".join(digests).encode()).hexdigest()
