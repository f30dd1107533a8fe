"""How often somebody tried to sign in, by the digest of a name or of an address on the network."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from sfumato.web.service.store.tables import attempt


def count(connection: Connection, who: str, now: float, window: float) -> tuple[int, float]:
    """Count one more try: how many there were since when. It is one statement, so that of many at once each is counted."""
    kind: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    over = attempt.c.since <= now - window
    known = {"count": sa.case((over, 1), else_=attempt.c.count + 1), "since": sa.case((over, now), else_=attempt.c.since)}
    one_more = kind.insert(attempt).values(who=who, since=now, count=1).on_conflict_do_update(index_elements=["who"], set_=known)
    row = connection.execute(one_more.returning(attempt.c.count, attempt.c.since)).one()
    return row[0], row[1]


def forget(connection: Connection, who: str) -> None:
    """Somebody has signed in."""
    connection.execute(attempt.delete().where(attempt.c.who == who))


def take_back(connection: Connection, who: str) -> None:
    """One try was none."""
    connection.execute(attempt.update().where(attempt.c.who == who).values(count=attempt.c.count - 1))


def tidy(connection: Connection, until: float) -> None:
    """Forget what is over. What somebody else is about to change is left for the next time: two who tidy up wait for nobody."""
    over = sa.select(attempt.c.who).where(attempt.c.since <= until).with_for_update(skip_locked=True)
    connection.execute(attempt.delete().where(attempt.c.who.in_(over)))
