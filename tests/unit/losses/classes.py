"""Classes written as counts per value, as statistics and as a frequency set; and strategies that draw them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from sfumato.beliefs import Prior, statistics_of
from sfumato.frequency import CellTable, FrequencySet
from sfumato.statistics import ClassStatistics, Domain, Held
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute

Classes = list[list[int]]
Floats = npt.NDArray[np.float64]


def total(classes: Sequence[Sequence[int]]) -> list[int]:
    """The counts of one class of everybody."""
    return [sum(column) for column in zip(*classes, strict=True)]


def statistics(
    classes: Sequence[Sequence[int]],
    prior: Sequence[int] | None = None,
    *,
    tree: Sequence[Sequence[int]] | None = None,
    numbers: Sequence[float] | None = None,
    places: Sequence[int] | None = None,
) -> ClassStatistics:
    """Class statistics of counts per value. The prior is that of all classes together, unless given; `places` are those of the values
    and the last one of all that are declared."""
    counts = np.array(classes, np.int64)
    rows, values = np.nonzero(counts)
    offsets = np.searchsorted(rows, np.arange(len(counts) + 1)).astype(np.int64)
    people = np.array(total(classes) if prior is None else prior, np.int64)
    levels = [[0] * len(people)] if tree is None else tree
    domain = Domain(
        attribute="illness",
        labels=tuple(f"v{value}" for value in range(len(people))),
        tree=tuple(np.array(level, np.int32) for level in levels),
        numbers=None if numbers is None else np.array(numbers, np.float64),
        steps=None if places is None else np.diff(places[:-1]) / places[-1],
    )
    shares = (people / people.sum())[None, :]
    return ClassStatistics(counts.sum(axis=1), Held(offsets, values.astype(np.int32), counts[rows, values]), shares, domain)


def frequency_set(classes: Sequence[Sequence[int]], labels: Sequence[str], builder: Listed, kind: Kind) -> FrequencySet:
    """A table whose one QID tells the classes apart, and whose sensitive attribute has these labels."""
    counts = np.array(classes, np.int64)
    rows, values = np.nonzero(counts)
    groups = Listed(tuple((f"c{number:06}",) for number in range(len(counts)))).build("class", Kind.TEXT, ())
    hierarchy = builder.build("illness", kind, labels)
    codes = np.array([hierarchy.at(0).index(labels[value]) for value in values], np.int32)
    cells = CellTable([rows.astype(np.int32)], counts[rows, values], {"illness": (hierarchy, codes)})
    return FrequencySet.of_cells(Node.bottom(("class",)), [groups], cells)


def believed(
    classes: Sequence[Sequence[int]],
    prior: Sequence[int],
    labels: Sequence[str],
    *,
    builder: Listed | None = None,
    kind: Kind = Kind.TEXT,
) -> tuple[FrequencySet, ClassStatistics]:
    """The same the long way: counted cells, a stated prior, and the statistics that follow."""
    builder = builder or Listed(tuple((label,) for label in labels))
    counts = frequency_set(classes, labels, builder, kind)
    held = [(label, people) for label, people in zip(labels, prior, strict=True) if people]
    belief = Prior("illness", tuple(label for label, _ in held), np.array([people for _, people in held], np.int64))
    return counts, statistics_of(counts, Attribute("illness", Role.SENSITIVE, kind, builder), belief)


def counts_of(values: int, *, most: int = 20) -> st.SearchStrategy[list[int]]:
    """People per value, at least one."""
    return st.lists(st.integers(0, most), min_size=values, max_size=values).filter(any)


def classes(*, least: int = 1, values: int = 1, most: int = 6) -> st.SearchStrategy[Classes]:
    """At least so many classes over at least so many values."""
    return st.integers(values, most).flatmap(lambda m: st.lists(counts_of(m), min_size=least, max_size=5))


def pairs(*, values: int = 1, most: int = 6) -> st.SearchStrategy[tuple[list[int], list[int]]]:
    """A prior and a class over the same values; either may lack some."""
    return st.integers(values, most).flatmap(lambda m: st.tuples(counts_of(m), counts_of(m)))


@st.composite
def places(draw: st.DrawFn, values: int) -> list[int]:
    """The places of values among those that are declared, ascending, and the last place of all."""
    gaps = draw(st.lists(st.integers(1, 4), min_size=values, max_size=values))
    each = [sum(gaps[: place + 1]) for place in range(values)]
    return [*each, each[-1] + draw(st.integers(0, 3))]


@st.composite
def trees(draw: st.DrawFn, values: int) -> list[list[int]]:
    """The ancestors of each value, level by level, up to one root: each level a random function of the one below."""
    levels, below = [], list(range(values))
    for _ in range(draw(st.integers(0, 3))):
        parent = {code: draw(st.integers(0, values - 1)) for code in sorted(set(below))}
        below = [parent[code] for code in below]
        levels.append(below)
    return [*levels, [0] * values]


def paths(tree: Sequence[Sequence[int]]) -> list[tuple[str, ...]]:
    """One path per value, from its parent to the root."""
    return [tuple(str(node) for node in path) for path in zip(*tree, strict=True)]


def shares(counts: Sequence[int]) -> Floats:
    return np.array([float(Fraction(count, sum(counts))) for count in counts])
