"""How strong a method is: for every family of methods one number, from mild to strong.

The rungs of a ladder are a factor apart, since twice the noise is a step whatever the noise was. Between two rungs a strength that need
not be whole is narrowed down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.errors import UsageError, argument, unknown

GENERALIZE = "generalize"
_FINER = 5  # halvings between two rungs, for strengths that are not whole


@dataclass(frozen=True, slots=True)
class Family:
    """A method whose strength is left open. `written` is how a strength is given to the method; `whole`: strengths are whole numbers."""

    name: str
    ladder: tuple[float, ...]
    written: Callable[[float], str]
    whole: bool = False

    def method(self, strength: float) -> str:
        """The method with a strength, as in `noise:gaussian,0.1`."""
        return f"{self.name}{',' if ':' in self.name else ':'}{self.written(strength)}"

    def halfway(self, mild: float, strong: float) -> float | None:
        """A strength between two; None if there is none."""
        if not self.whole:
            return math.sqrt(mild * strong)
        between = (int(mild) + int(strong)) // 2
        return float(between) if int(mild) < between < int(strong) else None


def _rungs(first: float, last: float, factor: float) -> tuple[float, ...]:
    count = math.ceil(math.log(last / first) / math.log(factor))
    return tuple(first * (last / first) ** (place / count) for place in range(count + 1))


def _number(strength: float) -> str:
    return f"{strength:.3g}"


def _stays(strength: float) -> str:
    """Post-randomization is given the probability that a value stays; its strength is that of being drawn anew."""
    return f"{1 - strength:.3g}"


def _inverse(strength: float) -> str:
    """The smaller a privacy budget, the stronger the noise."""
    return f"{1 / strength:.3g}"


def _whole(strength: float) -> str:
    return str(int(strength))


_SIZES = tuple(float(size) for size in (2, 3, 5, 8, 12, 20, 32, 50, 80, 125, 200, 320, 500, 800))
_SHARES = _rungs(0.01, 0.5, 1.6)
_NOISE = _rungs(0.01, 10.0, 2.0)

FAMILIES = {
    family.name: family
    for family in (
        Family("cell-suppression", _SIZES, _whole, whole=True),
        Family("microaggregate", _SIZES, _whole, whole=True),
        Family("anatomy", tuple(float(size) for size in range(2, 21)), _whole, whole=True),
        Family("rank-swap", _SHARES, _number),
        Family("record-swap", _rungs(0.01, 1.0, 1.6), _number),
        Family("noise:gaussian", _NOISE, _number),
        Family("noise:laplace", _NOISE, _number),
        Family("noise:correlated", _NOISE, _number),
        Family("pram:invariant", _rungs(0.01, 1.0, 1.6), _stays),
        Family("dp", _rungs(0.1, 100.0, 2.0), _inverse),
    )
}


def family_of(name: str) -> Family:
    """The family of a name; refuses one whose strength is not one number."""
    if name not in FAMILIES:
        known = [GENERALIZE, *FAMILIES]
        raise UsageError(
            f"{unknown('family of methods', name, known, within='this version')}; a method with its parameters is compared as it is",
            where=argument("methods"),
        )
    return FAMILIES[name]


def mildest(family: Family, enough: Callable[[float], bool]) -> float | None:
    """The mildest strength that is enough, if whatever is stronger is, too; None if the strongest is not."""
    low, high = _first(family.ladder, enough)
    if high == len(family.ladder):
        return None
    return family.ladder[high] if low < 0 else _narrowed(family, family.ladder[low], family.ladder[high], enough)[1]


def strongest(family: Family, within: Callable[[float], bool]) -> float | None:
    """The strongest strength within a bound, if whatever is milder is, too; None if the mildest is not."""

    def beyond(strength: float) -> bool:
        return not within(strength)

    low, high = _first(family.ladder, beyond)
    if low < 0:
        return None
    if high == len(family.ladder):
        return family.ladder[low]
    return _narrowed(family, family.ladder[low], family.ladder[high], beyond)[0]


def _first(ladder: Sequence[float], holds: Callable[[float], bool]) -> tuple[int, int]:
    """The last rung on which something does not hold and the first on which it does; one before and one behind the ladder count as such."""
    low, high = -1, len(ladder)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(ladder[middle]) else (middle, high)
    return low, high


def _narrowed(family: Family, mild: float, strong: float, holds: Callable[[float], bool]) -> tuple[float, float]:
    """Two strengths between which something begins to hold: next to each other if they are whole."""
    left = math.inf if family.whole else _FINER
    while left > 0 and (between := family.halfway(mild, strong)) is not None:
        mild, strong = (mild, between) if holds(between) else (between, strong)
        left -= 1
    return mild, strong
