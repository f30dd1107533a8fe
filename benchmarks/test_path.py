"""The bars of the first path: counting beside a plain GROUP BY, memory under a limit, and the time until help is shown.

Times are compared within one run; nothing is kept.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import census
import duckdb
import pytest
from census import ROWS

from sfumato import Policy, Table, publish
from sfumato.engines.base import Target

GROUP_BY = 'age, workclass, education, "native-country", "marital-status", race, sex, occupation'


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_counting_costs_at_most_half_more_than_a_plain_group_by(benchmark: Any, ten_million: Path) -> None:
    def plain() -> object:
        with duckdb.connect() as connection:
            return connection.sql(f"SELECT {GROUP_BY}, count(*) FROM '{ten_million}' GROUP BY ALL").to_arrow_table()

    def ours() -> object:
        with Table.open(ten_million, census.SCHEMA) as table:
            return table.count()

    plain()
    ratios = [timed(ours) / timed(plain) for _ in range(7)]
    benchmark.pedantic(ours, rounds=3)
    ratio = statistics.median(ratios)
    print(f"\ncount of {ROWS:,} rows: {ratio:.2f} times a plain GROUP BY (bar 1.5; runs {min(ratios):.2f} to {max(ratios):.2f})")
    assert ratio <= 1.5


def test_reading_back_costs_at_most_as_much_as_twice_the_writing(benchmark: Any, ten_million: Path, tmp_path: Path) -> None:
    """Everything promised is derived again from the written file; the ratio is that of the whole release to the writing alone."""
    node = [1, 1, 1, 1, 1, 0, 0]
    with Table.open(ten_million, census.SCHEMA) as table:
        policy = Policy.at_node(table, node)
        beside = table.schema.sensitive

        def written() -> object:
            return table.engine.recode(table.schema, policy.recoding, Target(tmp_path / "alone.parquet", beside=beside))

        def released() -> object:
            where = {"output": tmp_path / "out.parquet", "ledger": tmp_path / "ledger", "force": True}
            return publish(table, policy=policy, together="none", **where)

        ratios = [timed(released) / timed(written) for _ in range(3)]
        benchmark.pedantic(released, rounds=1)
    ratio = statistics.median(ratios)
    print(f"\nrelease of {ROWS:,} rows: {ratio:.2f} times the writing (bar 3; runs {min(ratios):.2f} to {max(ratios):.2f})")
    assert ratio <= 3


COUNT = "import sys; from sfumato import Table; Table.open(sys.argv[1], sys.argv[2], memory='2GB').count()"
PUBLISH = (
    "import sys, sfumato as sf\nwith sf.Table.open(sys.argv[1], sys.argv[2], memory='2GB') as table:\n"
    "    sf.publish(table, node=[1, 1, 1, 1, 1, 0, 0], output=sys.argv[3], ledger=sys.argv[4])"
)


@pytest.mark.parametrize("code", [COUNT, PUBLISH], ids=["count", "publish"])
def test_memory_stays_below_3_gb_under_a_limit_of_2(benchmark: Any, ten_million: Path, tmp_path: Path, code: str) -> None:
    arguments = [ten_million, census.SCHEMA, tmp_path / "out.parquet", tmp_path / "ledger"]
    # ru_maxrss would tell the parent's peak, which a child inherits; the kernel's own mark starts anew with the program.
    measured = f"{code}\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"

    def work() -> int:
        ended = subprocess.run([sys.executable, "-c", measured, *map(str, arguments)], capture_output=True, text=True, check=True)
        return int(ended.stdout) * 1024

    peak = benchmark.pedantic(work, rounds=1)
    print(f"\npeak memory with a limit of 2 GB, {ROWS:,} rows: {peak / 1e9:.2f} GB (bar 3)")
    assert peak < 3e9


def test_help_answers_in_less_than_0_4_seconds(benchmark: Any) -> None:
    command = [str(Path(sys.executable).parent / "sfumato"), "--help"]
    benchmark.pedantic(lambda: subprocess.run(command, capture_output=True, check=True), rounds=10, warmup_rounds=1)
    median = benchmark.stats.stats.median
    print(f"\nsfumato --help: {median:.2f} s (bar 0.4)")
    assert median < 0.4
