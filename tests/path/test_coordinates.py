"""(c, t)-isolation: the search, the release that is read back and a check of the file alone judge the same distances."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf

HEAD = '[attributes.disease]\nrole = "sensitive"\n'
# The example of the model: 1, 2 and 9 people at 0, 1 and 10; with c = 2 there are 3 people around 0 and around 1, and 12 around 10.
AGES = [0] + [1] * 2 + [10] * 9
MODEL = "ct-isolation:2,5"
NUMBERS = '[attributes.age]\nrole = "quasi"\n'
INTEGERS = NUMBERS + 'type = "integer"\n'
LISTED = NUMBERS + f"values = {[str(age) for age in range(11)]}\n".replace("'", '"')
BANDS = INTEGERS + 'hierarchy = { builder = "intervals", widths = [2, 4], lower = 0, upper = 12 }\n'
OPEN_BANDS = INTEGERS + 'hierarchy = { builder = "intervals", widths = [1, 2] }\n'


def values(schema: sf.Schema, table: pd.DataFrame, node: list[int], folder: Path, end: str = "csv") -> list[float]:
    """What the search says of a node, and what a check of the file says."""
    out = folder / f"out.{end}"
    sf.publish(table, schema, node=node, output=out, force=True)
    [verdict] = sf.check(out, schema, models=[MODEL]).verdicts
    assert verdict.value is not None
    return [sf.explore(table, schema, models=[MODEL]).node(node)[f"value:{MODEL}"], verdict.value]


@pytest.mark.parametrize("schema", [NUMBERS, INTEGERS, LISTED, BANDS, OPEN_BANDS])
@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_the_example_is_judged_alike_from_the_table_and_from_the_file(schema: str, end: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"age": AGES, "disease": ["x"] * 12})
    assert values(sf.Schema.parse(schema + HEAD), table, [0], tmp_path, end) == [3, 3]


def test_coarser_labels_are_in_the_middle_of_what_they_cover(tmp_path: Path) -> None:
    """Bands of two years: [0, 2) and [10, 12] are two points, each with everybody in its ball."""
    table = pd.DataFrame({"age": AGES, "disease": ["x"] * 12})
    assert values(sf.Schema.parse(BANDS + HEAD), table, [1], tmp_path) == [12, 12]


def test_labels_without_numbers_are_judged_alike(tmp_path: Path) -> None:
    """Listed towns 1, 2 and 11 of eleven; in the order of the file they would be neighbors."""
    towns = [f"t{number}" for number in (3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 0)]
    text = f'[attributes.town]\nrole = "quasi"\nvalues = {towns}\n'.replace("'", '"')
    table = pd.DataFrame({"town": ["t3"] + ["t1"] * 2 + ["t0"] * 9, "disease": ["x"] * 12})
    assert values(sf.Schema.parse(text + HEAD), table, [0], tmp_path) == [3, 3]
