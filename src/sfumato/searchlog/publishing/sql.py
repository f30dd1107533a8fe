"""The queries of publishing. They keep to what all engines know.

Which rows of somebody who has too many are kept is drawn by a hash of the secret and the row: it depends on nobody else, so one person more
or less changes this person's rows only. People are counted after that, and every person once.
"""

from __future__ import annotations

from sfumato.searchlog.publishing.limits import Limits, Periods

ROW = "UserId, Period, Query, Time, Rank, URL"
_OF_ROW = "Query, CAST(Time AS STRING), coalesce(URL, ''), CAST(coalesce(Rank, 0) AS STRING)"


def inside(periods: Periods) -> str:
    """The rows within the periods, with the number of theirs, from 1."""
    bounds = [f"CAST('{bound.isoformat(sep=' ')}' AS TIMESTAMP)" for bound in periods.bounds()]
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
    """What so many people of a period have, queries or URLs, and how many: people, not rows."""
    different = f"SELECT Period, {column}, UserId FROM {rows} WHERE {column} IS NOT NULL GROUP BY Period, {column}, UserId"
    return f"SELECT Period, {column}, count(*) AS People FROM ({different}) AS each_one GROUP BY Period, {column} HAVING count(*) >= {threshold}"


def surviving(rows: str) -> str:
    """The rows whose query is common. To be kept as `surviving`, after `common_queries`."""
    own = ", ".join(f"rows_of.{name.strip()}" for name in ROW.split(","))
    return (
        f"SELECT {own} FROM {rows} AS rows_of JOIN common_queries AS known "
        "ON rows_of.Period = known.Period AND rows_of.Query = known.Query"
    )


def in_sessions(limits: Limits) -> str:
    """The surviving rows with the session that they are in, and the part of it. To be kept as `placed`."""
    session = "0"
    source = "surviving"
    if limits.sessions is not None:
        before = "lag(Time) OVER (PARTITION BY UserId, Period ORDER BY Time) AS Before"
        gap = f"CASE WHEN Time > Before + INTERVAL '{limits.sessions}' SECOND THEN 1 ELSE 0 END"
        session = f"CAST(sum({gap}) OVER (PARTITION BY UserId, Period ORDER BY Time) AS BIGINT)"
        source = f"(SELECT {ROW}, {before} FROM surviving) AS stepped"
    placed = f"SELECT {ROW}, {session} AS Session FROM {source}"
    if limits.bundle is None:
        return f"SELECT {ROW}, Session, 0 AS Part FROM ({placed}) AS placed_rows"
    turn = "row_number() OVER (PARTITION BY UserId, Period, Session ORDER BY Time, Query, coalesce(URL, ''), coalesce(Rank, 0))"
    part = f"CAST(floor((Turn - 1) / {limits.bundle}.0) AS INT)"
    return f"SELECT {ROW}, Session, {part} AS Part FROM (SELECT {ROW}, Session, {turn} AS Turn FROM ({placed}) AS placed_rows) AS turns"


def bundles(secret: str) -> str:
    """A new id for each bundle, drawn: its place in the order of a hash that only the secret explains. To be kept as `bundles`."""
    key = f"md5(concat_ws('|', '{secret}', UserId, CAST(Period AS STRING), CAST(Session AS STRING), CAST(Part AS STRING)))"
    different = "SELECT UserId, Period, Session, Part FROM placed GROUP BY UserId, Period, Session, Part"
    return f"SELECT UserId, Period, Session, Part, row_number() OVER (ORDER BY {key}) AS Id FROM ({different}) AS each_one"


def released(limits: Limits) -> str:
    """The rows as they are written. A URL that is not common is left out with its rank. The order is that of what is written."""
    common_url = "urls.URL IS NOT NULL" if limits.urls == "threshold" else "1 = 0"
    urls = "LEFT JOIN common_urls AS urls ON placed.Period = urls.Period AND placed.URL = urls.URL"
    rows = (
        f"SELECT bundles.Id AS Id, placed.Period AS Period, placed.Query AS Query, date_trunc('{limits.times}', placed.Time) AS Time, "
        f"CASE WHEN {common_url} THEN placed.Rank END AS Rank, CASE WHEN {common_url} THEN placed.URL END AS URL "
        f"FROM placed JOIN bundles ON placed.UserId = bundles.UserId AND placed.Period = bundles.Period "
        f"AND placed.Session = bundles.Session AND placed.Part = bundles.Part {urls if limits.urls == 'threshold' else ''}"
    )
    return f"SELECT * FROM ({rows}) AS rows_of ORDER BY Id, Time, Query, coalesce(URL, ''), coalesce(Rank, 0)"
