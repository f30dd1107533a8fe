"""A service to try: an owner and a user, with passwords that are made and printed."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import UsageError, argument
from sfumato.web.service import passwords
from sfumato.web.service.people import Account, Role, new_key
from sfumato.web.service.secret import new_id, new_secret
from sfumato.web.service.service import Service
from sfumato.web.service.store import accounts, invitations

_PEOPLE = ((Role.OWNER, "Olivia Owner", "owner@example.org"), (Role.USER, "Ulrich User", "user@example.org"))


@dataclass(frozen=True, slots=True)
class SignIn:
    """What somebody types to sign in."""

    role: Role
    mail: str
    password: str


def fill(service: Service) -> list[SignIn]:
    """Fill a service that nobody has set up; both sign-ins."""
    found = [(Account(new_id(), name, mail, role, new_key(), service.now()), new_secret()[:20]) for role, name, mail in _PEOPLE]
    hashes = [passwords.hashed(password) for _, password in found]
    with service.database.writing() as connection:
        if accounts.everybody(connection):
            raise UsageError("only a new service is filled; choose another folder", where=argument("demo"))
        for (account, _), kept in zip(found, hashes, strict=True):
            accounts.add(connection, account, kept)
        invitations.withdraw_by(connection, None)
    return [SignIn(account.role, account.mail, password) for account, password in found]
