"""A table that is sent, worked on and offered, without processes: jobs are done where the test is."""

from __future__ import annotations

from random import Random

from fastapi.testclient import TestClient

from sfumato.errors import SfumatoError
from sfumato.web.service.jobs.tasks import Given, done
from sfumato.web.service.places import Places
from sfumato.web.service.service import Service
from sfumato.web.service.store import jobs

FLAT = {"epsilon": "0.6", "models": "k-anonymity:3", "quasi": ["age", "sex", "region"], "title": "People <b>& co</b>"}
VARIABLE = {**FLAT, "rate": "variable", "price": "linear:100,40"}


class Silent:
    """Hears how far a job is, and says nothing."""

    def step(self, name: str, engine: object = None) -> None:
        """Nothing."""

    def progress(self, done: int, of: int) -> None:
        """Nothing."""


def people(rows: int = 240) -> str:
    """A table that nobody prepared: three columns that others may know, one that they should not learn, and a number."""
    rng = Random(11)
    lines = ["number,age,sex,region,disease"]
    for number in range(rows):
        place = rng.choice(["north", "south", "east", "west"])
        lines.append(
            f"{number},{rng.randint(20, 79)},{rng.choice('fm')},{place},{rng.choice(['flu', 'gout', 'cough', 'asthma'])}"
        )
    return "\n".join(lines) + "\n"


def work(service: Service) -> None:
    """Do every job that waits."""
    while True:
        with service.database.writing() as connection:
            job = jobs.claim(connection)
        if job is None:
            return
        try:
            ending = done(Given(service.database, Places(service.folder), job, Silent(), service.now()))
            with service.database.writing() as connection:
                jobs.finish(connection, job.number, service.now(), ending(connection))
        except SfumatoError as error:
            with service.database.writing() as connection:
                jobs.fail(connection, job.number, service.now(), str(error))


def sent(client: TestClient, name: str = "people.csv", content: str | None = None) -> str:
    """The id of a table that was sent by the form."""
    answer = client.post("/tables", files={"file": (name, content or people(), "text/csv")})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].split("/")[2]


def offered(service: Service, client: TestClient, form: dict[str, object] | None = None) -> tuple[str, str]:
    """The ids of a table and of its listing."""
    table = sent(client)
    work(service)
    assert client.post(f"/tables/{table}/offer", data=form or FLAT).status_code == 303
    work(service)
    listing = client.get("/api/v1/offers").json()[0]["id"]
    return table, listing
