"""A table that is offered in a service, without the processes that a running service has."""

from __future__ import annotations

import time
from random import Random

from sqlalchemy.engine import Connection

from sfumato.negotiation.files import Offering
from sfumato.web.service.jobs.tasks import BEGIN, OFFER, Given, done
from sfumato.web.service.people import Account
from sfumato.web.service.places import Places
from sfumato.web.service.secret import new_id
from sfumato.web.service.service import Service
from sfumato.web.service.store import datasets, jobs
from sfumato.web.service.store.datasets import Dataset
from sfumato.web.service.store.jobs import JobState, StoredJob


class Quiet:
    def step(self, name: str, engine: object = None) -> None:
        """Nobody watches."""

    def progress(self, done: int, of: int) -> None:
        """Nobody watches."""


def people(rows: int = 400, seed: int = 3) -> bytes:
    """A table with a sensitive column, and others with several levels."""
    rng = Random(seed)
    lines = ["age,sex,town,job,diagnosis"]
    for _ in range(rows):
        fields = (
            rng.randint(20, 70),
            rng.choice("mf"),
            rng.choice(["Kiel", "Ulm", "Rom", "Bari"]),
            rng.choice(["clerk", "nurse", "cook"]),
        )
        lines.append(",".join(map(str, (*fields, rng.choice(["flu", "gout", "cold"])))))
    return ("\n".join(lines) + "\n").encode()


def work_off(service: Service) -> list[StoredJob]:
    """Do everything that waits, in this process; the jobs as they ended."""
    ended = []
    while True:
        with service.database.writing() as connection:
            job = jobs.claim(connection)
        if job is None:
            return ended
        ending = done(Given(service.database, Places(service.folder), job, Quiet(), service.now()))
        with service.database.writing() as connection:
            jobs.finish(connection, job.number, service.now(), ending(connection))
            ended.append(_one(connection, job.number))


def _one(connection: Connection, number: int) -> StoredJob:
    found = jobs.one(connection, number)
    assert found is not None
    return found


def table_in(service: Service, owner: Account, content: bytes | None = None) -> str:
    """A table of an owner, looked at."""
    identity = new_id()
    folder = Places(service.folder).table(identity)
    folder.mkdir(parents=True)
    (folder / "original.csv").write_bytes(people() if content is None else content)
    with service.database.writing() as connection:
        datasets.add(connection, Dataset(identity, owner.id, "people", 1, service.now()))
        jobs.enqueue(connection, identity, BEGIN, service.now())
    assert [job.state for job in work_off(service)] == [JobState.DONE]
    return identity


def offered_in(service: Service, owner: Account, table: str, offering: Offering) -> str:
    """A listing of a table."""
    from dataclasses import asdict

    identity = new_id()
    arguments = {"id": identity, "account": owner.id, "offering": {**asdict(offering), "title": offering.title or "people"}}
    with service.database.writing() as connection:
        jobs.enqueue(connection, table, OFFER, service.now(), arguments=arguments)
    assert [job.state for job in work_off(service)] == [JobState.DONE]
    return identity


def waited(check: object, seconds: float = 60.0) -> None:
    """Until something holds; another process brings it about."""
    assert callable(check)
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
