"""Suggest a schema for a table nobody has described yet: roles, types and hierarchies, each with the reason.

One column is looked at at a time. Two numbers say how much a column tells people apart (Motwani and Xu 2007): *distinction*, the
share of distinct values, and *separation*, the share of pairs of records that differ in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.commit.writing import write_text
from sfumato.engines.base import Engine
from sfumato.errors import DataError, SpellingWarning
from sfumato.options import divided
from sfumato.profiling.suggest import ColumnProfile, Suggestion, suggest
from sfumato.table.source import SOURCE_OPTIONS, SourceOptions, source_of
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Schema
from sfumato.vocabulary.spelling import variants_of
from sfumato.vocabulary.toml import schema_text

# Values that stand for "no value" in the wild; taken as missing where they occur.
USUAL_MISSING = ("", "?", "NA", "N/A", "NULL", "null", "NaN", "nan")
_MERGE_EVERY = 64


@dataclass(frozen=True, slots=True)
class Profile:
    """The suggested schema and, per column, what it looks like and why it was suggested."""

    schema: Schema
    suggestions: tuple[Suggestion, ...]
    rows: int

    def to_toml(self) -> str:
        """The schema as a file to go on from, with a comment on every choice."""
        head = "# Suggested by sfumato from the data. Read every line: roles decide what may leave the house.\n\n"
        return head + schema_text(self.schema, {each.attribute.name: each.why for each in self.suggestions})

    def as_dicts(self) -> list[dict[str, Any]]:
        """One entry per column, for machines."""
        return [each.as_dict() for each in self.suggestions]


def profile(
    data: Any, *, watch: Callable[[str, Engine | None], None] = lambda step, engine: None, **options: Unpack[SourceOptions]
) -> Profile:
    """Look at every column of a table and suggest a schema. The other arguments are the fields of `Source`."""
    (settings,) = divided(options, SOURCE_OPTIONS)
    source = source_of(data, None, settings)
    engine, columns = source.open_engine(), []
    try:
        for name in engine.kinds:
            watch(f"looking at {name}", engine)
            columns.append(_look(engine, name))
    finally:
        engine.close()
    rows = max((column.rows for column in columns), default=0)
    if rows == 0:
        raise DataError("no row of data below the header", where=str(data) if isinstance(data, str) else None)
    suggestions = _one_owner([suggest(column) for column in columns])
    _warn_of_spellings(columns, suggestions)
    missing = tuple(text for text in USUAL_MISSING if text == "" or any(text in column.blanks for column in columns))
    return Profile(Schema(tuple(each.attribute for each in suggestions), missing=missing), suggestions, rows)


def _warn_of_spellings(columns: Sequence[ColumnProfile], suggestions: Sequence[Suggestion]) -> None:
    """Where values that would be judged or generalized occur in several spellings."""
    for column, suggestion in zip(columns, suggestions, strict=True):
        counted = suggestion.attribute.role in (Role.QUASI, Role.SENSITIVE) and suggestion.attribute.kind is Kind.TEXT
        if counted and (variants := variants_of(column.texts())):
            warnings.warn(variants.of_column(column.name), SpellingWarning, stacklevel=3)


def _one_owner(suggestions: list[Suggestion]) -> tuple[Suggestion, ...]:
    """A table has one owner column at most: the one with most people; other keys of persons do not leave."""
    owners = [each for each in suggestions if each.attribute.role is Role.OWNER]
    chosen = max(owners, key=lambda each: each.distinct, default=None)
    return tuple(
        replace(each, attribute=replace(each.attribute, role=Role.IDENTIFIER), reason="a person's key beside the owner's")
        if each in owners and each is not chosen
        else each
        for each in suggestions
    )


def write_schema(profiled: Profile, path: Path, *, force: bool = False) -> None:
    """The suggested schema as a file."""
    write_text(path, profiled.to_toml(), force=force)


def _look(engine: Engine, name: str) -> ColumnProfile:
    """The distinct values of one column and how often they occur."""
    values, counts = _value_counts(engine.rows([name]))
    rows = int(counts.sum())
    text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    blank = pc.is_in(values, value_set=pa.array(USUAL_MISSING, values.type)) if text else pc.is_null(values, nan_is_null=True)
    blank = pc.fill_null(pc.or_(blank, pc.is_null(values)), True).to_numpy(zero_copy_only=False)
    spread = np.append(counts[~blank], counts[blank].sum())  # whatever means missing is one value
    pairs = rows * (rows - 1)
    same = float((spread.astype(np.float64) * (spread - 1)).sum())  # squares of billions would not fit 64 bits
    return ColumnProfile(
        name=name,
        kind=engine.kinds[name],
        values=values.filter(pa.array(~blank)),
        rows=rows,
        missing=int(counts[blank].sum()),
        distinct=int((~blank).sum()),
        separation=1 - same / pairs if pairs else 0.0,
        blanks=frozenset(values.filter(pa.array(blank)).drop_null().to_pylist()) if text else frozenset(),
    )


def _value_counts(batches: Iterator[pa.RecordBatch]) -> tuple[pa.Array, np.ndarray[Any, np.dtype[np.int64]]]:
    """Distinct values and counts of a stream, merged as it goes so that memory follows the distinct values."""
    merged: pa.Table | None = None
    waiting: list[pa.Table] = []
    for batch in batches:
        waiting.append(_counted(pa.table({"value": _plain(batch.column(0)), "n": np.ones(batch.num_rows, np.int64)})))
        if len(waiting) == _MERGE_EVERY:
            merged, waiting = _counted(pa.concat_tables([*([merged] if merged else []), *waiting])), []
    tables = [*([merged] if merged else []), *waiting]
    if not tables:
        return pa.array([], pa.string()), np.zeros(0, np.int64)
    table = _counted(pa.concat_tables(tables)).combine_chunks()
    return table["value"].combine_chunks(), table["n"].to_numpy()


def _counted(table: pa.Table) -> pa.Table:
    return table.group_by("value").aggregate([("n", "sum")]).rename_columns({"n_sum": "n"}).select(["value", "n"])


def _plain(column: pa.Array) -> pa.Array:
    """Types that are none of ours count as text."""
    if pa.types.is_dictionary(column.type):
        return pc.cast(column, column.type.value_type)
    odd = pa.types.is_nested(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string()) if odd else column
