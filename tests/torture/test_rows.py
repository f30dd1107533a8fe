"""Thousands of random CSV texts: each is read as Python's own reader reads it, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.path.rows_of import compare

TEXTS = 8_000


@pytest.mark.torture
@pytest.mark.parametrize("part", range(8))
def test_no_random_text_is_read_as_another_table(
    tmp_path: Path, part: int, record_property: Callable[[str, object], None]
) -> None:
    seeds = range(200 + part * TEXTS // 8, 200 + (part + 1) * TEXTS // 8)
    read = sum(compare(seed, tmp_path) for seed in seeds)
    record_property("tried", ("random texts, read alike or refused", len(seeds), 0))
    assert len(seeds) / 2 < read < len(seeds)
