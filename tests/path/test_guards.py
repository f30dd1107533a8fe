"""Guards of personalized privacy, from a column of the table."""

from __future__ import annotations

import pandas as pd
import pytest

import sfumato as sf

SCHEMA = """
[attributes.age]
role = "quasi"
[attributes.disease]
role = "sensitive"
{tree}
[attributes.guard]
role = "plain"
"""
TREES = {
    "starred": 'hierarchy = { tree = { infection = ["flu", "cold"], other = ["gout"] } }',
    "named": 'hierarchy = { tree = { any = { infection = ["flu", "cold"], other = ["gout"] } } }',
    "none": "",
}
MODEL = "personalized-privacy:0.5,guard"


@pytest.mark.parametrize("tree", TREES)
def test_a_guard_of_the_root_covers_every_value(tree: str) -> None:
    schema = sf.Schema.parse(SCHEMA.format(tree=TREES[tree]))
    rows = [(30, "flu", "*"), (30, "gout", None), (40, "flu", "flu"), (40, "gout", None)]
    table = pd.DataFrame(rows, columns=["age", "disease", "guard"])
    space = sf.explore(table, schema, models=[MODEL])
    assert (space.node([0])[f"value:{MODEL}"], space.node([0])["feasible"]) == (1.0, False)
    some = sf.explore(table[table["age"] == 40], schema, models=[MODEL])
    assert (some.node([0])[f"value:{MODEL}"], some.node([0])["feasible"]) == (0.5, True)
