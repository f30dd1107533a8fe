"""What a process may take: the limit as it is written, how it is shared out, and what counting will need.

The limit is for the whole process, beyond the libraries that it has loaded. An engine gets one part, where it sorts and groups and from
which it spills to disk; the other part is for counts, which are held in memory. Counts that would not fit are refused before they are
fetched, with the limit that would do.
"""

from __future__ import annotations

import math
import os
import re

from sfumato.errors import UsageError, argument

_SIZE = re.compile(r"\s*([0-9]+(?:[.][0-9]+)?|[.][0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "byte": 1, "bytes": 1} | {
    f"{letter}{unit}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for unit, base in (("", 1000), ("b", 1000), ("ib", 1024))
}
_UNLIMITED = 4 << 30  # what one record may need where no limit is given
_MOST = 1e18  # bytes
_ENGINE = 0.6  # the engine's share of a limit
_SMALL = 64_000_000
_LEAST = 16_000_000  # for counts; the libraries take ten times as much
_PER_THREAD = 128_000_000
_PER_ROW, _PER_CELL = 80, 24  # bytes of a row that is sorted: its key, and its values
_MERGED = 6  # how many times its memory an engine sorts at once
_COPIES = 8  # of a long record: the engine's buffers of the file, the vector, the group, and what is handed over


def bytes_of(memory: str) -> int:
    """A size in bytes.

    >>> bytes_of("2GB"), bytes_of("1.5 MiB")
    (2000000000, 1572864)
    """
    match = _SIZE.fullmatch(memory)
    if match is None or match[2].lower() not in _UNITS:
        raise UsageError(f"cannot read {memory!r}; write 2GB or 500MB", where=argument("memory"))
    size = float(match[1]) * _UNITS[match[2].lower()]
    if size > _MOST:
        raise UsageError("more than any machine has; write 2GB or 500MB", where=argument("memory"))
    return int(size)


def for_engine(memory: str) -> int:
    """The bytes that an engine gets of a limit; of a small one all, for it cannot work with next to nothing."""
    limit = bytes_of(memory)
    return max(int(_ENGINE * limit), min(limit, _SMALL))


def threads_for(memory: str | None, threads: int | None) -> int | None:
    """How many threads have room within a limit: each has buffers of its own. None if the engine may choose."""
    if memory is None:
        return threads
    most = max(1, bytes_of(memory) // _PER_THREAD)
    return min(most, threads or os.cpu_count() or 1)


def need_for_counts(cells: int, bytes_in_texts: int, columns: int) -> int:
    """What the counts of so many cells take while they are put in order. With room to spare: eight
    million cells of five columns, about 2.6 GB by this, took 5.1 GB in all under the limit of 7 GB that follows from it."""
    return 3 * bytes_in_texts + cells * (32 * columns + 64)


def limit_for(need: int) -> str:
    """The limit, as it is written, that has room for counts.

    >>> limit_for(1_200_000_000)
    '3GB'
    """
    least = need / (1 - _ENGINE)
    return f"{math.ceil(least / 1e9)}GB" if least > 1e9 else f"{math.ceil(least / 1e8)}00MB"


def room_for_counts(memory: str) -> int:
    """The bytes that counts may take within a limit."""
    return max(int((1 - _ENGINE) * bytes_of(memory)), _LEAST)


def parts_for(rows: int, columns: int, memory: str | None) -> int:
    """In how many parts so many rows are sorted, so that a part is at most a few times as large as the engine's memory. An engine that
    merges more from disk needs more memory for that than it has.

    >>> parts_for(50_000_000, 4, "300MB"), parts_for(50_000_000, 4, "20GB")
    (9, 1)
    """
    if memory is None:
        return 1
    return max(1, math.ceil(rows * (_PER_ROW + _PER_CELL * columns) / (_MERGED * for_engine(memory))))


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
