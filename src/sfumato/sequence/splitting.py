"""Buckets cut into groups of people who resemble each other, one record of each value per group (Xiao and Tao 2007, the split).

A bucket is halved along the quasi-identifier in which its people differ the most, each value's records in their order, until every value
has one record left. All buckets are halved at once. The labels of a group are the lowest that all its records share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.frequency import Counts
from sfumato.sequence.balancing import NOBODY, Buckets
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes, Hierarchy


def groups_of(made: Buckets, codes: Codes) -> tuple[Counts, Codes]:
    """The group of every record, from 0, and its QIDs: those of a counterfeit are borrowed from somebody in its bucket. `codes` are
    those of the people, one column per QID."""
    borrowed = codes[_lenders(made)]
    node = np.unique(made.signature_of, return_inverse=True)[1].astype(np.int64)
    size = np.array([len(each) for each in made.signatures], np.int64)[made.signature_of]
    each = np.bincount(node)[node] // size  # records of one value in the bucket of each record
    widths = np.maximum(codes.max(axis=0, initial=1), 1).astype(np.float64)
    while (active := np.flatnonzero(each > 1)).size:
        axis = _widest(node[active], borrowed[active], widths)
        key = borrowed[active, axis]
        order = np.lexsort((active, key, made.values[active], node[active]))
        sorted_node, sorted_value = node[active][order], made.values[active][order]
        fresh = np.ones(len(order), bool)
        fresh[1:] = (sorted_node[1:] != sorted_node[:-1]) | (sorted_value[1:] != sorted_value[:-1])
        starts = np.flatnonzero(fresh)
        rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
        half = each[active][order] // 2
        right = rank >= half
        places = active[order]
        node *= 2
        node[places] += right
        each[places] = np.where(right, each[places] - half, half)
    return np.unique(node, return_inverse=True)[1].astype(np.int64), borrowed


def _lenders(made: Buckets) -> Counts:
    """For every record a person: whose it is, or for a counterfeit somebody of the same bucket."""
    lenders = made.people.copy()
    fakes = np.flatnonzero(made.people == NOBODY)
    if len(fakes):
        real = np.flatnonzero(made.people != NOBODY)
        real = real[np.argsort(made.signature_of[real], kind="stable")]
        starts = np.searchsorted(made.signature_of[real], made.signature_of[fakes])
        counts = np.searchsorted(made.signature_of[real], made.signature_of[fakes], side="right") - starts
        lenders[fakes] = made.people[real[starts + np.arange(len(fakes)) % counts]]
    return lenders


def _widest(node: Counts, codes: Codes, widths: Floats) -> Counts:
    """For every record the column in which its bucket spreads the most."""
    order = np.argsort(node, kind="stable")
    _, starts, of = np.unique(node[order], return_index=True, return_inverse=True)
    spread = (np.maximum.reduceat(codes[order], starts) - np.minimum.reduceat(codes[order], starts)) / widths
    axis = np.empty(len(node), np.int64)
    axis[order] = spread.argmax(axis=1)[of]
    return axis


def labels_of(groups: Counts, codes: Codes, hierarchies: Sequence[Hierarchy]) -> list[list[str | None]]:
    """For every QID the label of every group: the lowest that its records share."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return [_shared(codes[order, place], starts, hierarchy) for place, hierarchy in enumerate(hierarchies)]


def _shared(codes: Codes, starts: Counts, hierarchy: Hierarchy) -> list[str | None]:
    labels: list[str | None] = [None] * len(starts)
    left = np.arange(len(starts))
    for level in range(hierarchy.height + 1):
        above = hierarchy.ancestors(0, level)[codes]
        least, most = np.minimum.reduceat(above, starts), np.maximum.reduceat(above, starts)
        same = left[least[left] == most[left]]
        for group in same.tolist():
            labels[group] = hierarchy.label(level, int(least[group]))
        left = left[least[left] != most[left]]
    return labels
