"""The table that an attacker holds about people: combinations of values, how many people have each, and how many of them are in
the original. Mistyped, every combination is still that of a true one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from sfumato.attacks.view import View
from sfumato.frequency import Counts, FrequencySet, packed
from sfumato.release.numbering import codes_among
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Cells as the attacker has them; for each the cell that it truly is, and how many of its people are in the original. `own` is the cell
    of the original by the held columns that each true cell is, -1 for none; None where the attacker has labels."""

    cells: FrequencySet
    true_cell: Counts
    shared: Floats
    own: Counts | None = None


def people_of(view: View) -> People:
    """The external table, or the original itself. People are taken to be the same if their values are, as many as both tables have."""
    if view.external is None:
        every = np.arange(view.original.classes)
        return People(view.original, every, view.original.rows.astype(np.float64), every)
    cells = view.external
    own = view.whole.project(cells.node.attributes)
    columns = [
        codes_among(cells.hierarchies[place].labels[0], own.hierarchies[place], 0)[cells.codes[:, place]]
        for place in range(cells.codes.shape[1])
    ]
    if any((column < 0).any() for column in columns) and _has_labels(cells, own):
        return People(cells, np.arange(cells.classes), cells.rows.astype(np.float64))  # labels, not values: all may be there
    at = _places(own, columns)
    shared = np.minimum(np.where(at >= 0, own.rows[at], 0), cells.rows).astype(np.float64)
    held = [columns[cells.node.attributes.index(name)] for name in view.held]
    return People(cells, np.arange(cells.classes), shared, _places(view.original, held))


def _has_labels(cells: FrequencySet, own: FrequencySet) -> bool:
    """Whether a table has labels of higher levels in the place of values."""
    for mine, their in zip(own.hierarchies, cells.hierarchies, strict=True):
        above = {label for level in range(1, mine.height + 1) for label in mine.at(level)} - set(mine.labels[0])
        if above & set(their.labels[0]):
            return True
    return False


def _places(own: FrequencySet, columns: list[Codes]) -> Counts:
    """The cell of the original that each combination is; -1 if it has none, as one with a value that the original does not know."""
    known = np.all([column >= 0 for column in columns], axis=0)
    radices = [hierarchy.codes(0) for hierarchy in own.hierarchies]
    both = [np.concatenate([mine, np.maximum(column, 0)]) for mine, column in zip(own.codes.T, columns, strict=True)]
    keys = packed(both, radices, own.classes + len(known))  # in one call, so that ranks mean the same
    mine, wanted = keys[: own.classes], keys[own.classes :]
    order = np.argsort(mine)
    at = order[np.minimum(np.searchsorted(mine[order], wanted), own.classes - 1)]
    return np.where(known & (mine[at] == wanted), at, -1)


def mistyped(people: People, rate: float, rng: np.random.Generator) -> People:
    """The same people, each value replaced with another of its column with the stated probability."""
    cell, codes, count = np.arange(people.cells.classes), people.cells.codes, people.cells.rows
    for place in range(codes.shape[1]):
        cell, codes, count = _one_column(cell, codes, count, place, people.cells.hierarchies[place].codes(0), rate, rng)
    share = people.shared / np.maximum(people.cells.rows, 1)
    cells = replace(people.cells, codes=codes.astype(np.int32), rows=count, people=count, payloads=MappingProxyType({}))
    return People(cells, cell, share[cell] * count, people.own)


def _one_column(
    cell: Counts, codes: Codes, count: Counts, place: int, values: int, rate: float, rng: np.random.Generator
) -> tuple[Counts, Codes, Counts]:
    """One column with errors: those who are mistyped become cells of their own."""
    if values < 2:
        return cell, codes, count
    wrong = rng.binomial(count, rate)
    moved = np.repeat(codes, wrong, axis=0)
    moved[:, place] = (moved[:, place] + rng.integers(1, values, len(moved))) % values  # any other value
    right = count - wrong
    cells = np.concatenate([cell[right > 0], np.repeat(cell, wrong)])
    return cells, np.concatenate([codes[right > 0], moved]), np.concatenate([right[right > 0], np.ones(len(moved), np.int64)])
