"""The record of what was done."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.store.tables import account as accounts
from sfumato.web.service.store.tables import audit

_ADD = sa.insert(audit).inline()  # nobody asks for its number


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that was done: when, by whom, from where, and what it was about."""

    id: int
    time: float
    account: str | None
    name: str | None
    action: str
    about: str | None
    address: str | None


def add(connection: Connection, time: float, account: str | None, action: str, about: str | None, address: str) -> None:
    """Record something, in the transaction that does it."""
    connection.execute(_ADD, {"time": time, "account": account, "action": action, "about": about, "address": address})


def newest(connection: Connection, most: int, before: int | None = None) -> list[Done]:
    """What was done last, newest first; `before` is the number of the first record that is too new."""
    joined = sa.select(audit, accounts.c.name).outerjoin(accounts, accounts.c.id == audit.c.account)
    if before is not None:
        joined = joined.where(audit.c.id < before)
    rows = connection.execute(joined.order_by(audit.c.id.desc()).limit(most))
    return [Done(row.id, row.time, row.account, row.name, row.action, row.about, row.address) for row in rows]
