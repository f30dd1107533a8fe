"""The record of what was done."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.store.tables import account as accounts
from sfumato.web.service.store.tables import audit, negotiation

ACCESS = (  # who may do what: for all owners, who let people in
    "set-up",
    "join",
    "sign-in",
    "sign-in-failed",
    "sign-out",
    "password",
    "reset-link",
    "reset-link-printed",
    "withdraw-reset-link",
    "reset-password",
    "token",
    "revoke-token",
    "invite",
    "withdraw",
    "close-account",
)
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


def newest(connection: Connection, owner: str, most: int, before: int | None = None) -> list[Done]:
    """What was done last, newest first, as an owner may see it: who came in and out, and what was done with this owner's tables, not with
    those of others. `before` is the number of the first record that is too new."""
    about_theirs = audit.c.about.in_(sa.select(negotiation.c.id).where(negotiation.c.owner == owner))
    shown = audit.c.action.in_(ACCESS) | (audit.c.account == owner) | about_theirs
    joined = sa.select(audit, accounts.c.name).outerjoin(accounts, accounts.c.id == audit.c.account).where(shown)
    if before is not None:
        joined = joined.where(audit.c.id < before)
    rows = connection.execute(joined.order_by(audit.c.id.desc()).limit(most))
    return [Done(row.id, row.time, row.account, row.name, row.action, row.about, row.address) for row in rows]
