"""The estimators of population uniqueness against simulated populations whose truth is known, and against plain equations.

Which is good when: Pitman where the population follows his formula (within a tenth from samples of a tenth on, on the mean of ten
samples); the slide negative binomial where class sizes are one more than negative binomial; Zayatz when nearly everybody is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import comb, lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import digamma

from sfumato.models import model_of
from sfumato.models.identity.uniqueness import (
    _CLOSE,
    METHODS,
    Sample,
    _digamma,
    _digammas,
    _zero_of,
    estimated,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from tests.contracts.model_breaks import sizes

Classes = np.ndarray


def pitman_population(people: int, theta: float, alpha: float) -> Classes:
    """The class of each person: the next one opens a class with probability (theta + classes alpha) / (theta + people so far)."""
    rng = np.random.default_rng(1)
    class_of, held, opened = np.zeros(people, int), np.zeros(people), 0
    for person in range(people):
        chosen = opened
        if rng.random() * (theta + person) >= theta + opened * alpha:
            chosen = class_of[rng.integers(person)]
            while rng.random() * held[chosen] > held[chosen] - alpha:
                chosen = class_of[rng.integers(person)]
        opened += chosen == opened
        class_of[person] = chosen
        held[chosen] += 1
    return class_of


def slide_population(classes: int, a: float, b: float) -> Classes:
    """Class sizes one more than negative binomial."""
    return np.repeat(np.arange(classes), 1 + np.random.default_rng(1).negative_binomial(a, b, classes))


POPULATIONS = {
    "pitman": pitman_population(20_000, theta=100, alpha=0.5),
    "snb": slide_population(5_000, a=1, b=0.2),
}


def mean_error(population: str, share: float, method: str) -> float:
    """The mean estimate of ten samples against the mean truth among their people, as a relative error."""
    class_of, rng = POPULATIONS[population], np.random.default_rng(7)
    everybody, truths, result = np.bincount(class_of), [], []
    for _ in range(10):
        drawn = rng.choice(class_of, int(share * len(class_of)), replace=False)
        truths.append(np.mean(everybody[drawn] == 1))
        held = np.bincount(drawn)
        result.append(estimated(Sample.of(held[held > 0], len(class_of)), method)[0])
    return float(np.mean(result) / np.mean(truths) - 1)


@pytest.mark.parametrize(
    ("population", "share", "method", "tolerance"),
    [
        ("pitman", 0.1, "pitman", 0.1),
        ("pitman", 0.3, "pitman", 0.05),
        ("pitman", 0.6, "pitman", 0.03),
        ("snb", 0.1, "snb", 0.15),
        ("snb", 0.3, "snb", 0.05),
        ("snb", 0.6, "snb", 0.03),
        ("pitman", 0.9, "zayatz", 0.03),
        ("snb", 0.9, "zayatz", 0.05),
    ],
)
def test_an_estimator_is_near_the_truth_where_its_assumptions_hold(
    population: str, share: float, method: str, tolerance: float
) -> None:
    assert abs(mean_error(population, share, method)) < tolerance


@pytest.mark.parametrize(
    ("population", "share", "method"), [("snb", 0.1, "pitman"), ("pitman", 0.1, "snb"), ("snb", 0.1, "zayatz")]
)
def test_an_estimator_says_too_much_where_they_do_not(population: str, share: float, method: str) -> None:
    assert mean_error(population, share, method) > 0.5


@pytest.mark.parametrize("people", [(1, 1, 6, 6), (1, 2, 2, 3), (1, 1, 1, 1, 2, 5, 9), (1, *range(1, 30))])
def test_pitman_is_the_maximum_of_the_plain_likelihood(people: tuple[int, ...]) -> None:
    n, u, size = sum(people), len(people), 1000

    def cost(point: np.ndarray) -> float:
        alpha, theta = 1 / (1 + np.exp(-point[0])), np.exp(point[1])
        theta -= alpha
        opened = sum(np.log(theta + i * alpha) for i in range(1, u)) - sum(np.log(theta + i) for i in range(1, n))
        return -(opened + sum(np.log(i - alpha) for held in people for i in range(1, held)))

    fits = [
        minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 4000})
        for start in ((0, 0), (-6, 1))
    ]
    best = min(fits, key=lambda fit: fit.fun)
    alpha = 1 / (1 + np.exp(-best.x[0]))
    theta = np.exp(best.x[1]) - alpha
    logs = [lgamma(theta + 1), lgamma(theta + alpha + size - 1), -lgamma(theta + alpha), -lgamma(theta + size)]
    assert pitman(Sample.of(np.array(people), size)) == pytest.approx(np.exp(sum(logs)), rel=2e-3)


def test_zayatz_is_bayes_in_whole_numbers() -> None:
    # 3 classes of 1, 2 of 2 and 1 of 4 people, n = 11, N = 40.
    weight = {j: classes * j * comb(40 - j, 10) for j, classes in ((1, 3), (2, 2), (4, 1))}
    assert zayatz(Sample.of(np.array([1, 1, 1, 2, 2, 4]), 40)) == pytest.approx(3 / 11 * weight[1] / sum(weight.values()))


def test_the_slide_negative_binomial_recovers_the_parameters_of_its_own_expectations() -> None:
    # a = 1, b = 1/5: K = 1000 classes of 5 people on average, half sampled: b / d = 1/3, u = 833.3, s_1 = 277.8; S_1 = K b = 200.
    uniques, count, n = 250 * 10 / 9, 1000 * 5 / 6, 2500
    rest = (n - uniques) / (count - uniques)
    sample = Sample(np.array([1, rest]), np.array([uniques, count - uniques]), 5000)
    assert slide_negative_binomial(sample) == pytest.approx(200 / 5000)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(0, 10**9))
@settings(max_examples=150)
def test_an_estimate_is_a_share_no_larger_than_that_of_the_sample(people: list[int], more: int) -> None:
    sample = Sample.of(np.array(people), sum(people) + more)
    for method in METHODS:
        value, used = estimated(sample, method)
        assert 0 <= value <= sample.uniques / sample.people
        assert used in (method, "zayatz")
        if more == 0:
            assert value == people.count(1) / sum(people)


def test_a_sample_without_pairs_is_estimated_by_zayatz_and_the_verdict_says_so() -> None:
    result = model_of("population-uniqueness:0.5").judge(sizes([1, 1, 1], 100))
    assert (result.value, result.satisfied) == (1.0, False)
    assert result.reason == "estimated by zayatz, since pitman has no solution; in simulations 1 to 54 times the truth"


@pytest.mark.parametrize(("method", "share", "most"), [("pitman", 0.05, 12), ("zayatz", 0.01, 54), ("snb", 0.01, 54)])
def test_how_far_off_an_estimate_may_be_is_said(method: str, share: float, most: int) -> None:
    """5,000 classes of equal chances: of 20,000 people about 20,000 exp(-4) are unique, and the estimates are many times that."""
    rng = np.random.default_rng(0)
    population = rng.integers(0, 5_000, 20_000)
    sizes_of, ratios = np.bincount(population), []
    for _ in range(10):
        sample = rng.choice(population, int(share * 20_000), replace=False)
        people = np.bincount(sample)
        value, _ = estimated(Sample.of(people[people > 0], 20_000), method)
        ratios.append((value, np.mean(sizes_of[sample] == 1)))
    estimate, truth = np.mean(ratios, axis=0)
    assert 0.85 * most < estimate / truth < 1.15 * most
    result = model_of(f"population-uniqueness:0.5,{method}").judge(sizes([1, 1, 2, 3], 100))
    assert result.reason is not None
    assert f"{most} times the truth" in result.reason


def test_what_is_no_estimate_is_not_called_one() -> None:
    for people, population in (([1, 2], 3), ([2, 3], 100)):
        assert model_of("population-uniqueness:0.5").judge(sizes(people, population)).reason is None


@pytest.mark.parametrize("x", [1e-6, 0.3, 1, 9.99, 10, 1234.5, 1e12])
def test_digamma_has_all_its_digits(x: float) -> None:
    assert _digamma(x) == pytest.approx(digamma(x), rel=1e-13)


@pytest.mark.parametrize(
    ("decreasing", "zero"),
    [
        (lambda x: 2 - x, 2.0),
        (lambda x: 1 - x**3, 1.0),
        (lambda x: math.exp(-x) - math.exp(-20), 20.0),
        (lambda x: -math.atan(1e6 * (x - 3)), 3.0),
        (lambda x: 1.0 if x < 5 else -1.0, 5.0),
        (lambda x: 1.0, 30.0),
        (lambda x: -1.0, -30.0),
    ],
)
def test_a_zero_is_found_or_the_end_that_is_nearer_to_one(decreasing: Callable[[float], float], zero: float) -> None:
    assert _zero_of(decreasing, -30.0, 30.0) == pytest.approx(zero, abs=1e-12)


def test_a_zero_takes_fewer_evaluations_than_halving() -> None:
    evaluated: list[float] = []
    _zero_of(lambda x: evaluated.append(x) or math.exp(1 - x) - 1, -30.0, 30.0)  # type: ignore[func-returns-value]
    assert len(evaluated) < 40 < math.log2(1 / _CLOSE)


def test_digammas_at_once_are_those_one_by_one() -> None:
    numbers = np.array([1e-9, 0.3, 1.0, 9.999, 10.0, 57.2, 1e6])
    assert _digammas(numbers).tolist() == pytest.approx([_digamma(x) for x in numbers.tolist()], rel=1e-14)
