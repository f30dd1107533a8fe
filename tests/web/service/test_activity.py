"""Activity: everything that changes who may do what is recorded, in the order it was done, without secrets."""

from __future__ import annotations

import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.negotiation.files import Offering
from sfumato.web.bench.tasks import TASKS
from sfumato.web.service.inviting import set_up_link
from sfumato.web.service.jobs.tasks import BEGIN, DELIVER, OFFER
from sfumato.web.service.pages.activity import PER_PAGE, WORDS
from sfumato.web.service.people import Account, Role
from sfumato.web.service.secret import digest
from sfumato.web.service.service import Service
from sfumato.web.service.store import audit
from sfumato.web.service.store.tables import audit as table
from tests.web.service.conftest import ADDRESS, PASSWORD, browser, make_account
from tests.web.service.offering import offered_in, table_in
from tests.web.service.test_joining import invited, joined


def test_what_is_done_is_recorded(app: FastAPI, service: Service, stranger: TestClient) -> None:
    link = set_up_link(service)
    assert link
    joined(stranger, link, "Olga", "olga@example.org")
    owner = stranger.get("/api/v1/account").json()["id"]
    ann = browser(app)
    joined(ann, invited(stranger), "Ann", "ann@example.org")
    user = ann.get("/api/v1/account").json()["id"]
    ann.post("/sign-out")
    ann.post("/sign-in", data={"mail": "ann@example.org", "password": "wrong"})
    ann.post("/sign-in", data={"mail": "ann@example.org", "password": PASSWORD})
    token = ann.post("/api/v1/tokens", json={"name": "nightly"}).json()
    ann.delete(f"/api/v1/tokens/{token['id']}")
    ann.post("/api/v1/account/password", json={"old": PASSWORD, "new": "another long one"})
    wasted = stranger.post("/api/v1/invitations", json={"role": "owner"}).json()
    stranger.delete(f"/api/v1/invitations/{wasted['id']}")
    stranger.delete(f"/api/v1/accounts/{user}")
    done = stranger.get("/api/v1/activity").json()
    assert [(each["account"], each["action"], each["about"]) for each in reversed(done)] == [
        (owner, "set-up", "owner"),
        (owner, "invite", "user"),
        (user, "join", "user"),
        (user, "sign-out", None),
        (None, "sign-in-failed", digest("ann@example.org")[:16]),
        (user, "sign-in", None),
        (user, "token", "nightly"),
        (user, "revoke-token", token["id"]),
        (user, "password", None),
        (owner, "invite", "owner"),
        (owner, "withdraw", wasted["id"]),
        (owner, "close-account", user),
    ]
    assert {each["address"] for each in done} == {"testclient"}
    actions = {each["action"] for each in done}
    assert actions <= set(WORDS)
    page = stranger.get("/activity").text
    for secret in (token["token"], wasted["link"], link, PASSWORD, "another long one", "ann@example.org"):
        assert secret not in page
    assert all(WORDS[action] in page for action in actions)


def test_what_is_done_with_a_table_is_for_its_owner(app: FastAPI, service: Service, as_owner: TestClient, owner: Account) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    user = browser(app, make_account(service, Role.USER, "Ann", "ann@example.org"))
    listing = offered_in(service, owner, table_in(service, owner), Offering(epsilon=0.9))
    as_owner.post("/api/v1/tables", params={"name": "a.csv"}, content=b"a,b\n1,2\n")
    made = user.post("/api/v1/negotiations", json={"offering": listing, "pattern": {"layers": [["sex"]]}}).json()
    user.post(f"/api/v1/negotiations/{made['id']}/moves", json={"move": "terminate"})
    theirs = [each["action"] for each in browser(app, other).get("/api/v1/activity").json()]
    assert set(theirs) == {"sign-in"}
    assert made["id"] not in browser(app, other).get("/activity").text
    mine = [each["action"] for each in as_owner.get("/api/v1/activity").json()]
    assert {"upload", "request", "terminate", "sign-in"} <= set(mine)


def test_whom_something_was_about_is_told_by_name(as_owner: TestClient, user: Account) -> None:
    as_owner.post(f"/people/{user.id}/close")
    page = as_owner.get("/activity").text
    assert f"({user.name})" in page
    assert user.id not in page


def test_everything_that_is_recorded_has_words() -> None:
    tasks = (BEGIN, OFFER, DELIVER, *TASKS)
    assert {*TASKS, OFFER, *(f"{task}-again" for task in tasks)} <= set(WORDS)
    assert set(audit.ACCESS) <= set(WORDS)
    assert {"upload", "remove-table", "close-offer", "request", "accept", "reject", "relax", "terminate"} <= set(WORDS)


def test_what_was_refused_is_not_recorded_as_done(service: Service, as_owner: TestClient) -> None:
    before = len(as_owner.get("/api/v1/activity").json())
    as_owner.delete("/api/v1/accounts/" + as_owner.get("/api/v1/account").json()["id"])
    as_owner.delete("/api/v1/tokens/" + "a" * 32)
    assert len(as_owner.get("/api/v1/activity").json()) == before


def test_the_pages_show_everything_once_newest_first(service: Service, as_owner: TestClient) -> None:
    with service.database.writing() as connection:
        for number in range(2 * PER_PAGE + 5):
            audit.add(connection, service.now(), None, "invite", f"thing-{number:03}", "192.0.2.1")
        total = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    things: list[str] = []
    place = "/activity"
    for _ in range(4):
        page = as_owner.get(place).text
        things += [part.split(")")[0] for part in page.split("(thing-")[1:]]
        if 'rel="next"' not in page:
            break
        place = page.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    assert things == [f"{number:03}" for number in reversed(range(2 * PER_PAGE + 5))]
    api = as_owner.get("/api/v1/activity", params={"limit": 500}).json()
    assert len(api) == total
    assert [each["id"] for each in api] == sorted((each["id"] for each in api), reverse=True)
    older = as_owner.get("/api/v1/activity", params={"limit": 500, "before": api[9]["id"]}).json()
    assert older == api[10:]


def test_limits_of_the_pages_are_kept(as_owner: TestClient) -> None:
    for query in ("limit=0", "limit=501", "before=0", "before=-1", f"before={2**63}", "before=x"):
        assert as_owner.get(f"/api/v1/activity?{query}").status_code == 422
    assert as_owner.get(f"/activity?before={2**63}").status_code == 422
    assert as_owner.get("/activity?before=1").status_code == 200
    assert ADDRESS not in as_owner.get("/activity?before=1").text
