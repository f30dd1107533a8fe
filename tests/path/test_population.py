"""A larger table is counted in the classes of the release, whatever bands its own values would give."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf

SCHEMA = sf.Schema.parse("""
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [10, 20] }
[attributes.sex]
role = "quasi"
""")
# Two people under 20 and five from 20 to 29: bands [0, 20) and [20, 40] of twenty years, [10, 20) and [20, 30) of ten.
TABLE = pd.DataFrame({"age": [11, 12, 21, 22, 23, 24, 25], "sex": ["f"] * 7})
# The population reaches further: its own bands go up to 80, and [20, 40) is not the last one. Eight of it are from 20 to 40.
PEOPLE = pd.DataFrame({"age": [11, 12, 13, 21, 22, 23, 24, 25, 26, 35, 40, 41, 70], "sex": ["f"] * 13})
MODELS = ["k-map:1", "delta-presence:0,1"]


def values(node: list[int], folder: Path, population: pd.DataFrame = PEOPLE) -> list[list[float | None]]:
    """The two models by the search, and by a check of the file."""
    out = folder / "out.csv"
    sf.publish(TABLE, SCHEMA, node=node, output=out, force=True)
    space = sf.explore(TABLE, SCHEMA, models=MODELS, population=population)
    checked = sf.check(out, SCHEMA, models=MODELS, population=population)
    return [[space.node(node)[f"value:{name}"] for name in MODELS], [verdict.value for verdict in checked.verdicts]]


@pytest.mark.parametrize(
    ("node", "least", "presence"),
    [
        ([0, 0], 1, 1.0),
        ([1, 0], 3, 5 / 6),  # [10, 20) has 2 of 3 people, [20, 30) has 5 of 6
        ([2, 0], 3, 2 / 3),  # [0, 20) has 2 of 3 people, [20, 40] has 5 of 8: 40 is in it
        ([3, 1], 13, 7 / 13),
    ],
)
def test_bands_that_come_from_the_data_are_those_of_the_release(
    node: list[int], least: int, presence: float, tmp_path: Path
) -> None:
    assert values(node, tmp_path) == [pytest.approx([least, presence])] * 2


def test_the_only_band_of_a_release_is_found_in_a_larger_table(tmp_path: Path) -> None:
    """[20, 40] alone: in the larger table it is called [20, 40)."""
    table = TABLE[TABLE["age"] > 20]
    sf.publish(table, SCHEMA, node=[2, 0], output=tmp_path / "out.csv")
    checked = sf.check(tmp_path / "out.csv", SCHEMA, models=MODELS, population=PEOPLE)
    assert [verdict.value for verdict in checked.verdicts] == [8, 5 / 8]
    measured = sf.measure(table, SCHEMA, node=[2, 0], population=PEOPLE)
    assert measured.risk.as_dict()["journalist_max"] == pytest.approx(1 / 8)


def test_people_of_unknown_age_are_in_no_band(tmp_path: Path) -> None:
    more = pd.concat([PEOPLE, pd.DataFrame({"age": [None, None], "sex": ["f", "f"]})])
    assert values([2, 0], tmp_path, more) == [pytest.approx([3, 2 / 3])] * 2
    assert values([3, 0], tmp_path, more) == [pytest.approx([15, 7 / 15])] * 2
