"""Whoever reads a release again finds the numbers that it was certified with: the same classes under the same numbers, the same types."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import OutputError
from sfumato.release.reading import read_release
from sfumato.table.source import Source
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute


def publish(frame: pd.DataFrame, schema: sf.Schema, output: Path, models: Any, node: Any, suppress: Any = ()) -> sf.Release:
    """A release with its models; nobody counts the suppressed."""
    with sf.Table.open(frame, schema) as table:
        policy = sf.Policy.at_node(table, node, suppress=suppress)
        policy = replace(policy, question=sf.Question(models=models), limit=len(frame))
        return sf.publish(table, policy=policy, output=output, force=True)


def same_verdicts(release: sf.Release, schema: sf.Schema, **more: Any) -> None:
    """`check` of the file says what was certified: values, witnesses and sizes."""
    models = [verdict.model for verdict in release.verdicts]
    checked = sf.check(release.path, schema, models=models, **more)
    assert [(v.model, v.witness, v.witness_size, v.satisfied) for v in checked.verdicts] == [
        (v.model, v.witness, v.witness_size, v.satisfied) for v in release.verdicts
    ]
    assert [v.value for v in checked.verdicts] == pytest.approx([v.value for v in release.verdicts], abs=1e-12)


BANDS = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5], lower = 0, upper = 20 }
[attributes.s]
role = "sensitive"
values = ["well", "ill", "gone"]
[attributes.who]
role = "owner"
"""


def test_a_genuine_release_with_owners_is_verified(tmp_path: Path) -> None:
    """`[5, 10)` comes before `[10, 15)`, though not by their letters, and `well` before `ill` because the schema says so."""
    ages = [1, 1, 6, 6, 6, 6, 11, 11, 16, 16, 16]
    values = ["well", "ill", "well", "gone", "gone", "ill", "ill", "ill", "well", "ill", "gone"]
    frame = pd.DataFrame({"age": ages, "s": values, "who": [1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9]})
    schema = sf.Schema.parse(BANDS)
    for name in ("out.csv", "out.parquet"):
        release = publish(frame, schema, tmp_path / name, ["k-anonymity:2", "probabilistic-diversity:1"], [1])
        assert release.certificate.owners["people_per_class"] == [2, 3, 2, 2]  # type: ignore[index]
        assert sf.verify(tmp_path / name).classes == 4
        same_verdicts(release, schema)
        again = sf.check(tmp_path / name, schema, models="k-anonymity:3 for age=[10, 15)").verdicts[0]
        assert (again.value, again.witness) == (2, 3)
        (tmp_path / name).unlink()
        (tmp_path / f"{name}.certificate.json").unlink()


def test_a_genuine_release_of_listed_words_with_owners_is_verified(tmp_path: Path) -> None:
    """`low` comes first because the schema says so; by their letters, `high` did, and its people were those of `low`."""
    schema = sf.Schema.parse(LISTED.replace('[table]\nsuppressed = "star"\n', "") + '[attributes.who]\nrole = "owner"\n')
    grades = ["low"] * 5 + ["middle"] * 4 + ["high"] * 2
    frame = pd.DataFrame({"grade": grades, "s": (["y", "x"] * 6)[:11], "who": range(11)})
    release = sf.publish(frame, schema, node=[0], output=tmp_path / "out.csv")
    assert release.certificate.owners["people_per_class"] == [5, 4, 2]  # type: ignore[index]
    assert sf.verify(tmp_path / "out.csv").classes == 3
    assert sf.check(tmp_path / "out.csv", schema, models="k-anonymity:2 for grade=high").verdicts[0].witness == 3


def test_people_belong_to_the_class_they_were_counted_in_whatever_the_order_of_columns(tmp_path: Path) -> None:
    """One person of 30, with six rows; `k-anonymity:5 for age=30` was satisfied by the six people of another class."""
    rows = [("b", 30, "x", 1)] * 6 + [("a", 40, "x", 10 + i) for i in range(6)]
    frame = pd.DataFrame(rows, columns=["zip", "age", "s", "who"])
    schema = sf.Schema.parse(
        '[attributes.age]\nrole="quasi"\ntype="integer"\n[attributes.zip]\nrole="quasi"\n'
        '[attributes.s]\nrole="sensitive"\n[attributes.who]\nrole="owner"\n'
    )
    sf.publish(frame, schema, node=[0, 0], output=tmp_path / "out.csv")
    verdict = sf.check(tmp_path / "out.csv", schema, models="k-anonymity:5 for age=30").verdicts[0]
    assert (verdict.value, verdict.witness, verdict.satisfied) == (1, 1, False)
    assert sf.verify(tmp_path / "out.csv").classes == 2


LISTED = """
[table]
suppressed = "star"
[attributes.grade]
role = "quasi"
values = ["low", "middle", "high", "top"]
[attributes.s]
role = "sensitive"
"""


def test_starred_releases_number_their_classes_by_the_hierarchy(tmp_path: Path) -> None:
    sizes = {"low": 5, "middle": 4, "high": 3, "top": 1}
    frame = pd.DataFrame({"grade": [g for g, n in sizes.items() for _ in range(n)], "s": (["x", "y"] * 7)[:13]})
    schema = sf.Schema.parse(LISTED)
    release = publish(frame, schema, tmp_path / "out.csv", ["k-anonymity:3", "distinct-diversity:2"], [0], suppress=[4])
    assert [(v.value, v.witness) for v in release.verdicts] == [(3, 3), (2, 1)]
    same_verdicts(release, schema)
    same_verdicts(release, schema, original=frame)
    sf.verify(tmp_path / "out.csv")


def test_numbers_without_a_declared_type_are_numbers_again_when_read_from_csv(tmp_path: Path) -> None:
    """Read as text, `10` came before `2`, and the ordered distance became the equal one."""
    pay = [2, 10, 9, 100, 2, 10, 9, 100, 11, 10]
    frame = pd.DataFrame({"q": [20] * 5 + [100] * 5, "pay": pay})
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.pay]\nrole="sensitive"\n')
    models = ["t-closeness:1", "t-closeness:1,ordered", "k-anonymity:5", "ke-anonymity:2,1"]
    release = publish(frame, schema, tmp_path / "out.csv", models, [0])
    # by hand: the values 2, 9, 10, 11, 100; prior (2, 2, 3, 1, 2)/10; class 20: (2, 1, 1, 0, 1)/5
    gaps = np.cumsum(np.array([2, 1, 1, 0, 1]) / 5 - np.array([2, 2, 3, 1, 2]) / 10)[:-1]
    assert release.verdicts[0].value == pytest.approx(np.abs(gaps).sum() / 4)
    same_verdicts(release, schema)


def test_every_class_keeps_its_number_in_every_kind_of_file(tmp_path: Path) -> None:
    """Labels whose own order is not that of the hierarchy: prefixes of whole numbers, listed words, bands, dates."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "word": rng.choice(["zero", "one", "two", "three"], 300),
            "s": rng.choice(list("xyz"), 300),
            "code": rng.choice([7, 70, 9, 10, 100, 123], 300),
            "day": rng.choice(["2024-12-31", "2025-01-01", "2025-03-04"], 300),
            "age": rng.integers(0, 100, 300),
        }
    )
    schema = sf.Schema.parse(
        """
        [attributes.day]
        role = "quasi"
        type = "date"
        hierarchy = { builder = "dates" }
        [attributes.code]
        role = "quasi"
        type = "integer"
        hierarchy = { builder = "prefix", keep = [1] }
        [attributes.age]
        role = "quasi"
        type = "integer"
        hierarchy = { builder = "intervals", widths = [5, 50], lower = 0, upper = 100 }
        [attributes.word]
        role = "quasi"
        values = ["zero", "one", "two", "three"]
        [attributes.s]
        role = "sensitive"
        """
    )
    for suffix in (".csv", ".parquet"):
        for levels in ([0, 0, 3, 0], [1, 1, 2, 0], [2, 1, 1, 1], [5, 2, 0, 1]):
            with sf.Table.open(frame, schema) as table:
                release = sf.publish(table, node=levels, output=tmp_path / f"{suffix[1:]}{suffix}", force=True)
                counts = table.count().roll_up(table.node(levels))
            again = read_release(Source(tmp_path / f"{suffix[1:]}{suffix}"), schema)
            assert [again.counts.labels(n + 1) for n in range(counts.classes)] == [
                counts.labels(n + 1) for n in range(counts.classes)
            ]
            assert again.counts.people.tolist() == counts.people.tolist() == release.reading.counts.people.tolist()
            sf.verify(tmp_path / f"{suffix[1:]}{suffix}")


def test_lengths_of_time_are_published(tmp_path: Path) -> None:
    """A Parquet file would keep their milliseconds only, and nothing below zero; they are written as text."""
    frame = pd.DataFrame({"age": [30] * 3, "stay": pd.to_timedelta([90_061_000_001, -5, 3], unit="us")})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.stay]\nrole="plain"\n')
    for output in (tmp_path / "a.parquet", tmp_path / "b.csv", None):
        stays = sf.publish(frame, schema, node=[0], output=output).to_arrow()["stay"].to_pylist()
        assert sorted(map(str, stays)) == ["-00:00:00.000005", "00:00:00.000003", "25:01:01.000001"]


def test_a_long_note_in_the_first_row_is_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["30"] * 2, "note": ["z" * 200_000, "short"]})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.note]\nrole="plain"\n')
    sf.publish(frame, schema, node=[0], output=tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv").rows == 2


@pytest.mark.parametrize("name", ["a\rb", "a\nb", "\ufeffa"])
def test_a_name_that_a_header_does_not_keep_is_refused_for_csv(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({name: ["x"] * 2, "age": ["30"] * 2})
    schema = sf.Schema((Attribute(name, Role.PLAIN), Attribute("age", Role.QUASI)))
    with pytest.raises(OutputError, match="rename the column, or write Parquet"):
        sf.publish(frame, schema, node=[0], output=tmp_path / "out.csv")
    sf.publish(frame, schema, node=[0], output=tmp_path / "out.parquet")


def test_values_that_only_the_suppressed_have_keep_their_place_in_the_hierarchy(tmp_path: Path) -> None:
    """They hung on a branch of their own: 0.0523 certified, 0.0698 checked. Now the owner's check gives the certified number."""
    tree = '[attributes.s.hierarchy.tree]\nairways = ["flu", "cold"]\nother = ["gout", "rash"]\n'
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n' + tree)
    values = ["flu"] * 15 + ["cold"] * 5 + ["gout"] * 12 + ["cold"] * 8 + ["rash"]
    frame = pd.DataFrame({"q": ["a"] * 20 + ["b"] * 20 + ["c"], "s": values})
    release = publish(frame, schema, tmp_path / "out.csv", ["t-closeness:0.5", "k-anonymity:5"], [0], suppress=[3])
    # by hand: class b (0, 8, 12, 0)/20 against (15, 13, 12, 1)/41 over flu, cold, gout, rash: half the moves within a branch
    extra = np.array([0, 8, 12, 0]) / 20 - np.array([15, 13, 12, 1]) / 41
    within = sum(0.5 * min(pair[pair > 0].sum(), -pair[pair < 0].sum()) for pair in (extra[:2], extra[2:]))
    across = abs(extra[:2].sum())
    values_of = [within + across]
    extra = np.array([15, 5, 0, 0]) / 20 - np.array([15, 13, 12, 1]) / 41
    within = sum(0.5 * min(pair[pair > 0].sum(), -pair[pair < 0].sum()) for pair in (extra[:2], extra[2:]))
    values_of.append(within + abs(extra[:2].sum()))
    assert release.verdicts[0].value == pytest.approx(max(values_of))
    same_verdicts(release, schema, original=frame)
    assert release.certificate.prior.of == "withheld"
