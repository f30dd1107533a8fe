"""Tokens: shown once, kept as digests, valid for a while, revocable; a program needs nothing else."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.web.service.secret import digest
from sfumato.web.service.service import Service
from sfumato.web.service.store.tables import token
from tests.web.service.conftest import ADDRESS, BOTH, START, Clock, program

STORES = BOTH

DAY = 24 * 3600


def bare(app: FastAPI, **headers: str) -> TestClient:
    return TestClient(app, base_url=ADDRESS, headers=headers, follow_redirects=False)


def test_a_token_is_shown_once_and_kept_as_a_digest(app: FastAPI, service: Service, as_owner: TestClient) -> None:
    answer = as_owner.post("/account/tokens", data={"name": "nightly <b>", "days": "30"})
    assert answer.status_code == 201
    secret = answer.text.split("<code>sfumato_")[1].split("</code>")[0]
    page = as_owner.get("/account").text
    assert secret not in page
    assert "nightly &lt;b&gt;" in page
    with service.database.reading() as connection:
        row = connection.execute(sa.select(token)).one()
    assert row.digest == digest(f"sfumato_{secret}")
    assert secret not in str(tuple(row))
    assert row.expires == START + 30 * DAY
    assert bare(app, Authorization=f"Bearer sfumato_{secret}").get("/api/v1/account").status_code == 200


def test_a_program_needs_no_cookie_and_no_origin(app: FastAPI, as_owner: TestClient) -> None:
    script = program(app, as_owner)
    assert "origin" not in script.headers
    assert script.post("/api/v1/invitations", json={"role": "user"}).status_code == 201
    assert script.get("/api/v1/account").json()["mail"] == "olga@example.org"


@pytest.mark.parametrize("shown", ["Bearer", "Bearer ", "Bearer sfumato_wrong", "Bearer ' OR 1=1 --", "Basic eDp5", "bearer\tx"])
def test_a_forged_token_is_refused(app: FastAPI, as_owner: TestClient, shown: str) -> None:
    answer = bare(app, Authorization=shown).get("/api/v1/account")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json()["error"]["code"] == "unauthorized"


def test_a_wrong_token_is_not_helped_by_a_session(as_owner: TestClient) -> None:
    """Otherwise a foreign page could add a token of its own to get round the check of the origin."""
    headers = {"Authorization": "Bearer sfumato_wrong", "Origin": "https://evil.example"}
    assert as_owner.post("/api/v1/invitations", json={"role": "user"}, headers=headers).status_code == 401
    assert as_owner.get("/api/v1/invitations").json() == []


def test_a_token_ends_on_its_day(app: FastAPI, as_owner: TestClient, clock: Clock) -> None:
    script = program(app, as_owner)
    clock.now += 90 * DAY - 1
    assert script.get("/api/v1/account").status_code == 200
    clock.now += 1
    assert script.get("/api/v1/account").status_code == 401


def test_a_revoked_token_is_refused_at_once(app: FastAPI, as_owner: TestClient) -> None:
    script = program(app, as_owner)
    number = script.get("/api/v1/tokens").json()[0]["id"]
    assert as_owner.post(f"/account/tokens/{number}/revoke").status_code == 303
    assert script.get("/api/v1/account").status_code == 401
    assert as_owner.delete(f"/api/v1/tokens/{number}").status_code == 404


def test_a_token_of_somebody_else_is_not_there(app: FastAPI, as_owner: TestClient, as_user: TestClient) -> None:
    script = program(app, as_user)
    number = script.get("/api/v1/tokens").json()[0]["id"]
    assert as_owner.get("/api/v1/tokens").json() == []
    assert as_owner.delete(f"/api/v1/tokens/{number}").status_code == 404
    assert as_owner.post(f"/account/tokens/{number}/revoke").status_code == 404
    assert script.get("/api/v1/account").status_code == 200


def test_the_last_use_is_known_to_the_minute(app: FastAPI, as_owner: TestClient, clock: Clock) -> None:
    script = program(app, as_owner)
    assert as_owner.get("/api/v1/tokens").json()[0]["used"] is None
    assert "never used" in as_owner.get("/account").text
    for seconds, used in ((10, 10), (59, 10), (100, 100)):
        clock.now = START + seconds
        script.get("/api/v1/account")
        assert as_owner.get("/api/v1/tokens").json()[0]["used"] == START + used


@pytest.mark.parametrize(
    "body", [{"name": "x", "days": 366}, {"name": "x", "days": 0}, {"name": ""}, {"name": "x", "more": 1}, {}]
)
def test_a_token_has_a_name_and_a_last_day(as_owner: TestClient, body: dict[str, object]) -> None:
    answer = as_owner.post("/api/v1/tokens", json=body)
    assert answer.status_code == 422
    assert set(answer.json()["error"]) == {"code", "message", "where"}
    assert as_owner.get("/api/v1/tokens").json() == []
