"""Where published labels stand in a hierarchy: at which level a column, and how many leaves a label covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from sfumato.frequency import FrequencySet
from sfumato.losses.information import covered
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.labels import Range


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


def nearest_level(labels: set[str], hierarchy: Hierarchy) -> int | None:
    """The level that holds most labels of a column, for a table that need not have them all.

    None if it has none of them, or if the column mixes levels: a local recoding.
    """
    shared = [len(labels & set(hierarchy.at(level))) for level in range(hierarchy.height + 1)]
    level = shared.index(max(shared))
    mixed = not max(shared) or _mixes(labels - set(hierarchy.at(level)), hierarchy, level)
    return None if mixed else level


def _mixes(others: set[str], hierarchy: Hierarchy, level: int) -> bool:
    """Whether labels that a level lacks stand at another one, or are ranges beside values; `*` may be a suppressed record's."""
    known = set().union(*(hierarchy.at(other) for other in range(hierarchy.height + 1) if other != level)) - {ROOT}
    ranges = level == 0 and any((parsed := Range.parse(label)) and parsed.lower != parsed.upper for label in others)
    return ranges or not others.isdisjoint(known)


def covered_shares(published: FrequencySet, leaves: FrequencySet) -> list[Floats] | None:
    """Per QID and class the scaled share of the leaves that the label covers, whatever its level; None if a label is unknown."""
    shares = []
    for place, name in enumerate(published.node.attributes):
        labels = (*published.hierarchies[place].labels[0], None)
        each = np.array(_shares(labels, leaves.hierarchy(name)))[published.codes[:, place]]
        if np.isnan(each).any():
            return None
        shares.append(each)
    return shares


def _shares(labels: Sequence[str | None], hierarchy: Hierarchy) -> list[float]:
    """The share of each label: of the lowest node that is called so, else of the leaves within a range; NaN for a label of neither."""
    known: dict[str | None, float] = {None: 0.0}
    for level in range(hierarchy.height, -1, -1):
        known |= dict(zip(hierarchy.at(level), covered(hierarchy, level).tolist(), strict=False))
    points = [parsed.lower for parsed in map(Range.parse, hierarchy.labels[0]) if parsed]
    ordered: dict[type, list[Any]] = {kind: sorted(p for p in points if isinstance(p, kind)) for kind in (Decimal, str)}
    return [known[label] if label in known else _share(label or "", ordered, len(hierarchy.labels[0])) for label in labels]


def _share(label: str, points: Mapping[type, Sequence[Any]], leaves: int) -> float:
    parsed = Range.parse(label)
    covered = parsed.among(points[type(parsed.lower)]) if parsed else 0
    return (covered - 1) / max(leaves - 1, 1) if covered else float("nan")


def _occurring(counts: FrequencySet, name: str) -> set[str]:
    """The labels of a QID that some class has."""
    codes = np.unique(counts.codes[:, counts.node.attributes.index(name)])
    labels = (counts.hierarchy(name).label(counts.node[name], int(code)) for code in codes)
    return {label for label in labels if label is not None}
