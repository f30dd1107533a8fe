"""Suppression only: the value or the root."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.vocabulary.builders import Keyed, Suppression
from sfumato.vocabulary.kinds import Kind, natural_order
from tests.strategies import texts
from tests.unit.vocabulary.soundness import assert_in_order_of_leaves, assert_sound


@given(st.lists(texts.filter(lambda text: text != "*"), unique=True))
def test_a_text_is_itself_or_the_root(values: list[str]) -> None:
    hierarchy = assert_sound(Suppression(), Kind.TEXT, natural_order(Kind.TEXT, values))
    assert hierarchy.labels == (tuple(sorted(values)), ("*",))
    assert_in_order_of_leaves(hierarchy)


@pytest.mark.parametrize("kind", list(Kind))
def test_every_type_can_be_suppressed(kind: Kind) -> None:
    assert kind in Suppression().kinds
    assert Suppression().height(kind) == 1
    assert not isinstance(Suppression(), Keyed)
    assert Suppression().declared() == {"builder": "suppression"}


def test_a_star_in_the_data_is_refused() -> None:
    with pytest.raises(HierarchyError) as caught:
        Suppression().build("code", Kind.TEXT, ["*", "a"])
    assert str(caught.value) == (
        "attribute 'code': level 0 holds the label '*', which is reserved for the root and for suppressed records"
    )
