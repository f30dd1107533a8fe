"""A service to try: the census table of an owner, offered at two rates, and a user who asks for it. Passwords are made and printed."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy.engine import Connection

from sfumato import data
from sfumato.commit.writing import write_text
from sfumato.errors import UsageError, argument
from sfumato.negotiation.files.opening import Offering
from sfumato.question import Question
from sfumato.recipe import Recipe
from sfumato.release import Output
from sfumato.search.algorithms.search import Search
from sfumato.table.source import Source
from sfumato.web.bench.project import Project
from sfumato.web.service import passwords
from sfumato.web.service.jobs.tasks import BEGIN, OFFER
from sfumato.web.service.people import Account, Role, new_key
from sfumato.web.service.places import ORIGINAL, RELEASE, Places
from sfumato.web.service.secret import new_id, new_secret
from sfumato.web.service.service import Service
from sfumato.web.service.store import accounts, datasets, invitations, jobs
from sfumato.web.service.store.datasets import Dataset

_PEOPLE = ((Role.OWNER, "Olivia Owner", "owner@example.org"), (Role.USER, "Ulrich User", "user@example.org"))
_TITLE = "Census"
_ASKED = ("age", "sex", "workclass", "education")
_OFFERS = (
    Offering(epsilon=0.6, quasi=_ASKED, title="Census sample"),
    Offering(epsilon=0.6, quasi=_ASKED, price="linear:100,80", title="Census sample, at a price"),
)


@dataclass(frozen=True, slots=True)
class SignIn:
    """What somebody types to sign in."""

    role: Role
    mail: str
    password: str


def fill(service: Service) -> list[SignIn]:
    """Fill a service that nobody has set up; both sign-ins. The table is looked at and offered by the workers, when the service runs."""
    found = [(Account(new_id(), name, mail, role, new_key(), service.now()), new_secret()[:20]) for role, name, mail in _PEOPLE]
    hashes = [passwords.hashed(password) for _, password in found]
    table = new_id()
    folder = Places(service.folder).table(table)
    with service.database.writing() as connection:
        if accounts.everybody(connection):
            raise UsageError("only a new service is filled; choose another folder", where=argument("demo"))
        for (account, _), kept in zip(found, hashes, strict=True):
            accounts.add(connection, account, kept)
        invitations.withdraw_by(connection, None)
        size = _census(folder)
        datasets.add(connection, Dataset(table, found[0][0].id, _TITLE, size, service.now()))
        _queue(connection, table, found[0][0], service.now())
    return [SignIn(account.role, account.mail, password) for account, password in found]


def _census(folder: Path) -> int:
    """The project of the census table: the table, its schema, and what every release must satisfy. The size of the table."""
    folder.mkdir(parents=True)
    original, project = folder / f"{ORIGINAL}.parquet", Project(folder)
    with data.adult() as table:
        shutil.copyfile(str(table.source.data), original)
        write_text(project.schema_file, table.declared.to_toml(), force=False)
    recipe = Recipe(Source(original, project.schema_file), Question(["k-anonymity:5"]), Search(), Output(folder / RELEASE))
    write_text(project.recipe_file, recipe.text(folder.resolve()), force=False)
    return original.stat().st_size


def _queue(connection: Connection, table: str, owner: Account, now: float) -> None:
    jobs.add(connection, table, BEGIN, now)
    for offering in _OFFERS:
        jobs.add(connection, table, OFFER, now, arguments={"id": new_id(), "account": owner.id, "offering": asdict(offering)})
