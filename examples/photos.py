"""A dozen photos that show what there is in a folder, the rare things too.

    python examples/photos.py [FOLDER]

Without a folder it takes the photos of dogs in ../shared/data if they are there, else it draws 120 pictures
of its own into a temporary folder: many of the same few things, and a few of things that are rare.

Colours decide here what is alike. `Wanted(features="sift")` looks at shapes, `"efficientnet"` at what is in
the picture.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

import diverset as dv
from diverset.readers import Wanted, read

K, DRAWS = 12, 500
DOGS = Path(__file__).parents[2] / "shared" / "data" / "stanford_dogs"


def drawn(folder):
    """Ten kinds of picture: forty meadows and beaches by the dozen, two lilacs and one sunset."""
    kinds = {
        "meadow": (40, (120, 180, 240), (60, 150, 50)),
        "beach": (28, (130, 190, 250), (220, 200, 140)),
        "snow": (18, (190, 210, 230), (245, 245, 250)),
        "street": (12, (150, 150, 155), (80, 80, 85)),
        "forest": (8, (30, 80, 40), (20, 50, 25)),
        "night": (5, (10, 10, 35), (15, 15, 20)),
        "desert": (4, (240, 220, 170), (210, 130, 60)),
        "lilacs": (2, (160, 110, 200), (70, 130, 60)),
        "fire": (2, (50, 15, 10), (230, 90, 20)),
        "sunset": (1, (250, 120, 60), (60, 30, 70)),
    }
    rng = np.random.default_rng(0)
    for kind, (count, sky, ground) in kinds.items():
        (folder / kind).mkdir()
        for number in range(count):
            light = rng.normal(1.0, 0.08)
            lit = light * np.array([sky, ground]) + rng.normal(0.0, 8.0, size=(2, 3))
            above, below = (tuple(colour) for colour in lit.clip(0, 255).astype(int).tolist())
            picture = Image.new("RGB", (160, 120), above)
            ImageDraw.Draw(picture).rectangle((0, int(rng.integers(40, 90)), 160, 120), fill=below)
            picture = picture.rotate(rng.normal(0, 4), fillcolor=above).filter(ImageFilter.GaussianBlur(3))
            picture.save(folder / kind / f"{kind}-{number:02}.png")


def chosen(folder):
    """The picks, and what a dozen random photos would show."""
    photos = read(folder, Wanted(features="color"))
    picks = dv.select(photos.X, K, kernel=photos.kernel, method="greedy-map")
    kinds = [
        Path(name).parent.name for name in photos.names
    ]  # the names of the folders: not looked at to pick

    print(f"{K} of {photos.n} photos in {photos.source}, {len(photos.skipped)} skipped:")
    for place, row in enumerate(picks, start=1):
        print(f"{place:>3}  {photos.names[row]}")

    matrix = dv.kernel_matrix(photos.X, photos.kernel)  # once, for all sets that are judged

    def judged(rows):
        rows = np.asarray(rows)
        return len({kinds[row] for row in rows}), dv.metrics.vendi_score(matrix.block(rows, rows))

    random = [judged(np.random.default_rng(seed).permutation(photos.n)[:K]) for seed in range(DRAWS)]
    print(f"\n{'':>14}  {'kinds':>5}  {'photos of their own':>19}")
    print(f"{'diverse':>14}  {judged(picks)[0]:>5}  {judged(picks)[1]:>19.2f}")
    shown, own = np.mean(random, axis=0)
    print(f"{'random, mean':>14}  {shown:>5.1f}  {own:>19.2f}")
    shown, own = np.max(random, axis=0)
    print(f"{'random, best':>14}  {shown:>5.0f}  {own:>19.2f}")


if len(sys.argv) > 1 or DOGS.is_dir():
    chosen(sys.argv[1] if len(sys.argv) > 1 else DOGS)
else:
    with tempfile.TemporaryDirectory() as folder:
        drawn(Path(folder))
        chosen(folder)
