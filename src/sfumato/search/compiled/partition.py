"""The classes of a node for searching: bit-packed keys, people, and under each class its cells, one list per sensitive attribute.

Rolling up raises some attributes of the keys and merges what has become equal. The compiled way hashes the keys; the plain one sorts
them, gives the same classes in another order, and is quicker when there is little to do, because nothing has to be loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet, Payload, added
from sfumato.search.beside import Beside, Coded
from sfumato.search.compiled.shared import Again, Chain, Shared
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.hierarchy import Codes

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import RowTable

Keys = npt.NDArray[np.uint64]
_WORD = 64
_LISTED = 8  # times as many keys as there are may be possible for listing them to be quicker than sorting


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The people of each class by sensitive value: cells offsets[c]:offsets[c + 1] belong to class c, distinct values, any order."""

    offsets: Counts
    values: Codes
    people: Counts

    @classmethod
    def of(cls, counted: ClassStatistics | Payload) -> Cells:
        """Copies: arrays that are read-only are of another type to the compiler, which would make every loop twice."""
        return cls(counted.offsets.copy(), counted.values.copy(), counted.people.copy())


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The classes of the node with these levels, in any order; keys[w, c] is word w of the key of class c.

    `rows` tells, per sensitive attribute, where each class was measured. `shared`, where people have several rows: the owners who are in
    several classes, then the pairs of an owner and a value of each of the `payloads`. `beside` are the classes of a larger table.
    """

    levels: tuple[int, ...]
    keys: Keys
    people: Counts
    payloads: tuple[Cells, ...]
    rows: tuple[npt.NDArray[np.int32], ...] = ()
    shared: tuple[Shared, ...] = ()
    beside: Partition | None = None

    @property
    def classes(self) -> int:
        return len(self.people)

    @property
    def weight(self) -> int:
        """How much work it is to roll it up."""
        listed = sum(len(each.members) for each in self.shared)
        beside = self.beside.weight if self.beside else 0
        return self.classes + sum(len(cells.values) for cells in self.payloads) + listed + beside


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where each QID stands in a key, and the look-up tables that raise its codes from any level to any other.

    QID q has the bits of word[q] under mask[q] << shift[q]. The code that code c of level `low` has at level `high` is
    lut[start[q, low, high] + c], one of codes[q, high].
    """

    words: int
    word: npt.NDArray[np.int64]
    shift: Keys
    mask: Keys
    start: Counts
    lut: Keys
    codes: Counts

    @classmethod
    def of(cls, hierarchies: Sequence[Coded], floors: tuple[int, ...]) -> Layout:
        """Bits enough for the codes of the lowest level; a QID that does not fit a word begins the next."""
        bits = [max(1, (h.codes(floor) - 1).bit_length()) for h, floor in zip(hierarchies, floors, strict=True)]
        word: list[int] = []
        shift, used = [], _WORD
        for width in bits:
            if used + width > _WORD:
                used = 0
                word.append(word[-1] + 1 if word else 0)
            else:
                word.append(word[-1])
            shift.append(used)
            used += width
        masks = np.array([(1 << width) - 1 for width in bits], np.uint64)
        return cls(word[-1] + 1, np.array(word), np.array(shift, np.uint64), masks, *_tables(hierarchies, floors))

    def pack(self, codes: Codes) -> Keys:
        """The keys of classes given by their codes."""
        keys = np.zeros((self.words, len(codes)), np.uint64)
        for place, column in enumerate(codes.T):
            keys[self.word[place]] |= column.astype(np.uint64) << self.shift[place]
        return keys

    def unpack(self, keys: Keys) -> Codes:
        """The codes of each class."""
        columns = [(keys[w] >> s) & m for w, s, m in zip(self.word, self.shift, self.mask, strict=True)]
        return np.stack(columns, axis=1).astype(np.int32)

    @property
    def place_of(self) -> tuple[npt.NDArray[np.int64], Keys, Keys]:
        """Word, shift and mask of every QID."""
        return self.word, self.shift, self.mask

    @property
    def tables(self) -> tuple[Counts, Keys, Counts]:
        """What raises codes."""
        return self.start, self.lut, self.codes


def _tables(hierarchies: Sequence[Coded], floors: tuple[int, ...]) -> tuple[Counts, Keys, Counts]:
    """`start`, `lut` and `codes` of a layout."""
    tall = max(hierarchy.height for hierarchy in hierarchies) + 1
    start, codes = np.zeros((len(hierarchies), tall, tall), np.int64), np.zeros((len(hierarchies), tall), np.int64)
    parts: list[Counts | Codes] = [np.zeros(0, np.int64)]  # there is nothing to raise where every floor is a root
    end = 0
    for q, (hierarchy, floor) in enumerate(zip(hierarchies, floors, strict=True)):
        codes[q, floor : hierarchy.height + 1] = [hierarchy.codes(level) for level in range(floor, hierarchy.height + 1)]
        for low in range(floor, hierarchy.height):
            for high in range(low + 1, hierarchy.height + 1):
                start[q, low, high] = end
                parts.append(hierarchy.ancestors(low, high))
                end += len(parts[-1])
    return start, np.concatenate(parts).astype(np.uint64), codes


class Roller:
    """Rolls partitions up, the compiled way or the plain one; `widths` are the numbers of values of the sensitive attributes."""

    def __init__(self, layout: Layout, widths: Sequence[int], *, compiled: bool) -> None:
        self.layout = layout
        self.widths = tuple(widths)
        self.compiled = compiled

    @classmethod
    def of(
        cls, counts: FrequencySet, statistics: Mapping[str, ClassStatistics], *, compiled: bool, beside: Beside | None = None
    ) -> tuple[Roller, Partition]:
        """For a frequency set, with its own partition: the cells of the sensitive attributes, then those counted besides; and the
        classes of a table beside it."""
        layout = Layout.of(beside.joints if beside else counts.hierarchies, counts.node.levels)
        others = [payload for name, payload in counts.payloads.items() if name not in statistics]
        cells = [*(Cells.of(each) for each in statistics.values()), *(Cells.of(payload) for payload in others)]
        widths = [each.domain.size for each in statistics.values()] + [payload.hierarchy.codes(0) for payload in others]
        shared = _shared(counts, [*(counts.payloads[name] for name in statistics), *others], cells)
        roller = cls(layout, widths, compiled=compiled)
        other = _partition_beside(roller, beside) if beside else None
        base = Partition(counts.node.levels, layout.pack(counts.codes), counts.people.copy(), tuple(cells), (), shared, other)
        return roller, base

    def roll(self, partition: Partition, levels: tuple[int, ...], tables: Sequence[RowTable] = ()) -> Partition:
        """The classes of a node at least as general; with tables, its new classes are measured as well."""
        if levels == partition.levels:
            return partition
        if not self.compiled:
            return _roll_plain(self, partition, levels)
        made = _roll_compiled(self, partition, levels, tables)
        return replace(made, beside=_roll_compiled(self, partition.beside, levels, ())) if partition.beside else made


def _partition_beside(roller: Roller, beside: Beside) -> Partition:
    """The classes of a larger table: several of its cells may be one in the codes of the other."""
    shared = () if beside.incidence is None else (Shared.of_owners(beside.incidence),)
    cells = Partition(beside.node.levels, roller.layout.pack(beside.codes), beside.people.copy(), (), (), shared)
    return _roll_compiled(roller, cells, beside.node.levels, ())


def _shared(counts: FrequencySet, payloads: Sequence[Payload], cells: Sequence[Cells]) -> tuple[Shared, ...]:
    """Who is in several classes, if people have several rows; `cells` are those of the payloads, under the values that loops know."""
    if counts.incidence is None:
        return ()
    pairs = [(payload.incidence, each) for payload, each in zip(payloads, cells, strict=True) if payload.incidence is not None]
    return (Shared.of_owners(counts.incidence), *(Shared.of_pairs(owners, c.offsets, c.values) for owners, c in pairs))


def _roll_compiled(roller: Roller, partition: Partition, levels: tuple[int, ...], tables: Sequence[RowTable]) -> Partition:
    from sfumato.search.compiled import kernels

    layout, steps = roller.layout, np.array((partition.levels, levels))
    if len(partition.payloads) == 1 and not tables and not partition.shared:
        (one,), (width,) = partition.payloads, roller.widths[:1]
        old = one.offsets, one.values, one.people
        keys, people, made = kernels.rolled(partition.keys, partition.people, layout.place_of, layout.tables, steps, old, width)
        return Partition(levels, keys, people, (Cells(*made),))
    keys, people, first, after = kernels.group(partition.keys, partition.people, layout.place_of, layout.tables, steps)
    if not tables and not partition.shared:
        cells = [merged(first, after, each, width) for each, width in zip(partition.payloads, roller.widths, strict=False)]
        return Partition(levels, keys, people, tuple(cells))
    united = [each.united(first, after) for each in partition.shared]
    again: list[Again | None] = [twice for _, twice in united[1:]] or [None] * len(partition.payloads)
    if united:
        people -= united[0][1].counts
    done = [
        table.merged(first, after, cells, old, twice)
        for table, cells, old, twice in zip(tables, partition.payloads, partition.rows, again, strict=False)
    ]
    rest = slice(len(done), None)
    others = [
        merged(first, after, cells, width, twice)
        for cells, width, twice in zip(partition.payloads[rest], roller.widths[rest], again[rest], strict=False)
    ]
    payloads, rows = (*(made for made, _ in done), *others), tuple(row_of for _, row_of in done)
    return Partition(levels, keys, people, payloads, rows, tuple(each for each, _ in united))


def merged(first: Chain, after: Chain, cells: Cells, width: int, again: Again | None = None) -> Cells:
    """The cells of the classes that a roll-up has made, without the pairs that were counted again."""
    from sfumato.search.compiled import kernels

    made = Cells(*kernels.merge(first, after, cells.offsets, cells.values, cells.people, width))
    if again is not None:
        again.discount(made.offsets, made.values, made.people, width)
    return made


def _roll_plain(roller: Roller, partition: Partition, levels: tuple[int, ...]) -> Partition:
    keys, layout = partition.keys.copy(), roller.layout
    for q, (low, high) in enumerate(zip(partition.levels, levels, strict=True)):
        if low != high:
            word, shift, mask, start = layout.word[q], layout.shift[q], layout.mask[q], layout.start[q, low, high]
            codes = (keys[word] >> shift) & mask
            keys[word] = (keys[word] & ~(mask << shift)) | (layout.lut[start + codes.astype(np.int64)] << shift)
    first, group_of = _distinct(keys, layout, levels)
    payloads = tuple(
        _merged(cells, group_of, len(first), width) for cells, width in zip(partition.payloads, roller.widths, strict=True)
    )
    return Partition(levels, keys[:, first], added(partition.people, group_of, len(first)), payloads)


def _distinct(keys: Keys, layout: Layout, levels: tuple[int, ...]) -> tuple[Counts, Counts]:
    """A place of each distinct key, and which one every key is. Where few keys are possible, all of them are listed instead of sorting;
    else words beyond the first are ranked before they are joined."""
    codes = [int(layout.codes[q, level]) for q, level in enumerate(levels)]
    if prod(codes) <= _LISTED * keys.shape[1]:
        return _listed(keys, layout, codes)
    joined = keys[0]
    for word in keys[1:]:
        _, high = np.unique(joined, return_inverse=True)
        ranks, low = np.unique(word, return_inverse=True)
        joined = (high * len(ranks) + low).astype(np.uint64)
    _, first, group_of = np.unique(joined, return_index=True, return_inverse=True)
    return first, group_of


def _listed(keys: Keys, layout: Layout, codes: Sequence[int]) -> tuple[Counts, Counts]:
    """The same by the number of each key among all that are possible."""
    number, below = np.zeros(keys.shape[1], np.int64), 1
    for q, possible in enumerate(codes):
        if possible > 1:
            number += ((keys[layout.word[q]] >> layout.shift[q]) & layout.mask[q]).astype(np.int64) * below
            below *= possible
    place = np.full(below, -1, np.int64)
    place[number[::-1]] = np.arange(len(number))[::-1]  # of several the first stays, which is written last
    there = np.flatnonzero(place >= 0)
    rank = np.zeros(below, np.int64)
    rank[there] = np.arange(len(there))
    return place[there], rank[number]


def _merged(cells: Cells, group_of: Counts, groups: int, width: int) -> Cells:
    keys = np.repeat(group_of, np.diff(cells.offsets)) * width + cells.values
    if groups * width <= _LISTED * len(keys):
        people = added(cells.people, keys, groups * width)
        merged = np.flatnonzero(people)  # a cell has people
        people = people[merged]
    else:
        merged, cell_of = np.unique(keys, return_inverse=True)
        people = added(cells.people, cell_of, len(merged))
    offsets = np.searchsorted(merged // width, np.arange(groups + 1)).astype(np.int64)
    return Cells(offsets, (merged % width).astype(np.int32), people)
