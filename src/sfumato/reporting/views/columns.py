"""Every published column, before and now. A label is named if it is that of a large class; a value if enough people have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.frequency import Counts, FrequencySet, added
from sfumato.naming import FEW
from sfumato.release.reading import Reading
from sfumato.reporting.bins import binned
from sfumato.reporting.hiding import MISSING
from sfumato.reporting.overview import Column, Span
from sfumato.reporting.views.axes import blocks_of
from sfumato.reporting.words import LOCAL, UNCHANGED, UNKNOWN, level_words
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema

MOST_NAMED = 4
MOST_VALUES = 24


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A file, the declared schema, the level of each QID if it is known; the original, counted at level 0, if there is one; and the
    columns that are neither QIDs nor sensitive, in the file and in the original, as far as they could be counted."""

    reading: Reading
    schema: Schema
    levels: Mapping[str, int | None]
    few: int
    leaves: FrequencySet | None = None
    plain: Mapping[str, Prior] = field(default_factory=dict)
    plain_before: Mapping[str, Prior] = field(default_factory=dict)

    def kind(self, attribute: Attribute) -> Kind | None:
        """The declared type, or the certified one, or that of the original."""
        if attribute.kind is not None:
            return attribute.kind
        certificate = self.reading.certificate
        if certificate is not None and attribute.name in certificate.types:
            return Kind(certificate.types[attribute.name])
        return self.reading.schema[attribute.name].kind


def columns_of(compared: Compared) -> tuple[Column, ...]:
    """The columns of the file: QIDs first, then sensitive ones, then those that are published as they are."""
    return tuple(_columns(compared))


def _columns(compared: Compared) -> Iterator[Column]:
    reading = compared.reading
    for name in reading.counts.node.attributes:
        yield _quasi(compared, name)
    for name in reading.counts.payloads:
        if reading.schema[name].role is Role.SENSITIVE:
            before = None if compared.leaves is None else Prior.of(compared.leaves, name)
            yield _values(compared, name, Prior.of(reading.counts, name), before)
    for name in reading.schema.names(Role.PLAIN):
        if name in compared.plain:
            yield _values(compared, name, compared.plain[name], compared.plain_before.get(name))
        else:
            yield Column(name, Role.PLAIN.value, UNCHANGED, 0)


def _quasi(compared: Compared, name: str) -> Column:
    """A QID: where its level is 0 like any column of values, else its labels over the values that they cover."""
    counts, attribute, level = compared.reading.counts, compared.schema[name], compared.levels.get(name)
    place = counts.node.attributes.index(name)
    codes = counts.codes[:, place]
    shown, occurring = np.unique(codes[counts.people >= compared.few]), np.unique(codes)
    labels = [counts.hierarchies[place].label(counts.node.levels[place], int(code)) for code in shown]
    if level == 0:
        before = None if compared.leaves is None else _marginal(compared.leaves, name)
        return _values(compared, name, _marginal(counts, name), before, frozenset(labels))
    people = _by_leaf(counts, name)
    hierarchy = None if compared.leaves is None else compared.leaves.hierarchy(name)
    every = [counts.hierarchies[place].label(counts.node.levels[place], int(code)) for code in occurring]
    words = _words(compared, attribute, level, every)
    after, before_spans, values = blocks_of(
        labels,
        people[shown],
        compared.kind(attribute),
        None if hierarchy is None or compared.leaves is None else (hierarchy, level, _by_leaf(compared.leaves, name)),
    )
    return Column(name, Role.QUASI.value, words, len(occurring), _most(labels, people[shown]), after, before_spans, values)


def _words(compared: Compared, attribute: Attribute, level: int | None, labels: Sequence[str | None]) -> str:
    if level is not None:
        return level_words(attribute.name, level, attribute.height(), labels)
    certificate = compared.reading.certificate
    return LOCAL if certificate is not None and not certificate.node else UNKNOWN


def _values(
    compared: Compared, name: str, after: Prior, before: Prior | None, allowed: frozenset[str | None] | None = None
) -> Column:
    """A column whose values are published as they are. Many numbers are shown in bins; a value that few people have, or that is not
    `allowed`, is not named."""
    attribute = compared.schema[name]
    everybody = before or after
    known = dict(zip(after.values, after.people.tolist(), strict=True))
    values = tuple(dict.fromkeys((*everybody.values, *after.values)))
    now = np.array([known.get(value, 0) for value in values], np.int64)
    whole = dict(zip(everybody.values, everybody.people.tolist(), strict=True))
    then = np.array([whole.get(value, 0) for value in values], np.int64)
    bins = binned(values, then.tolist(), compared.kind(attribute))
    words = UNCHANGED
    if bins is not None:
        groups = np.array(bins.places) % (len(bins.names) + 1)  # the missing value after the last bin
        now, then = (added(people, groups, len(bins.names) + 1) for people in (now, then))
        labels: Sequence[str | None] = (*bins.names, None)
        words = f"{UNCHANGED}; shown here {bins.words}"
    else:
        labels = values
    named_by = [allowed is None or bins is not None or label in allowed for label in labels]
    few = compared.few if attribute.role is Role.QUASI else FEW
    common = np.flatnonzero((np.maximum(now, then) >= few) & np.array(named_by))
    kept = common if len(common) <= MOST_VALUES else np.sort(common[np.argsort(-then[common], kind="stable")[:MOST_VALUES]])
    rest = int(then.sum() - then[kept].sum()) >= FEW
    spans = _side_by_side(now, kept, rest), () if before is None else _side_by_side(then, kept, rest)
    named = _most([labels[int(place)] for place in common], now[common])
    return Column(
        name, attribute.role.value, words, int((now > 0).sum()), named, *spans, None if before is None else len(before.values)
    )


def _side_by_side(people: Counts, kept: npt.NDArray[np.intp], rest: bool) -> tuple[Span, ...]:
    """One part of the axis per value; with `rest`, all others share the last part."""
    heights = [*people[kept].tolist(), *([int(people.sum() - people[kept].sum())] if rest else [])]
    ends = [round(place / max(len(heights), 1), 4) for place in range(len(heights) + 1)]
    return tuple(Span(start, end, many) for start, end, many in zip(ends, ends[1:], heights, strict=False))


def _most(labels: Sequence[str | None], people: Counts) -> tuple[tuple[str, int], ...]:
    """The most frequent labels; all in their order if there are few."""
    most = np.argsort(-people, kind="stable")[:MOST_NAMED]
    return tuple((MISSING if (label := labels[place]) is None else label, int(people[place])) for place in np.sort(most))


def _marginal(counts: FrequencySet, name: str) -> Prior:
    """The people, or where they have several rows the rows, of each value of a QID."""
    place = counts.node.attributes.index(name)
    people = _by_leaf(counts, name)
    present = np.flatnonzero(people)
    level = counts.node.levels[place]
    return Prior(name, tuple(counts.hierarchies[place].label(level, int(code)) for code in present), people[present])


def _by_leaf(counts: FrequencySet, name: str) -> Counts:
    place = counts.node.attributes.index(name)
    return added(counts.rows, counts.codes[:, place], counts.hierarchies[place].codes(counts.node.levels[place]))
