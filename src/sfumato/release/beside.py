"""The released rows in the order of the original. Rows are mapped one by one here, without the engine's joins: a plain second way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.encoding import canonical_texts, typed_values
from sfumato.engines.sources import index_names
from sfumato.errors import UsageError
from sfumato.table import Table
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.kinds import Kind, Role, natural_order
from sfumato.vocabulary.recoding import AnyRecoding, LocalRecoding, Recoding
from sfumato.vocabulary.schema import Attribute


def beside_original(source: Table, recoding: AnyRecoding, columns: Sequence[str]) -> Any:
    """The published columns, row by row; suppressed rows left out or starred as the recoding says."""
    if recoding.kind not in _WAYS:
        raise UsageError("an operation has changed the rows, and which became which is not kept", where="beside_original")
    table = pa.Table.from_batches(list(source.rows(columns)))
    return _WAYS[recoding.kind](source, recoding, table)


def _fully(source: Table, recoding: Recoding, table: pa.Table) -> Any:
    """Every QID at its level."""
    codes = {name: _codes(source, recoding, name, table[name]) for name in recoding.node.attributes}
    suppressed = [tuple(row) in recoding.suppressed for row in zip(*codes.values(), strict=True)]
    columns = {
        name: _labels(source.schema[name], recoding, codes[name], suppressed)
        if name in codes
        else _as_is(source, name, table[name])
        for name in table.column_names
    }
    if recoding.stars and recoding.blank:
        left = pa.array(suppressed)
        columns |= {name: pc.if_else(left, None, columns[name]) for name in source.schema.sensitive if name in columns}
    released = pa.table(columns)
    kept = None if recoding.stars or not recoding.suppressed else [not left for left in suppressed]
    return _as_given(source.source.data, released if kept is None else released.filter(pa.array(kept)), kept)


def _locally(source: Table, recoding: LocalRecoding, table: pa.Table) -> Any:
    """Every row under the labels of its cell, found by the values themselves."""
    if recoding.division is not None:
        raise UsageError(
            "a relaxed release divides cells, and which row of a cell is in which class is not kept; publish a strict one",
            where="beside_original",
        )
    names = recoding.attributes
    class_of = {recoding.cell_labels(cell): int(number) for cell, number in enumerate(recoding.class_of)}
    values = [canonical_texts(source.schema[name], table[name], source.schema.missing) for name in names]
    rows = [recoding.class_labels(class_of[cell]) for cell in zip(*values, strict=True)]
    labels = {name: pa.array(column, pa.string()) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    released = pa.table(
        {name: labels[name] if name in labels else _as_is(source, name, table[name]) for name in table.column_names}
    )
    return _as_given(source.source.data, released, None)


_WAYS: Mapping[str, Callable[[Table, Any, pa.Table], Any]] = {Recoding.kind: _fully, LocalRecoding.kind: _locally}


def _as_given(origin: Any, released: pa.Table, kept: Sequence[bool] | None) -> Any:
    """As the kind of table that was given; a pandas frame with its index."""
    if type(origin).__module__.startswith("pandas"):
        frame = released.drop_columns([name for name in index_names(origin) if name in released.column_names]).to_pandas()
        frame.index = origin.index if kept is None else origin.index[kept]
        return frame
    if type(origin).__module__.startswith("polars"):
        import polars as pl

        return pl.DataFrame(released)
    return released


def _codes(source: Table, recoding: Recoding, name: str, column: pa.ChunkedArray) -> list[int]:
    """The class code of every row, from a hierarchy built over the values themselves."""
    attribute, level = source.schema[name], recoding.node[name]
    kind = attribute.kind or Kind.TEXT
    texts = canonical_texts(attribute, column, source.schema.missing)
    values = natural_order(kind, {text for text in texts if text is not None})
    hierarchy = attribute.builder.build(name, kind, values)
    labels = [hierarchy.label(level, int(code)) for code in hierarchy.ancestors(0, level)]
    label_of: dict[str | None, str | None] = dict(zip((*hierarchy.labels[0], None), labels, strict=True))
    code_of: dict[str | None, int] = {label: code for code, label in enumerate((*recoding.labels(name), None))}
    return [code_of[label_of[text]] for text in texts]


def _labels(attribute: Attribute, recoding: Recoding, codes: Sequence[int], suppressed: Sequence[bool]) -> pa.Array:
    hierarchy, level = recoding.hierarchies[attribute.name], recoding.node[attribute.name]
    labels = [hierarchy.label(level, code) for code in codes]
    if recoding.keeps_type(attribute.name):
        return typed_values(attribute.kind or Kind.TEXT, labels)
    return pa.array(
        [ROOT if recoding.stars and left else label for label, left in zip(labels, suppressed, strict=True)], pa.string()
    )


def _as_is(source: Table, name: str, column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    attribute = source.schema[name]
    if attribute.role is Role.PLAIN and source.engine.kinds[name] is not Kind.TEXT:
        return column
    return typed_values(attribute.kind or Kind.TEXT, canonical_texts(attribute, column, source.schema.missing))
