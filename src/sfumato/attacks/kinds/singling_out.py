"""Singling out, with a control set.

Who: somebody who wants to point at one person without a name: the only one with these properties. What they hold: the release.
What they want: a description that fits exactly one person of the original. They take the properties of some row, keep the
descriptions that fit one row of the release, and hope that they fit one person. Rare combinations are rare outside, too: so the
same descriptions are tried on as many people who are not in the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.control import DRAWN, compared, control_of
from sfumato.attacks.fitting.matching import Matches, exact, matches, middles
from sfumato.attacks.view import View
from sfumato.frequency import Counts, FrequencySet, Mask
from sfumato.models.parameter import whole
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes


@dataclass(frozen=True, slots=True)
class SinglingOut(Attack):
    """Draw so many descriptions, each of so many columns of one row: in a column of numbers at least, or at most, what the row has,
    whichever is rarer; in others the same label."""

    name: ClassVar[str] = "singling-out"
    threat: ClassVar[str] = "R"

    columns: int = field(default=3, metadata=whole(at_least=1, example=3))
    descriptions: int = field(default=5 * DRAWN, metadata=whole(at_least=1, example=5 * DRAWN))

    def run(self, view: View) -> Iterable[Attempt]:
        control = control_of(view)
        rng = np.random.default_rng(view.seed)
        size = min(int(view.original.rows.sum()), int(control.rows.sum()))
        kept = _unique(self._drawn(view, rng), view)
        sides = {id(side): _some(side, size, rng) for side in (view.original, control)}
        tries = len(kept) or self.descriptions

        def run(side: FrequencySet) -> tuple[int, float]:
            people = _people(view, sides[id(side)])
            return tries, float(sum(people.fitting(each) == 1 for each in kept))

        found = compared(self, view, None, run)
        return [
            replace(
                found, unit="descriptions that fit one row of the release", figures={**found.figures, "kept": float(len(kept))}
            )
        ]

    def _drawn(self, view: View, rng: np.random.Generator) -> list[_Description]:
        """Descriptions of random rows by random columns; a repeated one counts once."""
        rows = rng.choice(view.release.classes, self.descriptions, p=view.release.rows / view.release.rows.sum())
        width = min(self.columns, len(view.held))
        places = [tuple(sorted(rng.choice(len(view.held), width, replace=False).tolist())) for _ in rows]
        drawn = ((p, tuple(view.release.codes[row, list(p)].tolist())) for row, p in zip(rows.tolist(), places, strict=True))
        return [_Description(*each) for each in dict.fromkeys(drawn)]


@dataclass(frozen=True, slots=True)
class _Description:
    """Some columns, by their places, and the label that a row of the release has in each."""

    places: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One column of people, or of the release itself, as descriptions see it: which values each label covers, by label, and the numbers
    that labels and values are, if they are numbers. The missing value comes last and is no number."""

    codes: Codes
    offsets: Counts
    covered: Counts
    labels: Floats | None
    values: Floats | None
    width: int
    median: float

    @classmethod
    def of(cls, codes: Codes, covers: Matches, labels: Sequence[str], values: Sequence[str], median: float) -> _Column:
        owner = np.repeat(np.arange(len(values) + 1), covers.counts())
        order = np.argsort(covers.labels, kind="stable")
        offsets = np.searchsorted(covers.labels[order], np.arange(len(labels) + 2))
        numbers, own = middles(labels), middles(values)
        if numbers is None or own is None:
            return cls(codes, offsets, owner[order], None, None, len(values) + 1, median)
        return cls(codes, offsets, owner[order], np.append(numbers, np.nan), np.append(own, np.nan), len(values) + 1, median)

    def fitting(self, label: int) -> Mask:
        """Who fits a label: covered by it, or beyond it on the side of the median where there are fewer."""
        inside = np.zeros(self.width, bool)
        inside[self.covered[self.offsets[label] : self.offsets[label + 1]]] = True
        if self.labels is not None and self.values is not None:
            end = self.labels[label]
            inside |= self.values >= end if end > self.median else self.values <= end
        return np.asarray(inside[self.codes])


@dataclass(frozen=True, slots=True, eq=False)
class _Described:
    """People, or the release itself, for descriptions to fit."""

    rows: Counts
    columns: Sequence[_Column]

    def fitting(self, described: _Description) -> int:
        """How many rows or people a description fits."""
        inside = np.ones(len(self.rows), bool)
        for place, label in zip(described.places, described.labels, strict=True):
            inside &= self.columns[place].fitting(label)
        return int(self.rows[inside].sum())


def _people(view: View, people: FrequencySet) -> _Described:
    columns = []
    for place, name in enumerate(view.release.node.attributes):
        own = people.node.attributes.index(name)
        values, labels = people.hierarchies[own].labels[0], view.release.hierarchies[place].labels[0]
        covers = matches(view.schema[name], view.whole.hierarchy(name), values, labels)
        columns.append(_Column.of(people.codes[:, own], covers, labels, values, _median(view, place)))
    return _Described(people.rows, columns)


def _release(view: View) -> _Described:
    """The release itself: a label covers those who have the same one."""
    columns = []
    for place, hierarchy in enumerate(view.release.hierarchies):
        labels = hierarchy.labels[0]
        columns.append(_Column.of(view.release.codes[:, place], exact(labels, labels), labels, labels, _median(view, place)))
    return _Described(view.release.rows, columns)


def _median(view: View, place: int) -> float:
    """The median number of a column of the release; 0 if it has none."""
    numbers = middles(view.release.hierarchies[place].labels[0])
    if numbers is None:
        return 0.0
    own = np.append(numbers, np.nan)[view.release.codes[:, place]]
    known = np.isfinite(own)
    if not known.any():
        return 0.0
    order = np.argsort(own[known], kind="stable")
    sums = np.cumsum(view.release.rows[known][order])
    return float(own[known][order][np.searchsorted(sums, sums[-1] / 2)])


def _unique(descriptions: Iterable[_Description], view: View) -> list[_Description]:
    """The descriptions that fit one row of the release."""
    release = _release(view)
    return [each for each in descriptions if release.fitting(each) == 1]


def _some(people: FrequencySet, size: int, rng: np.random.Generator) -> FrequencySet:
    """So many people of a table: how many a description fits depends on how many there are."""
    total = int(people.rows.sum())
    if total == size:
        return people
    rows = rng.multivariate_hypergeometric(people.rows, size, method="marginals")
    return replace(people, rows=rows, people=rows)
