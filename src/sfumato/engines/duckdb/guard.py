"""DuckDB's errors in our words. Its messages quote rows and values, so only the safe parts are used: a line number, a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from sfumato.errors import DataError, OutputError, argument, raise_alone

_LINE = re.compile(r"CSV Error on Line: (\d+)")
_WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_REASONS = ("No space left on device", "File too large", "Permission denied", "Disk quota exceeded", "Read-only file system")
_ROOM = f"the memory limit is too small for this query; raise {argument('memory')}"
_NO_MEMORY = "the machine has no memory left for this; take fewer columns, or a machine with more"
_NO_DISK = f"the folder for temporary data is full; free some space, or name another with {argument('temp')}"
_SPILLING = ("max_temp_directory_size", "failed to offload", "duckdb_temp")


@contextmanager
def enough_memory(where: str | None) -> Iterator[None]:
    """Run what holds counts in memory."""
    try:
        yield
    except MemoryError:  # Arrow's too
        raise_alone(DataError(_NO_MEMORY, where=where))


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Run a query that reads the source."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise_alone(DataError(_short_of(str(error)), where=where))
    except MemoryError:
        raise_alone(DataError(_NO_MEMORY, where=where))
    except (duckdb.Error, pa.ArrowException, OSError) as error:  # batches of Arrow report what DuckDB says as errors of their own
        if "INTERRUPT Error" in str(error):
            raise_alone(KeyboardInterrupt())
        if "Out of Memory Error" in str(error) or _is_spilling(str(error)):
            raise_alone(DataError(_short_of(str(error)), where=where))
        message, line = _reading_reason(str(error))
        raise_alone(DataError(message, where=f"{where}, line {line}" if line else where))
    except RuntimeError as error:
        _pass_on_interrupt(error)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Run a query that reads the source and writes a file."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise_alone(DataError(_short_of(str(error))))
    except MemoryError:
        raise_alone(DataError(_NO_MEMORY))
    except duckdb.Error as error:
        if _is_spilling(str(error)):
            raise_alone(DataError(_NO_DISK))
        reason = next((reason for reason in _REASONS if reason in str(error)), None)
        message, line = _reading_reason(str(error))
        if reason or line is None:
            raise_alone(OutputError(f"cannot be written: {reason or 'the engine failed'}", where=str(path)))
        raise_alone(DataError(message, where=f"line {line}"))
    except RuntimeError as error:
        _pass_on_interrupt(error)


def _is_spilling(text: str) -> bool:
    """Whether an error is about what the engine puts on disk, not about the source or a release."""
    return any(sign in text for sign in _SPILLING)


def _short_of(text: str) -> str:
    """What an engine that is out of memory lacks: memory, or the disk to spill to."""
    return _NO_DISK if _is_spilling(text) else _ROOM


def _reading_reason(text: str) -> tuple[str, str | None]:
    """The reason why reading failed, and the line of a CSV file."""
    match = _LINE.search(text)
    line = match[1] if match else None
    if width := _WIDTH.search(text):
        return f"the row has {width[2]} columns where the header has {width[1]}", line
    if "utf-8" in text or "unicode" in text.lower():
        return f"not UTF-8; name its encoding with {argument('encoding')}", line
    if "quote" in text and line:
        return "a quote is not closed or not escaped", line
    if "No magic bytes" in text or "too small to be a Parquet" in text or "Parquet" in text:
        return "not a Parquet file, or a damaged one", line
    return "the table cannot be read; is it a whole CSV or Parquet file?", line


def _pass_on_interrupt(error: RuntimeError) -> None:
    """DuckDB reports Ctrl-C as a RuntimeError."""
    if "interrupt" in str(error).lower():
        raise_alone(KeyboardInterrupt())
    raise error
