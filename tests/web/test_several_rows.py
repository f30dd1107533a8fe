"""A table whose people have several rows: what counts rows says so, and what counts people does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from sfumato.web.bench.project import project_of
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard
from tests.web.conftest import BASE, PORT, TOKEN


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[TestClient]:
    """Forty people of as many ages, each with five visits."""
    rows = [f"p{person},{30 + person},{'fm'[person % 2]},{visit}" for person in range(40) for visit in range(5)]
    (tmp_path / "visits.csv").write_text("\n".join(["person_id,age,sex,visit", *rows]) + "\n")
    app = workbench(project_of(tmp_path / "visits.csv", tmp_path / "p"), Guard(TOKEN, PORT))
    assert app.state.bench.work.wait(60).error is None
    with TestClient(app, base_url=BASE, headers={"Origin": BASE}) as client:
        client.get("/", params={"token": TOKEN})
        client.post("/table/role", data={"name": "person_id", "role": "owner"})
        client.post("/table/role", data={"name": "age", "role": "quasi"})
        client.post("/table/role", data={"name": "visit", "role": "identifier"})
        yield client


def test_rows_are_not_called_people(browser: TestClient) -> None:
    table = browser.get("/table").text
    assert "People have several rows, by person_id" in table
    assert "nobody is alone" not in table  # each is alone with their age
    levels = browser.get("/hierarchies").text
    assert "fewest rows" in levels
    assert "fewest people" not in levels
    one = browser.get("/hierarchies", params={"name": "age"}).text
    assert "5 rows at the fewest" in one
    assert not re.search(r"\d people at the fewest", one)


def test_the_risk_counts_people(browser: TestClient) -> None:
    page = browser.get("/risk").text
    assert "groups of the 40 people" in page
    assert "a person is in every group that one of their rows is in" in page
    assert "100.0% of the people are alone" in page
