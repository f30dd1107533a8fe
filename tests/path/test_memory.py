"""Where memory or the disk ends: one line that says which, and what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.duckdb import engine
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.memory import bytes_of
from sfumato.errors import DataError, UsageError
from sfumato.frequency import FrequencySet
from sfumato.verbs import profile as verb

ONE = '[attributes.q]\nrole = "quasi"\n'


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"q": [f"{number:0200d}" for number in range(300_000)]}), tmp_path / "wide.parquet")
    return tmp_path / "wide.parquet"


def full(table: sf.Table) -> None:
    """Leave the engine no room on disk."""
    assert isinstance(table.engine, DuckDBEngine)
    table.engine._connection.execute("SET max_temp_directory_size = '1MB'")


def test_a_full_temporary_folder_is_not_called_a_memory_limit(wide: Path, tmp_path: Path) -> None:
    message = "the folder for temporary data is full; free some space, or name another with temp"
    schema = sf.Schema.parse(ONE)
    with sf.Table.open(wide, schema, memory="60MB", threads=1) as table:
        full(table)
        with pytest.raises(DataError, match=message):
            table.count()
        with pytest.raises(DataError, match=message):
            sf.publish(table, node=[1], output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("error", [MemoryError, pa.ArrowMemoryError])
def test_no_memory_left_is_one_line(wide: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def fail(*_: object) -> FrequencySet:
        raise error("12345 bytes")

    monkeypatch.setattr(FrequencySet, "of_cells", fail)
    with (
        sf.Table.open(wide, sf.Schema.parse(ONE)) as table,
        pytest.raises(DataError, match="the machine has no memory left for this; take fewer columns, or a machine with more"),
    ):
        table.count()


def test_a_column_of_too_many_values_is_counted_by_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).integers(0, 5000, 200_000)
    data = pa.table({"code": [f"{value:04d}" for value in values], "n": values})
    plain = sf.profile(data).as_dicts()
    asked: list[str] = []
    distinct = DuckDBEngine.distinct
    monkeypatch.setattr(DuckDBEngine, "distinct", lambda engine, name: asked.append(name) or distinct(engine, name))
    monkeypatch.setattr(verb, "ROOM", 10_000)
    assert sf.profile(data).as_dicts() == plain
    assert asked == ["code"]


@pytest.mark.parametrize(
    ("text", "size"), [("2GB", 2 * 10**9), ("1.5 MiB", 3 << 19), ("500mb", 5 * 10**8), ("7", 7), ("1k", 1000)]
)
def test_a_size_is_read_with_its_unit(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "lots", "-1", "80%", "1 2", "GB", "1e3MB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write 2GB or 500MB"):
        bytes_of(text)


@pytest.mark.parametrize("owner", [False, True], ids=["rows", "owners"])
def test_a_release_that_is_sorted_in_parts_is_the_same(owner: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    table = pa.table(
        {"q": chance.integers(0, 9, 20_000), "s": chance.integers(0, 4, 20_000), "who": chance.integers(0, 900, 20_000)}
    )
    role = "owner" if owner else "identifier"
    schema = sf.Schema.parse(f'{ONE}[attributes.s]\nrole = "sensitive"\n[attributes.who]\nrole = "{role}"\n')
    written = []
    for parts in (1, 7):
        monkeypatch.setattr(engine, "parts_for", lambda *_, parts=parts: parts)
        sf.publish(table, schema=schema, node=[0], output=tmp_path / f"{parts}.csv", seed=4)
        written.append((tmp_path / f"{parts}.csv").read_bytes())
    assert written[0] == written[1]
    assert len(written[0].splitlines()) == 20_001
