"""The private connection of the embedded engine: with the limits that were asked for, and a folder for what does not fit into memory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb

from sfumato.engines.base import Settings
from sfumato.engines.duckdb.database import limits_of
from sfumato.engines.duckdb.paths import Links
from sfumato.errors import UsageError, argument, raise_alone
from sfumato.temporary import TemporaryFolder


def spill_of(settings: Settings) -> TemporaryFolder:
    """Where the engine puts what does not fit into memory."""
    try:
        return TemporaryFolder(settings.temp)
    except OSError as error:
        raise_alone(UsageError(f"cannot be written to: {error.strerror}", where=str(settings.temp or argument("temp"))))


def release(connection: duckdb.DuckDBPyConnection, spill: TemporaryFolder, links: Links) -> None:
    """Close a connection, and remove what it has put aside."""
    connection.close()
    links.remove()
    spill.remove()


def connect(settings: Settings, spill: Path) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database of its own."""
    config: dict[str, Any] = {
        "temp_directory": str(spill),
        "autoinstall_known_extensions": False,  # nothing is downloaded at run time
        "autoload_known_extensions": False,
        **limits_of(settings),
    }
    connection = duckdb.connect(config=config)
    connection.execute("SET TimeZone = 'UTC'")
    # In a notebook the engine wants to draw its progress, and refuses where the library for that is missing: then there is none.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    # Every join is of many rows with a small table, which is written on the right. Left to itself, the engine at times holds the rows.
    connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
    return connection
