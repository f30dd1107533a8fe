"""The prior: what everybody may know before a release, as counts and as shares."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from sfumato.beliefs import Prior
from tests.strategies import DISEASES, Drawn, Levels, Row, disease, tables_with_levels


@given(tables_with_levels())
def test_the_prior_is_the_distribution_of_the_whole_table_at_every_node(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    if table.owned:
        plain = Counter(value for value, _ in {(disease(row), row.owner) for row in table.rows})
    else:
        plain = Counter(disease(row) for row in table.rows for _ in range(row.times))
    prior = Prior.of(table.count().roll_up(table.node(levels)), "disease")
    assert dict(zip(prior.values, prior.people.tolist(), strict=True)) == dict(plain)
    assert list(prior.values) == [value for value in (*DISEASES, None) if value in plain]
    assert prior.shares.sum() == pytest.approx(1)
    assert prior.shares.tolist() == [plain[value] / plain.total() for value in prior.values]


SMALL = Drawn(
    ((("a", "*"), ("b", "*")),),
    (Row((0,), 2, 1, 3), Row((1,), 2, 1, 1), Row((1,), None, 2, 1)),
    owned=False,
)


def test_a_value_that_does_not_occur_is_no_part_of_the_prior() -> None:
    prior = Prior.of(SMALL.count(), "disease")
    assert (prior.attribute, prior.values, prior.people.tolist()) == ("disease", ("gout", None), [4, 1])
    assert prior.shares.tolist() == [0.8, 0.2]


def test_a_prior_over_owners_counts_each_person_once_per_value() -> None:
    owned = Drawn(SMALL.paths, SMALL.rows, owned=True)
    assert Prior.of(owned.count(), "disease").people.tolist() == [1, 1]


def test_a_prior_without_people_has_no_shares() -> None:
    nobody = SMALL.count().keep(np.array([False, False]))
    assert Prior.of(nobody, "disease").shares.tolist() == []


def test_the_counts_of_a_prior_are_read_only() -> None:
    assert not Prior.of(SMALL.count(), "disease").people.flags.writeable


def test_an_attribute_that_was_not_counted_has_no_prior() -> None:
    with pytest.raises(KeyError):
        Prior.of(SMALL.count(), "salary")
