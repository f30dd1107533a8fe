"""Designed channels: closed forms, proofs of the gap, and no drawn channel that is better."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.channel import (
    ChannelMatrix,
    Gain,
    constant,
    g_vulnerability,
    least_loss,
    least_loss_at_leakage,
    most_information,
    mutual_information,
    posterior_vulnerability,
    prior_g_vulnerability,
    waste,
)
from sfumato.errors import UsageError
from tests.unit.channel.channels import Floats, drawn_channels, drawn_shares, h


def positive_shares(size: int) -> st.SearchStrategy[Floats]:
    return drawn_shares(size).map(lambda each: (each + 0.1) / (1 + 0.1 * size))


def hidden_until(channel: ChannelMatrix, reached: Any, most: float) -> ChannelMatrix:
    """A channel mixed with one that tells nothing, until the adversary reaches no more than the bound: both are mixed in a line."""
    rows, flat = channel.dense(), np.full((channel.inputs, channel.outputs), 1 / channel.outputs)
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(ChannelMatrix.of(middle * rows + (1 - middle) * flat)) <= most else (low, middle)
    return ChannelMatrix.of(low * rows + (1 - low) * flat)


@pytest.mark.parametrize("most", [0.25, 0.4, 0.75, 1.0])
def test_right_or_wrong_costs_the_user_what_it_costs_the_adversary(most: float) -> None:
    """Where the user loses 1 unless the output is the input, user and adversary guess alike: the loss is 1 - the bound."""
    found = least_loss(1 - np.eye(4), most)
    assert found.value == pytest.approx(1 - most)
    assert found.adversary == pytest.approx(most)
    assert found.gap <= 1e-9


@settings(max_examples=30, deadline=None)
@given(drawn_channels(inputs=3, outputs=4), st.integers(0, 10), st.data())
def test_no_channel_within_the_bound_loses_less(channel: ChannelMatrix, tenths: int, data: st.DataObject) -> None:
    prior, belief = data.draw(drawn_shares(3)), data.draw(drawn_shares(3))
    loss = np.array([data.draw(st.lists(st.integers(0, 5), min_size=4, max_size=4)) for _ in range(3)])
    gain = data.draw(st.sampled_from([Gain.exact(), Gain.several_tries(2), Gain.of([[1, 0.5, 0], [0, 0.25, 1]])]))
    without = prior_g_vulnerability(channel, gain, belief)
    most = without + tenths / 10 * (1 - without)
    found = least_loss(loss, most, prior=prior, belief=belief, gain=gain)
    assert found.adversary <= most + 1e-9
    assert found.gap <= 1e-9
    other = hidden_until(channel, lambda each: g_vulnerability(each, gain, belief), most)
    assert float((prior[:, None] * loss * other.dense()).sum()) >= found.value - 1e-9


@pytest.mark.parametrize("inputs", [2, 6, 30])
@pytest.mark.parametrize("size", [1, 2])
def test_equal_classes_tell_most_where_they_are_possible(inputs: int, size: int) -> None:
    """A bound of 1/k under a uniform prior: classes of k tell log2 n - log2 k bits, and nothing tells more."""
    found = most_information(inputs, 1 / size)
    assert found.value == pytest.approx(log2(inputs) - log2(size), abs=1e-12)
    assert found.gap <= 1e-12
    classes = ChannelMatrix.of(np.kron(np.eye(inputs // size), np.ones((size, 1))))
    assert mutual_information(classes) == pytest.approx(found.value)


@pytest.mark.parametrize("most", [0.2, 0.27, 0.5, 0.6, 0.95, 1.0])
def test_the_short_way_for_uniform_priors_is_the_linear_program(most: float) -> None:
    from sfumato.channel.design.information import _by_sets

    flat = np.full(5, 0.2)
    short, by_sets = most_information(5, most), _by_sets(flat, flat, most)
    assert short.value == pytest.approx(by_sets.value, abs=1e-9)
    assert short.adversary <= most + 1e-12
    assert by_sets.gap <= 1e-9


@settings(max_examples=40, deadline=None)
@given(drawn_channels(inputs=4), st.integers(0, 10), st.data())
def test_no_channel_within_the_bound_tells_more(channel: ChannelMatrix, tenths: int, data: st.DataObject) -> None:
    prior, belief = data.draw(drawn_shares(4)), data.draw(positive_shares(4))
    most = float(belief.max() + tenths / 10 * (1 - belief.max()))
    found = most_information(4, most, prior=prior, belief=belief)
    assert found.adversary <= most + 1e-9
    assert found.gap <= 1e-9
    assert mutual_information(found.channel, prior) == pytest.approx(found.value)
    other = hidden_until(channel, lambda each: posterior_vulnerability(each, belief), most)
    assert mutual_information(other, prior) <= found.value + 1e-9


@pytest.mark.parametrize("wrong", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("inputs", [2, 4])
def test_the_least_loss_at_a_leakage_is_the_rate_distortion_function(inputs: int, wrong: float) -> None:
    """Right or wrong over n equally likely inputs: R(D) = log2 n - h(D) - D·log2(n - 1)."""
    bits = log2(inputs) - h(wrong) - wrong * log2(inputs - 1)
    if inputs == 2 and wrong == 0.5:
        assert bits == 0
    found = least_loss_at_leakage(1 - np.eye(inputs), bits)
    assert found.value == pytest.approx(wrong, abs=1e-9)
    assert found.adversary <= bits + 1e-9
    assert found.gap <= 1e-9


@settings(max_examples=15, deadline=None)
@given(drawn_channels(inputs=3, outputs=3), st.integers(0, 10), st.data())
def test_no_channel_that_leaks_less_loses_less_than_the_proof(channel: ChannelMatrix, tenths: int, data: st.DataObject) -> None:
    prior, belief = data.draw(drawn_shares(3)), data.draw(positive_shares(3))
    loss = np.array([data.draw(st.lists(st.integers(0, 5), min_size=3, max_size=3)) for _ in range(3)])
    most = tenths / 10 * log2(3)
    found = least_loss_at_leakage(loss, most, prior=prior, belief=belief)
    assert found.adversary <= most + 1e-9
    other = hidden_until(channel, lambda each: mutual_information(each, belief), most)
    assert float((prior[:, None] * loss * other.dense()).sum()) >= found.value - found.gap - 1e-9
    assert found.gap <= 1e-3


def test_what_k_anonymity_wastes() -> None:
    """Six values in classes of 2 and 4: the adversary is right twice in six times, and the class tells h(1/3) bits. Sets of three leave the
    adversary no more and tell one bit. Classes of 2 and 3 are as good as can be: no sizes lie closer together."""
    two_and_four = ChannelMatrix.of([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]])
    found = waste({"k = 2": two_and_four, "k = 6": constant(6)})
    first, last = found.rules
    assert (first.adversary, first.value, first.best) == pytest.approx((1 / 3, h(1 / 3), 1))
    assert first.wasted == pytest.approx(1 - h(1 / 3))
    assert last.wasted == pytest.approx(0)
    assert found.table().heads == ("rule", "adversary", "information", "best", "wasted")
    two_and_three = ChannelMatrix.of([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    assert waste({"k = 2": two_and_three}).rules[0].wasted == pytest.approx(0)
    # A user who loses 1 unless told the upper or lower half of the six: 2 + 4 tells one wrong, sets of three none.
    lost = waste({"k = 2": two_and_four}, loss=[[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]])
    assert (lost.rules[0].value, lost.rules[0].best) == pytest.approx((1 / 6, 0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: least_loss(1 - np.eye(2), 0.4), "no channel keeps the adversary below 0.5"),
        (lambda: least_loss([1, 2], 0.9), "a row per input"),
        (lambda: least_loss([[1], [1, 2]], 0.9), "a row per input"),
        (lambda: least_loss(1 - np.eye(2), 0.9, prior=[1]), "prior: 1 probability for 2 inputs"),
        (lambda: least_loss(1 - np.eye(2), 0.9, belief=[1]), "belief: 1 probability for 2 inputs"),
        (lambda: least_loss(1 - np.eye(2), 0.9, gain=Gain.of(np.eye(3))), "3 columns for 2 inputs"),
        (lambda: most_information(3, 0.3), "below 0.333333"),
        (lambda: most_information(20, 0.9, prior=np.arange(20) / 190), "1,048,575 sets; up to 14 inputs"),
        (lambda: most_information(2, 1, belief=[1, 0]), "leave it out"),
        (lambda: least_loss_at_leakage(1 - np.eye(2), -1), "at least 0"),
        (lambda: least_loss_at_leakage(1 - np.eye(2), 1, belief=[1, 0]), "leave it out"),
        (lambda: waste({"all": constant(2)}, gain=Gain.exact()), "a gain needs a loss"),
        (lambda: waste({"all": constant(2)}, loss=np.eye(2)), "another shape than the channel of all"),
    ],
)
def test_what_cannot_be_designed_is_told(make: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()
