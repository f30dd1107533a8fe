"""Small rows and forests for the tests of the detector, made without the generator."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier

from sfumato.applications.ato.events import EVENTS, TRUTH
from sfumato.applications.ato.forest import Forest, Model
from sfumato.applications.ato.forest.model import FEATURES, Settings
from sfumato.applications.ato.training import Labelled


def some_rows(count: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Counts with a long tail and a flag; a label that depends on them, but not quite."""
    rng = np.random.default_rng(seed)
    rows = np.floor(rng.pareto(0.7, (count, len(FEATURES))) * 3)
    rows[:, 6] = rng.random(count) < 0.2
    odds = (rows[:, 0] > rows[:, 1]) * 0.6 + rows[:, 6] * 0.3 + 0.05
    return rows, (rng.random(count) < odds).astype(np.int64)


def some_forest(trees: int = 20, depth: int = 8, leaf: int = 2, seed: int = 3, count: int = 2000) -> RandomForestClassifier:
    return RandomForestClassifier(trees, max_depth=depth, min_samples_leaf=leaf, random_state=seed).fit(*some_rows(count, seed))


def some_model(level: str = "ip", classifier: Any = None) -> Model:
    fitted = classifier or some_forest()
    settings = Settings(len(fitted.estimators_), 8, 2)
    return Model(level, Forest.of(fitted), settings, 3, 2000, 0.25, tuple(map(float, fitted.feature_importances_)))


def some_addresses(seed: int = 1) -> pa.Table:
    """Features of addresses of five kinds, which the first letter of the key tells: (h)omes, (o)ffices, (f)orgetful users,
    (l)oud and (s)low sprayers."""
    rng = np.random.default_rng(seed)

    def kind(letter: str, count: int, *means: float) -> list[tuple[Any, ...]]:
        rows = rng.poisson(means, (count, len(means)))
        return [(f"{letter}{place}", *_possible(row)) for place, row in enumerate(rows.tolist())]

    rows = [
        *kind("h", 2000, 1, 40, 0.6, 1, 0.6, 1, 0),
        *kind("o", 100, 300, 5000, 80, 200, 1, 1, 0),
        *kind("f", 100, 30, 5, 1, 1, 1, 1, 0),
        *kind("l", 30, 4000, 3, 700, 2, 40, 1, 3),
        *kind("s", 60, 30, 0.3, 28, 0.3, 9, 0.3, 0.2),
    ]
    return pa.table(dict(zip(("Key", *FEATURES), map(list, zip(*rows, strict=True)), strict=True)))


def _possible(row: list[int]) -> tuple[int, ...]:
    """Counts that logs can have: no more users than logins, no more organizations than users, somebody who has some."""
    bad, good, bad_users, good_users, bad_orgs, good_orgs, flag = row
    bad_users, good_users = min(max(bad_users, bad > 0), bad), min(max(good_users, good > 0), good)
    orgs = min(max(bad_orgs, bad > 0), bad_users), min(max(good_orgs, good > 0), good_users)
    return bad, good, int(bad_users), int(good_users), int(orgs[0]), int(orgs[1]), int(flag > 0)


def some_logins(count: int = 3000, seed: int = 2, *, truth: bool = True) -> Labelled:
    """Logins of 200 addresses in 40 subnets of 4 countries; every tenth address is bad and has more failures. An address that is coarser
    mixes good and bad ones; bad logins often have the flag."""
    rng = np.random.default_rng(seed)
    keys = {"ip": rng.integers(0, 200, count)}
    keys |= {"subnet": keys["ip"] // 5, "country": keys["ip"] // 50}
    bad = keys["ip"] % 10 == 0
    flag = (bad & (rng.random(count) < 0.6)).astype(float)
    rows = {}
    for level, codes in keys.items():
        size = int(codes.max()) + 1
        counts = rng.poisson(20, (size, 6)).astype(float)
        counts[:, 0] += 300 * np.bincount(codes, bad, size) / np.maximum(np.bincount(codes, minlength=size), 1)
        rows[level] = np.column_stack([counts[codes], flag])
    return Labelled(rows, keys, bad, bad ^ (rng.random(count) < 0.02) if truth else None)


def some_events(seed: int = 4, people: int = 150, days: int = 6) -> tuple[pa.Table, pa.Table]:
    """A small log and its truth: people at home who mistype now and then, and two campaigns against different people. Campaign 0 goes
    through 80 of them twice, from three addresses of one subnet and two of others; campaign 1 through 40 from two lone addresses."""
    chance = random.Random(seed)
    events: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []

    def event(person: int, address: str, day: float, failed: bool, agent: str) -> str:
        moment = datetime(2026, 3, 2) + timedelta(days=day)
        events.append(
            {
                "Id": f"e{len(events)}",
                "CreationTime": moment,
                "Operation": "UserLoginFailed" if failed else "UserLoggedIn",
                "LogonError": "InvalidUserNameOrPassword" if failed else None,
                "UserId": f"u{person}",
                "OrganizationId": f"o{person // 20}",
                "ClientIP": address,
                "Country": "NL" if address.startswith("203") else "DE",
                "UserAgent": agent,
            }
        )
        return str(events[-1]["Id"])

    for day in range(days):
        for person in range(people):
            for _ in range(3):
                event(person, f"240.0.{person // 3}.{person % 3}", day + chance.random(), chance.random() < 0.06, "Mozilla/5.0")
    lists = {
        0: (range(80), [f"203.0.113.{host}" for host in (1, 2, 3)] + ["203.1.1.1", "203.2.2.2"]),
        1: (range(100, 140), ["203.3.3.3", "203.4.4.4"]),
    }
    for campaign, (tried, addresses) in lists.items():
        for turn in range(2):
            for person in tried:
                agent = "CBAInPROD" if chance.random() < 0.5 else "Mozilla/5.0"
                success = person % 40 == 7
                made = event(person, addresses[(person + turn) % len(addresses)], 1 + turn + chance.random(), not success, agent)
                truth.append({"Id": made, "Campaign": campaign, "Takeover": success})
    return pa.Table.from_pylist(events, schema=EVENTS), pa.Table.from_pylist(truth, schema=TRUTH)
