"""Random CSV texts, and what Python's own reader takes them for."""

from __future__ import annotations

import csv
import gzip
import io
import random
from pathlib import Path

import pytest

from sfumato.engines.base import Settings, open_engine
from sfumato.errors import SfumatoError
from sfumato.vocabulary.dialect import Dialect

Rows = list[tuple[str | None, ...]]
ANY = Settings()
PIECES = ["", "a", "0", "ä", "年", "🎻", "x y", " ", "\t", ";", "-1", "NA", "é" * 40]
QUOTED = [*PIECES, '""', ",", "\n", "\r", "\r\n", "a,b", '""""', ',\n"",']
ODD = ['5"', 'a"b"', '"', '"x"y', "\0", '"x', "\ufeff"]


def text(chance: random.Random) -> str:
    """A CSV text: mostly regular, now and then with something odd, sometimes with cells near the sizes of buffers."""
    columns = chance.choice([1, 1, 2, 3, 7])
    end = chance.choice(["\n", "\n", "\r\n", "\r"])
    rows = chance.choice([0, 1, 3, 30, 300])
    cells = columns * max(rows, 1)
    odd, long = chance.random() < 0.25, chance.random() < 0.1

    def cell() -> str:
        if odd and chance.random() < 0.05:
            return chance.choice(ODD)
        size = chance.randrange(4)
        quoted = chance.random() < 0.4
        pieces = [chance.choice(QUOTED if quoted else PIECES) for _ in range(size)]
        if long and size and chance.random() < 3 / cells:
            block = chance.choice([96 << 10, 96 << 10, 1 << 20, 4 << 20])
            pieces *= (block + chance.randrange(-9, 9)) // (len("".join(pieces).encode()) + 1)
        made = "".join(pieces)
        return f'"{made}"' if quoted else made.replace(" ", "_")  # blanks beside quotes are dropped, which is a test of its own

    def line() -> str:
        if chance.random() < 0.05:
            return ""
        width = columns + (chance.choice([-1, 1]) if odd and chance.random() < 0.02 else 0)
        return ",".join(cell() for _ in range(width))

    names = [f"n{place}" for place in range(columns)]
    if chance.random() < 0.1:
        names[0] = '"n' + chance.choice([" ", end, "\n", ",", '""']) + '0"'
    lines = [",".join(names), *(line() for _ in range(rows))]
    ends = [chance.choice(["\n", "\r\n", "\r"]) if odd and chance.random() < 0.01 else end for _ in lines]
    if chance.random() < 0.5:
        ends[-1] = ""
    return chance.choice(["", "", "", "\ufeff"]) + "".join(map(str.__add__, lines, ends))


def plainly(written: str) -> Rows:
    """The rows by Python's reader. Blank lines are missing values in a file of one column, and nothing in others; an empty cell is
    a missing value unless it is quoted, which Python's reader does not tell: both are None here."""
    limit = csv.field_size_limit(1 << 30)  # it is everybody's in this process, so it is put back
    try:
        header, *rows = list(csv.reader(io.StringIO(written.removeprefix("\ufeff"), newline="")))
    finally:
        csv.field_size_limit(limit)
    if len(header) > 1:
        rows = [row for row in rows if row]
    return [tuple(cell or None for cell in row or [""]) for row in rows]


def ours(path: Path, settings: Settings = ANY) -> Rows | str:
    """The rows as the engine gives them, or the one line with which it refuses."""
    try:
        engine = open_engine("duckdb", path, None, settings)
        try:
            rows: Rows = []
            for batch in engine.rows(tuple(engine.kinds)):
                rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
        finally:
            engine.close()
    except SfumatoError as error:
        if "\n" in str(error):
            pytest.fail("an error is one line")
        return str(error)
    return [tuple(cell or None for cell in row) for row in rows]


def compare(seed: int, folder: Path) -> bool:
    """Whether a random text was read, and then as Python reads it."""
    chance = random.Random(seed)
    written = text(chance)
    path = folder / "rows.csv"
    data = written.encode()
    path.write_bytes(gzip.compress(data, 1) if chance.random() < 0.15 else data)
    read = ours(path, Settings(dialect=Dialect(delimiter=","), threads=chance.choice([1, 2])))
    if isinstance(read, str):
        return False
    if read != plainly(written):
        pytest.fail(f"text {seed} is read as another table")
    return True
