"""A second engine is new files and one line in the register: every command passes it through, and opens nothing with another."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.register import ENGINES
from tests.conftest import Ended
from tests.contracts.mirror import MirrorEngine

Run = Callable[..., Ended]
SOURCES = Path(sf.__file__).parent


@pytest.fixture
def only_mirror(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    monkeypatch.setitem(ENGINES, "mirror", ("tests.contracts.mirror", "MirrorEngine"))
    plain = DuckDBEngine.__init__

    def refuse(engine: DuckDBEngine, *given: object) -> None:
        assert isinstance(engine, MirrorEngine), "opened with the default engine"
        plain(engine, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(DuckDBEngine, "__init__", refuse)
    MirrorEngine.opened.clear()
    return MirrorEngine.opened


def test_every_command_passes_the_engine_through(sfumato: Run, census: Path, tmp_path: Path, only_mirror: list[object]) -> None:
    table = [census / "adult.parquet", "-s", census / "adult.toml"]
    file = [tmp_path / "out.parquet", "-s", census / "adult.toml"]
    quasi, model = ["--quasi", "age,sex"], ["-m", "k-anonymity:5", "-m", "k-map:5", "--population", census / "adult.parquet"]
    for command, *words in (
        ("anonymize", *table, *quasi, *model, "-o", file[0], "--report", tmp_path / "a.html"),
        ("publish", *table, *quasi, "--node", "[2,0]", "-o", tmp_path / "node.csv"),
        ("check", *file, *model, "--original", table[0]),
        ("measure", *file, "--original", table[0]),
        ("measure", *table, *quasi, "--node", "[2,0]"),
        ("report", *file, "--original", table[0], "-o", tmp_path / "b.html"),
        ("verify", file[0]),
        ("explore", *table, *quasi, *model, "-o", tmp_path / "space.parquet"),
        ("subsets", *table, *quasi, "-m", "k-anonymity:5"),
        ("dimensions", *table, *quasi),
        ("tradeoff", *table, *quasi),
        ("hierarchies", *table),
        ("profile", table[0]),
    ):
        only_mirror.clear()
        ended = sfumato(command, *words, "--engine", "mirror")
        assert (ended.status, ended.err) == (0, ""), command
        assert only_mirror, command
    assert sf.Certificate.read(tmp_path / "out.parquet.certificate.json").engine["name"] == "mirror"


def test_a_release_is_read_with_the_engine_that_made_it(census: Path, only_mirror: list[object]) -> None:
    release = sf.publish(census / "adult.parquet", census / "adult.toml", node=[0], quasi="sex", engine="mirror")
    assert release.to_arrow().num_rows == 30162
    assert release.beside_original().num_rows == 30162
    assert sf.check(release, census / "adult.toml", models="k-anonymity:5", original=census / "adult.parquet").satisfied


def test_an_unknown_engine_is_refused_in_one_line(sfumato: Run, census: Path) -> None:
    ended = sfumato("profile", census / "adult.parquet", "--engine", "duck")
    assert (ended.status, ended.err) == (
        2,
        "sfumato: --engine: no engine 'duck' in this version; did you mean 'duckdb'? (have: duckdb, spark)\n",
    )


@pytest.mark.parametrize(("engine", "library"), [("duckdb", "duckdb"), ("spark", "pyspark")])
def test_an_engine_is_named_in_its_own_room_and_in_the_register_alone(engine: str, library: str) -> None:
    naming = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(library, path.read_text(encoding="utf-8"), re.IGNORECASE) and path.parent.name != engine
    }
    assert naming <= {"engines/register.py"}
