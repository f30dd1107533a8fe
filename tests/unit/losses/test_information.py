"""Information losses against a plain pass over the rows, suppressed people included."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import log2, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import SfumatoError
from sfumato.losses.information import INFORMATION, Recoded
from tests.strategies import Drawn, Labels, Levels, Row, drawn_tables, levels_of


@dataclass(frozen=True)
class Case:
    """A table without owners, a node, and the classes that are suppressed."""

    table: Drawn
    levels: Levels
    suppressed: frozenset[Labels]

    def labels(self, row: Row) -> Labels:
        return self.table.labels(row, self.levels)

    @property
    def people(self) -> list[Row]:
        """One row per person."""
        return [row for row in self.table.rows for _ in range(row.times)]

    @property
    def kept(self) -> list[Row]:
        return [row for row in self.people if self.labels(row) not in self.suppressed]

    def recoded(self) -> Recoded:
        counts = self.table.count().roll_up(self.table.node(self.levels))
        stays = np.array([counts.labels(number + 1) not in self.suppressed for number in range(counts.classes)])
        leaves = self.table.count([row for row in self.table.rows if self.labels(row) not in self.suppressed])
        return Recoded(counts.keep(stays), leaves, len(self.people) - len(self.kept))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """At least one class is kept."""
    table = replace(draw(drawn_tables()), owned=False)
    levels = draw(levels_of(table))
    result = sorted(table.classes(levels), key=repr)
    suppressed = draw(st.sets(st.sampled_from(result), max_size=len(result) - 1)) if len(result) > 1 else set()
    return Case(table, levels, frozenset(suppressed))


def column(case: Case, place: int, row: Row) -> str | None:
    return case.labels(row)[place]


def share_of_leaves(case: Case, place: int, row: Row) -> float:
    """Leaves under the label of a row, scaled to 0 for one leaf and 1 for all; a missing value is one of its own below the root."""
    label, paths, level = column(case, place, row), case.table.paths[place], case.levels[place]
    if level == case.table.heights[place]:
        return 1.0
    covered = sum(path[level] == label for path in paths)
    return 0.0 if covered <= 1 else (covered / len(paths) - 1 / len(paths)) / (1 - 1 / len(paths))


def loss(case: Case) -> float:
    charged = len(case.people) - len(case.kept)
    means = [
        (sum(share_of_leaves(case, place, row) for row in case.kept) + charged) / len(case.people)
        for place in range(len(case.levels))
    ]
    return prod(mean + 1 for mean in means) ** (1 / len(means)) - 1


def precision(case: Case) -> float:
    """Over all cells of the table: the share of its hierarchy that a cell was raised, all of it for a suppressed row."""
    heights = case.table.heights
    cells = [
        level / height if case.labels(row) not in case.suppressed else 1.0
        for row in case.people
        for level, height in zip(case.levels, heights, strict=True)
    ]
    return sum(cells) / len(cells)


def discernibility(case: Case) -> float:
    """Over all rows: those it cannot be told from; a suppressed row cannot be told from any."""
    sizes = Counter(map(case.labels, case.kept))
    return sum(sizes[case.labels(row)] if case.labels(row) not in case.suppressed else len(case.people) for row in case.people)


def class_size(case: Case) -> float:
    return len(case.kept) / len(set(map(case.labels, case.kept)))


def nonuniform_entropy(case: Case) -> float:
    """Bits to guess each kept cell from its label, over the bits from nothing; a suppressed row has lost all of its own."""
    lost = most = 0.0
    for place in range(len(case.levels)):
        values = Counter(row.leaves[place] for row in case.kept)
        labels = Counter(column(case, place, row) for row in case.kept)
        for row in case.kept:
            lost -= log2(values[row.leaves[place]] / labels[column(case, place, row)])
            most -= log2(values[row.leaves[place]] / len(case.kept))
    stays = len(case.kept) / len(case.people)
    return (lost / most if most else 0.0) * stays + 1 - stays


PLAIN = {
    "loss": loss,
    "precision": precision,
    "discernibility": discernibility,
    "class-size": class_size,
    "nonuniform-entropy": nonuniform_entropy,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", INFORMATION)
@given(cases())
def test_an_information_loss_is_that_of_a_plain_pass_over_the_rows(name: str, case: Case) -> None:
    assert INFORMATION[name](case.recoded()) == pytest.approx(PLAIN[name](case), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["loss", "precision", "nonuniform-entropy"])
@settings(max_examples=30)
@given(cases())
def test_a_share_of_information_lies_between_0_and_1(name: str, case: Case) -> None:
    assert -1e-15 <= INFORMATION[name](case.recoded()) <= 1 + 1e-12


@settings(max_examples=50)
@given(cases(), st.data())
def test_raising_a_level_costs_no_less(case: Case, data: st.DataObject) -> None:
    higher = Case(case.table, data.draw(levels_of(case.table, case.levels)), frozenset())
    lower = replace(case, suppressed=frozenset())
    for name in INFORMATION:
        assert INFORMATION[name](higher.recoded()) >= INFORMATION[name](lower.recoded()) - 1e-12


SMALL = Drawn(
    paths=((("17", "young", "*"), ("25", "young", "*"), ("60", "old", "*")), (("f", "*"), ("m", "*"))),
    rows=(Row((0, 0), 0, 1, 2), Row((1, 0), 0, 1, 1), Row((2, 1), 1, 1, 4), Row((None, 1), 1, 1, 1)),
    owned=False,
)


def test_the_table_as_it_is_has_lost_nothing() -> None:
    recoded = Case(SMALL, (0, 0), frozenset()).recoded()
    assert [INFORMATION[name](recoded) for name in ("loss", "precision", "nonuniform-entropy")] == [0, 0, 0]
    assert INFORMATION["discernibility"](recoded) == 2**2 + 1 + 4**2 + 1
    assert INFORMATION["class-size"](recoded) == 8 / 4


def test_the_table_with_everything_withheld_has_lost_everything() -> None:
    recoded = Case(SMALL, (2, 1), frozenset()).recoded()
    assert [INFORMATION[name](recoded) for name in ("loss", "precision", "nonuniform-entropy")] == [1, 1, 1]
    assert (INFORMATION["discernibility"](recoded), INFORMATION["class-size"](recoded)) == (64, 8)


def test_over_the_attributes_the_loss_is_the_geometric_mean_that_arx_takes() -> None:
    """Age at level 1: (2/3 - 1/3) / (1 - 1/3) = 1/2 for three young, 0 for four old and one missing: 3/16. Sex withheld: 1."""
    by_attribute = (3 * 1 / 2 / 8, 1.0)
    right = ((by_attribute[0] + 1) * (by_attribute[1] + 1)) ** (1 / 2) - 1
    assert INFORMATION["loss"](Case(SMALL, (1, 1), frozenset()).recoded()) == pytest.approx(right, abs=1e-15)
    assert right == pytest.approx((19 / 16 * 2) ** 0.5 - 1, abs=1e-15)


def test_a_suppressed_person_counts_one_in_every_attribute() -> None:
    """The one with a missing age is suppressed: per attribute (1.5 + 1) / 8 and (0 + 1) / 8."""
    case = Case(SMALL, (1, 0), frozenset({(None, "m")}))
    right = ((2.5 / 8 + 1) * (1 / 8 + 1)) ** (1 / 2) - 1
    assert INFORMATION["loss"](case.recoded()) == pytest.approx(right, abs=1e-15)
    assert INFORMATION["precision"](case.recoded()) == pytest.approx((7 * 1 / 4 + 1) / 8, abs=1e-15)
    assert INFORMATION["discernibility"](case.recoded()) == 3 * 3 + 4 * 4 + 8


@pytest.mark.parametrize("name", ["loss", "precision", "nonuniform-entropy"])
def test_with_everybody_suppressed_everything_is_lost(name: str) -> None:
    nobody = SMALL.count().keep(np.zeros(4, bool))
    assert INFORMATION[name](Recoded(nobody, nobody, 8)) == 1


def test_what_was_counted_above_the_leaves_is_refused_unless_they_are_known() -> None:
    """How many leaves a label covers, and how often each occurs: where it is not known, any number would be wrong."""
    leaves = SMALL.count()
    counts = leaves.roll_up(SMALL.node((1, 0)))
    floor = counts.hierarchies[0].above(1)
    above = replace(counts, hierarchies=(floor, counts.hierarchies[1]))
    assert INFORMATION["loss"](Recoded(above, above)) == pytest.approx(INFORMATION["loss"](Recoded(counts, leaves)), abs=1e-15)
    with pytest.raises(SfumatoError, match="nonuniform-entropy needs a count at level 0"):
        INFORMATION["nonuniform-entropy"](Recoded(above, above))
    unknown = replace(counts, hierarchies=(replace(floor, leaves=None), counts.hierarchies[1]))
    with pytest.raises(SfumatoError, match="information losses need a count at level 0"):
        INFORMATION["loss"](Recoded(unknown, unknown))


def test_discernibility_of_many_people_is_exact() -> None:
    """3,000,000,019 squared is beyond 53 bits: the sum is made of whole numbers and rounded once."""
    people = 3_000_000_019
    table = Drawn(((("a", "*"), ("b", "*")),), (Row((0,), 0, 1, people), Row((1,), 0, 1, 5)), owned=False)
    counts = table.count()
    assert INFORMATION["discernibility"](Recoded(counts, counts)) == float(people**2 + 25)
