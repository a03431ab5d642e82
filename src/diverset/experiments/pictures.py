"""THE PHOTOS AND THE SILHOUETTES: the same places and the same care as for the tables.

# names  which pictures, in a fixed order; their classes come in runs
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data import BROKEN, DataError, cache, locate, missing

Image8 = NDArray[np.uint8]

BREEDS = {"border_collie": "n02106166", "chihuahua": "n02085620", "golden_retriever": "n02099601"}

# The paper does not name its photos. These are the first fifty of each breed's training split that
# a public collection of the originals holds, in the byte order of their names.
_PHOTOS = {
    "border_collie": """1031 1032 1055 1056 1128 1133 117 1204 1244 1246 1311 1426 1429 1452 1460
        1506 1539 1637 1674 1684 1705 1729 1776 1796 18 180 1822 1842 1874 1936 1983 2043 2345 243
        2458 2595 26 2660 2685 2837 2961 3033 324 3253 3296 331 3416 3429 3447 346""",
    "chihuahua": """10976 11140 11258 11948 12101 12334 1298 13151 14413 14516 1455 1502 1558 1569
        1617 1916 199 2053 2208 242 2479 2507 2614 2693 2706 275 2793 2887 2903 2921 2973 2981 3093
        3110 3208 326 3407 3423 3488 3593 3677 368 3681 3763 3838 3880 3928 3942 3975 4016""",
    "golden_retriever": """10 1010 1028 109 1162 118 124 1249 14 1442 1454 146 1633 1743 176 1768
        2029 2359 2422 2495 2536 2663 2688 2691 2796 280 281 286 3004 304 3073 308 3262 3327 3360
        3388 342 3494 3569 3869 4241 447 4678 473 4843 544 5452 5453 5642 5679""",
}
_DOGS_SUM = "c97ab9ea1bd4fc2d75def7d8b236dde3dc6d1950130e988fbd754dd5d269a368"
_DOGS_ORIGINALS = "d714440ce0fdbf2ec753489a5458f28a78e966ee23b2c024fda02038d1c1420b"

_SHAPES = {
    "fish": """bonefishes bonefishesocc1 dogfishsharks fish14 fish23 fish28 fish30 herrings mullets
        swordfishes whalesharks""",
    "rabbits": """bunny04 desertcottontail easterncottontail marshrabbit mountaincottontail
        mountaincottontailocc1 mountaincottontailocc2 mountaincottontailrot pygmyrabbit swamprabbit
        swamprabbitocc2""",
    "airplanes": """f15 f16 f16occ1 harrier harrierocc1 harrierocc2 harrierocc3 phantom phantomocc1
        skyhawk skyhawkocc1""",
    "miscellaneous": """fgen1ap fgen1bp fgen1ep fgen1fp fgen2dp fgen2fp fgen3bp fgen5cp mgen1bp
        mgen2ap mgen2fp""",
    "tools": """tool04 tool04bent1 tool07 tool08 tool09 tool12 tool17 tool22 tool27 tool38
        tool44""",
    "hands": """hand hand2 hand2occ1 hand2occ2 hand2occ3 hand3 hand90 handbent1 handbent2 handdeform
        handdeform2""",
    "men": "dude0 dude1 dude10 dude11 dude12 dude2 dude4 dude5 dude6 dude7 dude8",
    "quadrupeds": "calf1 calf2 cat1 cat2 cow1 cow2 dog1 dog2 dog3 donkey1 fox1",
    "rays": "kk0728 kk0729 kk0731 kk0732 kk0735 kk0736 kk0737 kk0738 kk0739 kk0740 kk0741",
}
_SHAPES_PIXELS = "869793c0c2ec5e3751acdc87b348cbb1fb1dec824ff107b1414f5dda28d5e1ae"


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures with a class each, in a fixed order."""

    images: list[Image8]
    names: list[str]
    classes: list[str]
    source: str


def load_dogs(given: Path | None = None, say: Callable[[str], None] = lambda text: None) -> Pictures:
    """The 150 photos, in colour (RGB), long side at most 320 pixels."""
    listed = [(f"{BREEDS[c]}_{i}", c) for c, text in _PHOTOS.items() for i in text.split()]
    first = f"{listed[0][1]}/{listed[0][0]}.jpg"
    folder = locate("stanford_dogs", first, given)
    if folder is None:
        folder = _download_dogs(listed, given, say)
    paths = [folder / breed / f"{name}.jpg" for name, breed in listed]
    found = _sum_of_files(paths)
    if found not in (_DOGS_SUM, _own_sum(folder)):
        raise DataError(
            f"The 150 photos in {folder} are not the known ones: SHA-256 {found[:12]}..., wanted "
            f"{_DOGS_SUM[:12]}.... Remove the folder to try the next place."
        )
    images = [_read(path, "RGB") for path in paths]
    return Pictures(images, [n for n, _ in listed], [c for _, c in listed], str(folder))


def _download_dogs(listed: list[tuple[str, str]], given: Path | None, say: Any) -> Path:
    from .download import fetch_dogs

    folder = cache() / "stanford_dogs"
    flat = folder / "new"
    try:
        fetch_dogs([name for name, _ in listed], flat, _DOGS_ORIGINALS, say)
    except BROKEN as why:
        wanted = f"the 150 photos ({listed[0][1]}/{listed[0][0]}.jpg, ...)"
        raise missing("dogs", "stanford_dogs", wanted, given, why) from why
    paths = []
    for name, breed in listed:
        paths.append(folder / breed / f"{name}.jpg")
        paths[-1].parent.mkdir(exist_ok=True)
        (flat / f"{name}.jpg").replace(paths[-1])
    flat.rmdir()
    # the originals were checked; how they were made smaller depends on the version of Pillow
    (folder / "sum.txt").write_text(_sum_of_files(paths))
    return folder


def _own_sum(folder: Path) -> str | None:
    own = folder / "sum.txt"
    return own.read_text().strip() if folder.parent == cache() and own.is_file() else None


def _sum_of_files(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            digest.update(path.read_bytes())
        except FileNotFoundError:
            raise DataError(f"{path} is missing: its folder should hold 150 photos.") from None
    return digest.hexdigest()


def load_shapes(given: Path | None = None, say: Callable[[str], None] = lambda text: None) -> Pictures:
    """The 99 silhouettes as grey images, black on white, in their own sizes."""
    listed = [(name, kind) for kind, text in _SHAPES.items() for name in text.split()]
    folder = locate("kimia99", f"images/{listed[0][0]}.png", given)
    if folder is None:
        from .download import fetch_shapes

        folder = cache() / "kimia99"
        try:
            fetch_shapes([name for name, _ in listed], folder / "images", say)
        except BROKEN as why:
            wanted = f"the 99 silhouettes (images/{listed[0][0]}.png, ...)"
            raise missing("kimia99", "kimia99", wanted, given, why) from why
    images = [_read(folder / "images" / f"{name}.png", "L") for name, _ in listed]
    digest = hashlib.sha256()
    for image in images:
        digest.update(repr(image.shape).encode())
        digest.update(image.tobytes())
    if digest.hexdigest() != _SHAPES_PIXELS:
        raise DataError(
            f"The 99 silhouettes in {folder} are not the known ones: SHA-256 of their pixels is "
            f"{digest.hexdigest()[:12]}..., wanted {_SHAPES_PIXELS[:12]}...."
        )
    return Pictures(images, [n for n, _ in listed], [c for _, c in listed], str(folder))


def _read(path: Path, mode: str) -> Image8:
    from PIL import Image

    if not path.is_file():
        raise DataError(f"{path} is missing.")
    with Image.open(path) as picture:
        return np.asarray(picture.convert(mode), dtype=np.uint8)
