"""At which level of its hierarchy a published column stands."""

from __future__ import annotations

import numpy as np

from sfumato.frequency import FrequencySet


def levels_of(published: FrequencySet, leaves: FrequencySet) -> tuple[int, ...] | None:
    """Per QID the lowest level that holds all labels of the file; None if a column fits no level (local recoding, foreign labels)."""
    levels = []
    for name in published.node.attributes:
        labels = _occurring(published, name)
        hierarchy = leaves.hierarchy(name)
        fitting = [level for level in range(hierarchy.height + 1) if labels <= set(hierarchy.at(level))]
        if not fitting:
            return None
        levels.append(fitting[0])
    return tuple(levels)


def nearest_levels(published: FrequencySet, leaves: FrequencySet) -> tuple[int, ...] | None:
    """Per QID the level that holds most labels of the release, for a table that need not have them all; None if it has none."""
    levels = []
    for name in published.node.attributes:
        labels, hierarchy = _occurring(published, name), leaves.hierarchy(name)
        shared = [len(labels & set(hierarchy.at(level))) for level in range(hierarchy.height + 1)]
        if not max(shared):
            return None
        levels.append(shared.index(max(shared)))
    return tuple(levels)


def _occurring(counts: FrequencySet, name: str) -> set[str]:
    """The labels of a QID that some class has."""
    codes = np.unique(counts.codes[:, counts.node.attributes.index(name)])
    found = (counts.hierarchy(name).label(counts.node[name], int(code)) for code in codes)
    return {label for label in found if label is not None}
