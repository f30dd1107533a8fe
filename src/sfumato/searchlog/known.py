"""What somebody may know of people besides their searches: a table with one row for each person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.errors import DataError, UsageError, argument, raise_alone, unknown
from sfumato.inputs import opened
from sfumato.searchlog.spelling import normalized, person

ID = "UserId"


def read_people(path: Path, columns: Sequence[str]) -> pa.Table:
    """The ids of people and some columns, as they are; refuses a file in which a person is twice."""
    place = path / "people.parquet" if path.is_dir() else path
    with opened(place) as file:
        try:
            table = pq.read_table(file)
        except (pa.ArrowException, OSError):
            raise_alone(DataError("not a Parquet file, or a damaged one", where=str(place)))
    if ID not in table.column_names:
        raise DataError(f"no column {ID!r}, which says whom a row is about", where=str(place))
    for name in columns:
        if name not in table.column_names or name == ID:
            have = [each for each in table.column_names if each != ID]
            raise UsageError(unknown("column", name, have, within=place.name), where=argument("known"))
    # As those of the log: in another form, they would be other people.
    ids = person(table.column(ID).cast(pa.string()))
    if pc.count_distinct(ids).as_py() < len(table):
        raise DataError("a person is in several rows, and must be in one", where=str(place))
    return table.select([ID, *columns]).set_column(0, ID, ids)


def people_table(path: Path, columns: Sequence[str]) -> pa.Table:
    """The same with what is known as normalized texts, in columns `known0`, `known1`, …"""
    table = read_people(path, columns)
    texts = [normalized(table.column(name).combine_chunks().cast(pa.string())) for name in columns]
    # Nothing is in every query.
    some = [pc.if_else(pc.equal(each, ""), pa.scalar(None, pa.string()), each) for each in texts]
    names = [ID, *(f"known{place}" for place in range(len(columns)))]
    return pa.table([table.column(ID), *some], names)
