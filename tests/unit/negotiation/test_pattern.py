"""A pattern matches what it says, and relaxing it only adds to that."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.negotiation import UtilityPattern
from tests.unit.negotiation.spaces import census, invented

NAMES = ["a", "b", "c", "d"]
# [T] Fig. 4.8 with heights that make it small enough to count by hand.
FIGURE = {"age": 4, "gender": 1, "race": 1, "zip": 3, "nationality": 2, "occupation": 2}


@st.composite
def patterns(draw: Any) -> UtilityPattern:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    cuts = sorted(draw(st.sets(st.integers(1, len(names) - 1)))) if len(names) > 1 else []
    layers = [names[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(names)], strict=True)]
    shares = sorted(draw(st.lists(st.sampled_from([0, 0.25, 1 / 3, 0.5, 0.75, 1]), min_size=len(layers), max_size=len(layers))))
    return UtilityPattern(tuple(map(tuple, layers)), tuple(shares))


def plainly(pattern: UtilityPattern, heights: dict[str, int], levels: dict[str, int]) -> bool:
    """By the definition, in fractions."""
    raised = {name: Fraction(levels[name], heights[name]) for name in heights}
    if any(raised[name] != 1 for name in heights if name not in pattern.attributes):
        return False
    for place, (layer, share) in enumerate(zip(pattern.layers, pattern.shares, strict=True)):
        for name in layer:
            if raised[name] > Fraction(share).limit_denominator(1000):
                return False
            if any(raised[above] > raised[name] for higher in pattern.layers[:place] for above in higher):
                return False
    return True


@given(patterns(), st.tuples(*[st.integers(1, 4)] * 4))
@settings(max_examples=200)
def test_what_matches_is_what_the_definition_says(pattern: UtilityPattern, sizes: tuple[int, ...]) -> None:
    heights = dict(zip(NAMES, sizes, strict=True))
    space = invented(heights)
    found = pattern.matching(space)
    for row, holds in zip(space.evaluations.levels.tolist(), found.tolist(), strict=True):
        assert holds == plainly(pattern, heights, dict(zip(NAMES, row, strict=True)))


@given(patterns(), st.tuples(*[st.integers(1, 4)] * 4))
@settings(max_examples=200)
def test_relaxing_keeps_every_match_and_ends(pattern: UtilityPattern, sizes: tuple[int, ...]) -> None:
    space = invented(dict(zip(NAMES, sizes, strict=True)))
    steps, wider = 0, pattern.relax()
    while wider is not None:
        assert not (pattern.matching(space) & ~wider.matching(space)).any()
        assert set(wider.attributes) == set(pattern.attributes)
        pattern, wider, steps = wider, wider.relax(), steps + 1
        assert steps < 40
    assert pattern.shares[0] == 1


def test_the_three_attempts_of_the_figure() -> None:
    """Layers keep their meaning through the negotiation: the first as it is, the second up to a half, the third anything."""
    space = invented(FIGURE)
    first = UtilityPattern((("age", "gender", "race", "zip", "nationality", "occupation"),), (0,))
    second = UtilityPattern((("age", "gender", "race"), ("zip", "nationality", "occupation")), (0, 0.5))
    third = UtilityPattern((("gender", "race", "age"), ("zip", "nationality"), ("occupation",)), (0, 0.5, 1))
    found = [pattern.matching(space) for pattern in (first, second, third)]
    # As it is: one. Then zip, nationality and occupation at level 0 or 1: 2 · 2 · 2. Then occupation up to its root, but nowhere finer
    # than zip or nationality: 3 where both are as they are, 2 in each of the three other cases.
    assert [int(mask.sum()) for mask in found] == [1, 8, 9]
    assert not (found[0] & ~found[1]).any()


def test_demoting_as_in_the_figure() -> None:
    pattern = UtilityPattern.parse("age,gender,race,zip,nationality,occupation")
    for name in ("zip", "nationality", "occupation"):
        pattern = pattern.demote(name)
    assert (str(pattern), pattern.shares) == ("age,gender,race > zip,nationality,occupation", (0, 1))
    pattern = pattern.demote("occupation")
    assert (str(pattern), pattern.shares) == ("age,gender,race > zip,nationality > occupation", (0, 1, 1))
    assert str(pattern.promote("occupation")) == "age,gender,race > zip,nationality,occupation"


def test_attributes_outside_are_withheld() -> None:
    space = census()
    mask = UtilityPattern.parse("sex > age").matching(space)
    levels = space.evaluations.levels[mask]
    heights = dict(zip(space.lattice.attributes, space.lattice.heights, strict=True))
    column = {name: place for place, name in enumerate(space.lattice.attributes)}
    assert (levels[:, column["workclass"]] == heights["workclass"]).all()
    assert (levels[:, column["sex"]] == 0).all()
    assert sorted(levels[:, column["age"]].tolist()) == list(range(heights["age"] + 1))


@given(patterns())
def test_a_pattern_comes_back_from_what_it_is_written_as(pattern: UtilityPattern) -> None:
    assert UtilityPattern.of(pattern.as_dict()) == pattern
    assert UtilityPattern.parse(str(pattern), pattern.shares) == pattern


@pytest.mark.parametrize(
    ("text", "shares", "message"),
    [
        ("age > age", (), "'age' stands twice"),
        ("", (), "names an attribute in every layer"),
        ("age >> sex", (), "names an attribute in every layer"),
        ("age > sex", (0.5,), "2 layers need as many shares; there are 1"),
        ("age > sex", (0.5, 0.25), "a later layer has no smaller one"),
        ("age > sex", (0, 1.5), "from 0 to 1"),
        ("age > sex", (float("nan"), 1), "from 0 to 1"),
    ],
)
def test_bad_patterns_are_refused(text: str, shares: tuple[float, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        UtilityPattern.parse(text, shares)


def test_an_attribute_that_is_not_offered_is_refused() -> None:
    with pytest.raises(UsageError, match="no quasi-identifier 'agee'"):
        UtilityPattern.parse("agee").matching(census())
    with pytest.raises(UsageError, match="in the first layer already"):
        UtilityPattern.parse("age > sex").promote("age")
    with pytest.raises(UsageError, match="no attribute 'job'"):
        UtilityPattern.parse("age > sex").demote("job")
