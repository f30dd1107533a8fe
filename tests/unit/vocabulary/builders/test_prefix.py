"""Prefix masking: the kept characters stay, the others become stars, the length is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, SchemaError
from sfumato.vocabulary.builders import Keyed, Prefix, PrefixKey
from sfumato.vocabulary.kinds import Kind, natural_order
from tests.strategies import prefixes
from tests.unit.vocabulary.soundness import assert_sound, path

codes = st.lists(st.text("0129AZ-. é", min_size=1, max_size=8), unique=True, max_size=10)
zips = st.lists(st.text("0129", min_size=5, max_size=5), unique=True, max_size=10)
numbers = st.lists(st.integers(-1000, 10**6).map(str), unique=True, max_size=10)


@given(prefixes, codes)
def test_codes_of_any_length_keep_their_prefix_and_their_length(keep: tuple[int, ...], texts: list[str]) -> None:
    hierarchy = assert_sound(Prefix(keep), Kind.TEXT, natural_order(Kind.TEXT, texts))
    assert hierarchy.at(0) == tuple(sorted(texts))
    for text in texts:
        leaf, *masked, root = path(hierarchy, text)
        assert (leaf, root) == (text, "*")
        for label, kept in zip(masked, keep, strict=True):
            assert label == "".join(character if place < kept else "*" for place, character in enumerate(text))


@given(prefixes, numbers)
def test_whole_numbers_are_masked_like_codes(keep: tuple[int, ...], texts: list[str]) -> None:
    hierarchy = assert_sound(Prefix(keep), Kind.INTEGER, natural_order(Kind.INTEGER, texts))
    assert hierarchy.at(0) == tuple(sorted(texts, key=int))


@given(prefixes, zips)
def test_building_from_a_floor_equals_cutting_off_the_levels_below_it(keep: tuple[int, ...], texts: list[str]) -> None:
    whole = Prefix(keep).build("zip", Kind.TEXT, natural_order(Kind.TEXT, texts))
    for floor in range(whole.height):
        labels = sorted(whole.at(floor))  # an engine lists the labels that it computes in this order
        assert Prefix(keep).build_above("zip", Kind.TEXT, floor, labels).same_as(whole.above(floor))


@pytest.mark.parametrize(("kind", "values"), [(Kind.TEXT, ["100", "11"]), (Kind.INTEGER, ["2", "10"])])
def test_codes_of_different_lengths_have_one_order_whatever_the_floor(kind: Kind, values: list[str]) -> None:
    whole = Prefix((1,)).build("code", kind, values)
    assert Prefix((1,)).build_above("code", kind, 1, sorted(whole.at(1))).at(1) == whole.at(1)


@given(st.sets(st.text("01", min_size=1, max_size=3)), st.sets(st.text("01", min_size=1, max_size=3)))
def test_labels_have_one_order_whichever_codes_occur(some: set[str], others: set[str]) -> None:
    part = Prefix((2, 1)).build("code", Kind.TEXT, natural_order(Kind.TEXT, some))
    whole = Prefix((2, 1)).build("code", Kind.TEXT, natural_order(Kind.TEXT, some | others))
    for level in range(4):
        assert [label for label in whole.at(level) if label in part.at(level)] == list(part.at(level))


def test_a_zip_code_loses_its_last_digits() -> None:
    hierarchy = Prefix((4, 3, 1)).build("zip", Kind.TEXT, ["12345", "12399", "98765"])
    assert path(hierarchy, "12345") == ["12345", "1234*", "123**", "1****", "*"]
    assert hierarchy.at(2) == ("123**", "987**")


def test_a_code_no_longer_than_the_prefix_stays_as_it_is() -> None:
    hierarchy = Prefix((3, 1)).build("code", Kind.TEXT, ["A", "A1", "A12"])
    assert path(hierarchy, "A1") == ["A1", "A1", "A*", "*"]
    assert hierarchy.at(2) == ("A", "A*", "A**")


def test_a_star_alone_is_kept_for_the_root() -> None:
    with pytest.raises(HierarchyError, match=r"attribute 'code': level 0 holds the label '\*', which is reserved for the root"):
        Prefix((1,)).build("code", Kind.TEXT, ["*", "A"])


def test_every_level_but_the_value_and_the_root_has_a_key() -> None:
    builder = Prefix((4, 2))
    assert isinstance(builder, Keyed)
    assert [builder.key(Kind.TEXT, level) for level in range(4)] == [None, PrefixKey(4), PrefixKey(2), None]


@pytest.mark.parametrize("keep", [(), (0,), (3, 3), (2, 4), (3, 0), (-1,)])
def test_prefixes_that_do_not_fall_are_refused(keep: tuple[int, ...]) -> None:
    with pytest.raises(SchemaError) as caught:
        Prefix(keep)
    assert str(caught.value) == f"'keep' must descend from level to level and stay above 0, as in [4, 3]; it is {list(keep)}"
