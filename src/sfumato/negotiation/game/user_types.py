"""Types of users whom the owner cannot tell apart: how likely each is, and what releases are worth to them.

A type multiplies the stated value by a scale, or has a value of its own, and may be unable to use what is generalized too far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import DataError, UsageError, argument, unknown
from sfumato.inputs.toml import read_toml
from sfumato.negotiation.game.market import Stakes
from sfumato.negotiation.pricing import Price
from sfumato.statistics import Floats

MOST_TYPES = 50
TYPES = "uniform:0.5,1.5,10"
_EXAMPLES = "uniform:0.5,1.5,10, normal:1,0.3,10, scales:0.5=1/2,1=1/2 or a file NAME.toml"
_KEYS = ("name", "probability", "scale", "value", "levels")
_MOST = 1 << 20  # bytes of a file
_SUM = 1e-9


@dataclass(frozen=True, slots=True)
class UserType:
    """One type: its name, its probability, the factor of its value, a value of its own, and the largest level of each attribute that is
    of any use to it."""

    name: str
    probability: Fraction
    scale: float = 1.0
    value: str | None = None
    levels: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise UsageError(f"{self.name}: a probability is more than 0 and at most 1", where=argument("types"))
        if not (isfinite(self.scale) and self.scale >= 0):
            raise UsageError(f"{self.name}: a scale is a number from 0 up", where=argument("types"))


@dataclass(frozen=True, slots=True)
class Types:
    """All types; their probabilities add up to one, exactly up to 1e-9."""

    types: tuple[UserType, ...]
    text: str

    def __post_init__(self) -> None:
        if not 1 <= len(self.types) <= MOST_TYPES:
            raise UsageError(f"there are {len(self.types):,} types; a game has 1 to {MOST_TYPES}", where=argument("types"))
        total = sum(self.probabilities, Fraction(0))
        if abs(total - 1) > Fraction(_SUM):
            raise UsageError(f"the probabilities add up to {float(total):.6g} and not to 1", where=argument("types"))

    @classmethod
    def of(cls, text: str | Path | Types) -> Types:
        """Types from a text, or from a TOML file.

        >>> [(each.name, each.scale, str(each.probability)) for each in Types.of("uniform:0.5,1.5,2").types]
        [('x0.75', 0.75, '1/2'), ('x1.25', 1.25, '1/2')]
        """
        if isinstance(text, Types):
            return text
        if str(text).endswith(".toml"):
            return cls(_read(Path(text)), str(text))
        family, _, rest = str(text).partition(":")
        makers = {"uniform": _uniform, "normal": _normal, "scales": _scales}
        if family.strip() not in makers:
            raise UsageError(f"no such types; {_EXAMPLES} would work", where=argument("types"))
        return cls(tuple(_scaled(*each) for each in makers[family.strip()](rest)), str(text))

    @property
    def probabilities(self) -> tuple[Fraction, ...]:
        return tuple(each.probability for each in self.types)

    def worth(self, stakes: Stakes) -> Floats:
        """What every policy is worth to each type: a row per type."""
        return np.stack([_worth(each, stakes) for each in self.types])


def _worth(each: UserType, stakes: Stakes) -> Floats:
    lattice, worth = stakes.space.lattice, stakes.worth
    if each.value is not None:
        value = Price.of(each.value, "value")
        value.require_decreasing(stakes.utility)
        people = stakes.space.about.people
        worth = value.at(stakes.utility) * (stakes.staying / people if people else 1.0)
    usable = np.ones(len(worth), bool)
    for name, level in each.levels.items():
        if name not in lattice.attributes:
            raise UsageError(unknown("quasi-identifier", name, lattice.attributes, within="the space"), where=argument("types"))
        usable &= stakes.space.evaluations.levels[:, lattice.attributes.index(name)] <= level
    return np.where(usable, each.scale * worth, 0.0)


def _scaled(scale: float, probability: Fraction) -> UserType:
    return UserType(f"x{scale:.4g}", probability, scale)


def _numbers(text: str, count: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(map(isfinite, numbers)):
        raise UsageError(f"cannot read these types; {_EXAMPLES} would work", where=argument("types"))
    return numbers


def _parts(number: float) -> int:
    if number != int(number) or not 1 <= number <= MOST_TYPES:
        raise UsageError(f"the number of types is a whole number from 1 to {MOST_TYPES}", where=argument("types"))
    return int(number)


def _uniform(text: str) -> list[tuple[float, Fraction]]:
    """So many equal parts, each by its middle."""
    low, high, number = _numbers(text, 3)
    parts = _parts(number)
    if not 0 <= low <= high:
        raise UsageError("uniform:LOW,HIGH,TYPES needs two scales from 0 up, the lower one first", where=argument("types"))
    return [(low + (high - low) * (2 * place + 1) / (2 * parts), Fraction(1, parts)) for place in range(parts)]


def _normal(text: str) -> list[tuple[float, Fraction]]:
    """So many equally likely parts, each by its median; scales below zero are zero."""
    from statistics import NormalDist

    mean, spread, number = _numbers(text, 3)
    parts = _parts(number)
    if mean < 0 or spread <= 0:
        raise UsageError("normal:MEAN,SPREAD,TYPES needs a mean from 0 up and a spread above it", where=argument("types"))
    middles = [NormalDist(mean, spread).inv_cdf((2 * place + 1) / (2 * parts)) for place in range(parts)]
    return [(max(middle, 0.0), Fraction(1, parts)) for middle in middles]


def _scales(text: str) -> list[tuple[float, Fraction]]:
    pairs = [part.split("=") for part in text.split(",")]
    if not all(len(pair) == 2 for pair in pairs):
        raise UsageError(f"cannot read these types; {_EXAMPLES} would work", where=argument("types"))
    return [(_numbers(scale, 1)[0], _probability(probability)) for scale, probability in pairs]


def _probability(text: object) -> Fraction:
    try:
        return Fraction(str(text).strip())
    except (ValueError, ZeroDivisionError):
        raise UsageError("a probability is written as 0.25 or 1/4", where=argument("types")) from None


def _read(path: Path) -> tuple[UserType, ...]:
    document = read_toml(path, _MOST, error=DataError)
    entries = document.get("types")
    if set(document) != {"types"} or not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise DataError("types are written as [[types]], each with a probability", where=str(path))
    return tuple(_entry(each, number, path) for number, each in enumerate(entries, start=1))


def _entry(entry: Mapping[str, Any], number: int, path: Path) -> UserType:
    where = f"{path}: type {number}"
    for key in entry:
        if key not in _KEYS:
            raise DataError(unknown("key", key, _KEYS, within="a type"), where=where)
    texts, levels = [entry.get(key) for key in ("name", "value")], entry.get("levels", {})
    scale = entry.get("scale", 1)
    fine = all(text is None or isinstance(text, str) for text in texts) and _is_number(scale) and _are_levels(levels)
    if not fine or not isinstance(entry.get("probability"), int | str | Decimal):
        raise DataError("a type has a probability, and may have a name, a scale, a value and levels", where=where)
    name = entry.get("name", f"type {number}")
    return UserType(name, _probability(entry["probability"]), float(scale), entry.get("value"), dict(levels))


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _are_levels(value: object) -> bool:
    whole: Sequence[object] = list(value.values()) if isinstance(value, dict) else [None]
    return all(type(each) is int and each >= 0 for each in whole)
