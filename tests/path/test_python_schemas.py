"""Schemas made in Python: from a frame and the columns that somebody names, from a dict, and changed step by step."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataSayNo, SchemaError, UsageError
from sfumato.vocabulary.builders import Cuts, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.kinds import Kind, Role


def patients(count: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(count)],
            "age": [20 + (i * 7) % 37 for i in range(count)],
            "zip": [f"0{1000 + (i * 13) % 400}" for i in range(count)],
            "admitted": pd.to_datetime([f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(count)]),
            "sex": ["f" if i % 2 else "m" for i in range(count)],
            "salary": [1000 + 10 * i for i in range(count)],
            "disease": [["flu", "cold", "gout"][i % 3] for i in range(count)],
        }
    )


NAMED: dict[str, Any] = {"quasi": ["age", "zip", "sex"], "sensitive": "disease"}


def test_named_columns_get_their_roles_and_the_rest_is_not_published() -> None:
    schema = sf.Schema.of(patients(), **NAMED)
    assert [attribute.name for attribute in schema.attributes] == list(patients().columns)
    assert schema.quasi == ("age", "zip", "sex")
    assert schema.sensitive == ("disease",)
    assert schema.names(Role.IDENTIFIER) == ("name", "admitted", "salary")
    assert isinstance(schema["age"].builder, Cuts)
    assert isinstance(schema["zip"].builder, Prefix)
    released = sf.anonymize(patients(), schema, k=3).frame
    assert list(released.columns) == ["age", "zip", "sex", "disease"]


def test_without_quasi_identifiers_the_other_roles_are_those_that_profile_suggests() -> None:
    suggested = sf.profile(patients()).schema
    schema = sf.Schema.of(patients(), sensitive="disease", plain=["sex"])
    for attribute in suggested.attributes:
        if attribute.name not in ("disease", "sex"):
            assert schema[attribute.name] == attribute
    assert schema["sex"].role is Role.PLAIN


def test_a_column_that_profile_would_withhold_or_publish_gets_levels_if_it_is_named() -> None:
    """Its name says salary: sensitive. As a quasi-identifier it needs bands; a person's key named as one needs levels, too."""
    schema = sf.Schema.of(patients(), quasi=["salary", "admitted"], owner="name")
    assert isinstance(schema["salary"].builder, Cuts)
    assert isinstance(schema["admitted"].builder, Dates)
    assert schema.owner == "name"


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "file", "source"])
def test_a_schema_of_any_table(kind: str, tmp_path: Path) -> None:
    frame = patients()
    frame.to_csv(tmp_path / "patients.csv", index=False)
    data = {
        "pandas": frame,
        "polars": pl.DataFrame(frame),
        "lazy": pl.DataFrame(frame).lazy(),
        "arrow": pa.Table.from_pandas(frame),
        "file": tmp_path / "patients.csv",
        "source": sf.Source(frame),
    }[kind]
    schema = sf.Schema.of(data, **NAMED)
    assert (schema.quasi, schema.sensitive) == (("age", "zip", "sex"), ("disease",))
    assert schema["age"].kind is Kind.INTEGER


def test_columns_that_do_not_exist_or_have_two_roles_are_refused() -> None:
    with pytest.raises(SchemaError, match="quasi: no column 'agee' in the data; did you mean 'age'"):
        sf.Schema.of(patients(), quasi="agee")
    with pytest.raises(UsageError, match="sensitive: 'age' is named twice; a column has one role"):
        sf.Schema.of(patients(), quasi="age", sensitive="age")
    with pytest.raises(UsageError, match="no argument 'quasis'"):
        sf.Schema.of(patients(), quasis="age")


def test_five_lines_from_a_frame_to_a_release() -> None:
    frame = patients()
    result = sf.anonymize(frame, k=5, quasi=["age", "sex"], sensitive="disease")
    released = result.frame
    assert isinstance(released, pd.DataFrame)
    assert released.groupby(["age", "sex"], observed=True).size().min() >= 5
    assert released["disease"].value_counts().to_dict() == frame["disease"].value_counts().to_dict()


def test_the_five_lines_need_only_the_sensitive_attribute() -> None:
    result = sf.anonymize(patients(), k=5, sensitive="disease")
    assert isinstance(result, sf.Anonymized)
    assert result.release.schema == sf.Schema.of(patients(), sensitive="disease")
    classes = result.frame.groupby(list(result.release.certificate.quasi), observed=True, dropna=False).size()
    assert classes.min() >= 5
    assert "name" not in result.frame.columns


def test_k_adds_to_the_models() -> None:
    result = sf.anonymize(patients(), k=4, models="distinct-diversity:2", **NAMED)
    assert [verdict.model for verdict in result.verdicts] == ["k-anonymity:4", "distinct-diversity:2"]
    with pytest.raises(UsageError):
        sf.anonymize(patients(), k=0, **NAMED)
    with pytest.raises(SchemaError, match="a table needs a schema"):
        sf.anonymize(patients(), k=5)


def test_a_release_that_does_not_exist_has_no_frame() -> None:
    result = sf.anonymize(patients(4), k=5, **NAMED)
    assert isinstance(result, sf.Infeasible)
    with pytest.raises(DataSayNo, match="frame: no release satisfies the models"):
        _ = result.frame


DOCUMENT: dict[str, Any] = {
    "table": {"missing": ["", "?"]},
    "attributes": {
        "age": {
            "role": "quasi",
            "type": "integer",
            "hierarchy": {"builder": "intervals", "widths": [5, 10], "lower": 0, "upper": 100},
        },
        "weight": {"role": "quasi", "type": "decimal", "hierarchy": {"builder": "intervals", "widths": (0.5, np.float64(2.0))}},
        "disease": {"role": "sensitive"},
    },
}
TEXT = """
[table]
missing = ["", "?"]
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5, 10], lower = 0, upper = 100 }
[attributes.weight]
role = "quasi"
type = "decimal"
hierarchy = { builder = "intervals", widths = [0.5, 2.0] }
[attributes.disease]
role = "sensitive"
"""


def test_a_dict_like_the_file_is_a_schema() -> None:
    assert sf.Schema.parse(DOCUMENT) == sf.Schema.parse(TEXT)
    frame = pd.DataFrame({"age": [30, 31, 32, 33], "weight": [60.5, 61.0, 60.2, 61.4], "disease": list("abab")})
    assert sf.anonymize(frame, DOCUMENT, models="k-anonymity:2").status == "found"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"age": {"role": "quasi"}}, "a dict is written like the TOML file: {'attributes'"),
        ({"attributes": {"age": "quasi"}}, "must be a table with a role"),
        ({"attributes": {3: {"role": "quasi"}}}, "the keys of a dict are names"),
        (
            {"attributes": {"age": {"role": "quasi", "hierarchy": {"builder": "intervals", "widths": ["5"]}}}},
            "takes numbers only",
        ),
        (["age"], "a schema is a Schema, the path of a TOML file or a dict like one, not a list"),
    ],
)
def test_a_dict_that_is_no_schema_is_refused_in_one_line(schema: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        sf.anonymize(patients(), schema, models="k-anonymity:5")


def test_one_name_needs_no_list() -> None:
    schema = sf.Schema.of(patients(), **NAMED)
    with sf.Table.open(patients(), schema) as table:
        assert table.count("sex").classes == 2
        assert table.node([1], "sex").attributes == ("sex",)
    assert sf.publish(patients(), schema, quasi="sex", node=[0]).certificate.node == {"sex": 0}
    for wrong in (3, [3]):
        with pytest.raises(UsageError, match="quasi: takes names of attributes"):
            sf.anonymize(patients(), schema, quasi=wrong, k=2)


def test_hierarchies_are_changed_by_what_they_list() -> None:
    schema = sf.Schema.of(patients(), quasi=["age", "zip", "admitted", "sex"], sensitive="disease")
    changed = (
        schema.with_hierarchy("age", [5, 10, 20], lower=0, upper=100)
        .with_hierarchy("zip", [3, 1])
        .with_hierarchy("admitted", ["month", "year"])
        .with_hierarchy("sex", {"person": ["f", "m"]})
        .with_hierarchy("disease", {"builder": "groups", "values": ["cold", "flu", "gout"], "sizes": [2]})
    )
    assert changed["age"].builder == Intervals((Decimal(5), Decimal(10), Decimal(20)), lower=Decimal(0), upper=Decimal(100))
    assert changed["zip"].builder == Prefix((3, 1))
    assert changed["admitted"].builder == Dates(("month", "year"))
    assert isinstance(changed["sex"].builder, Listed)
    assert changed["disease"].builder.height(Kind.TEXT) == 2
    assert changed.with_hierarchy("age", None)["age"].builder == Suppression()
    assert changed.with_hierarchy("age", Intervals((Decimal(7),)))["age"].builder.height(Kind.INTEGER) == 2
    assert isinstance(schema["sex"].builder, Suppression)  # the first schema is as it was
    assert sf.Schema.parse(changed.to_toml()) == changed
    assert sf.anonymize(patients(), changed, k=3).status == "found"


def test_a_hierarchy_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("f;person;*\nm;person;*\n", encoding="utf-8")
    schema = sf.Schema.of(patients(), **NAMED).with_hierarchy("sex", tmp_path / "sex.csv")
    assert schema["sex"].height() == 2


@pytest.mark.parametrize(
    ("name", "levels", "message"),
    [
        ("zipcode", [3], "no attribute 'zipcode' in the schema; did you mean 'zip'"),
        ("name", [3], "attribute 'name': only quasi and sensitive attributes have a hierarchy; this one is identifier"),
        ("age", ["year"], "attribute 'age': 'widths' takes numbers only"),
        ("age", [0], "attribute 'age'"),
        ("age", [5, 10, 25], "attribute 'age': 'widths' must be positive, each a multiple of the one before, as in"),
        ("age", 5, "attribute 'age': a hierarchy of type integer is a list of levels"),
        ("age", {"builder": "prefix", "keep": [1], "lower": 3}, "attribute 'age': no key 'lower'"),
        ("sex", {"builder": "dates"}, "attribute 'sex': builder 'dates' needs type"),
    ],
)
def test_hierarchies_that_do_not_fit_are_refused(name: str, levels: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        sf.Schema.of(patients(), **NAMED).with_hierarchy(name, levels)


def test_roles_are_changed() -> None:
    schema = sf.Schema.of(patients(), **NAMED)
    changed = schema.with_role("salary", "plain").with_role(["sex", "age"], "identifying")
    assert changed["salary"].role is Role.PLAIN
    assert changed.names(Role.IDENTIFIER) == ("name", "age", "admitted", "sex")
    assert changed["age"].builder == Suppression()
    assert schema["age"].role is Role.QUASI
    with pytest.raises(UsageError, match="role: no role 'quazi' in a schema; did you mean 'quasi'"):
        schema.with_role("age", "quazi")
    with pytest.raises(SchemaError, match="one owner column at most; there are 2: name, salary"):
        schema.with_role("name", "owner").with_role("salary", "owner")


def test_a_named_quasi_identifier_has_levels_even_if_it_looks_like_a_running_number() -> None:
    frame = pd.DataFrame({"age": range(20, 60), "ill": ["flu", "gout"] * 20})
    assert sf.Schema.of(frame, sensitive="ill")["age"].role.value == "identifier"  # or the test shows nothing
    assert sf.Schema.of(frame, quasi="age", sensitive="ill")["age"].height() > 1
    release = sf.anonymize(frame, quasi="age", sensitive="ill", k=5)
    assert release.frame["age"].nunique() > 1
