"""Sizes of memory as they are written, and what one long record needs: an engine holds it several times."""

from __future__ import annotations

import re

from sfumato.errors import UsageError, argument

_SIZE = re.compile(r"\s*([0-9]+(?:[.][0-9]+)?|[.][0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "byte": 1, "bytes": 1} | {
    f"{letter}{unit}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for unit, base in (("", 1000), ("b", 1000), ("ib", 1024))
}
_UNLIMITED = 4 << 30  # what one record may need where no limit is given
_COPIES = 8  # of a long record: the engine's buffers of the file, the vector, the group, and what is handed over


def bytes_of(memory: str) -> int:
    """A size in bytes.

    >>> bytes_of("2GB"), bytes_of("1.5 MiB")
    (2000000000, 1572864)
    """
    match = _SIZE.fullmatch(memory)
    if match is None or match[2].lower() not in _UNITS:
        raise UsageError(f"cannot read {memory!r}; write 2GB or 500MB", where=argument("memory"))
    return int(float(match[1]) * _UNITS[match[2].lower()])


def need_for_record(longest: int) -> int:
    """What a process needs to read a record of so many bytes, beyond what it needs for any."""
    return _COPIES * longest


def within(need: int, memory: str | None) -> bool:
    """Whether a limit has room for so much."""
    return need <= (_UNLIMITED if memory is None else max(bytes_of(memory), 64 << 20))


def megabytes(size: int) -> str:
    """
    >>> megabytes(1_234_567), megabytes(3_000_000_000)
    ('1.2 MB', '3,000.0 MB')
    """
    return f"{size / 1e6:,.1f} MB"
