"""HOW LARGE WILL IT BECOME? Packed files are unpacked with a limit, and refused if they are bombs.

# packed  bytes as they lie in the file
# claim   bytes that they say they become
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import replace
from pathlib import Path

from .files import CHUNK, Found, opened
from .wanted import ReadError

GZIP = b"\x1f\x8b"
BOMB = 2**30  # bytes: what becomes larger than this ...
RATIO = 200  # ... and so many times its packed size is no table that somebody saved


def refuse_bomb(name: str, claim: int, packed: int) -> None:
    """A ReadError about bytes that would grow beyond reason."""
    if claim > BOMB and claim > RATIO * packed:
        raise ReadError(
            f"{name}: {packed:,} bytes would become {claim:,} or more in memory, which looks like an attack. "
            "If you trust it, unpack it yourself, or save it as a .npy file, and read that."
        )


def unpacked(found: Found, spool: Path) -> Found:
    """The content of a .gz file as a file of its own, called as before and with the digest of the .gz."""
    digest = hashlib.sha256()
    copy = spool / f"{len(list(spool.iterdir()))}-{found.path.stem}"
    try:
        with opened(found) as stream:
            while piece := stream.read(CHUNK):
                digest.update(piece)
            packed = stream.tell()
            stream.seek(0)
            with gzip.GzipFile(fileobj=stream) as content, copy.open("wb") as out:
                while piece := content.read(CHUNK):
                    out.write(piece)
                    refuse_bomb(found.name, out.tell(), packed)
    except (EOFError, zlib.error) as why:
        raise ReadError(f"{found.name} cannot be unpacked: {_said(why)}. It is cut off or damaged.") from None
    return replace(found, path=copy, digest=digest.hexdigest())


def _said(why: Exception) -> str:
    return str(why).rstrip(".") or type(why).__name__
