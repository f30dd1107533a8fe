"""Tables in which people have several rows, as hospitals have: releases of one table are judged together, people counted once."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import DataSayNo, TogetherWarning

Run = Callable[..., Any]

SCHEMA = """
[attributes.patient]
role = "owner"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [10, 20, 40], lower = 0, upper = 80 }

[attributes.ward]
role = "quasi"

[attributes.finding]
role = "sensitive"
"""
WARDS = "ABCD"


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str, str]]:
    """Two hundred visits of sixty patients, and a second table with other visits of some of them."""
    monkeypatch.chdir(tmp_path)
    Path("visits.toml").write_text(SCHEMA, encoding="utf-8")
    draw = random.Random(3)
    rows = [(f"p{draw.randrange(60)}", draw.randrange(80), draw.choice(WARDS), draw.choice("xyz")) for _ in range(220)]
    for name, some in (("visits.csv", rows[:200]), ("later.csv", rows[20:])):
        lines = ["patient,age,ward,finding", *(",".join(map(str, row)) for row in some)]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return rows[:200]


def harmed(rows: list[tuple[str, int, str, str]], k: int, *nodes: tuple[int, int]) -> tuple[int, int]:
    """The fewest patients who share all classes, and how many patients are in a group of fewer than k."""
    width = {0: 1, 1: 10, 2: 20, 3: 40, 4: 80}
    groups = defaultdict(set)
    for patient, age, ward, _ in rows:
        groups[tuple((age // width[a], ward if w == 0 else "*") for a, w in nodes)].add(patient)
    return min(map(len, groups.values())), len(set().union(*(each for each in groups.values() if len(each) < k)))


def publish(node: tuple[int, int], name: str, *, k: int = 4, table: str = "visits.csv", **more: Any) -> sf.Release:
    question = sf.Question(models=[f"k-anonymity:{k}"])
    return sf.publish(table, "visits.toml", node=list(node), question=question, output=f"{name}.csv", ledger="l", **more)


def test_two_releases_of_one_table_are_refused_for_as_many_patients_as_are_too_few_together(
    visits: list[tuple[str, int, str, str]],
) -> None:
    publish((1, 1), "1")
    assert harmed(visits, 10, (4, 0))[0] >= 10
    smallest, people = harmed(visits, 10, (1, 1), (4, 0))
    assert smallest < 10
    assert people < 60 < len(visits)  # patients are counted, not visits
    with pytest.raises(
        DataSayNo, match=rf"break k-anonymity:10 for {people} people \(it is {smallest}, and must be at least 10\)"
    ):
        publish((4, 0), "2", k=10)


def test_a_release_made_again_and_a_higher_one_are_kept(visits: list[tuple[str, int, str, str]]) -> None:
    publish((2, 1), "1")
    for number, node in ((2, (2, 1)), (3, (3, 1)), (4, (4, 1))):
        made = publish(node, str(number)).together
        assert made is not None
        assert (made.models, made.not_judged) == (("k-anonymity:4",), ())
        assert len(made.releases) == number - 1


def test_what_was_asked_for_is_judged_on_several_rows_too(visits: list[tuple[str, int, str, str]], sfumato: Run) -> None:
    publish((1, 1), "1")
    smallest, _ = harmed(visits, 2, (1, 1), (4, 0))
    asked = ("publish", "visits.csv", "-s", "visits.toml", "--node", "age=4,ward=0", "-o", "2.csv", "--ledger", "l", "--together")
    kept = sfumato(*asked, f"k-anonymity:{smallest}")
    assert kept.status == 0
    refused = sfumato(*asked, f"k-anonymity:{smallest + 1}", "--force")
    assert (refused.status, f"(it is {smallest}, and" in refused.err) == (1, True)
    invariant = sfumato(*asked, "m-invariance:2", "--force")
    assert (invariant.status, "one row per person" in invariant.err) == (2, True)


def test_another_table_of_visits_cannot_be_joined_and_does_not_hide_the_releases_of_this_one(
    visits: list[tuple[str, int, str, str]],
) -> None:
    publish((1, 1), "1")
    with pytest.warns(TogetherWarning, match="rows of"):
        publish((1, 1), "2", table="later.csv")
    with pytest.warns(TogetherWarning, match=r"release 2 \(2.csv\)"):
        kept = publish((4, 1), "3").together
    assert kept is not None
    assert kept.releases == (1,)
    assert [each.release for each in kept.not_judged] == [2]
    with pytest.raises(DataSayNo, match="and this one together break k-anonymity:10"):
        publish((4, 0), "4", k=10)


def test_a_class_may_be_left_out_without_a_patient_who_is(visits: list[tuple[str, int, str, str]]) -> None:
    """The two patients of a rare ward have other visits, which are in the file."""
    rows = [*visits, ("p1", 79, "Z", "x"), ("p2", 78, "Z", "y")]
    Path("visits.csv").write_text(
        "\n".join(["patient,age,ward,finding", *(",".join(map(str, row)) for row in rows)]), encoding="utf-8"
    )
    question = sf.Question(models=["k-anonymity:4"], suppress="5%")
    for name in "12":
        made = sf.publish("visits.csv", "visits.toml", node=[4, 0], question=question, output=f"{name}.csv", ledger="l")
        suppressed = made.certificate.suppressed
        assert (suppressed["people"], suppressed["rows"], suppressed["classes"]) == (0, 2, 1)
    assert made.together is not None
    assert (made.together.releases, made.together.not_judged) == ((1,), ())
    smallest, people = harmed(rows, 4, (4, 0), (1, 1))
    assert smallest < 4 <= harmed(rows, 4, (1, 1))[0]
    with pytest.raises(DataSayNo, match=rf"break k-anonymity:4 for {people} people \(it is {smallest}, and must be at least 4\)"):
        publish((1, 1), "3")
