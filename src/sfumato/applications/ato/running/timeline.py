"""When campaigns were at work: failed sign-ins a day, from the addresses of each campaign that was detected, and of each real one.

Campaigns are numbered as in `alerts.parquet`, those with most suspicious logins first. Days are numbered from the first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import sfumato as sf
from sfumato.applications.ato.detecting.alerts import ALERTS
from sfumato.applications.ato.detecting.scoring import SUSPICIOUS
from sfumato.applications.ato.events import described
from sfumato.applications.ato.generating.campaigns import CAMPAIGNS
from sfumato.applications.ato.opening import each_once, opened_events
from sfumato.applications.ato.tables import read_parquet, read_truth

MOST = 12  # campaigns that are shown one by one


def timeline_of(logs: Any, found: Path, truth: Path | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The events, failures and campaigns of every day; and how much of each real campaign was suspicious, where the truth is known."""
    alerts = read_parquet(found / "alerts.parquet", ALERTS.names, "sfumato ato detect")
    known = None if truth is None else read_truth(truth)
    with opened_events(logs, options) as events:
        table, _ = each_once(events)
        events.keep("days", f"SELECT Id, ClientIP, CAST(CreationTime AS DATE) AS Day, Bad FROM ({described(table)}) AS event")
        daily = _asked(events, "SELECT Day, count(*) AS n, CAST(sum(Bad) AS BIGINT) AS Bad FROM days GROUP BY Day ORDER BY Day")
        days = _Days(daily)
        campaigns = _campaigns(events, alerts, days)
        real = None if known is None else _attempts(events, known)
    if known is None or truth is None or real is None:
        return days.as_dict() | {"campaigns": campaigns, "real": None}
    return days.as_dict() | {"campaigns": campaigns, "real": _real(known, real, found, truth, days, options)}


class _Days:
    """The days from the first event to the last one, with what happened on each."""

    def __init__(self, daily: Sequence[Mapping[str, Any]]) -> None:
        self.first: date = daily[0]["Day"]
        self.count = (daily[-1]["Day"] - self.first).days + 1
        self.events = self.spread((row["Day"], row["n"]) for row in daily)
        self.failed = self.spread((row["Day"], row["Bad"]) for row in daily)

    def spread(self, counts: Any) -> list[int]:
        """A count for every day; 0 where there is none."""
        row = [0] * self.count
        for day, count in counts:
            row[(day - self.first).days] += count
        return row

    def as_dict(self) -> dict[str, Any]:
        last = self.first + timedelta(days=self.count - 1)
        return {"first": str(self.first), "last": str(last), "events": self.events, "failed": self.failed}


def _asked(events: sf.Queries, query: str) -> list[dict[str, Any]]:
    return [row for batch in events.batches(query) for row in batch.to_pylist()]


def _campaigns(events: sf.Queries, alerts: pa.Table, days: _Days) -> list[dict[str, Any]]:
    """The largest detected campaigns: their addresses and suspicious logins, and the failures at their addresses on every day."""
    largest = alerts.filter(pc.less_equal(alerts.column("Campaign"), MOST)).select(
        ["Campaign", "Key", "Logins", "RightPasswords"]
    )
    events.add("alerts", largest.select(["Campaign", "Key"]))
    met = "SELECT Campaign, Day, count(*) AS n FROM days JOIN alerts ON days.ClientIP = alerts.Key WHERE Bad = 1 GROUP BY Campaign, Day"
    rows = _asked(events, f"{met} ORDER BY Campaign, Day")
    numbers = largest.column("Campaign").to_numpy()
    campaigns = []
    for number in np.unique(numbers):
        own = largest.filter(pa.array(numbers == number))
        campaigns.append(
            {
                "campaign": int(number),
                "addresses": len(own),
                "logins": pc.sum(own.column("Logins")).as_py(),
                "right": pc.sum(own.column("RightPasswords")).as_py(),
                "days": days.spread((row["Day"], row["n"]) for row in rows if row["Campaign"] == number),
            }
        )
    return campaigns


def _attempts(events: sf.Queries, truth: pa.Table) -> list[dict[str, Any]]:
    """How often each real campaign tried on each day."""
    events.add("truth", truth.filter(pc.is_valid(truth.column("Campaign"))).select(["Id", "Campaign"]))
    tried = "SELECT Campaign, Day, count(*) AS n FROM days JOIN truth ON days.Id = truth.Id GROUP BY Campaign, Day"
    return _asked(events, f"{tried} ORDER BY Campaign, Day")


def _real(
    truth: pa.Table, attempts: list[dict[str, Any]], found: Path, place: Path, days: _Days, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Every real campaign with its kind, where that is known, and what was suspicious of it; -1 is for passwords from elsewhere."""
    with sf.Queries(str(found / "scores.parquet"), "scores", **options) as scores:
        scores.add("truth", truth)
        counted = _asked(
            scores,
            "SELECT coalesce(Campaign, -1) AS Campaign, count(*) AS Attempts, count(CASE WHEN Takeover THEN 1 END) AS Takeovers, "
            f"count(CASE WHEN Score > {SUSPICIOUS} THEN 1 END) AS Met, count(CASE WHEN Takeover AND Score > {SUSPICIOUS} THEN 1 END) "
            "AS MetTakeovers FROM scores JOIN truth ON scores.Id = truth.Id GROUP BY coalesce(Campaign, -1) ORDER BY Campaign",
        )
    kinds = _kinds(place)
    for row in counted:
        row["Kind"] = "phished" if row["Campaign"] < 0 else kinds.get(row["Campaign"])
    largest = sorted((row for row in counted if row["Campaign"] >= 0), key=lambda row: (-row["Attempts"], row["Campaign"]))[:MOST]
    shown = [
        row | {"days": days.spread((each["Day"], each["n"]) for each in attempts if each["Campaign"] == row["Campaign"])}
        for row in largest
    ]
    return {"count": len(kinds) or len([row for row in counted if row["Campaign"] >= 0]), "all": counted, "largest": shown}


def _kinds(truth: Path) -> dict[int, str]:
    """The kind of each real campaign, from beside the truth; nothing where only the truth is there."""
    path = (truth if truth.is_dir() else truth.parent) / "campaigns.parquet"
    if not path.is_file():
        return {}
    table = read_parquet(path, CAMPAIGNS.names, "sfumato ato generate", gaps=CAMPAIGNS.names[1:])
    return dict(zip(table.column("Campaign").to_pylist(), table.column("Kind").to_pylist(), strict=True))
