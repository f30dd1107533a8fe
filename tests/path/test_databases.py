"""Tables and queries of SQLite and DuckDB files and of a PostgreSQL server: the same rows, and never a password."""

from __future__ import annotations

import builtins
import sqlite3
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, SfumatoError, UsageError
from tests.path.postgres_server import PASSWORD, Server, running

NAMES = ["who", "age", "pay", "born", "seen", "well"]
ROWS = [
    ("Jürgen", 41, 1234.5, date(1980, 4, 3), datetime(2020, 1, 1, 8, 30), True),
    ("Zoë", 52, None, date(1975, 12, 31), datetime(2020, 1, 2, 0, 0), False),
    ("00123", None, 0.25, None, datetime(2020, 1, 3, 23, 59, 59), None),
]
CREATE = "CREATE TABLE people (who text, age integer, pay double precision, born date, seen timestamp, well boolean)"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as server:
        with psycopg.connect(server.address()) as connection:
            connection.execute(CREATE)
            connection.cursor().executemany("INSERT INTO people VALUES (%s, %s, %s, %s, %s, %s)", ROWS)
        yield server


def duckdb_file(path: Path, rows: list[Any] = ROWS, more: str = "") -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.execute(CREATE)
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
        if more:
            connection.execute(more)
    return path


def sqlite_file(path: Path, rows: list[Any] = ROWS, more: str = "") -> Path:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(CREATE)
        texts = [tuple(str(cell) if isinstance(cell, date) else cell for cell in row) for row in rows]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", texts)
        if more:
            connection.execute(more)
    connection.close()
    return path


FILES = {"sqlite": sqlite_file, "duckdb": duckdb_file}
WELL = {True: 1, False: 0, None: None}  # SQLite has no type for it


def published(data: Any, folder: Path, **options: Any) -> tuple[sf.Schema, list[Any]]:
    """The schema that a profile suggests, and the rows as they are published under it, every column a QID at level 0."""
    text = sf.profile(data, **options).to_toml()
    for role in ("identifier", "sensitive", "plain", "owner"):
        text = text.replace(f'role = "{role}"', 'role = "quasi"')
    schema = sf.Schema.parse(text)
    names = [each.name for each in schema.attributes]
    sf.publish(data, schema, node=[0] * len(names), output=folder / "out.parquet", force=True)
    table = pq.read_table(folder / "out.parquet")
    return schema, sorted(zip(*(table[name].to_pylist() for name in names), strict=True), key=str)


@pytest.mark.parametrize("kind", FILES)
def test_the_only_table_of_a_file_is_the_table(kind: str, tmp_path: Path) -> None:
    schema, rows = published(FILES[kind](tmp_path / "data.db"), tmp_path)
    expected = ROWS if kind == "duckdb" else [(*row[:5], WELL[row[5]]) for row in ROWS]
    assert rows == sorted(expected, key=str)
    assert schema.source.table == "people"


@pytest.mark.parametrize("kind", FILES)
def test_a_table_is_asked_for_and_named_and_a_query_is_one_select(kind: str, tmp_path: Path) -> None:
    data = FILES[kind](tmp_path / "data.db", more='CREATE TABLE "an other" (x integer)')
    with pytest.raises(DataError, match="there are 2 tables; say table and one of an other, people"):
        sf.profile(data)
    with pytest.raises(UsageError, match=r"no table 'peple'.*did you mean 'people'"):
        sf.profile(data, table="peple")
    assert len(published(data, tmp_path, table="people")[1]) == 3
    query = "SELECT who, age FROM people WHERE age > 50 -- the old;"
    schema, rows = published(data, tmp_path, query=query)
    assert rows == [("Zoë", 52)]
    assert schema.source.query == query
    before = data.read_bytes()
    for wrong in ("SELECT nothing FROM nowhere", "DROP TABLE people", "SELECT 1 AS x); DROP TABLE people; --", ""):
        with pytest.raises(UsageError, match=r"query.*one SELECT would work"):
            sf.profile(data, query=wrong)
    assert data.read_bytes() == before
    with pytest.raises(UsageError, match="a table or a query, not both"):
        sf.profile(data, table="people", query=query)


def test_a_query_reaches_nothing_but_its_file(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(UsageError, match="one SELECT would work"):
        sf.profile(duckdb_file(tmp_path / "data.db"), query=f"SELECT * FROM '{tmp_path}/secret.csv'")


def test_a_column_of_sqlite_has_the_type_of_its_values(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "data.db")
    with connection:
        connection.execute("CREATE TABLE t (n, f, mixed, code text, raw)")
        rows = [(1, 1, 1, "007", b"\x00"), (None, 2.5, "x", "042", b"\xff"), (3, 0.5, 2.5, "100", None)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    rows = published(tmp_path / "data.db", tmp_path)[1]
    assert rows == sorted([(1, 1.0, "1", "007", "00"), (None, 2.5, "x", "042", "ff"), (3, 0.5, "2.5", "100", None)], key=str)


@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "postgres"])
def test_every_verb_takes_a_database_and_a_recipe_repeats_it(kind: str, tmp_path: Path, server: Server) -> None:
    rows = [row for row in ROWS for _ in range(5)]
    data: Any
    if kind == "postgres":
        with psycopg.connect(server.address()) as connection:
            connection.execute(
                "DROP TABLE IF EXISTS many; CREATE TABLE many AS SELECT people.* FROM people, generate_series(1, 5)"
            )
        data = server.address()
    else:
        data = FILES[kind](tmp_path / "data.db", rows, more="CREATE TABLE many AS SELECT * FROM people")
    schema, output, recipe = tmp_path / "schema.toml", tmp_path / "out.csv", tmp_path / "recipe.toml"
    schema.write_text(sf.profile(data, table="many").schema.with_role(["age", "born"], "quasi").to_toml(), encoding="utf-8")
    sf.anonymize(data, schema, output=output, recipe=recipe, models=["k-anonymity:5"], quasi=["age", "born"])
    assert sf.verify(output).rows == 15
    assert all(verdict.satisfied for verdict in sf.check(output, schema, models=["k-anonymity:5"], original=data).verdicts)
    assert sf.measure(output, schema, original=data).people == 15
    before = output.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)  # a recipe has no password
        sf.anonymize(recipe=recipe, force=True)
    assert output.read_bytes() == before
    kept = [file for file in tmp_path.rglob("*") if file.is_file() and file != data]
    kept += [file for file in Path(sf.release.ledger.default_ledger()).rglob("*") if file.is_file()]
    assert all(PASSWORD.encode() not in file.read_bytes() and b"wr0ng" not in file.read_bytes() for file in kept)


def test_a_table_of_a_server_has_the_types_it_has_there(tmp_path: Path, server: Server) -> None:
    schema, rows = published(server.address(), tmp_path, table="people")
    assert rows == sorted(ROWS, key=str)
    assert [each.kind.value for each in schema.attributes if each.kind] == [
        "text",
        "integer",
        "decimal",
        "date",
        "timestamp",
        "boolean",
    ]
    query = """SELECT 1.5::numeric AS n, '2020-01-01 12:00+02'::timestamptz AS t, ARRAY[1,2] AS a, '{"x": 1}'::json AS j,
               '%'::varchar AS v, 10::money AS m, 'a3bb189e-8bf9-3888-9912-ace4e6543002'::uuid AS u"""
    rows = published(server.address(), tmp_path, query=query)[1]
    assert rows == [
        (1.5, datetime(2020, 1, 1, 10, 0), "{1,2}", '{"x": 1}', "%", "$10.00", "a3bb189e-8bf9-3888-9912-ace4e6543002")
    ]


def test_a_server_is_read_in_one_transaction_and_in_parts(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that arrive while the table is read belong to the next reading."""
    from sfumato.engines.copies import postgres

    with psycopg.connect(server.address()) as connection:
        connection.execute("DROP TABLE IF EXISTS growing; CREATE TABLE growing AS SELECT generate_series(1, 1000) AS n")
    monkeypatch.setattr(postgres, "BATCH", 100)
    batch_of, added = postgres.batch_of, []

    def adding(rows: Any, schema: Any) -> Any:
        assert len(rows) <= 100
        with psycopg.connect(server.address()) as connection:
            connection.execute("INSERT INTO growing VALUES (0)")
        added.append(len(rows))
        return batch_of(rows, schema)

    monkeypatch.setattr(postgres, "batch_of", adding)
    with sf.Table.open(server.address(), sf.Schema.parse('[attributes.n]\nrole = "quasi"\n'), table="growing") as table:
        assert table.count().total_rows == 1000
    assert added == [100] * 10


def test_a_query_cannot_change_the_server(server: Server) -> None:
    with psycopg.connect(server.address()) as connection:
        connection.execute("DROP TABLE IF EXISTS kept; CREATE TABLE kept (n integer); INSERT INTO kept VALUES (1)")
    for wrong in ("DELETE FROM kept RETURNING n", "SELECT 1) AS x; DELETE FROM kept; --", "SELECT nothing"):
        with pytest.raises(UsageError, match="one SELECT would work"):
            sf.profile(server.address(), query=wrong)
    with psycopg.connect(server.address()) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1,)


@pytest.mark.parametrize(
    ("address", "options", "message"),
    [
        (lambda server: server.address(password="wr0ng-too"), (), "the server refuses the user or the password"),
        (lambda server: server.address(database="nowhere"), (), "the server has no such database"),
        (lambda server: server.address().replace(str(server.port), "1"), (), "no server answers at this address"),
        (lambda server: server.address(), ("--table", "peeple"), "did you mean 'people'"),
        (lambda server: server.address() + "?password=wr0ng-twice", ("--table", "people"), "refuses the user or the password"),
    ],
    ids=["password", "database", "port", "table", "password in the query"],
)
def test_what_goes_wrong_is_one_line_without_the_password(
    address: Callable[[Server], str], options: tuple[str, ...], message: str, server: Server, sfumato: Callable[..., Any]
) -> None:
    ended = sfumato("profile", address(server), *options)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert "wr0ng" not in ended.err + ended.out


def test_no_value_that_is_printed_has_the_password(server: Server) -> None:
    source = sf.Source(server.address(), table="people")
    assert "wr0ng" not in repr(source) + source.name
    with pytest.raises(SfumatoError) as caught:
        sf.Table.open(source, sf.Schema.parse('[attributes.x]\nrole = "quasi"\n'))
    assert "wr0ng" not in str(caught.value)


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, sfumato: Callable[..., Any]) -> None:
    load = builtins.__import__

    def without(module: str, *given: Any, **more: Any) -> Any:
        if module.startswith("psycopg"):
            raise ImportError(module)
        return load(module, *given, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    ended = sfumato("profile", "postgresql://ann:wr0ng@127.0.0.1/people")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert 'pip install "sfumato[postgres]"' in ended.err
    assert "wr0ng" not in ended.err


@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_database_is_refused(kind: str, tmp_path: Path, sfumato: Callable[..., Any]) -> None:
    data = FILES[kind](tmp_path / "data.db")
    data.write_bytes(data.read_bytes()[:4096] + b"\xff" * 5000)
    ended = sfumato("profile", data)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "data.db: cannot be" in ended.err
