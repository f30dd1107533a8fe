"""The bars of reading: wide tables are profiled in few passes, and a file that unpacks to one endless line is refused in little memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROFILE = "import sys, sfumato as sf; sf.profile(sys.argv[1]).to_toml()"
REFUSED = """
import sys, sfumato as sf
try:
    sf.profile(sys.argv[1], memory="300MB")
except sf.errors.DataError as error:
    assert "needs about" in str(error)
else:
    raise AssertionError("not refused")
print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))
"""


@pytest.mark.parametrize(("columns", "rows", "bar"), [(500, 8000, 10), (10_000, 400, 60)])
def test_a_wide_table_is_profiled_in_few_passes(benchmark: Any, tmp_path: Path, columns: int, rows: int, bar: int) -> None:
    chance = np.random.default_rng(1)
    with (tmp_path / "wide.csv").open("w") as file:
        file.write(",".join(f"col{place}" for place in range(columns)) + "\n")
        for _ in range(rows):
            file.write(",".join(map(str, chance.integers(0, 100_000, columns))) + "\n")
    command = [sys.executable, "-c", PROFILE, str(tmp_path / "wide.csv")]
    benchmark.pedantic(lambda: subprocess.run(command, check=True), rounds=1)
    taken = benchmark.stats.stats.max
    print(f"\nprofile of {columns:,} columns, 24 MB: {taken:.1f} s (bar {bar})")
    assert taken < bar


def test_a_line_without_end_is_refused_in_little_memory(benchmark: Any, tmp_path: Path) -> None:
    """1.5 MB that unpack to 1.5 GB; the bar is 1.5 times the limit and 200 MB."""
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        file.write(b"age,zip\n33,10000\n34,")
        for _ in range(1500):
            file.write(b"a" * 1_000_000)
    command = [sys.executable, "-c", REFUSED, str(tmp_path / "bomb.csv.gz")]

    def work() -> int:
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) * 1024

    peak = benchmark.pedantic(work, rounds=1)
    print(f"\npeak memory with a limit of 300 MB, a line of 1.5 GB: {peak / 1e6:.0f} MB (bar 650)")
    assert peak < 650e6
