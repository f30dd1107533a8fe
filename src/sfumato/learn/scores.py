"""How well a model did: confusion matrices of every repeat, and what follows from them.

Everything is a function of whole numbers, so results that were kept on disk equal those just computed, to the last digit.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.learn.plan import TEST

Matrix = tuple[tuple[int, ...], ...]
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate over repeats with the ends of its confidence interval; no ends if there was one repeat."""

    value: float
    low: float | None = None
    high: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"value": self.value, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        ends = "" if self.low is None or self.high is None else f" ({self.low:.2%} to {self.high:.2%})"
        return f"{self.value:.2%}{ends}"


@dataclass(frozen=True, slots=True)
class Score:
    """What a model said of the test rows of every repeat.

    `confusions`: rows are what is true, columns what the model says, in the order of the target's values. `majority`: on how many test
    rows somebody is right who always says what is most frequent among the training rows. `positive` is the place of the value whose
    precision and recall count; None: the mean over all values.
    """

    confusions: tuple[Matrix, ...]
    majority: tuple[int, ...]
    positive: int | None = None

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The share of right answers in every repeat."""
        return tuple(_right(each) / _size(each) for each in self.confusions)

    @property
    def accuracy(self) -> float:
        """The mean over repeats."""
        return statistics.fmean(self.accuracies)

    @property
    def baseline(self) -> float:
        """The accuracy of always saying the majority."""
        return statistics.fmean(hits / _size(each) for hits, each in zip(self.majority, self.confusions, strict=True))

    @property
    def confusion(self) -> Matrix:
        """All repeats together."""
        size = range(len(self.confusions[0]))
        return tuple(tuple(sum(each[true][said] for each in self.confusions) for said in size) for true in size)

    @property
    def precision(self) -> float | None:
        """Of those that the model says are positive, the share that is; None if it never says so."""
        return self._mean([_share(row[place], sum(column)) for place, row, column in self._lines()])

    @property
    def recall(self) -> float | None:
        """Of those that are positive, the share that the model finds."""
        return self._mean([_share(row[place], sum(row)) for place, row, _ in self._lines()])

    def _lines(self) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
        """For every value that counts: its place, its row and its column."""
        whole = self.confusion
        places = range(len(whole)) if self.positive is None else [self.positive]
        return [(place, whole[place], tuple(row[place] for row in whole)) for place in places]

    def _mean(self, shares: Sequence[float | None]) -> float | None:
        return shares[0] if self.positive is not None else statistics.fmean(share or 0.0 for share in shares)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "accuracy": self.accuracy,
            "baseline": self.baseline,
            "precision": self.precision,
            "recall": self.recall,
            "confusion": [list(row) for row in self.confusion],
            "accuracies": list(self.accuracies),
        }


def loss_between(best: Score, other: Score) -> Interval:
    """L_Ux = (A_max - A_x) / A_max, with a confidence interval over the repeats, whose splits both share.

    Test rows of one repeat are training rows of another, so repeats are not independent. The variance is corrected for it as Nadeau and
    Bengio (2003) do: by 1/n + test/training in the place of 1/n.
    """
    value = (best.accuracy - other.accuracy) / best.accuracy
    losses = [(most - here) / most for most, here in zip(best.accuracies, other.accuracies, strict=True)]
    if len(losses) < 2:
        return Interval(value)
    from scipy.stats import t

    spread = statistics.stdev(losses) * math.sqrt(1 / len(losses) + 1 / (TEST - 1))
    half = float(t.ppf((1 + LEVEL) / 2, len(losses) - 1)) * spread
    return Interval(value, value - half, value + half)


def _right(confusion: Matrix) -> int:
    return sum(row[place] for place, row in enumerate(confusion))


def _size(confusion: Matrix) -> int:
    return sum(map(sum, confusion))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
