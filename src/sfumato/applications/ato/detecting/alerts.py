"""The suspicious keys of scored logins: how much each did, when and why, and which act together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import sfumato as sf
from sfumato.applications.ato.detecting.budget import Logins, Numbers
from sfumato.applications.ato.detecting.campaigns import Tries, campaigns_of
from sfumato.applications.ato.detecting.scoring import SUSPICIOUS
from sfumato.applications.ato.events import LEVELS, described

ALERTS = pa.schema(
    [
        pa.field("Campaign", pa.int64(), nullable=False),
        pa.field("Key", pa.string(), nullable=False),
        pa.field("Logins", pa.int64(), nullable=False),
        pa.field("RightPasswords", pa.int64(), nullable=False),
        pa.field("FirstDay", pa.date32(), nullable=False),
        pa.field("LastDay", pa.date32(), nullable=False),
        pa.field("Score", pa.float64(), nullable=False),
        pa.field("Reason", pa.string(), nullable=False),
    ]
)
_WEEK = 7


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """Suspicious keys, by their numbers among all keys, each with its suspicious logins in sum, and the number of its campaign."""

    numbers: Numbers
    logins: Numbers
    right: Numbers
    first: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    campaigns: Numbers

    @property
    def groups(self) -> int:
        """How many campaigns there are."""
        return int(self.campaigns.max(initial=-1)) + 1

    def of_keys(self, count: int) -> Numbers:
        """The campaign of each of so many keys; -1 for one that is not suspicious."""
        found = np.full(count, -1, np.int64)
        found[self.numbers] = self.campaigns
        return found

    def table(self, names: list[str], reasons: dict[int, str]) -> pa.Table:
        """One row per key: campaigns with most logins first, and in each the keys with most."""
        sizes = np.bincount(self.campaigns, self.logins, self.groups)
        order = np.lexsort((self.numbers, -self.logins, self.campaigns, -sizes[self.campaigns]))
        ranks = np.empty(self.groups, np.int64)
        ranks[np.lexsort((np.arange(self.groups), -sizes))] = np.arange(1, self.groups + 1)
        columns = [
            ranks[self.campaigns[order]],
            [names[number] for number in self.numbers[order]],
            self.logins[order],
            self.right[order],
            pa.array(self.first[order]).cast(pa.date32()),
            pa.array(self.last[order]).cast(pa.date32()),
            self.scores[order],
            [reasons[number] for number in self.numbers[order].tolist()],
        ]
        return pa.table(columns, schema=ALERTS)


def suspects_of(logins: Logins, events: sf.Queries, names: list[str], level: str) -> Suspects:
    """The suspicious keys of the logins, and their campaigns."""
    suspicious = logins.scores > SUSPICIOUS
    numbers, of = np.unique(logins.keys[suspicious], return_inverse=True)
    count, days = len(numbers), logins.days[suspicious]
    first, last, scores = np.full(count, np.iinfo(np.int32).max, np.int32), np.full(count, -1, np.int32), np.zeros(count)
    np.minimum.at(first, of, days)
    np.maximum.at(last, of, days)
    np.maximum.at(scores, of, logins.scores[suspicious])
    right = np.bincount(of, logins.good[suspicious], count).astype(np.int64)
    campaigns = campaigns_of(_tries(events, [names[number] for number in numbers], level)) if count else numbers
    return Suspects(numbers, np.bincount(of, minlength=count), right, first, last, scores, campaigns)


def _tries(events: sf.Queries, suspects: list[str], level: str) -> Tries:
    """Whose people the suspects failed to sign in as, in which week."""
    events.add("suspects", pa.table({"Key": suspects, "Number": np.arange(len(suspects), dtype=np.int64)}))
    logins = (
        f"SELECT {LEVELS[level]} AS Key, OrganizationId, CAST(CreationTime AS DATE) AS Day, Bad FROM ({described()}) AS logins"
    )
    rows = pa.Table.from_batches(
        list(
            events.batches(
                f"SELECT DISTINCT Number, OrganizationId, Day FROM ({logins}) AS tries JOIN suspects ON tries.Key = suspects.Key "
                "WHERE Bad = 1 ORDER BY Number, OrganizationId, Day"
            )
        ),
        schema=pa.schema([("Number", pa.int64()), ("OrganizationId", pa.string()), ("Day", pa.date32())]),
    )
    organizations = rows.column("OrganizationId").combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
    weeks = rows.column("Day").cast(pa.int32()).to_numpy().astype(np.int64) // _WEEK
    _, tried = np.unique(organizations * (weeks.max(initial=0) + 1) + weeks, return_inverse=True)
    pairs = np.unique(np.stack([rows.column("Number").to_numpy(), tried], axis=1), axis=0)
    return Tries(len(suspects), pairs[:, 0], pairs[:, 1])
