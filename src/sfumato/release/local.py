"""The classes that a local recoding promises, from a count of the table it was made for."""

from __future__ import annotations

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import CellTable, Counts, FrequencySet, packed
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.recoding import DIVIDED, Division, LocalRecoding

_OTHER_TABLE = "the recoding is not one of this table: {}; search again"


def local_classes(counts: FrequencySet, recoding: LocalRecoding) -> FrequencySet:
    """The classes by their labels, numbered in the order of these; refuses a recoding of another table."""
    _require_same_cells(counts, recoding)
    hierarchies = tuple(Hierarchy.flat(recoding.labels(name)) for name in recoding.attributes)
    if recoding.division is None:
        return counts.relabeled(counts.node, hierarchies, list(recoding.classes[recoding.class_of].astype(np.int32).T))
    values, classes, rows = _placed(counts, recoding, recoding.division)
    columns = list(recoding.classes[classes].astype(np.int32).T)
    payloads = {name: (payload.hierarchy, values) for name, payload in counts.payloads.items()}
    return FrequencySet.of_cells(counts.node, hierarchies, CellTable(columns, rows, payloads))


def _require_same_cells(counts: FrequencySet, recoding: LocalRecoding) -> None:
    hierarchies = (recoding.hierarchies[name] for name in recoding.attributes)
    if not all(own.labels[0] == other.labels[0] for own, other in zip(counts.hierarchies, hierarchies, strict=True)):
        raise UsageError(_OTHER_TABLE.format("its values are others"), where=argument("recoding"))
    if not np.array_equal(counts.codes, recoding.cells):
        raise UsageError(_OTHER_TABLE.format("its cells are others"), where=argument("recoding"))


def _placed(counts: FrequencySet, recoding: LocalRecoding, division: Division) -> tuple[Codes, Codes, Counts]:
    """Value, class and rows of every part: whole cells as they were counted, divided ones as the recoding spreads them."""
    if tuple(counts.payloads) != ((recoding.sensitive,) if recoding.sensitive else ()) or counts.basis == "owner":
        raise UsageError(_OTHER_TABLE.format("it divides cells by other sensitive values"), where=argument("recoding"))
    cells, values, rows = _entries(counts)
    divided = recoding.class_of[cells] == DIVIDED
    _require_spread(cells[divided], values[divided], rows[divided], division)
    whole = ~divided
    return (
        np.append(values[whole], division.values),
        np.append(recoding.class_of[cells[whole]], division.classes),
        np.append(rows[whole], division.people),
    )


def _entries(counts: FrequencySet) -> tuple[Codes, Codes, Counts]:
    """Cells with their sensitive values and rows, in order."""
    cells = np.arange(counts.classes, dtype=np.int32)
    for payload in counts.payloads.values():
        return np.repeat(cells, np.diff(payload.offsets)), payload.values, payload.rows
    return cells, np.zeros_like(cells), counts.rows


def _require_spread(cells: Codes, values: Codes, rows: Counts, division: Division) -> None:
    """Refuse a division that does not add up to the rows of the divided cells."""
    width = int(max(values.max(initial=0), division.values.max(initial=0))) + 1
    size = int(max(cells.max(initial=0), division.cells.max(initial=0))) + 1
    counted = packed([cells, values], [size, width], len(cells))
    spread = packed([division.cells, division.values], [size, width], len(division.cells))
    entries, entry_of = np.unique(spread, return_inverse=True)
    people = np.zeros(len(entries), np.int64)
    np.add.at(people, entry_of, division.people)
    if not (np.array_equal(entries, counted) and np.array_equal(people, rows)):
        raise UsageError(
            _OTHER_TABLE.format("its shares of divided cells do not add up to their rows"), where=argument("recoding")
        )
