"""Jobs: one at a time for a table, each in a process of its own; one that dies has failed with a reason, and a restart takes them up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from sfumato.web.service.jobs.supervisor import Supervisor
from sfumato.web.service.jobs.tasks import BEGIN
from sfumato.web.service.people import Account
from sfumato.web.service.places import Places
from sfumato.web.service.service import Service
from sfumato.web.service.store import datasets, jobs
from sfumato.web.service.store.datasets import Dataset
from sfumato.web.service.store.jobs import MOST_ATTEMPTS, JobState, StoredJob
from tests.web.service.conftest import BOTH
from tests.web.service.offering import people, waited, work_off

STORES = BOTH

TABLE = "7" * 32


@pytest.fixture
def table(service: Service, owner: Account) -> str:
    folder = Places(service.folder).table(TABLE)
    folder.mkdir(parents=True)
    (folder / "original.csv").write_bytes(people())
    with service.database.writing() as connection:
        datasets.add(connection, Dataset(TABLE, owner.id, "people", 1, 0.0))
    return TABLE


def enqueue(service: Service, table: str, task: str = BEGIN) -> int | None:
    with service.database.writing() as connection:
        return jobs.enqueue(connection, table, task, 1.0)


def last(service: Service, table: str) -> StoredJob:
    with service.database.reading() as connection:
        found = jobs.last(connection, table)
    assert found is not None
    return found


def test_a_table_has_one_job_at_a_time(service: Service, table: str) -> None:
    first = enqueue(service, table)
    assert first is not None
    assert enqueue(service, table) is None
    with service.database.writing() as connection:
        claimed = jobs.claim(connection)
        assert claimed is not None
        assert (claimed.number, jobs.claim(connection)) == (first, None)
    assert enqueue(service, table) is None
    with service.database.writing() as connection:
        jobs.finish(connection, first, 2.0, {"a": 1})
    assert (last(service, table).state, last(service, table).result) == (JobState.DONE, {"a": 1})
    assert enqueue(service, table) is not None


def test_only_what_failed_is_done_again(service: Service, table: str) -> None:
    number = enqueue(service, table)
    assert number is not None
    with service.database.writing() as connection:
        assert not jobs.again(connection, number)
        jobs.claim(connection)
        assert jobs.fail(connection, number, 2.0, "no memory")
        assert not jobs.fail(connection, number, 2.0, "twice")
    assert (last(service, table).state, last(service, table).error) == (JobState.FAILED, "no memory")
    with service.database.writing() as connection:
        assert jobs.again(connection, number)
    assert (last(service, table).state, last(service, table).error) == (JobState.QUEUED, None)


def test_what_ends_the_service_again_and_again_is_given_up(service: Service, table: str) -> None:
    enqueue(service, table)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        with service.database.writing() as connection:
            assert jobs.claim(connection) is not None
            assert jobs.take_up(connection, 3.0) == (attempt < MOST_ATTEMPTS)
    assert last(service, table).state is JobState.FAILED
    assert "more memory" in str(last(service, table).error)


@pytest.fixture
def supervisor(service: Service) -> Iterator[Supervisor]:
    heard: list[StoredJob] = []
    made = Supervisor(service.database, service.folder, heard.append)
    made.heard = heard  # type: ignore[attr-defined]
    yield made
    made.stop()


@pytest.mark.slow
def test_a_job_is_done_by_another_process_which_tells_how_far_it_is(service: Service, table: str, supervisor: Supervisor) -> None:
    enqueue(service, table)
    supervisor.start()
    waited(lambda: not last(service, table).open)
    assert (last(service, table).state, last(service, table).error) == (JobState.DONE, None)
    assert Places(service.folder).project(table).looked_file.exists()
    heard: list[StoredJob] = supervisor.heard  # type: ignore[attr-defined]
    assert len({each.step for each in heard}) > 2
    assert not os.environ.get("SFUMATO_LEDGER", "").startswith(str(service.folder))  # it was the other process's


@pytest.mark.slow
def test_a_process_that_is_killed_is_a_job_that_failed_and_can_be_done_again(
    service: Service, table: str, supervisor: Supervisor
) -> None:
    enqueue(service, table)
    supervisor.start()
    waited(lambda: bool(supervisor._running))
    os.kill(next(iter(supervisor._running.values())).pid, signal.SIGKILL)
    waited(lambda: not last(service, table).open)
    failed = last(service, table)
    assert (failed.state, failed.error) == (JobState.FAILED, "it was killed; there may not be enough memory")
    with service.database.writing() as connection:
        assert jobs.again(connection, failed.number)
    supervisor.wake()
    waited(lambda: last(service, table).state is JobState.DONE)


@pytest.mark.slow
def test_a_restart_takes_up_what_was_being_done(service: Service, table: str, supervisor: Supervisor) -> None:
    enqueue(service, table)
    with service.database.writing() as connection:
        jobs.claim(connection)  # by a service that was killed
    supervisor.start()
    waited(lambda: last(service, table).state is JobState.DONE)
    assert last(service, table).attempts == 2


@pytest.mark.slow
def test_a_table_that_cannot_be_read_fails_in_one_line(service: Service, table: str, supervisor: Supervisor) -> None:
    (Places(service.folder).table(table) / "original.csv").write_bytes(b"a,b\n1\n2,3,4\n")
    enqueue(service, table)
    supervisor.start()
    waited(lambda: not last(service, table).open)
    assert last(service, table).state is JobState.FAILED
    assert str(last(service, table).error).count("\n") == 0
    assert "bug" not in str(last(service, table).error)


def test_a_table_without_a_suggested_quasi_identifier_is_for_its_owner_to_decide(service: Service, table: str) -> None:
    places = Places(service.folder)
    (places.table(table) / "original.csv").write_bytes(b"patient_id,age,ill\n17,34,flu\n")
    enqueue(service, table)
    work_off(service)
    assert last(service, table).state is JobState.DONE
    assert places.project(table).schema.quasi == ()
