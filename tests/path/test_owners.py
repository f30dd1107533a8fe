"""People with several rows: what a model says of the share of a class that has a value is a share of people."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf

SCHEMA = sf.Schema.parse("""
[attributes.who]
role = "owner"
[attributes.age]
role = "quasi"
[attributes.disease]
role = "sensitive"
""")
# Six people with HIV and two other diagnoses each: 18 pairs of a person and a value, 6 of them HIV.
SIX = pd.DataFrame(
    [
        (f"p{n}", 30, disease)
        for n in range(6)
        for disease in ("HIV", f"other {n % 3}", f"other {3 + n % 2}")
    ],
    columns=["who", "age", "disease"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "value"),
    [
        ("confidence-bounding:0.5", 1.0),
        ("confidence-bounding:0.5,HIV", 1.0),
        ("alpha-k-anonymity:0.5,3", 1.0),
        ("probabilistic-diversity:2", 1.0),
        ("xy-privacy:2,0.5", 1.0),
    ],
)
def test_a_value_that_everybody_has_is_certain_however_many_others_they_have(model: str, value: float, tmp_path: Path) -> None:
    sf.publish(SIX, SCHEMA, node=[0], output=tmp_path / "out.csv")
    [verdict] = sf.check(tmp_path / "out.csv", SCHEMA, models=[model]).verdicts
    assert (verdict.value, verdict.satisfied) == (value, False)
    space = sf.explore(SIX, SCHEMA, models=[model])
    assert [space.node([level])[f"value:{model}"] for level in (0, 1)] == [value, value]
    assert not space["feasible"].any()


def test_a_distribution_is_over_pairs_of_a_person_and_a_value(tmp_path: Path) -> None:
    """Two classes, (HIV, x) of one person and (HIV, y) of another: prior (2, 1, 1)/4, posterior (1/2, 1/2, 0): distance 1/4."""
    rows = [("a", 30, "HIV"), ("a", 30, "x"), ("b", 40, "HIV"), ("b", 40, "y")]
    two = pd.DataFrame(rows, columns=["who", "age", "disease"])
    sf.publish(two, SCHEMA, node=[0], output=tmp_path / "out.csv")
    [closeness, confidence] = sf.check(
        tmp_path / "out.csv", SCHEMA, models=["t-closeness:0.5", "confidence-bounding:0.5"]
    ).verdicts
    assert closeness.value == pytest.approx(1 / 4)
    assert confidence.value == 1
