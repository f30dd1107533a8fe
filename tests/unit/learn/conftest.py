"""A small table whose best answers are known: `sick` follows the place, and `diagnosis` the age."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf

SCHEMA: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "age": {
            "role": "quasi",
            "type": "integer",
            "hierarchy": {"builder": "intervals", "lower": 0, "upper": 80, "widths": [20, 40]},
        },
        "place": {
            "role": "quasi",
            "type": "text",
            "hierarchy": {"tree": {"north": ["Oslo", "Turku"], "south": ["Rome", "Nice"]}},
        },
        "diagnosis": {"role": "sensitive", "type": "text"},
        "sick": {"role": "plain", "type": "text"},
        "same": {"role": "plain", "type": "text"},
    }
}
PLACES = ("Oslo", "Turku", "Rome", "Nice")


def rows(count: int = 240) -> pa.Table:
    places = [PLACES[number % 4] for number in range(count)]
    return pa.table(
        {
            "name": [f"person {number}" for number in range(count)],
            "age": [(number * 7) % 80 for number in range(count)],
            "place": places,
            "diagnosis": [("flu", "cold", "gout")[(number * 7) % 80 // 30] for number in range(count)],
            "sick": ["yes" if place in ("Oslo", "Rome") else "no" for place in places],
            "same": ["one"] * count,
        }
    )


@pytest.fixture
def table() -> Iterator[sf.Table]:
    with sf.Table.open(rows(), SCHEMA) as opened:
        yield opened
