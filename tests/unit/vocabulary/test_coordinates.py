"""Where released labels lie between 0 and 1."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sfumato.vocabulary.builders import Builder, Intervals, Listed, Suppression
from sfumato.vocabulary.coordinates import coordinates
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute

TREE = Listed((("a", "g"), ("b", "g"), ("c", "g"), ("d", "h"), ("e", "h")))
TEENS = Listed(tuple((str(age), "teen") for age in range(13, 18)))
FIXED = Intervals((Decimal(25),), Decimal(0), Decimal(100))
OPEN = Intervals((Decimal(10),))


@pytest.mark.parametrize(
    ("builder", "labels", "expected"),
    [
        (TREE, ["a", "c", "e"], [0, 0.5, 1]),
        (TREE, ["g", "h", "*"], [0.25, 0.875, 0.5]),  # leaves 0 to 2, 3 and 4, all
        (TREE, ["a", "e", None], [0, 0.8, 1]),  # the missing value is the sixth place
        (TEENS, ["[13, 15]", "16"], [0.25, 0.75]),
        (FIXED, ["[0, 25)", "[75, 100]", "*"], [0.125, 0.875, 0.5]),
        (OPEN, ["[20, 30)", "[50, 60]"], [0.125, 0.875]),  # between 20 and 60
        (Suppression(), ["3", "5", "7"], [0, 0.5, 1]),
        (Suppression(), ["3"], [0]),
        (Suppression(), ["red", "blue", "green"], [1, 0, 0.5]),
        (Suppression(), ["red", None], [0, 1]),
        (Suppression(), [None], [1]),
        (Suppression(), ["2024-03", "2023-01"], [1, 0]),
    ],
)
def test_coordinates_follow_from_labels_and_schema(builder: Builder, labels: list[str | None], expected: list[float]) -> None:
    attribute = Attribute("q", Role.QUASI, None, builder)
    assert coordinates(attribute, labels).tolist() == pytest.approx(expected)


def test_the_type_that_the_source_gives_makes_no_difference() -> None:
    for builder, labels in ((TEENS, ["[13, 15]", "16"]), (FIXED, ["[0, 25)", "[75, 100]"]), (Suppression(), ["3", "5"])):
        typed, untyped = (Attribute("q", Role.QUASI, kind, builder) for kind in (Kind.INTEGER, None))
        assert coordinates(typed, labels).tolist() == coordinates(untyped, labels).tolist()
