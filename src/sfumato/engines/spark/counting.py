"""What is counted comes to the driver, in Arrow. Spark itself stops a result that is larger than its limit
(`spark.driver.maxResultSize`); then we say what it would need."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import pyarrow as pa

from sfumato.engines.memory import limit_for, need_for_counts, room_for_counts
from sfumato.engines.spark.arrow import to_arrow
from sfumato.errors import UsageError, argument, raise_alone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MIB, _GIB = 1 << 20, 1 << 30
_KILOBYTES = {"": 1 / 1024, "k": 1, "m": 1024, "g": 1024**2, "t": 1024**3}
LIMIT = "spark.driver.maxResultSize"
_ADVICE = "or take fewer columns, or coarser values"
RESULTS = 0.5  # the share of the driver's memory that results may take


def fetched(session: SparkSession, query: str, memory: str | None, where: str) -> pa.Table:
    """The result of a query that groups."""
    frame = session.sql(query)
    try:
        table = to_arrow(frame)
    except Exception as error:
        if not is_too_large(error):
            raise
        raise_alone(_too_large(frame, where))
    _require_room(table, memory, where)
    return table


def is_too_large(error: Exception) -> bool:
    """Whether Spark has stopped a result that has no room on the driver."""
    return "maxResultSize" in str(error)


def _require_room(table: pa.Table, memory: str | None, where: str) -> None:
    """Within a memory limit: refuse counts that could not be put in order."""
    need = need_for_counts(table.num_rows, table.nbytes, table.num_columns - 1)
    if memory is not None and need > room_for_counts(memory):
        raise UsageError(
            f"{table.num_rows:,} different combinations of values need {argument('memory')} {limit_for(need)}; {_ADVICE}",
            where=where,
        )


def _too_large(frame: DataFrame, where: str) -> UsageError:
    """What a result needs. It is made again for that, and looked at by the executors."""
    texts = [name for name, physical in frame.dtypes if physical == "string"]
    length = " + ".join(f"coalesce(sum(octet_length({name})), 0L)" for name in texts) or "0L"
    cells, size = (int(each) for each in to_arrow(frame.selectExpr("count(*) AS n", f"{length} AS s")).to_pylist()[0].values())
    setting = argument("conf", _enough(frame.sparkSession, size + 16 * cells * len(frame.columns)))
    return UsageError(
        f"{cells:,} different combinations of values do not fit on the driver; {setting} would do, {_ADVICE}", where=where
    )


def _enough(session: SparkSession, need: int) -> str:
    """The setting with which so many bytes fit: the limit of results if somebody has set it, else the memory that it follows from."""
    memory = kilobytes(session.conf.get("spark.driver.memory", None) or "")
    if memory is None or session.conf.get(LIMIT, None) == limit_of_results(memory):
        return f"spark.driver.memory={math.ceil(need / RESULTS / _GIB) + 1}g"
    return f"{LIMIT}={math.ceil(2 * need / _MIB)}m"


def limit_of_results(memory: float) -> str:
    """What results may take of so many kilobytes, as Spark writes it."""
    return f"{int(memory * RESULTS)}k"


def kilobytes(memory: str) -> float | None:
    """An amount of memory as Spark writes it; None if it is none."""
    match = re.fullmatch(r"([0-9]+)([kmgt]?)b?", memory.strip().lower())
    return None if match is None else int(match[1]) * _KILOBYTES[match[2]]
