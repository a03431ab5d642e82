"""WHAT IF NO PLACE HAS THEM? The public homes of the data. All that touches the network is here.

# say   told now and then how far it is, in a few words
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import urljoin
from urllib.request import Request, urlopen

from .data import DataError, Rows, TableSpec

DOGS_ARCHIVE = "http://vision.stanford.edu/aditya86/ImageNetDogs/images.tar"
SHAPES_PAGE = "https://vision.lems.brown.edu/content/available-software-and-databases"
_TIMEOUT = 30.0
_PIECE = 2**18

Say = Callable[[str], None]


def fetch_table(spec: TableSpec, say: Say) -> Rows:
    """The rows of a table from OpenML, through scikit-learn, as text."""
    from sklearn.datasets import fetch_openml

    say(f"{spec.title} from OpenML {spec.openml}")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="A network error occurred")  # it tries once more
        # liac-arff needs no pandas; names come as codes, with their texts in `categories`
        bunch: Any = fetch_openml(
            data_id=spec.openml,
            as_frame=False,
            parser="liac-arff",
            target_column=None,
            n_retries=1,
            cache=False,
        )
    return rows_of(bunch)


def rows_of(bunch: Any) -> Rows:
    """What `fetch_openml` returned, as rows of text: codes of categories become their names."""
    categories: dict[str, list[str]] = bunch.categories or {}
    columns = []
    for name, column in zip(bunch.feature_names, bunch.data.T, strict=True):
        names = categories.get(name)
        if names is None:
            columns.append([repr(float(value)) for value in column])
        else:
            columns.append([str(names[int(value)]) for value in column])
    return [list(row) for row in zip(*columns, strict=True)]


def fetch_dogs(names: list[str], into: Path, sum_of_originals: str, say: Say) -> None:
    """The photos named n02106166_1031, ... from Stanford's archive, checked, then made smaller.

    The archive is read as a stream that ends once all are found: nothing else is kept.
    """
    originals: dict[str, bytes] = {}
    with _open(DOGS_ARCHIVE) as answer:
        stream = _Counted(answer, "Stanford Dogs", say)
        with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
            for member in archive:
                stem = PurePosixPath(member.name).stem
                if stem in names and (held := archive.extractfile(member)) is not None:
                    originals[stem] = held.read()
                if len(originals) == len(names):
                    break
    lacking = [name for name in names if name not in originals]
    if lacking:
        raise DataError(f"{DOGS_ARCHIVE} lacks {len(lacking)} photos, the first is {lacking[0]}.")
    sums = "".join(hashlib.sha256(originals[name]).hexdigest() for name in names)
    if hashlib.sha256(sums.encode()).hexdigest() != sum_of_originals:
        raise DataError(f"The photos in {DOGS_ARCHIVE} are not those known (SHA-256 differs).")
    for name in names:
        _shrink(originals[name], into / f"{name}.jpg")


def _shrink(original: bytes, path: Path, longest: int = 320) -> None:
    """At most 320 pixels a side; a photo that is small already keeps its bytes."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(io.BytesIO(original)) as photo:
        width, height = photo.size
        if max(width, height) <= longest:
            path.write_bytes(original)
            return
        scale = longest / max(width, height)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        small = photo.convert("RGB").resize(size, Image.Resampling.LANCZOS)
        small.save(path, "JPEG", quality=95, subsampling=0)


def fetch_shapes(names: list[str], into: Path, say: Say) -> None:
    """The silhouettes from the archive that Brown's page of databases links to."""
    with _open(SHAPES_PAGE) as answer:
        page = answer.read().decode(errors="replace")
    link = shapes_link(page)
    with _open(link) as answer:
        content = _Counted(answer, "Kimia-99", say).read()
    from PIL import Image

    found = {PurePosixPath(name).stem.lower(): held for name, held in unpacked(content)}
    lacking = [name for name in names if name.lower() not in found]
    if lacking:
        raise DataError(f"{link} lacks {len(lacking)} silhouettes, the first is {lacking[0]}.")
    into.mkdir(parents=True, exist_ok=True)
    for name in names:
        with Image.open(io.BytesIO(found[name.lower()])) as shape:
            shape.convert("L").save(into / f"{name}.png")


def shapes_link(page: str) -> str:
    """The archive of 99 shapes among the links of the page."""
    links: list[str] = re.findall(r'href="([^"]+)"', page)
    for link in links:
        if "99" in link and re.search(r"\.(zip|tgz|tar\.gz|tar)$", link):
            return urljoin(SHAPES_PAGE, link)
    raise DataError(f"{SHAPES_PAGE} no longer links to an archive of 99 shapes.")


def unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of a zip or tar archive."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield name, archive.read(name)
        return
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        for member in tar:
            if (held := tar.extractfile(member)) is not None:
                yield member.name, held.read()


def _open(address: str) -> Any:
    return urlopen(Request(address, headers={"User-Agent": "diverset"}), timeout=_TIMEOUT)


class _Counted:
    """A download that tells how far it is."""

    def __init__(self, answer: BinaryIO, title: str, say: Say) -> None:
        self._answer, self._title, self._say = answer, title, say
        self._total = int(getattr(answer, "length", 0) or 0)
        self._done = self._told = 0

    def read(self, size: int = -1) -> bytes:
        pieces = []
        while size:
            piece = self._answer.read(_PIECE if size < 0 else min(size, _PIECE))
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
            self._count(len(piece))
        return b"".join(pieces)

    def _count(self, more: int) -> None:
        self._done += more
        if self._done - self._told >= 2**22 or self._done == self._total:
            self._told = self._done
            of = f" of {self._total / 1e6:.0f}" if self._total else ""
            self._say(f"{self._title}: {self._done / 1e6:.0f}{of} MB")
