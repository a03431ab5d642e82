"""Files that are cut, flipped and stuffed: only a ReadError may come out, whatever the form."""

from __future__ import annotations

import gzip
import io
import json
import random

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from pyarrow import feather, ipc
from pyarrow import parquet as pq

from diverset.readers import ReadError, Wanted, read

ROWS = [
    {"id": f"r{i}", "x": i * 0.5, "n": i % 7, "ok": i % 2 == 0, "word": "abc"[i % 3], "emb": [i, i * i, 1.5]}
    for i in range(40)
]
FLAT = [{key: value for key, value in row.items() if key != "emb"} for row in ROWS]
ARRAY = np.random.default_rng(0).normal(size=(40, 6))
WAYS = [
    {},
    {},
    {"kind": "table"},
    {"kind": "vectors"},
    {"missing": "mean"},
    {"missing": "drop"},
    {"columns": ("x",)},
]


def bytes_of(write, *args, **kwargs):
    out = io.BytesIO()
    write(out, *args, **kwargs)
    return out.getvalue()


def arrow_stream(out, table):
    with ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)


def sparse(form):
    full = np.arange(2700.0).reshape(30, 90)
    matrix = sp.csr_array(np.where(full % 10 == 3, full, 0)).asformat(form)
    return bytes_of(lambda out: sp.save_npz(out, matrix, compressed=False))


TABLE = pa.Table.from_pylist(ROWS)
JSONL = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
CSV = "\n".join([",".join(FLAT[0]), *(",".join(map(str, row.values())) for row in FLAT)]).encode()
FORMS = {
    "a.csv": CSV,
    "utf16.csv": CSV.decode().encode("utf-16"),
    "a.csv.gz": gzip.compress(CSV),
    "a.jsonl": JSONL,
    "a.json": json.dumps(ROWS, indent=1).encode(),
    "a.parquet": bytes_of(lambda out: pq.write_table(TABLE, out)),
    "a.feather": bytes_of(lambda out: feather.write_feather(TABLE, out, compression="lz4")),
    "plain.arrow": bytes_of(lambda out: feather.write_feather(TABLE, out, compression="uncompressed")),
    "a.arrows": bytes_of(arrow_stream, TABLE),
    "a.npy": bytes_of(np.save, ARRAY),
    "a.npz": bytes_of(np.savez, X=ARRAY, names=np.array([row["id"] for row in ROWS])),
    "packed.npz": bytes_of(np.savez_compressed, X=ARRAY),
    "csr.npz": sparse("csr"),
    "coo.npz": sparse("coo"),
}


def damaged(content, chance):
    """The content with something cut off, taken out, flipped or put in."""
    out = bytearray(content)
    how = chance.random()
    if how < 0.3:
        del out[chance.randrange(len(out)) :]
    elif how < 0.5:
        at = chance.randrange(len(out))
        del out[at : at + chance.randrange(1, 64)]
    elif how < 0.6:
        at = chance.randrange(len(out))
        out[at:at] = chance.randbytes(chance.randrange(1, 64))
    for _ in range(chance.choice([0, 1, 2, 5, 30]) or how >= 0.6):
        if out:
            out[chance.randrange(len(out))] = chance.choice([0, 127, 128, 255, chance.randrange(256)])
    return bytes(out)


def outcomes(path, content, times, seed):
    """How often damaged copies are refused and how often read; anything else is a failure."""
    chance, refused = random.Random(seed), 0
    for _ in range(times):
        path.write_bytes(damaged(content, chance))
        refused += bool(complaint(path, Wanted(cache=False, **chance.choice(WAYS))))
    return refused


def complaint(path, wanted):
    """One line that names the file, or nothing if the file was read."""
    try:
        reading = read(path, wanted)
    except ReadError as why:
        said = str(why)
    else:
        assert reading.n == reading.X.shape[0] > 0
        return ""
    assert str(path) in said
    assert said.isprintable()
    return said


@pytest.mark.parametrize("name", FORMS)
def test_damaged_files_are_refused_with_their_name_or_read(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FORMS[name])
    assert read(path).n in (30, 40)
    assert outcomes(path, FORMS[name], 40, seed=name) > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_damaged_files_are_refused_with_their_name_or_read_many_times(tmp_path, name):
    assert outcomes(tmp_path / name, FORMS[name], 500, seed=f"long {name}") > 60


@pytest.mark.parametrize("name", FORMS)
def test_no_form_is_read_from_its_first_half(tmp_path, name):
    if name.startswith(("a.csv", "utf16")) and not name.endswith("gz"):
        pytest.skip("the first lines of a table are a table")
    path = tmp_path / name
    path.write_bytes(FORMS[name][: len(FORMS[name]) // 2])
    with pytest.raises(ReadError, match=r"cut off|damaged|line|cannot be"):
        read(path)


@pytest.mark.parametrize("name", [*FORMS, "a.txt", "a.png", "a.jpg", "a", "a.xyz"])
def test_empty_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ReadError, match="empty"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", [*FORMS, "a.txt", "a"])
@pytest.mark.parametrize(
    "content",
    [
        bytes(1000),
        b"\xff" * 1000,
        b"\n" * 1000,
        b"{" * 1000,
        b"[" * 1000,
        b'"' * 1001,
        b"\x1f\x8b\x08\0",
        b"\xff\xfe",
    ],
    ids=["zeros", "ones", "lines", "braces", "brackets", "quotes", "gzip", "mark"],
)
def test_nonsense_is_refused_or_read_whatever_it_is_called(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    complaint(path, Wanted(cache=False))
