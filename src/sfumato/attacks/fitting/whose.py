"""Whose row is where, where values were changed: what the owner believes, who knows more than an attacker.

Rows are shuffled, so nobody can say it for certain. But the owner knows all QIDs, the method, and a sensitive value that nothing changed.
What these leave open is a belief: how probable it is that a person's row is in a class. No class has more rows with a value than are
published, so beliefs are brought down to that: the proportional fitting of Deming and Stephan (1940), with bounds in the place of sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.spreading import spread
from sfumato.frequency import Counts, Payload
from sfumato.statistics import TOLERANCE, Floats

_ROUNDS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """How probable it is that the row of somebody of a cell is in a class: keys are cell * width + class, ascending."""

    keys: Counts
    shares: Floats
    width: int

    def of(self, cells: Counts, classes: Counts) -> Floats:
        """The probabilities of some pairs; 0 for a cell that is nobody's, -1."""
        if not len(self.keys):
            return np.zeros(len(cells))
        wanted = cells * self.width + classes
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((self.keys[at] == wanted) & (cells >= 0), self.shares[at], 0.0)

    def merged(self, people: Counts, cell_of: Counts, class_of: Counts) -> Beliefs:
        """The same for somebody who tells fewer cells and classes apart; `people` is how many are in each cell."""
        cells, classes = self.keys // self.width, self.keys % self.width
        width = int(class_of.max(initial=-1)) + 1
        keys, place = np.unique(cell_of[cells] * width + class_of[classes], return_inverse=True)
        total = np.bincount(cell_of, people)
        return Beliefs(keys, np.bincount(place, self.shares * people[cells], len(keys)) / total[keys // width], width)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """People of a cell who share a sensitive value; and how many rows of a class have a value, by class * width + value, ascending."""

    cell: Counts
    value: Counts
    people: Counts
    keys: Counts
    rows: Counts
    width: int

    @classmethod
    def of(cls, true: Payload, values: Counts, released: Payload, labels: Counts, width: int) -> Entries:
        """From the original and the release; `values` and `labels` are the places of their codes among all values."""
        cell = np.repeat(np.arange(len(true.offsets) - 1), np.diff(true.offsets))
        classes = np.repeat(np.arange(len(released.offsets) - 1), np.diff(released.offsets))
        keys = classes * width + labels[released.values]
        order = np.argsort(keys)
        return cls(cell, values[true.values].astype(np.int64), true.rows, keys[order], released.rows[order], width)

    @classmethod
    def alike(cls, people: Counts, rows: Counts) -> Entries:
        """Everybody has the same value: where nothing is known besides QIDs."""
        nothing = np.zeros(len(people), np.int64)
        return cls(np.arange(len(people)), nothing, people, np.arange(len(rows)), rows, 1)

    def rows_of(self, keys: Counts) -> Counts:
        """How many rows of a class have a value."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.rows[at], 0)


def beliefs(links: Links, entries: Entries, drawn: float = 1.0) -> Beliefs:
    """What the owner believes. `links` has every class that people may be in, with its score; `drawn` is the share of the people who are
    looked at."""
    many = links.counts()[entries.cell]
    at = spread(links.offsets[entries.cell], many)
    entry = np.repeat(np.arange(len(entries.cell)), many)
    key = links.classes[at] * entries.width + entries.value[entry]
    rows = entries.rows_of(key)
    there = np.flatnonzero(rows > 0)
    entry, at, key, rows = entry[there], at[there], key[there], rows[there]
    share = _fitted(entry, key, links.odds()[at] * rows, entries.people[entry], np.asarray(rows * drawn, np.float64))
    keys, place = np.unique(entries.cell[entry] * links.width + links.classes[at], return_inverse=True)
    people = np.bincount(entries.cell, entries.people)
    total = np.bincount(place, share * entries.people[entry], len(keys))
    return Beliefs(keys, total / people[keys // links.width], links.width)


def _fitted(entry: Counts, key: Counts, share: Floats, people: Counts, rows: Floats) -> Floats:
    """Shares that add up to 1 for everybody, and in each class to as many people with a value as it has rows, as nearly as both can be."""
    if not len(entry):
        return share
    _, key = np.unique(key, return_inverse=True)
    tiny = np.finfo(np.float64).tiny
    for _ in range(_ROUNDS):
        share = share * (rows / np.maximum(np.bincount(key, people * share)[key], tiny))
        share = share / np.maximum(np.bincount(entry, share), tiny)[entry]
    return share


def as_likelihoods(links: Links, people: Counts, columns: int) -> Links:
    """Distances as if people were spread around their class, alike in every column, as far as they are from the nearest one: squares of
    distances then are those of a normal distribution."""
    if links.scores is None or not len(links.scores):
        return links
    best = np.full(len(people), -np.inf)
    np.maximum.at(best, links.cells(), links.scores)
    there = np.isfinite(best)
    variance = -float(best[there] @ people[there]) / max(int(people[there].sum()), 1) / columns
    return Links(links.offsets, links.classes, links.width, links.scores / max(2 * variance, TOLERANCE))
