"""How the classes of a release are numbered: by the labels of the QIDs, in the order of the schema and of its hierarchies.

The publisher knows the hierarchies, a reader of the file only its labels. So the certificate records the order of the labels wherever
it is not the one that the labels suggest by themselves (`in_order`), and everybody numbers alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sfumato.frequency import Counts, FrequencySet, Payload
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.interval import Interval
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import in_order
from sfumato.vocabulary.schema import Attribute

Order = Callable[[str, Sequence[str]], Sequence[str]]


def numbered(counts: FrequencySet, order: Order) -> FrequencySet:
    """The classes of a file, renumbered: `order` gives the labels of a QID in their order."""
    hierarchies, columns = [], []
    for place, name in enumerate(counts.node.attributes):
        labels = counts.hierarchies[place].labels[0]
        hierarchies.append(Hierarchy.flat(tuple(order(name, shown_labels(counts, place)))))
        columns.append(codes_among(labels, hierarchies[-1], 0)[counts.codes[:, place]])
    return counts.relabeled(counts.node, tuple(hierarchies), columns)


def shown_labels(counts: FrequencySet, place: int) -> list[str]:
    """The labels of a QID that occur, in the order of their codes."""
    labels = counts.hierarchies[place].at(counts.node.levels[place])
    return [labels[code] for code in np.unique(counts.codes[:, place]) if code < len(labels)]


def shown_values(payload: Payload) -> list[str]:
    """The sensitive values that occur, in the order of their codes."""
    labels = payload.hierarchy.labels[0]
    return [labels[code] for code in np.unique(payload.values) if code < len(labels)]


def recorded_order(shown: Sequence[str]) -> list[int] | None:
    """The order of the labels of a column, to be recorded without naming them: the place that each has among `in_order`. None if the
    labels suggest their order by themselves."""
    place_of = {label: place for place, label in enumerate(in_order(shown))}
    places = [place_of[label] for label in shown]
    return None if places == sorted(places) else places


def is_order(recorded: Sequence[int] | None, shown: Sequence[str]) -> bool:
    """Whether something recorded is an order of these labels."""
    return recorded is None or sorted(recorded) == list(range(len(shown)))


def as_recorded(recorded: Sequence[int] | None, shown: Iterable[str]) -> Sequence[str]:
    """Labels in a recorded order; in their own where none is recorded."""
    labels = in_order(shown)
    return labels if recorded is None else [labels[place] for place in recorded]


def as_declared(labels: Sequence[str], attribute: Attribute) -> Sequence[str]:
    """The labels of a file without a certificate: by the level of the hierarchy that lists them all, else numbers and intervals by
    size, else as they come."""
    hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
    occurring = set(labels)
    for level in hierarchy.labels:
        if occurring <= set(level):
            return [label for label in level if label in occurring]
    intervals = {label: Interval.parse(label, whole=attribute.kind is Kind.INTEGER) for label in labels}
    if all(intervals.values()):
        return sorted(labels, key=lambda label: (intervals[label].lower, intervals[label].upper))  # type: ignore[union-attr]
    numbers = attribute.kind in (Kind.INTEGER, Kind.DECIMAL) or any(intervals.values())
    return in_order(labels) if numbers else labels


def by_value(payload: Payload, recorded: Sequence[int] | None) -> Counts:
    """The places of the cells of a payload, class by class, values in their recorded order and the missing value last."""
    ordered = as_recorded(recorded, shown_values(payload))
    rank = codes_among(payload.hierarchy.labels[0], Hierarchy.flat(tuple(ordered)), 0)
    classes = np.repeat(np.arange(len(payload.offsets) - 1), np.diff(payload.offsets))
    return np.lexsort((rank[payload.values], classes)).astype(np.int64)


def codes_among(labels: Sequence[str], hierarchy: Hierarchy, level: int) -> Codes:
    """For every label, and the missing value after them, its code at a level of a hierarchy; -1 for what is not there."""
    code_of = {label: code for code, label in enumerate(hierarchy.at(level))}
    missing = len(code_of) if hierarchy.codes(level) > len(code_of) else -1
    return np.array([*(code_of.get(label, -1) for label in labels), missing], np.int32)
