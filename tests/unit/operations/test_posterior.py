"""What somebody believes after an operation: against every way to put the table together, and against classes where nothing is random."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.operations.posterior import believed
from sfumato.operations.swaps import SwapChannel

SCHEMA = sf.Schema.parse(
    """
[attributes.age]
role = "quasi"
type = "integer"
[attributes.town]
role = "quasi"
[attributes.ill]
role = "sensitive"
"""
)
TABLE = pd.DataFrame(
    {
        "age": [20, 20, 20, 30, 30, 30, 40, 40],
        "town": ["a", "a", "b", "a", "b", "b", "a", "b"],
        "ill": ["flu", "hiv", "flu", "flu", "cold", "hiv", "cold", "flu"],
    }
)


def counts_of(frame: pd.DataFrame) -> sf.FrequencySet:
    with sf.Source(frame, SCHEMA).open() as table:
        return table.count()


def losses(posteriors: list[tuple[int, dict[str, float]]], prior: dict[str, float]) -> dict[str, float]:
    """Distribution loss from plain dictionaries: largest, and mean over people."""
    values = [(people, sum((share - x.get(ill, 0.0)) ** 2 for ill, share in prior.items()) ** 0.5) for people, x in posteriors]
    total = sum(people for people, _ in values)
    return {"max": max(value for _, value in values), "people_mean": sum(n * v for n, v in values) / total}


def test_without_channels_it_is_the_loss_of_classes() -> None:
    counts = counts_of(TABLE)
    found = believed(counts, counts, SCHEMA["ill"], ())
    measured = sf.measure(TABLE, SCHEMA).attributes[0].losses
    for name, summary in found.losses.items():
        for part in ("max", "min", "class_mean", "people_mean"):
            assert getattr(summary, part) == pytest.approx(getattr(measured[name], part), abs=1e-12), name
    assert (found.people, set(found.errors.values())) == (8, {0.0})


class Table:
    """A channel that is a dictionary of dictionaries."""

    def __init__(self, name: str, matrix: dict[str, dict[str, float]]) -> None:
        self.attributes, self._matrix = (name,), matrix

    def likelihood(self, true: Any, published: Any) -> Any:
        return np.array([[self._matrix[one[0]].get(other[0], 0.0) for other in published] for one in true])


def test_a_changed_sensitive_value_is_weighed_by_bayes() -> None:
    matrix = {ill: {other: 0.7 if ill == other else 0.15 for other in ("flu", "hiv", "cold")} for ill in ("flu", "hiv", "cold")}
    published = TABLE.assign(ill=["hiv", "hiv", "flu", "cold", "cold", "hiv", "flu", "flu"])
    found = believed(counts_of(TABLE), counts_of(published), SCHEMA["ill"], (Table("ill", matrix),))
    prior = {ill: count / 8 for ill, count in Counter(TABLE["ill"]).items()}
    meaning = {
        shown: {ill: prior[ill] * matrix[ill][shown] / sum(prior[o] * matrix[o][shown] for o in prior) for ill in prior}
        for shown in prior
    }
    expected = []
    for (age, town), members in TABLE.groupby(["age", "town"]):
        said = published[(published["age"] == age) & (published["town"] == town)]["ill"]
        expected.append((len(members), {ill: sum(meaning[s][ill] for s in said) / len(said) for ill in prior}))
    plain = losses(expected, prior)
    assert found.losses["distribution"].max == pytest.approx(plain["max"])
    assert found.losses["distribution"].people_mean == pytest.approx(plain["people_mean"])


def test_a_changed_qid_spreads_belief_over_likely_records() -> None:
    matrix = {"20": {"20": 0.6, "30": 0.4}, "30": {"20": 0.2, "30": 0.6, "40": 0.2}, "40": {"30": 0.4, "40": 0.6}}
    published = TABLE.assign(age=[20, 30, 20, 20, 30, 40, 40, 30])
    found = believed(counts_of(TABLE), counts_of(published), SCHEMA["ill"], (Table("age", matrix),))
    prior = {ill: count / 8 for ill, count in Counter(TABLE["ill"]).items()}
    expected = []
    for (age, town), members in TABLE.groupby(["age", "town"]):
        weights: Counter[str] = Counter()
        for record in published[published["town"] == town].itertuples():
            weights[record.ill] += matrix[str(age)].get(str(record.age), 0.0)  # type: ignore[assignment]
        expected.append((len(members), {ill: weight / sum(weights.values()) for ill, weight in weights.items()}))
    plain = losses(expected, prior)
    assert found.losses["distribution"].max == pytest.approx(plain["max"])
    assert found.losses["distribution"].people_mean == pytest.approx(plain["people_mean"])


def test_a_channel_that_tells_nothing_leaves_the_prior() -> None:
    shares = {ill: count / 8 for ill, count in Counter(TABLE["ill"]).items()}
    everything = SwapChannel(("ill",), 1.0, {(ill,): share for ill, share in shares.items()})
    found = believed(counts_of(TABLE), counts_of(TABLE), SCHEMA["ill"], (everything,))
    assert found.losses["distribution"].max == pytest.approx(0, abs=1e-12)
    assert found.losses["entropy"].max == pytest.approx(0, abs=1e-12)


def test_a_sample_is_near_the_whole_and_says_so() -> None:
    draws = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": draws.integers(0, 40, 4000),
            "town": draws.choice(["a", "b"], 4000),
            "ill": draws.choice(["flu", "hiv", "cold"], 4000, p=[0.6, 0.3, 0.1]),
        }
    )
    counts = counts_of(frame)
    whole = believed(counts, counts, SCHEMA["ill"], ())
    some = believed(counts, counts, SCHEMA["ill"], (), seed=3, pairs=60)
    assert 0 < some.people < whole.people == 4000
    away = abs(some.losses["distribution"].people_mean - whole.losses["distribution"].people_mean)
    assert some.errors["distribution"] > 0
    assert away < 5 * some.errors["distribution"]


@pytest.mark.parametrize("methods", [("record-swap:10%", "record-swap:60%"), ("pram:invariant,0.9", "pram:invariant,0.3")])
def test_more_randomness_reveals_less(methods: tuple[str, str]) -> None:
    with sf.data.adult() as table:
        made = [sf.sanitize(table, method=method, quasi=["age", "sex"], seed=1) for method in methods]
    mild, strong = (each.losses["occupation"].losses for each in made)
    for name in ("distribution", "entropy"):
        assert strong[name].people_mean < mild[name].people_mean
