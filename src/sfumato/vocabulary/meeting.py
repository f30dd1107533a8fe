"""Whether two labels of an attribute may stand for the same value: a label of the file and a label that a person writes.

Labels are compared by their meaning, so that it does not matter who made the file or at which level it is published. Where their
meaning is unknown, the labels may stand for the same value.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import replace

from sfumato.errors import UsageError, argument, unknown
from sfumato.vocabulary.builders import countries, icd10
from sfumato.vocabulary.builders.addresses import Addresses
from sfumato.vocabulary.builders.common import OTHER, Common
from sfumato.vocabulary.builders.countries import Countries
from sfumato.vocabulary.builders.dates import Dates
from sfumato.vocabulary.builders.icd10 import Icd10
from sfumato.vocabulary.builders.intervals import Intervals
from sfumato.vocabulary.builders.listed import Listed
from sfumato.vocabulary.builders.prefix import Prefix
from sfumato.vocabulary.builders.suppression import Suppression
from sfumato.vocabulary.builders.zip3 import Zip3, area, is_zip
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.interval import Interval
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import AT_LEAST, AT_MOST, Range
from sfumato.vocabulary.schema import Attribute

Meets = Callable[[str], bool]
_SHOWN = 40
# Texts of moments sort by time, and "~" sorts after all that may follow: from the first to the last moment of a label.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T].*")
_UNIT = re.compile(r"\d{4}(-\d\d){0,2}")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_DECADE = re.compile(r"(\d{3})0s")


def meeting(attribute: Attribute, wanted: str) -> Meets:
    """A test whether a label may stand for some of the values of the `wanted` one; refuses a `wanted` label without meaning."""
    if wanted == ROOT:
        return lambda label: True
    meets = _listed(attribute, wanted) or _computed(attribute, wanted)
    if meets is None and not isinstance(attribute.builder, Addresses | Dates):
        meets = _ranged(attribute, wanted) or _equal(attribute, wanted)
    if meets is None:
        raise UsageError(_unknown_label(attribute, wanted), where=argument("models"))
    return lambda label: label in (wanted, ROOT) or meets(label)


def _listed(attribute: Attribute, wanted: str) -> Meets | None:
    """By the leaves below both labels; a label that the hierarchy does not list is compared as a range, if both are ranges."""
    if not isinstance(attribute.builder, Listed):
        return None
    below = _leaves(attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, []))
    if attribute.kind is None:  # a file of whole numbers writes 20-29 as [20, 30), and its type is not known here
        written = {label: Interval.parse(label, whole=True) for label in below}
        below = {str(each): below[label] for label, each in written.items() if each} | below
    if wanted not in below:
        return None
    ranged = _ranged(attribute, wanted)

    def meets(label: str) -> bool:
        if label in below:
            return not below[label].isdisjoint(below[wanted])
        return ranged is None or ranged(label)

    return meets


def _leaves(hierarchy: Hierarchy) -> dict[str, set[int]]:
    """The leaves below every label, over all levels that have the label."""
    below: dict[str, set[int]] = {}
    for level, labels in enumerate(hierarchy.labels):
        for leaf, code in enumerate(hierarchy.ancestors(0, level)[: len(hierarchy.labels[0])]):
            below.setdefault(labels[code], set()).add(leaf)
    return below


def _computed(attribute: Attribute, wanted: str) -> Meets | None:
    """By the meaning of the builder's labels: networks, codes with a mask, spans of time."""
    match attribute.builder:
        case Addresses():
            return _compared(_network, wanted, lambda one, other: one.version == other.version and one.overlaps(other))
        case Dates():
            return _compared(_span, wanted, _overlap)
        case Prefix():
            return _masked(wanted)
        case Common() as common:
            return _among_common(common, wanted)
        case Icd10():
            return _above_or_below(icd10.ancestors, wanted)
        case Countries():
            return _above_or_below(countries.ancestors, wanted)
        case Zip3():
            return _above_or_below(lambda label: frozenset({label, area(label) if is_zip(label) else label}), wanted)
    return None


def _among_common(builder: Common, wanted: str) -> Meets:
    """The others may be any value that is not kept at every level."""
    always = frozenset(builder.values[: builder.keep[-1]])
    return lambda label: OTHER in (label, wanted) and not always & {label, wanted}


def _above_or_below(ancestors: Callable[[str], frozenset[str]], wanted: str) -> Meets:
    """Whether one label is above the other."""
    return lambda label: wanted in ancestors(label) or label in ancestors(wanted)


def _masked(wanted: str) -> Meets:
    """Codes with a mask. A local recoding writes ranges of numeric codes; compared with a range, a masked code is a range too."""

    def meets(label: str) -> bool:
        if {wanted[:1], label[:1]} & set("[<>"):
            one, other = _numbers(wanted), _numbers(label)
            return one is None or other is None or _overlap(one, other)
        return len(label) == len(wanted) and all(a == b or "*" in (a, b) for a, b in zip(label, wanted, strict=True))

    return meets


def _numbers(code: str) -> Range | None:
    """The numbers that a code with a mask, or a range, stands for: `101**` from 10100 to 10199."""
    ends = [Range.parse(code.replace("*", digit)) for digit in "09"]
    if code.startswith("-") or not (ends[0] and ends[1]):  # below zero the nines come first
        return None
    return Range(ends[0].lower, ends[1].upper, ends[1].open)


def _ranged(attribute: Attribute, wanted: str) -> Meets | None:
    """Numbers and ranges of numbers, or of dates."""
    whole = attribute.kind is Kind.INTEGER or isinstance(attribute.builder, Intervals)

    def parsed(label: str) -> Range | None:
        if interval := Interval.parse(label, whole=whole):
            return Range(interval.lower, interval.upper, not interval.closed)
        span = Range.parse(label)
        # A day without a time lasts until its end.
        return replace(span, upper=f"{span.upper}~") if span and isinstance(span.upper, str) else span

    return _compared(parsed, wanted, _overlap)


def _overlap(one: Range, other: Range) -> bool:
    if type(one.lower) is not type(other.lower):
        return False
    return _reaches(one, other) and _reaches(other, one)


def _reaches(one: Range, other: Range) -> bool:
    """Whether a range ends no earlier than another one begins."""
    upper, lower = one.upper, other.lower
    return bool(lower < upper or (lower == upper and not one.open))  # type: ignore[operator]


def _equal(attribute: Attribute, wanted: str) -> Meets | None:
    """Values that are published unchanged, or not at all."""
    return (lambda label: False) if isinstance(attribute.builder, Suppression) else None


def _compared(read: Callable[[str], object], wanted: str, overlap: Callable[..., bool]) -> Meets | None:
    own = read(wanted)
    if own is None:
        return None

    def meets(label: str) -> bool:
        other = read(label)
        return other is None or overlap(own, other)

    return meets


def _network(label: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(label, strict=False)
    except ValueError:
        return None


def _span(label: str) -> Range | None:
    """From the first to the last moment of a date, month, quarter, year, decade, or of a range of dates."""
    if label.startswith("[") and ", " in label:
        first, last = (_span(part) for part in label[1:-1].split(", ", 1))
        if first is None or last is None:
            return None
        return Range(first.lower, last.upper) if label.endswith("]") else Range(first.lower, last.lower, open=True)
    if label.startswith((AT_LEAST, AT_MOST)):
        span = Range.parse(label)
        return span and replace(span, upper=f"{span.upper}~")
    if _MOMENT.fullmatch(label):
        return Range(label, label)
    if _UNIT.fullmatch(label):
        return Range(label + "-01-01"[len(label) - 4 :], f"{label}~")
    if match := _QUARTER.fullmatch(label):
        last_month = 3 * int(match[2])
        return Range(f"{match[1]}-{last_month - 2:02}-01", f"{match[1]}-{last_month:02}~")
    if match := _DECADE.fullmatch(label):
        return Range(f"{match[1]}0-01-01", f"{match[1]}~")
    return None


def _unknown_label(attribute: Attribute, wanted: str) -> str:
    if isinstance(attribute.builder, Listed):
        hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
        known = list(dict.fromkeys(label for labels in reversed(hierarchy.labels) for label in labels))
        return unknown("label", wanted, known[:_SHOWN], within=f"the hierarchy of {attribute.name!r}")
    return f"{wanted!r} is not a label of {attribute.name!r}; write one of the schema's hierarchy, as in age=[75, 100]"
