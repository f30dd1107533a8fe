"""The query that makes a release of a local recoding: every QID gets its code, and one look-up table of cells gives the labels.

The rows of a divided cell are numbered per sensitive value, in the order of a seeded hash of the whole row. The first rows go to the
first class, as many as the recoding states, the next ones to the second, and so on. Rows that are equal in all published columns are
numbered before they are hashed: otherwise they would all go to the same class, and a plain column would seem to depend on the range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import texts, to_arrow
from sfumato.engines.relational.book import EncodingBook, GroupKey
from sfumato.engines.relational.recode import PublishedColumn, ReleasePlan, beside, joined, lookups, plan_release
from sfumato.engines.relational.sql import Sql
from sfumato.vocabulary.recoding import AnyRecoding, Division, LocalRecoding, Recoding, Sanitized
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True)
class LocalPlan:
    """The published columns in order, QIDs by their code; the tables of cells, classes and, where cells are divided, the division."""

    sql: Sql
    columns: tuple[PublishedColumn, ...]
    quasi: tuple[int, ...]
    value: PublishedColumn | None
    lookups: Mapping[str, pa.Table]

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """The look-up tables that the query joins."""
        tables = {**lookups(self.columns), "lookup_value": self.value.lookup if self.value else None, **self.lookups}
        return {name: table for name, table in tables.items() if table is not None}

    def rows(self, seed: int, owner: GroupKey | None) -> str:
        """The rows of the release in any order: columns p0, p1, … and the owner's number `o`, if there are owners."""
        codes = [f"q{place}" for place in self.quasi]
        rows = self._coded(owner)
        where = " AND ".join(f"cells.s{j} = {code}" for j, code in enumerate(codes))
        joins, number = f"JOIN cells ON {where}", "cells.class"
        if "division" in self.lookups:
            cell = [*codes, "v"]
            row = [*cell, *(f"p{place}" for place in range(len(self.columns)) if place not in self.quasi)]
            rows = f"SELECT *, {self.sql.number_among(row, owner=owner is not None)} AS n FROM ({rows})"
            binary = [f"p{place}" for place, column in enumerate(self.columns) if column.binary]
            order = self.sql.shuffled_by([*row, "n"], seed, binary)
            rows = f"SELECT *, row_number() OVER (PARTITION BY {', '.join(cell)} ORDER BY {order}) AS r FROM ({rows})"
            joins += " LEFT JOIN division AS d ON d.cell = cells.cell AND d.value = v AND r > d.low AND r <= d.high"
            number = "coalesce(d.class, cells.class)"
        joins += f" JOIN classes ON classes.class = {number}"
        return f"SELECT {self._published()}{', o' if owner else ''} FROM ({rows}) {joins}"

    def _coded(self, owner: GroupKey | None) -> str:
        """The rows of the source with codes instead of QIDs, and the code of the sensitive value by which cells are divided."""
        chosen = [
            f"{column.code} AS q{place}" if place in self.quasi else f"{column.value} AS p{place}"
            for place, column in enumerate(self.columns)
        ]
        chosen += [f"{self.value.code if self.value else '0'} AS v"]
        chosen += [f"{owner.sql} AS o"] if owner else []
        joins = " ".join(column.join for column in (*self.columns, *([self.value] if self.value else [])))
        joins += f" {owner.join}" if owner else ""
        return f"SELECT {', '.join(chosen)} FROM source {joins}"

    def _published(self) -> str:
        labels = {place: f"classes.l{j}" for j, place in enumerate(self.quasi)}
        return ", ".join(f"{labels.get(place, f'p{place}')} AS p{place}" for place in range(len(self.columns)))


def plan_local(book: EncodingBook, recoding: LocalRecoding, published: Sequence[str]) -> LocalPlan:
    """How to publish these columns, in this order, under a local recoding."""
    columns, quasi = [], []
    for place, name in enumerate(published):
        attribute, table = book.schema[name], f"lookup_{place}"
        if name in recoding.attributes:
            quasi.append(place)
            columns.append(_coded(book, attribute, table))
        else:
            columns.append(beside(book, attribute, table))
    order = [recoding.attributes.index(published[place]) for place in quasi]
    tables = {"cells": _cells(recoding, order), "classes": _classes(recoding, order)}
    value = None
    if recoding.division is not None:
        tables["division"] = _row_numbers(recoding.division)
        value = _coded(book, book.schema[recoding.sensitive], "lookup_value") if recoding.sensitive else None
    return LocalPlan(book.columns.sql, tuple(columns), tuple(quasi), value, tables)


def _coded(book: EncodingBook, attribute: Attribute, table: str) -> PublishedColumn:
    """An attribute by its code at level 0."""
    encoding = book.encoding(attribute, 0)
    lookup = pa.table({"key": encoding.keys, "code": to_arrow(encoding.codes)})
    join = joined(table, book.columns.raw(attribute.name))
    return PublishedColumn(attribute.name, "", f"coalesce({table}.code, {encoding.missing})", join, lookup)


def _cells(recoding: LocalRecoding, order: Sequence[int]) -> pa.Table:
    """Every cell with its number and its class."""
    codes = {f"s{j}": to_arrow(recoding.cells[:, place]) for j, place in enumerate(order)}
    return pa.table(
        {**codes, "cell": to_arrow(np.arange(len(recoding.cells), dtype=np.int32)), "class": to_arrow(recoding.class_of)}
    )


def _classes(recoding: LocalRecoding, order: Sequence[int]) -> pa.Table:
    """The labels of every class."""
    columns = {"class": to_arrow(np.arange(len(recoding.classes), dtype=np.int32))}
    for j, place in enumerate(order):
        labels = (*recoding.labels(recoding.attributes[place]), None)
        columns[f"l{j}"] = texts([labels[code] for code in recoding.classes[:, place]])
    return pa.table(columns)


def _row_numbers(division: Division) -> pa.Table:
    """For each divided cell and value, the numbers of the rows that go to each class, from `low` + 1 to `high`."""
    upto = np.cumsum(division.people)
    fresh = np.ones(len(upto), bool)
    fresh[1:] = (division.cells[1:] != division.cells[:-1]) | (division.values[1:] != division.values[:-1])
    before = np.repeat((upto - division.people)[fresh], np.diff(np.append(np.flatnonzero(fresh), len(upto))))
    columns = {"cell": division.cells, "value": division.values, "class": division.classes}
    bounds = {"low": upto - division.people - before, "high": upto - before}
    return pa.table(
        {name: to_arrow(column) for name, column in columns.items()}
        | {name: pa.array(column.tolist(), pa.int64()) for name, column in bounds.items()}
    )


# How each kind of recoding is published.
_PLANS: Mapping[str, Callable[[EncodingBook, Any, Sequence[str]], ReleasePlan | LocalPlan]] = {
    Recoding.kind: plan_release,
    LocalRecoding.kind: plan_local,
    Sanitized.kind: plan_release,
}


def plan_of(book: EncodingBook, recoding: AnyRecoding, published: Sequence[str]) -> ReleasePlan | LocalPlan:
    """How to publish these columns, in this order, under a recoding."""
    return _PLANS[recoding.kind](book, recoding, published)
