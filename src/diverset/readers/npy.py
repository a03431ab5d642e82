"""WHAT DOES THIS ARRAY CLAIM TO BE? Arrays of NumPy, looked at before anything is allocated, never unpickled.

# header  the shape and type that an array claims, a dozen bytes that anybody can write
# room    bytes that are there for it
# member  an array in a .npz file, which is a zip archive
"""

from __future__ import annotations

import ast
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import IO, Any

import numpy as np

from .files import CHUNK, Found, opened
from .packed import refuse_bomb
from .wanted import ReadError

_MAGIC = b"\x93NUMPY"
_LONGEST = 2**13  # characters of a header; literal_eval is safe with so few
_MEMBERS = 2**12
_TYPE = re.compile(r"[<>|=]?([biufcSUOVmM])(\d{0,9})(\[\w+\])?")
_REFUSED = {
    "c": "complex numbers. Save its real and imaginary parts side by side",
    "O": "Python objects, which only a pickle can hold, and pickles are never read. "
    "Save numbers: numpy.save(path, X.astype(float))",
    "V": "records. Save it as CSV or Parquet",
    "m": "durations. Save them as numbers",
    "M": "dates. Save them as numbers, or as CSV",
}


@dataclass(frozen=True)
class Header:
    """What an array claims to be."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool
    start: int  # of the numbers, in bytes

    @property
    def size(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    @property
    def width(self) -> int:
        """Numbers per row, once flat."""
        return prod(self.shape[1:])

    @property
    def is_text(self) -> bool:
        return self.dtype.kind in "SU"

    def __str__(self) -> str:
        return f"{' x '.join(f'{side:,}' for side in self.shape) or 'one number'}, {self.dtype}"


def header_of(stream: IO[bytes], name: str, room: int) -> Header:
    """The header of an array, whose claim fits the room."""
    start = stream.read(8)
    if start[:6] != _MAGIC or len(start) < 8:
        raise ReadError(f"{name} is no array of NumPy: it does not start with its mark.")
    width = {1: 2, 2: 4}.get(start[6])
    if width is None:
        raise ReadError(f"{name} is an array of NumPy of version {start[6]}.{start[7]}, wanted 1.0 or 2.0.")
    counted = stream.read(width)
    length = struct.unpack("<H" if width == 2 else "<I", counted)[0] if len(counted) == width else 0
    text = stream.read(length).decode("latin-1") if 0 < length <= _LONGEST else ""
    if not length or len(text) != length:
        raise ReadError(
            f"{name} is a damaged array of NumPy: its header is cut off or {length:,} bytes long."
        )
    header = _parsed(text, name, 8 + width + length)
    if header.size > room - header.start:
        raise ReadError(
            f"{name} claims an array of {header} ({header.size:,} bytes), but has only "
            f"{max(room - header.start, 0):,} bytes of it: it is cut off, or not what it says."
        )
    return header


def _parsed(text: str, name: str, start: int) -> Header:
    try:
        claim = ast.literal_eval(text.strip())
        kind, shape, fortran = claim["descr"], claim["shape"], claim["fortran_order"]
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise ReadError(f"{name} is a damaged array of NumPy: its header makes no sense.") from None
    if not (isinstance(shape, tuple) and all(type(side) is int and side >= 0 for side in shape)):
        raise ReadError(f"{name} is a damaged array of NumPy: it claims the shape {str(shape)[:60]}.")
    if len(shape) > 32:
        raise ReadError(f"{name} claims an array of {len(shape)} dimensions: wanted two, one item per row.")
    return Header(shape, _type(kind, name), bool(fortran), start)


def _type(kind: object, name: str) -> np.dtype[Any]:
    found = _TYPE.fullmatch(kind) if isinstance(kind, str) else None
    letter = found[1] if found else "V" if isinstance(kind, list) else ""
    if letter in _REFUSED:
        raise ReadError(f"{name} holds {_REFUSED[letter]}.")
    try:
        if not letter:
            raise TypeError
        return np.dtype(str(kind))
    except (TypeError, ValueError, OverflowError):
        raise ReadError(f"{name} holds values of type {str(kind)[:40]!r}, wanted numbers.") from None


def mapped(found: Found) -> Any:
    """The array in a .npy file as a memory map, or its texts; 0 rows or columns are refused."""
    room = found.path.stat().st_size
    with opened(found) as stream:
        header = header_of(stream, found.name, room)
    refuse_nothing(header, found.name)
    try:
        return np.memmap(
            found.path,
            header.dtype,
            "r",
            header.start,
            header.shape or (1,),
            "F" if header.fortran else "C",
        )
    except (OSError, ValueError) as why:
        raise ReadError(f"{found.name} cannot be mapped into memory: {why}.") from None


def refuse_nothing(header: Header, name: str) -> None:
    if 0 in (*header.shape, header.dtype.itemsize):
        raise ReadError(f"{name} is an empty array ({header}): wanted one item per row.")


# --- npz --------------------------------------------------------------------------------------


class Archive:
    """The arrays of a .npz file: their headers at once, their numbers when asked for."""

    def __init__(self, archive: zipfile.ZipFile, name: str, room: int) -> None:
        self._zip, self.name, self._room = archive, name, room
        self._loaded = 0
        self._members = {
            m.filename.removesuffix(".npy"): m for m in archive.infolist() if m.filename.endswith(".npy")
        }
        if not self._members:
            raise ReadError(f"{name} is a zip archive without arrays: wanted one that numpy.savez wrote.")
        if len(self._members) > _MEMBERS:
            raise ReadError(f"{name} holds {len(self._members):,} arrays, more than {_MEMBERS:,}.")

    def __contains__(self, member: str) -> bool:
        return member in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def place(self, member: str) -> str:
        return f"{self.name}, array {member!r}"

    def header(self, member: str) -> Header:
        with self._open(member) as stream:
            return header_of(stream, self.place(member), self._members[member].file_size)

    def load(self, member: str) -> Any:
        """The numbers of one array."""
        info = self._members[member]
        self._loaded += info.file_size
        refuse_bomb(self.name, self._loaded, self._room)
        with self._open(member) as stream:
            header = header_of(stream, self.place(member), info.file_size)
            flat = np.empty(prod(header.shape), header.dtype)
            room = memoryview(flat.view(np.uint8).data) if header.size else memoryview(b"")
            done = 0
            while done < len(room) and (got := stream.readinto(room[done:])):  # type: ignore[attr-defined]
                done += got
            if done < len(room):
                raise ReadError(f"{self.place(member)} is cut off after {done:,} of {len(room):,} bytes.")
            while stream.read(CHUNK):
                pass  # to its end, where its checksum is compared
        return flat.reshape(header.shape, order="F" if header.fortran else "C")

    def _open(self, member: str) -> IO[bytes]:
        info = self._members[member]
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ReadError(f"{self.place(member)} is packed in a way that numpy.savez does not use.")
        return self._zip.open(info)


@contextmanager
def archive(found: Found) -> Iterator[Archive]:
    """A .npz file. Whatever is wrong with it is said with its name."""
    try:
        with opened(found) as stream, zipfile.ZipFile(stream) as packed:
            yield Archive(packed, found.name, os.fstat(stream.fileno()).st_size)
    except ReadError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        struct.error,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as why:
        said = str(why).rstrip(".") or type(why).__name__
        raise ReadError(f"{found.name} cannot be unpacked: {said}. It is cut off or damaged.") from None
