"""Addresses of database servers. A password in one is for the connection alone: nothing else ever has it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from sfumato.errors import DataError, raise_alone

SCHEMES = ("postgresql://", "postgres://")


def is_address(data: Any) -> bool:
    """Whether data is the address of a server, not a file."""
    return isinstance(data, str) and data.lower().startswith(SCHEMES)


def split_password(address: str) -> tuple[str, str | None]:
    """An address without its password, and the password.

    >>> split_password("postgresql://ann:s%40f@localhost/people?sslmode=require")
    ('postgresql://ann@localhost/people?sslmode=require', 's@f')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        raise_alone(DataError("not the address of a server; postgresql://user@host/database would work", where="the address"))
    who, at, host = parts.netloc.rpartition("@")
    user, colon, password = who.partition(":")
    asked = parse_qsl(parts.query, keep_blank_values=True)
    secret = next((value for name, value in asked if name == "password"), unquote(password) if colon else None)
    query = urlencode([(name, value) for name, value in asked if name != "password"], quote_via=quote)
    return urlunsplit(parts._replace(netloc=f"{user}{at}{host}", query=query)), secret
