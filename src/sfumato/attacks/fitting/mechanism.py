"""How an attacker reads a release who knows how its values were changed: the certificate names the method, its parameters and its columns.

A top code stands for itself and more. Noise, swapped and randomized values have likelihoods, the channels of the operation; an aggregated
record has a distance. Where nobody says what was done, the distance is Gower's. What was drawn, and the seed, are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.fitting.distances import Gower, Grouping, differing, is_number
from sfumato.attacks.fitting.matching import Matches, coded, matches
from sfumato.attacks.fitting.weighing import Compare, Score
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet, Mask
from sfumato.operations import Operation, operation_of
from sfumato.operations.channel import Channel, Labels
from sfumato.operations.coding import Coding
from sfumato.operations.copied import NUMERIC
from sfumato.operations.known import Known
from sfumato.operations.microaggregate import Microaggregate
from sfumato.operations.noise import Noise
from sfumato.release.shapes import Method
from sfumato.statistics import Floats
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """An operation and the QIDs that it has changed; `original` is what the attacker knows of the values that they had. Without an
    operation any column may have been changed, and nobody knows how."""

    schema: Schema
    original: FrequencySet
    columns: tuple[str, ...]
    operation: Operation | None = None

    @property
    def likely(self) -> bool:
        """Whether scores are likelihoods; else they are distances, of which the least counts."""
        return self.operation is not None and not isinstance(self.operation, Microaggregate)

    @property
    def moved(self) -> tuple[str, ...]:
        """The columns whose labels may stand for other values than they say."""
        return () if isinstance(self.operation, Coding) else self.columns

    def read(self, name: str, values: Sequence[str], labels: Sequence[str]) -> Matches:
        """Which labels stand for which values in a column that was not moved."""
        found = matches(self.schema[name], self.original.hierarchy(name), values, labels)
        if not isinstance(self.operation, Coding) or name not in self.columns:
            return found
        return coded(found, values, labels, self.operation.limits()[name], above=self.operation.above)

    def scores(self, people: FrequencySet, release: FrequencySet, names: Sequence[str]) -> list[Score]:
        """How the moved ones of some columns are compared."""
        moved = [name for name in self.moved if name in names]
        if not moved:
            return []
        known = Known.of(self.original, moved, {name: self.schema[name].kind or Kind.TEXT for name in moved})
        if self.operation is None or not self.likely:
            return [Score.of(people, release, [name], self._distance(known, name, people, release)) for name in moved]
        channels = self.operation.channels(known, moved)
        numbers = isinstance(self.operation, Noise)
        return [Score.of(people, release, each.attributes, _Likelihood(each, known, numbers)) for each in channels]

    def understood(self, people: FrequencySet, release: FrequencySet) -> float:
        """The least share of people, over all columns, whose value can be compared with some label, by meaning or as a number."""
        shares = []
        for place, name in enumerate(people.node.attributes):
            distance = self._gower(name, people, release)
            covered = self.read(name, people.hierarchies[place].labels[0], release.hierarchy(name).labels[0]).counts() > 0
            known = int(people.rows[covered[people.codes[:, place]]].sum())
            shares.append(1.0 if distance.range is not None else known / max(int(people.rows.sum()), 1))
        return min(shares, default=1.0)

    def _gower(self, name: str, people: FrequencySet, release: FrequencySet) -> Gower:
        labels = (side.hierarchy(name).labels[0] for side in (people, release))
        return Gower.of(self.schema[name], self.original.hierarchy(name), *labels)

    def _distance(self, known: Known, name: str, people: FrequencySet, release: FrequencySet) -> Compare:
        if self.operation is None:
            return self._gower(name, people, release)
        return Grouping.of(known, name) if known.kinds[name] in NUMERIC else differing


def mechanism_of(method: Method | None, schema: Schema, original: FrequencySet) -> Mechanism | None:
    """What a certificate says about QIDs; None if they are as they were, or true labels, or the method is not one of this version."""
    columns = tuple(name for name in method["columns"] if name in original.node.attributes) if method else ()
    if method is None or not columns:
        return None
    try:
        operation = operation_of(f"{method['name']}:{method['parameters']}")
    except UsageError:
        return None
    drawn = type(operation).channels is not Operation.channels
    return Mechanism(schema, original, columns, operation) if drawn or isinstance(operation, Coding | Microaggregate) else None


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """The logarithm of a channel's likelihoods. What an attacker has written that the channel cannot have seen says nothing; a label that
    it cannot have published is nobody's. `numbers`: it takes any number."""

    channel: Channel
    known: Known
    numbers: bool

    def __call__(self, true: Labels, published: Labels) -> Floats:
        own, their = self._possible(true), self._possible(published)
        found = np.full((len(true), len(published)), -np.inf)
        found[~own] = 0.0
        rows, columns = np.flatnonzero(own).tolist(), np.flatnonzero(their).tolist()
        if rows and columns:
            likelihood = self.channel.likelihood([true[row] for row in rows], [published[column] for column in columns])
            with np.errstate(divide="ignore"):
                found[np.ix_(rows, columns)] = np.log(likelihood)
        return found

    def _possible(self, labels: Labels) -> Mask:
        texts = [frozenset(self.known.texts[name]) for name in self.channel.attributes]
        possible = [
            all(text is None or text in own or (self.numbers and is_number(text)) for own, text in zip(texts, each, strict=True))
            for each in labels
        ]
        return np.array(possible, bool)
