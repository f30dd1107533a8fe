"""A price is what its text says, is never evaluated by Python, and never rises with the loss."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.negotiation import Owner, Price, UtilityPattern
from tests.unit.negotiation.spaces import invented

LOSSES = np.linspace(0, 1, 11)
# Expressions beside the same in Python, which is the reference here and nowhere else.
_LEAVES = st.sampled_from([("loss", "loss"), ("2", "2.0"), ("0.5", "0.5"), ("1e1", "1e1"), (".25", ".25")])


def _grown(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    pairs = st.tuples(inner, inner)
    sums = st.tuples(pairs, st.sampled_from("+-*")).map(lambda each: _both(each[0], each[1], each[1]))
    powers = inner.map(lambda each: (f"({each[0]})^2", f"(({each[1]})**2)"))
    called = pairs.map(lambda each: (f"max({each[0][0]}, {each[1][0]})", f"max({each[0][1]}, {each[1][1]})"))
    negative = inner.map(lambda each: (f"-({each[0]})", f"(-({each[1]}))"))
    return sums | powers | called | negative


def _both(pair: tuple[tuple[str, str], tuple[str, str]], ours: str, python: str) -> tuple[str, str]:
    return f"({pair[0][0]}) {ours} ({pair[1][0]})", f"(({pair[0][1]}) {python} ({pair[1][1]}))"


@given(st.recursive(_LEAVES, _grown, max_leaves=6))
def test_an_expression_is_what_arithmetic_says(pair: tuple[str, str]) -> None:
    text, python = pair
    found = Price.of(text).at(LOSSES)
    for loss, price in zip(LOSSES.tolist(), found.tolist(), strict=True):
        assert price == pytest.approx(eval(python, {"loss": loss, "max": max}), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "at_a_half"),
    [
        ("linear:100,80", 60),
        ("exponential:100,2", 100 * math.exp(-1)),
        ("tiered:0.5=100,0.8=60,1=20", 100),
        ("tiered:0.4=100,0.8=60", 60),
        ("100 - 2 ** 3 * loss", 96),
        ("-2^2 + 10", 6),
        ("exp(-loss) * sqrt(4)", 2 * math.exp(-0.5)),
        ("min(10, 20*(1-loss)) / 2", 5),
        ("2^3^2 * loss / 512", 0.5),
    ],
)
def test_prices_by_hand(text: str, at_a_half: float) -> None:
    assert Price.of(text).at([0.5])[0] == pytest.approx(at_a_half)


def test_beyond_the_last_tier_nothing_is_charged() -> None:
    assert Price.of("tiered:0.5=100,0.8=60").at([0.0, 0.5, 0.500001, 0.8, 0.81]).tolist() == [100, 100, 60, 60, 0]


@pytest.mark.parametrize(
    "text",
    ["", "loss.__class__", "__import__('os')", "lambda: 1", "1 +", "(1", "1)", "foo(1)", "loss loss", "max(1)", "exp 1", "1 2",
     "linear:1", "linear:a,b", "exponential:1,inf", "tiered:0.8=1,0.5=2", "tiered:x", "(" * 60 + "1" + ")" * 60, "1" * 500, "1;2", "a=1",
     "loss if loss else 1", "[1]", "'x'", "1\n2", "٣"],
)  # fmt: skip
def test_what_is_no_price_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"price|tiers") as refused:
        Price.of(text)
    assert "\n" not in str(refused.value)


def test_a_price_that_rises_is_refused_with_the_two_losses_that_show_it() -> None:
    with pytest.raises(UsageError, match=r"it rises with the loss: 1 at 0\.1 and 2 at 0\.2; less utility must not cost more"):
        Price.of("10 * loss").require_decreasing(np.array([0.2, 0.1, 0.4]))
    Price.of("tiered:0.3=5,1=5").require_decreasing(np.array([0.2, 0.1, 0.4]))
    with pytest.raises(UsageError, match=r"at a loss of 0\.4 it is -"):
        Price.of("1 - 3 * loss").require_decreasing(np.array([0.2, 0.1, 0.4]))
    with pytest.raises(UsageError, match="a price is a number"):
        Price.of("1 / loss").require_decreasing(np.array([0.0, 0.1]))


@pytest.mark.parametrize("price", ["linear:1234567890129.6,0", "linear:1e-10,0", "linear:5e-10,4e-10", "linear:100,80"])
def test_a_budget_is_kept_to_the_last_digit(price: str) -> None:
    space = invented({"a": 3})
    owner = Owner(space, np.ones(len(space), bool), price=Price.of(price))
    pattern = UtilityPattern.parse("a", (1,))
    prices = [owner.terms(place, pattern).price or 0.0 for place in range(len(space))]
    for asked in prices:
        place, _ = owner.choose(pattern, [], asked)
        assert place is not None
        assert (owner.terms(place, pattern).price or 0.0) <= asked
    assert owner.choose(pattern, [], float(np.nextafter(min(prices), 0))) == (None, "budget")


def test_a_price_that_rises_ever_so_little_is_refused() -> None:
    space = invented({"a": 3})
    with pytest.raises(UsageError, match="it rises with the loss"):
        Owner(space, np.ones(len(space), bool), price=Price.of("loss * 1e-10"))


def test_far_below_what_is_expected_the_nearest_is_still_the_highest() -> None:
    space = invented({"a": 3})
    owner = Owner(space, np.ones(len(space), bool), price=Price.of("linear:100,80"), expected=1e308)
    pattern = UtilityPattern.parse("a", (1,))
    place, _ = owner.choose(pattern)
    assert place is not None
    assert owner.terms(place, pattern).price == 100.0
