"""The small tables of the sources as tables of this library: classes in the order of the source, measured by the public verbs.

A published table is used as printed: its labels are the values of its QIDs. The prior is its own, since the sources' published tables
contain everybody of the original.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sfumato as sf
from sfumato.beliefs import statistics_of
from sfumato.frequency import FrequencySet
from sfumato.statements import Statement
from sfumato.vocabulary.builders import Listed, Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True)
class Example:
    """Columns of equal length; those that are not sensitive are QIDs. `trees` are hierarchies of sensitive attributes."""

    columns: Mapping[str, Sequence[Any]]
    sensitive: tuple[str, ...]
    trees: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of_text(cls, text: str, *sensitive: str, trees: Mapping[str, Mapping[str, Any]] | None = None) -> Example:
        """From lines of comma-separated values under a line of names; columns of whole numbers become numbers."""
        heads, *rows = csv.reader(text.split("\n")[:-1])
        columns = {head: _typed(list(column)) for head, column in zip(heads, zip(*rows, strict=True), strict=True)}
        return cls(columns, sensitive, trees or {})

    @classmethod
    def of_counts(cls, values: Sequence[Any], *classes: Sequence[int]) -> Example:
        """From people per value in class 1, class 2, …"""
        pairs = [
            (number, value)
            for number, people in enumerate(classes, start=1)
            for value, count in zip(values, people, strict=True)
            for _ in range(count)
        ]
        return cls({"class": [number for number, _ in pairs], "value": [value for _, value in pairs]}, ("value",), {})

    @property
    def quasi(self) -> list[str]:
        return [name for name in self.columns if name not in self.sensitive]

    def open(self) -> sf.Table:
        """As a table under a schema."""
        import pyarrow as pa

        return sf.Table.open(pa.table(dict(self.columns)), sf.Schema(tuple(map(self._attribute, self.columns))))

    def losses(self, sensitive: str | None = None, prior: Sequence[Statement] = ()) -> dict[str, list[float]]:
        """Every loss of every class; without a name, of the first sensitive attribute."""
        name = sensitive or self.sensitive[0]
        stated = {name: list(prior)} if prior else None
        with self.open() as table:
            rows = sf.measure(table, node=[0] * len(self.quasi), sensitive=[name], prior=stated).attributes[0].per_class
            order = self._order(table.count(sensitive=()))
        return {head: [rows.rows[place][at] for place in order] for at, head in enumerate(rows.heads) if at > 1}

    def judged(self, model: str, sensitive: str | None = None) -> float:
        """The value of a model over the whole table."""
        with self.open() as table:
            space = sf.explore(table, models=[model], sensitive=[sensitive or self.sensitive[0]])
        return float(space.why_not([0] * len(self.quasi))[0].value[0])

    def shares(self, sensitive: str | None = None) -> list[dict[str, float]]:
        """The posterior of every class: shares of the values that occur in it."""
        name = sensitive or self.sensitive[0]
        with self.open() as table:
            counts = table.count(sensitive=[name])
        payload, result = counts.payloads[name], []
        for place in self._order(counts):
            cells = slice(*payload.offsets[place : place + 2])
            labels = [str(payload.hierarchy.label(0, int(code))) for code in payload.values[cells]]
            people = (payload.people[cells] / payload.people[cells].sum()).tolist()
            result.append(dict(zip(labels, people, strict=True)))
        return result

    def believed(self, stated: Sequence[Statement]) -> list[dict[str, float]]:
        """The prior of every class under stated beliefs."""
        name = self.sensitive[0]
        with self.open() as table:
            counts = table.count()
            statistics = statistics_of(counts, table.schema[name], sf.Prior.of(counts, name), stated)
        labels = [str(label) for label in statistics.domain.labels]
        return [dict(zip(labels, statistics.prior[place].tolist(), strict=True)) for place in self._order(counts)]

    def _order(self, counts: FrequencySet) -> list[int]:
        """The places of the classes in the order in which the source lists them."""
        places = {counts.labels(number): number - 1 for number in range(1, counts.classes + 1)}
        listed = dict.fromkeys(zip(*(map(str, self.columns[name]) for name in self.quasi), strict=True))
        return [places[labels] for labels in listed]

    def _attribute(self, name: str) -> Attribute:
        role = Role.SENSITIVE if name in self.sensitive else Role.QUASI
        builder = Listed.of_tree(self.trees[name]) if name in self.trees else Suppression()
        kind = Kind.INTEGER if isinstance(self.columns[name][0], int) else Kind.TEXT
        return Attribute(name, role, kind, builder)


def _typed(column: list[str]) -> list[Any]:
    return [int(cell) for cell in column] if all(cell.isdigit() for cell in column) else column
