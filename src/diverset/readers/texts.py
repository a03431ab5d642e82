"""TEXTS -> X. A file of lines, a folder of files, or a column of a table.

# encoding  how a text is written in bytes; detected, or named
# empty     a text in which an extractor finds nothing: its row is zero, like no other
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from ..arrays import is_sparse
from ..rounds.pool import Progress, quiet
from .cache import Arrays, Cache, cache_for, key_of, versions
from .columns import listed
from .dialect import Spelling
from .features import TEXTS, Extracted
from .files import Found, Listing, digest_of_all
from .pictures import Unreadable, bytes_of
from .reading import Reading, Skipped
from .wanted import ReadError, Wanted

BYTES = 2**28  # of one file: more is not a text that a person wrote
_SPARSE = ("data", "indices", "indptr", "shape")


class _Text(NamedTuple):
    name: str
    text: str
    digest: str  # of the file that it is in


class _File(NamedTuple):
    """A file of text, and what was noticed when its bytes were read."""

    text: str
    digest: str
    guess: str | None  # the encoding, where it had to be guessed
    odd: bool  # whether some bytes made no sense


def read_texts(found: Listing, wanted: Wanted, progress: Progress = quiet) -> Reading:
    """A text per file; of a single file that was named, a text per line that is not empty."""
    single = len(found.files) == 1 and not found.folder
    items: list[_Text] = []
    skipped: list[Skipped] = []
    guessed, odd = [], []
    for i, file in enumerate(found.files):
        progress("reading", i, len(found.files))
        try:
            read = _decoded(file, wanted.encoding)
        except Unreadable as why:
            if single:
                raise ReadError(f"{file.name}: {why}.") from None
            skipped.append(Skipped(file.name, str(why)))
            continue
        guessed += [f"{file.name} ({read.guess})"] if read.guess else []
        odd += [file.name] if read.odd else []
        if single:
            items += _lines(read)
        elif read.text.strip():
            items.append(_Text(file.name, read.text, read.digest))
        else:
            skipped.append(Skipped(file.name, "it is empty"))
    progress("reading", len(found.files), len(found.files))
    found.refuse_if_most_failed(len(items), [*found.skipped, *skipped])
    texts = [item.text for item in items]
    features = features_of_texts(texts, wanted, progress)
    digests = [item.digest for item in items]
    return Reading(
        X=features.X,
        kernel=features.kernel,
        kind="texts",
        names=[item.name for item in items],
        source=found.source,
        digest=digests[0] if single else digest_of_all(digests),
        texts=texts,
        skipped=(*found.skipped, *skipped),
        notes=(*_notes(guessed, odd), *features.notes),
    )


def _lines(read: _File) -> list[_Text]:
    # not splitlines(), which also breaks at signs that an editor shows within a line
    lines = read.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [_Text(f"line {n}", line.strip(), read.digest) for n, line in enumerate(lines, 1) if line.strip()]


def _decoded(file: Found, encoding: str | None) -> _File:
    """The text of a file. Bytes that are no text in its encoding become the sign for that."""
    data = bytes_of(file.path, BYTES)
    spelling = Spelling()
    spelling.look(data)
    name = encoding or spelling.encoding()
    if name is None:
        raise Unreadable("it holds zero bytes: it is not a text, or name its --encoding")
    try:
        text = data.decode(name, "replace")
    except (LookupError, ValueError):  # ValueError: codecs that are not for texts
        raise ReadError(f"Unknown encoding {name!r}: wanted utf-8, cp1252, latin-1, ...") from None
    guess = None if encoding or name.startswith("utf") else name
    return _File(text, file.digest or sha256(data).hexdigest(), guess, "\ufffd" in text)


def _notes(guessed: list[str], odd: list[str]) -> list[str]:
    notes = []
    if guessed:
        notes.append(f"encoding guessed: {listed(guessed)}")
    if odd:
        notes.append(f"bytes that are no text became \ufffd: {listed(odd)}")
    return notes


def features_of_texts(texts: Sequence[str], wanted: Wanted, progress: Progress = quiet) -> Extracted:
    """One row per text. A text that says nothing is a row of zeros: like no other, and picked last."""
    extractor = TEXTS[wanted.extractor("texts")]
    cache = cache_for(wanted.cache)
    key = key_of(extractor.name, extractor.version, versions(*extractor.packages), _digest(texts))
    rows = _known(cache, key)
    if rows is None:
        rows = extractor.rows(texts, progress)
        cache.put(key, _arrays(rows))
        cache.tidy()
    features = extractor.extracted(rows)
    return Extracted(features.X, features.kernel, (*features.notes, *_empty(rows), *cache.notes()))


def _digest(texts: Sequence[str]) -> str:
    digest = sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _arrays(rows: Any) -> Arrays:
    if not is_sparse(rows):
        return {"rows": rows}
    parts = (rows.data, rows.indices, rows.indptr, np.array(rows.shape))
    return dict(zip(_SPARSE, parts, strict=True))


def _known(cache: Cache, key: str) -> Any:
    if (entry := cache.get(key, "rows")) is not None:
        return entry["rows"]
    if (entry := cache.get(key, *_SPARSE)) is None:
        return None
    from scipy.sparse import csr_array

    return csr_array((entry["data"], entry["indices"], entry["indptr"]), shape=tuple(entry["shape"].tolist()))


def _empty(rows: Any) -> list[str]:
    said = np.diff(rows.indptr) > 0 if is_sparse(rows) else rows.any(axis=1)
    empty = np.flatnonzero(~said)
    if not len(empty):
        return []
    return [f"texts that say nothing, picked last: {listed([f'number {i}' for i in empty])}"]
