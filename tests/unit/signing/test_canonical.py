"""Canonical JSON is that of RFC 8785: its own examples, its table of numbers, and what must hold of every document."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.signing.canonical import canonical, digest_of, parsed

# RFC 8785, appendix B.
NUMBERS = """
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
ffefffffffffffff -1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
"""

texts = st.text(st.characters(exclude_categories=["Cs"]))
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("bits", "written"), [line.split() for line in NUMBERS.split("\n") if line])
def test_numbers_are_written_as_the_standard_says(bits: str, written: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number) == written


def test_the_example_of_the_standard() -> None:
    given = r"""{
       "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
       "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
       "literals": [null, true, false]
     }"""
    expected = bytes.fromhex(
        "7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72 73 22 3a"
        "5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d 32 37"
        "5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d"
    )
    assert canonical(parsed(given)).encode() == expected
    assert digest_of(parsed(given)) == hashlib.sha256(expected).hexdigest()


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    """An emoji is a pair of surrogates, which come before the Hebrew letter; by code points it would come after."""
    given = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    assert list(json.loads(canonical(given)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


@given(documents)
def test_the_canonical_form_says_the_same_and_is_its_own(document: Any) -> None:
    written = canonical(document)
    assert parsed(written) == document
    assert canonical(parsed(written)) == written


@given(documents, st.integers(0, 4))
def test_spelling_does_not_matter(document: Any, indent: int) -> None:
    assert canonical(parsed(json.dumps(document, indent=indent, ensure_ascii=indent % 2 == 0))) == canonical(document)


@given(st.dictionaries(texts, st.none()))
def test_the_order_of_keys_does_not_matter(document: dict[str, None]) -> None:
    assert canonical(dict(reversed(document.items()))) == canonical(document)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_the_same_when_it_is_read_again(number: float) -> None:
    assert float(canonical(number)) == number
    assert canonical(number) == "0" or len(canonical(number).lstrip("-").partition("e")[0].replace(".", "")) <= 25


@given(texts)
def test_a_text_has_no_other_escapes_than_it_needs(text: str) -> None:
    inner = canonical(text)[1:-1]
    needed = sum(letter in '"\\' or letter < " " for letter in text)
    assert inner.count("\\") - inner.count("\\\\") == needed
    assert json.loads(f'"{inner}"') == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**53 + 1, "\ud800", {"\udc00": 1}, {1: 2}, b"bytes", {1, 2}])
def test_what_readers_could_understand_differently_has_no_canonical_form(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  any ValueError will do: the caller says what was read
        canonical(value)


@pytest.mark.parametrize(
    "text",
    [
        *['{"a": 1, "a": 1}', '[{"b": {"a": 1, "a": 2}}]', '"\\ud800"', "", "[1,]", "[" * 100_000],
        *["[NaN]", "[-Infinity]", "1e400", "9007199254740993", "1" * 400],
    ],
)
def test_a_text_with_two_readings_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parsed(text)
