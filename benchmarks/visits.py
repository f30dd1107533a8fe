"""The census as visits: the same rows, three of each person; and sign-ins, whose moments and addresses hardly ever repeat."""

from __future__ import annotations

from pathlib import Path

import eight
import numpy as np
import pyarrow as pa

from sfumato import Prior, Schema, Table
from sfumato.models import model_of
from sfumato.search.problem import Problem

SIGN_INS = """
[attributes.time]
role = "quasi"
hierarchy = { builder = "dates" }
[attributes.ip]
role = "quasi"
hierarchy = { builder = "addresses" }
[attributes.age]
role = "quasi"
hierarchy = { builder = "intervals", widths = [5, 20], lower = 0, upper = 100 }
[attributes.zip]
role = "quasi"
hierarchy = { builder = "prefix", keep = [3, 2] }
[attributes.sex]
role = "quasi"
[attributes.illness]
role = "sensitive"
"""


def problem(schema: Path, models: list[str], *, owned: bool) -> Problem:
    """The counted census; `owned`: every three rows, drawn from the whole table, are one person's."""
    rows, text = eight.sample(), schema.read_text(encoding="utf-8")
    if owned:
        who = np.random.default_rng(0).permutation(len(rows)) // 3
        rows, text = rows.append_column("who", pa.array(who)), text + '[attributes.who]\nrole = "owner"\n'
    path = schema.with_name("visits.toml")
    path.write_text(text, encoding="utf-8")
    with Table.open(rows, Schema.read(path)) as table:
        counts, attribute = table.count(eight.QUASI), table.schema["occupation"]
    return Problem(
        counts, {"occupation": attribute}, {"occupation": Prior.of(counts, "occupation")}, tuple(map(model_of, models))
    )


def larger(seed: int = 1) -> pa.Table:
    """Twice the census, each cell redrawn from its column with probability 0.1."""
    rng, rows = np.random.default_rng(seed), pa.concat_tables([eight.sample()] * 2)
    many = len(rows)
    places = [np.where(rng.random(many) < 0.1, rng.integers(0, many, many), np.arange(many)) for _ in rows.column_names]
    columns = [rows[name].combine_chunks().take(pa.array(each)) for name, each in zip(rows.column_names, places, strict=True)]
    return pa.table(columns, names=rows.column_names)


def sign_ins(rows: int, seed: int = 0) -> pa.Table:
    """Moments of three years, addresses of four networks, postcodes, ages."""
    rng = np.random.default_rng(seed)
    seconds = 1_577_836_800 + rng.integers(0, 3 * 365 * 86_400, rows)
    places = rng.integers(0, [4, 64, 200], (rows, 3)).tolist()
    return pa.table(
        {
            "time": pa.array(seconds * 1_000_000).cast(pa.timestamp("us")),
            "ip": pa.array([f"10.{a}.{b}.{c}" for a, b, c in places]),
            "age": pa.array(rng.integers(18, 90, rows)),
            "zip": pa.array([f"{code:05d}" for code in rng.integers(10_000, 20_000, rows).tolist()]),
            "sex": pa.array(np.array(["f", "m"])[rng.integers(0, 2, rows)]),
            "illness": pa.array(np.array(list("abcdefgh"))[rng.integers(0, 8, rows)]),
        }
    )
