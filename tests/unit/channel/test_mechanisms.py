"""Models of mechanisms, on mechanisms whose parameters are known."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import comb, exp, inf, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.channel import ChannelMatrix, cascade, constant, geometric, identity, judge, parallel, randomized_response
from sfumato.errors import UsageError
from sfumato.models import MECHANISM_MODELS, MODELS, DifferentialPrivacy, models_of
from tests.unit.channel.channels import Floats, drawn_channels, drawn_shares


def epsilon(channel: ChannelMatrix, neighbors: Any = None) -> float:
    return judge(channel, "differential-privacy:1", neighbors=neighbors).value


@pytest.mark.parametrize("values", [2, 5])
@pytest.mark.parametrize("asked", [0.1, 1.0, 3.0])
def test_randomized_response_has_its_epsilon(values: int, asked: float) -> None:
    channel = randomized_response(values, asked)
    assert epsilon(channel) == pytest.approx(asked)
    assert judge(channel, DifferentialPrivacy(asked)).satisfied
    assert not judge(channel, DifferentialPrivacy(asked - 1e-6)).satisfied


def test_geometric_noise_has_its_epsilon_for_counts_that_differ_by_one() -> None:
    channel = geometric(6, 0.5)
    apart = np.abs(np.subtract.outer(np.arange(7), np.arange(7)))
    assert epsilon(channel, apart == 1) == pytest.approx(0.5)
    assert epsilon(channel, [(place, place + 1) for place in range(6)]) == pytest.approx(0.5)
    assert epsilon(channel, [("0", "3")]) == pytest.approx(1.5)
    assert epsilon(channel) == pytest.approx(3)


def test_a_noisy_histogram() -> None:
    """Two persons over three bins, each count with geometric noise of its own. Somebody who comes or goes changes one count by one;
    somebody who changes bins changes two."""
    one_count = geometric(2, 0.4)
    histograms = [counts for counts in product(range(3), repeat=3) if sum(counts) <= 2]
    rows = [
        np.multiply.outer(np.multiply.outer(*(one_count.dense()[c] for c in counts[:2])), one_count.dense()[counts[2]]).ravel()
        for counts in histograms
    ]
    channel = ChannelMatrix.of(rows)
    apart = np.abs(np.array(histograms)[:, None] - np.array(histograms)).sum(axis=2)
    totals = np.array(histograms).sum(axis=1)
    assert epsilon(channel, apart == 1) == pytest.approx(0.4)
    assert epsilon(channel, (apart == 2) & (totals[:, None] == totals)) == pytest.approx(0.8)


def test_an_output_that_only_one_neighbor_has_makes_it_infinite() -> None:
    verdict = judge(identity(3), "differential-privacy:5")
    assert verdict.value == inf
    assert not verdict.satisfied
    assert verdict.as_dict()["value"] is None
    assert verdict.as_dict()["reason"] == "the value is infinite"
    assert epsilon(identity(3), [(0, 1)]) == inf
    assert epsilon(identity(3), []) == 0
    assert epsilon(constant(3)) == 0


@settings(max_examples=60)
@given(drawn_channels(), st.data())
def test_epsilon_is_the_largest_ratio_and_grows_as_it_should(channel: ChannelMatrix, data: st.DataObject) -> None:
    rows = channel.dense()
    largest = max(
        (log(a / b) if b else inf) if a else 0.0 for one in rows for other in rows for a, b in zip(one, other, strict=True)
    )
    assert epsilon(channel) == pytest.approx(largest, abs=1e-12)
    assert epsilon(channel, np.ones((channel.inputs,) * 2, bool)) == pytest.approx(largest, abs=1e-12)
    after = cascade(channel, data.draw(drawn_channels(inputs=channel.outputs)))
    assert epsilon(after) <= largest + 1e-9
    assert epsilon(parallel(channel, channel)) == pytest.approx(2 * largest, abs=1e-9)


def sets(tuples: int) -> Floats:
    return (np.arange(2**tuples)[:, None] >> np.arange(tuples)) & 1


def kept_and_inserted(tuples: int, kept: float, inserted: float) -> ChannelMatrix:
    """Each tuple of the table is kept with a probability, each other of the domain inserted with another (Rastogi et al. 2007)."""
    members = sets(tuples)
    shown = np.where(members, kept, inserted)
    return ChannelMatrix.of([[np.prod(np.where(output, own, 1 - own)) for output in members] for own in shown])


@pytest.mark.parametrize("tuples", [1, 3])
@pytest.mark.parametrize("d", [0.05, 0.25, 0.6])
def test_tuples_kept_and_inserted(tuples: int, d: float) -> None:
    """Tuples do not tell of each other: a shown one is believed with d·k/(d·k + (1-d)·i), and an absent one has the ratio (1-k)/(1-i)."""
    kept, inserted = 0.75, 0.25
    channel = kept_and_inserted(tuples, kept, inserted)
    largest, ratio = d * kept / (d * kept + (1 - d) * inserted), (1 - kept) / (1 - inserted)
    gamma = max(largest, d / ratio)
    members = sets(tuples)
    if gamma <= 1:
        assert judge(channel, f"d-gamma-privacy:{d},{gamma}", members=members).satisfied
    refused = judge(channel, f"d-gamma-privacy:{d},{max(largest * 0.99, d)}", members=members)
    assert not refused.satisfied
    assert refused.value == pytest.approx(largest)
    if d / ratio * 0.99 > largest:
        refused = judge(channel, f"d-gamma-privacy:{d},{min(d / ratio * 0.99, 1)}", members=members)
        assert not refused.satisfied
        assert (refused.direction, refused.value) == ("at_least", pytest.approx(ratio))


@settings(max_examples=40)
@given(drawn_channels(inputs=4), st.integers(1, 9), st.data())
def test_no_independent_adversary_believes_more(channel: ChannelMatrix, tenths: int, data: st.DataObject) -> None:
    """Two tuples: adversaries between the extreme ones, worked out with Bayes."""
    d, members = tenths / 10, sets(2)
    rows = channel.dense()
    found = judge(channel, f"d-gamma-privacy:{d},1", members=members)
    beliefs = np.array(
        [data.draw(st.integers(1, 9)) / 9 * d, data.draw(st.one_of(st.integers(0, 9).map(lambda n: n / 9 * d), st.just(1.0)))]
    )
    prior = np.prod(np.where(members, beliefs, 1 - beliefs), axis=1)
    for joint in (prior[:, None] * rows).T:
        if joint.sum() > 0:
            posterior = joint[members[:, 0] == 1].sum() / joint.sum()
            if found.direction == "at_most":
                assert posterior <= found.value + 1e-12
                assert posterior / beliefs[0] >= d - 1e-9
            else:
                assert posterior / beliefs[0] >= found.value - 1e-12


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (None, "say which are in each input"),
        ([[0], [1], [1], [0]], "all 2 sets of 1 tuple, each once"),
        ([[0, 0], [0, 1], [1, 0], [0, 1]], "all 4 sets"),
        ([[0, 1]], "for each of 4 inputs"),
        (np.zeros((4, 9)), "9 tuples; judged exactly are 1 to 8"),
        (np.full((4, 2), 2), "zeros and ones"),
    ],
)
def test_tuples_that_do_not_fit_are_refused(members: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        judge(identity(4), "d-gamma-privacy:0.1,0.5", members=members)


def test_distributional_privacy_of_randomized_response() -> None:
    channel = randomized_response(2, log(3))
    assert judge(channel, "distributional-privacy:1,0.4").value == pytest.approx(log(3))
    assert judge(channel, "distributional-privacy:1,0.5").value == 0
    # With one value at 9/10, two draws differ in 18 of 100 cases, in either order.
    assert judge(channel, "distributional-privacy:1,0.18", laws=[[0.9, 0.1]]).value == 0
    assert judge(channel, "distributional-privacy:1,0.17", laws=[[0.9, 0.1]]).value == pytest.approx(log(3))
    assert judge(channel, "distributional-privacy:1,0.2", laws=[[0.9, 0.1], None]).value == pytest.approx(log(3))  # the worst law


def test_two_samples_of_a_population() -> None:
    """Three of six people are drawn, two of the six have the value, and their number is published with noise: counts 0, 1, 2 with
    hypergeometric probabilities. Counts two apart are drawn in 2·(1/5)² of the cases, in one of two orders each."""
    law = [comb(2, c) * comb(4, 3 - c) / comb(6, 3) for c in range(3)]
    channel = geometric(2, 0.5)
    assert judge(channel, "distributional-privacy:1", laws=[law]).value == pytest.approx(1.0)
    assert judge(channel, "distributional-privacy:1,0.08", laws=[law]).value == pytest.approx(0.5)
    assert judge(channel, "distributional-privacy:1,0.07", laws=[law]).value == pytest.approx(1.0)


@given(drawn_channels(), st.integers(0, 20), st.data())
def test_the_bound_is_kept_but_for_beta_of_the_draws(channel: ChannelMatrix, twentieths: int, data: st.DataObject) -> None:
    law, beta = data.draw(drawn_shares(channel.inputs)), twentieths / 20
    found = judge(channel, f"distributional-privacy:1,{beta}", laws=[law]).value
    rows = channel.dense()
    kept = sum(
        law[x] * law[z]
        for x in range(channel.inputs)
        for z in range(channel.inputs)
        if law[x] * law[z] > 0 and all(a <= exp(min(found, 700)) * b * (1 + 1e-12) for a, b in zip(rows[x], rows[z], strict=True))
    )
    assert found == inf or kept >= 1 - beta - 1e-9


def test_models_of_mechanisms_are_a_kind_of_their_own() -> None:
    assert list(MECHANISM_MODELS) == ["differential-privacy", "d-gamma-privacy", "distributional-privacy"]
    assert not set(MECHANISM_MODELS) & set(MODELS)
    for asked in ("differential-privacy:1", DifferentialPrivacy(1)):
        with pytest.raises(UsageError, match=r"requirement of a mechanism .* `sfumato channel judge`"):
            models_of(asked)
    with pytest.raises(UsageError, match="requirement of a mechanism"):
        sf.anonymize(sf.data.adult(), models="distributional-privacy:1")
    assert str(DifferentialPrivacy(0.5)) == "differential-privacy:0.5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k-anonymity:2", "no model 'k-anonymity' in those of mechanisms"),
        ("differential-privacy:-1", "epsilon must be a number of at least 0"),
        ("differential-privacy", "takes epsilon, as in differential-privacy:1"),
        ("d-gamma-privacy:0.5,0.1", "at most gamma"),
        ("distributional-privacy:1,2", "beta must be a number between 0 and 1"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        judge(identity(2), text)


@pytest.mark.parametrize("neighbors", [np.ones((3, 3), bool), [(0, 5)], [("a", "b")], [(0, 1, 1)], [(0.5, 1)]])
def test_neighbors_that_are_none_are_refused(neighbors: Any) -> None:
    with pytest.raises(UsageError, match="neighbors"):
        epsilon(identity(2), neighbors)


def test_all_multisets_of_two_rows() -> None:
    """A table is published row by row by randomized response: changing one row changes the log ratio by epsilon, whatever the order."""
    one = randomized_response(3, 0.7).dense()
    tables = list(combinations_with_replacement(range(3), 2))
    rows = [[(one[t[0], o[0]] * one[t[1], o[1]]) for o in product(range(3), repeat=2)] for t in tables]
    near = [(a, b) for a in range(6) for b in range(6) if len(set(enumerate(tables[a])) ^ set(enumerate(tables[b]))) == 2]
    assert epsilon(ChannelMatrix.of(rows), near) == pytest.approx(0.7)
