"""Accounts in the store."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from sfumato.web.service.people import Account, Role
from sfumato.web.service.refusals import Taken
from sfumato.web.service.store.tables import account

COLUMNS = (account.c.id, account.c.name, account.c.mail, account.c.role, account.c.key, account.c.created, account.c.closed)
_BY_ID = sa.select(*COLUMNS).where(account.c.id == sa.bindparam("wanted"))


def made(row: Any) -> Account:
    """An account from its row."""
    return Account(row.id, row.name, row.mail, Role(row.role), row.key, row.created, row.closed)


def add(connection: Connection, new: Account, password: str) -> None:
    """Keep a new account; `password` is its hash."""
    values = {"id": new.id, "name": new.name, "mail": new.mail, "role": new.role.value, "key": new.key, "created": new.created}
    try:
        connection.execute(account.insert().values(**values, password=password))
    except IntegrityError:
        raise Taken("there is an account with this mail address", where="mail") from None


def by_mail(connection: Connection, mail: str) -> tuple[Account, str] | None:
    """The open account with a mail address, and the hash of its password."""
    row = connection.execute(sa.select(account).where(account.c.mail == mail, account.c.closed.is_(None))).first()
    return None if row is None else (made(row), row.password)


def by_id(connection: Connection, number: str) -> Account | None:
    """An account, open or closed."""
    row = connection.execute(_BY_ID, {"wanted": number}).first()
    return None if row is None else made(row)


def password_of(connection: Connection, number: str) -> str:
    """The hash of a password; a writer has it alone until the end of the transaction."""
    wanted = sa.select(account.c.password).where(account.c.id == number)
    return str(connection.execute(wanted.with_for_update()).scalar_one())


def set_password(connection: Connection, number: str, password: str) -> None:
    """Replace a password by another one; both are hashes."""
    connection.execute(account.update().where(account.c.id == number).values(password=password))


def everybody(connection: Connection) -> list[Account]:
    """All accounts, by name; closed ones at the end."""
    order = (account.c.closed.isnot(None), account.c.name, account.c.id)
    return [made(row) for row in connection.execute(sa.select(*COLUMNS).order_by(*order))]


def owners(connection: Connection) -> list[str]:
    """The ids of open accounts of owners, locked until the end of the transaction that asks."""
    open_ones = sa.select(account.c.id).where(account.c.role == Role.OWNER.value, account.c.closed.is_(None))
    return list(connection.execute(open_ones.order_by(account.c.id).with_for_update()).scalars())


def close(connection: Connection, number: str, now: float) -> bool:
    """End an account; whether there was one that is open."""
    open_one = account.update().where(account.c.id == number, account.c.closed.is_(None))
    return connection.execute(open_one.values(closed=now)).rowcount == 1
