"""The two sides of an attack: the log with new ids alone, and the release. On each, who has which query, and what is secret about whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError
from sfumato.searchlog.attacking.candidates import Ids
from sfumato.searchlog.files import read_rows
from sfumato.searchlog.log import one_row, opened_log, table_of
from sfumato.searchlog.publishing.reading import OWNERS, opened_release, read_release
from sfumato.table.queries import Queries

BEFORE, AFTER = "before", "after"
_MAKER = "sfumato searchlog publish --owners"
_LOOKED_AT = 10_000
_SIDE = "SELECT Id, Query, count(*) AS Rows FROM {} GROUP BY Id, Query"


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One side, open: the table `side` has (Id, Query, Rows). `owner` is the number of the person behind each id, `people` whom all numbers
    stand for."""

    name: str
    queries: Queries
    owner: npt.NDArray[np.int64]
    people: pa.Array

    @property
    def ids(self) -> int:
        return len(self.owner)

    def postings(self, items: pa.Table, count: int) -> list[Ids]:
        """The ids that have each of so many items, in order; `items` has the queries that have each (Item, Query)."""
        self.queries.add("items", items)
        rows = "SELECT items.Item AS Item, side.Id AS Id FROM items JOIN side ON items.Query = side.Query GROUP BY items.Item, side.Id"
        numbers, ids = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for batch in self.queries.batches(rows):
            numbers.append(batch.column("Item").cast(pa.int64()).to_numpy())
            ids.append(batch.column("Id").cast(pa.int64()).to_numpy())
        item, identity = np.concatenate(numbers), np.concatenate(ids)
        order = np.lexsort((identity, item))
        return np.split(identity[order], np.searchsorted(item[order], np.arange(1, count)))

    def sizes(self, items: pa.Table, count: int) -> npt.NDArray[np.int64]:
        """How many ids have each item, where an item is one query."""
        self.queries.add("items", items)
        rows = "SELECT items.Item AS Item, count(*) AS n FROM items JOIN side ON items.Query = side.Query GROUP BY items.Item"
        found = np.zeros(count, np.int64)
        for batch in self.queries.batches(rows):
            found[batch.column("Item").cast(pa.int64()).to_numpy()] = batch.column("n").cast(pa.int64()).to_numpy()
        return found

    def texts(self) -> Iterator[pa.Array]:
        """The different queries."""
        for batch in self.queries.batches("SELECT Query FROM side GROUP BY Query"):
            yield batch.column("Query").cast(pa.string())

    def secrets(self, topics: pa.Table) -> npt.NDArray[np.int64]:
        """The topic that each id has searched most, the first of equals; 0 for none. `topics` has (Query, Topic), from 1."""
        self.queries.add("topics", topics)
        counted = "SELECT Id, Topic, sum(Rows) AS n FROM side JOIN topics ON side.Query = topics.Query GROUP BY Id, Topic"
        turns = (
            f"SELECT Id, Topic, row_number() OVER (PARTITION BY Id ORDER BY n DESC, Topic) AS Turn FROM ({counted}) AS counted"
        )
        found = np.zeros(self.ids, np.int64)
        for batch in self.queries.batches(f"SELECT Id, Topic FROM ({turns}) AS turns WHERE Turn = 1"):
            found[batch.column("Id").cast(pa.int64()).to_numpy()] = batch.column("Topic").cast(pa.int64()).to_numpy()
        return found

    def queries_of(self, ids: Sequence[int]) -> dict[int, list[str]]:
        """The different queries of some ids, in order."""
        self.queries.add("chosen", pa.table({"Id": pa.array(ids, pa.int64())}))
        rows = "SELECT side.Id AS Id, side.Query AS Query FROM side JOIN chosen ON side.Id = chosen.Id"
        found: dict[int, list[str]] = {each: [] for each in ids}
        for batch in self.queries.batches(f"{rows} ORDER BY Id, Query"):
            for each, text in zip(batch.column("Id").to_pylist(), batch.column("Query").to_pylist(), strict=True):
                found[int(each)].append(text)
        return found


@contextmanager
def before(log: Any, options: Mapping[str, Any]) -> Iterator[Side]:
    """The log with new ids: everybody's is their place in the order of the old ones."""
    with opened_log(log, options) as queries:
        people = table_of(queries, "SELECT UserId FROM log GROUP BY UserId ORDER BY UserId").column("UserId")
        numbers = np.arange(len(people))
        queries.add("persons", pa.table({"UserId": people, "Id": numbers}))
        rows = "(SELECT persons.Id AS Id, Query FROM log JOIN persons ON log.UserId = persons.UserId) AS rows_of"
        queries.keep("side", _SIDE.format(rows))
        yield Side(BEFORE, queries, numbers, people.combine_chunks().cast(pa.string()))


def _owners(owners: Path, people: pa.Array) -> npt.NDArray[np.int64]:
    """The number of the person behind each id."""
    owned = read_rows(owners, OWNERS, _MAKER)
    found = pc.index_in(owned.column("UserId"), value_set=people)
    if found.null_count:
        raise DataError("owners who are not in the log; is it the file that belongs to the release?", where=str(owners))
    ids = owned.column("Id").to_numpy()
    if not np.array_equal(ids, np.arange(1, len(ids) + 1)):
        raise DataError(
            "ids that are not numbered from 1; 'sfumato searchlog publish --owners' writes such a file", where=str(owners)
        )
    return np.asarray(found.to_numpy(), np.int64)


def require_owners(side: Side, release: Path, owners: Path) -> None:
    """Refuse owners of another release of the same log, with whom every figure would be wrong: everybody has searched what their ids show.
    Ids are in an order that is drawn, so the first ones are enough to see it."""
    _owners(owners, side.people)
    side.queries.add("released", read_release(release))
    side.queries.add("owners", read_rows(owners, OWNERS, _MAKER))
    shown = (
        "SELECT owners.UserId AS UserId, released.Query AS Query FROM released LEFT JOIN owners ON released.Id = owners.Id "
        f"WHERE released.Id <= {_LOOKED_AT} GROUP BY owners.UserId, released.Query"
    )
    row = one_row(
        side.queries,
        f"SELECT count(*) AS n, count(side.Query) AS found FROM ({shown}) AS shown LEFT JOIN persons ON shown.UserId = persons.UserId "
        "LEFT JOIN side ON persons.Id = side.Id AND shown.Query = side.Query",
    )
    if row["found"] < row["n"]:
        raise DataError(
            "owners who have not searched what their ids did; is it the file that belongs to the release?", where=str(owners)
        )


@contextmanager
def after(release: Path, owners: Path, people: pa.Array, options: Mapping[str, Any]) -> Iterator[Side]:
    """The release, and whose its ids are. Ids are counted from 0 here."""
    owner = _owners(owners, people)
    with opened_release(read_release(release), options) as queries:
        queries.keep("side", _SIDE.format("(SELECT Id - 1 AS Id, Query FROM released) AS rows_of"))
        yield Side(AFTER, queries, owner, people)
