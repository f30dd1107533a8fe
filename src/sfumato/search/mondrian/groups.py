"""People in groups, and how groups are split: every group at once, by sums over sorted lists.

In strict Mondrian a unit of people is a cell, which stays whole. In relaxed Mondrian it is a cell with a sensitive value, and the
place at the median may be divided. Its people are then drawn systematically, from a seeded start, in the order of their values: every
person is as likely to go to either side, and every value is divided as the whole place is, to within one person. So a class has the
same share of a value as the places it was made of, whatever the range is called.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet, Payload, added
from sfumato.search.mondrian.axes import Axis, Places
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Node

_GROUPS, _UNNAMED = Node(("group",), (0,)), (Hierarchy.flat([]),)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units of people by their cell, their sensitive value and their group; ascending by group, numbered from 0.

    `whole`: every cell is one unit, of all its values, and `values` are 0.
    """

    cells: Places
    people: Counts
    group: Places
    values: Places
    whole: bool

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def groups(self) -> int:
        return int(self.group[-1]) + 1 if len(self) else 0

    def starts(self) -> Places:
        """Where each group starts."""
        return np.searchsorted(self.group, np.arange(self.groups))

    def only(self, chosen: npt.NDArray[np.bool_ | np.int64]) -> Units:
        """Some of the units, in the order given; groups keep their numbers."""
        return Units(self.cells[chosen], self.people[chosen], self.group[chosen], self.values[chosen], self.whole)

    def in_groups(self, group: Places) -> Units:
        """The units under other groups, sorted by them and numbered from 0."""
        order = np.argsort(group, kind="stable")
        _, numbers = np.unique(group[order], return_inverse=True)
        return replace(self.only(order), group=numbers)

    @classmethod
    def joined(cls, parts: list[Units]) -> Units:
        """Several, one after the other."""
        names = ("cells", "people", "group", "values")
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**columns, whole=parts[0].whole)


def all_units(counts: FrequencySet, *, strict: bool) -> Units:
    """The whole table as one group."""
    cells = np.arange(counts.classes)
    if strict or not counts.payloads:
        return Units(cells, counts.people, np.zeros_like(cells), np.zeros_like(cells), strict)
    (payload,) = counts.payloads.values()
    entries = np.repeat(cells, np.diff(payload.offsets))
    return Units(entries, payload.people, np.zeros_like(entries), payload.values.astype(np.int64), strict)


def bounds(places: Places, units: Units) -> tuple[Places, Places]:
    """[group, axis]: the first and the last place of every group."""
    own, starts = places[units.cells], units.starts()
    return np.minimum.reduceat(own, starts), np.maximum.reduceat(own, starts)


def counted(counts: FrequencySet, units: Units, *, sensitive: bool) -> FrequencySet:
    """The groups as a frequency set, with their payloads if models look at sensitive values."""
    size = units.groups
    payloads = _payloads(counts, units) if sensitive else {}
    incidence = None
    rows = people = added(units.people, units.group, size)
    if counts.incidence is not None:
        used = np.zeros(counts.classes, bool)
        used[units.cells] = True
        incidence = counts.incidence.keep(used).regroup(_by_cell(counts, units)[used], size)
        rows, people = added(counts.rows[units.cells], units.group, size), incidence.sizes()
    codes = np.arange(size, dtype=np.int32)[:, None]
    return FrequencySet(
        _GROUPS, _UNNAMED, codes, rows, people, counts.total_people, MappingProxyType(payloads), incidence, counts.basis
    )


def _payloads(counts: FrequencySet, units: Units) -> dict[str, Payload]:
    if units.whole:
        used = np.zeros(counts.classes, bool)
        used[units.cells] = True
        group_of = _by_cell(counts, units)[used]
        return {name: payload.keep(used).regroup(group_of, units.groups) for name, payload in counts.payloads.items()}
    return {name: _spread(payload.hierarchy, units) for name, payload in counts.payloads.items()}


def _by_cell(counts: FrequencySet, units: Units) -> Places:
    """The group of each cell, where cells are whole."""
    group_of = np.zeros(counts.classes, np.int64)
    group_of[units.cells] = units.group
    return group_of


def _spread(hierarchy: Hierarchy, units: Units) -> Payload:
    """The sensitive values of each group, where cells may be divided."""
    width = hierarchy.codes(0)
    entries, entry_of = np.unique(units.group * width + units.values, return_inverse=True)
    people = added(units.people, entry_of, len(entries))
    offsets = np.searchsorted(entries // width, np.arange(units.groups + 1))
    return Payload(hierarchy, offsets, (entries % width).astype(np.int32), people, people)


@dataclass(frozen=True, slots=True, eq=False)
class Splitter:
    """Splits groups along one axis each. `places` are the places of the cells, [cell, axis]; `seed` is that of the hash."""

    axes: tuple[Axis, ...]
    places: Places
    strict: bool
    seed: int = 0

    def split(self, units: Units, axis_of: Places, low: Places, high: Places) -> tuple[Units, Places]:
        """The parts of every group along the axis chosen for it, numbered from 0, and the group that each was part of.

        `low` and `high` are the bounds of the groups on all axes. Every group must have more than one place on its axis.
        """
        axis = axis_of[units.group]
        place = self.places[units.cells, axis]
        code, left = np.zeros(len(units), np.int64), units.people
        ordered = np.array([each.kind is not None for each in self.axes])[axis]
        for number, each in enumerate(self.axes):
            if each.kind is None and (chosen := axis == number).any():
                level = each.levels(low[:, number], high[:, number])[units.group[chosen]]
                code[chosen] = each.ancestors[level - 1, place[chosen]]
        if ordered.any():
            left = left.copy()
            left[ordered] = self._left(units.only(ordered), place[ordered], axis_of, high)
        return _parts(units, code, left)

    def _left(self, units: Units, place: Places, axis_of: Places, high: Places) -> Counts:
        """How many people of each unit go to the lower half. The missing value is kept apart before anything else is split."""
        missing = np.array([axis.missing for axis in self.axes])[axis_of]
        apart = (high[np.arange(len(axis_of)), axis_of] == missing)[units.group]
        tie = np.zeros(len(units), np.uint64) if self.strict else _hashed(self.places, units, self.seed)
        order = np.lexsort((tie, units.values, units.group * (int(place.max()) + 1) + place))
        ordered = units.only(order), place[order]
        left = np.empty(len(units), np.int64)
        left[order] = _cut(*ordered) if self.strict else _halved(*ordered, tie[order])
        return np.where(apart, np.where(place < missing[units.group], units.people, 0), left)


def _parts(units: Units, code: Places, left: Counts) -> tuple[Units, Places]:
    """The units with `left` people under their code and the others under the next one; parts by group and code."""
    right = units.people - left
    if right.any():
        lower, upper = left > 0, right > 0
        units = Units.joined([replace(units, people=left).only(lower), replace(units, people=right).only(upper)])
        code = np.concatenate([code[lower], code[upper] + 1])
    width = int(code.max()) + 1
    keys = units.group * width + code
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    fresh = _fresh(keys)
    return replace(units.only(order), group=np.cumsum(fresh) - 1), keys[fresh] // width


def _fresh(keys: Places) -> npt.NDArray[np.bool_]:
    """Where a sorted list has a new key."""
    fresh = np.ones(len(keys), bool)
    fresh[1:] = keys[1:] != keys[:-1]
    return fresh


def _sums(units: Units) -> tuple[Counts, Counts, Places]:
    """People of the group up to and with each unit, people of its whole group, and where the groups start; groups may be left out."""
    fresh = _fresh(units.group)
    starts = np.flatnonzero(fresh)
    running = np.cumsum(units.people)
    number = np.cumsum(fresh) - 1
    before = (running[starts] - units.people[starts])[number]
    whole = np.add.reduceat(units.people, starts)[number]
    return running - before, whole, starts


def _cut(units: Units, place: Places) -> Counts:
    """Strict: whole places below the cut that comes nearest to the median, the lower one of two; units by group and place."""
    below, whole, starts = _sums(units)
    ends = np.zeros(len(units), bool)  # the last unit of a place that is not the last of its group
    ends[:-1] = (place[1:] != place[:-1]) & (units.group[1:] == units.group[:-1])
    far = np.where(ends, np.abs(2 * below - whole), np.iinfo(np.int64).max)
    sizes = np.diff(np.append(starts, len(units)))
    nearest = np.repeat(np.minimum.reduceat(far, starts), sizes)
    at = np.where(ends & (far == nearest), np.arange(len(units)), len(units))
    cut = np.repeat(np.minimum.reduceat(at, starts), sizes)
    return np.where(np.arange(len(units)) <= cut, units.people, 0)


def _halved(units: Units, place: Places, hashed: npt.NDArray[np.uint64]) -> Counts:
    """Relaxed: the first half of the people, the place at the border divided; units by group, place, value and hash.

    Of the `size` people of that place `taken` go to the lower half: with a start o below size, the i-th of them does if
    (i * taken + o) // size is larger than it was for the one before. Of n neighbors these are n * taken / size, to within one.
    """
    below, whole, _ = _sums(units)
    upto, size, starts = _sums(replace(units, group=units.group * (int(place.max()) + 1) + place))
    lengths = np.diff(np.append(starts, len(units)))
    taken = np.clip((whole + 1) // 2 - (below - upto), 0, size)
    lot = _mixed(np.repeat(hashed[starts], lengths) + _GOLDEN * taken.astype(np.uint64))
    start = (lot % size.astype(np.uint64)).astype(np.int64)
    drawn, before = ((people * taken + start) // size for people in (upto, upto - units.people))
    return np.asarray(drawn - before)


def _hashed(places: Places, units: Units, seed: int) -> npt.NDArray[np.uint64]:
    """A seeded hash of the cell of each unit."""
    hashed = np.full(len(units), seed & 0xFFFFFFFFFFFFFFFF, np.uint64)
    for column in places[units.cells].T:
        hashed = _mixed(hashed + _GOLDEN + column.astype(np.uint64))
    return hashed


def _mixed(number: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A bijection of 64 bits in which every bit of the input moves half of the output (the finalizer of SplitMix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))
