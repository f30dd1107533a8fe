"""Tokens for programs that act for an account."""

from __future__ import annotations

from fastapi import Request

from sfumato.web.service.access import note
from sfumato.web.service.people import Account
from sfumato.web.service.refusals import NoSuch
from sfumato.web.service.secret import digest, new_id, new_secret
from sfumato.web.service.service import service_of
from sfumato.web.service.store import tokens
from sfumato.web.service.store.tokens import Token

PREFIX = "sfumato_"  # so that a scanner for secrets knows one that got lost
LONGEST, USUAL = 365, 90  # days
_DAY = 24 * 3600.0


def make(request: Request, account: Account, name: str, days: int) -> tuple[Token, str]:
    """A new token, and its secret, which is shown once."""
    service = service_of(request)
    secret, now = new_secret(PREFIX), service.now()
    new = Token(new_id(), name, now, now + days * _DAY, None)
    with service.database.writing() as connection:
        tokens.add(connection, new, account.id, digest(secret))
        note(connection, account.id, "token", name, request)
    return new, secret


def revoke(request: Request, account: Account, number: str) -> None:
    """End a token of an account."""
    with service_of(request).database.writing() as connection:
        if not tokens.end(connection, account.id, number):
            raise NoSuch("no token of that name")
        note(connection, account.id, "revoke-token", number, request)
