"""ARROW -> TABLE. Parquet, Arrow files and streams, and Feather, which is an Arrow file.

# leaf   a column that is not a struct; the fields of a struct are called "struct.field"
# batch  some rows of all columns; its buffers are checked before anything in them is followed
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays import Floats
from ..rounds.pool import Progress, quiet
from .columns import listed, matching
from .csvs import typed
from .files import Found, digest_of, opened, printable
from .packed import refuse_bomb
from .table import Column, Odd, Table, number_column, vector_column, word_column
from .wanted import ReadError, Wanted

BESIDE = 24  # so many columns that nobody asked for are read too where some are named: a page shows them
_ROWS = 2**15
_DAY = {"s": 86400, "ms": 86400e3, "us": 86400e6, "ns": 86400e9}


def read_parquet(found: Found, wanted: Wanted, progress: Progress = quiet) -> tuple[Table, str]:
    """The table in a Parquet file, and the SHA-256 of the file."""
    digest = digest_of(found, progress)
    with opened(found) as stream, _trouble(found, "Parquet"):
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(stream)
        leaves = _leaves(file.schema_arrow, found)
        names = _to_read(leaves, wanted, found)
        # of the metadata no more is asked: looking at columns ends the program if they are damaged
        groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
        unpacked = sum(group.total_byte_size for group in groups)
        refuse_bomb(found.name, unpacked, found.path.stat().st_size)
        # words come as numbers of words: a long one that is in every row is there once
        texts = [name for name in names if _is_text(leaves[name])]
        batches = ParquetFile(stream, read_dictionary=texts).iter_batches(_ROWS, columns=names)
        return _table(found, batches, file.metadata.num_rows, leaves, names, wanted, progress), digest


def read_arrow(found: Found, wanted: Wanted, progress: Progress = quiet) -> tuple[Table, str]:
    """The table in an Arrow file or stream, and the SHA-256 of the file."""
    digest = digest_of(found, progress)
    with opened(found) as stream, _trouble(found, "Arrow"):
        from pyarrow import ipc

        start = stream.read(4)
        open_ = ipc.open_stream if start == b"\xff" * 4 else ipc.open_file
        stream.seek(0)
        schema = open_(stream).schema
        leaves = _leaves(schema, found)
        names = _to_read(leaves, wanted, found)
        top = [i for i, field in enumerate(schema) if any(_within(name, field.name) for name in names)]
        stream.seek(0)
        reader = open_(stream, options=ipc.IpcReadOptions(included_fields=top))
        batches = (
            (reader.get_batch(i) for i in range(reader.num_record_batches))
            if open_ is ipc.open_file
            else iter(reader)
        )
        return _table(found, batches, 0, leaves, names, wanted, progress), digest


@contextmanager
def _trouble(found: Found, form: str) -> Iterator[None]:
    """Whatever pyarrow says against a file, said with its name."""
    try:
        from pyarrow import ArrowException
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{found.name}: {form} files are read by pyarrow. Type: pip install 'diverset[tables]'"
        ) from None
    try:
        yield
    except ReadError:
        raise
    except (ArrowException, OSError, ValueError) as why:
        said = printable(" ".join(str(why).split())[:200].rstrip("."))
        raise ReadError(
            f"{found.name} cannot be read as {form}: {said or type(why).__name__}. It is cut off or damaged."
        ) from None


def _within(leaf: str, top: str) -> bool:
    return leaf == top or leaf.startswith(top + ".")


def _leaves(schema: Any, found: Found) -> dict[str, Any]:
    """The type of each leaf by its name."""
    from pyarrow import types

    leaves: dict[str, Any] = {}

    def add(name: str, kind: Any) -> None:
        if types.is_struct(kind):
            for field in kind:
                add(f"{name}.{field.name}", field.type)
        elif name in leaves:
            raise ReadError(f"{found.name} has two columns that are called {name!r}: rename one of them.")
        else:
            leaves[name] = kind

    for field in schema:
        add(field.name, field.type)
    if not leaves:
        raise ReadError(f"{found.name} has no columns.")
    return leaves


def _to_read(leaves: dict[str, Any], wanted: Wanted, found: Found) -> list[str]:
    """All columns, or if some are named those, and a few to show beside them."""
    asked = [*wanted.columns, *filter(None, [wanted.text])]
    if not asked:
        return list(leaves)
    known = matching(leaves, [*asked, *wanted.drop, *filter(None, [wanted.id])], found.name)
    beside = [name for name, kind in leaves.items() if name not in known and not kind.num_fields][:BESIDE]
    return [name for name in leaves if name in known or name in beside]


def _table(
    found: Found,
    batches: Iterator[Any],
    total: int,
    leaves: dict[str, Any],
    names: list[str],
    wanted: Wanted,
    progress: Progress,
) -> Table:
    """The columns of all batches that were asked for."""
    import pyarrow as pa

    size, rows, checked = found.path.stat().st_size, 0, []
    for batch in batches:
        rows += batch.num_rows
        refuse_bomb(found.name, 8 * rows * len(names), size)
        batch.validate(full=True)
        checked.append(_flat(pa.Table.from_batches([batch])))
        progress("reading", rows, max(total, rows))
    if not rows:
        raise ReadError(f"{found.name} has no rows.")
    whole = pa.concat_tables(checked)
    columns, odd = {}, {}
    for name in names:
        try:
            columns[name] = _column(name, whole.column(name), plain=name == wanted.text)
        except Odd as why:
            odd[name] = str(why)
    unread = [name for name in leaves if name not in names]
    notes = (f"not asked for and not read: {listed(unread)}",) if unread else ()
    return Table(found.name, columns, rows, lambda i: f"row {i:,}", notes, odd)


def _flat(table: Any) -> Any:
    """With the fields of structs as columns."""
    from pyarrow import types

    while any(types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return table


def _column(name: str, chunks: Any, plain: bool) -> Column:
    """A column in our terms. ``plain``: words stay words, also if all of them are dates."""
    from pyarrow import types

    chunks = _decoded(chunks)
    kind = chunks.type
    if types.is_null(kind):
        return number_column(name, np.full(len(chunks), np.nan))
    if _is_text(kind) or types.is_dictionary(kind):
        words = _words(chunks)
        nothing: frozenset[str] = frozenset()
        return word_column(name, words, nothing) if plain else typed(words, name, nothing)
    if types.is_temporal(kind):
        return _moments(name, chunks)
    if types.is_boolean(kind):
        return number_column(name, _numbers(chunks), "flag")
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return number_column(name, _numbers(chunks))
    if _is_list(kind):
        vectors = _vectors(chunks)
        return (
            number_column(name, np.full(len(chunks), np.nan))
            if vectors is None
            else vector_column(name, vectors)
        )
    raise Odd(f"holds {kind}"[:80])


def _decoded(chunks: Any) -> Any:
    """Without runs, extension types and dictionaries around the values; those of words stay."""
    import pyarrow as pa
    from pyarrow import compute, types

    while True:
        kind = chunks.type
        if isinstance(kind, pa.BaseExtensionType):
            chunks = pa.chunked_array([c.storage for c in chunks.chunks], kind.storage_type)
        elif types.is_dictionary(kind) and not _is_text(kind.value_type):
            chunks = pa.chunked_array([c.dictionary_decode() for c in chunks.chunks], kind.value_type)
        elif types.is_run_end_encoded(kind):
            chunks = compute.run_end_decode(chunks)
        else:
            return chunks


def _words(chunks: Any) -> list[str | None]:
    """The words of a column. One that a dictionary holds is the same object in all its rows."""
    words: list[str | None] = []
    for chunk in chunks.chunks:
        if _is_text(chunk.type):
            words += chunk.to_pylist()
        else:
            here = chunk.indices.drop_null().unique()  # a dictionary may be that of a thousand chunks
            known = dict(zip(here.to_pylist(), chunk.dictionary.take(here).to_pylist(), strict=True))
            words += [known.get(at) for at in chunk.indices.to_pylist()]
    return words


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _numbers(chunks: Any) -> Any:
    """float32 for what is no more precise, else float64; NaN where nothing is."""
    import pyarrow as pa
    from pyarrow import types

    kind = chunks.type
    if types.is_boolean(kind):
        chunks = chunks.cast(pa.uint8())
    if not types.is_float32(kind):
        chunks = chunks.cast(pa.float32() if types.is_float16(kind) else pa.float64(), safe=False)
    return chunks.to_numpy()


def _moments(name: str, chunks: Any) -> Column:
    """Dates as days since 1970; times of the day and durations as seconds."""
    import pyarrow as pa
    from pyarrow import types

    kind = chunks.type
    if types.is_date32(kind):
        return number_column(name, _numbers(chunks.cast(pa.int32())), "date")
    per_day = _DAY["ms"] if types.is_date64(kind) else _DAY[kind.unit]
    ticks = pa.int32() if types.is_time32(kind) else pa.int64()
    days: Floats = _numbers(chunks.cast(ticks)) / per_day
    if types.is_date64(kind) or types.is_timestamp(kind):
        return number_column(name, days, "date")
    return number_column(name, days * 86400)


def _vectors(chunks: Any) -> Any:
    """Lists of one length as rows; None if no row has one."""
    pieces = [_rows(chunk) for chunk in chunks.chunks]
    widths = {piece.shape[1] for piece in pieces if piece is not None}
    if len(widths) > 1:
        raise Odd(f"holds lists of different lengths ({' and '.join(map(str, sorted(widths)))})")
    if not widths:
        return None
    return np.concatenate([_empty(len(c), p, *widths) for c, p in zip(chunks.chunks, pieces, strict=True)])


def _empty(n: int, piece: Any, width: int) -> Any:
    return np.full((n, width), np.nan, dtype=np.float32) if piece is None else piece


def _rows(lists: Any) -> Any:
    """The lists of one chunk as rows, NaN where a list is missing; None if all are."""
    import pyarrow as pa
    from pyarrow import compute, types

    here = lists.is_valid().to_numpy(zero_copy_only=False)
    if not here.any():
        return None
    lengths = compute.list_value_length(lists).drop_null().to_numpy()
    width = int(lengths[0])
    if (lengths != width).any():
        row = int(np.flatnonzero(here)[np.argmax(lengths != width)])
        raise Odd(
            f"holds lists of different lengths ({width} and {lengths[lengths != width][0]}, row {row:,})"
        )
    if not width:
        raise Odd("holds empty lists")
    inside = _decoded(pa.chunked_array([lists.flatten()]))
    if _is_list(inside.type):
        values = _vectors(inside)
    elif types.is_integer(inside.type) or types.is_floating(inside.type) or types.is_boolean(inside.type):
        values = _numbers(inside)
    else:
        raise Odd(f"holds lists of {inside.type}"[:80])
    if values is None:
        return None
    values = values.reshape(len(lengths), -1)
    if here.all():
        return values
    rows = np.full((len(here), values.shape[1]), np.nan, dtype=values.dtype)
    rows[here] = values
    return rows
