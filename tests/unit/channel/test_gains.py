"""Gains against the plain way; refinement and composition against what they promise for every gain."""

from __future__ import annotations

from math import inf, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.channel import (
    ChannelMatrix,
    Gain,
    cascade,
    constant,
    g_leakage,
    g_vulnerability,
    hidden_choice,
    identity,
    mutual_information,
    parallel,
    posterior_vulnerability,
    prior_g_vulnerability,
    refinement,
    visible_choice,
)
from sfumato.errors import UsageError
from tests.unit.channel.channels import Floats, appendix, drawn_channels, drawn_shares, drawn_with_priors, plain_vulnerability


def drawn_gains(inputs: int) -> st.SearchStrategy[Floats]:
    row = st.lists(st.integers(-3, 9), min_size=inputs, max_size=inputs)
    return st.lists(row, min_size=1, max_size=5).map(lambda rows: np.array(rows) / 9)


@given(drawn_with_priors(), st.data())
def test_a_table_of_gains_is_that_of_trying_every_guess(drawn: tuple[ChannelMatrix, Floats], data: st.DataObject) -> None:
    channel, prior = drawn
    table = data.draw(drawn_gains(channel.inputs))
    assert g_vulnerability(channel, Gain.of(table), prior) == pytest.approx(plain_vulnerability(channel, prior, table), abs=1e-12)
    nothing = constant(channel.inputs)
    assert prior_g_vulnerability(channel, Gain.of(table), prior) == pytest.approx(
        plain_vulnerability(nothing, prior, table), abs=1e-12
    )


@given(drawn_with_priors(), st.integers(1, 7))
def test_several_tries_are_guesses_of_sets(drawn: tuple[ChannelMatrix, Floats], tries: int) -> None:
    channel, prior = drawn
    gain = Gain.several_tries(tries)
    sets = gain.dense(channel.inputs)
    assert g_vulnerability(channel, gain, prior) == pytest.approx(plain_vulnerability(channel, prior, sets), abs=1e-12)
    assert prior_g_vulnerability(channel, gain, prior) == pytest.approx(max(sets @ prior), abs=1e-12)


@pytest.mark.slow
@given(drawn_with_priors())
def test_an_exact_gain_is_vulnerability(drawn: tuple[ChannelMatrix, Floats]) -> None:
    channel, prior = drawn
    exact = posterior_vulnerability(channel, prior)
    for gain in (
        Gain.exact(),
        Gain.several_tries(1),
        Gain.of(np.eye(channel.inputs)),
        Gain.within(1 - np.eye(channel.inputs), 0),
    ):
        assert g_vulnerability(channel, gain, prior) == pytest.approx(exact, abs=1e-12)


def test_a_guess_within_a_distance_counts() -> None:
    """Four counts in a row, nothing seen: guessing 1 or 2 is right for three of four; a tie at the radius counts."""
    distances = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert g_vulnerability(constant(4), Gain.within(distances, 1)) == pytest.approx(0.75)
    assert g_leakage(identity(4), Gain.within(distances, 1)) == pytest.approx(log2(4 / 3))
    assert g_leakage(constant(4), Gain.within(distances, 1)) == 0


def test_blocks_of_outputs_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = Gain.of([[1, 0.5, 0, 0], [0, 0.2, 1, 0.3]])
    whole = g_vulnerability(appendix(), gain)
    monkeypatch.setattr("sfumato.channel.gains._BLOCK", 2)
    assert g_vulnerability(appendix(), gain) == pytest.approx(whole)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: g_vulnerability(identity(3), Gain.of(np.eye(2))), "the gain has 2 columns for 3 inputs"),
        (lambda: prior_g_vulnerability(identity(3), Gain.of(np.eye(2))), "the gain has 2 columns for 3 inputs"),
        (lambda: Gain.of([[1, np.nan]]), "finite numbers"),
        (lambda: Gain.of([[1], [1, 2]]), "equally long"),
        (lambda: Gain.of([1, 2]), "a row per guess"),
        (lambda: Gain.several_tries(0), "at least one"),
        (lambda: g_leakage(identity(2), Gain.of([[-1, -1]])), "loses without an output"),
    ],
)
def test_a_gain_that_does_not_fit_is_refused(make: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()


def test_where_nothing_was_to_be_gained_any_gain_is_infinite() -> None:
    all_or_nothing = Gain.of([[1, -1], [-1, 1]])
    assert g_leakage(identity(2), all_or_nothing) == inf
    assert g_leakage(constant(2), all_or_nothing) == 0


@settings(max_examples=60, deadline=None)
@given(drawn_with_priors(), st.data())
def test_a_channel_made_of_another_never_gives_away_more(drawn: tuple[ChannelMatrix, Floats], data: st.DataObject) -> None:
    channel, prior = drawn
    after = cascade(channel, data.draw(drawn_channels(inputs=channel.outputs)))
    found = refinement(channel, after)
    assert found.holds
    assert found.through is not None
    assert cascade(channel, found.through).dense() == pytest.approx(after.dense(), abs=1e-9)
    gain = Gain.of(data.draw(drawn_gains(channel.inputs)))
    assert g_vulnerability(after, gain, prior) <= g_vulnerability(channel, gain, prior) + 1e-12


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.data())
def test_a_no_has_a_gain_that_shows_it(inputs: int, data: st.DataObject) -> None:
    one, other = (data.draw(drawn_channels(inputs=inputs)) for _ in range(2))
    found = refinement(one, other)
    assume(not found.holds)
    assert found.gain is not None
    assert found.before is not None
    assert found.after is not None
    table = found.gain.dense(inputs)
    assert ((table >= 0) & (table <= 1)).all()
    flat = np.full(inputs, 1 / inputs)
    before, after = (plain_vulnerability(each, flat, table) for each in (one, other))
    assert (found.before, found.after) == pytest.approx((before, after), abs=1e-12)
    assert after > before


def test_everything_refines_to_nothing_and_nothing_else() -> None:
    assert refinement(identity(3), appendix_of_three()).holds
    assert refinement(appendix_of_three(), constant(3)).holds
    assert not refinement(constant(3), appendix_of_three()).holds
    with pytest.raises(UsageError, match="3 inputs, the other 2"):
        refinement(identity(3), identity(2))


def appendix_of_three() -> ChannelMatrix:
    return ChannelMatrix.of(appendix().dense()[:3])


@given(st.integers(1, 4), st.data())
def test_two_releases_are_rows_multiplied(inputs: int, data: st.DataObject) -> None:
    one, other = (data.draw(drawn_channels(inputs=inputs)) for _ in range(2))
    both = parallel(one, other)
    plain = [np.outer(mine, theirs).ravel() for mine, theirs in zip(one.dense(), other.dense(), strict=True)]
    assert both.dense() == pytest.approx(np.array(plain), abs=1e-15)
    prior = data.draw(drawn_shares(inputs))
    assert mutual_information(both, prior) <= mutual_information(one, prior) + mutual_information(other, prior) + 1e-12
    assert posterior_vulnerability(both, prior) >= posterior_vulnerability(one, prior) - 1e-12


@given(st.integers(1, 4), st.integers(0, 10), st.data())
def test_telling_which_mechanism_was_used_tells_no_less(inputs: int, tenths: int, data: st.DataObject) -> None:
    one, other = (data.draw(drawn_channels(inputs=inputs, outputs=3)) for _ in range(2))
    hidden, visible = hidden_choice(one, other, tenths / 10), visible_choice(one, other, tenths / 10)
    assert hidden.dense() == pytest.approx(tenths / 10 * one.dense() + (1 - tenths / 10) * other.dense(), abs=1e-15)
    prior = data.draw(drawn_shares(inputs))
    expected = tenths / 10 * posterior_vulnerability(one, prior) + (1 - tenths / 10) * posterior_vulnerability(other, prior)
    assert posterior_vulnerability(visible, prior) == pytest.approx(expected, abs=1e-12)
    assert posterior_vulnerability(hidden, prior) <= expected + 1e-12


def test_a_hidden_choice_merges_outputs_of_one_name() -> None:
    one = ChannelMatrix.of([[1, 0], [0, 1]], None, ["a", "b"])
    other = ChannelMatrix.of([[1, 0], [1, 0]], None, ["b", "c"])
    mixed = hidden_choice(one, other, 0.5)
    assert mixed.output_labels == ("a", "b", "c")
    assert mixed.dense().tolist() == [[0.5, 0.5, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cascade(identity(2), identity(3)), "2 outputs into 3 inputs"),
        (lambda: parallel(identity(2), identity(3)), "2 inputs, the other 3"),
        (lambda: hidden_choice(identity(2), constant(2), 0.5), "as many of them"),
        (lambda: hidden_choice(identity(2), identity(2), 1.5), "between 0 and 1"),
        (
            lambda: parallel(ChannelMatrix.of(np.eye(2), ["a", "b"]), ChannelMatrix.of(np.eye(2), ["b", "a"])),
            "different names",
        ),
    ],
)
def test_channels_that_do_not_fit_are_refused(make: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()
