"""A workbench on a table that nobody prepared, and a browser that has its token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import sfumato as sf
from sfumato.web.bench.project import Project
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard

PORT, TOKEN = 8642, "the-token-of-this-run"
SECRET = "Rumpelstilzchen"
BASE = f"http://127.0.0.1:{PORT}"


def begun(table: Path, folder: Path) -> Project:
    """A project as `sfumato init` begins it."""
    sf.init(table, output=folder)
    return Project(folder)


@pytest.fixture
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Semicolons, another encoding, German dates, a free text."""
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    rng = Random(5)
    lines = ["Patient-Nr;Geburtsdatum;PLZ;Geschlecht;Größe;Diagnose;Notiz"]
    for number in range(400):
        born = f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.{rng.randint(1950, 1990)}"
        note = SECRET if number == 7 else ""
        fields = (
            str(70_000 + number),
            born,
            rng.choice(["24103", "18055", "89073"]),
            rng.choice("mw"),
            f"1,{rng.randint(50, 99)}",
        )
        lines.append(";".join((*fields, rng.choice(["Grippe", "Gicht", "Husten"]), note)))
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="latin-1")
    return path


@pytest.fixture
def project(patients: Path, tmp_path: Path) -> Project:
    return begun(patients, tmp_path / "work")


@pytest.fixture
def app(project: Project) -> FastAPI:
    made = workbench(project, Guard(TOKEN, PORT))
    ended = made.state.bench.work.wait(60)
    assert ended.error is None
    return made


@pytest.fixture
def stranger(app: FastAPI) -> TestClient:
    """Somebody without the token."""
    return TestClient(app, base_url=BASE, follow_redirects=False)


@pytest.fixture
def browser(app: FastAPI) -> Iterator[TestClient]:
    """Somebody who has opened the address with the token."""
    with TestClient(app, base_url=BASE, headers={"Origin": BASE}) as client:
        client.get("/", params={"token": TOKEN})
        yield client
