"""Local recodings together with other releases. Who is in which class is compared with the maps that the owner asked for."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import DataSayNo

Run = Callable[..., Any]

SCHEMA = """
[attributes.who]
role = "{role}"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = {{ builder = "intervals", widths = [10, 20, 40], lower = 0, upper = 80 }}

[attributes.town]
role = "quasi"

[attributes.pay]
role = "quasi"
type = "integer"
hierarchy = {{ builder = "intervals", widths = [100, 500], lower = 0, upper = 2000 }}

[attributes.ill]
role = "sensitive"
"""
ILLNESSES = ("flu", "cold", "gout", "none")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three hundred people, and next year's, of whom a tenth are others. Some ages and towns are missing."""
    monkeypatch.chdir(tmp_path)
    for role in ("owner", "identifier"):
        (tmp_path / f"{role}.toml").write_text(SCHEMA.format(role=role), encoding="utf-8")
    draw = random.Random(5)
    towns = ["Aachen", "Bonn", "", "Cölbe"]
    rows = [
        (f"p{n:04}", draw.choice([*range(18, 70), ""]), draw.choice(towns), draw.randrange(2000), draw.choice(ILLNESSES))
        for n in range(330)
    ]
    for name, some in (("one", rows[:300]), ("two", rows[30:])):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("who", "age", "town", "pay", "ill"), *some])
    return tmp_path


def rows_of(table: str) -> list[dict[str, str]]:
    with Path(table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels_by_map(table: str, mapping: str, quasi: list[str]) -> dict[str, tuple[str, ...]]:
    """The labels of every person, by the map of the release."""
    labels = {tuple(line[name] for name in quasi): tuple(line[f"{name} label"] for name in quasi) for line in rows_of(mapping)}
    return {row["who"]: labels[tuple(row[name] for name in quasi)] for row in rows_of(table)}


def smallest_together(*releases: dict[str, tuple[str, ...]]) -> tuple[int, int]:
    """The fewest people who share all classes, absence included, and how many are in groups of fewer than four."""
    who = set().union(*releases)
    groups = Counter(tuple(each.get(name) for each in releases) for name in who)
    return min(groups.values()), sum(size for size in groups.values() if size < 4)


def recoded(table: str, name: str, schema: str, quasi: list[str], **more: Any) -> sf.Release:
    made = sf.anonymize(
        table, schema, models="k-anonymity:4", quasi=quasi, algorithm="mondrian", output=f"{name}.csv", mapping=f"{name}.map.csv",
        ledger="l", **more,
    )  # fmt: skip
    return made.release


@pytest.mark.parametrize("schema", ["identifier.toml", "owner.toml"])
@pytest.mark.parametrize("others", [["age", "town"], ["pay"], ["town", "pay", "age"]])
def test_two_local_recodings_of_one_table(people: Path, schema: str, others: list[str]) -> None:
    recoded("one.csv", "a", schema, ["age", "pay"])
    recoded("one.csv", "b", schema, others, together="none")
    smallest, harmed = smallest_together(
        labels_by_map("one.csv", "a.map.csv", ["age", "pay"]), labels_by_map("one.csv", "b.map.csv", others)
    )
    found = sf.sequence.audit("l", schema)
    assert [step.smallest for step in found.steps["ill"]][-1] == smallest < 4
    (broken,) = found.broken
    assert (broken.model, broken.people) == ("k-anonymity:4", harmed)


def test_local_recodings_of_two_years_with_an_owner(people: Path) -> None:
    recoded("one.csv", "a", "owner.toml", ["age", "pay"])
    recoded("two.csv", "b", "owner.toml", ["age", "town"], together="none")
    smallest, harmed = smallest_together(
        labels_by_map("one.csv", "a.map.csv", ["age", "pay"]), labels_by_map("two.csv", "b.map.csv", ["age", "town"])
    )
    found = sf.sequence.audit("l", "owner.toml")
    assert [step.smallest for step in found.steps["ill"]][-1] == smallest
    assert found.broken[0].people == harmed


def test_a_local_recoding_and_a_release_at_a_node(people: Path) -> None:
    recoded("one.csv", "a", "identifier.toml", ["age", "pay"])
    with pytest.raises(DataSayNo, match="releases 1 and this one together break k-anonymity:4") as no:
        sf.publish("one.csv", "identifier.toml", node={"town": 0}, quasi=["town"], output="b.csv", ledger="l")
    labels = labels_by_map("one.csv", "a.map.csv", ["age", "pay"])
    towns = {row["who"]: (row["town"],) for row in rows_of("one.csv")}
    assert f" for {smallest_together(labels, towns)[1]} people" in str(no.value)
    withheld = sf.publish("one.csv", "identifier.toml", node={"town": 1}, quasi=["town"], output="b.csv", ledger="l")
    assert withheld.together is not None
    assert (withheld.together.releases, withheld.together.models) == ((1,), ("k-anonymity:4",))


def test_a_local_recoding_is_refused_where_it_breaks_an_earlier_promise_and_kept_where_it_is_the_same(
    sfumato: Run, people: Path
) -> None:
    local = ("anonymize", "one.csv", "-s", "identifier.toml", "-m", "k-anonymity:4", "--algorithm", "mondrian", "--ledger", "l")
    assert sfumato(*local, "--quasi", "age,pay", "-o", "a.csv").status == 0
    refused = sfumato(*local, "--quasi", "town,pay", "-o", "b.csv")
    assert (refused.status, "break k-anonymity:4" in refused.err, (people / "b.csv").exists()) == (1, True, False)
    again = sfumato(*local, "--quasi", "age,pay", "-o", "c.csv")
    assert (again.status, "kept together with release 1: k-anonymity:4" in again.out) == (0, True)
    asked = sfumato(*local, "--quasi", "age,pay", "-o", "d.csv", "--together", "k-anonymity:4")
    assert asked.status == 0


def test_the_owners_copy_keeps_no_values_of_the_cells(people: Path) -> None:
    entry = recoded("one.csv", "a", "owner.toml", ["town", "pay"]).ledger
    assert entry is not None
    kept = json.loads(entry.read_text(encoding="utf-8"))["owner"]["cells"]
    assert set(kept) == {"quasi", "sha256", "classes", "class_of"}
    certificate = (people / "a.csv.certificate.json").read_text(encoding="utf-8")
    assert "class_of" not in certificate
    assert not any(town in json.dumps(kept) for town in ("Aachen", "Bonn", "Cölbe"))


def test_a_release_from_before_this_was_kept_is_not_followed(sfumato: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("sfumato.release.certifying._cells", lambda recoding: None)
        recoded("one.csv", "a", "identifier.toml", ["age", "pay"])
    ended = sfumato("sequence", "audit", "l", "-s", "identifier.toml")
    assert (ended.status, "does not say who is in which of its classes" in ended.err) == (2, True)
    by_town = ("publish", "one.csv", "-s", "identifier.toml", "--quasi", "town", "--node", "town=1", "-m", "k-anonymity:4")
    later = sfumato(*by_town, "-o", "b.csv", "--ledger", "l")
    assert (later.status, "release 1 (a.csv) is a local recoding" in later.err) == (0, True)
