"""Suggest a schema for a table nobody has described yet: roles, types and hierarchies, each with the reason.

Columns are looked at one by one, but read many at a time: a file of thousands of columns is read in few passes. Two numbers say how
much a column tells people apart (Motwani and Xu 2007): *distinction*, the share of distinct values, and *separation*, the share of
pairs of records that differ in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.commit.writing import write_text
from sfumato.engines.base import Engine
from sfumato.engines.memory import room_for_counts
from sfumato.errors import DataError, SpellingWarning, several
from sfumato.options import divided
from sfumato.profiling.suggest import ColumnProfile, Suggestion, suggest
from sfumato.profiling.values import Values
from sfumato.table.source import SOURCE_OPTIONS, Source, SourceOptions, source_of
from sfumato.table.written import Evidence, Reading, decided, evidence_of, evidence_of_decimals, require_header
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.dialect import Written
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Schema
from sfumato.vocabulary.spelling import Variants
from sfumato.vocabulary.toml import schema_text

# Values that stand for "no value" in the wild; taken as missing where they occur.
USUAL_MISSING = ("", "?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan")
ROOM = 64 << 20  # bytes of distinct values that are collected in one pass
_TOGETHER = 1 << 20
_BATCH = 65_536


@dataclass(frozen=True, slots=True)
class Profile:
    """The suggested schema and, per column, what it looks like and why it was suggested; what the table was taken for, in words, where
    that is not plain."""

    schema: Schema
    suggestions: tuple[Suggestion, ...]
    rows: int
    read_as: tuple[str, ...] = ()

    def to_toml(self) -> str:
        """The schema as a file to go on from, with a comment on every choice."""
        head = "# Suggested by sfumato from the data. Read every line: roles decide what may leave the house.\n"
        head += "".join(f"# {line}\n" for line in self.read_as) + "\n"
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
    engine = source.open_engine()
    try:
        if source.header is None and engine.has_header:
            require_header(tuple(engine.kinds), engine.rows)
        with TemporaryFolder(source.temp) as spool:
            columns, reading = _read_as_written(source, _look_at_all(engine, spool, source.memory, watch), spool, watch)
    finally:
        engine.close()
    rows = max((each.rows for each in columns), default=0)
    if rows == 0:
        raise DataError("no row of data below the header", where=str(source.data) if isinstance(data, str) else None)
    suggestions = _one_owner([each.suggestion for each in columns])
    for each in columns:
        if each.variants:
            warnings.warn(each.variants.of_column(each.suggestion.attribute.name), SpellingWarning, stacklevel=2)
    blanks = frozenset[str]().union(*(each.blanks for each in columns))
    missing = tuple(text for text in USUAL_MISSING if text == "" or text in blanks)
    found = reading.dialect.over(engine.dialect)
    asked = replace(source.dialect, dates=None, decimal=None, thousands=None)
    schema = Schema(tuple(each.attribute for each in suggestions), missing=missing, source=asked.over(found))
    return Profile(schema, suggestions, rows, tuple(reading.lines(found)))


@dataclass(frozen=True, slots=True)
class _Looked:
    """What remains of a column when its values are forgotten; `variants` if values that would be judged or generalized occur in several
    spellings."""

    suggestion: Suggestion
    rows: int
    blanks: frozenset[str]
    variants: Variants | None
    evidence: Evidence | None = None

    @property
    def name(self) -> str:
        return self.suggestion.attribute.name

    def written(self, written: Written) -> _Looked:
        """The same, with how its texts are written."""
        attribute = replace(self.suggestion.attribute, written=written)
        return replace(self, suggestion=replace(self.suggestion, attribute=attribute))


def _evidence(column: ColumnProfile, kind: Kind) -> Evidence | None:
    """How a column may be written, if it is of texts that are no plain numbers or dates."""
    if column.kind is not Kind.TEXT or kind not in (Kind.TEXT, Kind.DECIMAL):
        return None
    return evidence_of(column.values.chunks()) if kind is Kind.TEXT else evidence_of_decimals(column.values.chunks)


def _read_as_written(
    source: Source, columns: list[_Looked], spool: Path, watch: Callable[[str, Engine | None], None]
) -> tuple[list[_Looked], Reading]:
    """The columns with those looked at once more, as what they are, that are not written plainly; and how all are read."""
    reading = decided({each.name: each.evidence for each in columns if each.evidence}, source.dialect)
    if not reading.columns:
        return columns, reading
    engine = source.open_engine(written=reading.columns)
    try:
        again = _look_at_all(engine, spool, source.memory, watch, list(reading.columns))
    finally:
        engine.close()
    reading = reading.without(each.name for each in again if each.suggestion.attribute.kind is Kind.TEXT)
    looked = {each.name: each.written(reading.declared(each.name)) for each in again if each.name in reading.columns}
    return [looked.get(each.name, each) for each in columns], reading


def _looked_at(column: ColumnProfile) -> _Looked:
    suggestion = suggest(column)
    counted = suggestion.attribute.role in (Role.QUASI, Role.SENSITIVE) and suggestion.attribute.kind is Kind.TEXT
    variants = column.values.variants() if counted else None
    evidence = _evidence(column, suggestion.attribute.kind or Kind.TEXT)
    return _Looked(suggestion, column.rows, column.blanks, variants, evidence)


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


def _look_at_all(
    engine: Engine,
    spool: Path,
    memory: str | None,
    watch: Callable[[str, Engine | None], None],
    names: Sequence[str] | None = None,
) -> list[_Looked]:
    """Look at every column (or those named), some in each pass over the rows: as many as there is room for the distinct values of."""
    names, columns = list(engine.kinds) if names is None else names, list[_Looked]()
    room = ROOM if memory is None else min(ROOM, room_for_counts(memory) // 8)
    while len(columns) < len(names):
        block = names[len(columns) :]
        watch(f"reading {several(len(block), 'column')}", engine)
        for name, counted in zip(block, _tallied(engine, block, room), strict=False):
            watch(f"looking at {name}", None)
            values = Values(room, lambda: spool / f"{len(columns)}.arrow")
            columns.append(_looked_at(_profile_of(name, engine.kinds[name], counted, values)))
    return columns


def _tallied(engine: Engine, names: Sequence[str], room: int) -> list[Iterator[pa.RecordBatch]]:
    """The distinct values of the first columns and how often they occur; columns at the end are given up when there are too many values."""
    tallies = [_Tally() for _ in names]
    for batch in engine.rows(names):
        for tally, column in zip(tallies, batch.columns, strict=False):
            tally.add(column)
        while len(tallies) > 1 and sum(tally.size for tally in tallies) > room:
            del tallies[(len(tallies) + 1) // 2 :]
            pa.default_memory_pool().release_unused()
        if len(tallies) == 1 and tallies[0].size > room and pa.types.is_string(batch.schema.field(0).type):
            break
    else:
        return [tally.distinct() for tally in tallies]
    del tallies
    pa.default_memory_pool().release_unused()
    return [engine.distinct(names[0])]  # the engine counts on disk


class _Tally:
    """Distinct values and counts of a column, merged as it goes so that memory follows the distinct values."""

    def __init__(self) -> None:
        self._waiting: list[pa.Array] = []
        self._parts: list[pa.Table] = []
        self._fresh = 0  # bytes that wait, that were counted since the last merge, and of what is merged
        self._counted = 0
        self._merged = 0

    @property
    def size(self) -> int:
        return self._fresh + self._counted + self._merged

    def add(self, column: pa.Array) -> None:
        """Take the values of a batch; some batches are counted together."""
        self._waiting.append(_plain(column))
        self._fresh += self._waiting[-1].nbytes
        if self._fresh > _TOGETHER:
            self._count()
            if self._counted > self._merged:
                self._merge()

    def distinct(self) -> Iterator[pa.RecordBatch]:
        """The distinct values, `value`, and how often each occurs, `n`."""
        self._count()
        if self._parts:
            self._merge()
            (table,) = self._parts
            self._parts = []
            yield from table.to_batches(_BATCH)

    def _count(self) -> None:
        if self._waiting:
            self._parts.append(_counts_of(pa.chunked_array(self._waiting)))
            self._counted += self._parts[-1].nbytes
            self._waiting, self._fresh = [], 0

    def _merge(self) -> None:
        if len(self._parts) > 1:
            parts, self._parts = pa.concat_tables(self._parts), []
            self._parts = [_counted(parts)]
        self._merged, self._counted = self._parts[0].nbytes, 0


def _counts_of(column: pa.ChunkedArray) -> pa.Table:
    """The distinct values of some batches; for texts and whole numbers the quicker way."""
    if pa.types.is_string(column.type) or pa.types.is_integer(column.type):
        counted = pc.value_counts(column)
        return pa.table({"value": counted.field("values"), "n": counted.field("counts")})
    return _counted(pa.table({"value": column, "n": np.ones(len(column), np.int64)}))


def _profile_of(name: str, kind: Kind, counted: Iterable[pa.RecordBatch], values: Values) -> ColumnProfile:
    """A column from its distinct values and their numbers, a batch at a time."""
    rows = missing = distinct = 0
    same = 0.0  # pairs with the same value; squares of billions would not fit 64 bits
    blanks: set[str] = set()
    for batch in counted:
        column, counts = batch.column(0), batch.column(1).to_numpy()
        blank = _blank(column)
        spread = counts[~blank].astype(np.float64)
        rows, missing = rows + int(counts.sum()), missing + int(counts[blank].sum())
        distinct, same = distinct + len(spread), same + float((spread * (spread - 1)).sum())
        if blank.any() and _is_text(column):
            blanks.update(column.filter(pa.array(blank)).drop_null().to_pylist())
        if len(spread):
            values.add(column.filter(pa.array(~blank)) if blank.any() else column)
    same += float(missing) * (missing - 1)  # whatever means missing is one value
    pairs = rows * (rows - 1)
    return ColumnProfile(name, kind, values, rows, missing, distinct, 1 - same / pairs if pairs else 0.0, frozenset(blanks))


def _blank(column: pa.Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if _is_text(column):
        marks = pc.or_(pc.is_in(column, value_set=pa.array(USUAL_MISSING, column.type)), pc.is_null(column))
    else:
        marks = pc.is_null(column, nan_is_null=True)
    return np.asarray(pc.fill_null(marks, True).to_numpy(zero_copy_only=False), bool)


def _is_text(column: pa.Array) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _counted(table: pa.Table) -> pa.Table:
    return (
        table.group_by("value", use_threads=False).aggregate([("n", "sum")]).rename_columns({"n_sum": "n"}).select(["value", "n"])
    )


def _plain(column: pa.Array) -> pa.Array:
    """Types that are none of ours count as text."""
    if pa.types.is_dictionary(column.type):
        return pc.cast(column, column.type.value_type)
    odd = pa.types.is_nested(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string()) if odd else column
