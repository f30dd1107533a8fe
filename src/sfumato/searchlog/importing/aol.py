"""AOL's layout as it was published: tabs between the cells, and quotation marks that are part of a query. CSV readers take these for more.

A file with such a mark is copied with every cell in quotation marks that has one. Only bytes of ASCII are looked at, so the copy has the
encoding of the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sfumato.searchlog.importing.packed import unpacked

_WIDE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16: two bytes a sign
_CHUNK = 1 << 20


def readable(path: Path, folder: Path, number: int) -> Path:
    """The file, or a copy of it in a folder that CSV readers take as it was meant."""
    if not path.is_file():
        return path
    with unpacked(path) as file:
        if not _has_marks(file):
            return path
        file.seek(0)
        copy = folder / f"aol{number}" / path.name.removesuffix(".gz")
        copy.parent.mkdir()
        with copy.open("wb") as written:
            written.writelines(map(_marked, file))
    return copy


def _has_marks(file: IO[bytes]) -> bool:
    """Whether there are tabs in the first line, and quotation marks below it."""
    head = file.readline(_CHUNK)
    if head[:2] in _WIDE or b"\t" not in head or b'"' in head:
        return False
    return any(b'"' in chunk for chunk in _chunks(file))


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _marked(line: bytes) -> bytes:
    if b'"' not in line:
        return line
    text = line.rstrip(b"\r\n")
    cells = (b'"' + cell.replace(b'"', b'""') + b'"' if b'"' in cell else cell for cell in text.split(b"\t"))
    return b"\t".join(cells) + line[len(text) :]
