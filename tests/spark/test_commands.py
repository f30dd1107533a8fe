"""Every command that opens a table works on Spark, with one spelling of its options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Ended

Run = Callable[..., Ended]


def test_every_command_runs_on_spark(sfumato: Run, census: Path, tmp_path: Path) -> None:
    table = [census / "adult.parquet", "-s", census / "adult.toml"]
    file = [tmp_path / "out", "-s", census / "adult.toml"]
    quasi, model = ["--quasi", "age,sex"], ["-m", "k-anonymity:5"]
    for command, *words in (
        ("anonymize", *table, *quasi, *model, "-o", file[0]),
        ("check", *file, *model, "--original", table[0]),
        ("measure", *file, "--original", table[0]),
        ("report", *file, "--original", table[0], "-o", tmp_path / "b.html"),
        ("verify", file[0]),
        ("explore", *table, *quasi, *model, "-o", tmp_path / "space.parquet"),
        ("tradeoff", *table, *quasi),
        ("profile", table[0]),
    ):
        ended = sfumato(command, *words, "--engine", "spark")
        assert (ended.status, ended.err) == (0, ""), command


def test_a_folder_is_verified_and_checked_by_either_engine_and_a_changed_one_by_none(
    sfumato: Run, census: Path, tmp_path: Path
) -> None:
    words = [census / "adult.parquet", "-s", census / "adult.toml", "--quasi", "age,sex", "--node", "[2,0]"]
    assert sfumato("publish", *words, "-o", tmp_path / "out", "--engine", "spark").status == 0
    for engine in ("duckdb", "spark"):
        assert sfumato("verify", tmp_path / "out", "--engine", engine).status == 0
        checked = sfumato("check", tmp_path / "out", "-s", census / "adult.toml", "-m", "k-anonymity:5", "--engine", engine)
        assert checked.status == 0
    (tmp_path / "out" / "part-00001.parquet").write_bytes((tmp_path / "out" / "part-00000.parquet").read_bytes())
    for engine in ("duckdb", "spark"):
        ended = sfumato("verify", tmp_path / "out", "--engine", engine)
        assert (ended.status, "the file is not the one that was certified" in ended.err) == (1, True)
