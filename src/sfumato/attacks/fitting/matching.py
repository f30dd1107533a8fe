"""Which published labels may stand for which values: 27 is in `[20, 30)`, 47677 in `476**`, and everything in `*`.

Whoever attacks a release compares what they know of a person with labels that somebody else has written. A label means what the
schema's hierarchy says; where the hierarchy does not list it, it is read as a number, a range or a mask. The missing value is a
value of its own, which only `*` hides. Nothing depends on who made the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf, nextafter

import numpy as np

from sfumato.attacks.fitting.spreading import spread
from sfumato.errors import UsageError
from sfumato.frequency import Counts
from sfumato.statistics import Floats
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.hierarchy import ROOT, Codes, Hierarchy
from sfumato.vocabulary.interval import Interval
from sfumato.vocabulary.labels import Range
from sfumato.vocabulary.meeting import meeting
from sfumato.vocabulary.schema import Attribute

_SIGNS = str.maketrans({"≥": ">=", "≤": "<="})


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """For each value of one column, the missing value last, the labels that may stand for it: labels[offsets[v]:offsets[v + 1]]."""

    offsets: Counts
    labels: Codes

    @classmethod
    def of_pairs(cls, values: Counts, labels: Counts, count: int) -> Matches:
        """From (value, label) pairs in any order, repeats allowed."""
        width = int(labels.max(initial=0)) + 1
        keys = np.unique(values * width + labels)
        offsets = np.searchsorted(keys, np.arange(count + 1) * width).astype(np.int64)
        return cls(offsets, (keys % width).astype(np.int32))

    def counts(self) -> Counts:
        """How many labels each value has."""
        return np.diff(self.offsets)


def exact(values: Sequence[str], labels: Sequence[str]) -> Matches:
    """A label stands for the value that is written like it."""
    place = {label: code for code, label in enumerate(labels)}
    pairs = [(code, place[value]) for code, value in enumerate(values) if value in place]
    pairs.append((len(values), len(labels)))
    found = np.array(pairs, np.int64)
    return Matches.of_pairs(found[:, 0], found[:, 1], len(values) + 1)


def matches(attribute: Attribute, hierarchy: Hierarchy, values: Sequence[str], labels: Sequence[str]) -> Matches:
    """A label stands for a value that it covers. `hierarchy` is that of the original; `values` are what an attacker has written, most of
    them leaves of it."""
    missing = (np.array([len(values)]), np.array([len(labels)]))
    parts = [missing, _everything(values, labels), _by_level(hierarchy, values, labels), _equal(values, labels)]
    leaves = set(hierarchy.labels[0])
    known = set().union(*(hierarchy.at(level) for level in range(hierarchy.floor, hierarchy.height + 1)))
    strange = [code for code, label in enumerate(labels) if label not in known and label != ROOT]
    parts.append(_by_meaning(attribute, list(enumerate(values)), [(code, labels[code]) for code in strange]))
    general = [(code, value) for code, value in enumerate(values) if value not in leaves]
    rest = [(code, label) for code, label in enumerate(labels) if label in known and label != ROOT]
    parts.append(_general(attribute, hierarchy, general, rest))
    own, their = (np.concatenate([part[side] for part in parts]).astype(np.int64) for side in (0, 1))
    return Matches.of_pairs(own, their, len(values) + 1)


def coded(found: Matches, values: Sequence[str], labels: Sequence[str], bound: float, *, above: bool) -> Matches:
    """The same where a column was coded: the bound also stands for every number beyond it."""
    own = [
        code for code, value in enumerate(values) if (span := _span(value)) and (span[0] >= bound if above else span[0] <= bound)
    ]
    their = [code for code, label in enumerate(labels) if (span := _span(label)) and _is_point(span) and span[0] == bound]
    pairs = np.array([(value, label) for value in own for label in their], np.int64).reshape(-1, 2)
    before = np.repeat(np.arange(len(values) + 1), found.counts())
    both = (np.concatenate([before, pairs[:, 0]]), np.concatenate([found.labels.astype(np.int64), pairs[:, 1]]))
    return Matches.of_pairs(*both, len(values) + 1)


Pairs = tuple[Counts, Counts]
_NONE: Pairs = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def _everything(values: Sequence[str], labels: Sequence[str]) -> Pairs:
    """The root stands for every value, the missing one included; so does a person's own `*` for every label."""
    roots = [code for code, label in enumerate(labels) if label == ROOT]
    blank = [code for code, value in enumerate(values) if value == ROOT]
    own = np.concatenate([np.tile(np.arange(len(values) + 1), len(roots)), np.repeat(blank, len(labels) + 1)])
    their = np.concatenate([np.repeat(roots, len(values) + 1), np.tile(np.arange(len(labels) + 1), len(blank))])
    return own.astype(np.int64), their.astype(np.int64)


def _equal(values: Sequence[str], labels: Sequence[str]) -> Pairs:
    same = exact(values, labels)
    return np.repeat(np.arange(len(values) + 1), same.counts()), same.labels.astype(np.int64)


def _by_level(hierarchy: Hierarchy, values: Sequence[str], labels: Sequence[str]) -> Pairs:
    """Leaves and the labels above them, level by level."""
    code_of = {leaf: code for code, leaf in enumerate(hierarchy.labels[0])}
    leaf = np.array([code_of.get(value, -1) for value in values], np.int64)
    inside = np.flatnonzero(leaf >= 0)
    place = {label: code for code, label in enumerate(labels)}
    own, their = [], []
    for level in range(hierarchy.floor, hierarchy.height):
        published = np.array([*(place.get(label, -1) for label in hierarchy.at(level)), -1])
        found = published[hierarchy.ancestors(hierarchy.floor, level)[leaf[inside]]] if len(inside) else np.zeros(0, np.int64)
        own.append(inside[found >= 0])
        their.append(found[found >= 0])
    return (np.concatenate(own), np.concatenate(their)) if own else _NONE


def _general(attribute: Attribute, hierarchy: Hierarchy, values: list[tuple[int, str]], labels: list[tuple[int, str]]) -> Pairs:
    """Labels of an attacker that are no leaves themselves: by the leaves below both, or by their meaning."""
    if not values:
        return _NONE
    below = _leaves(hierarchy)
    pairs = [(v, c) for v, value in values if value in below for c, label in labels if not below[value].isdisjoint(below[label])]
    # A listed hierarchy says which leaves a label has; where values are computed, one that the original lacks may be under it, too.
    strange = [] if isinstance(attribute.builder, Listed) else [each for each in values if each[1] not in below]
    own, their = _by_meaning(attribute, strange, labels)
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return np.concatenate([found[:, 0], own]), np.concatenate([found[:, 1], their])


def _leaves(hierarchy: Hierarchy) -> dict[str, set[int]]:
    """The leaves below every label, over all levels that have it."""
    below: dict[str, set[int]] = {}
    for level in range(hierarchy.floor, hierarchy.height + 1):
        for leaf, code in enumerate(hierarchy.ancestors(hierarchy.floor, level)[: len(hierarchy.labels[0])]):
            below.setdefault(hierarchy.at(level)[code], set()).add(leaf)
    return below


def _by_meaning(attribute: Attribute, values: list[tuple[int, str]], labels: list[tuple[int, str]]) -> Pairs:
    """Labels that no hierarchy lists: ranges of numbers by their ends, the others one by one."""
    if not values or not labels:
        return _NONE
    numbers = [(code, span) for code, label in labels if (span := _span(label))]
    texts = [(code, label) for code, label in labels if not _span(label)]
    own, their = _ranges([(code, span) for code, value in values if (span := _span(value))], numbers)
    pairs = [(v, c) for c, label in texts for v, value in values if _means(attribute, label, value)]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return np.concatenate([own, found[:, 0]]), np.concatenate([their, found[:, 1]])


Span = tuple[float, float, bool]


def _ranges(values: list[tuple[int, Span]], labels: list[tuple[int, Span]]) -> Pairs:
    """Which ranges overlap. Numbers, which most values are, are looked up in their order: of both there may be as many as rows."""
    points = [each for each in values if _is_point(each[1])]
    wide = [each for each in values if not _is_point(each[1])]
    parts = [_numbers_in(points, labels), _overlapping(wide, labels)]
    return np.concatenate([own for own, _ in parts]), np.concatenate([their for _, their in parts])


def _is_point(span: Span) -> bool:
    return span[0] == span[1] and not span[2]


def _numbers_in(values: list[tuple[int, Span]], labels: list[tuple[int, Span]]) -> Pairs:
    """Which numbers each range has."""
    if not values or not labels:
        return _NONE
    codes, numbers = np.array([code for code, _ in values]), np.array([span[0] for _, span in values])
    order = np.argsort(numbers, kind="stable")
    lower, upper, ends = (np.array([span[end] for _, span in labels]) for end in range(3))
    first = np.searchsorted(numbers[order], lower)
    open_, closed = (np.searchsorted(numbers[order], upper, side) for side in ("left", "right"))
    many = np.maximum(np.where(ends, open_, closed) - first, 0)
    return codes[order][spread(first, many)], np.repeat([code for code, _ in labels], many)


def _overlapping(values: list[tuple[int, Span]], labels: list[tuple[int, Span]]) -> Pairs:
    """Which ranges of values and of labels have a number in common, label by label."""
    if not values or not labels:
        return _NONE
    codes = np.array([code for code, _ in values])
    low, high, open_ = (np.array([span[end] for _, span in values]) for end in range(3))
    own, their = [], []
    for code, (lower, upper, ends) in labels:
        reaches = (low < upper) | ((low == upper) & (not ends))
        begins = (lower < high) | ((lower == high) & ~open_.astype(bool))
        inside = codes[reaches & begins]
        own.append(inside)
        their.append(np.full(len(inside), code))
    return np.concatenate(own), np.concatenate(their)


def _span(label: str) -> Span | None:
    """The numbers that a label stands for: both ends, and whether the upper one is left out."""
    text = label.translate(_SIGNS).replace(" ", "") if label[:1] in "≥≤<>" else label
    if text.startswith(">") and not text.startswith(">="):
        above = _span(f">={text[1:]}")
        return above and (nextafter(above[0], inf), inf, True)
    if interval := Interval.parse(text, whole=True) or Interval.parse(text.replace("-", ", ", 1)):
        return float(interval.lower), float(interval.upper), not interval.closed
    span = Range.parse(text)
    if span is None or not isinstance(span.lower, Decimal) or not isinstance(span.upper, Decimal):
        return None
    return float(span.lower), float(span.upper), span.open


def _means(attribute: Attribute, label: str, value: str) -> bool:
    """Whether a label without numbers may stand for a value: a mask, of which some write more stars than there are characters, or what
    the hierarchy's kind of labels means."""
    start = label.rstrip(ROOT)
    if start and start != label:
        return value.startswith(start) and 1 <= len(value) - len(start) <= len(label) - len(start)
    try:
        return meeting(attribute, label)(value)
    except UsageError:  # a label without meaning stands for itself
        return False


def middles(labels: Sequence[str]) -> Floats | None:
    """The middle of each number or range, for distances; None if a label is neither. The root has none: NaN."""
    spans = [_span(label) for label in labels if label != ROOT]
    if not spans or any(span is None for span in spans):
        return None
    ends = [(np.nan, np.nan) if label == ROOT else (_span(label) or (0.0, 0.0, False))[:2] for label in labels]
    found = np.array(ends, np.float64)
    found[np.isinf(found[:, 0]), 0] = found[np.isinf(found[:, 0]), 1]
    found[np.isinf(found[:, 1]), 1] = found[np.isinf(found[:, 1]), 0]
    return np.asarray(found.mean(axis=1))
