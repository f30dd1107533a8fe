"""Writing a release: a folder of Parquet files by the executors, or one file by the driver.

The files of a folder follow each other in the order of the sort key: its first digits say in which file a row is. So the files do not
depend on how many machines there are, nor on chance. One file is put in order and written by the embedded engine, from what the
executors have recoded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.engines.base import Contents, Settings, Target
from sfumato.engines.spark.opening import reader_of
from sfumato.engines.spark.sql import SQL, sort_key
from sfumato.vocabulary.dialect import AS_FOUND
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Attribute, Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 1_000_000  # in a file of a folder, about
_DIGITS = 4  # of the sort key, by which rows are divided among files
_LISTED = 512
_OWNER = "the owner's number"


def keyed(session: SparkSession, rows: str, types: Mapping[str, str], seed: int, *, owner: bool) -> DataFrame:
    """Recoded rows with columns p0, p1, … (`types` are their physical types), each with its number `n` among equal ones, its sort key
    `k` and, if there are owners, its owner's number `o`; in any order."""
    listed = ", ".join(types)
    if owner:
        numbered = f"SELECT {listed}, o, {SQL.number_among(list(types), owner=True)} - 1 AS n FROM ({rows})"
    else:
        counted = f"SELECT {listed}, count(*) AS k FROM ({rows}) GROUP BY {listed}"
        begun = f"SELECT {listed}, k, explode(sequence(0L, k - 1, {_LISTED}L)) AS b FROM ({counted})"
        numbered = f"SELECT {listed}, explode(sequence(b, least(b + {_LISTED}, k) - 1)) AS n FROM ({begun})"
    return session.sql(f"SELECT *, {sort_key(types, seed)} AS k FROM ({numbered})")


def in_order(rows: DataFrame, parts: int) -> DataFrame:
    """Rows in so many partitions that follow each other in the order of their sort key `k`, each sorted."""
    from pyspark.sql import functions as f

    first = f.expr(f"CAST(conv(substr(k, 1, {_DIGITS}), 16, 10) AS INT) * {parts} div {16**_DIGITS}").cast("int")
    divided = rows.coalesce(1) if parts == 1 else rows.repartitionById(parts, first)
    return divided.sortWithinPartitions("k")


def write_folder(rows: DataFrame, names: Sequence[str], target: Target, count: int, *, owner: bool) -> None:
    """Write keyed rows to a folder, and their keys to another."""
    from pyspark import StorageLevel

    ordered = in_order(rows, max(1, math.ceil(count / ROWS)))
    if target.keys is not None:
        ordered = ordered.persist(StorageLevel.DISK_ONLY)
    try:
        _write(ordered.selectExpr(*(f"p{place} AS {SQL.identifier(name)}" for place, name in enumerate(names))), target.path)
        if target.keys is not None:
            _write(ordered.selectExpr("n", *(["o"] if owner else [])), target.keys)
    finally:
        if target.keys is not None:
            ordered.unpersist()


def _write(frame: DataFrame, folder: Path) -> None:
    """Write a frame to a folder; what Spark itself puts there is removed, and the files are called by their number."""
    frame.write.parquet(f"file://{folder.absolute()}")
    for file in sorted(folder.iterdir()):
        number = file.name.split("-")[1] if file.name.startswith("part-") else None
        if number is None:
            file.unlink()
        else:
            file.rename(folder / f"part-{number}.parquet")


def write_file(recoded: Path, names: Sequence[str], target: Target, settings: Settings, *, owner: bool) -> Contents:
    """Write recoded rows, which lie in a folder, as one file."""
    plain = tuple(Attribute(name, Role.PLAIN) for name in names)
    schema = Schema((*plain, *([Attribute(_OWNER, Role.OWNER)] if owner else [])), missing=())
    plain_settings = replace(settings, dialect=AS_FOUND, written={}, likely_delimiter=None)
    reader = reader_of(recoded, schema, plain_settings)
    try:
        return reader.recode(schema, Recoding(Node((), ()), {}), replace(target, beside=names))
    finally:
        reader.close()


def recoded_columns(names: Sequence[str], *, owner: bool) -> list[str]:
    """The columns of what `write_file` reads."""
    return [
        *(f"p{place} AS {SQL.identifier(name)}" for place, name in enumerate(names)),
        *([f"o AS `{_OWNER}`"] if owner else []),
    ]
