"""Somebody with an account who wants what is not theirs. Every route is tried, so that a new one is, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from sfumato.negotiation.files import Offering
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.web.service import guard
from sfumato.web.service.app import service_app
from sfumato.web.service.negotiating import Said
from sfumato.web.service.people import Account, Role
from sfumato.web.service.places import Places
from sfumato.web.service.rooms import Rooms
from sfumato.web.service.secret import new_id
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database
from tests.web.service.conftest import ADDRESS, Clock, browser, make_account, program
from tests.web.service.offering import offered_in, people, table_in, work_off

SECRETS = ("Rumpelstilzchen-4711", "Zwiebelhausen")  # a name, and a town where one lives; only the original has them
PUBLIC = (
    "/sign-in",
    "/sign-out",
    "/set-up/",
    "/join/",
    "/new-password/",
    "/health",
    "/style.css",
    "/explorer.",
    "/static",
    "/api/openapi.json",
)
EVERYBODY = ("/catalogue/{identity}", "/api/v1/catalogue/{identity}")  # what is listed is for all who are signed in
HIRED = ("/people/", "/api/v1/accounts/", "/api/v1/invitations/")  # any owner lets people in and out
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("PUT", "/api/v1/tables/{identity}/schema"): {"toml": "[attributes.age]\nrole = 'plain'\n"},
    ("POST", "/api/v1/tables/{identity}/job"): {"task": "look"},
    ("POST", "/api/v1/tables/{identity}/explore"): {"models": ["k-anonymity:2"]},
    ("POST", "/api/v1/tables/{identity}/releases"): {"models": ["k-anonymity:2"]},
    ("POST", "/api/v1/tables/{identity}/offers"): {"epsilon": 0.9},
    ("POST", "/api/v1/negotiations/{identity}/moves"): {"move": "terminate"},
}
FORMS: dict[str, dict[str, str]] = {"/negotiations/{identity}/moves": {"move": "terminate"}}
Route = tuple[str, str]


def routes(app: FastAPI) -> list[Route]:
    """Every method at every address."""
    found = [
        (method, each.path) for each in iter_route_contexts(app.routes) for method in sorted(each.methods or ()) if each.path
    ]
    assert len(found) > 80
    return [each for each in found if each[0] != "HEAD"]


@dataclass(frozen=True)
class World:
    """An owner with a table that has secrets, a release of it, an offer, and two negotiations of a user: delivered, and open."""

    app: FastAPI
    service: Service
    owner: Account
    user: Account
    table: str
    listing: str
    delivered: str
    standing: str
    token: str

    def address(self, path: str, negotiation: str) -> str:
        """An address with the ids of what is there."""
        whose = self.table if "/tables/" in path else negotiation if "/negotiations/" in path else self.listing
        filled = {"identity": whose, "listing": self.listing, "name": "release.csv", "secret": "x"}
        filled["number"] = "001" if "/releases/" in path else self.token if "/tokens/" in path else self.owner.id
        return path.format(**filled)


@pytest.fixture
def database(newest_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """What is tried here does not depend on the kind of store."""
    (tmp_path / "service.sqlite").write_bytes(newest_sqlite.read_bytes())
    made = Database.in_folder(tmp_path)
    yield made
    made.close()


def planted() -> bytes:
    """The table, with a column of names that nobody else has."""
    head, *rows = people(200).decode().splitlines()
    lines = [f"name,{head}", *(f"Person {number},{row}" for number, row in enumerate(rows))]
    lines[7] = f"{SECRETS[0]},44,m,{SECRETS[1]},cook,gout"
    return "\n".join(lines).encode()


@pytest.fixture
def world(service: Service, owner: Account, user: Account) -> World:
    app = service_app(service)
    rooms: Rooms = app.state.rooms
    table = table_in(service, owner, planted())
    as_owner = program(app, browser(app, owner))
    answer = as_owner.post(f"/api/v1/tables/{table}/releases", json={"models": ["k-anonymity:2"]})
    assert answer.status_code == 202, answer.text
    work_off(service)
    listing = offered_in(service, owner, table, Offering(epsilon=0.95, quasi=("sex", "town"), sensitive="diagnosis"))
    delivered = rooms.negotiating.ask(user, listing, UtilityPattern.parse("sex"))
    offer = delivered.record.negotiation.standing
    assert offer is not None
    rooms.negotiating.say(user, delivered.id, Said("accept", offer.id, offer.terms.digest))
    work_off(service)
    standing = rooms.negotiating.ask(user, listing, UtilityPattern.parse("town")).id
    token = as_owner.get("/api/v1/tokens").json()[0]["id"]
    return World(app, service, owner, user, table, listing, delivered.id, standing, token)


def requested(client: TestClient, route: Route, address: str) -> Any:
    """What somebody hears at an address, with a body that would do."""
    method, path = route
    if path in FORMS:
        return client.request(method, address, data=FORMS[path])
    return client.request(method, address, json=BODIES.get(route))


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.OWNER, Role.USER])
def test_ids_of_others_lead_nowhere(world: World, role: Role) -> None:
    enemy = browser(world.app, make_account(world.service, role, "An Enemy", "enemy@example.org"))
    before = _state(world)
    tried = 0
    for route in routes(world.app):
        path = route[1]
        if "{" not in path or path in EVERYBODY or path.startswith(PUBLIC) or (role is Role.OWNER and path.startswith(HIRED)):
            continue
        for negotiation in (world.delivered, world.standing):
            answer = requested(enemy, route, world.address(path, negotiation))
            assert answer.status_code in ((404,) if role is Role.OWNER else (403, 404)), (
                route,
                answer.status_code,
                answer.text[:300],
            )
            tried += 1
    assert tried > 90
    assert _state(world) == before


def _state(world: World) -> object:
    """What an enemy would like to change."""
    client = program(world.app, browser(world.app, world.owner))
    places = [
        f"/api/v1/tables/{world.table}/schema",
        "/api/v1/tables",
        "/api/v1/offers",
        "/api/v1/negotiations",
        "/api/v1/accounts",
    ]
    return [client.get(place).json() for place in places]


def test_their_own_ids_lead_somewhere(world: World) -> None:
    """So that the test before says something."""
    as_owner, as_user = browser(world.app, world.owner), browser(world.app, world.user)
    for path in ("/tables/{identity}/table", "/tables/{identity}/publish", "/api/v1/tables/{identity}/releases/{number}/{name}"):
        assert as_owner.get(world.address(path, world.standing)).status_code == 200, path
    for path in ("/negotiations/{identity}", "/negotiations/{identity}/files/{name}", "/api/v1/negotiations/{identity}/key"):
        assert as_user.get(world.address(path, world.delivered)).status_code == 200, path


@pytest.mark.slow
def test_the_original_is_on_pages_of_its_owner_only(world: World) -> None:
    """Every answer to the user, to another user, to another owner and to a stranger is searched for what only the original has."""
    others = [
        browser(world.app, world.user),
        browser(world.app, make_account(world.service, Role.USER, "An Enemy", "enemy@example.org")),
        browser(world.app, make_account(world.service, Role.OWNER, "Another", "another@example.org")),
        browser(world.app),
    ]
    read = 0
    for method, path in routes(world.app):
        if method != "GET" or path == "/events":
            continue
        names = ("release.csv", "release.csv.certificate.json", "negotiation.json") if path.endswith("{name}") else ("",)
        for negotiation in (world.delivered, world.standing):
            for name in names:
                address = world.address(path.replace("{name}", name), negotiation)
                for client in others:
                    answer = client.get(address)
                    read += answer.status_code == 200
                    assert not [each for each in SECRETS if each in answer.text], (path, answer.status_code)
    assert read > 30
    mine = browser(world.app, world.owner).get(f"/tables/{world.table}/hierarchies?name=town").text
    assert SECRETS[1] in mine  # it would have been found


def test_an_owner_of_the_same_table_learns_of_no_negotiation_of_another_one(
    service: Service, app: FastAPI, owner: Account, user: Account
) -> None:
    """Both ledgers count together, but what was offered to whom is each owner's own."""
    enemy = make_account(service, Role.OWNER, "An Enemy", "enemy@example.org")
    listings = [offered_in(service, each, table_in(service, each), Offering(epsilon=0.9)) for each in (owner, enemy)]
    rooms: Rooms = app.state.rooms
    made = rooms.negotiating.ask(user, listings[0], UtilityPattern.parse("sex"))
    mine, theirs = (
        browser(app, each).get(f"/api/v1/offers/{listing}/room").json()
        for each, listing in zip((owner, enemy), listings, strict=True)
    )
    assert ([each["negotiation"] for each in mine["answers"]], mine["others"]) == ([made.id], 0)
    assert (theirs["answers"], theirs["others"]) == ([], 1)


NAMES = (
    "..%2f..%2fservice.sqlite",
    "%2e%2e%2f%2e%2e%2fservice.sqlite",
    "..%5c..%5cservice.sqlite",
    "%2fetc%2fpasswd",
    "..",
    ".",
    "%2e%2e",
    ".certificate",
    "release.csv%2f..%2frelease.csv",
    "release.csv%20",
    "RELEASE.CSV",
    "original.csv",
    "..%2foriginal.csv",
    "~",
)


def test_names_of_files_lead_nowhere_else(world: World) -> None:
    as_owner, as_user = browser(world.app, world.owner), browser(world.app, world.user)
    places = (
        (as_user, f"/negotiations/{world.delivered}/files"),
        (as_user, f"/api/v1/negotiations/{world.delivered}/files"),
        (as_owner, f"/tables/{world.table}/releases/001"),
        (as_owner, f"/api/v1/tables/{world.table}/releases/001"),
        (as_owner, f"/api/v1/tables/{world.table}/releases"),
        (as_owner, f"/tables/{world.table}/releases"),
        (as_owner, "/static"),
    )
    for name in NAMES:
        for client, place in places:
            answer = client.get(f"{place}/{name}")
            inside = answer.url.path.startswith(f"{place}/")  # a client takes dots out of an address before it asks
            assert answer.status_code in (303, 404, 422) or not inside, (place, name, answer.status_code)
            assert "SQLite format" not in answer.text
            assert SECRETS[0] not in answer.text


def test_a_schema_names_no_file_of_this_computer(world: World, tmp_path: Path) -> None:
    client = program(world.app, browser(world.app, world.owner))
    (tmp_path / "private.csv").write_text("something-private;*\n")
    place = f"/api/v1/tables/{world.table}/schema"
    for entry in ('{ file = "PATH" }', '{ builder = "file", file = "PATH" }', '{ "file" = "PATH", levels = 2 }'):
        toml = f"[attributes.town]\nrole = 'quasi'\nhierarchy = {entry.replace('PATH', str(tmp_path / 'private.csv'))}\n"
        answer = client.put(place, json={"toml": toml})
        assert answer.status_code == 400
        assert "no file is read" in answer.json()["error"]["message"]
    assert "something-private" not in client.get(place).json()["toml"]


@pytest.mark.parametrize(
    "toml", ["a = " + "[" * 3_000, "a" + ".a" * 100_000 + " = 1", f"a = {'1' * 10_000}", "a = [", "[attributes]\nage = 1"]
)
def test_a_schema_that_no_parser_likes_is_refused_in_one_line(
    service: Service, owner: Account, app: FastAPI, as_owner: TestClient, toml: str
) -> None:
    place = f"/api/v1/tables/{table_in(service, owner)}/schema"
    answer = as_owner.put(place, json={"toml": toml})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "schema")
    assert "\n" not in answer.json()["error"]["message"]


@pytest.mark.slow
def test_forged_and_expired_tokens_open_nothing(world: World, clock: Clock) -> None:
    valid = program(world.app, browser(world.app, world.owner)).headers["authorization"]
    clock.now += 400 * 86_400
    forged = valid[:-1] + ("A" if valid[-1] != "A" else "B")
    for shown in (valid, forged, "Bearer ", f"Bearer {world.token}"):
        client = TestClient(world.app, base_url=ADDRESS, headers={"Authorization": shown}, follow_redirects=False)
        for route in routes(world.app):
            if route[1].startswith(PUBLIC):
                continue
            answer = requested(client, route, world.address(route[1], world.delivered))
            if route[1].startswith("/api/"):
                assert answer.status_code == 401, route
            else:
                assert (answer.status_code, answer.headers["location"].startswith("/sign-in")) == (303, True), route


def test_bodies_have_an_end_everywhere(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY", 1000)
    client = browser(world.app, world.owner)
    for method, path in routes(world.app):
        if method in ("POST", "PUT") and path not in guard.UPLOADS:
            answer = client.request(method, world.address(path, world.standing), content=b"x" * 1001)
            assert answer.status_code == 413, path


EVIL = """<i>evil&"'</i>"""
SQL = "'; DROP TABLE account; --"


@pytest.mark.slow
def test_names_and_labels_are_text_on_every_page(service: Service) -> None:
    """Of people, tables, columns, values, offers, tokens and files."""
    owner = make_account(service, Role.OWNER, f"{EVIL}{SQL}", "evil@example.org")
    user = make_account(service, Role.USER, f"{SQL}{EVIL}", "evil2@example.org")
    app = service_app(service)
    as_owner, as_user = browser(app, owner), browser(app, user)
    column, value = EVIL.replace('"', '""'), f"{EVIL}{SQL}".replace('"', '""')
    lines = [
        f'"{column}",sex,diagnosis',
        *(f'"{value} {n % 4}",{"mf"[n % 2]},{["flu", "gout", "cold"][n % 3]}' for n in range(120)),
    ]
    sent = as_owner.post("/api/v1/tables", params={"name": f"{EVIL}{SQL}.csv"}, content="\n".join(lines).encode())
    assert sent.status_code == 201, sent.text
    table = sent.json()["id"]
    work_off(service)
    as_owner.post("/api/v1/tokens", json={"name": f"{EVIL}{SQL}"})
    listing = offered_in(service, owner, table, Offering(epsilon=0.9, sensitive="diagnosis", title=f"{EVIL}{SQL}"))
    rooms: Rooms = app.state.rooms
    made = rooms.negotiating.ask(user, listing, UtilityPattern(((EVIL,),)))
    rooms.negotiating.say(user, made.id, Said("terminate", sentence=f"{EVIL}{SQL}"))
    world = World(app, service, owner, user, table, listing, made.id, made.id, new_id())
    escaped = 0
    for method, path in routes(app):
        if method != "GET" or path.startswith("/api/") or path == "/events":
            continue
        for client in (as_owner, as_user):
            answer = client.get(world.address(path, made.id))
            if "text/html" in answer.headers.get("content-type", ""):
                assert "<i>evil" not in answer.text, path
                assert not re.search(r"""(value|title|aria-label|data-\w+)="[^"<>]*<i>""", answer.text), path
                escaped += "&lt;i&gt;evil" in answer.text
    assert escaped > 10
    assert len(as_owner.get("/api/v1/accounts").json()) == 2


def test_errors_on_disk_are_told_without_paths_and_values(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Files that are gone or broken: the page has no path and no value, and neither has the log."""
    places = Places(world.service.folder)
    (places.listing(world.listing) / "space.parquet").write_bytes(f"{SECRETS[0]} is no space".encode())
    (places.table(world.table) / "columns.json").write_text(f'{{"{SECRETS[0]}": ')
    app = service_app(world.service)  # with nothing in memory
    as_owner, as_user = browser(app, world.owner), browser(app, world.user)
    answers = [
        as_user.post("/api/v1/negotiations", json={"offering": world.listing, "pattern": {"layers": [["sex"]]}}),
        as_user.post(f"/catalogue/{world.listing}", data={"pattern": "sex"}),
        as_owner.get("/ledger"),
        as_owner.get(f"/tables/{world.table}/table"),
        as_owner.get(f"/api/v1/tables/{world.table}/columns"),
    ]
    for answer in answers:
        assert SECRETS[0] not in answer.text
        assert str(world.service.folder) not in answer.text
        assert "Traceback" not in answer.text
    assert any(answer.status_code >= 400 for answer in answers)
    assert SECRETS[0] not in caplog.text
