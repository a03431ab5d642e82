"""NumPy's and SciPy's files: claims against bytes, memory maps, several arrays, sparse matrices."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

import diverset as dv
from diverset.readers import ReadError, Wanted, matrices, npy, packed, read

X = np.random.default_rng(0).normal(size=(30, 5))


@pytest.fixture
def put(tmp_path):
    """Writes an array, a few of them, or bytes, and returns the path."""

    def write(content, name=None):
        path = tmp_path / (name or ("items.npz" if isinstance(content, dict) else "items.npy"))
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, dict):
            np.savez(path, **content)
        else:
            np.save(path, content, allow_pickle=True)
        return path

    return write


def header(text, version=1):
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode("latin-1")


# --- npy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<f2", "<i4", "|u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_a_memory_map_with_its_numbers_as_they_are(put, dtype, order):
    array = np.asarray((10 + X).round(2).astype(dtype), order=order)
    reading = read(put(array))
    assert isinstance(reading.X, np.memmap)
    assert not reading.X.flags.writeable
    assert (array == reading.X).all()
    assert reading.names[3] == "3"
    assert list(reading.names[1:3]) == ["1", "2"]
    assert dv.select(reading.X, 3).indices.tolist() == dv.select(array, 3).indices.tolist()


def test_a_pool_too_large_for_its_matrix_is_read_from_the_map(put):
    reading = read(put(X))
    picks = dv.select(reading.X, 3, memory=1000)
    assert "LowRank" in repr(picks.solver)


def test_rows_of_zeros_and_ones_are_fingerprints(put):
    bits = X[:, :1] > np.linspace(-1, 1, 40)
    assert read(put(bits)).kernel == dv.Tanimoto()
    assert read(put(bits * 2.0)).kernel == dv.Gaussian()
    assert read(put(bits[:, :8])).kernel == dv.Gaussian()


def test_more_dimensions_are_laid_out_flat_and_said(put):
    pictures = np.arange(2 * 9 * 10 * 3, dtype=np.uint8).reshape(2, 9, 10, 3)
    reading = read(put(pictures))
    assert (pictures.reshape(2, 270) == reading.X).all()
    assert (reading.pictures == pictures).all()
    assert any("9 x 10 x 3" in note for note in reading.notes)
    assert read(put(X.reshape(10, 3, 5))).pictures is None


def test_one_dimension_is_one_column_and_said(put):
    reading = read(put(X[:, 0]))
    assert reading.X.shape == (30, 1)
    assert any("one number per item" in note for note in reading.notes)


def test_columns_of_an_array_are_called_c0_c1(put):
    path = put(X)
    assert (X[:, [1, 3]] == read(path, Wanted(columns=("c[13]",))).X).all()
    dropped = read(path, Wanted(drop=("c0",)))
    assert (X[:, 1:] == dropped.X).all()
    assert (dropped.columns["c0"] == X[:, 0]).all()
    assert read(path, Wanted(kind="table")).X.std(axis=0) == pytest.approx(np.ones(5))


def test_a_missing_number_is_refused_dropped_or_filled(put, monkeypatch):
    monkeypatch.setattr(matrices, "_LOOK", 20)
    holes = X.copy()
    holes[17, 2] = np.nan
    path = put(holes)
    with pytest.raises(ReadError, match=r"items.npy, row 17, column 'c2': no value \(1 missing"):
        read(path)
    dropped = read(path, Wanted(missing="drop"))
    assert (np.delete(X, 17, axis=0) == dropped.X).all()
    assert dropped.names[17] == "18"
    assert read(path, Wanted(missing="mean")).X[17, 2] == pytest.approx(np.delete(X[:, 2], 17).mean())


def test_an_infinite_number_is_refused_with_row_and_column(put):
    with pytest.raises(ReadError, match="row 4, column 'c1': a number that is not finite"):
        read(put(np.where(np.arange(150).reshape(30, 5) == 21, np.inf, X)))


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 8)}", "of 1,000,000,000,000 x 8"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (10**9, 8)}", "header makes no sense"),
        ("{'descr': '<U99999999', 'fortran_order': False, 'shape': (9,)}", "claims an array"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 8)}", "empty array"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -8)}", "claims the shape"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (True, 8)}", "claims the shape"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': [2, 2]}", "claims the shape"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': " + str((1,) * 40) + "}", "40 dimensions"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}", "pickles are never read"),
        ("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1)}", "complex"),
        ("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1, 1)}", "dates"),
        ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "records"),
        ("{'descr': '<f3', 'fortran_order': False, 'shape': (1, 1)}", "'<f3', wanted numbers"),
        ("{'descr': 7, 'fortran_order': False, 'shape': (1, 1)}", "'7', wanted numbers"),
        ("[" * 3000, "header makes no sense"),
        ("{}", "header makes no sense"),
        ("__import__('os').abort()", "header makes no sense"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", [1, 2])
def test_a_header_that_lies_or_makes_no_sense_is_refused(put, claim, says, version):
    with pytest.raises(ReadError, match=says):
        read(put(header(claim, version) + bytes(64)))


def test_an_array_that_is_cut_off_is_refused_with_what_is_there(put):
    whole = put(X).read_bytes()
    with pytest.raises(ReadError, match=r"1,200 bytes\), but has only 1,199 bytes"):
        read(put(whole[:-1]))
    with pytest.raises(ReadError, match=r"of version 3\.0"):
        read(put(whole[:6] + b"\3" + whole[7:]))
    with pytest.raises(ReadError, match="header is cut off"):
        read(put(whole[:40]))


def test_pickles_are_never_read(put):
    with pytest.raises(ReadError, match="pickles are never read"):
        read(put(np.array([{"a": 1}], dtype=object)))
    with pytest.raises(ReadError, match="a pickle, which can run any program"):
        read(put(pickle.dumps(X), "items.npy"))


def test_texts_in_an_array_are_texts_if_asked_for(put):
    words = np.array(["one red fish", "two blue fish", "a dog"])
    assert read(put(words), Wanted(text="text", cache=False)).texts == words.tolist()
    with pytest.raises(ReadError, match="not Unicode"):
        read(put(np.array([0x7FFFFFFF] * 3, "<u4").view("<U1")), Wanted(text="text"))


def test_several_arrays_that_belong_together_are_one_pool(put):
    a, b = put(X[:10], "a.npy"), put(X[10:], "b.npy")
    reading = read([a, b])
    assert (reading.X == X).all()
    assert reading.kind == "vectors"


def test_a_vector_per_file_is_an_item_per_file(put, tmp_path):
    for i in range(4):
        put(X[i], f"item{i}.npy")
    reading = read(tmp_path)
    assert (X[:4] == reading.X).all()
    assert reading.names == [f"item{i}.npy" for i in range(4)]
    assert "one item per file" in reading.notes
    put(X[9, :3], "item4.npy")
    assert read(tmp_path).X.shape == (23, 1)
    put(np.full(5, np.nan), "item4.npy")
    with pytest.raises(ReadError, match=r"item4.npy, column 'vector', number 0: no value"):
        read(tmp_path)


# --- npz --------------------------------------------------------------------------------------


def test_the_only_matrix_is_the_items_and_the_rest_goes_along(put):
    names = np.array([f"n{i}" for i in range(30)])
    path = put({"emb": X.astype(np.float32), "label": np.arange(30) % 3, "who": names, "other": np.zeros(4)})
    reading = read(path, Wanted(id="who"))
    assert (X.astype(np.float32) == reading.X).all()
    assert reading.X.dtype == np.float32
    assert reading.names == names.tolist()
    assert sorted(reading.columns) == ["label", "who"]
    assert any("not read: 'other'" in note for note in reading.notes)


def test_several_matrices_are_a_question(put):
    path = put({"X_train": X, "X_test": X[:4], "y": np.arange(30)})
    with pytest.raises(ReadError, match=r"'X_train': 30 x 5, float64; 'X_test': 4 x 5.*--columns"):
        read(path)
    assert read(path, Wanted(columns=("X_test",))).X.shape == (4, 5)
    with pytest.raises(ReadError, match="arrays of different lengths"):
        read(path, Wanted(columns=("X_*",)))


def test_pictures_among_the_arrays_can_be_shown(put):
    pictures = np.random.default_rng(0).integers(0, 256, (6, 8, 9), dtype=np.uint8)
    reading = read(put({"x_test": pictures, "y_test": np.arange(6)}))
    assert (pictures == reading.pictures).all()
    assert (pictures.reshape(6, 72) == reading.X).all()
    assert read(put({"X": X})).pictures is None


def test_columns_saved_one_by_one_are_a_table(put):
    reading = read(put({"x": X[:, 0], "y": X[:, 1]}))
    assert reading.kind == "table"
    assert reading.X.std(axis=0) == pytest.approx([1, 1])


def test_a_missing_number_in_a_matrix_is_named(put):
    holes = X.copy()
    holes[3, 4] = np.nan
    with pytest.raises(ReadError, match="row 3, column 'X', number 4: no value"):
        read(put({"X": holes}))


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def saved(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


HUGE = header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 8)}")


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"X.npy": HUGE}, "array 'X' claims an array of 1,000,000,000,000 x 8"),
        ({"X.npy": saved(np.array([{}], dtype=object))}, "array 'X' holds Python objects"),
        ({"X.npy": saved(X)[:-9]}, "cut off"),
        ({"X.npy": b"text"}, "array 'X' is no array"),
        ({"X.txt": b"text"}, "without arrays"),
        ({"X.npy": saved(np.float64(3))}, "no array with one item per row"),
        ({"X.npy": saved(np.zeros((0, 3)))}, "no array with one item per row"),
    ],
)  # fmt: skip
def test_members_that_lie_are_refused(put, members, says):
    with pytest.raises(ReadError, match=says):
        read(put(zipped(members), "items.npz"))


def test_a_zip_bomb_is_refused_before_it_is_unpacked(put, monkeypatch):
    monkeypatch.setattr(packed, "BOMB", 2**20)
    monkeypatch.setattr(npy.np, "empty", lambda *_: pytest.fail("memory was taken"))
    with pytest.raises(ReadError, match="looks like an attack"):
        read(put(zipped({"X.npy": saved(np.zeros((2**12, 2**7)))}), "items.npz"))


def test_sizes_that_the_archive_claims_are_not_believed_either(put):
    whole = zipped({"X.npy": HUGE + bytes(200)}, zipfile.ZIP_STORED)
    size, lie = (len(HUGE) + 200).to_bytes(4, "little"), (0xFFFFFFF0).to_bytes(4, "little")
    for there in (whole.replace(size, lie), whole.replace(size + size, size + lie)):
        assert there != whole
        with pytest.raises(ReadError):
            read(put(there, "items.npz"))


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_packings_that_numpy_does_not_use_are_refused(put, method):
    with pytest.raises(ReadError, match="packed in a way"):
        read(put(zipped({"X.npy": saved(X)}, method), "items.npz"))


# --- sparse -----------------------------------------------------------------------------------

ROW, COLUMN = np.indices((30, 400))
SPARSE = sp.csr_array(np.where(ROW % 20 == COLUMN % 20, np.random.default_rng(1).normal(size=(30, 400)), 0))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_a_sparse_matrix_stays_sparse_and_is_compared_by_its_angles(tmp_path, form, kind):
    sp.save_npz(tmp_path / "s.npz", kind(SPARSE).asformat(form))
    reading = read(tmp_path / "s.npz")
    assert sp.issparse(reading.X)
    assert abs(reading.X - SPARSE).sum() == 0
    assert reading.kernel == dv.Cosine()
    assert any("cosine" in note for note in reading.notes)
    assert len(dv.select(reading.X, 4, kernel=reading.kernel)) == 4


def test_other_forms_of_sparse_matrices_are_refused_with_what_to_do(tmp_path):
    sp.save_npz(tmp_path / "s.npz", SPARSE.asformat("bsr"))
    with pytest.raises(ReadError, match=r"save X\.tocsr"):
        read(tmp_path / "s.npz")


def test_a_missing_number_in_a_sparse_matrix_is_refused_or_its_row_dropped(tmp_path):
    holes = SPARSE.copy()
    holes.data[40] = np.nan
    row = int(np.searchsorted(holes.indptr, 40, side="right")) - 1
    sp.save_npz(tmp_path / "s.npz", holes)
    with pytest.raises(ReadError, match=rf"row {row}, column {holes.indices[40]}: no value \(1 missing"):
        read(tmp_path / "s.npz")
    dropped = read(tmp_path / "s.npz", Wanted(missing="drop"))
    assert dropped.X.shape == (29, 400)
    assert dropped.names[row] == str(row + 1)
    assert len(dropped.skipped) == 1


def broken(**changes):
    parts = {"format": b"csr", "shape": SPARSE.shape, "data": SPARSE.data} | changes
    parts = {"indices": SPARSE.indices, "indptr": SPARSE.indptr} | parts
    return {name: part for name, part in parts.items() if part is not None}


def changed(array, at, value, dtype=None):
    array = array.astype(dtype or array.dtype)
    array[at] = value
    return array


COO = {
    "format": b"coo",
    "indices": None,
    "indptr": None,
    "row": np.arange(600) % 30,
    "col": np.arange(600) % 400,
}


@pytest.mark.parametrize(
    "parts",
    [
        broken(indices=changed(SPARSE.indices, 5, 400)),
        broken(indices=changed(SPARSE.indices, 5, -1)),
        broken(indices=changed(SPARSE.indices, 5, 2**63, np.uint64)),
        broken(indptr=changed(SPARSE.indptr, 3, 10**6)),
        broken(indptr=changed(SPARSE.indptr, -1, 2**40, np.int64)),
        broken(indptr=SPARSE.indptr[:-1]),
        broken(indptr=SPARSE.indptr.astype(float)),
        broken(indices=None),
        broken(data=SPARSE.data[:-1]),
        broken(data=SPARSE.data[:, None]),
        broken(data=np.array(["a"] * 600)),
        broken(shape=(10**12, 400)),
        broken(shape=(30, 10**12)),
        broken(shape=(30, 399)),
        broken(shape=(0, 400)),
        broken(shape=(-30, -400)),
        broken(shape=(30,)),
        broken(shape=np.array([1.5, 2.5])),
        broken(format=b"lil"),
        broken(format=np.array([], dtype="S3")),
        broken(**COO | {"row": changed(COO["row"], 7, 30)}),
        broken(**COO | {"col": changed(COO["col"], 7, -1)}),
        broken(**COO | {"col": changed(COO["col"], 7, 2**63, np.uint64)}),
        broken(**COO | {"row": COO["row"][:-1]}),
        broken(**COO | {"shape": (10**12, 400)}),
    ],
)
def test_a_damaged_sparse_matrix_is_refused(put, parts):
    with pytest.raises(ReadError, match=r"damaged|in the form|of shape|is cut off"):
        read(put(parts))


def test_the_parts_of_the_damaged_matrices_are_sound_without_the_damage(put):
    assert abs(read(put(broken())).X - SPARSE).sum() == 0
    assert read(put(broken(**COO))).X.shape == (30, 400)
