"""What a column probably is, from its name and how its values spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.profiling.column import ColumnProfile
from sfumato.profiling.spread import Spread
from sfumato.profiling.suggest import Suggestion, suggest
from sfumato.profiling.values import Values
from sfumato.vocabulary.builders import Addresses, Cuts, Dates, Prefix, Suppression
from sfumato.vocabulary.kinds import Kind, Role, canonical


def column(name: str, values: Sequence[Any], kind: Kind = Kind.TEXT) -> ColumnProfile:
    """A column of values in rows, None for missing."""
    counts = Counter(values)
    rows = len(values)
    same = sum(n * (n - 1) for n in counts.values())
    result = [value for value in counts if value is not None]
    separation = 1 - same / (rows * (rows - 1)) if rows > 1 else 0.0
    spread = Spread()
    spread.add(pa.array(result), np.array([counts[value] for value in result], np.int64))
    return ColumnProfile(name, kind, Values.of(pa.array(result)), rows, counts[None], len(result), separation, spread=spread)


def role(name: str, values: Sequence[Any], kind: Kind = Kind.TEXT) -> Role:
    return suggest(column(name, values, kind)).attribute.role


FEW = ["a", "b", "c", "a", "b", "c"]
UNIQUE = [f"word{letter}" for letter in "abcdefghij"]


@pytest.mark.parametrize(
    "name", ["name", "last_name", "lastName", "LASTNAME", "E-Mail", "email", "SSN", "phone-number", "passport no", "iban", "URL"]
)
def test_an_identifier_is_known_by_its_name(name: str) -> None:
    assert role(name, FEW) is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["id", "record_id", "recordId", "UUID", "patient id", "row number"])
def test_a_key_is_an_identifier_where_it_is_unique(name: str) -> None:
    assert role(name, UNIQUE) is Role.IDENTIFIER
    assert role(name, list(range(100)), Kind.INTEGER) is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["patient_id", "userId", "customer key", "PersonNr", "owner_no"])
def test_a_persons_key_with_several_rows_per_person_is_an_owner(name: str) -> None:
    assert role(name, FEW) is Role.OWNER


def test_a_persons_key_with_gaps_does_not_leave_and_counts_nobody() -> None:
    assert role("patient_id", [*FEW, None]) is Role.IDENTIFIER


def test_a_key_of_something_else_with_several_rows_is_no_owner() -> None:
    assert role("ward_id", FEW) is Role.QUASI


@pytest.mark.parametrize(
    "name", ["diagnosis", "primary_diagnosis", "Salary", "incomeBracket", "religion", "HIV status", "occupation"]
)
def test_a_sensitive_attribute_is_known_by_its_name(name: str) -> None:
    assert role(name, FEW) is Role.SENSITIVE
    assert role(name, UNIQUE) is Role.SENSITIVE


@pytest.mark.parametrize("name", ["conditional", "namely", "idea", "payload", "valid"])
def test_a_word_within_a_word_says_nothing(name: str) -> None:
    assert role(name, FEW) is Role.QUASI


def test_texts_of_which_nearly_every_one_is_unique_identify() -> None:
    assert role("title", [f"word {number}" for number in range(100)]) is Role.IDENTIFIER
    assert role("title", [f"word {number % 95}" for number in range(100)]) is Role.IDENTIFIER
    assert role("title", [f"word {number % 94}" for number in range(100)]) is Role.QUASI


def test_unique_numbers_dates_and_addresses_are_quasi_identifiers() -> None:
    assert role("weight", [number / 7 for number in range(100)], Kind.DECIMAL) is Role.QUASI
    assert role("seen", [f"2024-01-{day:02d}" for day in range(1, 29)]) is Role.QUASI
    assert role("ip", [f"10.0.0.{host}" for host in range(100)]) is Role.QUASI


def test_missing_values_do_not_make_a_text_less_unique() -> None:
    assert role("title", [*UNIQUE, *[None] * 30]) is Role.IDENTIFIER


def test_a_column_with_one_value_tells_nobody_apart() -> None:
    assert role("country", ["DE"] * 9) is Role.PLAIN
    assert role("country", [None] * 9) is Role.PLAIN


def test_one_value_beside_missing_ones_tells_people_apart() -> None:
    result = suggest(column("disabled parking", ["yes", "yes", None, None, None]))
    assert result.separation == pytest.approx(0.6)
    assert result.attribute.role is Role.QUASI


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "-3", "+4", "0"], Kind.INTEGER),
        (["1.5", "2", "-.5", "1e3"], Kind.DECIMAL),
        (["2024-03-31", "1999-01-01"], Kind.DATE),
        (["2024-03-31 10:00", "2024-03-31T10:00:00Z", "2024-03-31"], Kind.TIMESTAMP),
        (["01234", "98765"], Kind.TEXT),
        (["007", "12"], Kind.TEXT),
        (["0", "1"], Kind.INTEGER),
        (["0.5", "1"], Kind.DECIMAL),
        (["1", "two"], Kind.TEXT),
        (["yes", "no"], Kind.TEXT),
        ([str(2**70), "1"], Kind.DECIMAL),
    ],
)
def test_the_type_of_texts_is_the_narrowest_that_every_value_fits(values: list[str], kind: Kind) -> None:
    assert suggest(column("x", [*values, None])).attribute.kind is kind


def test_one_value_among_many_decides_the_type() -> None:
    many = [str(number) for number in range(1, 12_001)]
    assert suggest(column("x", many)).attribute.kind is Kind.INTEGER
    assert suggest(column("x", [*many, "word"])).attribute.kind is Kind.TEXT
    assert suggest(column("x", [*many, "0123"])).attribute.kind is Kind.TEXT


def test_one_value_among_many_addresses_is_none() -> None:
    many = [f"10.0.{number // 256}.{number % 256}" for number in range(12_000)]
    assert isinstance(suggest(column("host", many)).attribute.builder, Addresses)
    assert not isinstance(suggest(column("host", [*many, "localhost"])).attribute.builder, Addresses)


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN])
def test_a_type_that_the_source_has_is_kept(kind: Kind) -> None:
    assert suggest(column("x", [None, None], kind)).attribute.kind is kind


@given(st.sampled_from([Kind.INTEGER, Kind.DECIMAL, Kind.DATE]), st.lists(st.integers(1, 28), min_size=1, unique=True))
def test_texts_of_one_type_are_found_to_be_of_it(kind: Kind, numbers: list[int]) -> None:
    written = {Kind.INTEGER: "{}", Kind.DECIMAL: "{}.5", Kind.DATE: "2024-02-{:02d}"}[kind]
    texts = [written.format(number) for number in numbers]
    result = suggest(column("x", texts)).attribute.kind
    assert result is kind
    assert all(canonical(result, text) for text in texts)


def builder_of(values: Sequence[Any], kind: Kind = Kind.TEXT) -> Any:
    doubled = [*values, *values]
    result = suggest(column("x", doubled, kind)).attribute
    assert result.role is Role.QUASI
    return result.builder


def cuts(*levels: Sequence[int]) -> Cuts:
    return Cuts(tuple(tuple(map(Decimal, level)) for level in levels))


@pytest.mark.parametrize(
    ("values", "kind", "builder"),
    [
        (["17", "90"], Kind.TEXT, Suppression()),
        ([1, 2, 3, 4], Kind.INTEGER, cuts([3])),
        (list(range(1, 101)), Kind.INTEGER, cuts(range(10, 100, 10), [20, 30, 50, 70, 80], [50])),
        (["2024-03-31", "2024-04-01", "2024-04-02"], Kind.TEXT, Dates(("month",))),
        (["2019-03-31", "2020-04-01", "2022-04-02", "2022-04-05"], Kind.TEXT, Dates(("month", "decade"))),
        (["10.0.0.1", "10.0.0.2", "10.0.1.1", "2001:db8::1"], Kind.TEXT, Addresses((24, 16), (64, 48))),
        (["01234", "98765", "98766", "98712"], Kind.TEXT, Prefix((3,))),
        (["A1", "B2", "C3"], Kind.TEXT, Suppression()),
        (["red", "blu", "gre"], Kind.TEXT, Suppression()),
        ([True, False], Kind.BOOLEAN, Suppression()),
    ],
)
def test_a_quasi_identifier_gets_the_levels_that_fit_its_values(values: list[Any], kind: Kind, builder: object) -> None:
    assert builder_of(values, kind) == builder


@pytest.mark.parametrize("values", [[-1e250, 1e250, 0.0, 1.0], [1e-200, 0.0, 1.0, 2.0], [1e200, 2.0, 3.0, 4.0]])
def test_numbers_of_any_size_get_bands(values: list[float]) -> None:
    assert isinstance(builder_of(values, Kind.DECIMAL), Cuts)


def test_numbers_that_no_schema_can_hold_get_no_bands() -> None:
    assert builder_of([9e307, 1e307, 1e308, 5e307], Kind.DECIMAL) == Suppression()


def test_an_infinite_number_leaves_the_others_their_bands() -> None:
    assert isinstance(builder_of([1.0, float("inf"), 3.0, 4.0], Kind.DECIMAL), Cuts)


@pytest.mark.parametrize("name", ["zip", "ZipCode", "home_postcode", "PLZ", "region code"])
def test_codes_by_name_are_masked_even_where_they_look_like_numbers(name: str) -> None:
    result = suggest(column(name, ["12345", "12399", "98765", "98711"] * 2)).attribute
    assert (result.role, result.kind, result.builder) == (Role.QUASI, Kind.TEXT, Prefix((3,)))
    typed = suggest(column(name, [12345, 12399, 98765, 98711] * 2, Kind.INTEGER)).attribute
    assert (typed.role, typed.kind, typed.builder) == (Role.QUASI, Kind.INTEGER, Prefix((3,)))


def test_other_roles_get_no_levels() -> None:
    for name in ("income", "name", "patient_id"):
        assert suggest(column(name, ["1", "2", "1", "2"])).attribute.builder == Suppression()


secrets = st.text("QXZ", min_size=5, max_size=9)


@given(
    st.lists(secrets | secrets.map(lambda text: "9" + text), min_size=2), st.sampled_from(["x", "name", "patient_id", "income"])
)
def test_the_reason_holds_numbers_and_no_value(values: list[str], name: str) -> None:
    result = suggest(column(name, values))
    assert not any(value in result.why for value in values)
    assert result.why.startswith(f"{result.attribute.role.value}: ")
    assert f"{len(set(values)):,} distinct" in result.why
    assert "\n" not in result.why


def test_the_reason_counts_and_explains() -> None:
    why = suggest(column("zip", ["01234", "98765"] * 3)).why
    assert why.startswith("quasi: ")
    assert why.endswith("(2 distinct, separates 60% of pairs); the value, or nothing")


def test_a_suggestion_for_machines_has_every_number() -> None:
    result = suggest(column("zip", ["01234", "98765", "98765", None]))
    assert isinstance(result, Suggestion)
    assert result.as_dict() == {
        "name": "zip",
        "role": "quasi",
        "type": "text",
        "hierarchy": "suppression",
        "distinct": 2,
        "missing": 1,
        "alone": 1,
        "distinction": pytest.approx(2 / 3),
        "separation": pytest.approx(5 / 6),
        "why": result.why,
    }
