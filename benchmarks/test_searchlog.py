"""The bar of search logs: ten million rows generated, searched for what identifies people, published and attacked in two minutes.

The bar is in seconds that pass; those of the processors are printed beside them. `SFUMATO_SEARCHES` makes the log smaller; the bar shrinks
with it.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.searchlog import attack, find, generate, publish, utility

ROWS = int(os.environ.get("SFUMATO_SEARCHES", "10_000_000"))


class Clock:
    """Seconds on the wall and of the processors, step by step."""

    def __init__(self) -> None:
        self.wall = self.used = 0.0

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        wall, used = time.perf_counter(), time.process_time()
        done = work()
        wall, used = time.perf_counter() - wall, time.process_time() - used
        self.wall, self.used = self.wall + wall, self.used + used
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"\n{name}: {wall:.1f} s, {used:.1f} s of the processors, {most:.1f} GB so far", end="")
        return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("searchlog")


def test_ten_million_rows_are_made_searched_published_and_attacked_in_two_minutes(folder: Path) -> None:
    log, release, owners, clock = folder / "log", folder / "out.parquet", folder / "owners.parquet", Clock()
    clock.timed("generate", lambda: generate(log, rows=ROWS, seed=1))
    clock.timed("find", lambda: find(log, truth=log / "truth"))
    clock.timed("publish", lambda: publish(log, release, bundle=5, owners=owners, ledger=release.with_name("ledger")))
    attacked = clock.timed("attack", lambda: attack(log, release, owners=owners, people=log / "truth"))
    print(f"\nall: {clock.wall:.0f} s, {clock.used:.0f} s of the processors (bar {120 * ROWS / 10e6:.0f} s)")
    print("\n".join(f"{each.attacker}, {each.side}: {each.rate:.1%} of {each.targets}" for each in attacked.attempts))
    assert clock.wall < 120 * max(ROWS / 10e6, 0.05)


def test_the_rest_of_a_release_grows_with_the_rows(folder: Path) -> None:
    """Four times the rows take at most six times as long: nothing is worse than sorting."""
    used = []
    for place, rows in enumerate((ROWS // 40, ROWS // 10)):
        log, clock = folder / f"small{place}", Clock()
        generate(log, rows=rows, seed=1)
        clock.timed(f"publish {rows:,}", lambda log=log: publish(log, log / "out.parquet", seed=1, ledger=log / "ledger"))
        clock.timed(f"utility {rows:,}", lambda log=log: utility(log, log / "out.parquet"))
        clock.timed(
            f"private {rows:,}",
            lambda log=log: publish(log, log / "p.parquet", private="1,1e-7", per_person=5, ledger=log / "ledger"),
        )
        used.append(clock.used)
    print(f"\n{used[1] / used[0]:.1f} times the time for four times the rows")
    assert used[1] < 6 * max(used[0], 1.0)
