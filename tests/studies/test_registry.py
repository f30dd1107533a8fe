"""Every table and figure that is to be reproduced exists, under the name of every place where it is shown."""

from __future__ import annotations

import pytest

from sfumato.errors import UsageError
from sfumato_studies.registry import EXHIBITS, chosen, names

FIGURES = [
    *(f"leakage-fig-{number}" for number in (1, 2, 3, 4)),
    *(f"thesis-fig-3.{number}" for number in (1, 2, 3, 4, 5, 6)),
    *(f"thesis-fig-4.{number}" for number in (3, 4, 5, 6, 9, 10, 11, 12, 13)),
    *(f"negotiation-fig-{number}" for number in (4, 5, 6)),
    *(f"thesis-fig-5.{number}" for number in (4, 5, 6)),
    *(f"channel-{place}" for place in ("appendix-a", "4.1.1", "4.2", "5.5")),
]
WORKED = [
    *(f"leakage-example-{number}" for number in (1, 2, 3, 4)),
    *(f"leakage-table-{number}" for number in (1, 2, 3, 4)),
    *(f"thesis-example-{number}" for number in range(1, 13)),
    *(f"thesis-table-2.{number}" for number in (1, 2, 3, 4, 5)),
    *(f"thesis-table-3.{number}" for number in (1, 2, 3, 4, 5, 6)),
    *(f"thesis-table-4.{number}" for number in (1, 2)),
    *(f"thesis-table-5.{number}" for number in (1, 2, 3, 4, 5, 6)),
    "negotiation-example-1",
    "negotiation-table-1",
    "negotiation-table-2",
    "thesis-2.5",
    "lecture-entropy",
    "lecture-kl",
    "lecture-emd",
    "lecture-two-diverse",
    "channel-4.1",
    "channel-5.3",
]
# Shown in two publications.
SAME = [
    ("leakage-fig-1", "thesis-fig-3.1"),
    ("leakage-fig-2", "thesis-fig-3.4"),
    ("leakage-fig-3", "thesis-fig-3.5"),
    ("leakage-fig-4", "thesis-fig-3.6"),
    ("negotiation-fig-3", "thesis-fig-4.9"),
    ("negotiation-fig-4", "thesis-fig-4.11"),
    ("negotiation-fig-5", "thesis-fig-4.12"),
    ("negotiation-fig-6", "thesis-fig-4.13"),
]


@pytest.mark.parametrize("name", [*FIGURES, *WORKED])
def test_everything_that_is_to_be_reproduced_is_there(name: str) -> None:
    (entry,) = chosen([name])
    assert entry.known_as(name)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_two_publications_show_is_one_exhibit_that_names_both(one: str, other: str) -> None:
    (first,), (second,) = chosen([one]), chosen([other])
    assert first is second
    assert chosen([one, other]) == (first,)
    for paper in {one.partition("-")[0], other.partition("-")[0]}:
        assert paper in first.source


def test_no_name_is_given_twice() -> None:
    assert len(set(names())) == len(names())


def test_names_are_those_of_files() -> None:
    assert all(name == name.lower() and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.") for name in names())


def test_nothing_named_means_everything_and_order_is_kept() -> None:
    assert chosen() == EXHIBITS
    assert [entry.name for entry in chosen(["leakage-fig-1", "thesis-2.5"])] == ["thesis-2.5", "leakage-fig-1"]


def test_an_unknown_name_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"no exhibit 'leakage-fig-9'.*did you mean 'leakage-fig-\d'") as error:
        chosen(["leakage-fig-2", "leakage-fig-9"])
    assert error.value.where == "only"
    assert "thesis-fig-4.13" in error.value.message
