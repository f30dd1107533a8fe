"""Estimates of the MAP error of mechanisms that are only run: right on channels whose error is known, and bounds that hold."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.channel.enumeration import Choice, enumerate_mechanism
from sfumato.channel.enumeration.multisets import all_multisets
from sfumato.channel.estimating import estimate_map_error, sample_channel, sample_mechanism, sample_tables
from sfumato.channel.estimating.estimate import clopper_pearson, cover_hart
from sfumato.channel.estimating.guessers import most_frequent, nearest, resubstitution_error
from sfumato.channel.estimating.samplers import any_tables
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.vulnerability import map_error
from sfumato.errors import UsageError
from tests.unit.channel.small import paper

APPENDIX = [
    [5 / 17, 2 / 17, 0, 10 / 17],
    [0, 20 / 35, 5 / 35, 10 / 35],
    [15 / 28, 5 / 28, 3 / 28, 5 / 28],
    [5 / 20, 8 / 20, 0, 7 / 20],
]
SYMMETRIC = [[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]]  # Cover and Hart's inequality is an equation here
GEOMETRIC = [[0.5 ** abs(i - j) for j in range(-4, 12)] for i in range(8)]
CHANNELS = {
    "appendix": (APPENDIX, None, 0.5404411764705882),
    "appendix, one input nearly certain": (APPENDIX, [0.97, 0.01, 0.01, 0.01], None),
    "symmetric": (SYMMETRIC, None, 0.3),
    "binary symmetric": ([[0.8, 0.2], [0.2, 0.8]], None, 0.2),
    "geometric": ([[x / sum(row) for x in row] for row in GEOMETRIC], None, None),
    "identity": (np.eye(3), None, 0.0),
    "constant": (np.ones((3, 1)), None, 2 / 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["frequentist", "nearest"])
@pytest.mark.parametrize("name", CHANNELS)
def test_intervals_hold_the_truth_as_often_as_they_say(name: str, estimator: str) -> None:
    """Of 1,000 intervals at 95 % fewer than 926 hold the truth with probability 0.001 if the rate is 0.95."""
    matrix, prior, known = CHANNELS[name]
    channel = ChannelMatrix.of(matrix)
    truth = map_error(channel, prior)
    assert known is None or truth == pytest.approx(known, abs=1e-12)
    sampler = sample_channel(channel, prior)
    found = [estimate_map_error(sampler, samples=600, seed=seed, estimator=estimator) for seed in range(1_000)]
    assert sum(each.low - 1e-12 <= truth <= each.high + 1e-12 for each in found) >= 926


@pytest.mark.parametrize("estimator", ["frequentist", "nearest"])
def test_estimates_are_seeded_and_approach_the_truth(estimator: str) -> None:
    channel = ChannelMatrix.of(APPENDIX)
    few, many = (estimate_map_error(sample_channel(channel), samples=n, seed=4, estimator=estimator) for n in (500, 50_000))
    assert many == estimate_map_error(sample_channel(channel), samples=50_000, seed=4, estimator=estimator)
    assert many.high - many.low < few.high - few.low
    assert many.low <= map_error(channel) <= many.high
    if estimator == "frequentist":
        assert many.error == pytest.approx(map_error(channel), abs=0.02)
        assert not many.asymptotic


def test_the_nearest_neighbor_guesses_in_proportion_to_the_posterior() -> None:
    """Its error is the mean of 1 - sum of squared posteriors, which Cover and Hart's bound starts from."""
    found = estimate_map_error(sample_channel(ChannelMatrix.of(SYMMETRIC)), samples=100_000, estimator="nearest")
    assert found.error == pytest.approx(1 - (0.7**2 + 2 * 0.15**2), abs=0.01)
    assert found.asymptotic


def test_what_is_learned_on_a_sample_looks_better_on_it_than_it_is() -> None:
    """The mean of the resubstitution error over all samples of five draws, each with its probability, is at most the true error."""
    joint = np.array([[0.35, 0.15], [0.1, 0.4]])
    cells = list(product(range(2), range(2)))
    mean = 0.0
    for draws in product(cells, repeat=5):
        secrets, observed = (np.array([each[place] for each in draws]) for place in (0, 1))
        mean += float(np.prod([joint[cell] for cell in draws])) * resubstitution_error(secrets, observed)
    assert mean < 1 - joint.max(axis=0).sum()


SAMPLES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=30)


@given(SAMPLES, st.lists(st.integers(0, 6), min_size=1, max_size=10))
def test_the_most_frequent_secret_is_found(sample: list[tuple[int, int]], asked: list[int]) -> None:
    secrets, observed = (np.array([each[place] for each in sample]) for place in (0, 1))
    for shown, guess in zip(asked, most_frequent((secrets, observed), np.array(asked)).tolist(), strict=True):
        among = [secret for secret, observation in sample if observation == shown] or secrets.tolist()
        assert guess == max(sorted(set(among)), key=among.count)


@given(SAMPLES)
def test_the_resubstitution_error_counts_what_is_not_most_frequent(sample: list[tuple[int, int]]) -> None:
    secrets, observed = (np.array([each[place] for each in sample]) for place in (0, 1))
    right = 0
    for shown in set(observed.tolist()):
        among = [secret for secret, observation in sample if observation == shown]
        right += max(among.count(secret) for secret in among)
    assert resubstitution_error(secrets, observed) == pytest.approx(1 - right / len(sample), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=20), st.data())
def test_the_nearest_secret_is_one_of_the_nearest(sample: list[tuple[int, float, float]], data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.tuples(st.floats(-6, 6), st.floats(-6, 6)), min_size=1, max_size=5))
    secrets, observed = np.array([each[0] for each in sample]), np.array([each[1:] for each in sample])
    guesses = nearest((secrets, observed), np.array(asked), np.random.default_rng(0))
    for point, guess in zip(np.array(asked), guesses.tolist(), strict=True):
        away = ((observed - point) ** 2).sum(axis=1)
        assert guess in secrets[away <= away.min() + 1e-12]


@settings(max_examples=20)
@given(st.integers(0, 20), st.integers(20, 40), st.sampled_from([0.025, 0.005]))
def test_clopper_pearson_limits_are_where_the_binomial_tail_is(wrong: int, tested: int, side: float) -> None:
    low, high = clopper_pearson(wrong, tested, side)

    def at_least(rate: float) -> float:
        return sum(comb(tested, n) * rate**n * (1 - rate) ** (tested - n) for n in range(wrong, tested + 1))

    def at_most(rate: float) -> float:
        return sum(comb(tested, n) * rate**n * (1 - rate) ** (tested - n) for n in range(wrong + 1))

    assert low == 0 or at_least(low) == pytest.approx(side, rel=1e-6)
    assert high == 1 or at_most(high) == pytest.approx(side, rel=1e-6)


@given(st.integers(2, 10), st.floats(0, 1))
def test_cover_and_harts_bound_is_solved(secrets: int, share: float) -> None:
    error = share * (1 - 1 / secrets)
    assert cover_hart(error * (2 - error * secrets / (secrets - 1)), secrets) == pytest.approx(error, abs=1e-7)
    assert cover_hart(1.0, secrets) == 1 - 1 / secrets
    assert cover_hart(0.5, 1) == 0


def test_draws_from_a_channel_follow_its_matrix() -> None:
    prior = [0.1, 0.2, 0.3, 0.4]
    secrets, observed = sample_channel(ChannelMatrix.of(APPENDIX), prior).draw(100_000, np.random.default_rng(0))
    shares = np.zeros((4, 4))
    np.add.at(shares, (secrets, observed), 1 / 100_000)
    assert shares == pytest.approx(np.array(APPENDIX) * np.array(prior)[:, None], abs=5 * 0.5 / 100_000**0.5)


def test_a_mechanism_is_run_on_its_candidates() -> None:
    """Randomized response: the truth with probability 3/4. As a label, and as a number with others near it."""

    def answered(candidate: str, rng: np.random.Generator) -> str:
        return candidate if rng.random() < 0.75 else {"yes": "no", "no": "yes"}[candidate]

    def placed(candidate: str, rng: np.random.Generator) -> np.ndarray:
        return np.array([10.0 * (answered(candidate, rng) == "yes") + rng.random()])

    for publish, estimator in ((answered, "frequentist"), (placed, "nearest")):
        found = estimate_map_error(sample_mechanism(["yes", "no"], publish), samples=4_000, seed=1, estimator=estimator)
        assert found.low <= 0.25 <= found.high


@pytest.mark.parametrize("choice", list(Choice))
def test_tables_of_a_universe_are_drawn_and_published_as_the_enumeration_says(choice: Choice) -> None:
    enumerated = enumerate_mechanism(paper(2), "k-anonymity:2", choice=choice)
    found = estimate_map_error(sample_tables(paper(2), "k-anonymity:2", choice=choice), samples=60_000, seed=2)
    assert found.low <= enumerated.map_error <= found.high
    assert found.error == pytest.approx(enumerated.map_error, abs=0.02)
    places = [0, 7, 30, 130, 131, 299]
    rows = enumerated.channel.dense()[places]
    some = estimate_map_error(
        sample_tables(paper(2), "k-anonymity:2", choice=choice, tables=enumerated.tables[places]), samples=20_000, seed=3
    )
    truth = 1 - rows.max(axis=0).sum() / len(places)
    assert some.low - 1e-12 <= truth <= some.high + 1e-12


def test_every_multiset_is_drawn_equally_often() -> None:
    drawn = any_tables(3, 2, 60_000, np.random.default_rng(0))
    kinds, counts = np.unique(drawn, axis=0, return_counts=True)
    assert kinds.tolist() == all_multisets(3, 2).tolist()
    assert np.abs(counts / 60_000 - 1 / 6).max() < 5 * (1 / 6 / 60_000) ** 0.5


def test_where_nothing_is_published_nothing_is_learned() -> None:
    found = estimate_map_error(sample_tables(paper(2), "k-anonymity:3"), samples=5_000)
    assert found.high == 1 - 1 / 300


def test_bad_requests_are_refused() -> None:
    sampler = sample_channel(ChannelMatrix.of(APPENDIX))
    with pytest.raises(UsageError, match="write frequentist or nearest"):
        estimate_map_error(sampler, estimator="best")
    with pytest.raises(UsageError, match="at least two runs"):
        estimate_map_error(sampler, samples=1)
    with pytest.raises(UsageError, match="between 0 and 1"):
        estimate_map_error(sampler, confidence=1)
    with pytest.raises(UsageError, match="at least one candidate"):
        sample_mechanism([], lambda candidate, rng: candidate)
    with pytest.raises(UsageError, match="add up to 1"):
        sample_mechanism([1, 2], lambda candidate, rng: candidate, [0.5, 0.4])
    with pytest.raises(UsageError, match="a candidate has 2 rows"):
        sample_tables(paper(2), "k-anonymity:2", tables=np.zeros((1, 3), np.int64))
    with pytest.raises(UsageError, match="more than can be numbered"):
        sample_tables(paper(80), "k-anonymity:2")


def test_an_estimate_is_shown_with_its_bounds() -> None:
    found = estimate_map_error(sample_channel(ChannelMatrix.of(APPENDIX)), samples=100)
    assert {"low", "high", "asymptotic"} <= set(found.as_dict())
    assert "at least" in str(found)
