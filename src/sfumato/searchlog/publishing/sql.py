"""The queries of publishing. They keep to what all engines know.

Which rows of somebody who has too many are kept is drawn by a hash of the secret and the row: it depends on nobody else, so one person more
or less changes this person's rows only. People are counted after that, and every person once. What is common is numbered in the order of
the texts, so that everything after it works on numbers.
"""

from __future__ import annotations

from itertools import pairwise

from sfumato.searchlog.publishing.limits import Limits, Periods

ROW = "UserId, Period, Query, Time, Rank, URL"
_OF_ROW = "Query, CAST(Time AS STRING), coalesce(URL, ''), CAST(coalesce(Rank, 0) AS STRING)"


def in_its_period(times: str, periods: Periods) -> str:
    """Whether a published row is in a declared period, and its time within that; times are in whole units, which may begin before a
    period does."""
    bounds = _bounds(periods)
    if not bounds:
        return "Period = 1"
    pairs = enumerate(pairwise(bounds), start=1)
    cases = " ".join(f"WHEN {place} THEN Time >= date_trunc('{times}', {low}) AND Time < {high}" for place, (low, high) in pairs)
    return f"CASE Period {cases} ELSE FALSE END"


def _bounds(periods: Periods) -> list[str]:
    return [f"CAST('{bound.isoformat(sep=' ')}' AS TIMESTAMP)" for bound in periods.bounds()]


def inside(periods: Periods) -> str:
    """The rows within the periods, with the number of theirs, from 1."""
    bounds = _bounds(periods)
    if not bounds:
        return "SELECT UserId, 1 AS Period, Query, Time, Rank, URL FROM log"
    cases = " ".join(f"WHEN Time < {bound} THEN {place}" for place, bound in enumerate(bounds) if place)
    within = f"Time >= {bounds[0]} AND Time < {bounds[-1]}"
    return f"SELECT UserId, CASE {cases} END AS Period, Query, Time, Rank, URL FROM log WHERE {within}"


def heavy(source: str, most: int) -> str:
    """Who has more than so many rows in a period. To be kept as `heavy`."""
    return f"SELECT UserId, Period FROM ({source}) AS rows_of GROUP BY UserId, Period HAVING count(*) > {most}"


def bounded(source: str, most: int, secret: str, columns: str = ROW, of_row: str = _OF_ROW) -> str:
    """At most so many rows of each person in each period. To be kept as `bounded`, after `heavy`."""
    own = ", ".join(f"rows_of.{name.strip()}" for name in columns.split(","))
    joined = f"({source}) AS rows_of {{}} heavy ON rows_of.UserId = heavy.UserId AND rows_of.Period = heavy.Period"
    turn = f"row_number() OVER (PARTITION BY UserId, Period ORDER BY md5(concat_ws('|', '{secret}', UserId, {of_row})))"
    chosen = f"SELECT {columns}, {turn} AS Turn FROM (SELECT {own} FROM {joined.format('JOIN')}) AS many"
    return (
        f"SELECT {own} FROM {joined.format('LEFT JOIN')} WHERE heavy.UserId IS NULL "
        f"UNION ALL SELECT {columns} FROM ({chosen}) AS turns WHERE Turn <= {most}"
    )


def common(rows: str, column: str, threshold: int) -> str:
    """What so many people of a period have, queries or URLs, and how many: people, not rows; numbered. To be kept as `common_queries` and
    `common_urls`."""
    different = f"SELECT Period, {column}, UserId FROM {rows} WHERE {column} IS NOT NULL GROUP BY Period, {column}, UserId"
    counted = f"SELECT Period, {column}, count(*) AS People FROM ({different}) AS each_one GROUP BY Period, {column}"
    number = f"row_number() OVER (ORDER BY {column}, Period) AS Number"
    return f"SELECT Period, {column}, People, {number} FROM ({counted} HAVING count(*) >= {threshold}) AS enough"


def surviving(rows: str) -> str:
    """The rows whose query is common. To be kept as `surviving`."""
    own = ", ".join(f"rows_of.{name}" for name in ("UserId", "Period", "Time", "Rank", "URL"))
    return (
        f"SELECT {own}, known.Number AS Q FROM {rows} AS rows_of JOIN common_queries AS known "
        "ON rows_of.Period = known.Period AND rows_of.Query = known.Query"
    )


def coded(limits: Limits) -> str:
    """The surviving rows as numbers; a URL that is not common is left out with its rank. To be kept as `coded`."""
    own = "rows_of.UserId AS UserId, rows_of.Period AS Period, rows_of.Time AS Time, Q"
    if limits.urls == "drop":
        return f"SELECT {own}, CAST(0 AS INT) AS Rank, CAST(0 AS BIGINT) AS U FROM surviving AS rows_of"
    rank = "CASE WHEN urls.Number IS NULL THEN 0 ELSE coalesce(rows_of.Rank, 0) END AS Rank"
    joined = "LEFT JOIN common_urls AS urls ON rows_of.Period = urls.Period AND rows_of.URL = urls.URL"
    return f"SELECT {own}, {rank}, coalesce(urls.Number, 0) AS U FROM surviving AS rows_of {joined}"


_CODED = "UserId, Period, Time, Q, Rank, U"


def in_sessions(limits: Limits) -> str:
    """The rows with the session that they are in, and the part of it. To be kept as `placed`."""
    session, source = "0", "coded"
    if limits.sessions is not None:
        before = "lag(Time) OVER (PARTITION BY UserId, Period ORDER BY Time) AS Before"
        gap = f"CASE WHEN Time > Before + INTERVAL '{limits.sessions}' SECOND THEN 1 ELSE 0 END"
        session = f"CAST(sum({gap}) OVER (PARTITION BY UserId, Period ORDER BY Time) AS INT)"
        source = f"(SELECT {_CODED}, {before} FROM coded) AS stepped"
    placed = f"SELECT {_CODED}, {session} AS Session FROM {source}"
    if limits.bundle is None:
        return f"SELECT {_CODED}, Session, 0 AS Part FROM ({placed}) AS placed_rows"
    turn = "row_number() OVER (PARTITION BY UserId, Period, Session ORDER BY Time, Q, U, Rank)"
    part = f"CAST(floor((Turn - 1) / {limits.bundle}.0) AS INT)"
    turns = f"SELECT {_CODED}, Session, {turn} AS Turn FROM ({placed}) AS placed_rows"
    return f"SELECT {_CODED}, Session, {part} AS Part FROM ({turns}) AS turns"


def bundles(secret: str) -> str:
    """A new id for each bundle, drawn: its place in the order of a hash that only the secret explains. To be kept as `bundles`."""
    key = f"md5(concat_ws('|', '{secret}', UserId, CAST(Period AS STRING), CAST(Session AS STRING), CAST(Part AS STRING)))"
    different = "SELECT UserId, Period, Session, Part FROM placed GROUP BY UserId, Period, Session, Part"
    return f"SELECT UserId, Period, Session, Part, row_number() OVER (ORDER BY {key}) AS Id FROM ({different}) AS each_one"


def released(limits: Limits) -> str:
    """The rows as they are written. The order is that of what is written."""
    numbers = (
        f"SELECT bundles.Id AS Id, placed.Period AS Period, Q, date_trunc('{limits.times}', placed.Time) AS Time, Rank, U FROM placed "
        "JOIN bundles ON placed.UserId = bundles.UserId AND placed.Period = bundles.Period "
        "AND placed.Session = bundles.Session AND placed.Part = bundles.Part"
    )
    url, joined = "CAST(NULL AS STRING)", ""
    if limits.urls == "threshold":
        url, joined = "urls.URL", "LEFT JOIN common_urls AS urls ON U = urls.Number"
    return (
        f"SELECT Id, rows_of.Period AS Period, known.Query AS Query, Time, CASE WHEN Rank > 0 THEN Rank END AS Rank, {url} AS URL "
        f"FROM ({numbers}) AS rows_of JOIN common_queries AS known ON Q = known.Number {joined} ORDER BY Id, Time, Q, U, rows_of.Rank"
    )
