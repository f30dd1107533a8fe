"""Multisets as sorted rows of an array: all of them in order, and the place of each among them (the combinatorial number system)."""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
LARGEST = 2**62  # numbers of multisets are held in 64 bits


def how_many(kinds: int, size: int) -> int:
    """The multisets of a size over so many kinds."""
    return comb(kinds + size - 1, size)


def all_multisets(kinds: int, size: int) -> Codes:
    """Every multiset, one per row, its members ascending; rows in lexicographic order."""
    found = np.zeros((1, 0), np.int64)
    for _ in range(size):
        last = found[:, -1] if found.shape[1] else np.zeros(1, np.int64)
        width = kinds - last
        ends = np.cumsum(width)
        member = np.arange(int(ends[-1])) - np.repeat(ends - width, width) + np.repeat(last, width)
        found = np.column_stack([np.repeat(found, width, axis=0), member])
    return found


def binomials(kinds: int, size: int) -> Counts:
    """For each place of a sorted multiset and each member, what it adds to the multiset's number."""
    return np.array([[comb(member + place, place + 1) for member in range(kinds)] for place in range(size)], np.int64).reshape(
        size, kinds
    )


def numbers(multisets: Codes, table: Counts) -> Counts:
    """The number of each multiset, from 0, given its members ascending and the `binomials`; different ones have different numbers."""
    total = np.zeros(len(multisets), np.int64)
    for place, terms in enumerate(table):
        total += terms[multisets[:, place]]
    return total


def multiset_of(number: int, kinds: int, size: int) -> tuple[int, ...]:
    """The multiset that has a number."""
    members = []
    for place in range(size - 1, -1, -1):
        member = max(each for each in range(kinds) if comb(each + place, place + 1) <= number)
        members.append(member)
        number -= comb(member + place, place + 1)
    return tuple(reversed(members))
