"""Bad input, thousands of times: every case ends with a clear line, nothing written, no hang, no runaway memory, no wrong success."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

PROCESSES = 2
QUICK = 6  # cases of each kind
FEWEST, FEWEST_QUICK = 3_000, 200


def run(folder: Path, most: int | None) -> tuple[Counter[str], list[str]]:
    """Run the cases in processes of their own: a share each."""

    def share(number: int) -> tuple[dict[str, int], list[str]]:
        part = folder / str(number)
        part.mkdir()
        words = [str(part), str(number), str(PROCESSES), *([str(most)] if most else [])]
        # Forked processes measure no coverage.
        env = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        command = [sys.executable, "-m", "tests.torture.bad", *words]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=Path(__file__).parents[2], env=env)
        record = json.loads(ended.stdout)
        return record["tried"], record["wrong"]

    tried: Counter[str] = Counter()
    wrong: list[str] = []
    with ThreadPoolExecutor(PROCESSES) as pool:
        for counted, found in pool.map(share, range(PROCESSES)):
            tried.update(counted)
            wrong += found
    return tried, wrong


def summary(tried: Counter[str], wrong: list[str]) -> str:
    """How many were tried, held and failed, of each kind and together."""
    failed = Counter({tuple(line.split(" | ")[:3]): 1 for line in wrong})
    kinds = Counter(kind for kind, _, _ in failed)
    lines = [f"{kind:<24} {tried[kind]:>6} tried {tried[kind] - kinds[kind]:>6} held {kinds[kind]:>6} failed" for kind in tried]
    return "\n".join(
        [*lines, f"{'all':<24} {tried.total():>6} tried {tried.total() - len(failed):>6} held {len(failed):>6} failed"]
    )


@pytest.mark.torture
def test_no_bad_input_ends_badly(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    tried, wrong = run(tmp_path, None)
    for kind, count in tried.items():
        record_property("tried", (f"bad input, {kind}", count, sum(line.startswith(f"{kind} |") for line in wrong)))
    assert tried.total() >= FEWEST
    assert not wrong, "\n".join(wrong)


def test_some_bad_input_of_every_kind_ends_well(tmp_path: Path) -> None:
    tried, wrong = run(tmp_path, QUICK)
    assert tried.total() >= FEWEST_QUICK
    assert not wrong, f"{summary(tried, wrong)}\n" + "\n".join(wrong)
