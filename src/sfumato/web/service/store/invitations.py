"""Invitations in the store, by the digests of their secrets. One by nobody is the link that the service prints for its first owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.people import Role
from sfumato.web.service.store.tables import invitation


@dataclass(frozen=True, slots=True)
class Invitation:
    """What is known of an invitation; its secret was shown once."""

    id: str
    role: Role
    mail: str | None
    by: str | None
    created: float
    expires: float
    used: float | None = None


def add(connection: Connection, new: Invitation, digest: str) -> None:
    """Keep a new invitation."""
    values = {
        "id": new.id,
        "role": new.role.value,
        "mail": new.mail,
        "by": new.by,
        "created": new.created,
        "expires": new.expires,
    }
    connection.execute(invitation.insert().values(**values, digest=digest))


def by_digest(connection: Connection, digest: str) -> Invitation | None:
    """An invitation, used or over or not."""
    row = connection.execute(sa.select(invitation).where(invitation.c.digest == digest)).first()
    return None if row is None else _made(row)


def use(connection: Connection, digest: str, now: float) -> bool:
    """Use an invitation up; whether it could be. Of two at once, one can."""
    usable = (invitation.c.digest == digest, invitation.c.used.is_(None), invitation.c.expires > now)
    return connection.execute(invitation.update().where(*usable).values(used=now)).rowcount == 1


def waiting(connection: Connection, now: float) -> list[Invitation]:
    """Invitations that can still be used, newest first."""
    usable = (invitation.c.used.is_(None), invitation.c.expires > now, invitation.c.by.isnot(None))
    order = (invitation.c.created.desc(), invitation.c.id)
    return [_made(row) for row in connection.execute(sa.select(invitation).where(*usable).order_by(*order))]


def withdraw(connection: Connection, number: str) -> bool:
    """Forget an invitation that was not used; whether there was one."""
    unused = (invitation.c.id == number, invitation.c.used.is_(None), invitation.c.by.isnot(None))
    return connection.execute(invitation.delete().where(*unused)).rowcount == 1


def withdraw_by(connection: Connection, by: str | None) -> None:
    """Forget what an account has sent out and nobody has used; nobody's are the links of earlier starts."""
    made = invitation.c.by.is_(None) if by is None else invitation.c.by == by
    connection.execute(invitation.delete().where(made, invitation.c.used.is_(None)))


def _made(row: Any) -> Invitation:
    return Invitation(row.id, Role(row.role), row.mail, row.by, row.created, row.expires, row.used)
