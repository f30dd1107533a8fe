"""What runs on a cluster or on Spark Connect does so in a process of its own: Java knows one Spark, and others of this process use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("on_a_cluster.py")
pytestmark = [pytest.mark.slow, pytest.mark.own_spark]


@pytest.mark.parametrize(
    "name",
    [
        "test_a_worker_dies_in_the_middle_of_a_count_and_another_in_the_middle_of_a_release",
        "test_without_anybody_to_work_there_is_one_line_and_not_as_long_as_somebody_is_there",
        "test_spark_connect_publishes_the_same",
    ],
)
def test_on_a_cluster(name: str) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"{TESTS}::{name}"]
    ended = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, ended.stdout
    assert "1 passed" in ended.stdout
