"""When so much is suspicious that somebody should ask why before acting on it."""

from __future__ import annotations

LARGE = 0.1  # of all logins; nobody reads a tenth of a log, and attackers seldom are one
_HALF = 0.5


def doubt_of(logins: int, suspicious: int, right: int) -> str | None:
    """A line to show beside the numbers if a large share of the logins is suspicious; `right`: of these had the right password, as
    honest people have and those who guess have not.

    >>> doubt_of(200_000, 20_000, 0)
    >>> print(doubt_of(200_000, 132_332, 128_000))
    66 % of all logins are suspicious, and 97 % of these had the right password: the detector takes honest people for attackers; read the \
rules of the reputation before you act on this
    >>> print(doubt_of(1_000, 230, 0))
    23 % of all logins are suspicious, and 0 % of these had the right password: either the logs are to a large part an attack, or many \
honest logins fail; read the rules of the reputation before you act on this
    """
    if suspicious <= LARGE * logins:
        return None
    reason = "either the logs are to a large part an attack, or many honest logins fail"
    if right > _HALF * suspicious:
        reason = "the detector takes honest people for attackers"
    return (
        f"{_percent(suspicious, logins)} of all logins are suspicious, and {_percent(right, suspicious)} of these had the right "
        f"password: {reason}; read the rules of the reputation before you act on this"
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}".replace("%", " %")
