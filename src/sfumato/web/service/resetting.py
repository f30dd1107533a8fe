"""A new password for whoever has forgotten theirs: by a link that works once.

Whoever has the link can become that account. So owners make links for users only; for an owner, whose tables no other owner sees, the
link is printed by whoever runs the service and has the tables anyway.
"""

from __future__ import annotations

from http import HTTPStatus

from fastapi import HTTPException, Request
from sqlalchemy.engine import Connection

from sfumato.errors import UsageError, argument
from sfumato.web.service import passwords
from sfumato.web.service.access import note
from sfumato.web.service.people import Account
from sfumato.web.service.refusals import NoSuch, Taken
from sfumato.web.service.secret import digest, new_secret
from sfumato.web.service.service import Service, service_of
from sfumato.web.service.signing_in import begin, forget_tries
from sfumato.web.service.store import accounts, audit, resets, sessions
from sfumato.web.service.store.resets import Reset

LASTS = 24 * 3600.0  # seconds
_DEAD_LINK = "this link leads nowhere: it was used or replaced, or is too old; ask for a new one"
_OWNERS = "the password of an owner is reset by whoever runs the service: sfumato serve --reset-password"


def make(request: Request, by: Account, number: str) -> tuple[Account, Reset, str]:
    """A link for a user: whose it is, and its address. An earlier one is void."""
    service = service_of(request)
    with service.database.writing() as connection:
        account = _user(connection, number)
        new, link = _put(connection, service, account, by.id)
        note(connection, by.id, "reset-link", number, request)
    return account, new, link


def printed(service: Service, mail: str) -> tuple[Reset, str]:
    """A link for anybody, for whoever runs the service."""
    with service.database.writing() as connection:
        found = accounts.by_mail(connection, mail.strip().lower())
        if found is None:
            raise UsageError("no open account has this mail address", where=argument("reset_password"))
        made = _put(connection, service, found[0], None)
        audit.add(connection, service.now(), None, "reset-link-printed", found[0].id, "")
    return made


def withdraw(request: Request, by: Account, number: str) -> None:
    """Make the link of a user void."""
    with service_of(request).database.writing() as connection:
        account = _user(connection, number)
        if not resets.void(connection, account.id):
            raise NoSuch("no link that waits; it may have been used")
        note(connection, by.id, "withdraw-reset-link", number, request)


def wanted(service: Service, secret: str) -> Account:
    """The account that a link is for, if it can be used."""
    with service.database.reading() as connection:
        found = resets.by_digest(connection, digest(secret), service.now())
        account = None if found is None else accounts.by_id(connection, found.account)
    if account is None:
        raise NoSuch(_DEAD_LINK)
    return account


def use(request: Request, secret: str, password: str) -> str:
    """Give an account its new password: all its sessions end, and a new one begins, whose secret is returned. Of two at once, one does."""
    service = service_of(request)
    account = wanted(service, secret)
    kept = passwords.hashed(password)
    with service.database.writing() as connection:
        accounts.password_of(connection, account.id)
        if not resets.use(connection, digest(secret), service.now()):
            raise Taken("somebody else was faster, or the link was replaced")
        accounts.set_password(connection, account.id, kept)
        sessions.end_all(connection, account.id)
        forget_tries(connection, request, account.mail)
        note(connection, account.id, "reset-password", None, request)
        return begin(connection, service, account)


def _user(connection: Connection, number: str) -> Account:
    account = accounts.by_id(connection, number)
    if account is None or account.closed is not None:
        raise NoSuch("no open account of that name")
    if account.is_owner:
        raise HTTPException(HTTPStatus.FORBIDDEN, _OWNERS)
    return account


def _put(connection: Connection, service: Service, account: Account, by: str | None) -> tuple[Reset, str]:
    accounts.password_of(connection, account.id)
    secret, now = new_secret(), service.now()
    new = Reset(account.id, by, now, now + LASTS)
    resets.put(connection, new, digest(secret))
    return new, f"{service.address}/new-password/{secret}"
