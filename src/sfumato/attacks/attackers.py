"""Named attackers: which columns of a person each of them knows. A preset is a set of words that names of columns may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.errors import UsageError, argument, unknown
from sfumato.profiling.words import KNOWN, WIDELY_KNOWN, words_of

# What one sees, or hears over the fence.
_VISIBLE = WIDELY_KNOWN | frozenset(
    "race ethnicity ethnic marital married familienstand civil children kinder enfants hijos household haushalt height weight".split()
)
_ALL: Callable[[str], bool] = lambda name: True  # noqa: E731

ATTACKERS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "neighbor": (
        "knows what can be seen: age, sex, where somebody lives, the family",
        lambda name: bool(words_of(name) & _VISIBLE),
    ),
    "journalist": (
        "knows what public registers and pages say: also education, profession, nationality",
        lambda name: bool(words_of(name) & KNOWN),
    ),
    "insider": ("works where the table was made, and knows every quasi-identifier", _ALL),
    "data-broker": ("has bought every quasi-identifier", _ALL),
}


def columns_of(attacker: str | None, holds: Sequence[str] | None, quasi: Sequence[str]) -> tuple[str, ...]:
    """The QIDs that an attacker knows: those named, those of a preset, or all."""
    if holds is not None:
        for name in holds:
            if name not in quasi:
                raise UsageError(unknown("QID", name, quasi, within="the release"), where=argument("holds"))
        return tuple(name for name in quasi if name in holds)
    if attacker is None:
        return tuple(quasi)
    if attacker not in ATTACKERS:
        raise UsageError(unknown("attacker", attacker, ATTACKERS, within="this version"), where=argument("attacker"))
    known = tuple(name for name in quasi if ATTACKERS[attacker][1](name))
    if not known:
        raise UsageError(
            f"by their names, none of the QIDs ({', '.join(quasi)}) is known to a {attacker}; name columns with {argument('holds')}",
            where=argument("attacker"),
        )
    return known
