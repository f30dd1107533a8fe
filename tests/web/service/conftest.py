"""A service on SQLite and on a real PostgreSQL, with an owner and a user; every test has a store of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.web.service import passwords
from sfumato.web.service.app import service_app
from sfumato.web.service.people import Account, Role, new_key
from sfumato.web.service.secret import new_id
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database, accounts
from sfumato.web.service.store.migrating import up_to_date
from tests.path.postgres_server import Server, running

ADDRESS = "http://127.0.0.1:8421"
PASSWORD = "correct horse battery"
START = 1_800_000_000.0
BOTH = ("sqlite", "postgresql")
_numbers = count()


@dataclass
class Clock:
    """The time of a service, which a test moves."""

    now: float = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def newest_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store in its newest form, to be copied."""
    folder = tmp_path_factory.mktemp("newest")
    database = Database.in_folder(folder)
    up_to_date(database)
    database.close()
    return folder / "service.sqlite"


@pytest.fixture(scope="session")
def newest_postgres(postgres: Server) -> str:
    """The name of such a store on PostgreSQL."""
    create(postgres, "newest")
    database = Database(postgres.address(database="newest"))
    up_to_date(database)
    database.close()
    return "newest"


def create(server: Server, name: str, template: str = "template1") -> None:
    with psycopg.connect(server.address(database="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


@pytest.fixture(params=BOTH)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A store without a table."""
    if request.param == "sqlite":
        database = Database.in_folder(tmp_path)
    else:
        server: Server = request.getfixturevalue("postgres")
        name = f"empty{next(_numbers)}"
        create(server, name)
        database = Database(server.address(database=name))
    yield database
    database.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What is about the store runs on both kinds (`STORES = BOTH` in its module); pages and routes, which use it, on one."""
    if "database" in metafunc.fixturenames:
        metafunc.parametrize("database", getattr(metafunc.module, "STORES", BOTH[:1]), indirect=True)


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A store in its newest form."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("newest_sqlite"), tmp_path / "service.sqlite")
        made = Database.in_folder(tmp_path)
    else:
        server: Server = request.getfixturevalue("postgres")
        name = f"test{next(_numbers)}"
        create(server, name, request.getfixturevalue("newest_postgres"))
        made = Database(server.address(database=name))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that take no time; what they are made of elsewhere is a test of its own."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(database: Database, tmp_path: Path, clock: Clock) -> Service:
    return Service(database, tmp_path, ADDRESS, now=clock)


@pytest.fixture
def app(service: Service) -> FastAPI:
    return service_app(service)


def make_account(service: Service, role: Role, name: str, mail: str) -> Account:
    """An account with the password of all tests."""
    account = Account(new_id(), name, mail, role, new_key(), service.now())
    with service.database.writing() as connection:
        accounts.add(connection, account, passwords.hashed(PASSWORD))
    return account


def browser(app: FastAPI, account: Account | None = None) -> TestClient:
    """A browser that does not follow redirects, in which an account has signed in."""
    client = TestClient(app, base_url=ADDRESS, headers={"Origin": ADDRESS}, follow_redirects=False)
    if account is not None:
        answer = client.post("/sign-in", data={"mail": account.mail, "password": PASSWORD})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return client


def program(app: FastAPI, client: TestClient, name: str = "a program") -> TestClient:
    """A program with a token of the account that a browser is signed in with; it has no cookie and no origin."""
    secret = client.post("/api/v1/tokens", json={"name": name}).json()["token"]
    return TestClient(app, base_url=ADDRESS, headers={"Authorization": f"Bearer {secret}"}, follow_redirects=False)


@pytest.fixture
def owner(service: Service) -> Account:
    return make_account(service, Role.OWNER, "Olga Owner", "olga@example.org")


@pytest.fixture
def user(service: Service) -> Account:
    return make_account(service, Role.USER, "Ulf User", "ulf@example.org")


@pytest.fixture
def stranger(app: FastAPI) -> TestClient:
    return browser(app)


@pytest.fixture
def as_owner(app: FastAPI, owner: Account) -> TestClient:
    return browser(app, owner)


@pytest.fixture
def as_user(app: FastAPI, user: Account) -> TestClient:
    return browser(app, user)
