"""WHICH READER? A source becomes a Reading.

# form  how a file is written: csv, jsonl, parquet, feather, npy, npz, image or text
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..rounds.pool import Progress, quiet
from .columns import features_of, shown
from .csvs import read_csv
from .files import Listing, digest_of_all, listing
from .reading import Reading
from .table import stacked
from .wanted import Wanted

_AS_IT_COMES = Wanted()


def read(
    source: str | Path | Sequence[str | Path], wanted: Wanted = _AS_IT_COMES, *, progress: Progress = quiet
) -> Reading:
    """The items of a file, a folder, a glob, several of these, or standard input ("-")."""
    with listing(source) as found:
        return _table(found, wanted, progress)


def _table(found: Listing, wanted: Wanted, progress: Progress) -> Reading:
    tables, digests = zip(*(read_csv(file, wanted, progress) for file in found.files), strict=True)
    table = stacked(tables)
    features = features_of(table, wanted)
    return Reading(
        X=features.X,
        kernel=features.kernel,
        kind=features.kind,
        names=features.names,
        source=found.source,
        digest=digest_of_all(digests),
        columns=shown(table, features.rows),
        skipped=(*found.skipped, *features.skipped),
        notes=(*table.notes, *features.notes),
    )
