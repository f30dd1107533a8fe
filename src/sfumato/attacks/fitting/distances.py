"""How far published values are from true ones, where no likelihood is known: scores are distances with their sign turned.

An aggregated record is compared as its people were grouped: numbers by the square of their difference in standard deviations, everything
else 1 where it differs. What was done by nobody knows whom is compared by Gower's distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.fitting.matching import matches, middles
from sfumato.frequency import Counts
from sfumato.operations.channel import Labels
from sfumato.operations.known import Known
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The distance that microaggregation groups by. A missing number is the mean, and differs from others by 1 more."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, known: Known, name: str) -> Grouping:
        """That of a column of numbers."""
        counted = known.counted(name)
        numbers, rows = np.array([float(text) for text in known.texts[name]]), counted.counts[:-1]
        mean = float(rows @ numbers) / max(int(rows.sum()), 1)
        return cls(mean, float(np.sqrt(known.covariance([name])[0, 0])) or 1.0)

    def __call__(self, true: Labels, published: Labels) -> Floats:
        own, their = self._scaled(true), self._scaled(published)
        lacking = np.isnan(own)[:, None] != np.isnan(their)[None, :]
        away = np.nan_to_num(own)[:, None] - np.nan_to_num(their)[None, :]
        return np.asarray(-(away**2) - lacking, np.float64)

    def _scaled(self, labels: Labels) -> Floats:
        return (np.array([_number(text) for (text,) in labels], np.float64) - self.mean) / self.deviation


def differing(true: Labels, published: Labels) -> Floats:
    """Categories: 1 where they differ."""
    number_of = {each: number for number, each in enumerate(dict.fromkeys((*true, *published)))}
    own, their = (np.array([number_of[each] for each in labels], np.int64) for labels in (true, published))
    return np.where(own[:, None] != their[None, :], -1.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Gower:
    """Gower's distance (1971) in one column, as regulators' tools use it: 0 if the label covers the value; else the difference of numbers
    as a share of the `range` of all, and 1 for everything else."""

    attribute: Attribute
    hierarchy: Hierarchy
    range: float | None

    @classmethod
    def of(cls, attribute: Attribute, hierarchy: Hierarchy, *sides: Sequence[str]) -> Gower:
        """That of a column with these values and labels."""
        numbers = [middles(side) for side in sides]
        found = [each for each in numbers if each is not None and np.isfinite(each).any()]
        if len(found) < len(sides):
            return cls(attribute, hierarchy, None)
        both = np.concatenate(found)
        return cls(attribute, hierarchy, float(np.nanmax(both) - np.nanmin(both)) or 1.0)

    def __call__(self, true: Labels, published: Labels) -> Floats:
        own, their = _present(true), _present(published)
        far = np.ones((len(true), len(published)))
        if self.range is not None:
            away = np.abs(_middles(true)[:, None] - _middles(published)[None, :]) / self.range
            far = np.where(np.isfinite(away), away, far)
        covers = matches(self.attribute, self.hierarchy, list(own), list(their))
        values = np.repeat(np.arange(len(own) + 1), covers.counts())
        rows, columns = _places(true, own)[values], _places(published, their)[covers.labels]
        there = (rows >= 0) & (columns >= 0)
        far[rows[there], columns[there]] = 0.0
        return -far


def _present(labels: Labels) -> tuple[str, ...]:
    return tuple(text for (text,) in labels if text is not None)


def _places(labels: Labels, present: Sequence[str]) -> Counts:
    """The place among all labels of each that is present and, after them, of the missing one; -1 if it is not there."""
    place = {text: number for number, (text,) in enumerate(labels)}
    return np.array([*(place[text] for text in present), place.get(None, -1)], np.int64)


def _middles(labels: Labels) -> Floats:
    """The number that each label stands for, or the middle of its range; NaN for the missing one."""
    found = np.full(len(labels), np.nan)
    known = middles(_present(labels))
    if known is not None:
        found[[number for number, (text,) in enumerate(labels) if text is not None]] = known
    return found


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return not np.isnan(_number(text))


def _number(text: str | None) -> float:
    try:
        return np.nan if text is None else float(text)
    except ValueError:
        return np.nan
