"""Drawing labelled logins from the events: a random sample of those from bad addresses, and one of those from good ones.

Which logins are drawn depends on their ids and the seed alone, not on the engine or the order of the rows: those with the smallest
digests are drawn. Where fewer fraudulent ones exist than asked for, legitimate ones are drawn in the same proportion: losses and
accuracies depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import sfumato as sf
from sfumato.applications.ato.events import FLAG, LEVELS, described
from sfumato.applications.ato.features.sql import logins, of_logins
from sfumato.applications.ato.opening import each_once, opened_events
from sfumato.applications.ato.reputation.judging import rows_of
from sfumato.applications.ato.tables import are_in, places_in
from sfumato.applications.ato.training.labelled import Labelled
from sfumato.errors import DataError, several


def drawn(
    logs: Any,
    reputation: pa.Table,
    features: Mapping[str, pa.Table],
    sizes: tuple[int, int],
    seed: int,
    *,
    truth: pa.Table | None = None,
    online: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Labelled:
    """At most so many legitimate and so many fraudulent logins, with features at every level: those of the tables, or with `online`
    counts of what was before each login. The truth is joined to them afterwards."""
    with opened_events(logs, options or {}) as events:
        events.add("reputation", reputation.select(["Key", "Reputation"]))
        table, _ = each_once(events)
        _require_reputed(events, table)
        bad = _sample(events, table, "Bad", sizes[1], seed)
        good = _sample(events, table, "Good", min(sizes[0], len(bad) * sizes[0] // sizes[1]) or sizes[0], seed)
        sample = pa.concat_tables([good, bad])
        rows = _rows_before(events, table, sample, list(features)) if online else {}
    fraudulent = np.arange(len(sample)) >= len(good)
    keys = {}
    for level, known in features.items():
        keys[level] = _places(known, sample.column(level), level)
        if not online:
            rows[level] = _rows(known, keys[level], sample.column(FLAG).to_numpy())
    really = None if truth is None else are_in(sample.column("Id"), truth.column("Id"))
    return Labelled(rows, keys, fraudulent, really, online)


def _require_reputed(events: sf.Queries, table: str) -> None:
    """Refuse a reputation of other logs: logins from addresses that it does not know could not be drawn, and nobody would notice."""
    query = f"SELECT count(*) AS n FROM {table} AS own LEFT JOIN reputation ON own.ClientIP = reputation.Key WHERE reputation.Key IS NULL"
    lacking = next(iter(events.batches(query))).to_pylist()[0]["n"]
    if lacking:
        raise DataError(f"knows nothing of {several(lacking, 'login')}; make it of the same logs", where="reputation")


def _sample(events: sf.Queries, table: str, kind: str, size: int, seed: int) -> pa.Table:
    keys = ", ".join(f"{key} AS {level}" for level, key in LEVELS.items())
    logins = f"SELECT Id, {keys}, {FLAG}, md5(concat(Id, '/{seed}')) AS Lot FROM ({described(table)}) AS login"
    query = (
        f"SELECT drawn.Id AS Id, {', '.join(LEVELS)}, {FLAG} FROM ({logins}) AS drawn "
        f"JOIN reputation ON drawn.ip = reputation.Key WHERE reputation.Reputation = '{kind}' ORDER BY Lot, Id LIMIT {size}"
    )
    schema = pa.schema([("Id", pa.string()), *((level, pa.string()) for level in LEVELS), (FLAG, pa.int32())])
    batches = [batch.cast(schema) for batch in events.batches(query)]
    return pa.Table.from_batches(batches, schema=schema)


def _places(table: pa.Table, keys: pa.ChunkedArray, level: str) -> npt.NDArray[np.int64]:
    places = places_in(table.column("Key"), keys)
    lacking = int((places < 0).sum())
    if lacking:
        raise DataError(
            f"the features by {level} know nothing of {several(lacking, 'login')}; make them of the same logs", where="features"
        )
    return places


def _rows(table: pa.Table, places: npt.NDArray[np.int64], flags: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    rows = rows_of(table)[places]
    rows[:, -1] = flags
    return rows


def _rows_before(events: sf.Queries, table: str, chosen: pa.Table, levels: list[str]) -> dict[str, npt.NDArray[np.float64]]:
    """The features of some logins from what was strictly before each."""
    events.add("chosen", chosen.select(["Id"]))
    rows = {}
    for level in levels:
        events.keep("logins", logins(level, table))
        query = f"SELECT earlier.* FROM ({of_logins()}) AS earlier JOIN chosen ON earlier.Id = chosen.Id"
        found = pa.Table.from_batches(list(events.batches(query)))
        events.drop("logins")
        rows[level] = rows_of(found)[places_in(found.column("Id"), chosen.column("Id"))]
    return rows


def fraudulent_addresses(logs: Any, truth: pa.Table, options: Mapping[str, Any] | None = None) -> list[str]:
    """The addresses that fraudulent logins really came from; for scores."""
    with opened_events(logs, options or {}) as events:
        events.add("truth", truth.select(["Id"]))
        query = "SELECT DISTINCT events.ClientIP AS ClientIP FROM events JOIN truth ON events.Id = truth.Id"
        return [key for batch in events.batches(query) for key in batch.column("ClientIP").to_pylist()]
