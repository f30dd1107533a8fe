"""The rows of a release that are nearest to what is known of a person, by Gower's distance: for attacks that compare with people outside
the release, whatever was done to its values. All rows at the least distance are equally near."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sfumato.attacks.fitting.distances import Gower
from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.weighing import Score, everywhere, nearest_only, weigh
from sfumato.attacks.view import View
from sfumato.frequency import Counts, FrequencySet

_BLOCK = 20_000_000  # pairs that are held at most, where everything is equally near


def nearest(view: View, people: FrequencySet, cells: Counts, names: Sequence[str]) -> Iterator[tuple[Counts, Links]]:
    """For some cells of people, some at a time, which classes of the release are nearest by some columns."""
    scores, count = [_score(view, people, name) for name in names], view.release.classes
    step = max(_BLOCK // count, 1)
    for start in range(0, len(cells), step):
        some = cells[start : start + step]
        chosen = [replace(score, of_cell=score.of_cell[some]) for score in scores]
        links = weigh(everywhere(count), np.zeros(len(some), np.int64), chosen, 0.0, count)
        yield np.arange(start, start + len(some)), nearest_only(links)


def _score(view: View, people: FrequencySet, name: str) -> Score:
    labels = (side.hierarchy(name).labels[0] for side in (people, view.release))
    return Score.of(people, view.release, [name], Gower.of(view.schema[name], view.whole.hierarchy(name), *labels))
