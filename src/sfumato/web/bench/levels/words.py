"""Levels in words."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.vocabulary.builders import (
    Addresses,
    Builder,
    Common,
    Countries,
    Cuts,
    Dates,
    Icd10,
    Intervals,
    Listed,
    Prefix,
    Suppression,
    Zip3,
)
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind

_SORTS: dict[type, str] = {
    Intervals: "bands of equal width",
    Cuts: "bands between cut points",
    Listed: "a tree of labels",
    Dates: "units of time",
    Prefix: "the first characters of a code",
    Zip3: "the first three digits of a ZIP code, where enough people live for HIPAA's Safe Harbor",
    Icd10: "diagnoses of ICD-10 by category, block and chapter",
    Countries: "countries by region of the world",
    Addresses: "networks of IP addresses",
    Common: "the most common values, and all others together",
    Suppression: "the value, or nothing",
}


def sort_words(builder: Builder) -> str:
    """What sort of levels a builder gives."""
    return _SORTS[type(builder)]


def level_names(builder: Builder, kind: Kind) -> tuple[str, ...]:
    """What each level is, from the values to the root."""
    between = _between(builder, kind)
    height = builder.height(kind)
    return ("as it is", *(*between, *[""] * height)[: height - 1], "the same for everybody")


def _between(builder: Builder, kind: Kind) -> list[str]:
    match builder:
        case Intervals(widths=widths):
            return [f"bands of {plain(width)}" for width in widths]
        case Cuts(cuts=cuts):
            return [several(len(level), "cut point") for level in cuts]
        case Dates(units=units):
            return [unit for unit in units if kind is Kind.TIMESTAMP or unit != "day"]
        case Prefix(keep=keep):
            return ["the first character" if many == 1 else f"the first {many} characters" for many in keep]
        case Common(keep=keep):
            return [f"the {'' if many == 1 else f'{many} '}most common value{'s' * (many > 1)}, and the others" for many in keep]
        case Countries(levels=levels) | Icd10(levels=levels):
            return list(levels)
        case Addresses(v4=v4, v6=v6):
            return [f"networks /{four} (IPv4), /{six} (IPv6)" for four, six in zip(v4, v6, strict=True)]
        case _:
            return ["three digits"] if isinstance(builder, Zip3) else []
