"""What a form says about a pattern, and what the pattern builder needs to know of a sheet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite

from sfumato.errors import UsageError
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import Rate

_PERCENT, _DIGITS = 100, 12


@dataclass(frozen=True, slots=True)
class Builder:
    """The pattern builder of a sheet: the attributes with their levels in words, as JSON for the script, and the fields as they stand."""

    attributes: str
    pattern: str
    shares: str
    budget: str
    example: str
    variable: bool


def builder_of(sheet: Sheet, pattern: UtilityPattern | None = None, budget: float | None = None) -> Builder:
    """The builder, with a pattern to begin with."""
    known = [{"name": each.name, "levels": list(each.levels)} for each in sheet.attributes]
    names = list(sheet.heights)
    example = UtilityPattern(tuple((name,) for name in names[:2]))
    return Builder(
        attributes=json.dumps(known, ensure_ascii=False),
        pattern="" if pattern is None else str(pattern),
        shares="" if pattern is None else ", ".join(f"{_PERCENT * share:.{_DIGITS}g}" for share in pattern.shares),
        budget="" if budget is None else f"{budget:.{_DIGITS}g}",
        example=str(example),
        variable=sheet.rate == Rate.VARIABLE,
    )


def pattern_from(text: str, shares: str) -> UtilityPattern:
    """The pattern that a form says: the attributes as they are written, and the largest share of each layer in percent."""
    if not text.strip():
        raise UsageError("put one column at least into a layer, as in age,sex > education", where="what you ask for")
    parts = [part for part in shares.replace("%", " ").replace(",", " ").split() if part]
    return UtilityPattern.parse(text, [_number("how far", part) / _PERCENT for part in parts])


def budget_from(text: str) -> float | None:
    """What a form says that a release may cost."""
    return _number("what you would spend", text) if text.strip() else None


def _number(where: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not isfinite(number) or number < 0:
        raise UsageError("a number from 0 up, such as 50", where=where)
    return number
