"""Readings of all four kinds, from what scikit-learn brings: no network and no data folder."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_digits, load_sample_images, load_wine
from sklearn.feature_extraction.text import TfidfVectorizer

import diverset as dv
from diverset.readers import Reading, read

DIGEST = "0123456789abcdef" * 4


def digits() -> Reading:
    """Pictures that are no files."""
    found = load_digits()
    return Reading(
        X=found.data,
        kernel=dv.Gaussian(),
        kind="images",
        names=[f"digit {row}" for row in range(len(found.data))],
        source="scikit-learn's handwritten digits",
        digest=DIGEST,
        columns={"class": found.target.astype(float), "ink": found.data.sum(axis=1)},
        pictures=16 - found.images,
    )


def photos(folder: Path) -> Reading:
    """A folder of photographs: tiles of the two that scikit-learn brings."""
    from PIL import Image

    files = []
    for name, image in zip(("temple", "flower"), load_sample_images().images, strict=True):
        for row in range(5):
            for column in range(7):
                tile = image[row * 80 : row * 80 + 80, column * 90 : column * 90 + 90]
                files.append(folder / f"{name} {row}{column}.jpg")
                Image.fromarray(tile).save(files[-1], quality=90)
    tiny = [np.asarray(Image.open(file).resize((6, 6)), dtype=float).ravel() / 255 for file in files]
    return Reading(
        X=np.array(tiny),
        kernel=dv.Gaussian(),
        kind="images",
        names=[file.name for file in files],
        source="photos",
        digest=DIGEST,
        columns={"photo": np.array([file.name.split()[0] for file in files], dtype=object)},
        files=files,
    )


def texts() -> Reading:
    """Paragraphs of scikit-learn's own documentation."""
    paragraphs: list[str] = []
    for file in sorted((Path(sklearn.__file__).parent / "datasets").glob("*.py")):
        words = file.read_text(encoding="utf-8")
        found = [" ".join(part.split()) for part in re.split(r"\n\s*\n", words)]
        paragraphs += [part for part in found if 80 < len(part) < 500 and part[0].isupper()]
    paragraphs = list(dict.fromkeys(paragraphs))[:300]
    return Reading(
        X=TfidfVectorizer(sublinear_tf=True).fit_transform(paragraphs),
        kernel=dv.Cosine(),
        kind="texts",
        names=[str(row) for row in range(len(paragraphs))],
        source="paragraphs.txt",
        digest=DIGEST,
        texts=paragraphs,
    )


def table(folder: Path) -> Reading:
    """A CSV file, read as the command would."""
    wine = load_wine()
    path = folder / "wine.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow([*wine.feature_names, "cultivar"])
        for row, target in zip(wine.data, wine.target, strict=True):
            out.writerow([*row, ("Barolo", "Grignolino", "Barbera")[target]])
    return read(path)


def large(n: int) -> Reading:
    """Many rows in twelve clusters, named and with three columns."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, 12, n)
    X = (3 * rng.normal(size=(12, 8)))[cluster] + rng.normal(size=(n, 8))
    return Reading(
        X=X,
        kernel=dv.Gaussian(),
        kind="table",
        names=[f"item_{row:06d}" for row in range(n)],
        source="items.npy",
        digest=DIGEST,
        columns={
            "cluster": np.array([f"group {c}" for c in cluster], dtype=object),
            "first": X[:, 0],
            "second": X[:, 1],
        },
    )
