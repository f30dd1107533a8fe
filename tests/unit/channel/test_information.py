"""Shannon's measures and capacity: closed forms, bounds and certificates."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.channel import (
    ChannelMatrix,
    blahut_arimoto,
    bounds,
    capacity,
    cascade,
    conditional_entropy,
    constant,
    entropy,
    identity,
    min_capacity,
    min_entropy_leakage,
    mutual_information,
    prior_of,
)
from sfumato.errors import UsageError
from tests.unit.channel.channels import (
    Floats,
    appendix,
    binary_symmetric,
    drawn_channels,
    drawn_shares,
    drawn_with_priors,
    h,
    shares,
)


def test_the_conditional_entropy_and_the_bound_of_the_appendix() -> None:
    assert conditional_entropy(appendix()) == pytest.approx(1.6809049667515887, abs=1e-12)
    assert bounds(appendix())["Santhi-Vardy"].upper == pytest.approx(0.6881130630730287, abs=1e-12)


@pytest.mark.parametrize("flipped", [0.0, 0.1, 0.3, 0.5])
def test_a_binary_symmetric_channel(flipped: float) -> None:
    channel = binary_symmetric(flipped)
    assert mutual_information(channel) == pytest.approx(1 - h(flipped))
    found = capacity(channel)
    assert found.value == pytest.approx(1 - h(flipped))
    assert found.prior == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
def test_a_z_channel(e: float) -> None:
    found = capacity(ChannelMatrix.of([[1, 0], [e, 1 - e]]))
    assert found.value == pytest.approx(log2(1 + (1 - e) * e ** (e / (1 - e))), abs=2e-9)
    assert found.residual <= 1e-9


@pytest.mark.parametrize("erased", [0.2, 0.7])
def test_an_erasure_channel(erased: float) -> None:
    channel = ChannelMatrix.of([[1 - erased, 0, erased], [0, 1 - erased, erased]])
    assert capacity(channel).value == pytest.approx(1 - erased)


def test_all_and_nothing() -> None:
    assert capacity(identity(8)).value == pytest.approx(3)
    assert capacity(constant(8)).value == 0
    assert mutual_information(identity(8)) == pytest.approx(3)
    assert conditional_entropy(constant(8)) == pytest.approx(3)


def test_equal_rows_and_unused_outputs_change_nothing() -> None:
    """Two copies of each input of a Z-channel, and an output that nobody has."""
    channel = ChannelMatrix.of([[1, 0, 0], [0.5, 0, 0.5], [1, 0, 0], [0.5, 0, 0.5]])
    assert capacity(channel).value == pytest.approx(log2(1.25), abs=1e-9)


@given(drawn_with_priors())
def test_what_is_learned_and_what_is_left_make_what_was_unknown(drawn: tuple[ChannelMatrix, Floats]) -> None:
    channel, prior = drawn
    assert mutual_information(channel, prior) + conditional_entropy(channel, prior) == pytest.approx(entropy(prior), abs=1e-12)


@settings(max_examples=80)
@given(drawn_channels(), st.data())
def test_no_prior_leaks_more_than_the_capacity(channel: ChannelMatrix, data: st.DataObject) -> None:
    prior = data.draw(drawn_shares(channel.inputs))
    found = capacity(channel)
    assert found.residual <= 1e-9
    assert mutual_information(channel, found.prior) == pytest.approx(found.value, abs=1e-12)
    assert mutual_information(channel, prior) <= found.at_most + 1e-12
    assert min_entropy_leakage(channel, prior) <= min_capacity(channel) + 1e-12
    assert mutual_information(channel) <= min_capacity(channel) + 1e-9  # for uniform priors, min-entropy leakage is the larger


@settings(max_examples=40)
@given(drawn_channels())
def test_newtons_method_finds_what_blahut_and_arimoto_find(channel: ChannelMatrix) -> None:
    plain = blahut_arimoto(channel, 1e-6)
    found = capacity(channel)
    assert found.at_most >= plain.value - 1e-12
    assert found.value <= plain.at_most + 1e-12


def test_a_larger_channel_is_solved_to_the_tolerance() -> None:
    rng = np.random.default_rng(5)
    channel = ChannelMatrix.of(shares(rng.random((120, 90)) ** 8))
    found = capacity(channel, 1e-10)
    assert found.residual <= 1e-10
    assert blahut_arimoto(channel, 1e-4).value == pytest.approx(found.value, abs=1e-4)


def test_few_steps_are_told_by_the_residual() -> None:
    rng = np.random.default_rng(5)
    channel = ChannelMatrix.of(shares(rng.random((50, 50))))
    exact = capacity(channel)
    for rough in (capacity(channel, steps=2), blahut_arimoto(channel, steps=5)):
        assert rough.residual > 1e-9
        assert rough.value <= exact.at_most
        assert rough.at_most >= exact.value
    with pytest.raises(UsageError, match="more than 0"):
        capacity(channel, 0)


@given(drawn_with_priors(), st.data())
def test_passing_an_output_on_tells_no_more(drawn: tuple[ChannelMatrix, Floats], data: st.DataObject) -> None:
    channel, prior = drawn
    after = cascade(channel, data.draw(drawn_channels(inputs=channel.outputs)))
    assert mutual_information(after, prior) <= mutual_information(channel, prior) + 1e-12
    assert min_entropy_leakage(after, prior) <= min_entropy_leakage(channel, prior) + 1e-12


@settings(max_examples=60)
@given(drawn_with_priors())
def test_every_bound_holds(drawn: tuple[ChannelMatrix, Floats]) -> None:
    channel, prior = drawn
    for each in bounds(channel, prior).bounds:
        assert each.lower - 1e-9 <= each.value <= each.upper + 1e-9, each.bound


def test_bounds_are_reached_where_they_say() -> None:
    """A partition into equal classes: every output is certain for some input, and leaves inputs equally likely, and as many."""
    classes = bounds(ChannelMatrix.of([[1, 0], [1, 0], [0, 1], [0, 1]]))
    assert {each.bound: each.reached for each in classes.bounds} == {
        "outputs": "lower",
        "Santhi-Vardy": "upper",
        "min-capacity": "upper",
        "capacity": "upper",
        "entropy": "neither",
    }
    nothing = bounds(constant(4))
    assert nothing["outputs"].reached == "both"  # one output, one guess
    assert nothing["Santhi-Vardy"].reached == "upper"
    everything = bounds(identity(4), prior_of(identity(4), [0.1, 0.2, 0.3, 0.4]))
    assert (everything["Santhi-Vardy"].reached, everything["entropy"].reached) == ("both", "upper")
    assert bounds(appendix())["Santhi-Vardy"].reached == "neither"
    assert "Santhi-Vardy" in str(nothing)
