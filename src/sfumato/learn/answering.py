"""Answering count queries from counts: exactly from the original, and from a release as its reader would.

A reader knows labels only, and takes the people of a label to be spread evenly: over the numbers of an interval, or over the values below a
label of the hierarchy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataError
from sfumato.frequency import FrequencySet
from sfumato.learn.columns import MOMENTS, end_of, range_of
from sfumato.learn.queries import Condition, Domain, Query
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import Range

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_DAY_LONG = len("2024-03-31")  # a moment has its time
_UNITS = (Kind.INTEGER, Kind.DATE)  # 35 to 39 is [35, 40), and a day is one day long


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What the labels of a column stand for: both ends of those that are ranges (NaN for others), and the values below each, as pairs of
    the place of a label and the place of a value. `values` are the ends of the values themselves, by which ranges are told from points."""

    domain: Domain
    ends: Floats
    label: Places
    leaf: Places
    values: Floats

    @classmethod
    def of(cls, domain: Domain, hierarchy: Hierarchy, labels: Sequence[str | None], where: str) -> Labels:
        """The labels of a column that has this hierarchy; refuses one that is neither a range nor in the hierarchy."""
        values = _ends(domain, domain.values)
        ends = _ends(domain, [label or "" for label in labels])
        if domain.ordered and not np.isnan(values).all():
            whole = np.nanmin(values[:, 0]), np.nanmax(values[:, 1])
            ends[[label == ROOT for label in labels]] = whole
            ends = np.where(np.isinf(ends), np.clip(ends, *whole), ends)
        below = [_below(hierarchy, label) for label in labels]
        for label, leaves, span in zip(labels, below, ends, strict=True):
            if label is not None and not len(leaves) and np.isnan(span[0]):
                raise DataError(f"a label of column {domain.name!r} is not in its hierarchy", where=where)
        places = np.repeat(np.arange(len(labels)), [len(each) for each in below])
        return cls(domain, ends, places, np.concatenate([*below, np.empty(0, np.int64)]).astype(np.int64), values)

    def shares(self, condition: Condition) -> Floats:
        """Which share of the people of each label satisfies a condition; nobody whose value is missing does."""
        if not isinstance(condition, Range):
            return self._below_that_hold(np.array([value in condition for value in self.domain.values], bool))
        first, last = _span(condition, self.domain.kind)
        holds = (first <= self.values[:, 0]) & (self.values[:, 1] <= last)
        low, high = self.ends[:, 0], self.ends[:, 1]
        points = (first <= low) & (high <= last)
        covered = np.minimum(high, last) - np.maximum(low, first)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.where(high > low, np.clip(covered / (high - low), 0.0, 1.0), points)
        return np.where(np.isnan(low), self._below_that_hold(holds), spread)

    def _below_that_hold(self, holds: npt.NDArray[np.bool_]) -> Floats:
        every = np.bincount(self.label, minlength=len(self.ends))
        holding = np.bincount(self.label, weights=holds[self.leaf], minlength=len(self.ends))
        return holding / np.maximum(every, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Somebody with a table of counts, who knows what its labels stand for. Columns that the counts lack are withheld: there `labels` has
    the root alone."""

    name: str
    counts: FrequencySet
    labels: Mapping[str, Labels]

    def answer(self, query: Query) -> float:
        """How many rows satisfy the query, as far as the labels tell."""
        weights = np.ones(self.counts.classes)
        rows = self.counts.rows.astype(np.float64)
        for name, condition in query.conditions.items():
            shares = self.labels[name].shares(condition)
            if name in self.counts.node.attributes:
                weights *= shares[self.counts.codes[:, self.counts.node.attributes.index(name)]]
            elif name in self.counts.payloads:
                payload = self.counts.payloads[name]
                of = np.repeat(np.arange(self.counts.classes), np.diff(payload.offsets))
                held: Floats = shares[payload.values] * payload.rows
                rows = np.bincount(of, weights=held, minlength=self.counts.classes).astype(np.float64)
            else:
                weights *= shares[0]
        return math.fsum((weights * rows).tolist())


def reader_of(name: str, counts: FrequencySet, domains: Sequence[Domain], hierarchies: Mapping[str, Hierarchy]) -> Reader:
    """A reader of counts, who knows the domains and the hierarchies that they were made with."""
    labels = {domain.name: Labels.of(domain, hierarchies[domain.name], _labels(counts, domain.name), name) for domain in domains}
    return Reader(name, counts, labels)


def _labels(counts: FrequencySet, name: str) -> tuple[str | None, ...]:
    """The labels of a column by their codes, None for the missing value."""
    if name in counts.node.attributes:
        hierarchy, level = counts.hierarchy(name), counts.node[name]
        return tuple(hierarchy.label(level, code) for code in range(hierarchy.codes(level)))
    return (*counts.payloads[name].hierarchy.labels[0], None) if name in counts.payloads else (ROOT,)


def _ends(domain: Domain, labels: Sequence[str]) -> Floats:
    """Both ends of every label that is a range of numbers or moments; NaN otherwise."""
    spans = [range_of(domain.kind, label) if domain.ordered else None for label in labels]
    return np.array([(np.nan, np.nan) if each is None else _span(each, domain.kind) for each in spans]).reshape(len(labels), 2)


def _span(span: Range, kind: Kind) -> tuple[float, float]:
    """Both ends of a range as numbers; the upper one is beyond it where values have a unit. The last day of a month is one, too."""
    whole = kind in _UNITS or (kind in MOMENTS and len(str(span.upper)) == _DAY_LONG)
    return end_of(span.lower), end_of(span.upper) + (1.0 if whole and not span.open else 0.0)


def _below(hierarchy: Hierarchy, label: str | None) -> Places:
    """The places of the values below a label: below the lowest one that is called so."""
    for level in range(hierarchy.height + 1):
        if label in hierarchy.at(level):
            codes = hierarchy.ancestors(0, level)[: len(hierarchy.labels[0])]
            return np.flatnonzero(codes == hierarchy.at(level).index(label))
    return np.empty(0, np.int64)
