"""An enemy of the error messages: a secret is planted in tables that cannot be read, and nothing that leaves the package holds it.

What is searched is the whole chain of the exception, as a debugger or an error collector would: causes, contexts, arguments, notes.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

SECRET = "Rumpelstilzchen"
LINES = "".join(f"{30 + number % 9},{12000 + number % 7},flu\n" for number in range(3000))
HEADER = "age,zip,disease\n"
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [50] }
[attributes.zip]
role = "quasi"
[attributes.disease]
role = "sensitive"
hierarchy = { builder = "tree", tree = { any = ["flu", "cold"] } }
"""


def _parquet(folder: Path) -> Path:
    """A file whose pages are damaged, but not its footer."""
    path = folder / "damaged.parquet"
    secrets = [f"{SECRET}{number}" for number in range(3000)]
    pq.write_table(pa.table({"age": [30] * 3000, "zip": secrets, "disease": ["flu"] * 3000}), path, compression="none")
    whole = path.read_bytes()
    at = whole.index(SECRET.encode())
    path.write_bytes(whole[: at - 4] + b"\xff" * 4 + whole[at:])
    return path


def _written(name: str, content: bytes | str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


TABLES: dict[str, Callable[[Path], Any]] = {
    "a row too wide": _written("wide.csv", f"{HEADER}{LINES}31,12345,{SECRET},flu\n"),
    "a row too short": _written("short.csv", f"{HEADER}{LINES}31,{SECRET}\n{LINES}"),
    "an open quote": _written("quote.csv", f'{HEADER}{LINES}31,"{SECRET},flu\n'),
    "a quote inside": _written("inside.csv", f'{HEADER}{LINES}31,"{SECRET}"x,flu\n'),
    "not UTF-8": _written("latin.csv", f"{HEADER}{LINES}31,{SECRET}ü,flu\n".encode("cp437")),
    "half a gzip": _written("half.csv.gz", gzip.compress(f"{HEADER}31,{SECRET},flu\n{LINES}".encode())[:-30]),
    "text as Parquet": _written("text.parquet", f"{HEADER}31,{SECRET},flu\n"),
    "damaged Parquet": _parquet,
    "no number": _written("text.csv", f"{HEADER}{LINES}{SECRET},12345,flu\n"),
    "no leaf": _written("leaf.csv", f"{HEADER}{LINES}31,12345,{SECRET}\n"),
    "pandas of mixed types": lambda _: pd.DataFrame({"age": [30, SECRET, 31], "zip": ["1", "2", "3"], "disease": ["flu"] * 3}),
    "polars that cannot be collected": lambda _: pl.LazyFrame({"age": ["30", SECRET], "zip": "1", "disease": "flu"}).with_columns(
        pl.col("age").cast(pl.Int64)
    ),
    "lists of mixed types": lambda _: {"age": [30, SECRET, 31], "zip": ["1", "2", "3"], "disease": ["flu"] * 3},
    "a list of records": lambda _: [{"age": 30, "zip": SECRET, "disease": "flu"}],
    "moments after the year 9999": lambda _: pa.table(
        {"age": pa.array([2**61], pa.timestamp("us")), "zip": [SECRET], "disease": ["flu"]}
    ),
}
MODELS = {"models": "k-anonymity:2"}


def _every_verb(data: Any, schema: Any, folder: Path) -> Iterator[Callable[[], Any]]:
    def rows() -> None:
        with sf.Table.open(data, schema) as table:
            list(table.rows())

    yield rows
    yield lambda: sf.profile(data)
    yield lambda: sf.hierarchies(data, schema)
    yield lambda: sf.publish(data, schema, node=[1, 1], output=folder / "out.csv", force=True)
    yield lambda: sf.publish(data, schema, node=[0, 0])
    for algorithm in ("optimal", "mondrian"):
        yield lambda algorithm=algorithm: sf.anonymize(data, schema, algorithm=algorithm, **MODELS)
    yield lambda: sf.explore(data, schema, **MODELS)
    yield lambda: sf.subsets(data, schema, **MODELS)
    yield lambda: sf.dimensions(data, schema, **MODELS)
    yield lambda: sf.trade_off(data, schema)
    yield lambda: sf.check(data, schema, **MODELS)
    yield lambda: sf.measure(data, schema)
    yield lambda: sf.report(data, schema, output=folder / "report.html", force=True)
    if isinstance(data, Path):
        yield lambda: sf.verify(data)


def chain(error: BaseException | None, walked: tuple[BaseException, ...] = ()) -> Iterator[BaseException]:
    """An error and everything that it keeps of others."""
    if error is None or any(error is one for one in walked):
        return
    yield error
    for other in (error.__cause__, error.__context__):
        yield from chain(other, (*walked, error))


def holds(error: BaseException) -> bool:
    """Whether the secret is in some part of an error."""
    parts = (str(error), repr(error), error.args, getattr(error, "__notes__", ()), vars(error))
    return any(SECRET in repr(part) for part in parts)


def refusal(verb: Callable[[], Any]) -> sf.SfumatoError | None:
    """What a verb refuses, if it does; any other exception fails the test."""
    try:
        verb()
    except sf.SfumatoError as error:
        return error
    return None


@pytest.mark.parametrize("name", TABLES)
def test_no_exception_keeps_a_value_of_a_record(name: str, tmp_path: Path) -> None:
    data = TABLES[name](tmp_path)
    schema = sf.Schema.parse(SCHEMA)
    errors = [error for verb in _every_verb(data, schema, tmp_path) if (error := refusal(verb))]
    assert len(errors) > 5
    for error in errors:
        leaks = [type(one).__name__ for one in chain(error) if holds(one)]
        assert not leaks, f"{type(error).__name__} keeps the secret in {leaks}"


def test_a_table_in_the_place_of_another_file_is_not_kept_either(tmp_path: Path) -> None:
    path = TABLES["not UTF-8"](tmp_path)
    good = _written("good.csv", f"{HEADER}{LINES}")(tmp_path)
    for verb in (
        lambda: sf.Schema.read(path),
        lambda: sf.anonymize(recipe=path),
        lambda: sf.publish(good, path, node=[1, 1]),
        lambda: sf.Schema.parse(
            SCHEMA.replace('type = "integer"', "").replace("builder", f'builder = "file", path = "{path}", was')
        ),
    ):
        with pytest.raises(sf.SfumatoError) as caught:
            verb()
        assert not any(map(holds, chain(caught.value)))
