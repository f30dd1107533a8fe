"""Logs that may be packed with gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sfumato.errors import DataError, raise_alone
from sfumato.inputs import opened

_GZIP = b"\x1f\x8b"


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """A file, open for reading, unpacked if it is packed."""
    with opened(path) as stored:
        packed = stored.read(2) == _GZIP
        stored.seek(0)
        try:
            yield gzip.open(stored) if packed else stored  # type: ignore[misc]  # noqa: SIM115  `stored` is closed
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise_alone(DataError("damaged gzip file", where=str(path)))
