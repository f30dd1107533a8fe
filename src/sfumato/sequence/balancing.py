"""Who gets which signature in the next m-invariant release: division, balancing and assignment (Xiao and Tao 2007, section 5).

People who were published before keep their signature and are divided into buckets by it. A bucket is balanced when each value of its
signature has as many records: newcomers fill it up as long as the others can still be grouped, then counterfeits do. The newcomers that
are left are put into groups of at least m different values, the most frequent ones first.

This file knows values as numbers and people as places in a list; no label is in it.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import DataSayNo, argument, several
from sfumato.frequency import Counts, Mask
from sfumato.operations.anatomy import buckets

NOBODY = -1
Signature = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Records and their buckets: the place of the person (-1 for a counterfeit), the value, and the number of the signature.

    In every bucket each value of its signature has as many records, and no other value has any. One of the values has no counterfeits, so
    no group is made of these alone.
    """

    people: Counts
    values: Counts
    signature_of: Counts
    signatures: tuple[Signature, ...]

    @property
    def counterfeits(self) -> int:
        return int((self.people == NOBODY).sum())


def balanced(values: Counts, earlier: Counts, signatures: Sequence[Signature], m: int, order: Counts) -> Buckets:
    """Put people into buckets. `values` are the sensitive values of the people, `earlier` the number of each one's signature so far, or
    -1 for a newcomer; newcomers are taken in the given `order`."""
    made = _Buckets(values, list(signatures))
    made.divide(earlier)
    pool = _Newcomers(values, order[earlier[order] == NOBODY], m)
    for number in sorted({int(each) for each in earlier if each != NOBODY}):
        made.balance(number, pool)
    made.assign(pool, m)
    return made.finished()


class _Newcomers:
    """Newcomers by value, taken one by one as long as the rest can be grouped: at most one in m has the same value."""

    def __init__(self, values: Counts, places: Counts, m: int) -> None:
        by_value = places[np.argsort(values[places], kind="stable")]
        known, starts = np.unique(values[by_value], return_index=True)
        self.m, self._places = m, dict(zip(known.tolist(), map(list, np.split(by_value, starts[1:])), strict=False))
        self.left = {value: len(each) for value, each in self._places.items()}
        self.total = len(places)

    def take(self, value: int) -> int | None:
        """A newcomer with a value; None if there is none to spare."""
        if not self.left.get(value):
            return None
        others = max((count for each, count in self.left.items() if each != value), default=0)
        if max(others, self.left[value] - 1) * self.m > self.total - 1 and others >= self.left[value]:
            return None
        self.left[value] -= 1
        self.total -= 1
        return int(self._places[value].pop())

    def rest(self) -> Counts:
        """Those who are left."""
        return np.array([place for places in self._places.values() for place in places], np.int64)


class _Buckets:
    """Buckets in the making."""

    def __init__(self, values: Counts, signatures: list[Signature]) -> None:
        self._values, self._signatures = values, signatures
        self._parts: list[tuple[Counts, Counts, Counts]] = []
        self._members: dict[int, Counts] = {}
        self._number = {signature: number for number, signature in enumerate(signatures)}

    def divide(self, earlier: Counts) -> None:
        """The people of every signature."""
        known = np.flatnonzero(earlier != NOBODY)
        places = known[np.argsort(earlier[known], kind="stable")]
        numbers, starts = np.unique(earlier[places], return_index=True)
        ends = np.append(starts, len(places))
        self._members = {number: places[ends[at] : ends[at + 1]] for at, number in enumerate(numbers.tolist())}

    def balance(self, number: int, pool: _Newcomers) -> None:
        """Fill up a bucket until every value of its signature has as many records."""
        places, signature = self._members[number], self._signatures[number]
        values = self._values[places]
        counts = {value: int((values == value).sum()) for value in signature}
        most = max(counts.values())
        people, filled = places.tolist(), values.tolist()
        for value in signature:
            for _ in range(most - counts[value]):
                newcomer = pool.take(value)
                people.append(NOBODY if newcomer is None else newcomer)
                filled.append(value)
        self._add(people, filled, [number] * len(people))

    def assign(self, pool: _Newcomers, m: int) -> None:
        """Group the newcomers that are left, with counterfeits where one value is too frequent among them."""
        places = pool.rest()
        if not len(places):
            return
        values = self._values[places]
        fakes = _counterfeits(values, np.unique(self._values), m)
        records = np.concatenate([values, fakes])
        people = np.concatenate([places, np.full(len(fakes), NOBODY, np.int64)])
        group_of = buckets(records.astype(np.int32), m, np.arange(len(records)))
        by_group = np.lexsort((records, group_of))
        starts = np.flatnonzero(np.diff(group_of[by_group], prepend=-1))
        numbers = np.empty(len(records), np.int64)
        for members in np.split(by_group, starts[1:]):
            signature = tuple(records[members].tolist())
            numbers[members] = self._number_of(signature)
        self._add(people, records, numbers)

    def _number_of(self, signature: Signature) -> int:
        if signature not in self._number:
            self._number[signature] = len(self._signatures)
            self._signatures.append(signature)
        return self._number[signature]

    def _add(self, people: Sequence[int] | Counts, values: Sequence[int] | Counts, numbers: Sequence[int] | Counts) -> None:
        parts = (np.asarray(each, np.int64) for each in (people, values, numbers))
        self._parts.append(tuple(parts))  # type: ignore[arg-type]

    def finished(self) -> Buckets:
        people, values, numbers = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        kept = _needed(people, values, numbers, self._signatures)
        return Buckets(people[kept], values[kept], numbers[kept], tuple(self._signatures))


def _needed(people: Counts, values: Counts, numbers: Counts, signatures: Sequence[Signature]) -> Mask:
    """All records but the counterfeits of which a bucket has one of every value: these would be a group of nobody."""
    fakes = np.flatnonzero(people == NOBODY)
    keys = list(zip(numbers[fakes].tolist(), values[fakes].tolist(), strict=True))
    counts, taken = Counter(keys), Counter[tuple[int, int]]()
    spare = {number: min(counts[number, value] for value in signatures[number]) for number, _ in counts}
    kept = np.ones(len(people), bool)
    for place, key in zip(fakes.tolist(), keys, strict=True):
        taken[key] += 1
        kept[place] = taken[key] > spare[key[0]]
    return kept


def _counterfeits(values: Counts, known: Counts, m: int) -> Counts:
    """The values of the counterfeits without which some records cannot be grouped: none if at most one in m has the same value."""
    if len(known) < m:
        raise DataSayNo(
            f"the table has {several(len(known), 'different sensitive value')}, and every group needs {m}; nothing was published",
            where=argument("m"),
        )
    counts = np.bincount(values, minlength=int(known.max()) + 1)[known]
    rarest = list(zip(counts.tolist(), known.tolist(), strict=True))
    heapq.heapify(rarest)
    fakes = []
    for _ in range(int(counts.max()) * m - len(values)):
        count, value = rarest[0]
        heapq.heapreplace(rarest, (count + 1, value))
        fakes.append(value)
    return np.array(fakes, np.int64)
