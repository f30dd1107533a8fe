"""The owner's pages: sending a table, the steps of its workbench, offering it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.web.service.people import Account, Role
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database, jobs
from tests.web.service.conftest import browser, make_account
from tests.web.service.tabling import FLAT, offered, people, sent, work


@pytest.fixture
def database(newest_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The pages are the same on every store, so one will do."""
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    shutil.copy(newest_sqlite, tmp_path / "service.sqlite")
    made = Database.in_folder(tmp_path)
    yield made
    made.close()


def test_a_table_is_sent_looked_at_and_worked_on(service: Service, as_owner: TestClient) -> None:
    table = sent(as_owner)
    assert "<progress" in as_owner.get("/tables").text
    waiting = as_owner.get(f"/tables/{table}/table")
    assert (waiting.status_code, waiting.headers["location"]) == (303, f"/tables/{table}/waiting")
    assert "looking at the table" in as_owner.get(f"/tables/{table}/waiting").text.lower()
    assert as_owner.get(f"/tables/{table}/job").json()["done"] is False
    work(service)
    assert as_owner.get(f"/tables/{table}/waiting").headers["location"] == f"/tables/{table}/table"
    listed = as_owner.get("/tables").text
    assert "people" in listed
    assert "<progress" not in listed
    assert "240 rows, 5 columns" in as_owner.get(f"/tables/{table}/table").text
    for step in ("risk", "publish", "offer"):
        page = as_owner.get(f"/tables/{table}/{step}")
        assert page.status_code == 200
        assert f'href="/tables/{table}/{step}" aria-current="page"' in page.text
    chosen = as_owner.post(f"/tables/{table}/table/role", data={"name": "region", "role": "plain"})
    assert chosen.headers["location"].startswith(f"/tables/{table}/table#")


def test_a_name_leads_nowhere_else_and_is_text(service: Service, as_owner: TestClient, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    table = sent(as_owner, "../../etc/<script>alert(1)<.csv")
    made = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert {path.parent for path in made if path.suffix == ".csv"} == {tmp_path / "tables" / table}
    page = as_owner.get("/tables").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;" in page


def test_a_job_that_failed_is_shown_with_its_reason_and_starts_again(service: Service, as_owner: TestClient) -> None:
    table = sent(as_owner, content="a,a\n1,2\n")
    work(service)
    page = as_owner.get("/tables").text
    assert "failed: " in page
    assert f'action="/tables/{table}/again"' in page
    assert "failed: " in as_owner.get(f"/tables/{table}/waiting").text
    assert as_owner.post(f"/tables/{table}/again").status_code == 303
    with service.database.reading() as connection:
        again = jobs.last(connection, table)
    assert again is not None
    assert again.open
    assert as_owner.post(f"/tables/{table}/again").status_code == 409


def test_what_is_no_table_is_refused_in_one_line(as_owner: TestClient) -> None:
    answer = as_owner.post("/tables", files={"file": ("virus.exe", b"MZ", "text/csv")})
    assert answer.status_code == 400
    assert "would work" in answer.text
    assert as_owner.get("/api/v1/tables").json() == []


def test_pages_of_others_are_not_there(app: FastAPI, service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    table, listing = offered(service, as_owner)
    other = browser(app, make_account(service, Role.OWNER, "Otto", "otto@example.org"))
    for place in ("waiting", "table", "risk", "publish", "offer", "job", "releases/001/release.csv"):
        assert other.get(f"/tables/{table}/{place}").status_code == 404, place
        assert as_user.get(f"/tables/{table}/{place}").status_code == 403, place
    for place in ("again", "remove", "offer", "table/role", "publish", f"offer/{listing}/close"):
        assert other.post(f"/tables/{table}/{place}", data={**FLAT, "name": "age", "role": "plain"}).status_code == 404, place
    theirs = sent(other)
    work(service)
    assert other.post(f"/tables/{theirs}/offer/{listing}/close").status_code == 404
    assert table not in other.get("/tables").text
    assert listing not in other.get("/ledger").text
    assert as_user.get("/ledger").status_code == 403


def test_an_offer_says_what_is_kept_and_is_closed(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    table, listing = offered(service, as_owner)
    page = as_owner.get(f"/tables/{table}/offer").text
    room = as_owner.get(f"/api/v1/offers/{listing}/room").json()
    assert f"{room['within']} of {room['policies']} policies keep these rules" in page
    assert "People &lt;b&gt;&amp; co&lt;/b&gt;" in page
    assert listing in as_user.get("/catalogue").text
    assert as_owner.post(f"/tables/{table}/remove").status_code == 409
    assert as_owner.post(f"/tables/{table}/offer/{listing}/close").status_code == 303
    assert listing not in as_user.get("/catalogue").text
    refused = as_user.post(f"/catalogue/{listing}", data={"pattern": "age"})
    assert refused.status_code == 409
    assert "takes no further requests" in refused.text


def test_bounds_that_nothing_keeps_name_the_nearest_that_would_work(service: Service, as_owner: TestClient) -> None:
    table = sent(as_owner)
    work(service)
    assert as_owner.post(f"/tables/{table}/offer", data={**FLAT, "models": "k-anonymity:5000"}).status_code == 303
    work(service)
    page = as_owner.get(f"/tables/{table}/offer").text
    assert "k-anonymity 240 would work" in page  # all people in one class
    assert "k-anonymity:5000</textarea>" in page  # what was asked for is still there to be changed


@pytest.mark.parametrize(
    ("field", "typed", "message"),
    [
        ("epsilon", "much", "ε: a number from 0 up"),
        ("epsilon", "-1", "ε: a number from 0 up"),
        ("alpha", "nan", "α: a number from 0 up"),
        ("models", "k-anonimity:5", "k-anonymity"),
        ("quasi", "nothing", "choose one at least"),
        ("grid", "7", "from 0.0001 to 1"),
        ("limit", "0", "a whole number from 1 up"),
        ("days", "soon", "a whole number from 1 up"),
        ("most_seen", "1.5", "a whole number from 1 up"),
        ("title", "x" * 121, "at most 120 characters"),
        ("price", "free:1", "cannot read this price"),
        ("price", "", "needs a price"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(
    service: Service, as_owner: TestClient, field: str, typed: str, message: str
) -> None:
    table = sent(as_owner)
    work(service)
    form = {**FLAT, "rate": "variable", "price": "linear:100,40", field: typed}
    answer = as_owner.post(
        f"/tables/{table}/offer", data=form, headers={"Referer": f"http://127.0.0.1:8421/tables/{table}/offer"}
    )
    assert answer.status_code == 400
    assert message in answer.text
    assert f'href="/tables/{table}/offer">Back to the page' in answer.text
    assert as_owner.get(f"/tables/{table}/job").json()["task"] == "begin"


def test_the_way_back_is_never_elsewhere(as_owner: TestClient) -> None:
    answer = as_owner.post("/tables", files={"file": ("a.exe", b"x")}, headers={"Referer": "http://evil.example/tables"})
    assert "Back to the page" not in answer.text


def test_an_offer_needs_a_sensitive_column(service: Service, as_owner: TestClient) -> None:
    table = sent(as_owner, content=people().replace("disease", "note"))
    work(service)
    as_owner.post(f"/tables/{table}/table/role", data={"name": "note", "role": "plain"})
    assert "Give the columns their roles" in as_owner.get(f"/tables/{table}/offer").text


def test_a_table_that_was_not_offered_is_removed(service: Service, as_owner: TestClient, owner: Account, tmp_path: Path) -> None:
    table = sent(as_owner)
    work(service)
    assert as_owner.post(f"/tables/{table}/remove").status_code == 303
    assert as_owner.get(f"/tables/{table}/table").status_code == 404
    assert not (tmp_path / "tables" / table).exists()
