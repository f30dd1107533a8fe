"""The bar of `--memory`: whatever the command, the process takes at most one and a half times the limit and 200 MB.

Either the command does its work within that, or it refuses and says which limit would be enough.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

LIMIT = 300_000_000
BAR = 1.5 * LIMIT + 200_000_000
RUN = """
import sys
from sfumato.cli.entry import main
try:
    main()
finally:
    peak = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))
    print("peak", peak, file=sys.stderr)
"""
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5, 20], lower = 0, upper = 100 }
[attributes.zip]
role = "quasi"
hierarchy = { builder = "prefix", keep = [4, 3] }
[attributes.sex]
role = "quasi"
[attributes.diagnosis]
role = "sensitive"
[attributes.note]
role = "%s"
"""


class Ended(NamedTuple):
    status: int
    said: str
    peak: int


def sfumato(*arguments: object) -> Ended:
    """A command as somebody starts it, and the largest memory that the process has had."""
    ended = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, arguments), "--memory", "300MB"], capture_output=True, text=True, check=False
    )
    *said, last = ended.stderr.splitlines()
    return Ended(ended.returncode, "\n".join(said), int(last.split()[1]) * 1024)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight million people with a note each (about 870 MB), the same with a name for everybody, fifty million rows, and two bombs."""
    folder = tmp_path_factory.mktemp("memory")
    for name, role in (
        ("people", "identifier"),
        ("fifty", "identifier"),
        ("line", "identifier"),
        ("lines", "identifier"),
        ("different", "quasi"),
    ):
        (folder / f"{name}.toml").write_text(SCHEMA % role)
    person = "(hash(i) % 95)::INT AS age, (10000 + hash(i * 7) % 90)::INT AS zip, ['m', 'f'][1 + (hash(i * 3) % 2)::INT] AS sex"
    person += ", 'D' || (hash(i * 5) % 10) AS diagnosis"
    with duckdb.connect() as connection:
        for name, rows, note, options in (
            ("people.csv", 8_000_000, "repeat(chr((97 + i % 26)::INT), 90)", "HEADER"),
            ("different.csv", 8_000_000, "i || repeat(chr((97 + i % 26)::INT), 82)", "HEADER"),
            ("fifty.parquet", 50_000_000, "'x'", "FORMAT parquet"),
        ):
            connection.sql(f"COPY (SELECT {person}, {note} AS note FROM range({rows}) r(i)) TO '{folder / name}' ({options})")
    for name, piece in (("line", b"a" * 1_000_000), ("lines", b"33,10001,m,D1,x\n" * 62_500)):
        with gzip.open(folder / f"{name}.csv.gz", "wb") as file:
            file.write(b"age,zip,sex,diagnosis,note\n33,10000,m,D2,x\n")
            for _ in range(1500):
                file.write(piece)
    return folder


@pytest.mark.parametrize(
    ("command", "data"),
    [
        ("profile", "people.csv"),
        ("profile", "different.csv"),
        ("publish", "people.csv"),
        ("publish", "fifty.parquet"),
        ("anonymize", "people.csv"),
        ("anonymize", "different.csv"),
        ("profile", "lines.csv.gz"),
        ("publish", "lines.csv.gz"),
        ("profile", "line.csv.gz"),
        ("publish", "line.csv.gz"),
    ],
)
def test_a_command_keeps_to_its_limit(benchmark: Any, folder: Path, tmp_path: Path, command: str, data: str) -> None:
    schema = folder / f"{data.split('.')[0]}.toml"
    arguments = {
        "profile": ("profile", folder / data, "-o", tmp_path / "schema.toml"),
        "publish": ("publish", folder / data, "-s", schema, "--node", "age=2,zip=2,sex=1", "-o", tmp_path / "out.parquet"),
        "anonymize": ("anonymize", folder / data, "-s", schema, "-m", "k-anonymity:5", "-o", tmp_path / "out.parquet"),
    }[command]
    ended = benchmark.pedantic(lambda: sfumato(*arguments), rounds=1)
    result = "done" if ended.status == 0 else f"refused: {ended.said}"
    print(
        f"\n{command} {data} ({(folder / data).stat().st_size / 1e6:.0f} MB): {ended.peak / 1e6:.0f} MB (bar {BAR / 1e6:.0f}); {result}"
    )
    assert ended.peak < BAR
    assert ended.status == 0 or (ended.status == 2 and ("needs about" in ended.said or "need --memory" in ended.said)), ended
