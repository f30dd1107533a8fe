"""Pools: the sets of classes that people may be in, as far as an attacker can tell. People of one pool look alike to the attacker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.spreading import spread
from sfumato.frequency import Counts, Payload
from sfumato.vocabulary.hierarchy import Codes


@dataclass(frozen=True, slots=True, eq=False)
class Pools:
    """Which pool each cell of known values belongs to (-1: it fits no class), the classes of each pool, and its published rows."""

    of_cell: Counts
    classes: Links
    rows: Counts

    @property
    def count(self) -> int:
        return len(self.rows)


def pools_of(links: Links, rows: Counts) -> Pools:
    """The distinct sets of classes that cells may belong to."""
    counts = links.counts()
    if links.scores is None:
        first, of_cell = _distinct_sets(links, counts)
    else:  # people who are as likely in other classes look different
        first = of_cell = np.arange(len(counts))
    of_cell = np.where(counts > 0, of_cell, -1)
    some = counts[first] > 0
    rank = np.cumsum(some) - 1
    cells = first[some]
    offsets = np.concatenate([[0], np.cumsum(counts[cells])]).astype(np.int64)
    places = links.places(cells)
    classes = Links(offsets, links.classes[places], links.width, None if links.scores is None else links.scores[places])
    return Pools(np.where(of_cell >= 0, rank[of_cell], -1), classes, classes.summed(rows))


def _distinct_sets(links: Links, counts: Counts) -> tuple[Counts, Counts]:
    """One cell for each distinct set of classes, and the number of the set of every cell. Sets are told apart by two sums of 64-bit
    numbers drawn for the classes: that two differ and agree in both happens once in 2^128."""
    drawn = np.random.default_rng(0).integers(0, 2**63, (2, max(links.width, 1)), dtype=np.uint64)
    keys = np.stack([links.summed(each) for each in drawn.astype(np.uint64)], axis=1) if len(counts) else np.zeros((0, 2))
    if counts.max(initial=0) <= 1:  # one class or none: the class is the set
        only = np.full(len(counts), -1, np.int64)
        only[counts == 1] = links.classes
        _, first, of_cell = np.unique(only, return_index=True, return_inverse=True)
        return first, of_cell
    _, first, of_cell = np.unique(keys.view([("", keys.dtype)] * 2).ravel(), return_index=True, return_inverse=True)
    return first, of_cell


def tallied(payload: Payload, codes: Codes, sets: Links, chosen: Counts, width: int) -> Counts:
    """How many rows the classes of each chosen set have of every value; where classes have scores, each row counts as much as it is likely,
    the likeliest 1."""
    counts, places = sets.counts()[chosen], sets.places(chosen)
    classes, place = sets.classes[places], np.repeat(np.arange(len(chosen)), counts)
    sizes = np.diff(payload.offsets)[classes]
    at = spread(payload.offsets[classes], sizes)
    weights = payload.rows[at] if sets.scores is None else payload.rows[at] * np.repeat(sets.odds()[places], sizes)
    found = np.zeros((len(chosen), width), weights.dtype)
    values = codes[payload.values[at]]
    known = values >= 0  # another release may have values that neither this one nor the original has
    np.add.at(found, (np.repeat(place, sizes)[known], values[known]), weights[known])
    return found
