"""The addresses of the generator, by number, and their texts.

They are in ranges that nobody has: 240.0.0.0/4, which is reserved, and 2001:db8::/32, which is for examples.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Whole = npt.NDArray[np.int64]
_BLOCKS = 1 << 20  # of 256 addresses in 240.0.0.0/4
_SCATTER = 644_245  # odd, so that every block has one number
_HEX = pa.array([f"{number:x}" for number in range(1 << 16)])
_PREFIXES = 65_535


@dataclass(slots=True)
class Addresses:
    """Addresses are added in groups, each of which gets its numbers. IPv4: a block of 256 and a place in it; IPv6: a /64 and a place."""

    blocks: int = 0
    prefixes: int = 0
    count: int = 0
    _block: list[Whole] = field(default_factory=list)
    _place: list[Whole] = field(default_factory=list)
    _new: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    _country: list[Whole] = field(default_factory=list)

    def new_blocks(self, count: int) -> int:
        """The first of so many blocks that nobody has."""
        self.blocks += count
        if self.blocks > _BLOCKS:
            raise AssertionError("more addresses than there are")
        return self.blocks - count

    def new_prefixes(self, count: int) -> int:
        """The first of so many /64 that nobody has."""
        self.prefixes += count
        return self.prefixes - count

    def add(self, block: Whole, place: Whole, country: Whole, new: npt.NDArray[np.bool_] | None = None) -> Whole:
        """The numbers of new addresses; where `new`, a block is a /64."""
        self._block.append(block)
        self._place.append(place)
        self._country.append(country)
        self._new.append(np.zeros(len(block), bool) if new is None else new)
        self.count += len(block)
        return np.arange(self.count - len(block), self.count)

    def countries(self) -> Whole:
        """The country of each address."""
        return np.concatenate(self._country)

    def texts(self) -> pa.Array:
        """The text of each address."""
        block, place, new = np.concatenate(self._block), np.concatenate(self._place), np.concatenate(self._new)
        old = np.flatnonzero(~new)
        texts = pa.concat_arrays([_old(block[old], place[old]), _new(block[new], place[new])])
        order = np.empty(len(block), np.int64)
        order[np.concatenate([old, np.flatnonzero(new)])] = np.arange(len(block))
        return texts.take(pa.array(order))


def _old(block: Whole, place: Whole) -> pa.Array:
    scattered = block * _SCATTER % _BLOCKS
    parts = [240 + (scattered >> 16), scattered >> 8 & 255, scattered & 255, place]
    return pc.binary_join_element_wise(*(pa.array(part).cast(pa.string()) for part in parts), ".")


def _new(prefix: Whole, place: Whole) -> pa.Array:
    """The groups are not zero, so that this is the canonical text."""
    third, fourth = (_HEX.take(pa.array(1 + part)) for part in (prefix // _PREFIXES, prefix % _PREFIXES))
    return pc.binary_join_element_wise("2001:db8", third, fourth, "", _HEX.take(pa.array(place)), ":")
