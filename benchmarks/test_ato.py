"""The bars of sign-in logs: making a million events, the features of twenty million, importing, scoring.

`SFUMATO_EVENTS` makes the log smaller; the bar shrinks with it.
"""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.applications.ato.detecting import detect
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.forest.model import Settings
from sfumato.applications.ato.generating.making import generate
from sfumato.applications.ato.importing.making import import_logs
from sfumato.applications.ato.training.fitting import fitted

EVENTS = int(os.environ.get("SFUMATO_EVENTS", "20_000_000"))
MILLION = 1_000_000


def timed(work: Any) -> tuple[float, float]:
    """Seconds on the clock, and of the processors."""
    wall, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - used


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ato") / "log"
    generate(folder, rows=EVENTS, seed=1)
    return folder


def test_a_million_events_are_made_in_under_ten_seconds(tmp_path: Path) -> None:
    wall, used = timed(lambda: generate(tmp_path / "log", rows=MILLION, seed=1))
    print(f"\na million events: {wall:.1f} s, {used:.1f} s of the processors (bar 10 s)")
    assert wall < 10


def test_features_of_twenty_million_events_take_under_a_minute(log: Path, tmp_path: Path) -> None:
    wall, used = timed(lambda: features(log, tmp_path / "features"))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    bar = 60 * EVENTS / 20e6
    print(f"\nfeatures of {EVENTS:,} events: {wall:.1f} s, {used:.1f} s of the processors, {most:.1f} GB (bar {bar:.0f} s)")
    assert wall < bar


def test_an_audit_log_is_imported_at_thirty_thousand_records_a_second(tmp_path: Path) -> None:
    count = 200_000
    with (tmp_path / "log.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            record = {
                "Id": f"{number:032x}",
                "CreationTime": f"2026-03-{number % 28 + 1:02d}T08:{number % 60:02d}:00",
                "Operation": "UserLoginFailed" if number % 5 == 0 else "UserLoggedIn",
                "LogonError": "InvalidUserNameOrPassword" if number % 5 == 0 else None,
                "UserId": f"u{number % 9999}@a.example",
                "OrganizationId": "a",
                "ClientIP": f"240.0.{number % 199}.{number % 251}:{1024 + number % 999}",
                "ExtendedProperties": [{"Name": "UserAgent", "Value": "Mozilla/5.0"}],
            }
            file.write(json.dumps(record) + "\n")
    wall, used = timed(lambda: import_logs(tmp_path / "log.jsonl", tmp_path / "events.parquet", format="o365"))
    print(f"\nimport: {count / wall:,.0f} records/s, {count / used:,.0f} per processor second")
    assert count / used > 30_000


def test_two_hundred_thousand_logins_are_scored_a_second(tmp_path: Path) -> None:
    """With a forest as large as the thesis's, on rows that all differ; and all of `detect`, with files and campaigns."""
    rng = np.random.default_rng(1)
    rows = np.column_stack([np.floor(rng.pareto(0.7, (MILLION, 6)) * 3), rng.random(MILLION) < 0.2])
    labels = rng.random(MILLION) < (rows[:, 0] > rows[:, 1]) * 0.6 + rows[:, 6] * 0.3 + 0.05
    model = fitted(rows[:100_000], labels[:100_000], "ip", Settings(), 1)
    model.forest.scores(rows[:1000])
    wall, used = timed(lambda: model.forest.scores(rows))
    generate(tmp_path / "log", rows=MILLION, seed=1)
    whole, _ = timed(lambda: detect(tmp_path / "log", model, tmp_path / "found"))
    print(f"\nscored: {MILLION / wall:,.0f} logins/s, {MILLION / used:,.0f} per processor second (bar 200,000); ", end="")
    print(f"detect: {MILLION / whole:,.0f} logins/s")
    assert MILLION / wall > 200_000
