"""Signing in: a new session each time, no hint of what was wrong, no endless guessing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from http.cookies import SimpleCookie

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.web.service import passwords, signing_in
from sfumato.web.service.app import service_app
from sfumato.web.service.people import Account
from sfumato.web.service.secret import digest
from sfumato.web.service.service import Service
from sfumato.web.service.store import accounts
from sfumato.web.service.store.tables import account as account_table
from sfumato.web.service.store.tables import attempt, audit, session
from tests.web.service.conftest import ADDRESS, PASSWORD, Clock, browser

COOKIE = "sfumato-service-8421"


def tried(client: TestClient, mail: str, password: str = PASSWORD, **more: object) -> int:
    return int(client.post("/sign-in", data={"mail": mail, "password": password}, **more).status_code)  # type: ignore[arg-type]


def test_whoever_is_not_signed_in_is_sent_to_the_form_and_back(stranger: TestClient, owner: Account) -> None:
    answer = stranger.get("/people?a=b%26c")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/people%3Fa%3Db%2526c")
    form = stranger.get(answer.headers["location"])
    assert 'name="next" value="/people?a=b%26c"' in form.text
    data = {"mail": "OLGA@Example.org ", "password": PASSWORD, "next": "/people?a=b%26c"}
    assert stranger.post("/sign-in", data=data).headers["location"] == "/people?a=b%26c"
    assert stranger.get("/people").status_code == 200


@pytest.mark.parametrize(
    "place",
    ["https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil", "javascript:alert(1)", "/a\nb", "http:/x", ""],
)
def test_the_way_back_never_leads_elsewhere(stranger: TestClient, owner: Account, place: str) -> None:
    data = {"mail": owner.mail, "password": PASSWORD, "next": place}
    assert stranger.post("/sign-in", data=data).headers["location"] == "/"


def test_the_first_page_is_that_of_the_role(as_owner: TestClient, as_user: TestClient) -> None:
    assert [client.get("/").headers["location"] for client in (as_owner, as_user)] == ["/tables", "/catalogue"]


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(stranger: TestClient, owner: Account) -> None:
    answer = stranger.post("/sign-in", data={"mail": owner.mail, "password": PASSWORD})
    morsel = SimpleCookie(answer.headers["set-cookie"])[COOKIE]
    assert (morsel["httponly"], morsel["samesite"], morsel["path"], morsel["domain"]) == (True, "lax", "/", "")
    assert morsel["max-age"] == str(12 * 3600)
    assert not morsel["secure"]


def test_with_https_the_cookie_is_secure_and_of_this_host_alone(service: Service, owner: Account) -> None:
    app = service_app(replace(service, address="https://data.example.org"))
    client = TestClient(app, base_url="https://data.example.org", headers={"Origin": "https://data.example.org"})
    answer = client.post("/sign-in", data={"mail": owner.mail, "password": PASSWORD}, follow_redirects=False)
    morsel = SimpleCookie(answer.headers["set-cookie"])["__Host-sfumato"]
    assert (morsel["secure"], morsel["httponly"], morsel["path"], morsel["domain"]) == (True, True, "/", "")
    assert client.get("/account").status_code == 200


def test_the_store_has_the_digest_of_a_session_only(service: Service, as_owner: TestClient) -> None:
    secret = as_owner.cookies[COOKIE]
    with service.database.reading() as connection:
        rows = [tuple(row) for row in connection.execute(sa.select(session))]
    assert [row[0] for row in rows] == [digest(secret)]
    assert secret not in str(rows)


def test_signing_in_makes_a_new_session_whatever_the_browser_had(app: FastAPI, stranger: TestClient, owner: Account) -> None:
    """Session fixation: a secret that somebody else has put into the browser never becomes valid."""
    stranger.cookies.set(COOKIE, "known-to-the-attacker", domain="127.0.0.1")
    assert tried(stranger, owner.mail) == 303
    attacker = browser(app)
    attacker.cookies.set(COOKIE, "known-to-the-attacker")
    assert attacker.get("/account").status_code == 303
    first = stranger.cookies[COOKIE]
    assert tried(stranger, owner.mail) == 303
    assert stranger.cookies[COOKIE] != first


def test_signing_out_ends_the_session_on_the_server(app: FastAPI, as_owner: TestClient) -> None:
    secret = as_owner.cookies[COOKIE]
    answer = as_owner.post("/sign-out")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert 'sfumato-service-8421=""' in answer.headers["set-cookie"]
    thief = browser(app)
    thief.cookies.set(COOKIE, secret)
    assert thief.get("/account").status_code == 303
    assert as_owner.post("/sign-out").status_code == 303  # again does no harm
    assert as_owner.get("/sign-out").status_code == 405  # a link or picture cannot sign anybody out


def test_a_session_lasts_twelve_hours_whatever_is_done_with_it(as_owner: TestClient, clock: Clock) -> None:
    clock.now += 12 * 3600 - 1
    assert as_owner.get("/account").status_code == 200
    clock.now += 1
    assert as_owner.get("/account").status_code == 303


@pytest.mark.parametrize("secret", ["", "x", "'; DROP TABLE session; --", "a" * 5_000, "é"])
def test_a_forged_session_is_none(stranger: TestClient, owner: Account, secret: str) -> None:
    answer = stranger.get("/account", headers={"Cookie": f"{COOKIE}={secret}".encode()})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/account")


def test_a_wrong_name_and_a_wrong_password_are_told_alike(stranger: TestClient, owner: Account) -> None:
    answers = [stranger.post("/sign-in", data={"mail": mail, "password": "wrong"}) for mail in (owner.mail, "nobody@example.org")]
    pages = [answer.text.replace(owner.mail, "MAIL").replace("nobody@example.org", "MAIL") for answer in answers]
    assert pages[0] == pages[1]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert "wrong" not in re.sub("<[^>]*>", "", pages[0]).replace("password is wrong", "")


def test_an_unknown_name_costs_as_much_as_a_known_one(
    service: Service, stranger: TestClient, owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same path: one verification with the same parameters for each try."""
    verified: list[str] = []

    class Watched(PasswordHasher):
        def verify(self, *given: str | bytes) -> bool:  # type: ignore[override]
            verified.append(str(given[0]).rsplit("$", 2)[0])
            return bool(super().verify(*given))

    passwords._nobody.cache_clear()
    monkeypatch.setattr(passwords, "_HASHER", Watched(time_cost=1, memory_cost=8, parallelism=1))
    for mail in (owner.mail, "nobody@example.org"):
        assert tried(stranger, mail, "wrong") == 401
    assert len(verified) == 2
    assert verified[0] == verified[1]
    passwords._nobody.cache_clear()


def test_the_password_of_nobody_signs_nobody_in(stranger: TestClient) -> None:
    assert tried(stranger, "nobody@example.org", "the password of nobody") == 401


def test_passwords_are_kept_by_argon2_as_its_rfc_recommends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    kept = passwords.hashed(PASSWORD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106, second recommendation
    assert passwords.hashed(PASSWORD) != kept
    assert passwords.fits(kept, PASSWORD)
    assert not passwords.fits(kept, PASSWORD + " ")
    assert not passwords.outdated(kept)


def test_a_password_kept_with_old_parameters_is_renewed(service: Service, stranger: TestClient, owner: Account) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    with service.database.writing() as connection:
        accounts.set_password(connection, owner.id, old)
    assert tried(stranger, owner.mail, "wrong") == 401
    with service.database.reading() as connection:
        assert accounts.password_of(connection, owner.id) == old
    assert tried(stranger, owner.mail) == 303
    with service.database.reading() as connection:
        renewed = accounts.password_of(connection, owner.id)
    assert renewed != old
    assert not passwords.outdated(renewed)
    assert tried(stranger, owner.mail) == 303


def test_ten_wrong_passwords_for_a_name_and_it_waits(app: FastAPI, owner: Account, user: Account, clock: Clock) -> None:
    statuses = [tried(browser(app), owner.mail, "wrong") for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    clock.now += 60
    answer = browser(app).post("/sign-in", data={"mail": owner.mail, "password": PASSWORD})  # the right one, too
    assert (answer.status_code, answer.headers["retry-after"]) == (429, str(14 * 60))
    assert "too many tries to sign in; try again in 14 minutes" in answer.text
    assert tried(browser(app), user.mail) == 303  # another name is not concerned
    clock.now += 14 * 60
    assert tried(browser(app), owner.mail) == 303
    assert [tried(browser(app), owner.mail, "wrong") for _ in range(10)] == [401] * 10  # counted anew


def test_many_names_from_one_address_and_it_waits(stranger: TestClient, owner: Account) -> None:
    statuses = [tried(stranger, f"guess{number}@example.org", "wrong") for number in range(101)]
    assert statuses == [401] * 100 + [429]
    assert tried(stranger, owner.mail) == 429


def test_those_who_sign_in_are_not_counted(stranger: TestClient, owner: Account) -> None:
    assert {tried(stranger, owner.mail) for _ in range(110)} == {303}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("testclient", "testclient", True),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address(one: str, other: str, same: bool) -> None:
    assert (signing_in._network(one) == signing_in._network(other)) is same


def test_the_store_has_no_name_that_was_tried(service: Service, stranger: TestClient) -> None:
    tried(stranger, "secret-name@example.org", "wrong")
    with service.database.reading() as connection:
        rows = str([connection.execute(sa.select(table)).all() for table in (attempt, audit)])
    assert "secret-name" not in rows
    assert "testclient" in rows  # where it came from is recorded
    assert digest("secret-name@example.org")[:16] in rows


def change(client: TestClient, old: str, new: str, again: str | None = None) -> int:
    data = {"old": old, "new": new, "again": new if again is None else again}
    return int(client.post("/account/password", data=data).status_code)


def test_a_new_password_asks_for_the_old_and_ends_other_sessions(app: FastAPI, owner: Account, service: Service) -> None:
    here, elsewhere = browser(app, owner), browser(app, owner)
    assert change(here, "wrong", "another long one") == 400
    assert change(here, PASSWORD, "too short") == 422
    assert change(here, PASSWORD, "another long one", "another long two") == 400
    assert elsewhere.get("/account").status_code == 200
    assert change(here, PASSWORD, "another long one") == 303
    assert (here.get("/account").status_code, elsewhere.get("/account").status_code) == (200, 303)
    assert tried(elsewhere, owner.mail) == 401
    assert tried(elsewhere, owner.mail, "another long one") == 303


def test_whoever_has_a_session_cannot_guess_the_password_without_end(as_owner: TestClient) -> None:
    assert [change(as_owner, "wrong", "another long one") for _ in range(11)] == [400] * 10 + [429]


def test_a_closed_account_cannot_sign_in(service: Service, stranger: TestClient, owner: Account) -> None:
    with service.database.writing() as connection:
        connection.execute(account_table.update().values(closed=1.0))
    assert tried(stranger, owner.mail) == 401


def test_too_many_at_once_are_told_to_wait(stranger: TestClient, owner: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_PATIENCE", 0.01)
    for _ in range(2):
        passwords._AT_ONCE.acquire()
    try:
        assert tried(stranger, owner.mail) == 429
    finally:
        for _ in range(2):
            passwords._AT_ONCE.release()
    assert tried(stranger, owner.mail) == 303


def test_a_password_that_changes_meanwhile_signs_nobody_in(
    service: Service, stranger: TestClient, owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: Callable[[str | None, str], bool] = passwords.fits

    def change_first(stored: str | None, password: str) -> bool:
        right = fits(stored, password)
        with service.database.writing() as connection:
            accounts.set_password(connection, owner.id, passwords.hashed("another long one"))
        return right

    monkeypatch.setattr(passwords, "fits", change_first)
    assert tried(stranger, owner.mail) == 401


def test_the_form_speaks_to_screen_readers_and_password_managers(stranger: TestClient) -> None:
    page = stranger.get("/sign-in").text
    for field in ("mail", "password"):
        assert f'<label for="{field}">' in page
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page
    assert ADDRESS not in page
