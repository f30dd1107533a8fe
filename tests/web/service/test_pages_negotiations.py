"""The pages of both parties: the catalogue, asking, deciding, what was delivered, the lists and the ledger."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

import sfumato as sf
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.signing.keys import PublicKey
from sfumato.web.service.people import Account, Role
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database
from sfumato.web.service.store.tables import negotiation
from tests.web.service.conftest import ADDRESS, browser, make_account
from tests.web.service.tabling import FLAT, VARIABLE, offered, work


@pytest.fixture
def database(newest_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The pages are the same on every store, so one will do."""
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    shutil.copy(newest_sqlite, tmp_path / "service.sqlite")
    made = Database.in_folder(tmp_path)
    yield made
    made.close()


def asked(client: TestClient, listing: str, pattern: str = "age,sex,region", shares: str = "100", **more: str) -> str:
    """The address of a negotiation that begins with this request."""
    answer = client.post(f"/catalogue/{listing}", data={"pattern": pattern, "shares": shares, **more})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def said(client: TestClient, place: str, move: str, **more: str) -> int:
    """Make a move as the form of the page has it."""
    page = client.get(place).text
    fields = {}
    for name in ("offer", "digest"):
        if found := re.search(f'name="{name}" value="([0-9a-f]+)"', page):
            fields[name] = found[1]
    return client.post(f"{place}/moves", data={"move": move, **fields, **more}).status_code


def test_two_parties_come_to_a_release_that_verifies(
    service: Service, as_owner: TestClient, as_user: TestClient, tmp_path: Path
) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    assert "An offer waits for your decision" in as_user.get(place).text
    assert "Ulf User decides about an offer" in as_owner.get(place).text
    assert said(as_user, place, "reject") == 303
    assert "offers instead" in as_user.get(place).text
    assert said(as_user, place, "reject") == 303
    assert said(as_user, place, "accept") == 303
    assert "the release is being made" in as_user.get(place).text
    assert as_user.get(f"{place}/files/release.csv").status_code == 404
    work(service)
    page = as_user.get(place).text
    assert "The release was delivered" in page
    folder = tmp_path / "downloads"
    folder.mkdir()
    for name in ("release.csv", "release.csv.certificate.json", "negotiation.json"):
        assert f'href="{place}/files/{name}"' in page
        (folder / name).write_bytes(as_user.get(f"{place}/files/{name}").content)
    (folder / "owner.pub").write_text(as_user.get(f"{place}/key").text)
    assert PublicKey.read(folder / "owner.pub").name == "Olga Owner"
    verified = sf.verify(folder / "release.csv", key=folder / "owner.pub")
    assert verified.certificate.smallest_class >= 3
    assert json.loads(as_user.get(f"{place}/record").text) == json.loads((folder / "negotiation.json").read_text())


def test_a_form_that_is_sent_twice_asks_once(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    """A double click: the second request must not cost another answer, nor be told that it comes too late."""
    _, listing = offered(service, as_owner)
    number = re.search('name="number" value="([0-9a-f]{32})"', as_user.get(f"/catalogue/{listing}").text)
    assert number
    places = {asked(as_user, listing, number=number[1]) for _ in range(2)}
    assert len(places) == 1
    assert asked(as_user, listing, "age", number=number[1]) not in places  # back to the page, for something else
    assert as_user.get("/api/v1/negotiations").json()["total"] == 2
    place = places.pop()
    page = as_user.get(place).text
    fields = dict(re.findall('name="(move|event|offer|digest)" value="([0-9a-z]+)"', page.split('value="reject"')[1]))
    form = {**fields, "move": "reject", "event": fields["event"]}
    assert [as_user.post(f"{place}/moves", data=form).status_code for _ in range(2)] == [303, 303]
    assert as_user.get(f"/api/v1{place}").json()["state"] == "offered"
    assert len(as_user.get(f"/api/v1{place}").json()["history"]) == 4
    assert as_user.get(place).text == as_user.get(place).text  # an open page compares what it has with what there is


def test_the_preview_tells_labels_of_the_sheet_and_no_counts(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    sheet = as_user.get(f"/api/v1/catalogue/{listing}").json()
    levels = as_user.get(f"/api/v1{place}").json()["offer"]["levels"]
    shape = re.search(r'<table class="shape">.*?</table>', as_user.get(place).text, re.DOTALL)
    assert shape
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', shape[0])
    attributes = {each["name"]: each for each in sheet["attributes"]}
    shown = {unescape(name): (unescape(words), unescape(labels)) for name, words, labels in rows}
    assert set(shown) == {*levels, "disease"}
    for name, level in levels.items():
        words, labels = shown[name]
        assert words == attributes[name]["levels"][level]
        for label in (attributes[name]["labels"][level] or [])[:12]:
            assert label in labels


def test_an_offer_is_accepted_by_its_number_and_its_terms(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    offer = as_user.get(f"/api/v1{place}").json()["offer"]
    forged = {"move": "accept", "offer": offer["id"], "digest": "0" * 64}
    answer = as_user.post(f"{place}/moves", data=forged, headers={"Referer": f"{ADDRESS}{place}"})
    assert answer.status_code == 409
    assert "the terms that are accepted are not those that were offered" in answer.text
    assert f'<a href="{place}">Back to the page</a>' in answer.text
    assert said(as_user, place, "reject") == 303
    late = as_user.post(f"{place}/moves", data={"move": "accept", "offer": offer["id"], "digest": offer["digest"]})
    assert late.status_code == 409
    assert as_user.get(f"/api/v1{place}").json()["state"] == "offered"


def test_a_refusal_gives_its_reason_to_the_owner_alone(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing, "age,sex,region", "0")  # as they are, which k-anonymity:3 forbids
    owners, users = as_owner.get(place).text, as_user.get(place).text
    assert "No policy that matches the request keeps your bounds" in owners
    assert "No policy that matches" not in users
    assert "ask for less" in users
    assert as_owner.get(f"/api/v1{place}/refusal").json()["reason"] == "bounds"
    assert as_user.get(f"/api/v1{place}/refusal").status_code == 403
    less = UtilityPattern((("age", "sex", "region"),), (0.0,)).relax()
    assert less is not None
    assert f'name="pattern" value="{str(less).replace(">", "&gt;")}"' in users
    assert said(as_user, place, "relax", pattern="age,sex,region", shares="100") == 303
    assert as_user.get(f"/api/v1{place}").json()["state"] == "offered"


def test_offers_that_are_in_the_way_are_named(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner, {**FLAT, "limit": "50"})
    room = as_owner.get(f"/api/v1/offers/{listing}/room").json()
    assert room["left"] == room["within"]
    asked(as_user, listing)
    for _ in range(40):
        second = asked(as_user, listing)
        state = as_user.get(f"/api/v1{second}").json()["state"]
        while state == "offered":
            assert said(as_user, second, "reject") == 303
            state = as_user.get(f"/api/v1{second}").json()["state"]
        why = as_owner.get(f"/api/v1{second}/refusal").json()
        if why["reason"] == "ledger":
            break
    assert why["reason"] == "ledger"
    page = as_owner.get(second).text
    assert "Together with earlier offers" in page
    assert why["in_the_way"]
    for each in why["in_the_way"]:
        assert f'href="/negotiations/{each}"' in page
        assert f'href="/negotiations/{each}"' not in as_user.get(second).text.replace(second, "")
    assert as_owner.get(f"/api/v1/offers/{listing}/room").json()["left"] < room["left"]


def test_a_variable_rate_has_a_price_and_a_budget(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner, VARIABLE)
    assert 'name="budget"' in as_user.get(f"/catalogue/{listing}").text
    dear = asked(as_user, listing)
    price = as_user.get(f"/api/v1{dear}").json()["offer"]["price"]
    assert f"Accept and pay {price:g}" in as_user.get(dear).text
    cheap = asked(as_user, listing, budget=f"{price - 1:g}")
    found = as_user.get(f"/api/v1{cheap}").json()
    assert found["state"] == "refused" or found["offer"]["price"] <= price - 1
    assert said(as_user, dear, "reject") == 303
    assert "ask for something else" in as_user.get(dear).text
    assert said(as_user, dear, "relax", pattern="age,sex > region", shares="100, 100") == 303


def test_a_party_ends_it_and_the_other_reads_why(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    offer = as_owner.get(f"/api/v1{place}").json()["offer"]
    taken = {"move": "accept", "offer": offer["id"], "digest": offer["digest"]}
    assert as_owner.post(f"{place}/moves", data=taken).status_code == 409  # the user's move
    assert said(as_owner, place, "terminate", reason="<b>enough</b>") == 303
    page = as_user.get(place).text
    assert "&lt;b&gt;enough&lt;/b&gt;" in page
    assert "<b>enough" not in page
    assert "It has ended" in page
    assert "Accept" not in page


@pytest.mark.parametrize(
    ("pattern", "shares"), [("", ""), ("height", ""), ("age > age", ""), ("age > sex", "50, 0"), ("age", "x"), ("[", "")]
)
def test_a_pattern_that_cannot_be_read_is_refused_in_one_line(
    service: Service, as_owner: TestClient, as_user: TestClient, pattern: str, shares: str
) -> None:
    _, listing = offered(service, as_owner)
    answer = as_user.post(f"/catalogue/{listing}", data={"pattern": pattern, "shares": shares})
    assert answer.status_code == 400
    assert as_user.get("/api/v1/negotiations").json()["total"] == 0


def test_negotiations_of_others_are_not_there(
    app: FastAPI, service: Service, as_owner: TestClient, as_user: TestClient, stranger: TestClient
) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    said(as_user, place, "accept")
    work(service)
    others = (
        browser(app, make_account(service, Role.USER, "Uta", "uta@example.org")),
        browser(app, make_account(service, Role.OWNER, "Otto", "otto@example.org")),
    )
    pages = ("", "/record", "/key", "/files/release.csv", "/files/release.csv.certificate.json", "/files/negotiation.json")
    for page in pages:
        assert as_user.get(place + page).status_code == 200, page
        for other in others:
            assert other.get(place + page).status_code == 404, page
        assert stranger.get(place + page).headers["location"].startswith("/sign-in")
    for name in ("original.csv", "../release.csv", "..%2f..%2fservice.sqlite", "schema.toml"):
        assert as_user.get(f"{place}/files/{name}").status_code == 404
    for other in others:
        assert other.post(f"{place}/moves", data={"move": "terminate"}).status_code == 404
        assert place not in other.get("/negotiations").text
    assert others[1].post(f"{place}/again").status_code == 404
    assert as_user.post(f"{place}/again").status_code == 403
    assert as_owner.post(f"{place}/again").status_code == 409  # nothing has failed


def test_ten_thousand_negotiations_are_listed_at_once(
    service: Service, as_owner: TestClient, as_user: TestClient, owner: Account, user: Account
) -> None:
    _, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    head = {"offering": listing, "owner": owner.id, "user": user.id, "head": {}, "events": 2}
    past = [
        {
            **head,
            "id": f"{number:032x}",
            "state": "terminated" if number % 2 else "delivered",
            "created": 1.0,
            "changed": float(number),
        }
        for number in range(10_000)
    ]
    with service.database.writing() as connection:
        connection.execute(sa.insert(negotiation), past)
    begun = time.perf_counter()
    page = as_owner.get("/negotiations").text
    assert time.perf_counter() - begun < 1
    shown = re.findall(r'href="(/negotiations/[0-9a-f]{32})"', page)
    assert shown == [place, *(f"/negotiations/{number:032x}" for number in range(9_999, 9_950, -1))]
    assert "10,001 in all, page 1 of 201" in page
    last = as_user.get("/negotiations?page=200").text
    assert re.findall(r'href="(/negotiations/[0-9a-f]{32})"', last) == [f"/negotiations/{0:032x}"]
    ended = re.findall(r'href="/negotiations/([0-9a-f]{32})"', as_user.get("/negotiations?state=terminated").text)
    assert ended == [f"{number:032x}" for number in range(9_999, 9_899, -2)]


def test_the_ledger_tells_what_was_offered_and_what_is_left(service: Service, as_owner: TestClient, as_user: TestClient) -> None:
    _, listing = offered(service, as_owner)
    heights = [len(each["levels"]) for each in as_user.get(f"/api/v1/catalogue/{listing}").json()["attributes"]]
    policies = heights[0] * heights[1] * heights[2]
    place = asked(as_user, listing)
    said(as_user, place, "reject")
    said(as_user, place, "accept")
    work(service)
    page = as_owner.get("/ledger").text
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>([\d,]+)</dd>", page))
    room = as_owner.get(f"/api/v1/offers/{listing}/room").json()
    assert figures["policies"] == f"{policies:,}"
    assert figures["keep the bounds"] == f"{room['within']:,}"
    assert figures["can still be offered"] == f"{room['left']:,}"
    assert (figures["offers made"], figures["refusals"]) == ("2", "0")
    outcomes = re.findall(r"<td>(deal|not taken|waits for an answer)</td>", page)
    assert outcomes == ["deal", "not taken"]
    assert f'href="{place}">Ulf User</a>' in page


def test_a_delivery_that_failed_is_told_to_both_and_started_again_by_the_owner(
    service: Service, as_owner: TestClient, as_user: TestClient, tmp_path: Path
) -> None:
    table, listing = offered(service, as_owner)
    place = asked(as_user, listing)
    said(as_user, place, "accept")
    original = tmp_path / "tables" / table / "original.csv"
    kept = original.read_text()
    original.write_text(kept.replace("flu", "gout"))  # another table than the one that was explored
    work(service)
    why = as_owner.get(f"/api/v1{place}/job").json()["error"]
    assert why
    assert f"Delivering failed: {why[:20]}" in unescape(as_owner.get(place).text)
    assert "Delivering failed; the owner can start it again." in as_user.get(place).text
    assert why not in unescape(as_user.get(place).text)
    message = as_user.get(f"/api/v1{place}/job").json()["error"]  # a program of the user hears no more than the page tells
    assert message == "delivering failed; the owner can start it again"
    original.write_text(kept)
    assert as_owner.post(f"{place}/again").status_code == 303
    work(service)
    assert as_user.get(f"/api/v1{place}").json()["state"] == "delivered"
    assert as_user.get(f"/api/v1{place}/key").text == as_user.get(f"{place}/key").text
    found = as_user.get("/api/v1/negotiations?state=delivered").json()
    assert [each["id"] for each in found["negotiations"]] == [place.rsplit("/", 1)[1]]
    assert as_user.get("/api/v1/negotiations?state=offered").json()["total"] == 0
