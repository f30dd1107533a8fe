"""Which tables satisfy models at a node, for very many tables at once.

Most models read no labels: what they say of a table follows from its profile, the multiset of the sensitive counts of its classes. There
are few profiles, so each is judged once, by the model itself. k-anonymity needs the sizes of classes alone. A model that reads labels is
asked about every distinct published table. `satisfied_plainly` is the reference: one table after the other, as `check` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.beliefs import Prior, statistics_of
from sfumato.channel.enumeration.multisets import Codes, Counts, binomials, numbers
from sfumato.channel.enumeration.universe import Places, Universe
from sfumato.errors import UsageError, argument, several
from sfumato.frequency import FrequencySet, Mask, packed
from sfumato.models import Context, Judged, KAnonymity, PrivacyModel
from sfumato.models.protected import Members
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Node

READS_LABELS = frozenset({"ct-isolation"})
MOST_TABLES = 100_000  # that are judged one by one
_KEY_LIMIT = 2**62


def reads_labels(model: PrivacyModel) -> bool:
    """Whether a model looks at the labels of classes and not only at their people."""
    return model.core is not model or bool(model.columns) or model.core.name in READS_LABELS


def satisfied_plainly(universe: Universe, models: Sequence[PrivacyModel], table: Sequence[int], node: Node) -> bool:
    """Whether a table satisfies all models at a node: counted, rolled up and judged like any other."""
    return _satisfied(universe.counted(table).roll_up(node), universe, models)


def _satisfied(counts: FrequencySet, universe: Universe, models: Sequence[PrivacyModel]) -> bool:
    """What all models say of a frequency set, its own distribution being the prior."""
    sensitive = universe.sensitive
    statistics = statistics_of(counts, sensitive, Prior.of(counts, sensitive.name)) if sensitive else None
    judged = Judged(counts, statistics, Context(members=Members(universe.schema)))
    return all(_answer(model, judged) for model in models)


def _answer(model: PrivacyModel, judged: Judged) -> bool:
    verdict = model.judge(judged)
    if verdict.satisfied is None:
        raise UsageError(f"{model} cannot be judged on a table by itself: {verdict.reason}", where=argument("models"))
    return verdict.satisfied


@dataclass(frozen=True, eq=False)
class Judge:
    """Answers whether tables satisfy all models at a node; tables are rows of numbers, ascending."""

    universe: Universe
    models: tuple[PrivacyModel, ...]

    def __call__(self, tables: Codes, node: Node) -> Mask:
        released = self.universe.released(node)[tables]
        satisfied = np.ones(len(tables), bool)
        if self.sizes:
            satisfied &= class_sizes(released // self.universe.spread) >= max(self.sizes)
        if self.by_profile:
            satisfied &= self._of_profiles(released)
        if self.by_labels:
            satisfied &= self._of_labels(tables, released, node)
        return satisfied

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The k of every k-anonymity."""
        return tuple(model.k for model in self.models if isinstance(model, KAnonymity))

    @cached_property
    def by_profile(self) -> tuple[PrivacyModel, ...]:
        """The other models that follow from the profile of a table."""
        return tuple(model for model in self.models if not isinstance(model, KAnonymity) and not reads_labels(model))

    @cached_property
    def by_labels(self) -> tuple[PrivacyModel, ...]:
        """The models that read labels."""
        return tuple(model for model in self.models if reads_labels(model))

    @cached_property
    def _known(self) -> dict[tuple[int, ...], bool]:
        return {}

    def _of_profiles(self, released: Codes) -> Mask:
        each, profile_of = distinct_profiles(released, self.universe.spread)
        return np.array([self.profile_satisfies(tuple(row)) for row in each.tolist()], bool)[profile_of]

    def profile_satisfies(self, profile: tuple[int, ...]) -> bool:
        """What the models say of a profile; asked once."""
        if profile not in self._known:
            columns, values = _any_table(profile, self.universe.rows + 1)
            cells = self.universe.cell_table([columns], values)
            flat = Hierarchy.flat([str(number + 1) for number in range(self.universe.rows)])
            counts = FrequencySet.of_cells(Node(("class",), (0,)), (flat,), cells)
            self._known[profile] = _satisfied(counts, self.universe, self.by_profile)
        return self._known[profile]

    def _of_labels(self, tables: Codes, released: Codes, node: Node) -> Mask:
        ordered = np.sort(released, axis=1)
        keys = numbers(ordered, binomials(self.universe.kinds(node), self.universe.rows))
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        if len(first) > MOST_TABLES:
            raise UsageError(
                f"{', '.join(map(str, self.by_labels))}: would be asked about {several(len(first), 'table')} at {node}, and at most "
                f"{MOST_TABLES:,} are judged one by one; take fewer rows",
                where=argument("models"),
            )
        answers = [satisfied_plainly(self.universe, self.by_labels, tables[place], node) for place in first.tolist()]
        return np.array(answers, bool)[of]


def class_sizes(cells: Codes) -> Counts:
    """The smallest class of each table, given the class of each of its rows."""
    smallest = np.full(len(cells), cells.shape[1], np.int64)
    for one in cells.T:
        smallest = np.minimum(smallest, sum((one == other).astype(np.int64) for other in cells.T))
    return smallest


def distinct_profiles(released: Codes, spread: int) -> tuple[Codes, Places]:
    """The profiles that occur, and that of each table. A profile is written as the sensitive counts of each row's class, ascending, a
    count vector being the digits of one number."""
    rows = released.shape[1]
    if (rows + 1) ** spread > _KEY_LIMIT:
        raise UsageError(
            f"{several(spread, 'sensitive value')} are too many for tables of {several(rows, 'row')}", where="schema"
        )
    cells, digits = released // spread, (rows + 1) ** (released % spread)
    classes = np.stack(
        [sum((one == other) * digit for other, digit in zip(cells.T, digits.T, strict=True)) for one in cells.T], axis=1
    )
    classes.sort(axis=1)
    codes, code_of = np.unique(classes, return_inverse=True)
    keys = packed(list(code_of.reshape(classes.shape).T), [len(codes)] * rows, len(classes))
    _, first, of = np.unique(keys, return_index=True, return_inverse=True)
    return classes[first], of


def digits_of(number: int, base: int) -> list[int]:
    """The counts that a class's number stands for."""
    counts = []
    while number:
        number, count = divmod(number, base)
        counts.append(count)
    return counts


def _any_table(profile: tuple[int, ...], base: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], Places]:
    """A table with a profile: the class and the sensitive value of each row."""
    classes: list[int] = []
    values: list[int] = []
    place = number = 0
    while place < len(profile):
        counts = digits_of(profile[place], base)
        size = sum(counts)
        classes += [number] * size
        values += [value for value, count in enumerate(counts) for _ in range(count)]
        place, number = place + size, number + 1  # a class has as many entries as people; equal ones stand together
    return np.array(classes, np.int32), np.array(values, np.int64)
