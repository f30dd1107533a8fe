"""A table whose people have several rows: people are counted, and what counts rows says so."""

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
    """Forty people of as many ages, each with five visits, the first in Kiel and the others by turns there and in Ulm."""
    rows = [
        f"p{person},{30 + person},{'fm'[person % 2]},{('Kiel', 'Ulm')[person % 2 * visit % 2]},{visit}"
        for person in range(40)
        for visit in range(5)
    ]
    (tmp_path / "visits.csv").write_text("\n".join(["person_id,age,sex,city,visit", *rows]) + "\n")
    app = workbench(project_of(tmp_path / "visits.csv", tmp_path / "p"), Guard(TOKEN, PORT))
    assert app.state.bench.work.wait(60).error is None
    with TestClient(app, base_url=BASE, headers={"Origin": BASE}) as client:
        client.get("/", params={"token": TOKEN})
        client.post("/table/role", data={"name": "person_id", "role": "owner"})
        client.post("/table/role", data={"name": "age", "role": "quasi"})
        client.post("/table/role", data={"name": "city", "role": "quasi"})
        client.post("/table/role", data={"name": "visit", "role": "identifier"})
        yield client


def test_rows_are_not_called_people(browser: TestClient) -> None:
    table = browser.get("/table").text
    assert "People have several rows, by person_id" in table
    assert "nobody is alone" not in table  # each is alone with their age


def test_behind_a_label_are_people_each_once(browser: TestClient) -> None:
    ages = browser.get("/hierarchies", params={"name": "age"}).text
    assert "40 labels, 1 person at the fewest" in ages
    cities = browser.get("/hierarchies", params={"name": "city"}).text
    # All forty have been in Kiel and every second in Ulm, and together they are forty.
    assert "2 labels, 20 people at the fewest" in cities
    behind = [int(number) for number in re.findall(r'<span class="number">(\d+)</span>', cities)]
    assert sorted(behind) == [20, 40, 40]


def test_the_risk_counts_people(browser: TestClient) -> None:
    page = browser.get("/risk").text
    assert "groups of the 40 people" in page
    assert "a person is in every group that one of their rows is in" in page
    assert "100.0% of the people are alone" in page
