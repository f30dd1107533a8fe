"""From logs to counts: one log for each owner, or one log whose organizations are divided among owners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import sfumato as sf
from sfumato.applications.ato.collaborating.counting import HONEST, NO_CAMPAIGN, Calendar, Logins, Owners, Visits, Whole
from sfumato.applications.ato.collaborating.shapley import MOST
from sfumato.applications.ato.events import LEVELS, described
from sfumato.applications.ato.opening import each_once, opened_events
from sfumato.errors import DataError, UsageError, argument, several

FEWEST = 2  # owners
SHARED = ("ip", "subnet")  # levels of which a reputation means something
_VISITS = pa.schema(
    [("Owner", pa.int64()), ("Person", pa.int64()), ("Day", pa.date32()), ("Key", pa.string()), ("Inside", pa.int64())]
)
_LOGINS = pa.schema(
    [
        ("Owner", pa.int64()),
        ("Day", pa.date32()),
        ("Key", pa.string()),
        ("Campaign", pa.int64()),
        ("Logins", pa.int64()),
        ("Rights", pa.int64()),
    ]
)
Watch = Callable[[str, Any], None]


def read_owners(
    logs: Sequence[Any],
    truths: Sequence[pa.Table],
    owners: int | None,
    *,
    level: str,
    period: int,
    options: Mapping[str, Any],
    watch: Watch,
) -> Owners:
    """The counts of all owners; `truths` has one table for each log, and scores alone look at what comes of it."""
    _require_sound(len(logs), owners)
    tables = []
    for number, (log, truth) in enumerate(zip(logs, truths, strict=True)):
        watch("counting people", None)
        tables.append(_read(log, truth, level, owners if len(logs) == 1 else None, number, options))
    visits, logins = (pa.concat_tables([each[place] for each in tables]) for place in (0, 1))
    count = owners if len(logs) == 1 and owners else len(logs)
    found = _counted(visits, logins, count, level, period)
    _require_two(found.calendar)
    return found


def read_log(log: Any, *, level: str, period: int, options: Mapping[str, Any]) -> Owners:
    """The counts of one log, which nobody judges."""
    nothing = pa.table({"Id": pa.array([], pa.string()), "Campaign": pa.array([], pa.int32())})
    return _counted(*_read(log, nothing, level, None, 0, options), 1, level, period)


def _require_sound(logs: int, owners: int | None) -> None:
    if logs > 1 and owners is not None:
        raise UsageError("divides one log; with several, each is the log of an owner", where=argument("owners"))
    count = owners if logs == 1 else logs
    if count is None:
        raise UsageError(f"one log: say among how many owners to divide it ({argument('owners', '4')})", where="logs")
    if not FEWEST <= count <= MOST:
        raise UsageError(f"{several(count, 'owner')}: {FEWEST} to {MOST} can work together", where=argument("owners"))


def _read(
    log: Any, truth: pa.Table, level: str, owners: int | None, number: int, options: Mapping[str, Any]
) -> tuple[pa.Table, pa.Table]:
    """The visits and the logins of one log, by day."""
    with opened_events(log, options) as events:
        table, _ = each_once(events)
        events.keep(
            "organizations", f"SELECT OrganizationId, count(DISTINCT UserId) AS People FROM {table} GROUP BY OrganizationId"
        )
        sizes = _asked(events, "SELECT OrganizationId, People FROM organizations ORDER BY People DESC, OrganizationId")
        events.add("owners", _owned(sizes, owners, number))
        events.add("truth", truth.select(["Id", "Campaign"]))
        people = f"SELECT DISTINCT OrganizationId, UserId FROM {table}"
        events.keep(
            "people",
            "SELECT OrganizationId, UserId, row_number() OVER (ORDER BY OrganizationId, UserId) AS Person "
            f"FROM ({people}) AS different",
        )
        events.keep("signed", _signed(table, level))
        return _asked(events, _OF_PEOPLE, _VISITS), _asked(events, _OF_LOGINS, _LOGINS)


def _signed(table: str, level: str) -> str:
    campaign = f"CASE WHEN truth.Id IS NULL THEN {HONEST} ELSE coalesce(truth.Campaign, {NO_CAMPAIGN}) END"
    return (
        f"SELECT owners.Owner AS Owner, people.Person AS Person, CAST(own.CreationTime AS DATE) AS Day, {LEVELS[level]} AS Key, "
        f"own.Good AS Good, {campaign} AS Campaign FROM ({described(table)}) AS own "
        "JOIN owners ON own.OrganizationId = owners.OrganizationId "
        "JOIN people ON own.OrganizationId = people.OrganizationId AND own.UserId = people.UserId "
        "LEFT JOIN truth ON own.Id = truth.Id"
    )


_OF_PEOPLE = "SELECT Owner, Person, Day, Key, max(Good) AS Inside FROM signed GROUP BY Owner, Person, Day, Key"
_OF_LOGINS = (
    "SELECT Owner, Day, Key, Campaign, count(*) AS Logins, CAST(sum(Good) AS BIGINT) AS Rights FROM signed "
    "GROUP BY Owner, Day, Key, Campaign"
)


def _asked(events: sf.Queries, query: str, schema: pa.Schema | None = None) -> pa.Table:
    batches = list(events.batches(query))
    return (
        pa.Table.from_batches(batches)
        if schema is None
        else pa.Table.from_batches([each.cast(schema) for each in batches], schema)
    )


def _owned(sizes: pa.Table, owners: int | None, number: int) -> pa.Table:
    """The owner of each organization: the largest goes first, each to the owner who has the fewest people so far."""
    organizations, people = sizes.column("OrganizationId"), sizes.column("People").to_pylist()
    if owners is None:
        return pa.table({"OrganizationId": organizations, "Owner": pa.array(np.full(len(people), number), pa.int64())})
    if len(people) < owners:
        raise DataError(
            f"{several(len(people), 'organization')}, which cannot be divided among {owners} owners; give fewer, or more logs",
            where=argument("owners"),
        )
    loads, chosen = [0] * owners, []
    for each in people:
        chosen.append(loads.index(min(loads)))
        loads[chosen[-1]] += each
    return pa.table({"OrganizationId": organizations, "Owner": pa.array(chosen, pa.int64())})


@dataclass(frozen=True, slots=True, eq=False)
class _Coded:
    """Columns of a table as numbers."""

    owner: Whole
    day: Whole
    key: Whole

    @classmethod
    def of(cls, table: pa.Table, keys: pa.Array) -> _Coded:
        owner, places = table.column("Owner").to_numpy(), pc.index_in(table.column("Key"), value_set=keys).to_numpy()
        day = table.column("Day").cast(pa.int32()).to_numpy()
        return cls(np.asarray(owner, np.int64), np.asarray(day, np.int64), np.asarray(places, np.int64))


def _counted(visits: pa.Table, logins: pa.Table, owners: int, level: str, days: int) -> Owners:
    keys = pc.unique(visits.column("Key").combine_chunks())
    keys = keys.take(pc.sort_indices(keys))
    visited, attempted = _Coded.of(visits, keys), _Coded.of(logins, keys)
    calendar = _calendar(visited, owners, days)
    first = int(visited.day.min())
    person = np.asarray(visits.column("Person").to_numpy(), np.int64)
    inside = np.asarray(visits.column("Inside").to_numpy(), np.int64) > 0
    numbers = np.column_stack([logins.column(name).to_numpy() for name in ("Campaign", "Logins", "Rights")]).astype(np.int64)
    return Owners(
        level,
        keys,
        calendar,
        tuple(_visits(visited, person, inside, (visited.day - first) // days, visited.owner == each) for each in range(owners)),
        tuple(_logins(attempted, numbers, (attempted.day - first) // days, attempted.owner == each) for each in range(owners)),
    )


def _calendar(visited: _Coded, owners: int, days: int) -> Calendar:
    """The periods that all owners have; refuses owners whose logs are of other ones."""
    first, last = int(visited.day.min()), int(visited.day.max())
    epoch = date(1970, 1, 1).toordinal()
    found = Calendar(date.fromordinal(epoch + first), days, (last - first) // days + 1)
    for owner in range(owners):
        own = visited.day[visited.owner == owner]
        ends = (int(own.min()) - first) // days, (int(own.max()) - first) // days
        if ends != (0, found.periods - 1):
            raise DataError(
                f"the log of owner {owner + 1} has no sign-in in the first or the last of the {several(found.periods, 'period')} that "
                "the logs cover together; give logs of the same days",
                where="logs",
            )
    return found


def _require_two(found: Calendar) -> None:
    if found.periods < 2:
        raise DataError(
            f"the logs cover one period of {several(found.days, 'day')}, and two are needed, one to learn from and a later one to judge; "
            f"give longer logs, or a shorter {argument('period')}",
            where="logs",
        )


def _visits(visited: _Coded, person: Whole, inside: npt.NDArray[np.bool_], period: Whole, own: npt.NDArray[np.bool_]) -> Visits:
    """One row for each person, period and key, from one for each day."""
    order = np.flatnonzero(own)[np.lexsort((visited.key[own], period[own], person[own]))]
    rows = np.column_stack([person[order], period[order], visited.key[order]])
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    got_in = np.bincount(np.cumsum(new) - 1, inside[order]) > 0
    who, when, where = (np.asarray(column, np.int64) for column in rows[new].T)
    return Visits(who, when, where, got_in)


def _logins(tried: _Coded, numbers: Whole, period: Whole, own: npt.NDArray[np.bool_]) -> Logins:
    """One row for each period, key and campaign, from one for each day."""
    campaign, *counts = numbers[own].T
    rows, of = np.unique(np.column_stack([period[own], tried.key[own], campaign]), axis=0, return_inverse=True)
    sums = (np.bincount(np.asarray(of).ravel(), count).astype(np.int64) for count in counts)
    return Logins(*(np.asarray(column, np.int64) for column in rows.T), *sums)
