"""Ordered and hierarchical distances are over the declared values: one that is listed and does not occur still has its place."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf

SCHEMA = """
[attributes.age]
role = "quasi"
[attributes.grade]
role = "sensitive"
type = "integer"
{domain}
"""
LISTED = 'values = ["1", "2", "3", "4", "5"]'
BETWEEN = 'hierarchy = { builder = "intervals", widths = [4], lower = 1, upper = 5 }'
SHORTER = 'values = ["1", "2", "3", "5"]'
TREE = 'hierarchy = { tree = { low = ["1", "2"], high = ["3", "4", "5"] } }'
# Nobody has 3 or 4. Prior (10, 12, 18)/40 of 1, 2 and 5; age 30 has (5, 9, 6)/20: 0.15 is at 2 that would be at 5.
GRADES = {30: [1] * 5 + [2] * 9 + [5] * 6, 40: [1] * 5 + [2] * 3 + [5] * 12}
TABLE = pd.DataFrame([(age, grade) for age, grades in GRADES.items() for grade in grades], columns=["age", "grade"])


@pytest.mark.parametrize(
    ("domain", "distance"),
    [
        (LISTED, 0.15 * 3 / 4),  # from 2 to 5 are three of four steps
        (BETWEEN, 0.15 * 3 / 4),  # the bounds of whole numbers list them
        (SHORTER, 0.15 * 2 / 3),
        ("", 0.15 * 1 / 2),  # nothing is declared: the values that occur
        (TREE, 0.15),  # across the root, whoever else is under it
    ],
)
def test_a_listed_value_that_does_not_occur_has_its_place(domain: str, distance: float, tmp_path: Path) -> None:
    schema, out = sf.Schema.parse(SCHEMA.format(domain=domain)), tmp_path / "out.parquet"
    space = sf.explore(TABLE, schema, models=["t-closeness:0.5"])
    assert space.node([0])["value:t-closeness:0.5"] == pytest.approx(distance)
    sf.publish(TABLE, schema, node=[0], output=out)
    [verdict] = sf.check(out, schema, models=["t-closeness:0.5"]).verdicts
    assert verdict.value == pytest.approx(distance)
    for measured in (sf.measure(TABLE, schema, node=[0]), sf.measure(out, schema, original=TABLE)):
        assert measured.attributes[0].losses["emd"].max == pytest.approx(distance)
