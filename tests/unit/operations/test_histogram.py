"""What somebody expects of noisy counts, against sums over all counts that are possible; and what they believe then."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.operations.expected import expected, expected_below
from sfumato.operations.histogram import Histogram
from tests.unit.operations.test_dp import SCHEMA, people

means = st.floats(-6, 1.5).map(lambda power: float(10**power))
scales = st.floats(-1, 1.3).map(lambda power: float(10**power))
N = np.arange(1500)


def plainly(log_weight: Any, mean: float, least: int = 0) -> float:
    """The mean of a count with a geometric distribution before, given the logarithms of how likely counts make what was seen."""
    logs = (N * log(mean / (mean + 1)) + log_weight)[least:]
    weights = np.exp(logs - logs.max())
    return float((N[least:] * weights).sum() / weights.sum())


@settings(deadline=None, max_examples=60)
@given(means, scales, st.integers(0, 1), st.integers(1, 120))
def test_a_published_count_is_expected_to_be_what_all_counts_say(mean: float, scale: float, least: int, shown: int) -> None:
    found = expected(np.array([shown]), np.array([mean]), scale, least)[0]
    assert found == pytest.approx(plainly(-abs(shown - N) / scale, mean, least), rel=1e-8)


@settings(deadline=None, max_examples=60)
@given(means, scales, st.integers(1, 100), st.booleans())
def test_so_is_one_that_is_not_published(mean: float, scale: float, threshold: int, observed: bool) -> None:
    p = exp(-1 / scale)
    lifted = np.log1p(-(p ** np.maximum(threshold - N, 1)) / (1 + p))  # the noise does not lift it to the threshold
    lowered = -(N - threshold + 1) / scale - log(1 + p)  # the noise takes it below
    weight = np.where(threshold > N, lifted, lowered)
    weight[0] = 0 if observed else weight[0]
    found = expected_below(threshold, np.array([mean]), scale, observed=observed)[0]
    assert found == pytest.approx(plainly(weight, mean), rel=1e-8)


def test_where_prior_and_noise_fall_alike_nothing_divides_by_zero() -> None:
    mean = 1 / (exp(0.5) - 1)  # its geometric distribution falls by exp(-1/2), as noise of scale 2 does
    assert expected(np.array([50]), np.array([mean]), 2.0)[0] == pytest.approx(plainly(-abs(50 - N) / 2, mean))


def test_without_noise_the_losses_are_those_of_the_classes() -> None:
    table, schema = people(2000), sf.Schema.parse(SCHEMA)
    made = sf.sanitize(table, schema, method="dp:2000,age=1").losses["ill"]
    measured = sf.measure(table, schema, node={"age": 1, "sex": 0}).attributes[0].losses
    for name, summary in made.losses.items():
        assert summary.people_mean == pytest.approx(measured[name].people_mean, abs=1e-9), name
        assert summary.max == pytest.approx(measured[name].max, abs=1e-9), name
    assert (made.people, set(made.errors.values())) == (2000, {0.0})


def histogram(cells: list[int], counts: list[int], scale: float, threshold: int) -> Histogram:
    labels = {"age": ("[0, 50)", "[50, 100]", None), "sex": ("f", "m", None), "ill": ("flu", "hiv", "none", None)}
    return Histogram({"age": 2, "sex": 0}, labels, np.array(cells, np.int64), np.array(counts, np.int64), 2000, scale, threshold)


def test_noise_that_hides_everything_leaves_the_prior() -> None:
    table, schema = people(2000), sf.Schema.parse(SCHEMA)
    with sf.Source(table, schema).open() as opened:
        original = opened.count()
    hidden = histogram([], [], 10_000.0, 30_000).believed(original, schema, "ill").losses["distribution"]
    assert hidden.max < 0.01
    share = (table["ill"] == "flu").mean()
    one = histogram([0, 2], [200, 300], 1.0, 4).believed(original, schema, "ill").losses["distribution"]  # below 50, f: flu, none
    assert one.min == pytest.approx(abs(0.4 - share) * 2**0.5, abs=2e-3)
    assert one.max > one.min  # of the other classes it is known that all their counts are small


def test_several_sensitive_attributes_are_believed_one_by_one() -> None:
    table = people(2000).assign(work=pd.Series(["a", "b"] * 1000))
    schema = sf.Schema.parse(SCHEMA + '[attributes.work]\nrole = "sensitive"\nvalues = ["a", "b"]\n')
    made = sf.sanitize(table, schema, method="dp:2000,age=1")
    measured = sf.measure(table, schema, node={"age": 1, "sex": 0})
    for each in measured.attributes:
        found = made.losses[each.sensitive].losses["distribution"]
        assert found.people_mean == pytest.approx(each.losses["distribution"].people_mean, abs=1e-9)


def test_with_more_noise_less_is_learned_on_average() -> None:
    table, schema = people(4000), sf.Schema.parse(SCHEMA)
    table["ill"] = np.where(table["age"] < 50, "flu", "none")  # everything can be learned
    learned = [
        sf.sanitize(table, schema, method=f"dp:{e},age=1").losses["ill"].losses["distribution"].people_mean for e in (20, 0.02)
    ]
    assert learned[0] == pytest.approx(0.5**0.5, abs=0.05)
    assert learned[1] < 0.9 * learned[0]  # noise of scale 50: counts of several hundred are surely beyond the threshold
