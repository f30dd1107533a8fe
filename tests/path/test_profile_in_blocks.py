"""A profile reads many columns in one pass, and says what a look at one column after the other says."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.engines import tally
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.profiling import patterns, values
from sfumato.verbs import profile as verb
from sfumato.vocabulary.kinds import Kind, canonical


def frames() -> dict[str, Any]:
    chance = np.random.default_rng(5)
    many = chance.integers(0, 900, 4000)
    return {
        "texts": pd.DataFrame(
            {
                "zip": [f"{n:05d}" for n in many],
                "whole": [f" {n}" for n in many],
                "signed": [f"+{n}" if n % 2 else f"-{n}" for n in many],
                "fraction": [f"{n / 7:.3f}" for n in many],
                "dotted": [f"{n}.0" for n in many],
                "power": [f"{n}e3" for n in many],
                "huge": [f"{n}{'0' * 18}" for n in many],
                "mixed": ["x" if n == 7 else str(n) for n in many],
                "day": [f"2020-01-{n % 28 + 1:02d}" for n in many],
                "ip": [f"10.0.{n % 256}.1" for n in many],
                "digits": ["٠٣" if n % 2 else "٠٤" for n in many],
                "spelled": ["HIV" if n % 3 else "hiv" for n in many],
                "gaps": [None if n % 2 else "NA" if n % 3 else "1" for n in many],
            }
        ),
        "types": pa.table(
            {
                "int": pa.array(many.tolist(), pa.int32()),
                "float": pa.array([None, float("nan"), 0.0, -0.0, *map(float, many)]).slice(4),
                "date": pa.array(many.tolist(), pa.int32()).cast(pa.date32()),
                "flag": pa.array([bool(n % 2) for n in many]),
                "list": pa.array([[int(n % 3)] for n in many]),
                "raw": pa.array([bytes([n % 5]) for n in many]),
                "number": pa.array([Decimal(int(n)) / 4 for n in many], pa.decimal128(9, 2)),
                "category": pa.array([f"c{n % 9}" for n in many]).dictionary_encode(),
            }
        ),
        "categories": pd.DataFrame({"q": pd.Categorical(list("abca")), "owner_id": [1, 1, 2, 2], "client_id": [1, 2, 1, 2]}),
    }


def plainly(engine: DuckDBEngine, name: str, missing: tuple[str, ...]) -> tuple[int, int, int]:
    """Rows, missing and distinct values of one column, counted by Python."""
    counts: Counter[str | None] = Counter()
    for batch in engine.rows([name]):
        counts.update(None if v is None or v != v or v in missing else str(v) for v in batch.column(0).to_pylist())
    return sum(counts.values()), counts[None], len(counts) - (None in counts)


@pytest.mark.parametrize("name", frames())
def test_a_profile_in_few_passes_is_that_of_one_pass_per_column(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = frames()[name]
    passes: list[int] = []
    rows = DuckDBEngine.rows
    monkeypatch.setattr(DuckDBEngine, "rows", lambda engine, names: passes.append(len(names)) or rows(engine, names))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        whole = sf.profile(data)
    # One for all columns, one for those that are not plain (`gaps`, numbers among `NA`), one for those that are chosen among.
    assert len(passes) == (3 if name == "texts" else 2)
    monkeypatch.setattr(patterns, "all_fit", lambda *_: False)  # the quick look knows nothing, and every value is looked at
    monkeypatch.setattr(values, "_SLICE", 7)
    monkeypatch.setattr(verb, "ROOM", 0)
    monkeypatch.setattr(tally, "_TOGETHER", 0)
    with warnings.catch_warnings(record=True) as again:
        warnings.simplefilter("always")
        slowly = sf.profile(data)
    assert len(passes) > len(whole.suggestions)
    assert slowly.as_dicts() == whole.as_dicts()
    assert slowly.to_toml() == whole.to_toml()
    assert [str(each.message) for each in again] == [str(each.message) for each in warned]
    engine = sf.Source(data).open_engine()
    for each in whole.suggestions:
        missing = each.attribute.written.missing
        assert plainly(engine, each.attribute.name, missing) == (whole.rows, each.missing, each.distinct)
    engine.close()


def test_quick_looks_agree_with_a_look_at_each_value() -> None:
    chance = random.Random(3)
    signs = ["0", "1", "9", "+", "-", ".", "e", "E", " ", "\t", "\v", "x", "٣", "\n"]
    for _ in range(4000):
        text = "".join(chance.choices(signs, k=chance.choice([1, 1, 2, 3, 5, 19])))
        column = pa.array([text])
        for kind in (Kind.INTEGER, Kind.DECIMAL):
            assert not patterns.all_fit(kind, column) or canonical(kind, text) is not None
        assert patterns.leading_zero(column) == (len(text) > 1 and text.startswith("0") and text.isdigit())


def test_a_table_of_thousands_of_columns_is_read_in_few_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"c{place}" for place in range(2000)]
    lines = [",".join(names), *(",".join(str(place * row) for place in range(2000)) for row in range(5))]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    passes: list[int] = []
    rows = DuckDBEngine.rows
    monkeypatch.setattr(DuckDBEngine, "rows", lambda engine, names: passes.append(len(names)) or rows(engine, names))
    assert len(sf.profile(tmp_path / "wide.csv").suggestions) == 2000
    assert passes == [2000, 16]
