"""Pictures as strangers write them: read right, or skipped and listed with the reason; never a crash."""

from __future__ import annotations

import io
import os
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

import diverset as dv
from diverset.readers import ReadError, Wanted
from diverset.readers.files import listing
from diverset.readers.images import looks_like_image, read_images
from diverset.readers.pictures import SCANS, Unreadable, decoding, picture

SIDE = 64
FRESH = Wanted(kind="images", features="color", cache=False)


def scene(seed=0, size=(48, 40)):
    """A picture with a bright left upper corner, so that turning it can be seen."""
    rng = np.random.default_rng(seed)
    rgb = rng.integers(40, 90, (size[1], size[0], 3)).astype(np.uint8)
    rgb[: size[1] // 2, : size[0] // 2] = (250, 220, 200)
    return Image.fromarray(rgb)


def saved(image, form, **options):
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def shown(data, side=SIDE):
    with decoding():
        return picture(data, side)


def why_not(data):
    with pytest.raises(Unreadable) as refused:
        shown(data)
    return str(refused.value)


@pytest.fixture
def folder(tmp_path):
    """A folder of five good photos."""
    for i in range(5):
        (tmp_path / f"good{i}.png").write_bytes(saved(scene(i), "PNG"))
    return tmp_path


def read(source, wanted=FRESH, **more):
    with listing(source) as found:
        return read_images(found, wanted, **more)


# --- what is read right -----------------------------------------------------------------------


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF"])
def test_each_format_shows_the_same_picture(form):
    smooth = Image.new("RGB", (48, 40), (200, 60, 40))
    data = saved(smooth, form)
    assert looks_like_image(data[:16])
    found = shown(data)
    assert found.rgb.shape == (40, 48, 3)
    assert not found.frames
    assert np.abs(found.rgb.astype(int) - (200, 60, 40)).max() <= 6


@pytest.mark.parametrize("form", ["PPM", "ICO", "TGA", "PCX", "EPS"])
def test_formats_that_are_not_on_the_list_are_not_opened(form):
    assert why_not(saved(scene(), form)) == "not a JPEG, PNG, WebP, BMP, TIFF or GIF"


@pytest.mark.parametrize(
    "head", [b"", b"BM", b"BMW is a car, not a bitmap", b"RIFF1234WAVE", b"<svg>", b"GIF8"]
)
def test_other_files_do_not_look_like_images(head):
    assert not looks_like_image(head)


def test_sixteen_bits_are_scaled_and_not_cut_off():
    ramp = np.linspace(0, 65535, 40 * 48).reshape(40, 48).astype(np.uint16)
    for form in ("PNG", "TIFF"):
        grey = shown(saved(Image.fromarray(ramp), form)).rgb[..., 0]
        assert np.abs(grey - ramp / 257).max() <= 0.5
    big_endian = Image.fromarray(ramp.astype(">u2"))
    assert np.abs(shown(saved(big_endian, "TIFF")).rgb[..., 0] - ramp / 257).max() <= 0.5


def test_numbers_of_other_kinds_are_stretched_to_what_there_is():
    ramp = np.linspace(-3, 900, 40 * 48).reshape(40, 48).astype(np.float32)
    assert {shown(saved(Image.fromarray(ramp), "TIFF")).rgb.min(), 255} == {0, 255}
    unit = Image.fromarray(np.full((8, 8), 0.5, dtype=np.float32))
    assert shown(saved(unit, "TIFF")).rgb[0, 0].tolist() == [128] * 3
    large = Image.fromarray(np.array([[0, 2**20]] * 4, dtype=np.int32))
    assert shown(saved(large, "TIFF")).rgb[0, :, 0].tolist() == [0, 255]
    hole = Image.fromarray(np.array([[0, np.nan]] * 4, dtype=np.float32))
    assert why_not(saved(hole, "TIFF")) == "it has pixels that are not finite"


@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
def test_printers_colours_become_screen_colours(form):
    red = Image.new("RGB", (16, 16), (230, 20, 20)).convert("CMYK")
    assert np.abs(shown(saved(red, form)).rgb.astype(int) - (230, 20, 20)).max() <= 12


def test_transparent_pictures_are_shown_on_white():
    clear = Image.new("RGBA", (16, 16), (255, 0, 0, 0))
    clear.paste((0, 0, 255, 255), (0, 0, 8, 16))
    for made in (clear, clear.convert("LA"), clear.quantize(8)):
        rgb = shown(saved(made, "PNG")).rgb
        assert rgb[8, 12].tolist() == [255, 255, 255]
        assert rgb[8, 3].max() - rgb[8, 3].min() in (0, 255)
    keyed = Image.new("RGB", (16, 16), (1, 2, 3))
    assert (shown(saved(keyed, "PNG", transparency=(1, 2, 3))).rgb == 255).all()


@pytest.mark.parametrize("mode", ["1", "L", "P", "YCbCr"])
def test_every_mode_becomes_colour(mode):
    form = "JPEG" if mode == "YCbCr" else "PNG"
    rgb = shown(saved(scene().convert(mode), form)).rgb
    assert rgb.shape == (40, 48, 3)
    assert rgb[:16, :20].mean() > rgb[24:, 28:].mean() + 60


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP", "TIFF"])
def test_of_several_frames_the_first_is_taken_and_said(form, folder):
    first, second = Image.new("RGB", (20, 20), "red"), Image.new("RGB", (20, 20), "blue")
    data = saved(first, form, save_all=True, append_images=[second])
    assert shown(data).frames
    assert shown(data).rgb[10, 10, 0] > 200
    (folder / "moves").write_bytes(data)
    notes = read([*sorted(folder.iterdir())]).notes
    assert any("several frames" in note and "moves" in note for note in notes)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_photos_are_turned_upright(form, orientation):
    stores = [None, 0, 3, 1, 5, 2, 6, 4]  # how a camera that is held so turns the scene
    upright = scene(size=(48, 32))
    turn = stores[orientation - 1]
    stored = upright if turn is None else upright.transpose(Image.Transpose(turn))
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = shown(saved(stored, form, exif=exif)).rgb
    assert found.shape == (32, 48, 3)
    assert found[:14, :22].mean() > 190
    assert found[18:, 26:].mean() < 110


@pytest.mark.parametrize(
    "exif", [b"Exif\0\0nonsense", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0MM\0*" + b"\xff" * 60]
)
def test_exif_that_makes_no_sense_leaves_the_photo_as_it_is(exif):
    assert shown(saved(scene(), "JPEG", exif=exif)).rgb.shape == (40, 48, 3)


def test_large_photos_are_made_small_and_small_ones_stay():
    large = scene(size=(900, 600))
    assert shown(saved(large, "JPEG")).rgb.shape == (43, 64, 3)
    assert shown(saved(large, "PNG")).rgb.shape == (43, 64, 3)
    assert shown(saved(scene(size=(5, 3)), "PNG")).rgb.shape == (3, 5, 3)
    assert shown(saved(scene(size=(1, 5000)), "PNG")).rgb.shape == (64, 1, 3)


# --- what is refused --------------------------------------------------------------------------


def bomb(width, height):
    """A PNG of a few bytes that says it is this large."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(10_000, 10_000), (60_000, 60_000), (2**31 - 1, 2**31 - 1)])
def test_bombs_do_not_go_off(size):
    assert "decompression bomb" in why_not(bomb(*size))


def test_empty_and_cut_files_are_refused():
    assert why_not(b"") == "empty: it has no bytes"
    assert why_not(saved(scene(), "PNG")[:300]).startswith("broken: ")
    assert why_not(saved(scene(size=(200, 200)), "JPEG")[:900]).startswith("broken: ")
    assert why_not(b"\xff\xd8\xff") == "not a JPEG, PNG, WebP, BMP, TIFF or GIF"


def test_a_jpeg_of_endless_scans_is_refused():
    data = saved(scene(size=(400, 300)), "JPEG", progressive=True)
    assert shown(data).rgb.shape == (48, 64, 3)
    start = data.rindex(b"\xff\xda")
    scan = data[start:-2]
    assert why_not(data[:-2] + scan * SCANS + data[-2:]).startswith(f"a JPEG of more than {SCANS} scans")


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF"])
def test_files_with_any_byte_changed_are_read_or_refused(form):
    rng = np.random.default_rng(sum(map(ord, form)))
    whole = np.frombuffer(saved(scene(size=(30, 20)), form), dtype=np.uint8)
    with decoding():
        for _ in range(400):
            broken = whole.copy()
            at = rng.integers(0, min(len(broken), 400), rng.integers(1, 6))
            broken[at] = rng.integers(0, 256, len(at))
            cut = rng.integers(len(broken) // 2, len(broken) + 1)
            with suppress(Unreadable):  # any other exception fails the test
                found = picture(broken[:cut].tobytes(), SIDE)
                assert (found.rgb.dtype, found.rgb.ndim) == (np.uint8, 3)
                assert max(found.rgb.shape[:2]) <= SIDE


def test_large_pictures_wait_for_each_other_and_a_broken_one_lets_the_next_go(monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    from diverset.readers import pictures

    monkeypatch.setattr(pictures, "_LARGE", 1)
    inside, most = [], []
    plain = pictures._shrunk

    def watched(image, side):
        inside.append(1)
        most.append(len(inside))
        found = plain(image, side)
        inside.pop()
        return found

    monkeypatch.setattr(pictures, "_shrunk", watched)
    good = saved(scene(size=(300, 300)), "PNG")
    assert why_not(good[:-200]).startswith("broken")
    with decoding(), ThreadPoolExecutor(4) as workers:
        assert len(list(workers.map(lambda data: picture(data, SIDE), [good] * 20))) == 20
    assert max(most) == 1


# --- a folder ---------------------------------------------------------------------------------


def test_a_folder_of_photos_is_a_pool(folder):
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "photo.JPG").write_bytes(saved(scene(9), "JPEG"))
    reading = read(folder)
    assert reading.kind == "images"
    assert reading.names == ["deep/er/photo.JPG", *(f"good{i}.png" for i in range(5))]
    assert reading.files == [folder / name for name in reading.names]
    assert reading.X.shape[0] == reading.n == 6
    assert len(reading.digest) == 64
    assert not reading.skipped
    assert len(dv.select(reading.X, 3, kernel=reading.kernel)) == 3


def test_what_cannot_be_used_is_listed_with_the_reason(folder):
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "lies.jpg").write_text("not a photo at all")
    (folder / "cut.png").write_bytes(saved(scene(), "PNG")[:200])
    (folder / "bomb.png").write_bytes(bomb(30_000, 30_000))
    (folder / "broken-link.jpg").symlink_to(folder / "nowhere.jpg")
    (folder / "loop.jpg").symlink_to(folder / "loop.jpg")
    (folder / "around").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe.jpg")
    for i in range(5, 12):
        (folder / f"good{i}.png").write_bytes(saved(scene(i), "PNG"))
    reading = read(folder)
    skipped = dict(reading.skipped)
    assert reading.names == sorted(f"good{i}.png" for i in range(12))
    assert skipped.pop("empty.jpg") == "empty: it has no bytes"
    assert skipped.pop("lies.jpg").startswith("not a JPEG")
    assert skipped.pop("cut.png").startswith("broken: ")
    assert "bomb" in skipped.pop("bomb.png")
    assert skipped.pop("pipe.jpg") == "a pipe"
    assert len([name for name in skipped if name in ("broken-link.jpg", "loop.jpg")]) == 2
    assert any("not followed" in why for why in skipped.values())


def test_a_photo_that_may_not_be_read_is_skipped(folder, monkeypatch):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (folder / "good2.png").chmod(0)
    assert dict(read(folder).skipped) == {"good2.png": "permission denied"}


def test_a_photo_that_goes_away_or_changes_meanwhile_is_skipped(folder):
    def meddle(stage, done, of):
        if stage == "looking at files" and done == of:
            (folder / "good1.png").unlink(missing_ok=True)
            (folder / "good3.png").write_bytes(saved(scene(77), "PNG"))

    reading = read(folder, progress=meddle)
    assert reading.names == ["good0.png", "good2.png", "good4.png"]
    assert dict(reading.skipped) == {
        "good1.png": "no such file or directory",
        "good3.png": "it was changed while it was being read",
    }


def test_a_folder_of_broken_photos_is_refused_by_name(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"")
    with pytest.raises(ReadError, match=r"a\.jpg: empty"):
        read(tmp_path)


def test_equal_photos_are_equal_rows_and_names_do_not_matter(folder):
    before = read(folder)
    (folder / "again.png").write_bytes((folder / "good2.png").read_bytes())
    (folder / "good0.png").rename(folder / "zebra.png")
    after = read(folder)
    assert after.names == ["again.png", "good1.png", "good2.png", "good3.png", "good4.png", "zebra.png"]
    assert np.array_equal(after.X, before.X[[2, 1, 2, 3, 4, 0]])


def test_progress_is_told_until_the_end(folder):
    told = []
    read(folder, progress=lambda *what: told.append(what))
    assert ("looking at files", 5, 5) in told
    assert told[-1] == ("features", 5, 5)


def test_warnings_of_the_user_stay_as_they_are(folder):
    import warnings

    before = list(warnings.filters)
    read(folder)
    assert warnings.filters == before


def test_a_missing_package_is_named(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ReadError, match=r"pip install 'diverset\[images\]'"):
        read(folder, Wanted(features="sift", cache=False))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ReadError, match=r"pip install 'diverset\[efficientnet\]'"):
        read(folder, Wanted(features="efficientnet", cache=False))
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ReadError, match=r"pip install 'diverset\[images\]'"):
        read(folder)
