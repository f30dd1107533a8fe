"""The bars of the service: fifty negotiations at once, ten thousand past ones in a list, and pages on a table of a million rows."""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import census
import httpx2 as httpx
import pytest
import sqlalchemy as sa
from asking import Took, negotiated

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.path.postgres_server import running as postgres
from tests.web.service.offering import offered_in, work_off

import sfumato as sf
from sfumato.negotiation.files import Offering
from sfumato.question import Question
from sfumato.recipe import Recipe
from sfumato.release import Output
from sfumato.search.algorithms.search import Search
from sfumato.table.source import Source
from sfumato.web.service.jobs.tasks import BEGIN
from sfumato.web.service.people import Account, Role, new_key
from sfumato.web.service.places import Places
from sfumato.web.service.secret import digest, new_id, new_secret
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database, accounts, datasets, jobs, tokens
from sfumato.web.service.store.datasets import Dataset
from sfumato.web.service.store.migrating import up_to_date
from sfumato.web.service.store.tables import event, negotiation
from sfumato.web.service.store.tokens import Token

AT_ONCE, ANSWERS, PAUSE = 50, 8, 1.0
P95, LIST, PAGE = 0.3, 1.0, 0.2  # seconds
PAST, ROWS = 10_000, 1_000_000
START = [sys.executable, "-c", "from sfumato.cli.entry import main; main()", "serve", "--json"]


@dataclass
class Served:
    """A service on loopback, and the tokens of its accounts."""

    service: Service
    owner: Account
    users: list[Account]
    tokens: dict[str, str]

    def client(self, account: Account) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.tokens[account.id]}"}
        return httpx.Client(base_url=self.service.address, headers=headers, timeout=60)


def made(database: Database, folder: Path, users: int) -> Served:
    """A store with an owner and users."""
    up_to_date(database)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        service = Service(database, folder, f"http://127.0.0.1:{free.getsockname()[1]}")
    now = time.time()
    owner = Account(new_id(), "Olga Owner", "olga@example.org", Role.OWNER, new_key(), now)
    others = [Account(new_id(), f"User {n}", f"u{n}@example.org", Role.USER, new_key(), now) for n in range(users)]
    secrets = {each.id: new_secret() for each in (owner, *others)}
    with database.writing() as connection:
        for each in (owner, *others):
            accounts.add(connection, each, "no password fits this")
            tokens.add(connection, Token(new_id(), "a program", now, now + 10**6, None), each.id, digest(secrets[each.id]))
    return Served(service, owner, others, secrets)


@contextmanager
def serving(served: Served) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a service, ready to answer."""
    command = [*START, "--folder", str(served.service.folder), "--port", served.service.address.rsplit(":", 1)[1]]
    if not served.service.database.embedded:
        command += ["--database", served.service.database.address]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            _until_it_answers(served)
            yield process
        finally:
            process.terminate()


def _until_it_answers(served: Served) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            with served.client(served.owner) as client:
                client.get("/api/v1/account").raise_for_status()
        except httpx.TransportError:
            assert time.monotonic() < until, "it does not start"
            time.sleep(0.1)
        else:
            return


@contextmanager
def store(kind: str, folder: Path) -> Iterator[Database]:
    if kind == "SQLite":
        with closing(Database.in_folder(folder)) as database:
            yield database
    else:
        with postgres(durable=True) as server, closing(Database(server.address())) as database:
            yield database


def table_of(served: Served, original: Path, schema: Any) -> str:
    """A table of the owner, described and looked at."""
    identity = new_id()
    folder = Places(served.service.folder).table(identity)
    folder.mkdir(parents=True)
    shutil.copyfile(original, folder / "original.parquet")
    (folder / "schema.toml").write_text(schema.to_toml())
    source = Source(folder / "original.parquet", folder / "schema.toml")
    recipe = Recipe(source, Question(["k-anonymity:5"]), Search(), Output(folder / "release.csv"))
    (folder / "recipe.toml").write_text(recipe.text(folder))
    with served.service.database.writing() as connection:
        datasets.add(connection, Dataset(identity, served.owner.id, "census", 1, time.time()))
        jobs.enqueue(connection, identity, BEGIN, time.time())
    work_off(served.service)
    return identity


@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_fifty_negotiations_at_once(benchmark: Any, tmp_path: Path, kind: str) -> None:
    with store(kind, tmp_path) as database:
        served = made(database, tmp_path, AT_ONCE)
        with sf.data.adult() as table:
            schema = table.declared.with_role("income", "quasi")
        identity = table_of(served, census.SAMPLE, schema)
        rules = Offering(epsilon=0.7, alpha=2.0, limit=ANSWERS + 2, most_seen=10**6)
        listing = offered_in(served.service, served.owner, identity, rules)
        with serving(served) as process:
            with served.client(served.owner) as owner:
                assert owner.get(f"/api/v1/offers/{listing}/room").json()["policies"] == 4320
            tokens_of = [served.tokens[each.id] for each in served.users]
            ways = {
                f"{AT_ONCE} programs that answer at once, without a pause": 0.0,
                f"{AT_ONCE} at once, each with {PAUSE:g} s between two moves on average": PAUSE,
            }
            came = benchmark.pedantic(
                lambda: [
                    measured(process, lambda pause=pause: negotiated(served.service.address, tokens_of, listing, ANSWERS, pause))
                    for pause in ways.values()
                ],
                rounds=1,
            )
    for what, (took, used) in zip(ways, came, strict=True):
        _percentiles(f"{kind}, {what}", took, used)
    for took, _ in came:
        assert len(took.answers) >= 2 * AT_ONCE
        assert statistics.quantiles(took.answers, n=20)[-1] < P95


def measured(process: subprocess.Popen[bytes], work: Callable[[], Took]) -> tuple[Took, float]:
    """What came of some work, and how many seconds of a processor the service has used meanwhile."""
    before = _processor(process.pid)
    took = work()
    return took, _processor(process.pid) - before


def _processor(pid: int) -> float:
    """Seconds of a processor that a process has used, by Linux; nothing on other systems."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return float("nan")
    used = stat.read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


def _percentiles(what: str, took: Took, used: float) -> None:
    answers, load = took.answers, os.getloadavg()[0]
    worst = statistics.quantiles(answers, n=20)[-1]
    print(
        f"\n  {what}: p50 {statistics.median(answers) * 1e3:.0f} ms, p95 {worst * 1e3:.0f} ms, largest {max(answers) * 1e3:.0f} ms"
        f" ({len(answers)} answers, {len(answers) / took.wall:.0f} a second; load {load:.1f}; bar: p95 {P95 * 1e3:.0f} ms,"
        f" {'kept' if worst < P95 else 'missed'}). Processor: {used / len(answers) * 1e3:.1f} ms an answer, and"
        f" {took.cpu / len(answers) * 1e3:.1f} ms for asking, {took.cpu / took.wall:.0%} of a core"
    )


@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_ten_thousand_past_negotiations(benchmark: Any, tmp_path: Path, kind: str) -> None:
    with store(kind, tmp_path) as database:
        served = made(database, tmp_path, 1)
        with sf.data.adult() as table:
            identity = table_of(served, census.SAMPLE, table.declared)
        listing = offered_in(served.service, served.owner, identity, Offering(epsilon=0.6, quasi=("age", "sex")))
        with serving(served):
            with served.client(served.users[0]) as user:
                asked = {"offering": listing, "pattern": {"layers": [["sex"]]}}
                user.post("/api/v1/negotiations", json=asked).raise_for_status()
            multiplied(database, PAST)
            places = [
                (account, path)
                for account in (served.owner, served.users[0])
                for path in ("/negotiations", "/negotiations?page=199", "/negotiations?state=offered", "/api/v1/negotiations")
            ]
            took = benchmark.pedantic(lambda: [timed(served, *each) for each in places], rounds=1)
    worst = max(took)
    print(f"\n  {kind}, a page of {PAST:,} negotiations: {worst * 1e3:.0f} ms at most (bar: {LIST * 1e3:.0f} ms)")
    assert worst < LIST


def multiplied(database: Database, many: int) -> None:
    """So many negotiations like the one that is there."""
    with database.writing() as connection:
        one = connection.execute(sa.select(negotiation)).one()._mapping
        events = [row._mapping for row in connection.execute(sa.select(event))]
        new = [{**one, "id": new_id(), "changed": one["changed"] - number} for number in range(many - 1)]
        connection.execute(sa.insert(negotiation), new)
        connection.execute(sa.insert(event), [{**each, "negotiation": row["id"]} for row in new for each in events])


def timed(served: Served, account: Account, path: str) -> float:
    """How long a page takes, the second time."""
    with served.client(account) as client:
        client.get(path).raise_for_status()
        started = time.perf_counter()
        answer = client.get(path)
        took = time.perf_counter() - started
    assert answer.status_code == 200, f"{path}: {answer.status_code}"
    return took


def test_pages_on_a_million_rows(benchmark: Any, tmp_path: Path) -> None:
    with store("SQLite", tmp_path) as database:
        served = made(database, tmp_path, 0)
        with sf.data.adult() as table:
            identity = table_of(served, census.write(tmp_path / "million.parquet", ROWS), table.declared)
        with serving(served):
            took = benchmark.pedantic(lambda: _pages(served, identity), rounds=1)
    for path, seconds in took.items():
        print(f"\n  {path}: {seconds * 1e3:.0f} ms (bar: {PAGE * 1e3:.0f} ms)", end="")
    print()
    assert max(took.values()) < PAGE


def _pages(served: Served, identity: str) -> dict[str, float]:
    """Each step of the workbench, once its table is counted."""
    from sfumato.web.bench.pages import STEPS

    return {path: timed(served, served.owner, f"/tables/{identity}/{path}") for path, _ in STEPS}
