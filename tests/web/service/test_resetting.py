"""A forgotten password: a link that works once, not for ever, for the account it was made for; and not from owner to owner."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.errors import UsageError
from sfumato.web.service import passwords
from sfumato.web.service.people import Account, Role
from sfumato.web.service.resetting import printed
from sfumato.web.service.secret import digest
from sfumato.web.service.service import Service
from sfumato.web.service.store.tables import reset
from tests.web.service.conftest import ADDRESS, BOTH, PASSWORD, Clock, browser, make_account, program

STORES = BOTH
DAY = 24 * 3600
NEW = "quite another password"


def link_for(client: TestClient, account: Account) -> str:
    answer = client.post(f"/api/v1/accounts/{account.id}/reset")
    assert answer.status_code == 201, answer.text
    return str(answer.json()["link"]).removeprefix(ADDRESS)


def used(client: TestClient, link: str, password: str = NEW, again: str | None = None) -> int:
    data = {"password": password, "again": password if again is None else again}
    return int(client.post(link.removeprefix(ADDRESS), data=data).status_code)


def signs_in(app: FastAPI, account: Account, password: str) -> bool:
    answer = browser(app).post("/sign-in", data={"mail": account.mail, "password": password})
    return bool(answer.status_code == 303)


def test_a_link_gives_a_new_password_once_and_ends_all_sessions(app: FastAPI, as_owner: TestClient, user: Account) -> None:
    before, script = browser(app, user), program(app, browser(app, user))
    link, somebody = link_for(as_owner, user), browser(app)
    assert user.mail in somebody.get(link).text
    assert signs_in(app, user, PASSWORD)  # nothing has happened yet
    assert used(somebody, link) == 303
    assert somebody.get("/api/v1/account").json()["mail"] == user.mail
    assert before.get("/account").status_code == 303
    assert script.get("/api/v1/account").status_code == 200  # tokens are listed there, to be revoked
    assert (signs_in(app, user, PASSWORD), signs_in(app, user, NEW)) == (False, True)
    assert used(browser(app), link, "a third long password") == 404
    assert browser(app).get(link).status_code == 404
    assert signs_in(app, user, NEW)


def test_a_link_lasts_a_day_and_a_new_one_voids_it(app: FastAPI, as_owner: TestClient, user: Account, clock: Clock) -> None:
    first, second = link_for(as_owner, user), link_for(as_owner, user)
    assert used(browser(app), first) == 404
    clock.now += DAY
    assert used(browser(app), second) == 404
    clock.now -= 1
    assert used(browser(app), second) == 303


def test_a_link_is_void_when_the_password_is_changed_or_it_is_withdrawn(
    app: FastAPI, as_owner: TestClient, as_user: TestClient, user: Account
) -> None:
    link = link_for(as_owner, user)
    assert as_user.post("/api/v1/account/password", json={"old": PASSWORD, "new": NEW}).status_code == 204
    assert used(browser(app), link, "a third long password") == 404
    link = link_for(as_owner, user)
    assert as_owner.delete(f"/api/v1/accounts/{user.id}/reset").status_code == 204
    assert as_owner.delete(f"/api/v1/accounts/{user.id}/reset").status_code == 404
    assert used(browser(app), link, "a third long password") == 404
    assert signs_in(app, user, NEW)


def test_closing_an_account_voids_the_links_that_it_has_got_and_made(
    app: FastAPI, service: Service, as_owner: TestClient, user: Account
) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    made = link_for(browser(app, other), user)
    assert as_owner.delete(f"/api/v1/accounts/{other.id}").status_code == 204
    assert used(browser(app), made) == 404
    got = link_for(as_owner, user)
    assert as_owner.delete(f"/api/v1/accounts/{user.id}").status_code == 204
    assert used(browser(app), got) == 404
    assert as_owner.post(f"/api/v1/accounts/{user.id}/reset").status_code == 404


def test_no_owner_gets_at_the_tables_of_another_one_by_a_link(
    app: FastAPI, service: Service, as_owner: TestClient, owner: Account
) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    for account in (owner, other):
        answer = as_owner.post(f"/api/v1/accounts/{account.id}/reset")
        assert (answer.status_code, "--reset-password" in answer.json()["error"]["message"]) == (403, True)
        assert as_owner.post(f"/people/{account.id}/reset").status_code == 403
        assert as_owner.delete(f"/api/v1/accounts/{account.id}/reset").status_code == 403
        assert f"/people/{account.id}/reset" not in as_owner.get("/people").text
    _, link = printed(service, "  OTTO@example.org ")
    assert as_owner.post(f"/people/{other.id}/reset/withdraw").status_code == 403
    assert used(browser(app), link) == 303
    assert signs_in(app, other, NEW)


def test_users_and_strangers_make_no_links(as_user: TestClient, stranger: TestClient, user: Account) -> None:
    for place in (f"/people/{user.id}/reset", f"/people/{user.id}/reset/withdraw", f"/api/v1/accounts/{user.id}/reset"):
        assert as_user.post(place).status_code in (403, 405)
        assert stranger.post(place).status_code in (303, 401)


@pytest.mark.parametrize(("password", "again"), [("eleven char", None), (NEW, "something else"), ("", None)])
def test_a_password_that_is_refused_leaves_the_link(
    app: FastAPI, as_owner: TestClient, user: Account, password: str, again: str | None
) -> None:
    link = link_for(as_owner, user)
    assert used(browser(app), link, password, again) in (400, 422)
    assert used(browser(app), link) == 303


def test_of_two_who_use_a_link_at_once_one_wins(
    app: FastAPI, as_owner: TestClient, user: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, both = link_for(as_owner, user), Barrier(2)
    hashed: Callable[[str], str] = passwords.hashed

    def together(password: str) -> str:
        both.wait(30)
        return hashed(password)

    monkeypatch.setattr(passwords, "hashed", together)
    with ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(used, browser(app), link, password) for password in (NEW, "a third long password")]
        assert sorted(each.result() for each in tries) == [303, 409]


def test_whoever_was_locked_out_by_wrong_passwords_can_sign_in_again(app: FastAPI, as_owner: TestClient, user: Account) -> None:
    assert [signs_in(app, user, "wrong") for _ in range(11)] == [False] * 11
    assert not signs_in(app, user, PASSWORD)  # it waits
    assert used(browser(app), link_for(as_owner, user)) == 303
    assert signs_in(app, user, NEW)


def test_the_link_is_shown_once_and_kept_as_a_digest(service: Service, as_owner: TestClient, user: Account) -> None:
    answer = as_owner.post(f"/people/{user.id}/reset")
    assert answer.status_code == 201
    link = answer.text.split("<code>")[1].split("</code>")[0]
    secret = link.removeprefix(f"{ADDRESS}/new-password/")
    page = as_owner.get("/people").text
    assert secret not in page
    assert "a link for a new password waits" in page
    with service.database.reading() as connection:
        row = connection.execute(sa.select(reset)).one()
    assert row.digest == digest(secret)
    assert secret not in str(tuple(row))


def test_what_was_done_is_recorded(app: FastAPI, service: Service, as_owner: TestClient, owner: Account, user: Account) -> None:
    link_for(as_owner, user)
    as_owner.post(f"/people/{user.id}/reset/withdraw")
    used(browser(app), link_for(as_owner, user))
    printed(service, owner.mail)
    done = [(each["account"], each["action"], each["about"]) for each in as_owner.get("/api/v1/activity").json()][:5]
    assert done[::-1] == [
        (owner.id, "reset-link", user.id),
        (owner.id, "withdraw-reset-link", user.id),
        (owner.id, "reset-link", user.id),
        (user.id, "reset-password", None),
        (None, "reset-link-printed", owner.id),
    ]
    page = as_owner.get("/activity").text
    for words in ("made a link for a new password", "withdrew a link", "chose a new password by a link", "printed a link"):
        assert words in page


def test_a_foreign_page_uses_no_link(as_owner: TestClient, stranger: TestClient, user: Account) -> None:
    link = link_for(as_owner, user)
    evil = {"Origin": "https://evil.example"}
    assert stranger.post(link, data={"password": NEW, "again": NEW}, headers=evil).status_code == 403
    assert as_owner.post(f"/people/{user.id}/reset", headers=evil).status_code == 403
    assert stranger.get("/new-password/" + "a" * 5_000).status_code == 404


def test_a_link_for_nobody_is_not_printed(service: Service) -> None:
    with pytest.raises(UsageError, match="no open account has this mail address"):
        printed(service, "nobody@example.org")
