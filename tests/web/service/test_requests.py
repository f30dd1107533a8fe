"""What every request passes: the host, the origin of a change, the size, and errors that tell nothing of what is inside."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from fastapi import FastAPI, HTTPException, Request
from fastapi.testclient import TestClient

from sfumato.errors import DataError, NotVerified
from sfumato.negotiation.protocol import Conflict, IllegalMove
from sfumato.web.service import guard
from sfumato.web.service.app import service_app
from sfumato.web.service.people import Account
from sfumato.web.service.service import Service
from tests.web.service.conftest import ADDRESS, PASSWORD, program
from tests.web.service.loops import awaited

SECRET = "Rumpelstilzchen"
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:8422"},
    {"Origin": "https://127.0.0.1:8421"},
    {"Origin": "http://127.0.0.1:8421.evil.example"},
    {"Origin": "", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_change_from_a_foreign_page_is_refused(as_owner: TestClient, owner: Account, headers: dict[str, str]) -> None:
    del as_owner.headers["Origin"]
    changes = [
        ("/sign-in", {"data": {"mail": owner.mail, "password": PASSWORD}}),
        ("/sign-out", {}),
        ("/set-up/x", {"data": {}}),
        ("/people/invitations", {"data": {"role": "owner"}}),
        ("/account/tokens", {"data": {"name": "x"}}),
        ("/account/password", {"data": {"old": PASSWORD, "new": "another long one", "again": "another long one"}}),
        ("/api/v1/invitations", {"json": {"role": "owner"}}),
    ]
    for place, body in changes:
        answer = as_owner.post(place, headers=headers, **body)  # type: ignore[arg-type]
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    assert as_owner.delete(f"/api/v1/accounts/{owner.id}", headers=headers).status_code == 403
    assert as_owner.get("/api/v1/invitations").json() == []
    assert as_owner.get("/api/v1/tokens").json() == []


@pytest.mark.parametrize("headers", [{"Origin": ADDRESS}, {"Sec-Fetch-Site": "same-origin"}])
def test_a_change_from_a_page_of_the_service_is_made(as_owner: TestClient, headers: dict[str, str]) -> None:
    del as_owner.headers["Origin"]
    assert as_owner.post("/people/invitations", data={"role": "user"}, headers=headers).status_code == 201


HOSTS = [
    "evil.example",
    "evil.example:8421",
    "127.0.0.1",
    "127.0.0.1:8422",
    "localhost:8421",
    "127.0.0.1:8421.evil.example",
    "",
    "[",
]


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_is_refused(as_owner: TestClient, app: FastAPI, host: str) -> None:
    """DNS rebinding, and links in pages that would lead to somebody else's host."""
    for client in (as_owner, program(app, as_owner)):
        for place in ("/account", "/api/v1/account", "/style.css", "/sign-in"):
            answer = client.get(place, headers={"Host": host})
            assert answer.status_code == 403
            assert "olga" not in answer.text


def test_a_service_on_this_computer_has_its_local_names(service: Service, owner: Account) -> None:
    app = service_app(replace(service, address="https://data.example.org", local=("127.0.0.1:8421", "localhost:8421")))
    for host, status in (("data.example.org", 200), ("DATA.example.org", 200), ("localhost:8421", 200), ("localhost", 403)):
        assert TestClient(app, base_url="https://data.example.org").get("/sign-in", headers={"Host": host}).status_code == status


def test_no_other_site_is_told_that_it_may_read(as_owner: TestClient) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for answer in (as_owner.get("/api/v1/account", headers=headers), as_owner.options("/api/v1/account", headers=headers)):
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_every_answer_has_a_strict_policy(as_owner: TestClient, stranger: TestClient, app: FastAPI) -> None:
    app.add_api_route("/bug", lambda: 1 // 0)
    answers = [
        *(
            as_owner.get(place)
            for place in ("/account", "/people", "/activity", "/nothing", "/api/v1/account", "/api/nothing", "/bug")
        ),
        stranger.get("/account"),
        stranger.get("/sign-in", headers={"Host": "evil.example"}),
        stranger.post("/sign-in", headers={"Origin": "null"}),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        for hint in ("onclick", "style=", "<script>", "javascript:"):
            assert hint not in answer.text


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (DataError("not so", where="here"), 400, "data"),
        (IllegalMove("not now"), 409, "illegal_move"),
        (Conflict("not again"), 409, "conflict"),
        (NotVerified("no"), 409, "not_verified"),
        (HTTPException(418, "a teapot"), 418, "i'm_a_teapot"),
    ],
)
def test_an_error_is_a_page_for_people_and_an_object_for_programs(
    app: FastAPI, stranger: TestClient, error: Exception, status: int, code: str
) -> None:
    def fail() -> None:
        raise error

    for place in ("/fails", "/api/v1/fails"):
        app.add_api_route(place, fail)
    page, answer = stranger.get("/fails"), stranger.get("/api/v1/fails")
    assert (page.status_code, answer.status_code) == (status, status)
    body = answer.json()["error"]
    assert body["code"] == code
    assert body["message"] in page.text
    assert body["where"] == getattr(error, "where", None)


def test_a_bug_is_one_line_in_the_log_and_tells_nothing(
    app: FastAPI, stranger: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(secret: str) -> None:
        raise KeyError(SECRET)

    for place in ("/fails/{secret}", "/api/v1/fails/{secret}"):
        app.add_api_route(place, fail)
    with caplog.at_level(logging.DEBUG):
        page, answer = stranger.get(f"/fails/{SECRET}?q={SECRET}"), stranger.get(f"/api/v1/fails/{SECRET}")
    assert (page.status_code, answer.status_code) == (500, 500)
    assert answer.json()["error"] == {"code": "bug", "message": "a bug in sfumato (KeyError)", "where": None}
    lines = [record.getMessage() for record in caplog.records if record.name == "sfumato.service"]
    assert [line.split(" at ")[0] for line in lines] == ["GET /fails/{secret}: KeyError", "GET /api/v1/fails/{secret}: KeyError"]
    assert SECRET not in page.text + answer.text + "".join(lines)
    assert all(record.exc_info is None for record in caplog.records)


def test_what_was_sent_is_not_repeated(stranger: TestClient, as_owner: TestClient) -> None:
    answers = [
        stranger.post("/sign-in", data={"mail": SECRET, "password": SECRET}),
        as_owner.post("/api/v1/tokens", json={"name": [SECRET], SECRET: 1}),
        as_owner.post("/api/v1/tokens", content=f'{{"name": "{SECRET}'.encode(), headers={"Content-Type": "application/json"}),
        as_owner.post("/api/v1/account/password", json={"old": SECRET, "new": SECRET[:5]}),
    ]
    assert [answer.status_code for answer in answers] == [422] * 4
    assert all(f"{SECRET}<" not in answer.text and f'"{SECRET}"' not in answer.text for answer in answers)


@pytest.mark.parametrize(
    "place", ["/join/a%00b", "/api/v1/accounts/%00", "/sign-in?next=%00", "/people/%00/close", "/static/%00"]
)
def test_a_zero_byte_in_an_address_is_refused(as_owner: TestClient, place: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        assert as_owner.request(method, place).status_code == 400


@pytest.mark.parametrize("text", ["\\u0000", "a\\u0000b", "\\ud800", "\\udfff x"])
def test_texts_that_no_store_can_keep_are_refused(as_owner: TestClient, text: str) -> None:
    json = {"Content-Type": "application/json"}
    for place, body in (
        ("/api/v1/tokens", f'{{"name": "{text}"}}'),
        ("/api/v1/invitations", f'{{"role": "user", "mail": "a{text}@b"}}'),
        ("/api/v1/account/password", f'{{"old": "{text}", "new": "{text}"}}'),
    ):
        assert as_owner.post(place, content=body.encode(), headers=json).status_code == 422


def test_bodies_have_an_end(app: FastAPI, as_owner: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the header says, and what really comes, where it says nothing."""
    monkeypatch.setattr(guard, "BODY", 1000)

    async def length(request: Request) -> int:
        return len(await request.body())

    app.add_api_route("/length", length, methods=["POST"])
    for content in (b"x" * 1001, iter([b"x" * 600, b"x" * 600])):
        answer = as_owner.post("/length", content=content)
        assert answer.status_code == 413
        assert "can be sent here" in answer.text
    assert as_owner.post("/length", content=b"x" * 1000).text == "1000"
    assert as_owner.post("/length", content=iter([b"x" * 500, b"x" * 500])).text == "1000"
    sent = as_owner.post("/api/v1/tables", params={"name": "t.csv"}, content=b"x" * 5000)
    assert (sent.status_code, sent.json()["bytes"]) == (201, 5000)  # the limit of uploads is the service's


def test_an_answer_that_breaks_off_is_not_ended_as_if_it_were_whole(app: FastAPI, service: Service) -> None:
    """A download that fails in the middle must not look complete."""
    import asyncio

    from fastapi.responses import StreamingResponse

    def half() -> StreamingResponse:
        async def content() -> object:
            yield b"half"
            raise KeyError(SECRET)

        return StreamingResponse(content())  # type: ignore[arg-type]

    app.add_api_route("/half", half)
    sent = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        await asyncio.Event().wait()  # the client stays, and says nothing
        return {}

    headers = [(b"host", b"127.0.0.1:8421")]
    scope: dict[str, object] = {
        "type": "http",
        "method": "GET",
        "path": "/half",
        "raw_path": b"/half",
        "query_string": b"",
        "headers": headers,
    }
    scope |= {"http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 8421)}
    awaited(app(scope, receive, send))  # type: ignore[arg-type]
    assert [message.get("status") for message in sent] == [200, None]
    assert all(message.get("more_body") for message in sent[1:])


def test_the_way_back_from_an_error_is_a_page_of_ours(as_owner: TestClient) -> None:
    for came, shown in (
        (f"{ADDRESS}/people?x=1", 'href="/people"'),
        (f"{ADDRESS}//evil.example/x", ""),
        ("https://evil.example/", ""),
    ):
        page = as_owner.post("/people/invitations", data={"role": "nobody"}, headers={"Referer": came}).text
        assert "evil.example" not in page
        assert not shown or shown in page
