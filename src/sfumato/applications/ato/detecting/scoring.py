"""Scores of logins as they stream by: what a model says of each, and why.

The features of a login are those of its key over all the logs, those of a table that was given, or with `online` those of what was
strictly before it. Logins at one key with one flag have the same features unless online, so each of them is scored once per batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import sfumato as sf
from sfumato.applications.ato.events import COUNTS, FLAG
from sfumato.applications.ato.features.sql import keyed, logins, meetings, of_keys, of_logins
from sfumato.applications.ato.forest import Model

SUSPICIOUS = 0.5  # above it, the forest calls a login fraudulent
SCORES = pa.schema(
    [
        pa.field("Id", pa.string(), nullable=False),
        pa.field("Score", pa.float64(), nullable=False),
        pa.field("Reason", pa.dictionary(pa.int32(), pa.string())),
    ]
)
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some logins: the batch of the query, the number of each one's key, its day, its score and the reason for it where it is
    suspicious."""

    rows: pa.RecordBatch
    keys: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    reasons: list[str | None]

    def written(self) -> pa.RecordBatch:
        """As it goes to the file of scores."""
        reasons = pa.array(self.reasons, pa.string()).dictionary_encode().cast(SCORES.field("Reason").type)
        return pa.record_batch([self.rows.column("Id"), pa.array(self.scores), reasons], schema=SCORES)

    def days(self) -> npt.NDArray[np.int32]:
        """The day of each login, counted from 1970."""
        moments = self.rows.column("CreationTime").cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
        return np.asarray(moments.astype("datetime64[us]").astype(np.int64) // _DAY, np.int32)

    def column(self, name: str) -> npt.NDArray[Any]:
        """A column of whole numbers."""
        return np.asarray(self.rows.column(name).to_numpy(zero_copy_only=False))


class Keys:
    """Numbers for keys, in the order in which they were first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def numbered(self, keys: pa.Array) -> npt.NDArray[np.int64]:
        met = keys.dictionary_encode()
        numbers = [self._numbers.setdefault(key, len(self._numbers)) for key in met.dictionary.to_pylist()]
        return np.asarray(np.array(numbers, np.int64)[met.indices.to_numpy()], np.int64)

    def names(self) -> list[str]:
        return list(self._numbers)


def query(events: sf.Queries, table: str, level: str, features: pa.Table | None, *, online: bool, truth: pa.Table | None) -> str:
    """The query of all logins of a table with their features, in the order of time and id; lays beside it what is joined."""
    if online:
        events.keep("logins", logins(level, table))
        rows = _online()
    else:
        _lay_known(events, table, level, features)
        rows = _joined(table, level)
    if truth is not None:
        events.add("truth", truth)
        extra = (
            "CASE WHEN truth.Id IS NULL THEN 0 ELSE 1 END AS Fraudulent, CASE WHEN truth.Takeover THEN 1 ELSE 0 END AS Takeover"
        )
        rows = (
            f"SELECT found.*, {extra}, coalesce(truth.Campaign, -1) AS Campaign FROM ({rows}) AS found "
            "LEFT JOIN truth ON found.Id = truth.Id"
        )
    return f"{rows} ORDER BY CreationTime, Id"


def _lay_known(events: sf.Queries, table: str, level: str, features: pa.Table | None) -> None:
    """What is known of the keys, as the table `known`."""
    if features is not None:
        events.add("known", features)
        return
    events.keep("meetings", meetings(table))
    events.keep("keyed", keyed(level))
    events.keep("known", of_keys())
    events.drop("keyed")
    events.drop("meetings")


def _joined(table: str, level: str) -> str:
    counts = ", ".join(f"coalesce(known.{name}, 0) AS {name}" for name in COUNTS)
    return (
        f"SELECT own.Id AS Id, own.CreationTime AS CreationTime, own.Key AS Key, own.Good AS Good, {counts}, own.{FLAG} AS {FLAG}, "
        f"CASE WHEN known.Key IS NULL THEN 1 ELSE 0 END AS Unseen FROM ({logins(level, table)}) AS own "
        "LEFT JOIN known ON own.Key = known.Key"
    )


def _online() -> str:
    counts = ", ".join(f"earlier.{name} AS {name}" for name in COUNTS)
    return (
        f"SELECT own.Id AS Id, own.CreationTime AS CreationTime, own.Key AS Key, own.Good AS Good, {counts}, own.{FLAG} AS {FLAG}, "
        f"0 AS Unseen FROM ({of_logins()}) AS earlier JOIN logins AS own ON own.Id = earlier.Id"
    )


def scored(events: sf.Queries, asked: str, model: Model, keys: Keys, *, online: bool) -> Iterator[Batch]:
    """The logins of a query with their scores."""
    for rows in events.batches(asked):
        columns = {name: rows.column(name).to_numpy(zero_copy_only=False) for name in model.features}
        numbers, values = keys.numbered(rows.column("Key")), model.rows_of(columns)
        if online:
            scores, reasons = judged(model, values)
        else:
            _, first, place_of = np.unique(numbers * 2 + values[:, -1].astype(np.int64), return_index=True, return_inverse=True)
            once, reason_of = judged(model, values[first])
            scores, reasons = once[place_of], [reason_of[place] for place in place_of]
        yield Batch(rows, numbers, scores, reasons)


def judged(model: Model, rows: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], list[str | None]]:
    """The score of each row, and a reason where it is suspicious."""
    scores = model.forest.scores(rows)
    suspicious = scores > SUSPICIOUS
    explanations = iter(model.explanations(rows[suspicious]))
    return scores, [next(explanations) if each else None for each in suspicious]
