"""What counts as the same query."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.searchlog.spelling import normalized, person, shown
from sfumato.vocabulary.spelling import folded


def one(text: str) -> str:
    (found,) = normalized(pa.array([text])).to_pylist()
    return str(found)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Tax  Forms", "tax forms"),
        (" tax\tforms\n", "tax forms"),
        ("ｔａｘ", "tax"),
        ("ta\u200bx", "tax"),
        ("ta\u00adx", "tax"),
        ("na\u0069\u0308ve", "naïve"),
        ("ℍospital", "hospital"),
        ("10 ½", "10 1⁄2"),
        ("年 ", "年"),
    ],
)
def test_spellings_of_one_query_are_one(text: str, same: str) -> None:
    assert one(text) == same


@settings(max_examples=300)
@given(st.text(max_size=12))
def test_normalizing_twice_is_normalizing_once(text: str) -> None:
    found = one(text)
    assert one(found) == found
    assert "  " not in found
    assert found.strip(" ") == found
    assert not any(unicodedata.category(sign) == "Cf" for sign in found)


@settings(max_examples=200)
@given(st.text(st.characters(codec="latin-1", exclude_characters="ßµ", exclude_categories=["Cc"]), max_size=12))
def test_it_agrees_with_the_spellings_of_tables_but_for_blanks(text: str) -> None:
    assert one(text) == " ".join(folded(text).split())


def test_the_quick_way_for_plain_texts_is_the_plain_way() -> None:
    texts = ["Tax forms", "a b c", "www.X.example", "70 Single men"]
    assert normalized(pa.array(texts)).to_pylist() == normalized(pa.array([*texts, "é"])).to_pylist()[:-1]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("name", ["José", " José\u200b", "Jo\u00adsé", "ＪＯＳÉ", "한국", "ﬁona", "\u212bsa", "s\u0323\u0307"])
def test_the_ids_of_a_person_are_one_in_every_unicode_form(name: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> None:
    both = shown(pa.array([name, unicodedata.normalize(form, name)])).to_pylist()
    assert both[0] == both[1]


def test_ids_that_differ_in_more_than_their_form_are_of_several_people() -> None:
    names = ["josé", "José", "jose", "jos é", "17", "17.5", "017"]
    assert shown(pa.array(names)).to_pylist() == names
    assert person(pa.array(["17.0", "１７", "17\u200b", None])).to_pylist() == ["17", "17", "17", None]


@settings(max_examples=300)
@given(st.text(max_size=8))
def test_an_id_that_was_made_plain_stays_as_it_is(text: str) -> None:
    for rule in (shown, person):
        (found,) = rule(pa.array([text])).to_pylist()
        assert rule(pa.array([found])).to_pylist() == [found]
        assert found == found.strip()
