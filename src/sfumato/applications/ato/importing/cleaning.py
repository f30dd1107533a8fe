"""From what a log says to what the table of events holds: addresses, times, countries, names of errors."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import sfumato as sf
from sfumato.applications.ato.outcomes import NAMES

EARLIEST = datetime(2000, 1, 1)
AHEAD = timedelta(days=1)  # that a clock may be
_CLOCK = re.compile(r"[Tt ][0-9]{2}")


def plain(value: Any) -> str | None:
    """A text without blanks around it, or a whole number as text; None if there is nothing, or something else.

    >>> plain(" a "), plain(7), plain(7.0), plain(" "), plain(7.5), plain(True), plain(["a"])
    ('a', '7', '7', None, None, None, None)
    """
    if isinstance(value, float) and value.is_integer():  # columns of numbers with gaps come so
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip()
    return (text if text.isascii() else text.encode(errors="replace").decode()) or None  # halves of characters are no text


@lru_cache(maxsize=1 << 18)
def canonical(text: str) -> str | None:
    """An address in its one spelling; None if it is none.

    >>> canonical("192.0.2.1:49153"), canonical("[2001:DB8:0::1]:443"), canonical("::ffff:192.0.2.1"), canonical("fe80::1%eth0")
    ('192.0.2.1', '2001:db8::1', '192.0.2.1', 'fe80::1')
    >>> canonical("192.0.2.999"), canonical("01.2.3.4")
    (None, None)
    """
    bare = text.strip()
    if bare.startswith("["):
        bare, _, port = bare[1:].partition("]")
        bare = bare if not port or _is_port(port) else ""
    elif bare.count(":") == 1:
        bare, _, port = bare.partition(":")
        bare = bare if _is_port(f":{port}") else ""
    try:
        address: IPv4Address | IPv6Address = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return str(getattr(address, "ipv4_mapped", None) or address)


def _is_port(text: str) -> bool:
    return text[0] == ":" and text[1:].isascii() and text[1:].isdigit() and int(text[1:]) < 1 << 16


def moment(value: Any) -> datetime | None:
    """A time in UTC, without its zone; None if it is none. One that names no zone is in UTC, as the logs are."""
    if isinstance(value, str):
        if not _CLOCK.search(value.strip()):  # the library takes any sign before the time of day, also a digit
            return None
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    try:
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    except OverflowError:
        return None


@lru_cache(maxsize=1 << 12)
def country(text: str) -> str | None:
    """A country as two letters, from its code or its name; None if it is not known."""
    return sf.data.country_code(text)


def error_name(code: Any) -> str | None:
    """An error by the name that Office 365 gives it, from its number or as it is.

    >>> error_name(50126), error_name("50126"), error_name(99), error_name("IdsLocked"), error_name(None)
    ('InvalidUserNameOrPassword', 'InvalidUserNameOrPassword', 'AADSTS99', 'IdsLocked', None)
    """
    text = plain(code) or ""
    if not (text.isascii() and text.isdigit()):
        return text or None
    return NAMES.get(int(text), f"AADSTS{int(text)}")
