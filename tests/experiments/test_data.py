"""Where data is looked for, and what is refused."""

from __future__ import annotations

import csv
import hashlib
import io
import tarfile
import zipfile
from http.client import IncompleteRead
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from diverset.experiments import data, download
from diverset.experiments.data import TABLES, DataError, TableSpec

TINY = TableSpec("tiny", "Tiny", ("sex", "size"), 3, 1, "", nominal="sex")
ROWS = [["M", "1.50", "7"], ["F", "2", "8"], ["M", "-0.0", "9e0"]]


def tiny_spec() -> TableSpec:
    return TableSpec("tiny", "Tiny", ("sex", "size"), 3, 1, data.sum_of_numbers(TINY, ROWS), nominal="sex")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with no data beside it, an empty cache, and a table that is known."""
    work = tmp_path / "project" / "checkout"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.delenv("DIVERSET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(data, "__file__", str(work / "src" / "diverset" / "experiments" / "data.py"))
    monkeypatch.setitem(TABLES, "tiny", tiny_spec())
    return tmp_path


def put(place: Path, rows: list[list[str]] = ROWS) -> Path:
    folder = place / "tiny"
    folder.mkdir(parents=True)
    with (folder / "tiny.csv").open("w", newline="") as out:
        csv.writer(out).writerows([["sex", "size", "target"], *rows])
    return place


def no_network(spec: TableSpec, say: object) -> data.Rows:
    raise OSError("no route")


def test_places_are_tried_in_the_stated_order(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached = put(nowhere / "cache" / "diverset" / "data")
    assert data.load_table("tiny").source.startswith(str(cached))
    shared = put(nowhere / "project" / "shared" / "data")
    assert data.load_table("tiny").source.startswith(str(shared))
    named = put(nowhere / "named")
    monkeypatch.setenv("DIVERSET_DATA", str(named))
    assert data.load_table("tiny").source.startswith(str(named))
    given = put(nowhere / "given")
    assert data.load_table("tiny", given).source.startswith(str(given))


def test_a_given_folder_without_the_table_falls_through_to_the_next(nowhere: Path) -> None:
    shared = put(nowhere / "project" / "shared" / "data")
    (nowhere / "given").mkdir()
    assert data.load_table("tiny", nowhere / "given").source.startswith(str(shared))


def test_a_given_folder_that_does_not_exist_is_refused(nowhere: Path) -> None:
    with pytest.raises(DataError, match=r"--data .*absent is not a folder"):
        data.load_table("tiny", nowhere / "absent")


def test_wrong_numbers_are_refused_by_name(nowhere: Path) -> None:
    place = put(nowhere / "given", [["M", "1.51", "7"], *ROWS[1:]])
    with pytest.raises(DataError, match=r"tiny.csv is not the Tiny data .* wanted .*--data DIR"):
        data.load_table("tiny", place)


def test_wrong_shape_is_refused_with_what_was_wanted(nowhere: Path) -> None:
    place = put(nowhere / "given", ROWS[:2])
    with pytest.raises(DataError, match=r"holds 2 rows .* wanted 3 rows of 3: sex, size"):
        data.load_table("tiny", place)


def test_without_a_network_the_sentence_says_what_to_do(nowhere: Path) -> None:
    with pytest.raises(DataError, match=r"no route.*put tiny\.csv into a folder DIR/tiny/.*--data DIR"):
        data.load_table("tiny", fetch=no_network)


def test_the_parts_that_can_go_on_are_named_and_the_lacking_one_is_not(nowhere: Path) -> None:
    with pytest.raises(DataError, match=r"--only stock,abalone,bank8fm,plane,dogs,kimia99$"):
        data.load_table("boston", fetch=no_network)


@pytest.mark.parametrize(
    "why", [IncompleteRead(b""), zipfile.BadZipFile("no zip"), tarfile.ReadError("no tar")], ids=type
)
def test_a_download_that_breaks_off_is_a_sentence_too(nowhere: Path, why: Exception) -> None:
    def broken(spec: TableSpec, say: object) -> data.Rows:
        raise why

    with pytest.raises(DataError, match="the download failed"):
        data.load_table("tiny", fetch=broken)


def test_without_a_network_the_pictures_say_where_they_belong(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from diverset.experiments import pictures

    def unreachable(request: object, timeout: float) -> None:
        raise OSError("no route")

    monkeypatch.setattr(download, "urlopen", unreachable)
    with pytest.raises(DataError, match=r"150 photos \(border_collie/n\d+_1031\.jpg.* DIR/stanford_dogs/"):
        pictures.load_dogs()
    with pytest.raises(DataError, match=r"99 silhouettes \(images/bonefishes\.png.* DIR/kimia99/"):
        pictures.load_shapes()


def test_a_download_is_checked_kept_and_then_found(nowhere: Path) -> None:
    table = data.load_table("tiny", fetch=lambda spec, say: ROWS)
    assert table.source == "OpenML 1"
    again = data.load_table("tiny", fetch=no_network)
    assert again.source.endswith("tiny.csv")
    np.testing.assert_array_equal(again.features(), table.features())


def test_a_download_of_something_else_is_not_kept(nowhere: Path) -> None:
    with pytest.raises(DataError, match="OpenML 1 is not"):
        data.load_table("tiny", fetch=lambda spec, say: [["F", "1.5", "7"], *ROWS[1:]])
    assert not (nowhere / "cache").exists()


def test_the_sum_sees_numbers_and_not_their_spelling() -> None:
    spelled = [["M ", "1.5", "7.0"], ["F", "2.0", "8"], ["M", "0", "9"]]
    assert data.sum_of_numbers(TINY, spelled) == data.sum_of_numbers(TINY, ROWS)
    moved = [ROWS[1], ROWS[0], ROWS[2]]
    assert data.sum_of_numbers(TINY, moved) != data.sum_of_numbers(TINY, ROWS)


def test_names_become_codes_columns_or_nothing(nowhere: Path) -> None:
    table = data.Table(tiny_spec(), ROWS, "here")
    assert table.features().tolist() == [[1, 1.5], [2, 2], [1, 0]]
    assert table.features("one-hot").tolist() == [[1, 0, 1.5], [0, 1, 2], [1, 0, 0]]
    assert table.features("drop").tolist() == [[1.5], [2], [0]]


def test_a_constant_column_is_standardised_to_zero() -> None:
    X = data.standardised(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert X.tolist() == [[-1, 0], [1, 0]]


# --- the network's edge: what scikit-learn and the archives return is faked, nothing before it ------


def test_what_openml_returns_reads_as_the_same_numbers(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, object] = {}

    def fetch_openml(**options: object) -> SimpleNamespace:
        asked.update(options)
        return SimpleNamespace(
            data=np.array([[1.0, 1.5, 7.0], [0.0, 2.0, 8.0], [1.0, -0.0, 9.0]]),
            feature_names=["Sex", "Size", "Rings"],
            categories={"Sex": ["F", "M"]},
        )

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    said: list[str] = []
    table = data.load_table("tiny", say=said.append)
    assert asked["data_id"] == 1
    assert asked["target_column"] is None
    assert table.features().tolist() == [[1, 1.5], [2, 2], [1, 0]]
    assert said == ["Tiny from OpenML 1"]


def test_the_archive_of_shapes_is_found_on_its_page() -> None:
    page = '<a href="/about">x</a> <a href="files/216db.zip">216</a> <a href="files/99db.tar.gz">99</a>'
    assert download.shapes_link(page).endswith("/content/files/99db.tar.gz")
    with pytest.raises(DataError, match="no longer links"):
        download.shapes_link("<a href='x'>")


def test_archives_unpack_whatever_their_kind() -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        entry = tarfile.TarInfo("db/a.png")
        entry.size = 3
        archive.addfile(entry, io.BytesIO(b"abc"))
    assert list(download.unpacked(content.getvalue())) == [("db/a.png", b"abc")]


def test_a_download_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    answer = io.BytesIO(b"x" * 9_000_000)
    answer.length = 9_000_000  # type: ignore[attr-defined]
    counted = download._Counted(answer, "Dogs", said.append)
    assert len(counted.read()) == 9_000_000
    assert said[-1] == "Dogs: 9 of 9 MB"
    assert len(said) >= 2


def image(colour: int, size: tuple[int, int], form: str) -> bytes:
    Image = pytest.importorskip("PIL.Image")
    out = io.BytesIO()
    Image.new("RGB", size, (colour, colour, colour)).save(out, form)
    return out.getvalue()


def tar_of(files: dict[str, bytes], mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def test_photos_are_taken_from_the_archive_checked_and_made_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large, small = image(9, (800, 400), "JPEG"), image(99, (60, 80), "JPEG")
    archive = tar_of({"Images/a/one.jpg": large, "Images/a/no.jpg": b"", "Images/b/two.jpg": small}, "w")
    monkeypatch.setattr(download, "urlopen", lambda request, timeout: io.BytesIO(archive))
    sums = "".join(hashlib.sha256(photo).hexdigest() for photo in (large, small))
    wanted = hashlib.sha256(sums.encode()).hexdigest()
    download.fetch_dogs(["one", "two"], tmp_path, wanted, lambda text: None)
    from PIL import Image

    with Image.open(tmp_path / "one.jpg") as photo:
        assert photo.size == (320, 160)
    assert (tmp_path / "two.jpg").read_bytes() == small
    with pytest.raises(DataError, match="not those known"):
        download.fetch_dogs(["one", "two"], tmp_path, "0" * 64, lambda text: None)
    with pytest.raises(DataError, match="lacks 1 photos, the first is three"):
        download.fetch_dogs(["one", "three"], tmp_path, wanted, lambda text: None)


def test_silhouettes_come_from_the_archive_that_the_page_links_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tar_of({"99db/Hand.PGM": image(0, (5, 4), "PPM")}, "w:gz")
    answers = {"databases": b'<a href="99db.tgz">', "99db.tgz": archive}

    def urlopen(request: object, timeout: float) -> io.BytesIO:
        return io.BytesIO(answers[request.full_url.rsplit("-")[-1].rsplit("/")[-1]])  # type: ignore[attr-defined]

    monkeypatch.setattr(download, "urlopen", urlopen)
    download.fetch_shapes(["hand"], tmp_path, lambda text: None)
    assert (tmp_path / "hand.png").is_file()


def test_pictures_that_differ_are_refused(nowhere: Path) -> None:
    pytest.importorskip("PIL")
    from diverset.experiments import pictures

    listed = [name for text in pictures._SHAPES.values() for name in text.split()]
    folder = nowhere / "given" / "kimia99" / "images"
    folder.mkdir(parents=True)
    for name in listed:
        (folder / f"{name}.png").write_bytes(image(0, (4, 4), "PNG"))
    with pytest.raises(DataError, match=r"silhouettes in .* are not the known ones"):
        pictures.load_shapes(nowhere / "given")
