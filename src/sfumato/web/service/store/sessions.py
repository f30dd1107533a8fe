"""Sessions of browsers in the store, by the digests of their secrets."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.people import Account
from sfumato.web.service.store.accounts import COLUMNS, made
from sfumato.web.service.store.tables import account, session


def add(connection: Connection, digest: str, of: str, now: float, expires: float) -> None:
    """Begin a session."""
    connection.execute(session.insert().values(digest=digest, account=of, created=now, expires=expires))


def account_of(connection: Connection, digest: str, now: float) -> Account | None:
    """Whose session it is, while it lasts."""
    joined = sa.select(*COLUMNS).join(session, session.c.account == account.c.id)
    row = connection.execute(
        joined.where(session.c.digest == digest, session.c.expires > now, account.c.closed.is_(None))
    ).first()
    return None if row is None else made(row)


def tidy(connection: Connection, now: float) -> None:
    """Forget what is over, but for what somebody else is about to forget."""
    over = sa.select(session.c.digest).where(session.c.expires <= now).with_for_update(skip_locked=True)
    connection.execute(session.delete().where(session.c.digest.in_(over)))


def end(connection: Connection, digest: str) -> None:
    """End one session."""
    connection.execute(session.delete().where(session.c.digest == digest))


def end_all(connection: Connection, of: str, but: str | None = None) -> None:
    """End the sessions of an account, all or all but one."""
    ended = session.delete().where(session.c.account == of)
    connection.execute(ended if but is None else ended.where(session.c.digest != but))
