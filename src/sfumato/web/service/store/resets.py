"""Links for a new password in the store, by the digests of their secrets: at most one for each account.

Whoever changes one has locked its account first (`accounts.password_of`), so that nobody waits in a circle.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.store.tables import reset


@dataclass(frozen=True, slots=True)
class Reset:
    """What is known of a link for a new password; its secret was shown once. By nobody: whoever runs the service has printed it."""

    account: str
    by: str | None
    created: float
    expires: float


def put(connection: Connection, new: Reset, digest: str) -> None:
    """Keep a link instead of the one before."""
    void(connection, new.account)
    values = {"account": new.account, "by": new.by, "created": new.created, "expires": new.expires}
    connection.execute(reset.insert().values(**values, digest=digest))


def by_digest(connection: Connection, digest: str, now: float) -> Reset | None:
    """A link that can be used."""
    usable = (reset.c.digest == digest, reset.c.expires > now)
    row = connection.execute(sa.select(reset).where(*usable)).first()
    return None if row is None else Reset(row.account, row.by, row.created, row.expires)


def use(connection: Connection, digest: str, now: float) -> bool:
    """Use a link up; whether it could be. Of two at once, one can."""
    return connection.execute(reset.delete().where(reset.c.digest == digest, reset.c.expires > now)).rowcount == 1


def waiting(connection: Connection, now: float) -> dict[str, Reset]:
    """Links that can still be used, by the account that each is for."""
    rows = connection.execute(sa.select(reset).where(reset.c.expires > now))
    return {row.account: Reset(row.account, row.by, row.created, row.expires) for row in rows}


def void(connection: Connection, account: str) -> bool:
    """Forget the link of an account; whether there was one."""
    return connection.execute(reset.delete().where(reset.c.account == account)).rowcount == 1


def void_by(connection: Connection, by: str) -> None:
    """Forget what an account has made and nobody has used."""
    connection.execute(reset.delete().where(reset.c.by == by))
