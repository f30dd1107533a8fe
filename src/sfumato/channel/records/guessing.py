"""What the best guesser gains from a release: how often a sensitive value is guessed before and after seeing it, from class statistics.

Somebody looks for a person whose QIDs they know. Before, the best guess is the most frequent value of the prior; after, that of the
person's class. As a channel: the input is the person's value, the output the class (`class_channel`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.needs import scipy_part
from sfumato.errors import UsageError, argument
from sfumato.frequency import Counts, FrequencySet
from sfumato.results import Printed, Rows
from sfumato.statistics import ClassStatistics, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Guessing(Printed):
    """The best guesses of one sensitive attribute, class by class: `before` and `after` are the probabilities that they are right, `people`
    the people of each class."""

    sensitive: str
    people: Counts
    before: Floats
    after: Floats

    @property
    def prior_vulnerability(self) -> float:
        """How often somebody who has not seen the release guesses a person's value."""
        return self._mean(self.before)

    @property
    def posterior_vulnerability(self) -> float:
        """How often somebody who has seen it does."""
        return self._mean(self.after)

    @property
    def map_error(self) -> float:
        """How often the best guess is wrong."""
        return 1 - self.posterior_vulnerability

    @property
    def gain(self) -> float:
        """What seeing the release adds to the probability of a right guess."""
        return self.posterior_vulnerability - self.prior_vulnerability

    @property
    def leakage(self) -> float:
        """The same as a factor, in bits (min-entropy leakage)."""
        return log2(self.posterior_vulnerability / self.prior_vulnerability)

    @property
    def worst(self) -> int:
        """The number of the class in which the best guess is most often right."""
        return int(self.after.argmax()) + 1

    def _mean(self, values: Floats) -> float:
        return float((values * self.people).sum() / self.people.sum())

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = ("prior_vulnerability", "posterior_vulnerability", "map_error", "gain", "leakage", "worst")
        return {"attribute": self.sensitive, **{name: getattr(self, name) for name in names}}

    def per_class(self) -> Rows:
        """One row per class."""
        columns = (range(1, len(self.people) + 1), self.people.tolist(), self.before.tolist(), self.after.tolist())
        errors, gains = (1 - self.after).tolist(), (self.after - self.before).tolist()
        return Rows(("class", "people", "before", "after", "MAP error", "gain"), tuple(zip(*columns, errors, gains, strict=True)))

    def table(self) -> Rows:
        """One row."""
        row = (self.sensitive, self.prior_vulnerability, self.posterior_vulnerability, self.map_error, self.gain, self.worst)
        return Rows(("sensitive", "before", "after", "MAP error", "gain", "worst class"), (row,))


def guessing(statistics: ClassStatistics) -> Guessing:
    """What the best guesser gains from the classes of a release.

    Parameters
    ----------
    statistics : ClassStatistics
        The classes with the counts of one sensitive attribute, and the prior.

    Returns
    -------
    Guessing
        How often the best guess is right before and after, class by class and over all people.
    """
    if not statistics.classes:
        raise UsageError("a release without people has nobody to guess about", where="release")
    before = np.broadcast_to(statistics.prior.max(axis=1), (statistics.classes,))
    return Guessing(statistics.domain.attribute, statistics.sizes, before, 1 - map_errors(statistics))


def map_errors(statistics: ClassStatistics) -> Floats:
    """How often the best guess in each class is wrong: 1 less the share of its most frequent value."""
    return np.asarray(1 - statistics.column("top") / statistics.column("mass"), np.float64)


def class_channel(counts: FrequencySet, sensitive: str | None = None) -> tuple[ChannelMatrix, Floats]:
    """The channel from the sensitive value of a person to the person's class, and the prior over the values.

    Parameters
    ----------
    counts : FrequencySet
        The classes of a release.
    sensitive : str, optional
        The attribute; the only one by default.

    Returns
    -------
    tuple of ChannelMatrix and array
        P(class | value), and how the values are distributed in the release. The MAP error of this channel is that of `guessing`.
    """
    if sensitive is None and len(counts.payloads) != 1:
        raise UsageError(
            f"name one sensitive attribute; there are {', '.join(counts.payloads) or 'none'}", where=argument("sensitive")
        )
    payload = counts.payloads[sensitive or next(iter(counts.payloads))]
    values, row = np.unique(payload.values, return_inverse=True)
    total = np.bincount(row, payload.people)
    column = np.repeat(np.arange(counts.classes), np.diff(payload.offsets))
    matrix = scipy_part("sparse").coo_array((payload.people / total[row], (row, column)), shape=(len(values), counts.classes))
    names = [label or "(missing)" for label in (payload.hierarchy.label(0, int(code)) for code in values)]
    return ChannelMatrix.of(matrix, names), np.asarray(total / total.sum(), np.float64)
