"""Suggest a schema for a table nobody has described yet: roles, types and hierarchies, each with the reason.

Columns are looked at one by one, but read many at a time: a file of thousands of columns is read in few passes. Two numbers say how
much a column tells people apart (Motwani and Xu 2007): *distinction*, the share of distinct values, and *separation*, the share of
pairs of records that differ in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.commit.writing import write_text
from sfumato.engines.base import Engine
from sfumato.engines.memory import room_for_counts
from sfumato.engines.tally import Tally
from sfumato.errors import DataError, SpellingWarning, several, visible
from sfumato.options import divided
from sfumato.profiling.choose import candidates_of, choose
from sfumato.profiling.column import ColumnProfile
from sfumato.profiling.levels import common_values, levels_of
from sfumato.profiling.sample import Sample, sample_of
from sfumato.profiling.spread import Spread
from sfumato.profiling.suggest import Suggestion, suggest
from sfumato.profiling.values import Values
from sfumato.results import Rows, as_html
from sfumato.table.source import SOURCE_OPTIONS, Source, SourceOptions, source_of
from sfumato.table.written import Evidence, Reading, decided, evidence_of, evidence_of_decimals, odd_among_numbers, require_header
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.builders import Builder, Common, Countries, Suppression
from sfumato.vocabulary.dialect import Written
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Schema
from sfumato.vocabulary.spelling import Variants
from sfumato.vocabulary.toml import schema_text

# Values that stand for "no value" in the wild; taken as missing where they occur.
USUAL_MISSING = ("", "?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan")
ROOM = 64 << 20  # bytes of distinct values that are collected in one pass
_WITHHELD = """\
# Published are the quasi columns, in groups, and as they are the sensitive ones and those that are the same for everybody.
# A withheld column has the role identifier. To publish it in groups, make it quasi; as it is, make it plain, if nobody can know it.
"""


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
        head = "# Suggested by sfumato from the data. Read every line: roles decide what may leave the house.\n" + _WITHHELD
        head += "".join(f"# {line}\n" for line in self.read_as) + "\n"
        return head + schema_text(self.schema, {each.attribute.name: each.why for each in self.suggestions})

    def as_dicts(self) -> list[dict[str, Any]]:
        """One entry per column, for machines."""
        return [each.as_dict() for each in self.suggestions]

    def __repr__(self) -> str:
        return f"Profile({several(len(self.suggestions), 'column')} of {several(self.rows, 'row')})"

    def _repr_html_(self) -> str:
        heads = ("name", "role", "type", "hierarchy", "distinct", "missing", "why")
        rows = tuple(tuple(each.get(head) for head in heads) for each in self.as_dicts())
        return as_html(Rows(("column", *heads[1:]), rows), repr(self))


def profile(
    data: Any, *, watch: Callable[[str, Engine | None], None] = lambda step, engine: None, **options: Unpack[SourceOptions]
) -> Profile:
    """Look at every column of a table and suggest a schema.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source
        The table.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **options
        The fields of `Source`.

    Returns
    -------
    Profile
        The schema, and the reason for every choice.
    """
    (settings,) = divided(options, SOURCE_OPTIONS)
    source = source_of(data, None, settings)
    engine = source.open_engine()
    try:
        if source.header is None and engine.has_header:
            require_header(tuple(engine.kinds), engine.rows)
        with TemporaryFolder(source.temp) as spool:
            columns, reading = _read_as_written(source, _look_at_all(engine, spool, source, watch), spool, watch)
        rows = max((each.rows for each in columns), default=0)
        if rows == 0:
            raise DataError("no row of data below the header", where=str(source.data) if isinstance(data, str) else None)
        found = reading.dialect.over(engine.dialect)
        blanks = frozenset[str]().union(*(each.blanks for each in columns))
        missing = tuple(text for text in _usual(source) if text == "" or text in blanks)
        if reading.columns:
            engine.close()
            engine = source.open_engine(written=reading.columns)
        suggestions = _together(engine, _one_owner(columns), missing, rows, watch)
    finally:
        engine.close()
    for each, suggestion in zip(columns, suggestions, strict=True):
        if each.variants and suggestion.attribute.role is not Role.IDENTIFIER:
            warnings.warn(each.variants.of_column(suggestion.attribute.name), SpellingWarning, stacklevel=2)
    asked = replace(source.dialect, dates=None, decimal=None, thousands=None)
    schema = Schema(tuple(each.attribute for each in suggestions), missing=missing, source=asked.over(found))
    return Profile(schema, suggestions, rows, (*reading.lines(found), *_missing_words(columns, reading)))


@dataclass(frozen=True, slots=True)
class _Looked:
    """What remains of a column when its values are forgotten; `variants` if values that would be judged or generalized occur in several
    spellings."""

    suggestion: Suggestion
    rows: int
    blanks: frozenset[str]
    variants: Variants | None
    most: int  # rows with the most common value
    common: ColumnProfile | None  # without its values, where the levels name common ones
    evidence: Evidence | None = None
    odd: int = 0  # texts among nothing but numbers

    @property
    def name(self) -> str:
        return self.suggestion.attribute.name

    def written(self, written: Written) -> _Looked:
        """The same, with how its texts are written."""
        suggestion, as_quasi = self.suggestion, self.suggestion.as_quasi
        return replace(
            self,
            suggestion=replace(
                suggestion,
                attribute=replace(suggestion.attribute, written=written),
                as_quasi=None if as_quasi is None else replace(as_quasi, written=written),
            ),
        )


def _usual(source: Source) -> tuple[str, ...]:
    """The texts that mean missing. A table in memory has missing values of its own: there a text is a text."""
    return USUAL_MISSING if isinstance(source.data, str | PathLike) else ()


def _missing_words(columns: Sequence[_Looked], reading: Reading) -> Iterator[str]:
    """Which words are taken for missing values in columns of texts."""
    for word in USUAL_MISSING[1:]:
        taken = [each for each in columns if word in each.blanks and word not in reading.declared(each.name).missing]
        if taken:
            names = ", ".join(visible(each.name) for each in taken)
            of_countries = [each.name for each in taken if isinstance(each.suggestion.attribute.builder, Countries)]
            namibia = f" In {', '.join(map(visible, of_countries))} it may be Namibia." if word == "NA" and of_countries else ""
            yield f"Taken in {names}: {word!r} for a missing value.{namibia}"
    for each in columns:
        if each.odd:
            what = f"{several(each.odd, 'value')} of {each.suggestion.distinct:,} {'is' if each.odd == 1 else 'are'} no number"
            yield f'Left as texts in {visible(each.name)}: {what}; if that means missing, say missing = ["…"] in its attribute.'


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
        again = _look_at_all(engine, spool, source, watch, list(reading.columns))
    finally:
        engine.close()
    reading = reading.without(each.name for each in again if each.suggestion.attribute.kind is Kind.TEXT)
    looked = {each.name: each.written(reading.declared(each.name)) for each in again if each.name in reading.columns}
    return [looked.get(each.name, each) for each in columns], reading


def _looked_at(column: ColumnProfile) -> _Looked:
    suggestion = suggest(column)
    counted = suggestion.attribute.role in (Role.QUASI, Role.SENSITIVE) and suggestion.attribute.kind is Kind.TEXT
    variants = column.values.variants() if counted else None
    common = column.of_common_values() if isinstance(suggestion.attribute.builder, Common) else None
    evidence = _evidence(column, suggestion.attribute.kind or Kind.TEXT)
    text = column.kind is Kind.TEXT and column.type is Kind.TEXT and evidence is None
    odd = odd_among_numbers(column.values.chunks()) if text else 0
    return _Looked(suggestion, column.rows, column.blanks, variants, column.spread.most, common, evidence, odd)


def _one_owner(columns: list[_Looked]) -> list[Suggestion]:
    """A table has one owner column at most: the one with most people; other keys of persons do not leave. Where a person has several
    rows, a common value must be in more of them to be named."""
    owners = [each for each in columns if each.suggestion.attribute.role is Role.OWNER]
    owner = max(owners, key=lambda each: each.suggestion.distinct, default=None)
    suggestions = []
    for each in columns:
        suggestion = each.suggestion
        if each in owners and each is not owner:
            suggestion = replace(suggestion.withheld(""), reason="a person's key beside the owner's")
        elif owner is not None and each.common is not None:
            suggestion = suggestion.with_levels(*common_values(each.common, owner.most))
        suggestions.append(suggestion)
    return suggestions


def _together(
    engine: Engine, suggestions: list[Suggestion], missing: Sequence[str], rows: int, watch: Callable[[str, Engine | None], None]
) -> tuple[Suggestion, ...]:
    """The quasi-identifiers that are chosen by what they tell together, and the other columns withheld."""
    attributes = [each.attribute for each in candidates_of(suggestions)]
    if not attributes:
        return choose(suggestions, Sample(0, {}, {}, None))
    owner = next((each.attribute.name for each in suggestions if each.attribute.role is Role.OWNER), None)
    watch(f"looking at {several(len(attributes), 'column')} together", engine)
    return choose(suggestions, sample_of(engine, attributes, owner, missing, rows))


def levels_for(source: Source, schema: Schema, name: str) -> Builder:
    """The hierarchy that fits the values of a column, whatever its name and its role are."""
    engine = source.open_engine(schema, as_declared=True)
    try:
        with TemporaryFolder(source.temp) as spool:
            room = _room(source.memory)
            (counted,) = _tallied(engine, [name], room)
            values = Values(room, lambda: spool / "values.arrow")
            builder, _ = levels_of(_profile_of("", engine.kinds[name], counted, values, schema.missing))
    finally:
        engine.close()
    return builder if (schema[name].kind or Kind.TEXT) in builder.kinds else Suppression()


def _room(memory: str | None) -> int:
    return ROOM if memory is None else min(ROOM, room_for_counts(memory) // 8)


def write_schema(profiled: Profile, path: Path, *, force: bool = False) -> None:
    """The suggested schema as a file."""
    write_text(path, profiled.to_toml(), force=force)


def _look_at_all(
    engine: Engine,
    spool: Path,
    source: Source,
    watch: Callable[[str, Engine | None], None],
    names: Sequence[str] | None = None,
) -> list[_Looked]:
    """Look at every column (or those named), some in each pass over the rows: as many as there is room for the distinct values of."""
    names, columns = list(engine.kinds) if names is None else names, list[_Looked]()
    room = _room(source.memory)
    while len(columns) < len(names):
        block = names[len(columns) :]
        watch(f"reading {several(len(block), 'column')}", engine)
        for name, counted in zip(block, _tallied(engine, block, room), strict=False):
            watch(f"looking at {name}", None)
            values = Values(room, lambda: spool / f"{len(columns)}.arrow")
            columns.append(_looked_at(_profile_of(name, engine.kinds[name], counted, values, _usual(source))))
    return columns


def _tallied(engine: Engine, names: Sequence[str], room: int) -> list[Iterator[pa.RecordBatch]]:
    """The distinct values of the first columns and how often they occur; columns at the end are given up when there are too many values."""
    tallies = [Tally() for _ in names]
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


def _profile_of(name: str, kind: Kind, counted: Iterable[pa.RecordBatch], values: Values, usual: Sequence[str]) -> ColumnProfile:
    """A column from its distinct values and their numbers, a batch at a time."""
    rows = missing = distinct = 0
    same = 0.0  # pairs with the same value; squares of billions would not fit 64 bits
    blanks: set[str] = set()
    spread = Spread()
    for batch in counted:
        column, counts = batch.column(0), batch.column(1).to_numpy()
        blank = _blank(column, usual)
        sizes = counts[~blank].astype(np.float64)
        rows, missing = rows + int(counts.sum()), missing + int(counts[blank].sum())
        distinct, same = distinct + len(sizes), same + float((sizes * (sizes - 1)).sum())
        if blank.any() and _is_text(column):
            blanks.update(column.filter(pa.array(blank)).drop_null().to_pylist())
        if len(sizes):
            named = column.filter(pa.array(~blank)) if blank.any() else column
            values.add(named)
            spread.add(named, counts[~blank])
    same += float(missing) * (missing - 1)  # whatever means missing is one value
    pairs = rows * (rows - 1)
    separation = 1 - same / pairs if pairs else 0.0
    return ColumnProfile(name, kind, values, rows, missing, distinct, separation, frozenset(blanks), spread)


def _blank(column: pa.Array, usual: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if _is_text(column):
        marks = pc.or_(pc.is_in(column, value_set=pa.array(usual, column.type)), pc.is_null(column))
    else:
        marks = pc.is_null(column, nan_is_null=True)
    return np.asarray(pc.fill_null(marks, True).to_numpy(zero_copy_only=False), bool)


def _is_text(column: pa.Array) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))
