"""What all tests share: a ledger of their own, quiet hypothesis, small helpers around the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from sfumato.cli.main import run

settings.register_profile("sfumato", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("sfumato")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--torture", action="store_true", help="run the long loops, and only these")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The long loops are for `make torture`; every one of them has a quick sibling that always runs."""
    wanted = bool(config.getoption("--torture"))
    items[:] = [item for item in items if (item.get_closest_marker("torture") is not None) == wanted]


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes into the user's ledger, and every terminal is equally wide."""
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path_factory.mktemp("ledger")))
    monkeypatch.setenv("COLUMNS", "120")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def sfumato(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run the command line in this process."""

    def call(*arguments: object) -> Ended:
        capfd.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Ended(status, captured.out, captured.err)

    return call


@pytest.fixture
def census(tmp_path: Path) -> Path:
    """A folder with the bundled sample, its schema and hierarchies."""
    from sfumato.data import write_adult

    write_adult(tmp_path / "census")
    return tmp_path / "census"


SMALL_SPARK = {
    "spark.driver.memory": "768m",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # Tables of a few rows: what is compiled for a query costs more than the query.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def small_spark() -> Iterator[None]:
    """One Spark for all tests of this process, which engines use unless they are told otherwise."""
    from sfumato.engines.base import Settings
    from sfumato.engines.spark.session import session_for, stop

    session_for(Settings(master="local[2]", conf=SMALL_SPARK))
    yield
    stop()
