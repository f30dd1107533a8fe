"""Which models may be pruned on: those declared monotone are so over random tables, the others have a counterexample."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings

from sfumato.models import MODELS, Judged, Verdict, model_of
from tests.contracts.model_breaks import BREAKS, OWNER_BREAKS, merging
from tests.contracts.model_oracle import ORACLES, OTHERS
from tests.contracts.model_world import World, worlds_with_levels
from tests.strategies import Levels

SETTINGS = [
    *ORACLES,
    *OTHERS,
    "entropy-diversity:1.5",
    "recursive-diversity:5,2",
    "t-closeness:0.6,equal",
    "t-closeness:0.6,ordered",
    "t-closeness:0.6",
    "delta-disclosure:3",
    "beta-likeness:4",
    "beta-likeness:4,enhanced",
    "delta-presence:0.5,1",
    "distribution-loss:0.9",
    "average-risk:0.8",
]


def badness(result: Verdict) -> float:
    """The value, larger is worse."""
    value = inf if result.value is None else result.value
    return -value if result.direction == "at_least" else value


def check(name: str, low: Judged, high: Judged) -> None:
    below, above = model_of(name).judge(low), model_of(name).judge(high)
    assert below.satisfied in (None, False) or above.satisfied, (below, above)
    if below.direction == above.direction and below.threshold == above.threshold:
        assert badness(above) <= badness(below) + 1e-9, (below, above)


@pytest.mark.slow
@given(worlds_with_levels(2, owned=False))
@settings(max_examples=250)
def test_a_monotone_model_is_never_worse_at_a_more_general_node(drawn: tuple[World, list[Levels]]) -> None:
    world, [low, high] = drawn
    finer, coarser = world.judged(low), world.judged(high)
    for name in SETTINGS:
        if model_of(name).monotone:
            check(name, finer, coarser)


@pytest.mark.slow
@given(worlds_with_levels(2, owned=True))
@settings(max_examples=250)
def test_some_models_are_monotone_when_people_have_several_rows_too(drawn: tuple[World, list[Levels]]) -> None:
    world, [low, high] = drawn
    finer, coarser = world.judged(low), world.judged(high)
    for name in SETTINGS:
        if model_of(name).monotone_with_owners:
            check(name, finer, coarser)


def test_every_model_that_is_not_monotone_has_a_counterexample() -> None:
    assert {name.split(":")[0] for name in BREAKS} == {name for name, model in MODELS.items() if not model.monotone}
    with_owners = {name for name, model in MODELS.items() if model.monotone and not model.monotone_with_owners}
    assert {name.split(":")[0] for name in OWNER_BREAKS} == with_owners


@pytest.mark.parametrize("name", BREAKS)
def test_a_model_that_is_not_monotone_may_be_lost_by_merging(name: str) -> None:
    low, high = BREAKS[name]
    assert model_of(name).judge(low).satisfied is True
    assert model_of(name).judge(high).satisfied is False


@pytest.mark.parametrize("name", OWNER_BREAKS)
def test_shares_may_leave_their_range_when_people_have_several_rows(name: str) -> None:
    low, high = OWNER_BREAKS[name]
    assert (low.counts.basis, high.counts.classes) == ("owner", low.counts.classes - 1)
    assert model_of(name).judge(low).satisfied is True
    assert model_of(name).judge(high).satisfied is False


def test_the_total_utility_loss_may_fall_when_classes_merge() -> None:
    low, high = merging(((0, 13, 2), (3, 15, 0)))
    one, two = (model_of("utility-distribution-loss:1,total").judge(judged).value for judged in (low, high))
    assert one is not None
    assert two is not None
    assert two < one
