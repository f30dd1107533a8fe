"""Exploring and publishing by API: the same as by the library."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import sfumato as sf
from sfumato.web.service.people import Account
from sfumato.web.service.places import Places
from sfumato.web.service.service import Service
from tests.web.service.conftest import browser, program
from tests.web.service.offering import table_in, work_off


@pytest.fixture
def table(service: Service, owner: Account) -> str:
    return table_in(service, owner)


@pytest.fixture
def owners(app: FastAPI, owner: Account) -> TestClient:
    return program(app, browser(app, owner))


def test_what_is_explored_is_the_trade_off_of_the_library(service: Service, owners: TestClient, table: str) -> None:
    place = f"/api/v1/tables/{table}/explore"
    assert owners.get(place).status_code == 409
    assert owners.post(place, json={"models": ["k-anonymity:5"]}).status_code == 202
    work_off(service)
    project = Places(service.folder).project(table)
    for models, epsilon in ((["k-anonymity:5"], 0.4), (["k-anonymity:20"], 0.6)):
        got = owners.get(place, params={"model": models, "epsilon": epsilon}).json()
        expected = sf.trade_off(project.source, models=models, epsilon=epsilon).as_dict()
        assert (got["within"], got["feasible"], got["nodes"]) == (expected["within"], expected["feasible"], expected["nodes"])
        assert [each["node"] for each in got["front"]] == [each["node"] for each in expected["front"]]
        assert got["knee"]["node"] == expected["knee"]["node"]


def test_a_release_at_a_node_and_the_best_one(service: Service, owners: TestClient, table: str) -> None:
    place = f"/api/v1/tables/{table}/releases"
    node = {"age": 3, "sex": 1, "town": 2, "job": 2}
    assert owners.post(place, json={"models": ["k-anonymity:5"], "node": node}).status_code == 202
    assert owners.post(place, json={"models": ["k-anonymity:5"]}).status_code == 409  # one at a time
    work_off(service)
    assert owners.post(place, json={"models": ["k-anonymity:5"], "format": "parquet"}).status_code == 202
    work_off(service)
    made = owners.get(place).json()
    assert [each["number"] for each in made] == ["001", "002"]
    folder = Places(service.folder).table(table) / "releases"
    assert sf.verify(folder / "001" / "release.csv").certificate.node == node
    best = sf.verify(folder / "002" / "release.parquet").certificate
    assert best.smallest_class >= 5
    got = owners.get(f"{place}/001/release.csv")
    assert got.content == (folder / "001" / "release.csv").read_bytes()
    assert "attachment" in got.headers["content-disposition"]


def test_where_the_service_keeps_its_files_is_on_no_page(
    service: Service, app: FastAPI, as_owner: TestClient, owners: TestClient, table: str
) -> None:
    owners.post(f"/api/v1/tables/{table}/releases", json={"node": {"age": 3, "sex": 1, "town": 2, "job": 2}})
    work_off(service)
    for step in ("table", "hierarchies", "risk", "explore", "publish", "offer"):
        page = as_owner.get(f"/tables/{table}/{step}")
        assert page.status_code == 200, step
        assert str(service.folder) not in page.text, step
