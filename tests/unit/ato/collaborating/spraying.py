"""A campaign that tries two people at each of four owners, and nobody else: too few for anybody to notice alone.

Each owner has one office, where fifty people sign in four times a period (eight of these 200 sign-ins fail first), and thirty homes of one
person each. In each of two periods, one address tries two people of every owner.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.applications.ato.events import EVENTS, TRUTH

OWNERS, PEOPLE, HOMES, TRIED = 4, 50, 30, 2
BEGIN = datetime(2026, 3, 2)
SPRAYER = "203.0.113.9"
OFFICES = [f"198.51.100.{owner + 1}" for owner in range(OWNERS)]


def sprayed(tried: int = TRIED) -> tuple[pa.Table, pa.Table]:
    """The events and their truth."""
    events: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []

    def event(person: int, owner: int, address: str, day: float, *, bad: bool) -> str:
        events.append(
            {
                "Id": f"e{len(events)}",
                "CreationTime": BEGIN + timedelta(days=day),
                "Operation": "UserLoginFailed" if bad else "UserLoggedIn",
                "LogonError": "InvalidUserNameOrPassword" if bad else None,
                "UserId": f"u{person}@o{owner}.example",
                "OrganizationId": f"o{owner}",
                "ClientIP": address,
            }
        )
        return str(events[-1]["Id"])

    for week in (0, 7):
        for owner in range(OWNERS):
            for turn in range(4 * PEOPLE):
                bad = turn < 8  # each of whom gets in later
                event(turn % PEOPLE, owner, OFFICES[owner], week + turn / 50, bad=bad)
            for person in range(HOMES):
                event(person, owner, f"192.0.2.{1 + owner * HOMES + person}", week + 6, bad=False)
            for person in range(tried):
                made = event(20 + person, owner, SPRAYER, week + 5, bad=True)
                truth.append({"Id": made, "Campaign": 0, "Takeover": False})
    return pa.Table.from_pylist(events, schema=EVENTS), pa.Table.from_pylist(truth, schema=TRUTH)


def laid(folder: Path, tried: int = TRIED) -> Path:
    """As a folder that looks like one of `generate`."""
    import pyarrow.parquet as pq

    events, truth = sprayed(tried)
    (folder / "truth").mkdir(parents=True)
    pq.write_table(events, folder / "events.parquet")
    pq.write_table(truth, folder / "truth" / "truth.parquet")
    (folder / "known-good.txt").write_text("\n".join(OFFICES) + "\n", encoding="utf-8")
    return folder
