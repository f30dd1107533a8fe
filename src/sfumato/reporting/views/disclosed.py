"""What classes reveal about a sensitive attribute, counted in people; and how many people look alike."""

from __future__ import annotations

import numpy as np

from sfumato.frequency import Counts, FrequencySet
from sfumato.reporting.bins import binned
from sfumato.reporting.overview import Disclosed, Sizes
from sfumato.vocabulary.schema import Attribute

NEARLY = 0.9
_LEAST = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)


def disclosed_in(counts: FrequencySet, attribute: Attribute) -> Disclosed:
    """The classes in which all, or nearly all, have the same value of an attribute."""
    payload = counts.payloads[attribute.name]
    class_of = np.repeat(np.arange(counts.classes), np.diff(payload.offsets))
    labels = [payload.hierarchy.label(0, code) for code in range(payload.hierarchy.codes(0))]
    present = np.unique(payload.values)
    bins = binned([labels[code] for code in present], payload.distribution()[present].tolist(), attribute.kind)
    values, people = payload.values.astype(np.int64), payload.people
    if bins is not None:
        values = np.array(bins.places, np.int64)[np.searchsorted(present, values)]
        if payload.incidence is not None:  # people of several values may be in one band several times: their rows are counted
            people = payload.rows
    top, total = _top(class_of, values, people, counts.classes)
    share = top / np.maximum(total, 1)
    certain, nearly = share == 1, (share >= NEARLY) & (share < 1)
    unsure = np.where(certain, -1.0, share)
    clearest = int(unsure.argmax())
    return Disclosed(
        sensitive=attribute.name,
        certain=(int(certain.sum()), int(counts.people[certain].sum())),
        nearly=(int(nearly.sum()), int(counts.people[nearly].sum())),
        clearest=None if certain.all() else (int(top[clearest]), int(total[clearest])),
        bands=bins.words if bins else None,
        alone=int(np.count_nonzero(payload.distribution() == 1)),
    )


def _top(class_of: Counts, values: Counts, people: Counts, classes: int) -> tuple[Counts, Counts]:
    """The people of the most frequent value of each class, and of all its values."""
    width = int(values.max(initial=0)) + 2
    keys, cell_of = np.unique(class_of * width + values + 1, return_inverse=True)
    cells = np.zeros(len(keys), np.int64)
    np.add.at(cells, cell_of, people)
    top, total = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    np.maximum.at(top, keys // width, cells)
    np.add.at(total, keys // width, cells)
    return top, total


def sizes_of(after: FrequencySet, before: FrequencySet | None) -> Sizes:
    """People by the size of their class, now and, where it is known, in the original table."""
    largest = max(int(counts.people.max()) for counts in (after, before) if counts is not None)
    least = tuple(size for size in _LEAST if size <= largest)
    now = _people(after, least)
    return Sizes(least, now, None if before is None else _people(before, least))


def _people(counts: FrequencySet, least: tuple[int, ...]) -> tuple[int, ...]:
    places = np.searchsorted(np.array(least), counts.people, side="right") - 1
    people = np.zeros(len(least), np.int64)
    np.add.at(people, places, counts.people)
    return tuple(people.tolist())
