"""WHAT IS ASKED FOR? How a source is to be read, and the refusal when that cannot be done.

# globs  names of columns in which * stands for anything: "emb_*"
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ..messages import nearest
from .reading import Kind

Missing = Literal["refuse", "drop", "mean"]
FEATURES: dict[Kind, tuple[str, ...]] = {
    "images": ("sift", "pixels", "hog", "color", "efficientnet"),
    "texts": ("tfidf", "wordllama"),
}  # the first of each kind is the default


class ReadError(ValueError):
    """A source that cannot be read; the text names the file, the row, the column, and what to do."""


@dataclass(frozen=True)
class Wanted:
    """How to read. All of it may be left to the reader, which says in its notes what it decided.

    ``kind``         "table" (columns with units of their own), "vectors" (rows as they are), "images" or
                     "texts", where the source leaves it open
    ``columns``      the columns that are features (globs); if none is named the only one of vectors, else all
    ``drop``         columns that are not features (globs), such as groups and labels
    ``text``         the column or key that holds a text per row: the texts become the features
    ``id``           the column that names the rows
    ``header``       whether the first line of a CSV names the columns
    ``delimiter``, ``encoding``  of a CSV
    ``standardize``  numeric columns of a table get mean 0 and deviation 1; vectors stay as they are
    ``one_hot``      columns of words become a column of 0 and 1 for each word; else they are left out
    ``missing``      "refuse" names the first; "drop" leaves its row out; "mean" fills numbers in
    ``features``     the extractor for images (sift, pixels, ...) or texts (tfidf, wordllama)
    ``cache``        whether, or in which folder, features of images and texts are kept
    """

    kind: Kind | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    text: str | None = None
    id: str | None = None
    header: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    standardize: bool = True
    one_hot: bool = True
    missing: Missing = "refuse"
    features: str | None = None
    cache: bool | Path = True

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in get_args(Kind):
            raise ReadError(nearest("kind", self.kind, get_args(Kind)))
        if self.missing not in get_args(Missing):
            raise ReadError(nearest("missing", self.missing, get_args(Missing)))
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ReadError(f"delimiter must be one character, got delimiter={self.delimiter!r}.")
        if self.text is not None and self.columns:
            raise ReadError(
                f"text={self.text!r} makes texts the features, and columns={self.columns!r} other columns: "
                "name one of the two."
            )
        known = [name for names in FEATURES.values() for name in names]
        if self.features is not None and self.features not in known:
            raise ReadError(nearest("features", self.features, known))

    def extractor(self, kind: Kind) -> str:
        """The name of the extractor for items of this kind."""
        names = FEATURES[kind]
        if self.features is None:
            return names[0]
        if self.features not in names:
            raise ReadError(f"features={self.features!r} is not for {kind}: wanted {', '.join(names)}.")
        return self.features
