"""Small random logs, and their features read with plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Any

import pyarrow as pa

from sfumato.applications.ato.events import COUNTS, EVENTS, FLAG
from sfumato.applications.ato.outcomes import RIGHT_PASSWORD

ADDRESSES = ["240.0.1.7", "240.0.1.8", "240.0.2.7", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "2001:db8:7:8:9:a:b:c"]
ERRORS = ["InvalidUserNameOrPassword", "InvalidPasswordExpiredPassword", "KmsiInterrupt", "IdsLocked", "SomethingNew", None]
AGENTS = ["Mozilla/5.0", "CBAInPROD", "cbainprod", None, "Ünknown"]
BEGIN = datetime(2026, 3, 2)


def random_log(seed: int, rows: int) -> list[dict[str, Any]]:
    """Events that meet often: few addresses, people and moments; people of two organizations."""
    chance = random.Random(seed)
    made = []
    for number in range(rows):
        failed = chance.random() < 0.5
        made.append(
            {
                "Id": f"e{number}",
                "CreationTime": BEGIN + timedelta(minutes=chance.randrange(rows // 2 + 1), microseconds=chance.randrange(2)),
                "Operation": "UserLoginFailed" if failed else "UserLoggedIn",
                "LogonError": chance.choice(ERRORS) if failed else None,
                "UserId": f"u{chance.randrange(6)}",
                "OrganizationId": f"o{chance.randrange(3)}",
                "ClientIP": chance.choice(ADDRESSES),
                "Country": chance.choice(["US", "DE", "NL", None]),
                "UserAgent": chance.choice(AGENTS),
            }
        )
    return made


def table_of(log: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(log, schema=EVENTS)


def is_bad(event: dict[str, Any]) -> bool:
    return event["Operation"] == "UserLoginFailed" and event["LogonError"] not in RIGHT_PASSWORD.values()


def key_of(event: dict[str, Any], level: str) -> str:
    address = event["ClientIP"]
    if level == "ip":
        return str(address)
    if level == "country":
        return str(event["Country"] or "ZZ")
    return str(ip_network(f"{address}/{64 if ':' in address else 24}", strict=False))


def is_flagged(event: dict[str, Any]) -> int:
    return int((event["UserAgent"] or "").lower().startswith("cbainprod"))


def counted(events: list[dict[str, Any]]) -> dict[str, int]:
    """The six counts of some events."""
    found = {}
    for kind, bad in (("Bad", True), ("Good", False)):
        chosen = [event for event in events if is_bad(event) == bad]
        found[f"IP{kind}Logins"] = len(chosen)
        found[f"IP{kind}Users"] = len({event["UserId"] for event in chosen})
        found[f"IP{kind}Orgs"] = len({event["OrganizationId"] for event in chosen})
    return {name: found[name] for name in COUNTS}


def plain_features(log: list[dict[str, Any]], level: str) -> list[dict[str, Any]]:
    groups = defaultdict(list)
    for event in log:
        groups[key_of(event, level)].append(event)
    return [
        {"Key": key, **counted(events), FLAG: max(map(is_flagged, events))}
        for key, events in sorted(groups.items(), key=lambda item: item[0].encode())
    ]


def plain_logins(log: list[dict[str, Any]], level: str) -> list[dict[str, Any]]:
    rows = []
    for event in sorted(log, key=lambda each: (each["CreationTime"], each["Id"].encode())):
        key = key_of(event, level)
        before = [each for each in log if key_of(each, level) == key and each["CreationTime"] < event["CreationTime"]]
        rows.append({"Id": event["Id"], "Key": key, **counted(before), FLAG: is_flagged(event)})
    return rows
