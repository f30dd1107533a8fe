"""Opening a small file that a user names: the one way to schemas, hierarchies, certificates, ledgers, spaces, recipes, beliefs, keys.

A pipe would wait for ever and a device may have no end, so only regular files are opened. Sizes are limited before anything is read: what
a document makes of memory is a multiple of its size. What is read is noted, so that the same call does not overwrite it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sfumato.commit.call import note_inputs
from sfumato.commit.journal import settle
from sfumato.errors import BadInput, DataError, raise_alone

KB, MB = 1 << 10, 1 << 20
NO_SUCH = "no such file"
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


@contextmanager
def opened(path: Path, *, error: type[BadInput] = DataError, missing: str = NO_SUCH) -> Iterator[BinaryIO]:
    """A regular file, open for reading; errors while it is open speak of it, too."""
    where = str(path)
    try:
        settle(path)
        note_inputs([path])
        _require_regular(path.stat().st_mode, where, error)  # before it is opened: a device may act on it
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor has no path
            _require_regular(os.fstat(descriptor).st_mode, where, error)  # it may have been replaced
            yield file
    except FileNotFoundError:
        raise_alone(error(missing, where=where))
    except OSError as failed:
        raise_alone(error(f"cannot be read: {failed.strerror or type(failed).__name__}", where=where))
    except ValueError as failed:
        if "embedded null" not in str(failed):
            raise
        raise_alone(error("a name with a zero byte, which no file has", where=where))


def content(path: Path, most: int, *, error: type[BadInput] = DataError, missing: str = NO_SUCH) -> bytes:
    """The bytes of a file of at most so many bytes."""
    with opened(path, error=error, missing=missing) as file:
        size = min(os.fstat(file.fileno()).st_size, most)
        found = file.read(size + 1)  # not `most`: as much memory is set aside as is asked for
        if size < len(found) <= most:  # somebody has appended to it meanwhile, or it does not know its size
            found += file.read(most + 1 - len(found))
    if len(found) > most:
        raise error(f"larger than {_size(most)}, the most that such a file may have", where=str(path))
    return found


def text(path: Path, most: int, *, error: type[BadInput] = DataError, missing: str = NO_SUCH) -> str:
    """The text of such a file, which must be UTF-8."""
    try:
        return content(path, most, error=error, missing=missing).decode()
    except UnicodeDecodeError as failed:
        line = failed.object[: failed.start].count(b"\n") + 1
        raise_alone(error(f"not UTF-8 in line {line}", where=str(path)))


def _require_regular(mode: int, where: str, error: type[BadInput]) -> None:
    if not stat.S_ISREG(mode):
        raise error(f"{_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file", where=where)


def _size(most: int) -> str:
    return f"{most // MB} MB" if most >= MB else f"{most // KB} kB"
