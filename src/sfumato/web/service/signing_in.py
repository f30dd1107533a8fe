"""Signing in and out, and changing a password."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from math import ceil

from fastapi import Request
from sqlalchemy.engine import Connection

from sfumato.errors import UsageError
from sfumato.web.service import passwords
from sfumato.web.service.access import address_of, note, session_of
from sfumato.web.service.people import Account
from sfumato.web.service.refusals import TooMany
from sfumato.web.service.secret import digest, new_secret
from sfumato.web.service.service import Service, service_of
from sfumato.web.service.store import accounts, attempts, resets, sessions

LASTS = 12 * 3600.0  # seconds
WINDOW = 15 * 60.0
PER_NAME, PER_ADDRESS = 10, 100  # tries in a window


def sign_in(request: Request, mail: str, password: str) -> tuple[Account, str] | None:
    """A new session for whoever knows the password: the account and the secret of the session. None if mail or password is wrong; which
    of the two, nobody learns."""
    service = service_of(request)
    _count_try(service, request, mail)
    with service.database.reading() as connection:
        found = accounts.by_mail(connection, mail)
    right = passwords.fits(found[1] if found else None, password)
    if found is None or not right:
        with service.database.writing() as connection:
            note(connection, None, "sign-in-failed", digest(mail)[:16], request)
        return None
    account, stored = found
    _tidy(service)
    renewed = passwords.hashed(password) if passwords.outdated(stored) else None
    with service.database.writing() as connection:
        if accounts.password_of(connection, account.id) != stored:
            return None  # changed at this moment
        if renewed is not None:
            accounts.set_password(connection, account.id, renewed)
        forget_tries(connection, request, mail)
        note(connection, account.id, "sign-in", None, request)
        return account, begin(connection, service, account)


def begin(connection: Connection, service: Service, account: Account) -> str:
    """A new session of an account: its secret."""
    secret, now = new_secret(), service.now()
    sessions.add(connection, digest(secret), account.id, now, now + LASTS)
    return secret


def sign_out(request: Request) -> None:
    """End the session of this browser, if it has one."""
    session, service = session_of(request), service_of(request)
    if session is None:
        return
    with service.database.writing() as connection:
        account = sessions.account_of(connection, session, service.now())
        sessions.end(connection, session)
        if account is not None:
            note(connection, account.id, "sign-out", None, request)


def change_password(request: Request, account: Account, old: str, new: str) -> None:
    """Replace a password by another one; all other sessions end."""
    service = service_of(request)
    _count_try(service, request, account.mail)
    with service.database.reading() as connection:
        stored = accounts.password_of(connection, account.id)
    if not passwords.fits(stored, old):
        raise UsageError("not the password of this account", where="old")
    renewed = passwords.hashed(new)
    with service.database.writing() as connection:
        if accounts.password_of(connection, account.id) != stored:
            raise UsageError("not the password of this account any more", where="old")
        accounts.set_password(connection, account.id, renewed)
        sessions.end_all(connection, account.id, but=session_of(request))
        resets.void(connection, account.id)
        forget_tries(connection, request, account.mail)
        note(connection, account.id, "password", None, request)


def _count_try(service: Service, request: Request, mail: str) -> None:
    """Refuse whoever has tried too often, before the password is looked at."""
    now = service.now()
    with service.database.writing() as connection:
        tries = [(attempts.count(connection, who, now, WINDOW), most) for who, most in _who(request, mail)]
    waits = [since + WINDOW - now for (count, since), most in tries if count > most]
    if waits:
        seconds = max(1, ceil(max(waits)))
        raise TooMany(f"too many tries to sign in; try again in {ceil(seconds / 60)} minutes", seconds)


def _tidy(service: Service) -> None:
    """In a transaction of its own, so that it never holds what others wait for."""
    now = service.now()
    with service.database.writing() as connection:
        attempts.tidy(connection, now - WINDOW)
        sessions.tidy(connection, now)


def forget_tries(connection: Connection, request: Request, mail: str) -> None:
    """Somebody has shown that the account is theirs."""
    (name, _), (address, _) = _who(request, mail)
    attempts.forget(connection, name)
    attempts.take_back(connection, address)


def _who(request: Request, mail: str) -> tuple[tuple[str, int], tuple[str, int]]:
    return (digest(f"name {mail}"), PER_NAME), (digest(f"address {_network(address_of(request))}"), PER_ADDRESS)


def _network(address: str) -> str:
    """Whoever has one address of IPv6 has 2^64 of them."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) else address
