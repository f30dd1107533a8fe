"""The tour of everything: bar five minutes on two cores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

BAR = 300.0


def test_the_tour_of_everything(tmp_path: Path) -> None:
    started = perf_counter()
    code = "from sfumato.cli.entry import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, "demo", "--all", "-o", str(tmp_path / "tour")], capture_output=True, text=True
    )
    seconds = perf_counter() - started
    print(ended.stdout)
    print(f"tour: {seconds:.0f} s (bar {BAR:.0f})")
    assert ended.returncode == 0
    assert seconds < BAR
