"""The queries of the features. They keep to what all engines know, and their results are in a total order.

Features of keys count all events. Those of logins (`online`) count only what was before: for each login, the events at its key that are
strictly earlier, so that neither the login itself nor anything at the same moment or after it has a part in them.
"""

from __future__ import annotations

from sfumato.applications.ato.events import COUNTS, FLAG, LEVELS, described

_KINDS = ("Bad", "Good")
_WHO = ("UserId", "UserId", "OrganizationId", "OrganizationId")


def meetings(events: str) -> str:
    """One row for each address, country, person and organization that met: the one look at all events. To be kept as `meetings`."""
    columns = "ClientIP, Country, UserId, OrganizationId"
    return f"SELECT {columns}, {_sum('Bad')}, {_sum('Good')}, max({FLAG}) AS {FLAG} FROM ({described(events)}) AS events GROUP BY {columns}"


def keyed(level: str) -> str:
    """The meetings with the keys of a level. To be kept as `keyed`."""
    return f"SELECT {LEVELS[level]} AS Key, UserId, OrganizationId, Bad, Good, {FLAG} FROM meetings"


def of_keys() -> str:
    """The features of the keys of a level, from its keyed meetings, in the order of the keys."""
    return (
        f"SELECT logins.Key AS Key, logins.Bad AS IPBadLogins, logins.Good AS IPGoodLogins, "
        f"users.Bad AS IPBadUsers, users.Good AS IPGoodUsers, orgs.Bad AS IPBadOrgs, orgs.Good AS IPGoodOrgs, "
        f"logins.{FLAG} AS {FLAG} "
        f"FROM (SELECT Key, {_sum('Bad')}, {_sum('Good')}, max({FLAG}) AS {FLAG} FROM keyed GROUP BY Key) AS logins "
        f"JOIN ({_different('UserId')}) AS users ON logins.Key = users.Key "
        f"JOIN ({_different('OrganizationId')}) AS orgs ON logins.Key = orgs.Key ORDER BY logins.Key"
    )


def _sum(column: str) -> str:
    return f"CAST(sum({column}) AS BIGINT) AS {column}"


def _different(column: str) -> str:
    """How many different values have a bad and a good sign-in at each key. Two steps of grouping are quicker than a distinct count."""
    each = ", ".join(f"CASE WHEN max({kind}) > 0 THEN 1 ELSE 0 END AS {kind}" for kind in _KINDS)
    return (
        f"SELECT Key, {_sum('Bad')}, {_sum('Good')} FROM (SELECT Key, {column}, {each} FROM keyed "
        f"GROUP BY Key, {column}) AS each_one GROUP BY Key"
    )


def logins(level: str, events: str) -> str:
    """The events with their keys. To be kept as `logins`."""
    columns = f"Id, CreationTime, {LEVELS[level]} AS Key, UserId, OrganizationId, Bad, Good, {FLAG}"
    return f"SELECT {columns} FROM ({described(events)}) AS events"


def of_logins() -> str:
    """The features of each login from what was strictly earlier at its key; the flag is the login's own. In the order of time and id."""
    before = "OVER (PARTITION BY Key ORDER BY CreationTime ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
    known = ", ".join(f"coalesce(CAST(sum({name}) {before} AS BIGINT), CAST(0 AS BIGINT)) AS {name}" for name in COUNTS)
    moments = (
        f"SELECT Key, CreationTime, {', '.join(map(_sum, COUNTS))} FROM ({_changes()}) AS changes GROUP BY Key, CreationTime"
    )
    return (
        f"SELECT logins.Id AS Id, logins.Key AS Key, {', '.join(f'known.{name} AS {name}' for name in COUNTS)}, "
        f"logins.{FLAG} AS {FLAG} FROM logins JOIN (SELECT Key, CreationTime, {known} FROM ({moments}) AS moments) AS known "
        f"ON logins.Key = known.Key AND logins.CreationTime = known.CreationTime ORDER BY logins.CreationTime, logins.Id"
    )


def _changes() -> str:
    """When each count grows, and by how much: with every login, and with the first one, bad and good, of a person or organization."""
    zeros = ", ".join(f"0 AS {name}" for name in COUNTS[2:])
    every = f"SELECT Key, CreationTime, Bad AS IPBadLogins, Good AS IPGoodLogins, {zeros} FROM logins"
    firsts = (_firsts(who, kind, count) for count, who, kind in zip(COUNTS[2:], _WHO, _KINDS * 2, strict=True))
    return " UNION ALL ".join([every, *firsts])


def _firsts(who: str, kind: str, count: str) -> str:
    ones = ", ".join(f"{int(name == count)} AS {name}" for name in COUNTS)
    first = f"SELECT Key, {who}, min(CreationTime) AS CreationTime FROM logins WHERE {kind} = 1 GROUP BY Key, {who}"
    return f"SELECT Key, CreationTime, {ones} FROM ({first}) AS firsts"
