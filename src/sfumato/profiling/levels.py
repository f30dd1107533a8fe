"""Levels that do something: each one has fewer labels than the one below, and the last one below `*` has at least two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from math import ceil
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.profiling import patterns
from sfumato.profiling.bands import bands_of
from sfumato.profiling.column import ColumnProfile
from sfumato.profiling.content import Content
from sfumato.profiling.spread import SHARED
from sfumato.profiling.words import CODES
from sfumato.vocabulary.builders import Addresses, Builder, Common, Countries, Dates, Icd10, Prefix, Suppression, icd10
from sfumato.vocabulary.builders import countries as m49
from sfumato.vocabulary.builders.addresses import network
from sfumato.vocabulary.builders.dates import LABEL, UNITS
from sfumato.vocabulary.kinds import Kind, canonical
from sfumato.vocabulary.m49 import regions, subregion_of

_LOOKED_AT = 20_000  # distinct values that labels are counted on
_STEP = 0.9  # a level has at most this share of the labels below it
_MOST_LEVELS = 3
Levels = tuple[Builder, str]
Level = TypeVar("Level")
VALUE_ONLY = "the value, or nothing"


def levels_of(column: ColumnProfile) -> Levels:
    """The hierarchy of a column, and a description."""
    if column.distinct <= 2 or column.type is Kind.BOOLEAN:
        return Suppression(), VALUE_ONLY
    made: Levels | None = None
    if column.type in (Kind.DATE, Kind.TIMESTAMP):
        made = _dates(column)
    elif column.look.content in _BY_CONTENT:
        made = _BY_CONTENT[column.look.content](column)
    elif column.type is Kind.TEXT or (column.type is Kind.INTEGER and column.words & CODES):
        made = _code(column)
    elif column.type in (Kind.INTEGER, Kind.DECIMAL):
        made = bands_of(column)
    return made or common_values(column, 1)


def common_values(column: ColumnProfile, rows_per_person: int) -> Levels:
    """Common values and the others. A value is named only if at least five people have it, however many rows one person has."""
    nothing = Suppression(), f"{VALUE_ONLY}: declare a tree to keep more"
    if column.type not in (Kind.TEXT, Kind.INTEGER) or column.distinct <= 2:
        return nothing
    named = [(-count, value) for count, value in column.spread.common if -count > (SHARED - 1) * rows_per_person]
    values = [canonical(column.type, value) or value for _, value in named]
    keep: list[int] = []
    for share in (0.02, 0.1, 0.25):
        often = sum(count >= share * column.present for count, _ in named)
        often = min(often, column.distinct - 2)  # at least two values are merged
        while often and column.present - sum(count for count, _ in named[:often]) < SHARED * rows_per_person:
            often -= 1  # enough people are among the others
        if often and (not keep or often < keep[-1]):
            keep.append(often)
    if not keep or "*" in values[: keep[0]]:
        return nothing
    listed = f"{keep[0]} most common values" if keep[0] > 1 else "most common value"
    return Common(tuple(values[: keep[0]]), tuple(keep)), f"the {listed}, and all others together"


def _dates(column: ColumnProfile) -> Levels | None:
    texts = _canonical_texts(column)
    finer = UNITS if column.type is Kind.TIMESTAMP else UNITS[1:]
    units = _useful(column.distinct, finer, lambda unit: len({LABEL[unit](text) for text in texts}))
    for dispensable in ("quarter", "decade"):
        if len(units) > _MOST_LEVELS and dispensable in units:
            units.remove(dispensable)
    return (Dates(tuple(units)), f"a date: {', '.join(units)}") if units else None


def _addresses(column: ColumnProfile) -> Levels | None:
    texts = list(islice(column.values.texts(), _LOOKED_AT))
    sizes = {24: 64, 16: 48, 8: 32}
    useful = _useful(column.distinct, sizes, lambda v4: len({network(v4, sizes[v4], text) for text in texts}))
    made = Addresses(tuple(useful), tuple(sizes[v4] for v4 in useful)) if useful else None
    return (made, f"networks: /{', /'.join(map(str, useful))}") if made else None


def _diagnoses(column: ColumnProfile) -> Levels | None:
    texts = list(islice(column.values.texts(), _LOOKED_AT))
    useful = _useful(column.distinct, icd10.LEVELS, lambda level: len({icd10.LEVEL[level](text) for text in texts}))
    return (Icd10(tuple(useful)), f"ICD-10: {', '.join(useful)}") if useful else None


def _countries(column: ColumnProfile) -> Levels | None:
    below = {subregion_of(text) or "" for text in islice(column.values.texts(), _LOOKED_AT)}
    labels = {"subregion": len(below), "region": len({regions()[each] for each in below})}
    useful = _useful(column.distinct, m49.LEVELS, labels.__getitem__)
    return (Countries(tuple(useful)), f"countries by {' and '.join(useful)} of the world (UN M49)") if useful else None


_BY_CONTENT: dict[Content | None, Callable[[ColumnProfile], Levels | None]] = {
    Content.IP: _addresses,
    Content.ICD10: _diagnoses,
    Content.COUNTRY: _countries,
}


def _code(column: ColumnProfile) -> Levels | None:
    """Codes of one length that all contain a digit: postcodes, codes of trades and occupations."""
    lengths = {patterns.one_length(chunk) for chunk in column.values.chunks()}
    length = lengths.pop() if len(lengths) == 1 else None
    if length is None or not 3 <= length <= 12 or not all(any(c.isdigit() for c in text) for text in column.values.texts()):
        return None
    useful = _useful(column.distinct, range(length - 1, 0, -1), lambda keep: _prefixes(column, keep), step=0.5)
    useful = useful or _useful(column.distinct, range(length - 1, 0, -1), lambda keep: _prefixes(column, keep))
    if not useful:
        return None
    keep = useful if len(useful) <= _MOST_LEVELS else [useful[0], useful[ceil(len(useful) / 2) - 1 or 1], useful[-1]]
    shown = ", ".join(map(str, keep))
    return Prefix(tuple(keep)), f"codes of {length} characters, of which {shown} {'stays' if keep == [1] else 'stay'}"


def _prefixes(column: ColumnProfile, keep: int) -> int:
    """How many first parts of codes there are."""
    parts = []
    for chunk in column.values.chunks():
        parts.append(pc.unique(pc.utf8_slice_codeunits(pc.cast(chunk, pa.string()), 0, keep)))
    return len(pc.unique(pa.chunked_array(parts)))


def _useful(distinct: int, levels: Iterable[Level], labels: Callable[[Level], int], step: float = _STEP) -> list[Level]:
    """The levels, from fine to coarse, that merge some labels of the one below and leave at least two."""
    useful, below = list[Level](), distinct
    for level in levels:
        count = labels(level)
        if 1 < count <= step * below:
            useful.append(level)
            below = count
    return useful


def _canonical_texts(column: ColumnProfile) -> Sequence[str]:
    texts = (canonical(column.type, text) for text in islice(column.values.texts(), _LOOKED_AT))
    return [text for text in texts if text is not None]
