"""Payoffs are those that are stated: by hand on six policies; and what is not usable is refused in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SfumatoError, UsageError
from sfumato.negotiation.game import Market, Providers, Rules, Types
from tests.unit.negotiation.game.spaces import PRIVACY, UTILITY, six

EVERY = np.ones(6, bool)


def test_payoffs_by_hand() -> None:
    market = Market("linear:100,100", "20 * loss", 10.0, "steps:0.6=0.5,0.8=0.75")
    stakes = market.stakes(six(people=4), EVERY)
    assert stakes.staying.tolist() == [1, 2, 4, 4, 4, 4]
    assert stakes.worth == pytest.approx([90 / 4, 70 / 2, 60, 40, 20, 0])
    assert stakes.cost == pytest.approx([18 / 4 + 7.5, 14 / 2 + 5, 10, 8, 4, 0])


def test_unless_a_value_is_stated_the_best_policy_within_the_rules_is_worth_a_hundred() -> None:
    space = six()
    within = Rules(epsilon=0.5).within(space)
    assert within.tolist() == [False, False, True, True, True, True]
    stakes = Market(providers="never").stakes(space, within)
    assert stakes.worth == pytest.approx([150, 100 * 0.7 / 0.6, 100, 100 * 0.4 / 0.6, 100 / 3, 0])
    assert stakes.half().at(UTILITY) == pytest.approx(stakes.worth / 2)


def test_ties_rank_by_privacy_loss_then_by_levels() -> None:
    stakes = Market().stakes(six(privacy=np.array([0.5, 0.2, 0.2, 0.2, 0.2, 0.0])), EVERY)
    # The last has no loss; then (0,1) and (1,0) have one level, (1,1) and (2,0) two.
    assert np.argsort(stakes.order).tolist() == [5, 1, 2, 3, 4, 0]


@given(st.integers(1, 50), st.floats(0, 2))
def test_as_many_people_stay_as_have_a_threshold_that_is_no_lower(people: int, loss: float) -> None:
    low, high = 0.25, 1.5
    thresholds = [low + (high - low) * (place - 0.5) / people for place in range(1, people + 1)]
    least, most = (sum(each >= loss + error for each in thresholds) for error in (1e-7, -1e-7))
    assert least <= int(Providers.of(f"uniform:{low},{high}").staying(loss, people)) <= most


@pytest.mark.parametrize("text", ["never", "uniform:0.3,1", "steps:0.1=0.2,0.5=0.7,0.8=1"])
def test_nobody_comes_back_when_the_loss_rises(text: str) -> None:
    staying = Providers.of(text).staying(np.linspace(0, 2, 500), 1000)
    assert (np.diff(staying) <= 0).all()
    assert staying.min() >= 0
    assert staying[0] == 1000


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("sometimes", "cannot read how people react; uniform:0.2,1"),
        ("uniform:1", "two losses"),
        ("uniform:1,0.5", "the lower one first"),
        ("uniform:-1,1", "numbers from 0 up"),
        ("uniform:a,b", "cannot read"),
        ("steps:0.3=0.5,0.2=0.6", "in the order of their losses"),
        ("steps:0.3=0.5,0.4=0.1", "their shares rise"),
        ("steps:0.3=1.5", "up to 1"),
        ("steps:0.3", "cannot read"),
        ("never:1", "cannot read"),
        ("uniform:" + "1" * 500, "cannot read"),
    ],
)
def test_a_reaction_that_cannot_be_read_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        Providers.of(text)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"value": "linear:10,80"}, "value: at a loss of 0.3 it is -14; a value is a number from 0 up"),
        ({"value": "100 * loss"}, "value: it rises with the loss: .* less utility must not be worth more"),
        ({"value": "loss +"}, "value: cannot read this value: it ends too early"),
        ({"value": "import os"}, "value: cannot read this value: 'import' is not known"),
        ({"compensation": "20 - 10 * loss"}, "compensation: it falls with the privacy loss"),
        ({"compensation": "-1"}, "compensation: a compensation is a number from 0 up"),
        ({"departure": -1.0}, "departure: a number from 0 up"),
        ({"departure": float("nan")}, "departure: a number from 0 up"),
        ({"privacy": "entropie.max"}, "the space does not have the loss 'entropie.max'; .* entropy.max"),
        ({"utility": "utility-entropy"}, "the space does not have the loss 'utility-entropy'"),
    ],
)
def test_a_market_that_is_none_is_refused(fields: dict[str, str | float], wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        Market(**fields).stakes(six(), EVERY)  # type: ignore[arg-type]


def test_a_space_that_is_not_whole_or_infinite_is_refused() -> None:
    with pytest.raises(UsageError, match="the whole space of the table"):
        Market().stakes(six(complete=False), EVERY)
    with pytest.raises(UsageError, match=r"distribution.max is infinite for some policies"):
        Market().stakes(six(privacy=np.where(PRIVACY > 0.8, np.inf, PRIVACY)), EVERY)


@pytest.mark.parametrize(
    ("rules", "wrong"),
    [
        (Rules(), "say what every release must keep: epsilon, alpha or models"),
        (Rules(epsilon=-0.5), "epsilon: a bound is a number of at least 0"),
        (Rules(models=("k-anonymity:5",)), "holds no 'smallest'"),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(rules: Rules, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        rules.within(six())
    with pytest.raises(UsageError, match="no policy keeps these bounds"):
        Rules(epsilon=0.1).within(six(privacy=PRIVACY + 0.2))


FILE = """
[[types]]
name = "journalist"
probability = "1/3"
value = "tiered:0.5=40,1=10"
[[types]]
probability = "2/3"
scale = 2
levels = {sex = 0}
"""


def test_types_multiply_the_value_or_have_one_of_their_own(tmp_path: Path) -> None:
    stakes = Market("linear:100,100", providers="never").stakes(six(), EVERY)
    (tmp_path / "types.toml").write_text(FILE, encoding="utf-8")
    types = Types.of(tmp_path / "types.toml")
    assert [(each.name, str(each.probability)) for each in types.types] == [("journalist", "1/3"), ("type 2", "2/3")]
    assert types.worth(stakes).round(9).tolist() == [[40, 40, 40, 10, 10, 10], [180, 0, 120, 0, 40, 0]]
    named = Types.of("scales:0.5=1/4,2=0.75")
    assert named.worth(stakes) == pytest.approx(np.outer([0.5, 2], stakes.worth))
    middle = Types.of("normal:1,0.2,3")
    assert [each.scale for each in middle.types] == pytest.approx([0.8065, 1.0, 1.1935], abs=1e-4)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("rich", "no such types; uniform:0.5,1.5,10"),
        ("uniform:0.5,1.5", "cannot read these types"),
        ("uniform:1.5,0.5,3", "the lower one first"),
        ("uniform:0,1,51", "a whole number from 1 to 50"),
        ("uniform:0,1,2.5", "a whole number from 1 to 50"),
        ("normal:1,0,3", "a spread above it"),
        ("scales:1=0.5,2=0.4", "the probabilities add up to 0.9 and not to 1"),
        ("scales:1=-0.5,2=1.5", "more than 0 and at most 1"),
        ("scales:-1=1", "a scale is a number from 0 up"),
        ("scales:1=1/0", "a probability is written as"),
        ("scales:" + ",".join(f"{n}=1/60" for n in range(60)), "there are 60 types; a game has 1 to 50"),
        ("scales:1", "cannot read these types"),
        ("missing.toml", "missing.toml: no such file"),
    ],
)
def test_types_that_are_none_are_refused(text: str, wrong: str) -> None:
    with pytest.raises(SfumatoError, match=wrong):
        Types.of(text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "types are written as"),
        ("types = 3", "types are written as"),
        ("[[types]]\nname = 'a'", "type 1: a type has a probability"),
        ("[[types]]\nprobability = 1\nscale = 'x'", "type 1: a type has a probability"),
        ("[[types]]\nprobability = 1\nlevels = {age = -1}", "type 1: a type has a probability"),
        ("[[types]]\nprobability = 1\nscales = 2", "type 1: no key 'scales' in a type; did you mean 'scale'"),
        ("[[types]]\nprobability = 0.5", "add up to 0.5"),
        ("[[types]", "not TOML"),
    ],
)
def test_a_file_of_types_that_is_none_is_refused(text: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "types.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SfumatoError, match=wrong):
        Types.of(tmp_path / "types.toml")


def test_a_type_that_names_what_the_space_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "types.toml").write_text("[[types]]\nprobability = 1\nlevels = {aage = 1}", encoding="utf-8")
    with pytest.raises(UsageError, match="no quasi-identifier 'aage' in the space; did you mean 'age'"):
        Types.of(tmp_path / "types.toml").worth(Market().stakes(six(), EVERY))
