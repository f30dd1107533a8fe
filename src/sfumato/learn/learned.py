"""A recoding that was learned from some rows, as rules for any rows.

It holds what a release shows and no more: the schema with fixed bounds, a level for each QID, and the classes by their labels. A value
that is in no label, or labels that are together in no class, make a row *unknown*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pyarrow as pa

from sfumato.engines.encoding import canonical_texts
from sfumato.errors import DataError, HierarchyError
from sfumato.question import Question, problem_of
from sfumato.question.problem import loss_to_minimize
from sfumato.search.algorithms.search import Search
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import NotFound
from sfumato.search.plain import PlainEvaluator
from sfumato.table.source import Source
from sfumato.vocabulary.builders import Intervals
from sfumato.vocabulary.builders.intervals import below, exactly
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.kinds import Kind, Role, natural_order
from sfumato.vocabulary.labels import in_order
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema

Label = str | None
AUTO = "auto"
MOST_NODES = 200_000  # a search for the best of more takes minutes
BUDGET = 500
_UNKNOWN = "\0unknown"  # no text of a table has a zero byte


@dataclass(frozen=True, slots=True)
class Learned:
    """The QIDs with their types and fixed bounds, the level of each, the texts that mean missing, and the classes."""

    attributes: tuple[Attribute, ...]
    levels: tuple[int, ...]
    missing: tuple[str, ...]
    classes: frozenset[tuple[Label, ...]]

    @property
    def node(self) -> dict[str, int]:
        """The level of each QID."""
        return {attribute.name: level for attribute, level in zip(self.attributes, self.levels, strict=True)}

    def codes(self) -> tuple[dict[Label, float], ...]:
        """For each QID the place of every label in their order; that of a missing value is NaN, that of an unknown row -1."""
        shown = [{row[place] for row in self.classes} - {None} for place in range(len(self.attributes))]
        ordered = [in_order(str(label) for label in labels) for labels in shown]
        # `*` is a label where the QID is at its root, and otherwise that of unknown rows.
        rest: dict[Label, float] = {ROOT: -1.0, None: float("nan")}
        return tuple(rest | {label: float(code) for code, label in enumerate(labels)} for labels in ordered)

    def labels(self, table: pa.Table) -> tuple[list[tuple[Label, ...]], list[bool]]:
        """The labels of every row, and whether the row is known; one that is not has `*` in every QID."""
        columns = [self._column(place, table[attribute.name]) for place, attribute in enumerate(self.attributes)]
        rows = list(zip(*columns, strict=True))
        known = [row in self.classes for row in rows]
        stars = (ROOT,) * len(self.attributes)
        return [row if is_known else stars for row, is_known in zip(rows, known, strict=True)], known

    def _column(self, place: int, column: pa.ChunkedArray) -> list[Label]:
        attribute, level = self.attributes[place], self.levels[place]
        if level == attribute.height():
            root = next(iter(self.classes))[place]
            return [root] * len(column)
        texts = self._texts(attribute, column)
        label_of = _label_of(attribute, level, {text for text in texts if text not in (None, _UNKNOWN)})
        return [None if text is None else label_of.get(text, _UNKNOWN) for text in texts]

    def _texts(self, attribute: Attribute, column: pa.ChunkedArray) -> list[Label]:
        """The canonical text of each value; one that does not fit the type is unknown."""
        try:
            return canonical_texts(attribute, column, self.missing)
        except DataError:
            if len(column) == 1:
                return [_UNKNOWN]
            return [text for place in range(len(column)) for text in self._texts(attribute, column.slice(place, 1))]


def _label_of(attribute: Attribute, level: int, values: set[Any]) -> dict[str, Label]:
    """The label of each value at a level, without those that the hierarchy does not cover."""
    kind = attribute.kind or Kind.TEXT
    try:
        hierarchy = attribute.builder.build(attribute.name, kind, natural_order(kind, values))
    except HierarchyError:
        if len(values) <= 1:
            return {}
        return {value: label for each in values for value, label in _label_of(attribute, level, {each}).items()}
    codes = hierarchy.ancestors(0, level)
    return {leaf: hierarchy.label(level, int(codes[place])) for place, leaf in enumerate(hierarchy.labels[0]) if leaf in values}


def learned_from(table: pa.Table, schema: Schema, question: Question, minimize: str, algorithm: str) -> Learned | None:
    """The best recoding of a table under the models; None if there is none."""
    with Source(table, _with_fixed_bounds(table, schema)).open() as opened:
        problem, _ = problem_of(opened, question)
        size = Lattice.of(problem.counts).size
        search = Search(minimize, algorithm=algorithm) if algorithm != AUTO else _search_for(size, minimize)
        outcome = search.run(problem, loss_to_minimize(minimize, problem))
        if isinstance(outcome, NotFound):
            return None
        node: Node = outcome.node
        classes = problem.counts.roll_up(node)
        leaving = set(PlainEvaluator(problem, []).leaving(node.levels)) if problem.limit else set()
        kept = frozenset(classes.labels(number) for number in range(1, classes.classes + 1) if number not in leaving)
        attributes = tuple(opened.schema[name] for name in node.attributes)
        return Learned(attributes, node.levels, opened.schema.missing, kept)


def _search_for(size: int, minimize: str) -> Search:
    """The best of all nodes, or among very many the best of some."""
    return Search(minimize) if size <= MOST_NODES else Search(minimize, algorithm="evolutionary", budget=BUDGET)


def _with_fixed_bounds(table: pa.Table, schema: Schema) -> Schema:
    """The schema with bounds for bands that would take them from the rows at hand: new rows must have the same bands."""
    attributes = [_fixed(attribute, table, schema.missing) for attribute in schema.attributes]
    return replace(schema, attributes=tuple(attributes))


def _fixed(attribute: Attribute, table: pa.Table, missing: Sequence[str]) -> Attribute:
    builder = attribute.builder
    if attribute.role is not Role.QUASI or not isinstance(builder, Intervals) or builder.lower is not None:
        return attribute
    with exactly():
        numbers = [Decimal(text) for text in canonical_texts(attribute, table[attribute.name], missing) if text is not None]
        widest = builder.widths[-1]
        lower = below(min(numbers, default=Decimal(0)), widest)
        upper = below(max(numbers, default=Decimal(0)), widest) + widest
    return replace(attribute, builder=replace(builder, lower=lower, upper=upper))
