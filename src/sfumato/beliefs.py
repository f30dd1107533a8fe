"""What an adversary believes before seeing a release: the prior over a sensitive attribute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import Counts, FrequencySet, Payload
from sfumato.statements import Statement, fit_priors
from sfumato.statistics import ClassStatistics, Domain, Floats, Held
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Kind, natural_order
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """People per value of a sensitive attribute over the whole table, in the order of its hierarchy; None is the missing value."""

    attribute: str
    values: tuple[str | None, ...]
    people: Counts

    @classmethod
    def of(cls, counts: FrequencySet, attribute: str | None = None) -> Prior:
        """The distribution of the whole table over the values that occur. The attribute may be omitted if there is only one."""
        if attribute is None:
            if len(counts.payloads) != 1:
                raise UsageError(
                    f"name the sensitive attribute; there are {', '.join(counts.payloads) or 'none'}", where=argument("prior")
                )
            attribute = next(iter(counts.payloads))
        payload = counts.payloads[attribute]
        people = payload.distribution()
        present = np.flatnonzero(people)
        counted = people[present]
        counted.setflags(write=False)
        return cls(attribute, tuple(payload.hierarchy.label(0, int(code)) for code in present), counted)

    @staticmethod
    def stated(when: Mapping[str, str], shares: Mapping[str, float]) -> Statement:
        """A stated belief: for people with these QID labels, the shares of some sensitive values."""
        return Statement(when, shares)

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The probabilities; they add up to one."""
        return np.asarray(self.people / self.people.sum(), np.float64)


def statistics_of(
    counts: FrequencySet, attribute: Attribute, prior: Prior, statements: Sequence[Statement] = ()
) -> ClassStatistics:
    """The class statistics of a sensitive attribute against a prior, over every value that occurs in either of them.

    With statements, each class has its own prior: the one nearest to the global prior that agrees with all statements.
    """
    payload = counts.payloads[attribute.name]
    labels = _all_labels(payload, attribute, prior)
    place_of = {label: place for place, label in enumerate(labels)}
    own = (*payload.hierarchy.labels[0], None)
    places = np.array([place_of.get(label, -1) for label in own], np.int32)
    people = np.zeros(len(labels), np.int64)
    people[[place_of[label] for label in prior.values]] = prior.people
    unordered = attribute.kind in (None, Kind.TEXT, Kind.BOOLEAN) and isinstance(attribute.builder, Suppression)
    tree, numbers = _tree(payload.hierarchy, labels), _numbers(attribute, labels)
    steps = _steps(payload.hierarchy.labels[0], attribute, labels)
    domain = Domain(attribute.name, labels, tree, numbers, ordered=not unordered, steps=steps)
    shares = np.atleast_2d(people / people.sum())
    if statements:
        shares = fit_priors(counts, labels, shares[0], statements)
    return ClassStatistics(counts.people, Held(payload.offsets, places[payload.values], payload.people), shares, domain)


def _all_labels(payload: Payload, attribute: Attribute, prior: Prior) -> tuple[str | None, ...]:
    """The values of the release and of the prior in the order of the attribute, the missing value last."""
    own = (*payload.hierarchy.labels[0], None)
    released = {own[code] for code in np.flatnonzero(np.bincount(payload.values, minlength=len(own)))}
    if released <= set(prior.values):
        return prior.values
    return in_attribute_order(payload.hierarchy, attribute, released | set(prior.values))


def in_attribute_order(hierarchy: Hierarchy, attribute: Attribute, values: Iterable[str | None]) -> tuple[str | None, ...]:
    """Values in the order of an attribute, the missing value last: as its hierarchy lists them if it does, else as its type has it."""
    occurring = set(values)
    named = {label for label in occurring if label is not None}
    if named <= set(hierarchy.labels[0]):
        ordered: Sequence[str] = [label for label in hierarchy.labels[0] if label in named]
    else:
        ordered = natural_order(attribute.kind or Kind.TEXT, named)
    return (*ordered, None) if None in occurring else tuple(ordered)


def _steps(leaves: Sequence[str], attribute: Attribute, labels: Sequence[str | None]) -> Floats | None:
    """How far the labels are apart in the order of all leaves, the missing value after them; None where they have no other places.

    Where the leaves are those of the file only, the declared ones count, if there are any. A value of which only the place among the
    others is known takes the next free place.
    """
    named = [label for label in labels if label is not None]
    place_of = {leaf: place for place, leaf in enumerate(leaves)}
    if any(label not in place_of for label in named):
        declared = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
        place_of = {leaf: place for place, leaf in enumerate(declared.labels[0])}
    last = len(place_of) - 1 if None not in labels else len(place_of)
    if last < len(labels):
        return None
    places: list[int] = []
    for label in labels:
        free = places[-1] + 1 if places else 0
        places.append(last if label is None else place_of.get(label, free))
    steps = np.diff(places)
    return np.asarray(steps / last, np.float64) if (steps > 0).all() else None


def _tree(hierarchy: Hierarchy, labels: Sequence[str | None]) -> tuple[Codes, ...]:
    """The ancestors of each value, level by level. A value that a certificate does not name is on a branch of its own."""
    if hierarchy.height < 2:
        return (np.zeros(len(labels), np.int32),)
    code_of: dict[str | None, int] = {label: code for code, label in enumerate((*hierarchy.labels[0], None))}
    codes = np.array([code_of.get(label, -1) for label in labels], np.int32)
    levels = []
    for level in range(1, hierarchy.height + 1):
        alone = 0 if level == hierarchy.height else hierarchy.codes(level) + np.arange(len(labels))
        levels.append(np.where(codes >= 0, hierarchy.ancestors(0, level)[codes], alone).astype(np.int32))
    return tuple(levels)


def _numbers(attribute: Attribute, labels: Sequence[str | None]) -> Floats | None:
    if attribute.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return None
    return np.array([_number(label) for label in labels])


def _number(label: str | None) -> float:
    """A label as a number; NaN for a missing value and for a value of which only the place is known."""
    try:
        return float(label or "nan")
    except ValueError:
        return float("nan")
