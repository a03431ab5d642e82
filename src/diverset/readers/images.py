"""PICTURES -> X. Every file is opened with care, described once, and remembered by its bytes.

# digest     SHA-256 of the bytes of a file: the name of a picture, whatever its file is called
# described  what one picture says; kept on disk under its digest and the extractor's settings
# learnt     what the extractor learns from some pictures of the pool; they are chosen by their digests
# row        the features of one picture; kept under its digest and the digests that it was learnt from
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest, sha256
from typing import NamedTuple, TypeVar

import numpy as np

from ..rounds.pool import Progress, quiet
from ..threads import cores
from .cache import Cache, cache_for, key_of, versions
from .columns import listed
from .features import PICTURES, PictureFeatures
from .features.base import Array
from .files import Found, Listing, digest_of_all
from .pictures import IMAGE_SUFFIXES, Unreadable, bytes_of, decoding, looks_like_image, picture
from .reading import Reading, Skipped
from .wanted import Wanted

__all__ = ["IMAGE_SUFFIXES", "looks_like_image", "read_images"]

A = TypeVar("A")
B = TypeVar("B")


class Described(NamedTuple):
    """An array that a picture became, and whether its file holds more pictures than that one."""

    array: Array
    frames: bool


def read_images(found: Listing, wanted: Wanted, progress: Progress = quiet) -> Reading:
    """The pictures in these files. Those that cannot be used are in ``skipped``, with the reason."""
    extractor = PICTURES[wanted.extractor("images")]
    cache = cache_for(wanted.cache)
    with decoding():
        digests = _told(_digest, found.files, "looking at files", progress)
        by_digest = {d: f for f, d in zip(found.files, digests, strict=True) if isinstance(d, str)}
        rows = _Pool(by_digest, extractor, cache, progress).rows()
    cache.tidy()
    kept: list[tuple[Found, str, Described]] = []
    skipped: list[Skipped] = []
    for file, digest in zip(found.files, digests, strict=True):
        row = rows[digest] if isinstance(digest, str) else digest
        if isinstance(row, Unreadable) or not isinstance(digest, str):
            skipped.append(Skipped(file.name, str(row)))
        else:
            kept.append((file, digest, row))
    found.refuse_if_most_failed(len(kept), [*found.skipped, *skipped])
    names = [file.name for file, _, _ in kept]
    frames = [file.name for file, _, row in kept if row.frames]
    features = extractor.extracted(np.stack([row.array for _, _, row in kept]), names)
    return Reading(
        X=features.X,
        kernel=features.kernel,
        kind="images",
        names=names,
        source=found.source,
        digest=digest_of_all([file.digest or digest for file, digest, _ in kept]),
        files=[file.path for file, _, _ in kept],
        skipped=(*found.skipped, *skipped),
        notes=(*features.notes, *_notes(frames), *cache.notes()),
    )


def _digest(file: Found) -> str | Unreadable:
    try:
        with file.path.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError as why:
        return Unreadable((why.strerror or str(why)).lower())


def _told(task: Callable[[A], B], things: Sequence[A], stage: str, progress: Progress) -> list[B]:
    """The task for everything, on all cores and in order; progress is told by this thread alone."""
    done: list[B] = []
    progress(stage, 0, len(things))
    workers = ThreadPoolExecutor(cores())
    try:
        for result in workers.map(task, things):
            done.append(result)
            progress(stage, len(done), len(things))
    finally:
        workers.shutdown(cancel_futures=True)  # after Ctrl-C nothing new is begun
    return done


class _Pool:
    """Pictures by digest. Equal files are one picture here, and are looked at once."""

    def __init__(
        self, files: dict[str, Found], extractor: PictureFeatures, cache: Cache, progress: Progress
    ) -> None:
        self.files = files
        self.extractor = extractor
        self.cache = cache
        self.progress = progress
        self._settings = key_of(extractor.name, extractor.version, extractor, versions(*extractor.packages))
        self._seen: dict[str, Described | Unreadable] = {}  # of the pictures that are learnt from

    def rows(self) -> dict[str, Described | Unreadable]:
        """The features of every picture, or why it has none."""
        if not self.extractor.learns:
            return self._all(self.files, "row", "features", self._looked_at)
        chosen = self._chosen()
        source = key_of(*chosen)
        learnt = self._learnt(chosen, source)

        def row(digest: str) -> Described | Unreadable:
            seen = self._seen.get(digest) or self._known(digest, "described")
            if seen is None:
                seen = self._looked_at(digest)
                self._keep(digest, "described", seen)
            if isinstance(seen, Unreadable):
                return seen
            return Described(self.extractor.row(seen.array, learnt), seen.frames)

        return self._all(self.files, f"row {source}", "features", row)

    def _chosen(self) -> list[str]:
        """The readable pictures with the smallest digests: a choice that does not know names or order."""
        chosen: list[str] = []
        rest = sorted(self.files)
        while rest and (lacking := self.extractor.learns - len(chosen)) > 0:
            tried, rest = rest[:lacking], rest[lacking:]
            self._seen |= self._all(tried, "described", "a first look", self._looked_at)
            chosen += [digest for digest in tried if isinstance(self._seen[digest], Described)]
        return chosen

    def _learnt(self, chosen: list[str], source: str) -> Array:
        key = key_of("learnt", self._settings, source)
        if (entry := self.cache.get(key, "learnt")) is not None:
            return entry["learnt"]
        self.progress("learning what to look for", 0, 1)
        seen = [self._seen[digest] for digest in chosen]
        learnt = self.extractor.learn([s.array for s in seen if isinstance(s, Described)])
        self.cache.put(key, {"learnt": learnt})
        self.progress("learning what to look for", 1, 1)
        return learnt

    def _all(
        self,
        digests: Iterable[str],
        what: str,
        stage: str,
        make: Callable[[str], Described | Unreadable],
    ) -> dict[str, Described | Unreadable]:
        """What is known already, and what has to be made of the files."""
        known = {digest: self._known(digest, what) for digest in digests}
        missing = [digest for digest, found in known.items() if found is None]

        def made(digest: str) -> Described | Unreadable:
            result = make(digest)
            self._keep(digest, what, result)
            return result

        fresh: dict[str, Described | Unreadable] = {}
        if missing:  # else the packages of the extractor are not even imported
            with self.extractor.ready():
                fresh = dict(zip(missing, _told(made, missing, stage, self.progress), strict=True))
        return {digest: found or fresh[digest] for digest, found in known.items()}

    def _looked_at(self, digest: str) -> Described | Unreadable:
        try:
            data = bytes_of(self.files[digest].path)
            if sha256(data).hexdigest() != digest:
                raise Unreadable("it was changed while it was being read")
            shown = picture(data, self.extractor.side)
        except Unreadable as why:
            return why
        return Described(self.extractor.describe(shown.rgb), shown.frames)

    def _known(self, digest: str, what: str) -> Described | None:
        entry = self.cache.get(key_of(what, self._settings, digest), "array", "frames")
        return None if entry is None else Described(entry["array"], bool(entry["frames"]))

    def _keep(self, digest: str, what: str, found: Described | Unreadable) -> None:
        if isinstance(found, Described):
            arrays = {"array": found.array, "frames": np.array(found.frames)}
            self.cache.put(key_of(what, self._settings, digest), arrays)


def _notes(frames: list[str]) -> list[str]:
    return [f"several frames, of which the first was taken: {listed(frames)}"] if frames else []
