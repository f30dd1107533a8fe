"""Tables with very many diagnoses: people with three QIDs and a lattice of 36 nodes, and the census."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import eight
import numpy as np
import pyarrow as pa

from sfumato import Schema, Table

ROWS, DIAGNOSES = 200_000, 5_000
ASKED: dict[str, dict[str, Any]] = {
    "optimal": {"minimize": "loss"},
    "optimal, 5 %": {"minimize": "loss", "suppress": "5%"},
    "optimal, owners": {"minimize": "loss"},
    "optimal, owners, 5 %": {"minimize": "loss", "suppress": "5%"},
    "incognito": {"minimize": "loss", "algorithm": "incognito"},
    "mondrian": {"algorithm": "mondrian"},
}
_QUASI = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5, 10, 20, 40] }
[attributes.zip]
role = "quasi"
hierarchy = { builder = "prefix", keep = [4] }
[attributes.sex]
role = "quasi"
"""


def table(*, sensitive: bool, owners: bool) -> Table:
    """With or without the diagnoses; with owners, a person has one row and a half on average."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {
        "age": rng.integers(18, 90, ROWS),
        "zip": rng.integers(10_000, 10_400, ROWS).astype(str),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, ROWS)],
    }
    text = _QUASI
    if sensitive:
        columns["diagnosis"] = np.char.mod("d%04d", rng.integers(0, DIAGNOSES, ROWS))
        text += '[attributes.diagnosis]\nrole = "sensitive"\n'
    if owners:
        columns["who"] = rng.integers(0, ROWS * 2 // 3, ROWS).astype(str)
        text += '[attributes.who]\nrole = "owner"\n'
    return Table.open(pa.table(columns), Schema.parse(text))


def census_with(folder: Path, values: int, rows: int = 100_000) -> tuple[pa.Table, Path]:
    """The census drawn to so many rows, with so many diagnoses, of which few are frequent, in place of the occupation; and its schema."""
    rng = np.random.default_rng(2)
    sample = eight.sample().drop(["occupation"])
    weights = 1 / np.arange(1, values + 1) ** 0.8
    drawn = pa.array(np.char.mod("D%04d", rng.choice(values, rows, p=weights / weights.sum())))
    text = (folder / "eight.toml").read_text(encoding="utf-8").partition("[attributes.occupation]")[0]
    schema = folder / f"values-{values}.toml"
    schema.write_text(text + '[attributes.occupation]\nrole = "sensitive"\n', encoding="utf-8")
    return sample.take(pa.array(rng.integers(0, sample.num_rows, rows))).append_column("occupation", drawn), schema
