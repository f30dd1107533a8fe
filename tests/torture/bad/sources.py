"""Bad sources: workbooks, files of statistics packages and databases with other bytes, texts that are read in another way than they are
written, and addresses of servers that nobody reaches."""

from __future__ import annotations

import io
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.torture.bad.mutations import mutants, spoiled
from tests.torture.bad.running import Case
from tests.torture.bad.tables import NUMBERS, toml_document
from tests.torture.bad.world import FOREIGN_SCHEMA

PLACE = "postgresql://nobody@127.0.0.1:9/none"  # no server has this port
ADDRESSES = (
    PLACE, "postgresql://", "postgresql:///", "postgresql://[", "postgresql://a:b@/c", "postgresql://127.0.0.1:0/x",
    "postgresql://127.0.0.1:99999/x",
    "postgresql://127.0.0.1:9/\x00", "postgresql://127.0.0.1:9/a?sslmode=never", "postgresql://127.0.0.1:9/a?password=%ff",
    "postgresql://" + "a" * 5000 + "/x", "POSTGRES://127.0.0.1:9/x", "postgresql://127.0.0.1:9/x?host=/dev/null",
    "mysql://127.0.0.1/x", "https://127.0.0.1:9/people.csv", "file:///people.csv", "s3://bucket/people.csv",
)  # fmt: skip


def sources(world: Path) -> Iterator[Case]:
    """Every kind of file that is copied before it is read, with other bytes, other sheets, other tables and other queries."""
    for ending, make in _MAKERS.items():
        file = f"bad.{ending}"
        whole = make(world)
        commands = cycle(
            [
                ("publish", file, "-s", "people.toml", "--node", "[1,1,1]", "-o", "new.csv"),
                ("profile", file, "-o", "new.toml"),
                ("init", file, "--yes", "-o", "begun"),
                ("measure", file, "-s", "people.toml"),
            ]
        )
        for name, content in spoiled(whole, seed=len(ending), count=40):
            yield Case(f"source {ending}", name, next(commands), {file: content}, may_pass=True)
        for option, bad in _OPTIONS:
            yield Case(f"source {ending}", f"{option} {bad[:20]!r}", (*next(commands), option, bad), {file: whole}, may_pass=True)


def dialects(_: Path) -> Iterator[Case]:
    """What a schema says of the way a text file is written."""
    commands = cycle(
        [
            ("publish", "foreign.csv", "-s", "foreign.toml", "--node", "[0,0]", "-o", "new.csv"),
            ("anonymize", "foreign.csv", "-s", "foreign.toml", "-m", "k-anonymity:2", "-o", "new.parquet"),
            ("hierarchies", "foreign.csv", "-s", "foreign.toml"),
            ("measure", "foreign.csv", "-s", "foreign.toml"),
        ]
    )
    for name, bad in mutants(tomllib.loads(FOREIGN_SCHEMA), seed=20, per_place=6):
        yield Case("dialect", name, next(commands), {"foreign.toml": toml_document(bad)}, may_pass=True)
    for number in NUMBERS:
        for old in ('";"', '","', '"dd.mm.yyyy"'):
            content = FOREIGN_SCHEMA.replace(old, number, 1).encode()
            yield Case("dialect", f"{old} is {number[:16]}", next(commands), {"foreign.toml": content}, may_pass=True)


def addresses(_: Path) -> Iterator[Case]:
    """Servers."""
    for address in ADDRESSES:
        for words in (("profile", address), ("publish", address, "-s", "people.toml", "--node", "[1,1,1]", "-o", "new.csv")):
            yield Case("address", ascii(address)[:40], words)
    for option, bad in _OPTIONS:
        yield Case("address", f"{option} {bad[:20]!r}", ("profile", PLACE, option, bad))


_OPTIONS = (
    ("--sheet", "no such"), ("--sheet", ""), ("--sheet", "a\x00b"), ("--sheet", "x" * 10_000),
    ("--table", "no such"), ("--table", ""), ("--table", 'p"; drop table people; --'), ("--table", "people\x00"),
    ("--query", ""), ("--query", "drop table people"), ("--query", "select"), ("--query", "select 1; select 2"),
    ("--query", "copy people to 'stolen.csv'"), ("--query", "attach 'people.toml' as t"), ("--query", "select * from 'people.toml'"),
    ("--query", "select * from read_text('people.toml')"), ("--query", "with recursive r(n) as (select 1) select * from people, r"),
    ("--query", "(" * 5_000), ("--query", "select 1 as a, 2 as a"), ("--query", "pragma database_list"),
    ("--encoding", "utf-7"), ("--delimiter", ";"), ("--decimal", ","), ("--dates", "dd.mm.yyyy"),
)  # fmt: skip


def _frame(world: Path) -> Any:
    import pandas as pd

    return pd.read_csv(world / "people.csv", dtype={"zip": str})


def _workbook(world: Path) -> bytes:
    out = io.BytesIO()
    _frame(world).to_excel(out, index=False, sheet_name="people")
    return out.getvalue()


def _statistics(write: str) -> Callable[[Path], bytes]:
    def made(world: Path) -> bytes:
        import pyreadstat

        path = world.parent / f"made.{write}"
        getattr(pyreadstat, f"write_{write}")(_frame(world), str(path))
        return path.read_bytes()

    return made


def _sqlite(world: Path) -> bytes:
    path = world.parent / "made.sqlite"
    with sqlite3.connect(path) as database:
        _frame(world).to_sql("people", database, index=False)
    database.close()
    return path.read_bytes()


def _duckdb(world: Path) -> bytes:
    """Made by a process of its own: here no command runs, see `running`."""
    import subprocess
    import sys

    path = world.parent / "made.duckdb"
    code = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('create table people as from read_csv(?)', [sys.argv[2]])"
    subprocess.run([sys.executable, "-c", code, str(path), str(world / "people.csv")], check=True)
    return path.read_bytes()


_MAKERS: dict[str, Callable[[Path], bytes]] = {
    "xlsx": _workbook,
    "sav": _statistics("sav"),
    "dta": _statistics("dta"),
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
