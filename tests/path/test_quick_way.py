"""No owner column and no population pushes a verb off the compiled loops: not one node is evaluated plainly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.search.algorithms.plain_reach import PlainReach
from sfumato.search.plain import PlainEvaluator

SCHEMA = """
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
[attributes.income]
role = "sensitive"
"""
MODELS = ["k-anonymity:3", "t-closeness:0.6", "average-risk:0.3"]
VERBS: dict[str, Callable[..., Any]] = {
    "explore": lambda data, schema, folder, **asked: sf.explore(data, schema, models=MODELS, suppress="5%", **asked),
    "floor": lambda data, schema, folder, **asked: sf.explore(data, schema, models=MODELS, floor={"age": 1}, **asked),
    "group": lambda data, schema, folder, **asked: sf.explore(data, schema, models=["k-anonymity:9 for sex=f"], **asked),
    "subsets": lambda data, schema, folder, **asked: sf.subsets(data, schema, models=MODELS, **asked),
    "trade_off": lambda data, schema, folder, **asked: sf.trade_off(data, schema, models=MODELS, sensitive="illness", **asked),
    "anonymize": lambda data, schema, folder, **asked: sf.anonymize(
        data, schema, models=MODELS, suppress="9%", output=folder / "out.csv", **asked
    ),
    "infeasible": lambda data, schema, folder, **asked: sf.anonymize(
        data,
        schema,
        models=["k-anonymity:3", "distribution-loss:0.001", "utility-entropy-loss:0.1"],
        output=folder / "out.csv",
        **asked,
    ),
}


def table(rows: int, seed: int, *, owned: bool) -> pa.Table:
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(18, 90, rows),
        "zip": np.char.mod("%05d", rng.integers(10_000, 10_400, rows)),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, rows)],
        "illness": np.array(list("abcdef"))[rng.integers(0, 6, rows)],
        "income": np.array(["high", "low"])[rng.integers(0, 2, rows)],
    }
    return pa.table(columns | ({"who": rng.permutation(rows) // 3} if owned else {}))


@pytest.mark.parametrize("kind", ["owners", "population"])
@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_evaluates_a_node_plainly(verb: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_calls: list[str] = []
    monkeypatch.setattr(PlainEvaluator, "_node", lambda *_: plain_calls.append("a node"))
    monkeypatch.setattr(PlainReach, "at", lambda *_: plain_calls.append("what a condition could reach"))
    owned = kind == "owners"
    schema = sf.Schema.parse(SCHEMA + ('[attributes.who]\nrole = "owner"\n' if owned else ""))
    asked = {} if owned else {"population": table(900, 2, owned=False)}
    assert VERBS[verb](table(600, 1, owned=owned), schema, tmp_path, **asked) is not None
    assert not plain_calls
