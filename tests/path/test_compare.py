"""Two releases side by side, and what they tell together: worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataError
from tests.conftest import Ended

SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10] }
[attributes.sex]
role = "quasi"
[attributes.disease]
role = "sensitive"
"""
# Everybody aged 20 has the flu; men and women have two diseases each. Only both columns together tell people apart.
FOUR = [(20, "f", "flu"), (20, "m", "flu"), (21, "f", "cold"), (21, "m", "gout")]


def schema() -> sf.Schema:
    return sf.Schema.parse(SCHEMA)


def frame(rows: list[tuple[int, str, str]], times: int = 1) -> pd.DataFrame:
    return pd.DataFrame(rows * times, columns=["age", "sex", "disease"])


def ages_and_sexes(times: int = 1) -> tuple[sf.Release, sf.Release]:
    data = frame(FOUR, times)
    return sf.publish(data, schema(), node=[0, 1]), sf.publish(data, schema(), node=[2, 0])


def test_two_harmless_releases_tell_everything_together() -> None:
    compared = sf.compare(*ages_and_sexes())
    together = compared.together
    assert together is not None
    assert (together.people, together.both, together.pairs, together.smallest_pair) == (4, 4, 4, 1)
    assert (together.risk.prosecutor_max, together.risk.unique) == (1.0, 1.0)
    assert compared.first.measurement.risk.prosecutor_max == compared.second.measurement.risk.prosecutor_max == 1 / 2
    certain = together.certain["disease"]
    # Aged 20: flu, alone. A woman has flu or cold, and at 21 there are cold and gout: cold. In the same way a man of 21 has gout.
    assert (certain.first, certain.second, certain.together) == (0.5, 0.0, 1.0)
    # In every pair one value is certain; the prior is (2, 1, 1) of 4. Distribution loss: half the sum of the differences.
    assert together.losses["disease"]["distribution"].max >= compared.first.measurement.attributes[0].losses["distribution"].max


def test_a_release_with_itself_tells_what_it_tells_alone() -> None:
    release, _ = ages_and_sexes(3)
    compared = sf.compare(release, release)
    together, alone = compared.together, compared.first.measurement
    assert together is not None
    assert (together.pairs, together.people, together.smallest_pair) == (
        alone.classes,
        alone.people,
        compared.first.smallest_class,
    )
    assert together.risk == alone.risk
    assert together.losses["disease"] == alone.attributes[0].losses
    certain = together.certain["disease"]
    assert certain.first == certain.second == certain.together == 0.5


def test_a_coarser_release_adds_nothing() -> None:
    data = frame(FOUR, 3)
    fine, coarse = sf.publish(data, schema(), node=[0, 1]), sf.publish(data, schema(), node=[1, 1])
    compared = sf.compare(coarse, fine)
    assert compared.together is not None
    assert compared.together.risk == compared.second.measurement.risk
    assert compared.together.losses["disease"] == compared.second.measurement.attributes[0].losses


def test_who_is_suppressed_in_one_release_is_found_by_the_other() -> None:
    """Ten people of 30 to 39 and one of 45: left out of the first, in the class of everybody in the second. Only the difference is left."""
    data = frame([(30 + i % 10, "f", "flu" if i % 2 else "cold") for i in range(10)] + [(45, "f", "gout")])
    first = sf.anonymize(data, schema(), models="k-anonymity:5", suppress="10%", minimize="loss")
    second = sf.publish(data, schema(), node=[2, 1])
    assert isinstance(first, sf.Anonymized)
    assert first.release.certificate.suppressed["people"] == 1
    together = sf.compare(first, second).together
    assert together is not None
    assert (together.people, together.both, together.pairs, together.smallest_pair) == (11, 10, 2, 1)
    assert together.risk.unique == 1 / 11


def test_people_suppressed_in_both_are_in_neither() -> None:
    data = frame([(30 + i % 10, "f", "flu" if i % 2 else "cold") for i in range(10)] + [(45, "f", "gout")])
    first = sf.anonymize(data, schema(), models="k-anonymity:5", suppress="10%", minimize="loss")
    together = sf.compare(first, first).together
    assert together is not None
    assert (together.people, together.both, together.pairs) == (10, 10, 1)


def test_releases_with_other_quasi_identifiers() -> None:
    data = frame(FOUR)
    first = sf.publish(data, schema(), quasi="age", node=[0])
    second = sf.publish(data, schema(), quasi="sex", node=[0])
    compared = sf.compare(first, second)
    assert compared.together is not None
    assert compared.together.certain["disease"].together == 1.0


def test_distributions_name_no_value_that_few_have() -> None:
    data = frame([(20, "f", "flu")] * 6 + [(20, "f", "cold")] * 3 + [(70, "m", "flu")] * 5 + [(70, "m", "gout")] * 6)
    first = sf.publish(data, schema(), node=[2, 1])
    second = sf.publish(data, schema(), node=[0, 0], suppress=[2])  # those of 70 left out
    (distribution,) = sf.compare(first, second).distributions
    shares = {value: (one, other) for value, one, other in distribution.shares}
    assert shares == {"flu": (11 / 20, 6 / 9), "gout": (6 / 20, 0.0)}
    assert distribution.others == pytest.approx((3 / 20, 3 / 9))
    assert distribution.distance == pytest.approx((abs(11 / 20 - 6 / 9) + 6 / 20 + abs(3 / 20 - 3 / 9)) / 2)
    assert "cold" not in json.dumps(sf.compare(first, second).as_dict())


def test_files_are_compared_like_the_releases_in_memory(tmp_path: Path, sfumato: Callable[..., Ended]) -> None:
    data = frame(FOUR, 5)
    data.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    first = sf.publish(data, schema(), node=[0, 1], output=tmp_path / "a.csv")
    sf.publish(data, schema(), node=[2, 0], output=tmp_path / "b.parquet")
    in_memory = sf.compare(*ages_and_sexes(5), models="k-anonymity:11")
    files = sf.compare(tmp_path / "a.csv", tmp_path / "b.parquet", schema(), original=data, models="k-anonymity:11")
    assert without_names(files.as_dict()) == without_names(in_memory.as_dict())
    assert files.first.name == "a.csv"
    mixed = sf.compare(first, tmp_path / "b.parquet", models="k-anonymity:11")
    assert without_names(mixed.as_dict()) == without_names(in_memory.as_dict())
    ended = sfumato(
        "compare", tmp_path / "a.csv", tmp_path / "b.parquet", "-s", tmp_path / "schema.toml",
        "--original", tmp_path / "data.csv", "-m", "k-anonymity:11", "--json",
    )  # fmt: skip
    assert ended.status == 0
    printed = {key: value for key, value in ended.json.items() if key != "schema_version"}
    assert without_names(printed) == json.loads(json.dumps(without_names(in_memory.as_dict())))
    shown = sfumato("compare", tmp_path / "a.csv", tmp_path / "b.parquet", "-s", tmp_path / "schema.toml")
    assert shown.status == 0
    assert "not known: what the releases tell together: give the original table" in shown.out
    assert "first: a.csv; second: b.parquet" in shown.out


def without_names(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {key: each for key, each in value.items() if key != "name"} if isinstance(value, dict) else value
        for name, value in record.items()
    }


def test_models_of_both_certificates_are_judged_on_both() -> None:
    data = frame(FOUR, 5)
    first = sf.anonymize(data, schema(), k=5)
    second = sf.anonymize(data, schema(), models="k-anonymity:20")
    compared = sf.compare(first, second, models="distinct-diversity:2")
    assert [verdict.model for verdict in compared.first.verdicts] == ["distinct-diversity:2", "k-anonymity:5", "k-anonymity:20"]
    assert compared.models().rows[2][2:] == ("no", "yes")
    assert compared.to_arrow().num_rows == len(compared.table().rows)
    assert "k-anonymity:20 (at least 20)" in str(compared)


def test_a_local_release_is_compared_without_what_both_tell_together() -> None:
    data = frame(FOUR, 5)
    local = sf.anonymize(data, schema(), k=5, algorithm="mondrian")
    compared = sf.compare(local, sf.publish(data, schema(), node=[2, 0]))
    assert compared.together is None
    assert "labels of several levels" in compared.unknown[0]
    assert compared.first.measurement.people == 20


def test_releases_of_another_table_are_refused(tmp_path: Path) -> None:
    first, second = ages_and_sexes(5)
    with pytest.raises(DataError, match="a release in memory: does not have as many rows in every class as the original"):
        sf.compare(first, second, original=frame(FOUR, 4))
    other = sf.publish(frame([(40, "f", "flu")] * 5), schema(), node=[0, 1])
    with pytest.raises(DataError, match="is it a release of it"):
        sf.compare(first, other)


def test_people_with_several_rows_count_once() -> None:
    text = SCHEMA + '[attributes.person]\nrole = "owner"\n'
    data = pd.DataFrame(
        [(20, "f", "flu", 1), (20, "f", "cold", 1), (20, "m", "flu", 2), (21, "f", "cold", 3), (21, "m", "gout", 4)],
        columns=["age", "sex", "disease", "person"],
    )
    first = sf.publish(data, sf.Schema.parse(text), node=[0, 1])
    second = sf.publish(data, sf.Schema.parse(text), node=[2, 0])
    together = sf.compare(first, second).together
    assert together is not None
    assert (together.people, together.pairs, together.smallest_pair) == (4, 4, 1)


def test_releases_under_other_schemas_are_read_each_under_its_own() -> None:
    """The same four people; the second schema has other bands and calls the sex plain. Bands of 10 and of 15 cut each other."""
    rows = [(20, "f", "flu"), (24, "f", "flu"), (28, "m", "cold"), (29, "m", "flu"), (31, "f", "cold"), (38, "m", "gout")]
    data = frame(rows)
    first = sf.publish(data, schema(), node=[1, 1])
    other = schema().with_hierarchy("age", [15], lower=0, upper=105).with_role("sex", "identifier")
    second = sf.publish(data, other, node=[1])
    together = sf.compare(first, second).together
    assert together is not None
    # By tens: 20-29 (4) and 30-39 (2). By fifteens: 15-29 (4) and 30-44 (2): the same people.
    assert (together.pairs, together.smallest_pair) == (2, 2)
    shifted = schema().with_hierarchy("age", [15], lower=10, upper=100).with_role("sex", "identifier")
    together = sf.compare(first, sf.publish(data, shifted, node=[1])).together
    assert together is not None
    # From ten: 10-24 (2), 25-39 (4). The pairs: 20-24 (2), 25-29 (2), 30-39 (2).
    assert (together.pairs, together.smallest_pair) == (3, 2)
    # 25 to 29: cold and flu in the tens, cold, flu and gout in the fifteens; of those two remain. 20 to 24: flu.
    assert together.certain["disease"].together == 2 / 6


def test_a_column_with_other_types_is_not_put_together() -> None:
    data = frame(FOUR, 2)
    texts = sf.Schema.of(data.astype(str), quasi=["age", "sex"], sensitive="disease").with_hierarchy("age", None)
    texts = sf.Schema.parse(texts.to_toml().replace('type = "integer"', 'type = "text"'))
    compared = sf.compare(sf.publish(data, schema(), node=[1, 1]), sf.publish(data, texts, node=[0, 1]))
    assert compared.together is None
    assert "other types" in compared.unknown[0]
