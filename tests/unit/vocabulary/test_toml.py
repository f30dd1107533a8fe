"""Schemas written as TOML and read again, and their digest."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema
from sfumato.vocabulary.toml import schema_text, toml_key, toml_value
from tests.strategies import schemas, texts

ODD_NAMES = [
    "",
    " ",
    "a.b",
    'say "hi"',
    "it's",
    "ключ",
    "a\\b",
    "a\tb",
    "a\nb",
    "\x7f",
    "\x00",
    "[x]",
    "#",
    "=",
    "native-country",
    "1",
    "é",
]


@given(schemas())
def test_a_schema_written_and_read_again_is_the_same(schema: Schema) -> None:
    again = Schema.parse(schema.to_toml())
    assert again == schema
    assert again.digest() == schema.digest()


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_comes_back(name: str) -> None:
    schema = Schema((Attribute(name, Role.PLAIN),))
    assert Schema.parse(schema.to_toml()) == schema


plain_values = st.recursive(
    texts | st.integers(-(2**63), 2**63 - 1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(texts, plain_values)
def test_keys_and_values_are_read_by_toml_as_written(key: str, value: Any) -> None:
    written = f"{toml_key(key)} = {toml_value(value)}"
    assert "\n" not in written
    assert tomllib.loads(written) == {key: value}


def test_a_schema_is_written_as_a_person_would_write_it() -> None:
    schema = Schema.parse(
        """
        [table]
        missing = ["", "?"]
        [attributes.age]
        role = "quasi-identifying"
        type = "integer"
        hierarchy = { builder = "intervals", widths = [5, 25], lower = 0, upper = 100 }
        [attributes."work class"]
        role = "quasi"
        hierarchy.tree = { Gov = ["a"], Other = ["b"] }
        """
    )
    assert schema_text(schema, {"age": "quasi: it tells people apart"}) == (
        "[table]\n"
        'suppressed = "drop"\n'
        'missing = ["", "?"]\n'
        "\n"
        "# quasi: it tells people apart\n"
        "[attributes.age]\n"
        'role = "quasi"\n'
        'type = "integer"\n'
        'hierarchy = { builder = "intervals", widths = [5, 25], lower = 0, upper = 100 }\n'
        "\n"
        '[attributes."work class"]\n'
        'role = "quasi"\n'
        'hierarchy = { builder = "paths", paths = [["a", "Gov"], ["b", "Other"]] }\n'
    )


ONE_WAY = """
[table]
suppressed = "drop"
[attributes.age]
role = "quasi"
hierarchy = { builder = "intervals", widths = [5, 50], lower = 0, upper = 100 }
[attributes.work]
role = "quasi"
hierarchy = { tree = { Gov = ["a", "b"] } }
[attributes.note]
role = "plain"
"""


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ('[table]\nsuppressed = "drop"\n', ""),
        ('"quasi"', '"quasi-identifying"'),
        ('"plain"', '"insensitive"'),
        ("\n", "\n\n# a comment\n"),
        ('hierarchy = { tree = { Gov = ["a", "b"] } }', '[attributes.work.hierarchy.tree]\nGov = ["a", "b"]'),
        ('{ tree = { Gov = ["a", "b"] } }', '{ builder = "paths", paths = [["a", "Gov"], ["b", "Gov"]] }'),
        ("widths = [5, 50], lower = 0, upper = 100", "upper = 100, lower = 0, widths = [5, 50]"),
        ("lower = 0, upper = 100", "lower = 0.0, upper = 1e2"),
        ("widths = [5, 50]", "widths = [5.0, 50.00]"),
        ('role = "plain"', 'role = "plain"\nhierarchy = { builder = "suppression" }'),
    ],
)
def test_the_digest_is_the_same_for_every_spelling(text: str, other: str) -> None:
    assert text in ONE_WAY
    schema, again = Schema.parse(ONE_WAY), Schema.parse(ONE_WAY.replace(text, other))
    assert again == schema
    assert again.digest() == schema.digest()


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ('"drop"', '"star"'),
        ('suppressed = "drop"', 'missing = ["?"]'),
        ("[5, 50]", "[5, 25]"),
        ('"plain"', '"sensitive"'),
        ('["a", "b"]', '["b", "a"]'),
        ("note", "notes"),
        ('role = "plain"', 'role = "plain"\ntype = "text"'),
    ],
)
def test_the_digest_tells_schemas_apart_that_say_different_things(text: str, other: str) -> None:
    assert text in ONE_WAY
    assert Schema.parse(ONE_WAY).digest() != Schema.parse(ONE_WAY.replace(text, other)).digest()


def test_the_digest_tells_the_order_of_the_attributes_which_numbers_the_levels_of_a_node() -> None:
    schema = Schema.parse(ONE_WAY)
    assert schema.digest() != replace(schema, attributes=schema.attributes[::-1]).digest()


@given(schemas(), schemas())
def test_schemas_have_one_digest_if_and_only_if_they_are_equal(one: Schema, other: Schema) -> None:
    assert (one.digest() == other.digest()) == (one == other)


def test_a_digest_is_sha_256_in_hexadecimal() -> None:
    digest = Schema.parse(ONE_WAY).digest()
    assert len(digest) == 64
    assert set(digest) <= set("0123456789abcdef")
