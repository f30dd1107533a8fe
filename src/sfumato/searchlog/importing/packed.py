"""Logs that may be packed: with gzip, bzip2, xz, Zstandard, or as the only file of a ZIP archive. Their first bytes say it, whatever the
format of the log.

A file of several streams, one after the other, is read to its end, and what follows them must be nothing: libraries leave the rest out
without a word.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from sfumato.errors import DataError, raise_alone, several
from sfumato.inputs import opened

_BLOCK = 1 << 16
GZIP, _ZSTD, _ZIP = "gzip", "zstd", "ZIP"
_MARKS = {b"\x1f\x8b": GZIP, b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": _ZSTD, b"PK\x03\x04": _ZIP}
_OTHERS = {b"7z\xbc\xaf\x27\x1c": "7-Zip", b"\x04\x22\x4d\x18": "LZ4", b"\x1f\x9d": "compress", b"Rar!": "RAR"}
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")
_WORKBOOK = ("[Content_Types].xml", "mimetype")  # tables that are archives, too
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


class _Stream(Protocol):
    """One packed stream."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


_STREAMS: dict[str, Callable[[], _Stream]] = {
    GZIP: lambda: zlib.decompressobj(wbits=zlib.MAX_WBITS | 16),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ),
}


def packing_of(path: Path) -> str | None:
    """What a file is packed with, if it is; refuses what cannot be unpacked here. A workbook is not packed."""
    with opened(path) as file:
        return _packing(file, str(path))


def name_within(path: Path) -> str:
    """What to call the unpacked file."""
    return path.stem if path.suffix.lower() in _SUFFIXES and path.stem else path.name


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """A file, open for reading from its first to its last byte, unpacked if it is packed."""
    with opened(path) as file:
        packing = _packing(file, str(path))
        try:
            yield _readable(file, packing, str(path))
        except _DAMAGED:
            raise_alone(DataError(f"damaged {packing} file", where=str(path)))
        except OSError as error:
            if packing is None or error.errno is not None:  # the system's errors have a number
                raise
            raise_alone(DataError(f"damaged {packing} file", where=str(path)))


def _packing(file: BinaryIO, where: str) -> str | None:
    head = file.read(8)
    file.seek(0)
    for mark, name in _OTHERS.items():
        if head.startswith(mark):
            raise DataError(f"packed with {name}; unpack it, or pack it with gzip", where=where)
    packing = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if packing == _ZIP and _is_workbook(file):
        packing = None
    file.seek(0)
    return packing


def _is_workbook(file: BinaryIO) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            return any(name in _WORKBOOK for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError):  # said when it is read
        return False


def _readable(file: BinaryIO, packing: str | None, where: str) -> IO[bytes]:
    if packing is None:
        return file
    if packing == _ZIP:
        return _only_file(file, where)
    chunks = _of_arrow(file, packing) if packing == _ZSTD else _of_streams(file, _STREAMS[packing])
    return io.BufferedReader(_Chunks(chunks), _BLOCK)


def _only_file(file: BinaryIO, where: str) -> IO[bytes]:
    """The file in an archive that has one; folders and what begins with a point, or is put there by a Mac, are none."""
    archive = zipfile.ZipFile(file)
    found = [each for each in archive.infolist() if not each.is_dir() and not _is_hidden(each.filename)]
    if len(found) != 1:
        raise DataError(f"an archive with {several(len(found), 'file')}, not with one; unpack it", where=where)
    if found[0].flag_bits & 1:
        raise DataError("an archive with a password; unpack it", where=where)
    try:
        return archive.open(found[0])
    except NotImplementedError:
        raise_alone(DataError("packed in a way that is not usual in ZIP; unpack it, or pack it with gzip", where=where))


def _is_hidden(name: str) -> bool:
    parts = name.split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".")


def _of_arrow(file: BinaryIO, packing: str) -> Iterator[bytes]:
    import pyarrow as pa

    stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), packing)
    while chunk := stream.read(_BLOCK):
        yield chunk


def _of_streams(file: BinaryIO, new: Callable[[], _Stream]) -> Iterator[bytes]:
    stream, data = new(), file.read(_BLOCK)
    while data:
        yield stream.decompress(data)
        data = stream.unused_data if stream.eof else b""
        data = data or file.read(_BLOCK)
        if stream.eof:
            while data and not data.strip(b"\0"):  # zeros may fill a file up
                data = file.read(_BLOCK)
            data = data.lstrip(b"\0")
            stream = new() if data else stream
    if not stream.eof:
        raise EOFError


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count
