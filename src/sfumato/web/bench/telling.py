"""What the table as it is gives away: the risk of somebody who knows all quasi-identifiers, and the columns that tell people apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.assessment.risk import THRESHOLD, Risk, risk
from sfumato.frequency import Counts, FrequencySet, packed
from sfumato.reporting.overview import Sizes
from sfumato.reporting.views.disclosed import sizes_of

MOST_PAIRS = 12  # QIDs whose pairs are counted
LISTED = 12
MOST_TOGETHER = 5  # columns that somebody may well know together
KEPT = 3  # combinations of each size that are listed, and that larger ones are built from
_DENSE = 4_000_000  # keys that are counted in a list rather than sorted


@dataclass(frozen=True, slots=True)
class Telling:
    """How much some columns tell people apart together: the people who are alone, and those in classes of fewer than five."""

    columns: tuple[str, ...]
    alone: int
    few: int
    classes: int

    @property
    def name(self) -> str:
        return " and ".join(self.columns) if len(self.columns) < 3 else f"{', '.join(self.columns[:-1])} and {self.columns[-1]}"


@dataclass(frozen=True, slots=True)
class AsItIs:
    """The risk of the table as it is, for somebody who knows all quasi-identifiers, and what tells most: single columns, pairs, and
    combinations of three and more."""

    people: int
    classes: int
    risk: Risk
    sizes: Sizes
    single: tuple[Telling, ...]
    pairs: tuple[Telling, ...]
    more: tuple[Telling, ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "people": self.people,
            "classes": self.classes,
            "risk": self.risk.as_dict(),
            "single": [asdict(each) for each in self.single],
            "pairs": [asdict(each) for each in self.pairs],
            "more": [asdict(each) for each in self.more],
        }


def as_it_is(counts: FrequencySet, population_size: int | None = None, population: Counts | None = None) -> AsItIs:
    """Everything about a counted table."""
    bare = replace(counts, payloads=MappingProxyType({}))
    single = sorted((telling(bare, (name,)) for name in counts.node.attributes), key=_most_first)
    # Where there are too many columns for all pairs, those that tell most by themselves.
    kept = [name for each in single[:MOST_PAIRS] for name in each.columns]
    ordered = [name for name in counts.node.attributes if name in kept]
    pairs = sorted((telling(bare, pair) for pair in combinations(ordered, 2)), key=_most_first)
    return AsItIs(
        counts.total_people,
        counts.classes,
        risk(counts, population_size, population),
        sizes_of(counts, None),
        tuple(single),
        tuple(pairs[:LISTED]),
        tuple(_larger(bare, pairs[:KEPT], ordered)),
    )


def _larger(counts: FrequencySet, found: Sequence[Telling], names: Sequence[str]) -> Iterator[Telling]:
    """The combinations of three and more that tell most, each built from one of the best with a column less."""
    for _ in range(3, min(MOST_TOGETHER, len(names)) + 1):
        wider = {frozenset((*each.columns, name)) for each in found for name in names if name not in each.columns}
        tried = (telling(counts, tuple(name for name in names if name in columns)) for columns in wider)
        found = sorted(tried, key=lambda each: (*_most_first(each), each.columns))[:KEPT]
        yield from found


def telling(counts: FrequencySet, names: tuple[str, ...]) -> Telling:
    """How much some columns tell."""
    sizes = _sizes(counts, names)
    return Telling(names, int((sizes == 1).sum()), int(sizes[sizes < THRESHOLD].sum()), len(sizes))


def _sizes(counts: FrequencySet, names: tuple[str, ...]) -> Counts:
    """The people of each class of some columns."""
    places = [counts.node.attributes.index(name) for name in names]
    radices = [counts.hierarchies[place].codes(counts.node.levels[place]) for place in places]
    if counts.incidence is not None or np.prod(radices, dtype=float) > _DENSE:
        return counts.project(names).people
    keys = packed([counts.codes[:, place] for place in places], radices, counts.classes)
    people = np.bincount(keys, weights=counts.people).astype(np.int64)  # exact: fewer than 2^53
    return people[people > 0]


def _most_first(each: Telling) -> tuple[int, int, int]:
    return -each.alone, -each.few, -each.classes
