"""Errors: one family, each with a code for machines, a line for people, and what would have worked."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import errors
from sfumato.errors import (
    BadInput,
    DataSayNo,
    NodeError,
    NotVerified,
    SchemaError,
    SfumatoError,
    UsageError,
    argument,
    several,
    unknown,
)

FAMILY = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, SfumatoError)]


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in FAMILY]
    assert len(set(codes)) == len(codes) == 11


def test_every_error_is_drawn_in_the_family_tree() -> None:
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in FAMILY)


@pytest.mark.parametrize("kind", FAMILY)
def test_bad_input_exits_with_2_and_a_no_with_1(kind: type[SfumatoError]) -> None:
    assert kind.exit_status == (1 if issubclass(kind, DataSayNo) else 2)
    assert kind is SfumatoError or issubclass(kind, BadInput | DataSayNo)


def test_an_error_says_where_it_happened() -> None:
    error = SchemaError("no role", where="attribute 'age'")
    assert (str(error), error.message, error.where, error.code) == (
        "attribute 'age': no role",
        "no role",
        "attribute 'age'",
        "schema",
    )


def test_an_error_without_a_place_is_its_message() -> None:
    assert str(NotVerified("the digest differs")) == "the digest differs"
    assert NotVerified("the digest differs").where is None
    assert NodeError("x").args == ("x",)


@pytest.mark.parametrize(
    ("name", "have", "message"),
    [
        ("zip", ["age", "zipcode"], "no attribute 'zip' in the schema; did you mean 'zipcode'? (have: age, zipcode)"),
        ("Age", ["age", "zipcode"], "no attribute 'Age' in the schema; did you mean 'age'? (have: age, zipcode)"),
        ("qqq", ["age", "zipcode"], "no attribute 'qqq' in the schema (have: age, zipcode)"),
        ("age", [], "no attribute 'age' in the schema (have: none)"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_all_there_are(name: str, have: list[str], message: str) -> None:
    assert unknown("attribute", name, have, within="the schema") == message


def test_names_that_differ_in_case_only_are_all_listed() -> None:
    assert unknown("attribute", "zip", ["Age", "age"], within="the schema").endswith("(have: Age, age)")


def test_names_may_come_from_any_iterable() -> None:
    assert unknown("key", "b", (name for name in ["aa"]), within="x") == "no key 'b' in x (have: aa)"


@given(st.integers(0, 10**9))
def test_counts_are_told_with_their_noun(count: int) -> None:
    digits, noun = several(count, "value").split()
    assert int(digits.replace(",", "")) == count
    assert noun == ("value" if count == 1 else "values")


@given(st.text(), st.lists(st.text(), max_size=3))
def test_a_message_about_any_name_is_one_line(name: str, have: list[str]) -> None:
    assert len(unknown("attribute", name, have, within="the schema").splitlines()) == 1


def test_an_argument_is_named_as_python_and_as_the_shell_know_it() -> None:
    error = UsageError(f"exists; {argument('force', 'True')} replaces it", where=argument("population_size"))
    assert str(error) == "population_size: exists; force=True replaces it"
    assert error.in_shell() == ("exists; --force replaces it", "--population-size")
    assert UsageError("none", where=argument("models")).in_shell() == ("none", "--model")
    assert UsageError("plain").in_shell() == ("plain", None)
