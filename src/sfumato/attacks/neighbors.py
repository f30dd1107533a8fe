"""The rows of a release that are nearest to what is known of a person: for attacks on releases whose values were changed.

In every column the distance is 0 if the label covers the value. Otherwise it is the difference of numbers as a share of the
range of all, and 1 for everything else: Gower's distance (1971), as regulators' tools use it. All rows at the least distance
are equally near.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.matching import Matches, matches, middles
from sfumato.attacks.view import View
from sfumato.frequency import Counts, FrequencySet, Mask
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes

_BLOCK = 4_000_000
_NEAR = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One column of people and of the release: codes, which labels cover which values, and numbers scaled by their common range."""

    people: Codes
    release: Codes
    covers: Matches
    values: Floats | None
    labels: Floats | None

    def distances(self, chosen: Counts) -> Floats:
        """From some people to all classes."""
        codes, distinct = np.unique(self.people[chosen], return_inverse=True)
        far = np.ones((len(codes), int(self.release.max(initial=0)) + 1))
        if self.values is not None and self.labels is not None:
            far = np.abs(self.values[codes][:, None] - self.labels[None, : far.shape[1]])
            far = np.where(np.isfinite(far), far, 1.0)
        for row, code in enumerate(codes):
            covered = self.covers.labels[self.covers.offsets[code] : self.covers.offsets[code + 1]]
            far[row, covered[covered < far.shape[1]]] = 0.0
        return np.asarray(far[:, self.release][distinct])


def nearest(view: View, people: FrequencySet, cells: Counts, names: Sequence[str]) -> Iterator[tuple[Counts, Mask]]:
    """For some cells of people, some at a time, which classes of the release are nearest by some columns."""
    columns = [_column(view, people, name) for name in names]
    step = max(_BLOCK // max(view.release.classes, 1), 1)
    for start in range(0, len(cells), step):
        chosen = cells[start : start + step]
        far = np.zeros((len(chosen), view.release.classes))
        for column in columns:
            far += column.distances(chosen)
        yield np.arange(start, start + len(chosen)), np.asarray(far <= far.min(axis=1, keepdims=True) + _NEAR)


def _column(view: View, people: FrequencySet, name: str) -> _Column:
    own, their = people.node.attributes.index(name), view.release.node.attributes.index(name)
    values, labels = people.hierarchies[own].labels[0], view.release.hierarchies[their].labels[0]
    covers = matches(view.schema[name], view.whole.hierarchy(name), values, labels)
    mine, theirs = _scaled(values, labels)
    return _Column(people.codes[:, own], view.release.codes[:, their], covers, mine, theirs)


def _scaled(values: Sequence[str], labels: Sequence[str]) -> tuple[Floats | None, Floats | None]:
    """Numbers as shares of their common range; the missing value, after them, has none."""
    mine, theirs = middles(values), middles(labels)
    if mine is None or theirs is None:
        return None, None
    both = np.concatenate([mine, theirs])
    low, high = np.nanmin(both), np.nanmax(both)
    width = (high - low) or 1.0
    return np.append((mine - low) / width, np.nan), np.append((theirs - low) / width, np.nan)
