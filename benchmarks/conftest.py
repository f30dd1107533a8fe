"""Benchmarks import their neighbours by name, and share one table of ten million rows."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def ten_million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import census

    return census.write(tmp_path_factory.mktemp("bench") / "census.parquet", census.ROWS)
