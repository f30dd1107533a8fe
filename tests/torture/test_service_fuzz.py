"""A great deal that is sent to the API of a service, on SQLite and on PostgreSQL: it answers as its OpenAPI says, never with a bug."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.web.service.service import Service
from sfumato.web.service.store import Database
from sfumato.web.service.store.migrating import up_to_date
from tests.path.postgres_server import running
from tests.web.service.conftest import ADDRESS
from tests.web.service.test_fuzz import fuzzed, world_of

EXAMPLES = 100  # of each operation


def tried(database: Database, folder: Path) -> tuple[int, list[str]]:
    up_to_date(database)
    try:
        return fuzzed(world_of(Service(database, folder, ADDRESS)), EXAMPLES)
    finally:
        database.close()


@pytest.mark.torture
@pytest.mark.parametrize("store", ["SQLite", "PostgreSQL"])
def test_whatever_is_sent_is_answered_as_declared(
    store: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if store == "SQLite":
        sent, wrong = tried(Database.in_folder(tmp_path), tmp_path)
    else:
        with running() as server:
            sent, wrong = tried(Database(server.address()), tmp_path)
    record_property("tried", (f"requests to a service on {store}", sent, len(wrong)))
    assert not wrong, "\n\n".join(wrong)
