"""Schemas: every key that a file may hold, and what a schema answers."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from sfumato.errors import SchemaError, UsageError
from sfumato.vocabulary.builders import Addresses, Builder, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema, Suppressed


def test_a_table_may_say_what_means_missing_and_how_to_suppress() -> None:
    schema = Schema.parse('[table]\nmissing = ["", "?"]\nsuppressed = "star"\n[attributes.a]\nrole = "plain"')
    assert (schema.missing, schema.suppressed) == (("", "?"), Suppressed.STAR)


def test_an_empty_text_means_missing_and_suppressed_records_are_dropped_unless_said_otherwise() -> None:
    schema = Schema.parse('[attributes.a]\nrole = "plain"')
    assert (schema.missing, schema.suppressed) == (("",), Suppressed.DROP)
    assert schema.attributes == (Attribute("a", Role.PLAIN, None, Suppression()),)


@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("identifier", Role.IDENTIFIER),
        ("identifying", Role.IDENTIFIER),
        ("quasi", Role.QUASI),
        ("quasi-identifying", Role.QUASI),
        ("quasi-identifier", Role.QUASI),
        ("sensitive", Role.SENSITIVE),
        ("plain", Role.PLAIN),
        ("insensitive", Role.PLAIN),
        ("owner", Role.OWNER),
    ],
)
def test_roles_have_our_words_and_those_of_arx(word: str, role: Role) -> None:
    assert Schema.parse(f'[attributes.a]\nrole = "{word}"')["a"].role is role


@pytest.mark.parametrize("kind", list(Kind))
def test_every_type_can_be_declared(kind: Kind) -> None:
    assert Schema.parse(f'[attributes.a]\nrole = "quasi"\ntype = "{kind.value}"')["a"].kind is kind


@pytest.mark.parametrize(
    ("text", "builder"),
    [
        ('builder = "intervals", widths = [5, 10]', Intervals((Decimal(5), Decimal(10)))),
        (
            'builder = "intervals", widths = [0.5], lower = -1, upper = 2.5',
            Intervals((Decimal("0.5"),), Decimal(-1), Decimal("2.5")),
        ),
        ('builder = "tree", tree = { A = ["x", "y"], B = ["z"] }', Listed((("x", "A"), ("y", "A"), ("z", "B")))),
        ('tree = { A = ["x"] }', Listed((("x", "A"),))),
        ("tree = { low = [1, 2], high = [3] }", Listed((("1", "low"), ("2", "low"), ("3", "high")))),
        ("tree = { low = [0.5, 1.25] }", Listed((("0.5", "low"), ("1.25", "low")))),
        ('builder = "paths", paths = [["x", "A"], ["y", "A"]]', Listed((("x", "A"), ("y", "A")))),
        ('builder = "groups", values = ["x", "y", "z"], sizes = [2]', Listed((("x", "x .. y"), ("y", "x .. y"), ("z", "z")))),
        ('builder = "prefix", keep = [4, 2]', Prefix((4, 2))),
        ('builder = "dates"', Dates()),
        ('builder = "dates", units = ["month", "year"]', Dates(("month", "year"))),
        ('builder = "addresses"', Addresses()),
        ('builder = "addresses", v4 = [16], v6 = [32]', Addresses((16,), (32,))),
        ('builder = "suppression"', Suppression()),
    ],
)
def test_every_builder_and_each_of_its_keys_is_read(text: str, builder: Builder) -> None:
    schema = Schema.parse(f'[attributes.a]\nrole = "quasi"\nhierarchy = {{ {text} }}')
    assert schema["a"].builder == builder


def test_values_are_leaves_below_the_root() -> None:
    schema = Schema.parse('[attributes.a]\nrole = "sensitive"\nvalues = ["flu", "cold"]')
    assert schema["a"].builder == Listed((("flu",), ("cold",)))
    assert schema["a"].height() == 1


def test_hierarchy_files_are_found_beside_the_schema(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "work.csv").write_text("a;Gov;*\nb;Other;*\n")
    (tmp_path / "s.toml").write_text('[attributes.work]\nrole = "quasi"\nhierarchy = { file = "h/work.csv" }\n')
    expected = Listed((("a", "Gov", "*"), ("b", "Other", "*")))
    assert Schema.read(tmp_path / "s.toml")["work"].builder == expected
    assert Schema.read(str(tmp_path / "s.toml"))["work"].builder == expected
    text = '[attributes.work]\nrole = "quasi"\nhierarchy = { builder = "file", file = "work.csv" }'
    assert Schema.parse(text, folder=tmp_path / "h")["work"].builder == expected


ROLES = Schema.parse(
    """
    [attributes.name]
    role = "identifier"
    [attributes.age]
    role = "quasi"
    [attributes.sex]
    role = "quasi"
    [attributes.disease]
    role = "sensitive"
    [attributes.person]
    role = "owner"
    """
)


def test_attributes_are_found_by_role_in_the_order_of_the_file() -> None:
    assert ROLES.quasi == ("age", "sex")
    assert ROLES.sensitive == ("disease",)
    assert ROLES.owner == "person"
    assert ROLES.names(Role.PLAIN) == ()
    assert Schema.parse('[attributes.a]\nrole = "quasi"').owner is None


def test_an_unknown_attribute_is_answered_with_the_nearest() -> None:
    with pytest.raises(SchemaError) as caught:
        ROLES["ages"]
    assert str(caught.value) == ("no attribute 'ages' in the schema; did you mean 'age'? (have: name, age, sex, disease, person)")


def test_chosen_qids_stand_in_schema_order() -> None:
    assert ROLES.choose_quasi() == ("age", "sex")
    assert ROLES.choose_quasi(["sex", "age"]) == ("age", "sex")
    assert ROLES.choose_quasi(["sex"]) == ("sex",)


def test_only_qids_can_be_chosen() -> None:
    with pytest.raises(UsageError) as caught:
        ROLES.choose_quasi(["age", "disease"])
    assert str(caught.value) == "quasi: 'disease' is declared sensitive, not quasi; choose among age, sex"
    with pytest.raises(SchemaError, match="did you mean 'sex'"):
        ROLES.choose_quasi(["sx"])


@pytest.mark.parametrize(("schema", "names"), [(Schema.parse('[attributes.a]\nrole = "plain"'), None), (ROLES, [])])
def test_a_schema_without_qids_publishes_nothing(schema: Schema, names: list[str] | None) -> None:
    with pytest.raises(SchemaError) as caught:
        schema.choose_quasi(names)
    assert str(caught.value) == "the schema: no quasi-identifier: give at least one attribute the role 'quasi'"


def test_types_of_the_source_stand_where_none_was_declared() -> None:
    schema = Schema.parse('[attributes.a]\nrole = "quasi"\n[attributes.b]\nrole = "plain"\ntype = "text"')
    typed = schema.with_kinds({"a": Kind.INTEGER, "b": Kind.DATE})
    assert [attribute.kind for attribute in typed.attributes] == [Kind.INTEGER, Kind.TEXT]
    assert schema["a"].kind is None


def test_a_builder_that_does_not_fit_the_type_of_the_source_is_refused() -> None:
    schema = Schema.parse('[attributes.a]\nrole = "quasi"\nhierarchy = { builder = "dates" }')
    with pytest.raises(SchemaError) as caught:
        schema.with_kinds({"a": Kind.TEXT})
    assert str(caught.value) == "attribute 'a': builder 'dates' needs type date, timestamp; the attribute is text"


def test_a_moment_has_one_level_more_than_a_date() -> None:
    schema = Schema.parse('[attributes.a]\nrole = "quasi"\nhierarchy = { builder = "dates" }')
    assert schema.with_kinds({"a": Kind.DATE})["a"].height() == 5
    assert schema.with_kinds({"a": Kind.TIMESTAMP})["a"].height() == 6
