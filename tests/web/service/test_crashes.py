"""Whatever is acknowledged is there after kill -9, and nothing half-done is handed over. The long loop is in `tests/torture`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.web.service.store import Database
from tests.web.service.crashing import crashed, prepared

KILLS, USERS = 4, 4


@pytest.mark.slow
def test_nothing_that_was_acknowledged_is_lost(empty: Database, tmp_path: Path) -> None:
    outcome = crashed(prepared(empty, tmp_path, USERS), KILLS, seed=1, most=1)
    assert not outcome.wrong, outcome.wrong
    assert outcome.negotiations >= USERS
    assert outcome.events >= 2 * USERS
    assert outcome.delivered
    assert outcome.failures
