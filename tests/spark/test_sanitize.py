"""What an operation makes does not depend on the engine: the same seed gives the same file, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato as sf
from tests.spark.tables import SCHEMA, written

TABLE = SCHEMA.with_role(["who", "zoned"], "identifier").with_role("share", "plain")
METHODS = [
    "noise:laplace,0.3",
    "noise:correlated,0.3",
    "pram:0.7",
    "pram:invariant,0.7",
    "rank-swap:20%",
    "record-swap:30%",
    "anatomy:2",
    "permute:age=1,weight=1,zip=1,born=3",
    "cell-suppression:3",
    "subtree:3",
    "microaggregate:3",
    "top-code:age=50",
    "bottom-code:age=30",
]


@pytest.mark.parametrize("method", METHODS)
def test_both_engines_make_the_same_file(method: str, tmp_path: Path) -> None:
    source = written(tmp_path / "in.parquet", 300)
    seed = {"seed": 5} if method.partition(":")[0] in ("noise", "pram", "rank-swap", "record-swap", "anatomy", "permute") else {}
    made = [
        sf.sanitize(source, TABLE, method=method, output=tmp_path / f"{engine}.parquet", engine=engine, **seed)  # type: ignore[arg-type]
        for engine in ("duckdb", "spark")
    ]
    one, other = ((tmp_path / f"{engine}.parquet").read_bytes() for engine in ("duckdb", "spark"))
    assert one == other
    assert made[0].as_dict()["losses"] == made[1].as_dict()["losses"]
    assert made[1].release.certificate.engine["name"] == "spark"
