"""People: owners see and close accounts; one owner always stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.negotiation.files import Offering
from sfumato.web.service import inviting
from sfumato.web.service.jobs.tasks import OFFER
from sfumato.web.service.people import Account, Role
from sfumato.web.service.refusals import NoSuch
from sfumato.web.service.service import Service
from sfumato.web.service.store import accounts, jobs
from tests.web.service.conftest import ADDRESS, browser, make_account, program
from tests.web.service.offering import offered_in, table_in, work_off
from tests.web.service.test_joining import invited, joined

OWNERS = ("/people", "/activity", "/api/v1/accounts", "/api/v1/invitations", "/api/v1/activity")
BOTH = ("/account", "/api/v1/account", "/api/v1/tokens")


def test_what_is_for_owners_is_for_owners(
    as_owner: TestClient, as_user: TestClient, stranger: TestClient, owner: Account
) -> None:
    for place in OWNERS:
        assert (as_owner.get(place).status_code, as_user.get(place).status_code) == (200, 403)
    for place in BOTH:
        assert (as_owner.get(place).status_code, as_user.get(place).status_code) == (200, 200)
    for place in OWNERS + BOTH:
        assert stranger.get(place).status_code == (401 if "/api/" in place else 303)
    changes = [
        ("/people/invitations", {"data": {"role": "owner"}}),
        (f"/people/{owner.id}/close", {}),
        ("/api/v1/invitations", {"json": {"role": "owner"}}),
    ]
    for place, body in changes:
        assert as_user.post(place, **body).status_code == 403
        assert stranger.post(place, **body).status_code == (401 if "/api/" in place else 303)
    assert as_user.delete(f"/api/v1/accounts/{owner.id}").status_code == 403
    assert as_owner.get("/api/v1/invitations").json() == []


def test_a_closed_account_is_out_everywhere(app: FastAPI, as_owner: TestClient, user: Account) -> None:
    ulf = browser(app, user)
    script = program(app, ulf)
    assert script.get("/api/v1/account").status_code == 200
    assert as_owner.post(f"/people/{user.id}/close").status_code == 303
    assert (ulf.get("/account").status_code, script.get("/api/v1/account").status_code) == (303, 401)
    assert "closed" in as_owner.get("/people").text
    assert as_owner.post(f"/people/{user.id}/close").status_code == 404  # it is


def test_invitations_of_a_closed_account_are_void(app: FastAPI, service: Service, as_owner: TestClient) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    link = invited(browser(app, other))
    assert as_owner.delete(f"/api/v1/accounts/{other.id}").status_code == 204
    assert joined(browser(app), link) == 404


def test_the_offers_of_a_closed_owner_take_no_further_requests(
    app: FastAPI, service: Service, as_owner: TestClient, owner: Account, user: Account
) -> None:
    listing = offered_in(service, owner, table_in(service, owner), Offering(epsilon=0.9))
    ulf, ask = browser(app, user), {"offering": listing, "pattern": {"layers": [["sex"]]}}
    begun = ulf.post("/api/v1/negotiations", json=ask).json()
    other = browser(app, make_account(service, Role.OWNER, "Otto", "otto@example.org"))
    assert other.delete(f"/api/v1/accounts/{owner.id}").status_code == 204
    assert ulf.get("/api/v1/catalogue").json() == []
    assert ulf.post("/api/v1/negotiations", json=ask).status_code == 409
    accept = {"move": "accept", "offer": begun["offer"]["id"], "digest": begun["offer"]["digest"]}
    assert ulf.post(f"/api/v1/negotiations/{begun['id']}/moves", json=accept).status_code == 200  # what was offered stands
    work_off(service)
    assert ulf.get(f"/api/v1/negotiations/{begun['id']}").json()["state"] == "delivered"


def test_nothing_is_listed_for_an_owner_who_was_closed_meanwhile(service: Service, as_owner: TestClient, owner: Account) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    table = table_in(service, other)
    arguments = {"id": "a" * 32, "account": other.id, "offering": {"epsilon": 0.9, "title": "people"}}
    with service.database.writing() as connection:
        jobs.enqueue(connection, table, OFFER, service.now(), arguments=arguments)
    assert as_owner.delete(f"/api/v1/accounts/{other.id}").status_code == 204
    with pytest.raises(NoSuch, match="closed meanwhile"):
        work_off(service)
    assert as_owner.get("/api/v1/catalogue").json() == []


def test_the_last_owner_stays(service: Service, app: FastAPI, as_owner: TestClient, owner: Account, user: Account) -> None:
    answer = as_owner.delete(f"/api/v1/accounts/{owner.id}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "taken")
    assert f"/people/{owner.id}/close" not in as_owner.get("/people").text
    make_account(service, Role.OWNER, "Otto", "otto@example.org")
    assert as_owner.delete(f"/api/v1/accounts/{owner.id}").status_code == 204
    assert as_owner.get("/account").status_code == 303


def test_two_owners_who_close_each_other_at_once_leave_one(
    app: FastAPI, service: Service, owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    olga, otto = browser(app, owner), browser(app, other)
    both, close = Barrier(2), inviting.close

    def together(*given: object) -> None:
        both.wait(30)
        close(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(inviting, "close", together)
    with ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(client.delete, f"/api/v1/accounts/{of.id}") for client, of in ((olga, other), (otto, owner))]
        assert sorted(each.result().status_code for each in tries) == [204, 409]
    with service.database.writing() as connection:
        assert len(accounts.owners(connection)) == 1


def test_the_link_of_an_invitation_is_shown_once_on_the_page(as_owner: TestClient, stranger: TestClient) -> None:
    answer = as_owner.post("/people/invitations", data={"role": "user", "mail": "ann@example.org"})
    assert answer.status_code == 201
    link = answer.text.split("<code>")[1].split("</code>")[0]
    assert link.startswith(f"{ADDRESS}/join/")
    assert link not in as_owner.get("/people").text
    assert "ann@example.org" in as_owner.get("/people").text
    assert joined(stranger, link) == 303


def test_the_keys_of_accounts_are_on_no_page(as_owner: TestClient, owner: Account) -> None:
    inner = owner.key.splitlines()[1]
    for place in OWNERS + BOTH:
        text = as_owner.get(place).text
        assert inner not in text
        assert "argon2" not in text
    assert inner not in repr(owner)
    assert owner.private_key.public.fingerprint in as_owner.get("/account").text
