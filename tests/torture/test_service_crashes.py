"""A service under load that is killed -9 many times, on SQLite and on PostgreSQL: what clients saw acknowledged is in its store."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sfumato.web.service.store import Database
from tests.path.postgres_server import running
from tests.web.service.crashing import crashed, prepared

KILLS, USERS = 50, 6


@pytest.mark.torture
@pytest.mark.parametrize("store", ["SQLite", "PostgreSQL"])
def test_nothing_that_was_acknowledged_is_lost(
    store: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if store == "SQLite":
        with closing(Database.in_folder(tmp_path)) as database:
            outcome = crashed(prepared(database, tmp_path, USERS), KILLS, seed=2, most=10)
    else:
        with running() as server, closing(Database(server.address())) as database:
            outcome = crashed(prepared(database, tmp_path, USERS), KILLS, seed=2, most=10)
    sys.stdout.write(f"\n{store}: {outcome}\n")
    record_property("tried", (f"kills of a service on {store}", outcome.kills, len(outcome.wrong)))
    assert not outcome.wrong, outcome.wrong
