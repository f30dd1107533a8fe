"""Shared by the computed builders: each level's label is computed from the one below, and `*` is above the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.vocabulary.hierarchy import ROOT, Hierarchy

Step = Callable[[str], str]


def computed(attribute: str, labels: Sequence[str], steps: Sequence[Step], *, floor: int = 0) -> Hierarchy:
    """The hierarchy over labels of level `floor`, where `steps[i]` turns a label of level i into one of level i + 1."""
    columns = [list(labels)]
    for step in steps[floor:]:
        above = {label: step(label) for label in dict.fromkeys(columns[-1])}  # most labels stand for many values
        columns.append([above[label] for label in columns[-1]])
    columns.append([ROOT] * len(labels))
    return Hierarchy.of_columns(attribute, columns, floor=floor, by_label=True)
