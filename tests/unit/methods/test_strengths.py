"""The strength that is found is the mildest that is enough, or the strongest within a bound, as trying all of them shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.methods.strengths import FAMILIES, family_of, mildest, strongest
from sfumato.operations import operation_of

WHOLE = [family for family in FAMILIES.values() if family.whole]
REAL = [family for family in FAMILIES.values() if not family.whole]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_strength_of_a_family_is_a_method(name: str) -> None:
    family = FAMILIES[name]
    assert list(family.ladder) == sorted(set(family.ladder))
    for strength in family.ladder[:-1]:  # the last one may be an end that a method excludes
        assert str(operation_of(family.method(strength))).startswith(name.partition(":")[0])


@pytest.mark.parametrize("family", WHOLE, ids=lambda family: family.name)
@given(least=st.integers(1, 1000))
def test_whole_strengths_are_found_exactly(family, least: int) -> None:  # type: ignore[no-untyped-def]
    every = range(int(family.ladder[0]), int(family.ladder[-1]) + 1)
    assert mildest(family, lambda strength: strength >= least) == next((each for each in every if each >= least), None)
    assert strongest(family, lambda strength: strength <= least) == next(
        (each for each in reversed(every) if each <= least), None
    )


@pytest.mark.parametrize("family", REAL, ids=lambda family: family.name)
@given(place=st.floats(0, 1))
def test_other_strengths_are_found_within_a_few_percent_on_the_safe_side(family, place: float) -> None:  # type: ignore[no-untyped-def]
    first, last = family.ladder[0], family.ladder[-1]
    bound = first * (last / first) ** place
    mild, strong = mildest(family, lambda each: each >= bound), strongest(family, lambda each: each <= bound)
    assert mild is not None
    assert strong is not None
    assert bound <= mild <= bound * 1.03 or mild == first
    assert bound / 1.03 <= strong <= bound


def test_nothing_is_found_if_the_strongest_is_not_enough_or_the_mildest_too_much() -> None:
    family = family_of("noise:gaussian")
    assert mildest(family, lambda _: False) is None
    assert strongest(family, lambda _: False) is None
    assert mildest(family, lambda _: True) == family.ladder[0]
    assert strongest(family, lambda _: True) == family.ladder[-1]


def test_an_unknown_family_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="did you mean 'noise:gaussian'"):
        family_of("noise:gausian")
