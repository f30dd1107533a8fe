"""What somebody believes who knows a person's QIDs, a noisy histogram, and how its noise was made: the posterior of Bayes.

A person is any of those counted under the labels of their QIDs. How many of these have each value, nobody knows: what is known is the
published count, or that there is none; so each value is believed as far as its expected count goes. Before, the values are spread over all
combinations of QIDs as in the whole table. Without noise this is the distribution of the class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior, statistics_of
from sfumato.frequency import FrequencySet, packed
from sfumato.operations.expected import expected, expected_below
from sfumato.operations.posterior import NUMBERS, Believed, measured
from sfumato.statistics import Floats
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema

Counts = npt.NDArray[np.int64]
Labels = Sequence[str | None]


@dataclass(frozen=True, eq=False)
class Histogram:
    """The published cells, ascending, and their noisy counts. `levels`: of each QID; `labels`: those of every column that rows are counted
    under, QIDs first; `total`: how many rows were counted; `scale` of the noise; `threshold`: the least count that is published.
    `observed`: only cells that occur were counted."""

    levels: Mapping[str, int]
    labels: Mapping[str, Labels]
    cells: Counts
    counts: Counts
    total: int
    scale: float
    threshold: int
    observed: bool = False

    @cached_property
    def _sensitive(self) -> tuple[str, ...]:
        return tuple(name for name in self.labels if name not in self.levels)

    @property
    def _width(self) -> int:
        """How many combinations of sensitive values there are."""
        return prod(len(self.labels[name]) for name in self._sensitive)

    def measurable(self, original: FrequencySet) -> bool:
        """Whether the beliefs fit into memory."""
        return original.classes * self._width <= NUMBERS

    def believed(self, original: FrequencySet, schema: Schema, name: str) -> Believed:
        """The losses of a sensitive attribute, for the people of the original."""
        classes = original.roll_up(Node(tuple(self.levels), tuple(self.levels.values())))
        statistics = statistics_of(classes, schema[name], Prior.of(original, name))
        place_of = {label: place for place, label in enumerate(self.labels[name])}
        places = [place_of[label] for label in statistics.domain.labels]
        shape = (-1, *(len(self.labels[each]) for each in self._sensitive))
        others = tuple(axis for axis, each in enumerate(self._sensitive, 1) if each != name)
        counts = self._expected(classes, original).reshape(shape).sum(axis=others)[:, places]
        total = counts.sum(axis=1, keepdims=True)
        posterior = np.where(total > 0, counts / np.where(total > 0, total, 1), statistics.prior)
        return measured(posterior, classes.people, statistics)

    def _expected(self, classes: FrequencySet, original: FrequencySet) -> Floats:
        """The expected count of each combination of sensitive values in each class."""
        shares: Floats = np.ones(1)
        for name in self._sensitive:
            shares = np.asarray(np.kron(shares, self._prior(original, name)), np.float64)
        means = shares * self.total / prod(len(self.labels[name]) for name in self.levels)
        occurs = means > 0
        found = np.zeros((classes.classes, len(means)))
        found[:, occurs] = expected_below(self.threshold, means[occurs], self.scale, observed=self.observed)
        numbers, row, column = self._numbers(classes), *np.divmod(self.cells, len(means))
        order = np.argsort(numbers)
        at = np.minimum(np.searchsorted(numbers[order], row), len(order) - 1)
        shown = (numbers[order][at] == row) & occurs[column]
        least = 1 if self.observed else 0
        known = expected(self.counts[shown], means[column[shown]], self.scale, least)
        found[order[at[shown]], column[shown]] = known
        return found

    def _prior(self, original: FrequencySet, name: str) -> Floats:
        """The share of each label of a sensitive attribute in the whole table."""
        prior = Prior.of(original, name)
        share_of = dict(zip(prior.values, prior.shares.tolist(), strict=True))
        return np.array([share_of.get(label, 0.0) for label in self.labels[name]])

    def _numbers(self, classes: FrequencySet) -> Counts:
        """For each class of the original the number of its combination of labels."""
        columns = []
        for place, (name, level) in enumerate(self.levels.items()):
            place_of = {label: number for number, label in enumerate(self.labels[name])}
            own = [place_of.get(label, 0) for label in (*classes.hierarchies[place].at(level), None)]
            columns.append(np.array(own, np.int64)[classes.codes[:, place]])
        return packed(columns, [len(self.labels[name]) for name in self.levels], classes.classes)
