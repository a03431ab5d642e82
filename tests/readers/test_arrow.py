"""Parquet, Arrow and Feather: the same table out of each, and only what was asked for."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc
from pyarrow import parquet as pq

import diverset as dv
from diverset.readers import ReadError, Wanted, arrow, files, packed, read

PLAIN = Wanted(standardize=False)
VECTORS = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)


def stream(table, path):
    with pa.OSFile(str(path), "wb") as out, ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=5)


WRITERS = {
    "items.parquet": lambda table, path: pq.write_table(table, path, row_group_size=5),
    "items.feather": lambda table, path: feather.write_feather(table, path, chunksize=5),
    "plain.arrow": lambda table, path: feather.write_feather(table, path, compression="uncompressed"),
    "items.arrows": stream,
}


@pytest.fixture(params=WRITERS)
def put(request, tmp_path):
    """Writes a table in one form after the other and returns its path."""

    def write(columns):
        path = tmp_path / request.param
        WRITERS[request.param](columns if isinstance(columns, pa.Table) else pa.table(columns), path)
        return path

    return write


def test_numbers_words_flags_dates_and_decimals_become_features(put):
    days = [dt.date(1970, 1, 1 + i) for i in range(4)]
    path = put(
        {
            "n": pa.array([1, 2, 3, 4], pa.int16()),
            "d": pa.array([decimal.Decimal("0.25") * i for i in range(4)]),
            "day": days,
            "at": pa.array([dt.datetime(1970, 1, 2, 12, i) for i in range(4)], pa.timestamp("ms")),
            "ok": [True, False, True, True],
            "word": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
        }
    )
    X = read(path, PLAIN).X
    assert X[:, :3].tolist() == [[1, 0, 0], [2, 0.25, 1], [3, 0.5, 2], [4, 0.75, 3]]
    assert X[:, 3] == pytest.approx([1.5 + i / 1440 for i in range(4)])
    assert X[:, 4:].tolist() == [[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.float32()),
        pa.large_list(pa.float32()),
        pa.list_(pa.float32(), 3),
        pa.fixed_shape_tensor(pa.float32(), [3]),
    ],
    ids=["list", "large_list", "fixed_size_list", "tensor"],
)
def test_lists_of_one_length_are_vectors_and_stay_as_they_are(put, kind):
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.FixedShapeTensorArray.from_numpy_ndarray(VECTORS)
    else:
        column = pa.array(VECTORS.tolist(), kind)
    reading = read(put({"id": list("abcdefghijkl"), "emb": column, "price": np.arange(12.0)}))
    assert reading.kind == "vectors"
    assert reading.X.dtype == np.float32
    assert (reading.X == VECTORS).all()
    assert reading.names[:3] == ["a", "b", "c"]
    assert list(reading.columns) == ["id", "price"]
    assert len(dv.select(reading.X, 3, kernel=reading.kernel)) == 3


def test_vectors_in_a_table_of_units_are_standardised(put):
    reading = read(put({"emb": pa.array((VECTORS * [1, 10, 100]).tolist())}), Wanted(kind="table"))
    assert reading.X.std(axis=0) == pytest.approx([1, 1, 1])
    assert reading.kind == "table"


def test_lists_of_lists_are_flat_vectors(put):
    cubes = np.arange(24.0).reshape(3, 2, 4)
    reading = read(put({"emb": pa.array(cubes.tolist())}))
    assert (cubes.reshape(3, 8) == reading.X).all()


def test_a_missing_list_is_a_missing_value(put):
    path = put({"emb": pa.array([[1.0, 2.0], None, [3.0, 5.0], [4.0, None]])})
    with pytest.raises(ReadError, match=r"row 1, column 'emb', number 0: no value \(2 missing"):
        read(path)
    dropped = read(path, Wanted(missing="drop"))
    assert (dropped.X.tolist(), dropped.names) == ([[1, 2], [3, 5]], ["0", "2"])


def test_lists_of_different_lengths_are_left_out_unless_they_are_asked_for(put):
    path = put({"x": [1.0, 2.0, 4.0], "tags": [["a"], [], ["b", "c"]]})
    reading = read(path, PLAIN)
    assert reading.X.tolist() == [[1], [2], [4]]
    assert any("'tags' holds lists" in note for note in reading.notes)
    with pytest.raises(ReadError, match="column 'tags' holds lists"):
        read(path, Wanted(columns=("tags",)))


def test_several_columns_of_vectors_are_a_question(put):
    path = put({"a": pa.array(VECTORS.tolist()), "b": pa.array((VECTORS + 1).tolist())})
    with pytest.raises(ReadError, match=r"several columns of vectors.*--columns a"):
        read(path)
    assert read(path, Wanted(columns=("b",))).X.shape == (12, 3)


def test_fields_of_structs_are_columns(put):
    path = put({"user": [{"age": 3, "at": {"x": 1.0}}, {"age": 5, "at": {"x": 2.0}}], "z": [1, 2]})
    assert read(path, Wanted(columns=("user.*",), standardize=False)).X.tolist() == [[3, 1], [5, 2]]


def test_null_is_missing_but_the_word_na_is_a_word(put):
    path = put({"x": [1, None, 3, 5], "country": ["NA", "DE", "NA", "DE"]})
    with pytest.raises(ReadError, match=r"row 1, column 'x': no value \(1 missing"):
        read(path)
    assert read(path, Wanted(missing="mean", standardize=False)).X.tolist() == [
        [1, 0, 1],
        [3, 1, 0],
        [3, 0, 1],
        [5, 1, 0],
    ]


def test_only_the_wanted_columns_are_read(put, monkeypatch):
    monkeypatch.setattr(arrow, "BESIDE", 2)
    seen = []
    monkeypatch.setattr(
        arrow, "_column", lambda name, *rest, f=arrow._column, **k: seen.append(name) or f(name, *rest, **k)
    )
    columns = {f"emb_{i}": np.arange(4.0) * (i + 1) for i in range(3)}
    columns |= {f"meta_{i}": [1, 2, 3, 5] for i in range(9)} | {"group": ["a", "b", "a", "b"]}
    reading = read(put(columns), Wanted(columns=("emb_*",), drop=("group",)))
    assert seen == ["emb_0", "emb_1", "emb_2", "meta_0", "meta_1", "group"]
    assert reading.X.shape == (4, 3)
    assert reading.columns["group"].tolist() == ["a", "b", "a", "b"]
    assert any("not read" in note and "'meta_2'" in note for note in reading.notes)


def test_a_column_that_is_not_there_is_named_with_the_nearest(put):
    with pytest.raises(ReadError, match=r"Unknown column 'prise'. Did you mean 'price'"):
        read(put({"price": [1, 2], "x": [3, 5]}), Wanted(columns=("prise",)))


def test_two_columns_with_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["x", "x"])
    stream(table, tmp_path / "twice.arrow")
    with pytest.raises(ReadError, match="two columns that are called 'x'"):
        read(tmp_path / "twice.arrow")


def test_a_table_without_rows_or_columns_is_refused(put):
    with pytest.raises(ReadError, match="no rows"):
        read(put({"x": pa.array([], pa.float64())}))
    with pytest.raises(ReadError, match="no columns"):
        read(put(pa.table({})))


def test_a_billion_rows_of_nothing_are_refused(tmp_path):
    path = tmp_path / "bomb.arrows"
    batch = pa.record_batch({"x": pa.nulls(10**9)})
    with pa.OSFile(str(path), "wb") as out, ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)
    assert path.stat().st_size < 1000
    with pytest.raises(ReadError, match="looks like an attack"):
        read(path)


def test_a_long_word_in_every_row_is_there_once(tmp_path):
    long = "x" * 10**6
    words = pa.DictionaryArray.from_arrays(np.zeros(2000, np.int32), pa.array([long]))
    pq.write_table(pa.table({"w": words, "x": np.arange(2e3)}), tmp_path / "long.parquet", store_schema=False)
    table, _ = arrow.read_parquet(files.Found(tmp_path / "long.parquet", "long"), Wanted())  # else 2 GB
    assert table.columns["w"].values[0] is table.columns["w"].values[-1]


def test_pages_that_unpack_beyond_reason_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "BOMB", 2**20)
    pages = {"compression": "zstd", "use_dictionary": False}
    pq.write_table(pa.table({"w": ["x" * 2**20] * 8, "x": np.arange(8)}), tmp_path / "bomb.parquet", **pages)
    monkeypatch.setattr(arrow, "_table", lambda *_: pytest.fail("pages were unpacked"))
    with pytest.raises(ReadError, match="looks like an attack"):
        read(tmp_path / "bomb.parquet")


def test_offsets_that_point_out_of_the_file_are_refused(tmp_path):
    path = tmp_path / "evil.arrow"
    feather.write_feather(pa.table({"w": ["ab", "cd"]}), path, compression="uncompressed")
    honest, evil = (np.array(offsets, np.int32).tobytes() for offsets in ([0, 2, 4], [0, 6, 4]))
    assert path.read_bytes().count(honest) == 1
    path.write_bytes(path.read_bytes().replace(honest, evil))
    with pytest.raises(ReadError, match="cannot be read as Arrow"):
        read(path)


def test_the_index_that_pandas_writes_names_the_rows(tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "frame.parquet"
    pd.DataFrame({"x": [1.0, 2.0, 5.0]}, index=["p", "q", "r"]).to_parquet(path)
    reading = read(path)
    assert (reading.names, reading.X.shape) == (["p", "q", "r"], (3, 1))
