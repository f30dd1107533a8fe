"""API tokens in the store, by the digests of their secrets."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.people import Account
from sfumato.web.service.store.accounts import COLUMNS, made
from sfumato.web.service.store.tables import account, token

_MINUTE = 60.0  # the last use is kept to the minute, so that not every request writes
_ACCOUNT = (  # made once: it is asked by every request of a program
    sa.select(*COLUMNS, token.c.used)
    .join(token, token.c.account == account.c.id)
    .where(token.c.digest == sa.bindparam("wanted"), token.c.expires > sa.bindparam("now"), account.c.closed.is_(None))
)


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; its secret was shown once."""

    id: str
    name: str
    created: float
    expires: float
    used: float | None


def add(connection: Connection, new: Token, of: str, digest: str) -> None:
    """Keep a new token."""
    values = {"id": new.id, "name": new.name, "created": new.created, "expires": new.expires}
    connection.execute(token.insert().values(**values, account=of, digest=digest))


def all_of(connection: Connection, of: str) -> list[Token]:
    """The tokens of an account, newest first; those that are over, too."""
    wanted = sa.select(token).where(token.c.account == of).order_by(token.c.created.desc(), token.c.id)
    return [Token(row.id, row.name, row.created, row.expires, row.used) for row in connection.execute(wanted)]


def account_of(connection: Connection, digest: str, now: float) -> tuple[Account | None, bool]:
    """Whose token it is, while it lasts; and whether its last use is known to the minute."""
    row = connection.execute(_ACCOUNT, {"wanted": digest, "now": now}).first()
    if row is None:
        return None, False
    return made(row), row.used is not None and row.used > now - _MINUTE


def mark_used(connection: Connection, digest: str, now: float) -> None:
    """Keep when a token was used."""
    connection.execute(token.update().where(token.c.digest == digest).values(used=now))


def end(connection: Connection, of: str, number: str) -> bool:
    """Revoke a token of an account; whether there was one."""
    return connection.execute(token.delete().where(token.c.id == number, token.c.account == of)).rowcount == 1


def end_all(connection: Connection, of: str) -> None:
    """Revoke all tokens of an account."""
    connection.execute(token.delete().where(token.c.account == of))
