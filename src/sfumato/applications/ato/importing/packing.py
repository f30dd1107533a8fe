"""The bytes of a log as UTF-8, whatever it is packed with and written in: gzip by its first bytes, UTF-16 by its mark."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sfumato.errors import DataError, raise_alone

_GZIP = b"\x1f\x8b"
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BLOCK = 1 << 16


class _Recoded(io.RawIOBase):
    """Text in another encoding, read as UTF-8."""

    def __init__(self, file: IO[bytes], encoding: str) -> None:
        self._file, self._rest = file, b""
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = self._file.read(_BLOCK)
            self._rest = self._decoder.decode(block, final=not block).encode()
            if not block:
                break
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


@contextmanager
def unpacked(path: Path) -> Iterator[Any]:
    """A log, open; what goes wrong while it is read is one line."""
    try:
        with path.open("rb", buffering=0) as stored:
            packed = stored.read(2) == _GZIP
            stored.seek(0)
            file: Any = io.BufferedReader(gzip.open(stored) if packed else stored, _BLOCK)  # noqa: SIM115  what it reads is closed
            encoding = _MARKS.get(file.peek(2)[:2])
            yield io.BufferedReader(_Recoded(file, encoding), _BLOCK) if encoding else file
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise_alone(DataError("cannot be read: a damaged gzip file", where=str(path)))
    except OSError as error:
        raise_alone(DataError(f"cannot be read: {error.strerror or 'the file ends too early'}", where=str(path)))
