"""The store comes to its newest form from nothing, from a filled one, again, at once, and not from a future one."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from sfumato.errors import UsageError
from sfumato.web.service.store import Database, migrating
from sfumato.web.service.store.migrating import up_to_date
from sfumato.web.service.store.tables import account, metadata, session

ROW = {"id": "a" * 32, "name": "Ann", "mail": "a@b", "role": "owner", "password": "x", "key": "y", "created": 1.5}


def tables(database: Database) -> set[str]:
    with database.reading() as connection:
        return set(sa.inspect(connection).get_table_names())


def differences(database: Database) -> list[object]:
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))


def test_from_nothing_to_what_the_code_expects(empty: Database) -> None:
    assert len(differences(empty)) >= len(metadata.tables)
    up_to_date(empty)
    assert tables(empty) == {*metadata.tables, "alembic_version"}
    assert differences(empty) == []


def test_again_changes_nothing_and_keeps_rows(empty: Database) -> None:
    up_to_date(empty)
    with empty.writing() as connection:
        connection.execute(account.insert().values(**ROW))
    up_to_date(empty)
    with empty.reading() as connection:
        assert [row._asdict() for row in connection.execute(sa.select(account))] == [{**ROW, "closed": None}]
    assert differences(empty) == []


def test_a_filled_store_of_the_version_before_keeps_its_rows(empty: Database) -> None:
    with empty.writing() as connection:
        migrating.command.upgrade(migrating._config(connection), "0001")
        connection.execute(account.insert().values(**ROW))
    assert "reset" not in tables(empty)
    up_to_date(empty)
    with empty.reading() as connection:
        assert [row._asdict() for row in connection.execute(sa.select(account))] == [{**ROW, "closed": None}]
    assert differences(empty) == []


def test_an_interrupted_start_leaves_nothing_and_can_be_repeated(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        whole(*given)
        raise KeyboardInterrupt

    whole = migrating.command.upgrade
    monkeypatch.setattr(migrating.command, "upgrade", interrupted)
    with pytest.raises(KeyboardInterrupt):
        up_to_date(empty)
    assert tables(empty) == set()
    monkeypatch.undo()
    up_to_date(empty)
    assert differences(empty) == []


def test_a_store_of_a_newer_version_is_refused_in_one_line(empty: Database) -> None:
    up_to_date(empty)
    with empty.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UsageError, match="a newer version of sfumato has written this database") as caught:
        up_to_date(empty)
    assert "\n" not in str(caught.value)


def test_tables_of_somebody_else_are_left_alone(empty: Database) -> None:
    with empty.writing() as connection:
        connection.execute(sa.text("CREATE TABLE session (theirs INTEGER)"))
    with pytest.raises(UsageError, match="has a table 'session' of its own"):
        up_to_date(empty)
    assert tables(empty) == {"session"}


def _start(address: str, gate: object, results: object) -> None:
    database = Database(address)
    try:
        gate.wait(60)  # type: ignore[attr-defined]
        up_to_date(database)
        results.put("done")  # type: ignore[attr-defined]
    except BaseException as error:
        results.put(repr(error))  # type: ignore[attr-defined]
    finally:
        database.close()


def test_two_who_start_at_once_both_start(empty: Database) -> None:
    address = empty.engine.url.render_as_string(hide_password=False)
    context = multiprocessing.get_context("spawn")
    gate, results = context.Barrier(2), context.Queue()
    both = [context.Process(target=_start, args=(address, gate, results)) for _ in range(2)]
    for each in both:
        each.start()
    assert [results.get(timeout=60) for _ in both] == ["done", "done"]
    for each in both:
        each.join()
    assert differences(empty) == []


def test_foreign_keys_hold(empty: Database) -> None:
    up_to_date(empty)
    with pytest.raises(sa.exc.IntegrityError), empty.writing() as connection:
        connection.execute(session.insert().values(digest="d" * 64, account="nobody", created=1, expires=2))


def test_a_folder_with_odd_signs_holds_a_store(tmp_path: Path) -> None:
    for name in ("sp ace", "quest?ion", "per%20cent", "a#b", "ümlaut"):
        folder = tmp_path / name
        folder.mkdir()
        database = Database.in_folder(folder)
        up_to_date(database)
        database.close()
        assert (folder / "service.sqlite").is_file()
