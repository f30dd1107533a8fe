"""What counts as a spelling of the same text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.vocabulary.spelling import Speller, Variants, folded, variants_of


@pytest.mark.parametrize(
    "spelling", ["hiv", "HIV ", "\tHiv", "H\u200bIV", "\ufeffHIV", "ＨＩＶ", "HIV\u00a0", "hi\u00adv", "H\ufe0fIV", "HIV\x00"]
)
def test_case_blanks_invisible_and_compatible_characters_make_no_other_value(spelling: str) -> None:
    assert folded(spelling) == folded("HIV")


@pytest.mark.parametrize(("one", "other"), [("HIV", "HIV 2"), ("straße", "strase"), ("a b", "ab"), ("é", "e")])
def test_other_letters_make_another_value(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@given(st.text())
@settings(max_examples=500)
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert folded(folded(text)) == folded(text)


def test_spellings_are_counted_by_value() -> None:
    assert variants_of(["HIV", "hiv", "gout", "Gout", "GOUT", "flu"]) == Variants(5, 2)
    assert variants_of(["HIV", "gout"]) is None


def test_the_listed_spelling_wins_and_otherwise_the_folded_text() -> None:
    spelled = Speller.of(["HIV"], ["?"])
    assert [spelled(text) for text in ("hiv ", "Gout", " ?", " ")] == ["HIV", "gout", None, None]
