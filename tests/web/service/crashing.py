"""A service under load that is killed again and again, and whether what its clients saw acknowledged is still there afterwards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx2 as httpx

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.negotiation.coalition import Deal, node_of
from sfumato.negotiation.files import Offering, verify
from sfumato.negotiation.files.story import story
from sfumato.negotiation.files.turns import owner_after
from sfumato.web.service.desks import Desks
from sfumato.web.service.people import Account, Role, new_key
from sfumato.web.service.places import Places
from sfumato.web.service.secret import digest, new_id, new_secret
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database, accounts, listings, negotiations, tokens
from sfumato.web.service.store.migrating import up_to_date
from sfumato.web.service.store.tokens import Token
from tests.web.service.offering import offered_in, table_in

ATTRIBUTES = ("age", "sex", "town", "job")
PATIENCE = 120.0  # seconds for a service to come back, or for deliveries to end
START = [sys.executable, "-c", "from sfumato.cli.entry import main; main()", "serve", "--json"]


@dataclass
class Prepared:
    """A store with an owner, users and a table that can be asked for."""

    service: Service
    listing: str
    owner: Account
    users: list[Account]
    tokens: dict[str, str]
    port: int

    @property
    def command(self) -> list[str]:
        given = self.service
        words = [*START, "--folder", str(given.folder), "--port", str(self.port)]
        return words if given.database.embedded else [*words, "--database", given.database.address]


def prepared(database: Database, folder: Path, users: int) -> Prepared:
    """A store that is ready to be served."""
    up_to_date(database)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service = Service(database, folder, f"http://127.0.0.1:{port}")
    owner = Account(new_id(), "Olga Owner", "olga@example.org", Role.OWNER, new_key(), time.time())
    others = [Account(new_id(), f"User {n}", f"u{n}@example.org", Role.USER, new_key(), time.time()) for n in range(users)]
    secrets = {}
    with database.writing() as connection:
        for each in (owner, *others):
            secrets[each.id] = new_secret()
            accounts.add(connection, each, "no password fits this")
            lasting = Token(new_id(), "a program", time.time(), time.time() + 10**6, None)
            tokens.add(connection, lasting, each.id, digest(secrets[each.id]))
    listing = offered_in(service, owner, table_in(service, owner), Offering(epsilon=0.9, limit=8, most_seen=10**6))
    return Prepared(service, listing, owner, others, secrets, port)


@dataclass
class Acknowledged:
    """What a client saw acknowledged of a negotiation."""

    user: Account
    events: list[str] = field(default_factory=list)  # the numbers that it drew, in their order
    offers: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    accepted: bool = False
    release: bytes | None = None


class Client(threading.Thread):
    """Somebody who negotiates without end. What is not answered is sent again with the same number."""

    def __init__(self, prepared: Prepared, user: Account, seed: int, most: int, over: threading.Event) -> None:
        super().__init__(daemon=True)
        headers = {"Authorization": f"Bearer {prepared.tokens[user.id]}"}
        self._http = httpx.Client(base_url=prepared.service.address, headers=headers, timeout=30)
        self._listing, self._user, self._rng, self._over = prepared.listing, user, Random(seed), over
        self._most = most
        self.negotiated: dict[str, Acknowledged] = {}
        self.answers = 0
        self.failures = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        with self._http:
            while not self._over.is_set():
                self._negotiate()

    def _negotiate(self) -> None:
        number, chosen = new_id(), self._rng.sample(ATTRIBUTES, self._rng.randint(1, 3))
        body = {"offering": self._listing, "pattern": {"layers": [[each] for each in chosen]}, "id": number}
        view = self._answered("/api/v1/negotiations", number, body)
        while view is not None and not self._over.is_set():
            offer = view["offer"]
            move = self._move(view["moves"])
            if move is None:
                break
            body = {"move": move}
            if offer is not None and move in ("accept", "reject"):
                body |= {"offer": offer["id"], "digest": offer["digest"]} if move == "accept" else {"offer": offer["id"]}
            view = self._answered(f"/api/v1/negotiations/{number}/moves", number, body)
        if number in self.negotiated and self.negotiated[number].accepted:
            self._fetch(number)

    def _move(self, moves: list[str]) -> str | None:
        weights = {"accept": 3, "reject": 4, "relax": 3, "terminate": 1}
        taken = sum(each.accepted for each in self.negotiated.values())
        known = [each for each in moves if each in weights and not (each == "accept" and taken >= self._most)]
        if known == ["terminate"] and self._rng.random() < 0.8:
            return None
        return self._rng.choices(known, [weights[each] for each in known])[0] if known else None

    def _answered(self, path: str, number: str, body: dict[str, Any]) -> dict[str, Any] | None:
        body["event"] = new_id()
        answer = self._sent("POST", path, body)
        if answer is None:
            return None
        if answer.status_code >= 300:
            if answer.status_code != 409 and "nothing is left to relax" not in answer.text:
                self.wrong.append(f"{answer.status_code}: {answer.text[:200]}")
            return None
        view: dict[str, Any] = answer.json()
        acknowledged = self.negotiated.setdefault(number, Acknowledged(self._user))
        acknowledged.events.append(body["event"])
        acknowledged.history = view["history"]
        acknowledged.accepted |= body.get("move") == "accept"
        if view["offer"] is not None and view["offer"]["id"] not in acknowledged.offers:
            acknowledged.offers.append(view["offer"]["id"])
        return view

    def _fetch(self, number: str) -> None:
        """What can be fetched is whole: compared later."""
        answer = self._sent("GET", f"/api/v1/negotiations/{number}/files/release.csv", None)
        if answer is not None and answer.status_code == 200:
            self.negotiated[number].release = answer.content

    def _sent(self, method: str, path: str, body: dict[str, Any] | None) -> httpx.Response | None:
        while True:
            try:
                answer = self._http.request(method, path, json=body)
            except httpx.HTTPError:
                self.failures += 1
                if self._over.is_set():
                    return None
                time.sleep(0.05)
            else:
                self.answers += 1
                return answer


class Running:
    """The process of a service, which is killed and started again."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start, and wait until it says where it listens."""
        self.process = subprocess.Popen(
            self._prepared.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.communicate(timeout=10)[1]
        while line not in ("}\n", ""):
            line = self.process.stdout.readline()

    def kill(self) -> None:
        """At this very moment."""
        assert self.process
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(30)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()
        self.process = None


@contextmanager
def running(prepared: Prepared) -> Iterator[Running]:
    made = Running(prepared)
    made.start()
    try:
        yield made
    finally:
        if made.process is not None:
            made.kill()


@dataclass(frozen=True)
class Outcome:
    """What was done, and what is wrong with what is left."""

    kills: int
    negotiations: int
    events: int
    delivered: int
    answers: int
    failures: int
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.answers:,} answers and {self.failures:,} broken connections; {self.negotiations:,} "
            f"negotiations with {self.events:,} acknowledged events, {self.delivered:,} delivered; {len(self.wrong)} wrong"
        )


def crashed(prepared: Prepared, kills: int, seed: int, most: int) -> Outcome:
    """Kill a service under load so many times, each after some answers and at any moment of the next ones, and compare. Each client
    accepts so many offers at most: every delivery is a process."""
    over, rng = threading.Event(), Random(seed)
    clients = [Client(prepared, user, seed * 1000 + place, most, over) for place, user in enumerate(prepared.users)]
    with running(prepared) as service:
        for client in clients:
            client.start()
        for _ in range(kills):
            _busy(clients, rng.randint(1, 12 * len(clients)))
            time.sleep(rng.uniform(0, 0.05))
            service.kill()
            service.start()
        _busy(clients, 2 * len(clients))
        over.set()
        for client in clients:
            client.join(PATIENCE)
        _delivered(prepared)
    acknowledged = {number: each for client in clients for number, each in client.negotiated.items()}
    wrong = [*(line for client in clients for line in client.wrong), *_compared(prepared, acknowledged)]
    return Outcome(
        kills,
        len(acknowledged),
        sum(len(each.events) for each in acknowledged.values()),
        sum(each.accepted for each in acknowledged.values()),
        _answers(clients),
        sum(client.failures for client in clients),
        tuple(wrong),
    )


def _busy(clients: list[Client], answers: int) -> None:
    """Wait for so many more answers."""
    wanted, until = _answers(clients) + answers, time.monotonic() + PATIENCE
    while _answers(clients) < wanted:
        assert time.monotonic() < until, "the service does not answer"
        time.sleep(0.005)


def _answers(clients: list[Client]) -> int:
    return sum(client.answers for client in clients)


def _delivered(prepared: Prepared) -> None:
    """Wait until everything that was agreed is delivered. What was killed too often waits for its owner, who starts it again."""
    headers = {"Authorization": f"Bearer {prepared.tokens[prepared.owner.id]}"}
    until = time.monotonic() + PATIENCE * len(prepared.users)
    with httpx.Client(base_url=prepared.service.address, headers=headers, timeout=30) as owner:
        while waiting := owner.get("/api/v1/negotiations", params={"state": "agreed"}).json()["negotiations"]:
            assert time.monotonic() < until, f"{len(waiting)} are not delivered"
            for each in waiting:
                job = owner.get(f"/api/v1/negotiations/{each['id']}/job").json()
                assert job is not None, f"nobody delivers {each['id']}"
                if job["error"]:
                    assert "several times" in job["error"], job["error"]
                    owner.post(f"/api/v1/negotiations/{each['id']}/job/again")
            time.sleep(0.2)


def _compared(prepared: Prepared, acknowledged: dict[str, Acknowledged]) -> Iterator[str]:
    """What is missing or wrong in the store, given what clients saw."""
    database, places = prepared.service.database, Places(prepared.service.folder)
    folder = prepared.service.folder / "compared"
    folder.mkdir()
    offers: set[str] = set()
    for number, each in acknowledged.items():
        with database.reading() as connection:
            found = negotiations.one(connection, number)
        if found is None:
            yield f"{number} is missing"
            continue
        path = folder / f"{number}.json"
        path.write_text(found.record.text(), encoding="utf-8")
        keys = [prepared.owner.private_key.public, each.user.private_key.public]
        try:
            verify(path, key=keys)
        except SfumatoError as error:
            yield f"{number}: the record does not verify: {error}"
        said = [made.event.id for made in found.record.negotiation.history]
        if [event for event in said if event in each.events] != each.events:
            yield f"{number}: acknowledged events are missing"
        offers |= {offer.id for offer in found.record.negotiation.offers}
        if not set(each.offers) <= {offer.id for offer in found.record.negotiation.offers}:
            yield f"{number}: an offer that was seen is missing"
        if list(story(found.record))[: len(each.history)] != each.history:
            yield f"{number}: it tells another story"
        if each.accepted:
            yield from _handed_over(number, each, found, places, keys)
    yield from _bounds_kept(prepared, offers)


def _handed_over(number: str, each: Acknowledged, found: negotiations.Negotiated, places: Places, keys: Any) -> Iterator[str]:
    if found.state == "terminated":
        return
    if found.state != "delivered":
        yield f"{number} is {found.state}"
        return
    folder = places.delivery(number)
    checked = sf.verify(folder / "release.csv", key=keys[0])
    if found.record.transcript.entries[-1].event["certificate"] != checked.certificate.digest:
        yield f"{number}: another certificate was delivered"
    if each.release is not None and each.release != (folder / "release.csv").read_bytes():
        yield f"{number}: something else was fetched before"


def _bounds_kept(prepared: Prepared, offers: set[str]) -> Iterator[str]:
    """Every offer counts, and each was safe after all those before it."""
    with prepared.service.database.reading() as connection:
        listing = listings.one(connection, prepared.listing)
        assert listing is not None
        given = [each for each in listings.answers(connection, listing.content) if each.levels is not None]
    if not offers <= {each.event for each in given}:
        yield "an offer does not count"
    space = Desks(Places(prepared.service.folder)).space(listing)
    owner = owner_after(listing.rules, space, {}, [])
    coalitions = owner.coalitions
    assert coalitions is not None
    for each in given:
        node = node_of(coalitions.lattice, each.levels or {})
        if coalitions.in_the_way(node) is not None:
            yield f"{each.event}: a coalition with earlier offers breaks the bounds"
        coalitions = coalitions.with_deal(Deal(each.event, node))
