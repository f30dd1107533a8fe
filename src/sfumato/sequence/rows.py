"""The rows of a table as codes: who they are about, their QIDs, their sensitive values. What a sequence needs of each of its tables.

A table without owners is counted at the meet of all its releases, and its rows stay in the engine: everything about one table is a
function of that count. Tables that follow each other have to be joined by their owners, so that these come row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.engines.arrays import to_numpy
from sfumato.engines.encoding import canonical_texts, encoding_of
from sfumato.engines.kernels import cast, index_in, unique
from sfumato.errors import DataError, several
from sfumato.frequency import Counts, FrequencySet, packed
from sfumato.release.cells import CellClasses, digest_of
from sfumato.release.numbering import codes_among
from sfumato.table import Table
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Kind


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A QID: the code of every row at a level of its hierarchy."""

    hierarchy: Hierarchy
    level: int
    codes: Codes

    def at(self, level: int) -> Codes:
        """The codes at a higher level."""
        codes: Codes = self.hierarchy.ancestors(self.level, level)[self.codes]
        return codes


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows, or cells, of a table: their QIDs and how many people each stands for. With owners also who they are and their sensitive
    values, as texts of which `values` has the codes, one past the last for the missing one, and what type these have."""

    columns: Mapping[str, Column]
    people: Counts
    owners: Any = None
    values: Mapping[str, tuple[tuple[str, ...], Codes]] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    def numbers(self, node: Mapping[str, int], kept: FrequencySet | None) -> tuple[Codes, int]:
        """The number of each row's class at a node, from 1, and how many classes there are; one more for a row that is in no class of
        `kept`, the classes of the written file."""
        codes = [self.columns[name].at(level) for name, level in node.items()]
        radices = [self.columns[name].hierarchy.codes(level) for name, level in node.items()]
        if kept is None:
            found, place = np.unique(packed(codes, radices, len(self.people)), return_inverse=True)
            return (place + 1).astype(np.int32), len(found)
        written = [
            codes_among(own.at(at), self.columns[name].hierarchy, node[name])[kept.codes[:, place]]
            for place, ((name, at), own) in enumerate(zip(kept.node.as_dict().items(), kept.hierarchies, strict=True))
        ]
        if any((column < 0).any() for column in written):
            raise DataError("has labels that the table does not have at its levels")
        keys = packed([np.append(*each) for each in zip(codes, written, strict=True)], radices, len(self.people) + kept.classes)
        found, place = np.unique(keys, return_inverse=True)
        number = np.full(len(found), kept.classes + 1, np.int32)
        number[place[len(self.people) :]] = np.arange(1, kept.classes + 1, dtype=np.int32)
        return number[place[: len(self.people)]], kept.classes

    def numbers_by_cells(self, cells: CellClasses) -> tuple[Codes, int]:
        """The number of each row's class in a local recoding, from 1, and how many classes there are."""
        codes = [self.columns[name].at(0) for name in cells.quasi]
        radices = [self.columns[name].hierarchy.codes(0) for name in cells.quasi]
        _, first, cell_of = np.unique(packed(codes, radices, len(self.people)), return_index=True, return_inverse=True)
        if digest_of(np.stack([column[first] for column in codes], axis=1)) != cells.digest:
            raise DataError("was made for other combinations of values than the table has")
        return cells.class_of[cell_of] + np.int32(1), cells.classes


def counted(table: Table, floor: Mapping[str, int]) -> tuple[Rows, FrequencySet]:
    """A table counted at a floor: its cells, and the count with all sensitive attributes."""
    counts = table.count(list(floor), floor=dict(floor), sensitive=table.schema.sensitive)
    each = zip(counts.node.attributes, counts.hierarchies, counts.node.levels, counts.codes.T, strict=True)
    columns = {name: Column(hierarchy, level, codes) for name, hierarchy, level, codes in each}
    return Rows(columns, counts.rows), counts


def by_owner(table: Table, quasi: Sequence[str]) -> Rows:
    """A table row by row; refuses one where somebody has several rows, or a row belongs to nobody."""
    import pyarrow as pa

    schema = table.schema
    owner = schema.owner
    assert owner is not None  # noqa: S101  asked for tables with owners only
    batches = list(table.rows([owner, *quasi, *schema.sensitive]))
    if not sum(batch.num_rows for batch in batches):
        raise DataError("no row of data", where=table.source.name)
    read = pa.Table.from_batches(batches)
    owners = owners_of(read[owner], schema.missing, table.source.name)
    columns = {}
    for name in quasi:
        raw = read[name]
        encoding = encoding_of(schema[name], raw, schema.missing)
        columns[name] = Column(encoding.hierarchy, encoding.hierarchy.floor, encoding.encode(raw))
    values = {name: _texts(table, name, read[name]) for name in schema.sensitive}
    kinds = {name: schema[name].kind or Kind.TEXT for name in schema.sensitive}
    return Rows(columns, np.ones(len(owners), np.int64), owners, values, kinds)


def owners_of(column: Any, missing: Sequence[str], name: str) -> Any:
    """Who the rows are about, as texts."""
    import pyarrow as pa

    owners = cast(_whole(column), pa.string()).combine_chunks()
    owners = pa.concat_arrays(owners.chunks) if isinstance(owners, pa.ChunkedArray) else owners
    if nobody := len(owners) - index_in(owners, pa.array([*missing, None], pa.string())).null_count:
        raise DataError(f"{several(nobody, 'row')} without an owner; a sequence follows people by their owners", where=name)
    people = len(unique(owners))
    if people < len(owners):
        raise DataError(
            f"has {several(len(owners), 'row')} of {several(people, 'person', 'people')}; a sequence is judged for tables with one "
            "row per person",
            where=name,
        )
    return owners


def _whole(column: Any) -> Any:
    """Owners that are whole numbers as such, where a program has saved them as fractions."""
    import pyarrow as pa

    if not pa.types.is_floating(column.type):
        return column
    try:
        return cast(column, pa.int64())
    except pa.ArrowInvalid:
        return column


def _texts(table: Table, name: str, raw: Any) -> tuple[tuple[str, ...], Codes]:
    """The distinct texts of a sensitive attribute, and the code of every row."""
    import pyarrow as pa

    distinct = unique(raw)
    distinct = distinct.combine_chunks() if isinstance(distinct, pa.ChunkedArray) else distinct
    texts = canonical_texts(table.schema[name], distinct, table.schema.missing)
    known = tuple(dict.fromkeys(text for text in texts if text is not None))
    code_of: dict[str | None, int] = {text: code for code, text in enumerate((*known, None))}
    codes = np.array([code_of[text] for text in texts], np.int32)
    return known, codes[to_numpy(index_in(raw, distinct))]
