"""The code of an earlier commit beside today's, in one run: machines differ, and so do their neighbors, but both feel the same.

The bars of small searches were set as milliseconds on a machine where the code of that commit took `MILLISECONDS`; a bar is kept if
today's code takes no larger part of the earlier time than the bar is of those.
"""

from __future__ import annotations

import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import eight
import pytest

COMMIT = "4eb8a647c16e65319f500bf1c752b397e039c2ee"
MILLISECONDS = dict(zip(eight.RECORDED, (13.7, 7.6, 18.5, 17.9, 15.2, 4.9, 6.1), strict=True))
HERE = Path(__file__).resolve().parents[1]
_RUN = Path(__file__).with_name("optima.py")


@contextmanager
def checkout() -> Iterator[Path]:
    """The tree of the earlier commit, in a folder of its own."""
    packed = subprocess.run(["git", "archive", COMMIT], cwd=HERE, capture_output=True)
    if packed.returncode:
        pytest.skip(f"commit {COMMIT[:7]} is not in this checkout; fetch the whole history to compare with it")
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed.stdout)) as tree:
        tree.extractall(folder, filter="data")
        yield Path(folder)


def optima(tree: Path) -> dict[str, tuple[float, float]]:
    """For each row of `eight` the median time of an optimum without suppression and the least processor time, by the code of a tree."""
    path = os.pathsep.join(map(str, (tree / "src", tree / "benchmarks")))
    ran = subprocess.run(
        [sys.executable, _RUN], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return {name: (median, least) for name, median, least in json.loads(ran.stdout)}


def compared(rounds: int) -> dict[str, tuple[float, float, float]]:
    """For each row today's milliseconds, and what part they are of the earlier ones: by the clock, and by the processor."""
    with checkout() as tree:
        optima(tree)  # compiles
        runs = [(optima(tree), optima(HERE)) for _ in range(rounds)]
    rows = {}
    for name in eight.RECORDED:
        before, now = ([each[name] for each in side] for side in zip(*runs, strict=True))
        wall = [statistics.median(median for median, _ in side) for side in (before, now)]
        processor = [min(least for _, least in side) for side in (before, now)]
        rows[name] = wall[1], wall[1] / wall[0], processor[1] / processor[0]
    return rows
