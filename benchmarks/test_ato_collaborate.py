"""The bar of collaborative detection: eight owners of a log of 200,000 sign-ins, all 256 coalitions, in under a minute."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

from sfumato.applications.ato.collaborating import collaborate
from sfumato.applications.ato.generating.making import generate

ROWS, OWNERS, BAR = 200_000, 8, 60


@pytest.mark.parametrize("threshold", [2, 5])
def test_eight_owners_are_paid_exactly_in_under_a_minute(tmp_path: Path, threshold: int) -> None:
    generate(tmp_path / "log", rows=ROWS, seed=7)
    wall, used = time.perf_counter(), time.process_time()
    found = collaborate(tmp_path / "log", tmp_path / "out", owners=OWNERS, threshold=threshold)
    wall, used = time.perf_counter() - wall, time.process_time() - used
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    counted = f"{ROWS:,} sign-ins, {found.shapley.coalitions} coalitions"
    print(f"\n{counted}: {wall:.1f} s, {used:.1f} s of the processors, {most:.1f} GB (bar {BAR} s)")
    assert (found.shapley.coalitions, found.shapley.intervals) == (256, None)
    assert wall < BAR
