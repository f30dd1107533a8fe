"""A table with values of every type, many of which engines write in different ways."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato import Schema

SCHEMA = Schema.parse(
    """
[table]
missing = ["", "?"]
[attributes]
who = { role = "owner" }
age = { role = "quasi", type = "integer", hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10, 50] } }
weight = { role = "quasi", type = "decimal", hierarchy = { builder = "intervals", lower = 0, upper = 200, widths = [50] } }
zip = { role = "quasi", type = "text", hierarchy = { builder = "prefix", keep = [2] } }
born = { role = "quasi", type = "date", hierarchy = { builder = "dates" } }
disease = { role = "sensitive" }
share = { role = "sensitive", type = "decimal" }
double = { role = "plain" }
single = { role = "plain" }
money = { role = "plain" }
small = { role = "plain" }
flag = { role = "plain" }
day = { role = "plain" }
moment = { role = "plain" }
zoned = { role = "plain" }
text = { role = "plain" }
number = { role = "plain", type = "decimal" }
"""
)
NASTY = [0.0, -0.0, 0.1, 1e16, 1e15, 1e-5, 123456789012345680.0, 5e-324, 1.7976931348623157e308, float("inf"), 2.0**-44, 1 / 3]
TEXTS = ["", "?", " ", "é", "日本", "a\\b", "it's", 'say "no"', "-5 .. 0", "=1+1", "x", "\u2028"]


def rows(many: int, seed: int = 1) -> pa.Table:
    """So many rows about half as many people."""
    draw = random.Random(seed)
    bits = np.random.default_rng(seed).integers(0, 2**63 - 2**52, many, dtype=np.int64).view(np.float64)
    start, zone = datetime.datetime(1999, 12, 31, 23, 59, 59, 999999), datetime.timezone(datetime.timedelta(hours=3))

    def column(make: object, missing: float = 0.1) -> list[object]:
        return [None if draw.random() < missing else make() for _ in range(many)]  # type: ignore[operator]

    days = [datetime.date(1930, 1, 1) + datetime.timedelta(days=37 * number) for number in range(40)]
    moments = [start + datetime.timedelta(microseconds=10 ** draw.randrange(18)) for _ in range(20)]
    return pa.table(
        {
            "who": pa.array([f"P{draw.randrange(many // 2)}" for _ in range(many)]),
            "age": pa.array(column(lambda: draw.randrange(100)), pa.int32()),
            "weight": pa.array(column(lambda: draw.randrange(400) / 2), pa.float64()),
            "zip": column(lambda: draw.choice(["12345", "12999", "98765", "?", ""])),
            "born": pa.array(column(lambda: draw.choice(days)), pa.date32()),
            "disease": column(lambda: draw.choice(["flu", "cold", "?"])),
            "share": pa.array(column(lambda: draw.choice([0.1, -0.0, 0.0, 1e16])), pa.float64()),
            "double": pa.array([draw.choice([float(each), *NASTY]) for each in bits]),
            "single": pa.array(column(lambda: draw.choice([0.1, -0.0, 1e30, 3.5])), pa.float32()),
            "money": pa.array(column(lambda: Decimal(draw.randrange(-500, 500)) / 100), pa.decimal128(12, 8)),
            "small": pa.array(column(lambda: draw.randrange(-5, 5)), pa.int8()),
            "flag": column(lambda: draw.random() < 0.5),
            "day": pa.array(column(lambda: draw.choice(days)), pa.date32()),
            "moment": pa.array(column(lambda: draw.choice(moments)), pa.timestamp("us")),
            "zoned": pa.array(column(lambda: draw.choice(moments).replace(tzinfo=zone)), pa.timestamp("us", "UTC")),
            "text": column(lambda: draw.choice(TEXTS)),
            "number": column(lambda: draw.choice([" 1.5", "1e3", "?", "-0", ".5", "7"])),
        }
    )


def written(path: Path, many: int = 300) -> Path:
    """The table as a file."""
    pq.write_table(rows(many), path)
    return path
