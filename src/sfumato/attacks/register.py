"""All attacks by name, each loaded when it is first asked for, and how `NAME:PARAMETERS` becomes one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module

from sfumato.attacks.base import Attack
from sfumato.errors import UsageError, argument, unknown
from sfumato.models.notation import made

# The class of each; its module in `kinds` is called like the attack.
ATTACKS = {
    "record-linkage": "RecordLinkage",
    "homogeneity": "Homogeneity",
    "background": "Background",
    "skewness": "Skewness",
    "similarity": "Similarity",
    "table-linkage": "TableLinkage",
    "probabilistic": "Probabilistic",
    "minimality": "Minimality",
    "intersection": "Intersection",
    "learned": "Learned",
    "singling-out": "SinglingOut",
    "linkability": "Linkability",
    "inference": "Inference",
}
# What `--all` tries: every attack as it is, and those with several scenarios in each of them.
ALL = (
    "record-linkage:prosecutor",
    "record-linkage:journalist",
    "record-linkage:marketer",
    "homogeneity",
    "background:excludes",
    "background:knows",
    "background:like",
    "background:negative",
    "skewness",
    "similarity",
    "table-linkage",
    "probabilistic",
    "minimality",
    "intersection",
    "learned",
    "singling-out",
    "linkability",
    "inference",
)

Attacks = str | Attack | Iterable[str | Attack]


def attack_class(name: str) -> type[Attack]:
    """The class of an attack."""
    if name not in ATTACKS:
        raise UsageError(unknown("attack", name, ATTACKS, within="this version"), where=argument("attacks"))
    found: type[Attack] = getattr(import_module(f"sfumato.attacks.kinds.{name.replace('-', '_')}"), ATTACKS[name])
    return found


def attack_of(text: str) -> Attack:
    """Make an attack from text.

    >>> str(attack_of("record-linkage:marketer,errors=0.05"))
    'record-linkage:marketer,0.5,0.05'

    Parameters
    ----------
    text : str
        `homogeneity`, `record-linkage:marketer`, `background:excludes,2`.

    Returns
    -------
    Attack
        The attack.
    """
    name, _, rest = text.partition(":")
    return made(attack_class(name), rest, "attacks")


def attacks_of(attacks: Attacks) -> tuple[Attack, ...]:
    """Make attacks from texts or attacks; a repeated one counts once."""
    given = [attacks] if isinstance(attacks, str | Attack) or not isinstance(attacks, Iterable) else list(attacks)
    if not given:
        raise UsageError("name an attack, or leave it out to try all of them", where=argument("attacks"))
    return tuple({str(each): each for each in map(_attack, given)}.values())


def in_scenario(attacks: tuple[Attack, ...], scenario: str | None) -> tuple[Attack, ...]:
    """The same attacks with record linkage in one scenario."""
    from sfumato.attacks.kinds.record_linkage import RecordLinkage

    if scenario is None:
        return attacks
    if not any(isinstance(each, RecordLinkage) for each in attacks):
        raise UsageError("only record linkage has scenarios, and it is not among the attacks", where=argument("scenario"))
    changed = (replace(each, scenario=scenario) if isinstance(each, RecordLinkage) else each for each in attacks)
    return tuple({str(each): each for each in changed}.values())


def _attack(given: object) -> Attack:
    if isinstance(given, Attack):
        return given
    if isinstance(given, str):
        return attack_of(given)
    raise UsageError(
        f"an attack is a text such as 'homogeneity' or 'record-linkage:marketer', not of type {type(given).__name__}",
        where=argument("attacks"),
    )
