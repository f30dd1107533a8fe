"""Coming in: the first owner by the printed link, others by invitations; every link once, and not for ever."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.signing.keys import named
from sfumato.web.service import inviting, passwords
from sfumato.web.service.inviting import set_up_link
from sfumato.web.service.people import Account, Role
from sfumato.web.service.secret import digest
from sfumato.web.service.service import Service
from sfumato.web.service.store import accounts
from sfumato.web.service.store.tables import invitation
from tests.web.service.conftest import ADDRESS, BOTH, PASSWORD, Clock, browser

STORES = BOTH

DAY = 24 * 3600
ODD = ["Ann <b>\"x'", "Müller, Jörg; DROP TABLE account", "李 小龍", "O'Neill & Söhne {{ 7*7 }}", "ann%s\\n"]


def joined(client: TestClient, link: str, name: str = "Ann", mail: str = "ann@example.org", password: str = PASSWORD) -> int:
    data = {"name": name, "mail": mail, "password": password, "again": password}
    return int(client.post(link.removeprefix(ADDRESS), data=data).status_code)


def invited(client: TestClient, role: str = "user", mail: str | None = None) -> str:
    return str(client.post("/api/v1/invitations", json={"role": role, "mail": mail}).json()["link"])


def everybody(service: Service) -> list[Account]:
    with service.database.reading() as connection:
        return accounts.everybody(connection)


def test_the_first_owner_sets_the_service_up(app: FastAPI, service: Service, stranger: TestClient) -> None:
    link = set_up_link(service)
    assert link
    assert link.startswith(f"{ADDRESS}/set-up/")
    assert "first owner" in stranger.get(link.removeprefix(ADDRESS)).text
    assert joined(stranger, link, "Olga") == 303
    assert stranger.get("/people").status_code == 200  # signed in at once
    assert [(each.name, each.role) for each in everybody(service)] == [("Olga", Role.OWNER)]
    assert joined(browser(app), link, "Eve", "eve@example.org") == 409
    assert set_up_link(service) is None
    assert len(everybody(service)) == 1


def test_a_new_start_voids_the_link_of_the_one_before(service: Service, stranger: TestClient) -> None:
    first, second = set_up_link(service), set_up_link(service)
    assert first
    assert second
    assert stranger.get(first.removeprefix(ADDRESS)).status_code == 404
    assert joined(stranger, first) == 404
    assert joined(stranger, second) == 303


def test_the_link_of_the_first_owner_lasts_a_day(service: Service, stranger: TestClient, clock: Clock) -> None:
    link = set_up_link(service)
    assert link
    clock.now += DAY
    assert joined(stranger, link) == 404
    clock.now -= 1
    assert joined(stranger, link) == 303


def test_a_set_up_link_does_nothing_once_there_is_an_owner(service: Service, stranger: TestClient, owner: Account) -> None:
    """Two services on one database: the second one has printed its link before the first one was set up."""
    with service.database.writing() as connection:
        new = inviting.Invitation("f" * 32, Role.OWNER, None, None, service.now(), service.now() + DAY)
        inviting.invitations.add(connection, new, digest("late"))
    assert joined(stranger, "/set-up/late") == 409
    assert len(everybody(service)) == 1


def test_a_link_is_of_one_kind(service: Service, stranger: TestClient, as_owner: TestClient) -> None:
    link = invited(as_owner)
    assert joined(stranger, link.replace("/join/", "/set-up/")) == 404
    assert joined(stranger, "/join/nonsense") == 404
    assert joined(stranger, "/set-up/nonsense") == 404
    assert joined(stranger, "/join/" + "a" * 5_000) == 404


def test_an_invitation_works_once_and_for_a_week(service: Service, app: FastAPI, as_owner: TestClient, clock: Clock) -> None:
    link, late = invited(as_owner), invited(as_owner, "owner")
    ann = browser(app)
    assert joined(ann, link) == 303
    assert ann.get("/").headers["location"] == "/catalogue"
    assert joined(browser(app), link, mail="bob@example.org") == 409
    assert "used already" in browser(app).get(link.removeprefix(ADDRESS)).text
    clock.now += 7 * DAY
    assert joined(browser(app), late, mail="bob@example.org") == 404
    assert len(everybody(service)) == 2


def test_an_invitation_for_a_mail_address_is_for_that_one(service: Service, app: FastAPI, as_owner: TestClient) -> None:
    link = invited(as_owner, "owner", "Bob@Example.org")
    assert 'value="bob@example.org"' in browser(app).get(link.removeprefix(ADDRESS)).text
    assert joined(browser(app), link, mail="eve@example.org") == 303
    assert {each.mail for each in everybody(service)} == {"olga@example.org", "bob@example.org"}


def test_a_mail_address_has_one_account_and_the_link_stays(service: Service, app: FastAPI, as_owner: TestClient) -> None:
    link = invited(as_owner)
    assert joined(browser(app), link, mail="OLGA@example.org") == 409
    assert joined(browser(app), link, mail="ann@example.org") == 303


def test_a_withdrawn_invitation_leads_nowhere(app: FastAPI, as_owner: TestClient) -> None:
    link = invited(as_owner)
    number = as_owner.get("/api/v1/invitations").json()[0]["id"]
    assert as_owner.post(f"/people/invitations/{number}/withdraw").status_code == 303
    assert joined(browser(app), link) == 404
    assert as_owner.post(f"/people/invitations/{number}/withdraw").status_code == 404


def test_a_used_invitation_cannot_be_withdrawn(app: FastAPI, as_owner: TestClient) -> None:
    link = invited(as_owner)
    number = as_owner.get("/api/v1/invitations").json()[0]["id"]
    assert joined(browser(app), link) == 303
    assert as_owner.delete(f"/api/v1/invitations/{number}").status_code == 404


def test_of_two_who_use_a_link_at_once_one_wins(
    service: Service, app: FastAPI, as_owner: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have seen that the link can be used before either uses it."""
    link, both = invited(as_owner), Barrier(2)
    hashed: Callable[[str], str] = passwords.hashed

    def together(password: str) -> str:
        both.wait(30)
        return hashed(password)

    monkeypatch.setattr(passwords, "hashed", together)
    with ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(joined, browser(app), link, mail=f"{name}@example.org") for name in ("ann", "bob")]
        assert sorted(each.result() for each in tries) == [303, 409]
    assert len(everybody(service)) == 2


def test_the_store_has_the_digest_of_a_link_only(service: Service, as_owner: TestClient) -> None:
    secret = invited(as_owner).rsplit("/", 1)[1]
    with service.database.reading() as connection:
        rows = [tuple(row) for row in connection.execute(sa.select(invitation))]
    assert secret not in str(rows)
    assert digest(secret) in str(rows)
    assert secret not in as_owner.get("/people").text  # shown once


@pytest.mark.parametrize("name", ODD)
def test_names_with_odd_signs_are_kept_and_shown_as_they_are(
    app: FastAPI, service: Service, as_owner: TestClient, name: str
) -> None:
    ann = browser(app)
    assert joined(ann, invited(as_owner), name) == 303
    assert ann.get("/api/v1/account").json()["name"] == name
    made = next(each for each in everybody(service) if each.mail == "ann@example.org")
    assert made.private_key.name == name
    signed = made.private_key.sign(b"words")
    assert made.private_key.public.signed(b"words", signed)
    for page in (ann.get("/account"), as_owner.get("/people"), as_owner.get("/activity")):
        assert page.status_code == 200
        assert "<b>\"x'" not in page.text
        assert "Ann &lt;b&gt;" in page.text or "<b>" not in name


@pytest.mark.parametrize(
    ("name", "mail", "free"),
    [
        ("olga  OWNER", "ann@example.org", False),
        ("\u041elg\u0430 Owner", "ann@example.org", False),  # Cyrillic O and a
        ("\uff2f\uff4c\uff47\uff41 Owner", "ann@example.org", False),  # of full width
        ("Ann", "olg\u0430@example.org", False),
        ("Ann", "\u03bflga@example.org", False),  # a Greek omicron
        ("Olga Owners", "ann@example.org", True),
        ("\u041e\u043b\u044c\u0433\u0430", "ann@example.org", True),
    ],
)
def test_nobody_joins_as_somebody_who_is_there(
    service: Service, app: FastAPI, as_owner: TestClient, name: str, mail: str, free: bool
) -> None:
    link = invited(as_owner)
    assert joined(browser(app), link, name, mail) == (303 if free else 409)
    assert len(everybody(service)) == (2 if free else 1)
    assert free or joined(browser(app), link) == 303  # the link stays


@pytest.mark.parametrize("name", ["", " ", "a\x00b", "two\nlines", "x" * 81, "\u202eevil", "tab\there"])
def test_what_is_no_name_is_refused(service: Service, app: FastAPI, as_owner: TestClient, name: str) -> None:
    assert not named(name)
    assert joined(browser(app), invited(as_owner), name) == 422
    assert len(everybody(service)) == 1


@pytest.mark.parametrize("mail", ["", "ann", "@example.org", "ann@", "a@b@c", "a b@c", "a\x00@b", "a@" + "b" * 253])
def test_what_is_no_mail_address_is_refused(service: Service, app: FastAPI, as_owner: TestClient, mail: str) -> None:
    assert joined(browser(app), invited(as_owner), mail=mail) in (400, 422)
    assert len(everybody(service)) == 1


@pytest.mark.parametrize("password", ["", "eleven char", "x" * 1_001])
def test_a_password_has_twelve_characters_or_more(service: Service, app: FastAPI, as_owner: TestClient, password: str) -> None:
    link = invited(as_owner)
    answer = browser(app).post(
        link.removeprefix(ADDRESS), data={"name": "Ann", "mail": "a@b", "password": password, "again": password}
    )
    assert answer.status_code == 422
    assert not password or password not in answer.text
    assert len(everybody(service)) == 1


def test_a_password_that_differs_from_its_repetition_is_refused(service: Service, app: FastAPI, as_owner: TestClient) -> None:
    data = {"name": "Ann", "mail": "a@b", "password": PASSWORD, "again": PASSWORD + "!"}
    assert browser(app).post(invited(as_owner).removeprefix(ADDRESS), data=data).status_code == 400
    assert len(everybody(service)) == 1
