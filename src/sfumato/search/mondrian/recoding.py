"""From groups of people to a local recoding: what every group is called, and which cells are in it.

Groups with the same labels are one class, as whoever reads the file sees them: the halves of a divided value may meet again, and two
levels of a hierarchy may use one name.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.frequency import FrequencySet, added, packed
from sfumato.losses.information import iyengar_of
from sfumato.search.mondrian.axes import Axis, Places, covered_shares
from sfumato.search.mondrian.groups import Units, bounds, counted
from sfumato.vocabulary.hierarchy import Codes
from sfumato.vocabulary.labels import in_order
from sfumato.vocabulary.recoding import DIVIDED, Division, LocalRecoding


def recoding_of(counts: FrequencySet, axes: tuple[Axis, ...], places: Places, units: Units) -> tuple[LocalRecoding, float]:
    """The recoding and its `loss`."""
    low, high = bounds(places, units)
    labels_and_codes = [labelled(axis, low[:, j], high[:, j]) for j, axis in enumerate(axes)]
    columns = [codes for _, codes in labels_and_codes]
    keys = packed(columns, [len(labels) + 1 for labels, _ in labels_and_codes], len(low))
    _, first, class_of = np.unique(keys, return_index=True, return_inverse=True)
    units = units.in_groups(class_of[units.group])
    names = counts.node.attributes
    recoding = LocalRecoding(
        attributes=names,
        hierarchies=MappingProxyType(dict(zip(names, counts.hierarchies, strict=True))),
        cells=counts.codes,
        classes=np.stack(columns, axis=1)[first],
        labels_of=MappingProxyType({name: labels for name, (labels, _) in zip(names, labels_and_codes, strict=True)}),
        **_assigned(counts, units),
    )
    shares = covered_shares(axes, low[first], high[first])
    return recoding, iyengar_of(list(shares.T), counted(counts, units, sensitive=False).people)


def labelled(axis: Axis, low: Places, high: Places) -> tuple[tuple[str, ...], Codes]:
    """The labels of an axis in their order, and the code of each group's: one past the last for the missing value."""
    width = axis.missing + 1
    stretches, stretch_of = np.unique(low * width + high, return_inverse=True)
    labels = [axis.label(int(stretch) // width, int(stretch) % width) for stretch in stretches]
    ordered = in_order(label for label in labels if label is not None)
    code_of: dict[str | None, int] = {label: code for code, label in enumerate((*ordered, None))}
    return ordered, np.array([code_of[label] for label in labels], np.int32)[stretch_of]


def _assigned(counts: FrequencySet, units: Units) -> dict[str, Any]:
    """The class of every cell, and the shares of those that are divided; units are in classes."""
    lowest, highest = np.full(counts.classes, units.groups), np.full(counts.classes, -1)
    np.minimum.at(lowest, units.cells, units.group)
    np.maximum.at(highest, units.cells, units.group)
    divided = lowest != highest
    class_of = np.where(divided, DIVIDED, lowest).astype(np.int32)
    if not divided.any():
        return {"class_of": class_of}
    spread = units.only(divided[units.cells])
    columns = [column.astype(np.int32) for column in (spread.cells, spread.values, spread.group)]
    keys = packed(columns, [int(column.max()) + 1 for column in columns], len(spread))
    _, first, entry_of = np.unique(keys, return_index=True, return_inverse=True)
    cells, values, classes = (column[first] for column in columns)
    people = added(spread.people, entry_of, len(first))
    return {
        "class_of": class_of,
        "division": Division(cells, values, classes, people),
        "sensitive": next(iter(counts.payloads), None),
    }
