"""When so much is suspicious that the detector itself is to be doubted."""

from __future__ import annotations

LARGE = 0.1  # of all logins; nobody reads a tenth of a log, and attackers seldom are one


def doubt_of(logins: int, suspicious: int, right: int) -> str | None:
    """A line to show beside the numbers if a large share of the logins is suspicious; `right`: of these had the right password.

    >>> doubt_of(200_000, 20_000, 0)
    >>> print(doubt_of(200_000, 132_332, 128_000))
    66 % of all logins are suspicious, and 97 % of these had the right password, as honest people have: either the logs are mostly an \
attack, or the detector takes ordinary logins for one; read the rules of the reputation before you act on this
    """
    if suspicious <= LARGE * logins:
        return None
    return (
        f"{_percent(suspicious, logins)} of all logins are suspicious, and {_percent(right, suspicious)} of these had the right "
        "password, as honest people have: either the logs are mostly an attack, or the detector takes ordinary logins for one; "
        "read the rules of the reputation before you act on this"
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}".replace("%", " %")
