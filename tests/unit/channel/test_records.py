"""The channel of one record, and what the best guesser gains from a release."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.beliefs import Prior, statistics_of
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.records import (
    Values,
    class_channel,
    guessing,
    guessing_changed,
    guessing_noise,
    record_channel,
)
from sfumato.channel.records.channels import noise_of
from sfumato.channel.records.noise import right_guesses
from sfumato.channel.vulnerability import map_error, posterior_vulnerability
from sfumato.errors import DataError, SchemaError, UsageError
from sfumato.operations import operation_of
from sfumato.operations.base import Task
from sfumato.operations.noise import NoiseChannel
from sfumato.verbs.channel_of import channel_of
from tests.unit.channel.small import paper
from tests.unit.operations.copies import copy_of

SCHEMA = {
    "attributes": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"tree": {"young": [20, 30], "old": [40, 50]}}},
        "illness": {"role": "sensitive", "values": ["flu", "cancer", "cold"]},
    }
}
AGES = [20] * 6 + [30] * 5 + [40] * 4 + [50] * 5
ILLNESSES = ["flu", "flu", "cancer", "cold"] * 5


def _table() -> pa.Table:
    return pa.table({"age": AGES, "illness": ILLNESSES})


def _values(name: str, kind: str) -> Values:
    with sf.Source(_table(), sf.Schema.parse(SCHEMA)).open() as table:
        return Values.of(table.count(), name, kind)


@pytest.mark.parametrize(
    "method", ["pram:uniform,0.7", "pram:invariant,0.6", "record-swap:30%", "rank-swap:40%", "noise:gaussian,0.3"]
)
def test_the_channel_is_the_one_that_the_operation_states(method: str, tmp_path: Path) -> None:
    schema = sf.Schema.parse(SCHEMA)
    copy = copy_of(tmp_path, _table(), schema)
    stated = operation_of(method).apply(copy, Task(schema, ("age",), ("age",), 1)).channels[0]
    found = record_channel(_values("age", "integer"), method)
    outputs = [label for label in found.channel.output_labels or () if label[0] not in "<>"]
    places = [(found.channel.output_labels or ()).index(label) for label in outputs]
    true = [(label,) for label in found.channel.input_labels or ()]
    assert found.channel.dense()[:, places] == pytest.approx(stated.likelihood(true, [(label,) for label in outputs]), abs=1e-12)
    assert found.prior.tolist() == [0.3, 0.25, 0.2, 0.25]


@pytest.mark.parametrize("method", ["pram:uniform,0.7", "record-swap:30%", "rank-swap:40%", "noise:laplace,0.3"])
def test_rows_are_changed_as_often_as_the_channel_says(method: str, tmp_path: Path) -> None:
    """Over many seeds: each observed share within 5 standard errors of its probability."""
    schema, operation = sf.Schema.parse(SCHEMA), operation_of(method)
    copy, found = copy_of(tmp_path, _table(), schema), record_channel(_values("age", "integer"), method).channel
    counted: Counter[tuple[str, str]] = Counter()
    for seed in range(200):
        made = operation.apply(copy, Task(schema, ("age",), ("age",), seed))
        for batch in made.batches:
            counted.update(zip(map(str, AGES), map(str, batch.column("age").to_pylist()), strict=True))
    for row, true in enumerate(found.input_labels or ()):
        times = 200 * AGES.count(int(true))
        for column, published in enumerate(found.output_labels or ()):
            p = found.dense()[row, column]
            spread = np.sqrt(max(p * (1 - p), 1e-4) * len(AGES) / times)  # values of one seed depend on each other
            assert abs(counted[(true, published)] / times - p) < 5 * spread


def test_recoding_tells_the_label_and_nothing_else() -> None:
    found = record_channel(_values("age", "integer"), 1)
    assert found.channel.dense().tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert map_error(found.channel, found.prior) == pytest.approx(1 - (0.3 + 0.25))
    assert map_error(record_channel(_values("age", "integer"), 0).channel) == 0


def test_noise_on_whole_numbers_is_nearly_that_without_rounding() -> None:
    values = _values("age", "integer")
    for method in ("noise:gaussian,1", "noise:laplace,1"):
        found = record_channel(values, method)
        assert posterior_vulnerability(found.channel, found.prior) == pytest.approx(guessing_noise(values, method), abs=0.01)
        assert (
            posterior_vulnerability(found.channel, found.prior) <= guessing_noise(values, method) + 1e-12
        )  # rounding tells less


NUMBERS = st.lists(st.floats(0, 20).map(lambda x: round(x, 2)), min_size=1, max_size=6, unique=True)


@given(NUMBERS, st.lists(st.floats(0.01, 1), min_size=6, max_size=6), st.floats(0.2, 8), st.booleans())
def test_the_best_guess_under_noise_is_the_integral_of_the_largest_density(
    numbers: list[float], weights: list[float], deviation: float, laplace: bool
) -> None:
    x = np.sort(np.array(numbers))
    prior = np.array(weights[: len(x)]) / sum(weights[: len(x)])
    y = np.linspace(-120, 140, 130_001)
    away = (y[None, :] - x[:, None]) / deviation
    density = np.exp(-np.abs(away) * 2**0.5) / 2**0.5 if laplace else np.exp(-(away**2) / 2) / (2 * np.pi) ** 0.5
    integral = float((prior[:, None] * density / deviation).max(axis=0).sum() * (y[1] - y[0]))
    assert right_guesses(x, prior, NoiseChannel(("x",), deviation, laplace, False)) == pytest.approx(integral, abs=2e-3)


def test_without_noise_everything_is_guessed() -> None:
    values = Values("x", ("1",), np.array([5]), sf.Schema.parse(SCHEMA)["age"].kind, _values("age", "integer").hierarchy)
    assert noise_of(values, operation_of("noise:gaussian,0.5")).deviation == 0
    assert guessing_noise(values, "noise:gaussian,0.5") == 1
    assert record_channel(values, "noise:gaussian,0.5").channel.dense().tolist() == [[1]]


@given(st.lists(st.integers(0, 23), min_size=1, max_size=12))
def test_the_guesser_of_a_release_is_that_of_its_channel(table: list[int]) -> None:
    universe = paper(1)
    attribute = universe.sensitive
    assert attribute is not None
    for node in universe.nodes:
        counts = universe.counted(table).roll_up(node)
        guesses = guessing(statistics_of(counts, attribute, Prior.of(counts)))
        channel, prior = class_channel(counts)
        assert guesses.map_error == pytest.approx(map_error(channel, prior), abs=1e-12)
        assert guesses.prior_vulnerability == pytest.approx(prior.max(), abs=1e-12)
        rows = [universe.labels(int(row), node) for row in universe.released(node)[table]]
        right = sum(max(Counter(row[2] for row in rows if row[:2] == cell).values()) for cell in {row[:2] for row in rows})
        assert guesses.posterior_vulnerability == pytest.approx(right / len(table), abs=1e-12)
        assert guesses.gain >= -1e-12


def test_merging_classes_never_lowers_the_error() -> None:
    universe = paper(1)
    counts = universe.counted([*range(0, 24, 2), 3, 3, 5, 17])
    attribute = universe.sensitive
    assert attribute is not None
    errors = {}
    for node in universe.nodes:
        rolled = counts.roll_up(node)
        errors[node] = guessing(statistics_of(rolled, attribute, Prior.of(rolled))).map_error
    assert all(errors[a] >= errors[b] - 1e-12 for a in errors for b in errors if a.covers(b))


def test_a_published_file_and_its_release_say_the_same(tmp_path: Path) -> None:
    release = sf.publish(_table(), SCHEMA, node=[1], output=tmp_path / "r.csv")
    of_release, of_file = channel_of(release), channel_of(tmp_path / "r.csv", SCHEMA)
    assert of_release.as_dict() == of_file.as_dict()
    each = of_release.attributes[0]
    assert each.prior_vulnerability == 0.5
    young, old = Counter(ILLNESSES[:11]), Counter(ILLNESSES[11:])
    assert each.posterior_vulnerability == pytest.approx((max(young.values()) + max(old.values())) / 20)
    assert each.per_class().heads == ("class", "people", "before", "after", "MAP error", "gain")
    assert "MAP error" in str(of_release)
    assert "flu" not in str(each.per_class())


@pytest.mark.parametrize("method", ["pram:uniform,0.7", "pram:invariant,0.7", "record-swap:40%"])
def test_changed_values_are_weighed_by_the_channel_that_they_went_through(method: str, tmp_path: Path) -> None:
    made = sf.sanitize(_table(), SCHEMA, method=method, output=tmp_path / "r.csv", seed=3)
    guesses = channel_of(tmp_path / "r.csv", SCHEMA, original=_table()).attributes[0]
    with sf.Source(_table(), sf.Schema.parse(SCHEMA)).open() as table:
        matrix = record_channel(Values.of(table.count(), "illness"), method)
    counts = made.release.classes
    right = 0.0
    names = matrix.channel.input_labels or ()
    joint = matrix.channel.dense() * matrix.prior[:, None]
    for number in range(counts.classes):
        payload = counts.payloads["illness"]
        cells = slice(payload.offsets[number], payload.offsets[number + 1])
        belief = np.zeros(len(names))
        for code, people in zip(payload.values[cells], payload.people[cells], strict=True):
            column = joint[:, names.index(str(payload.hierarchy.label(0, int(code))))]
            belief += people * column / column.sum()
        right += belief.max()
    assert guesses.posterior_vulnerability == pytest.approx(right / 20, abs=1e-12)
    assert made.losses["illness"].losses["map-error"].people_mean == pytest.approx(guesses.map_error, abs=1e-12)
    assert channel_of(tmp_path / "r.csv", SCHEMA).prior.startswith("the file, as it was before")


def test_a_matrix_that_publishes_all_values_alike_tells_nothing() -> None:
    universe = paper(1)
    counts = universe.counted([0, 1, 2, 5, 8, 11])
    guesses = guessing_changed(counts, "disease", operation_of(f"pram:uniform,{1 / 3!r}"))
    assert guesses.gain == pytest.approx(0, abs=1e-9)
    assert guesses.map_error == pytest.approx(2 / 3)


def test_what_cannot_be_answered_is_refused(tmp_path: Path) -> None:
    ages = _values("age", "integer")
    with pytest.raises(UsageError, match="level 3 of 'age' does not exist"):
        record_channel(ages, 3)
    with pytest.raises(UsageError, match="has no channel of single values"):
        record_channel(ages, "microaggregate:3")
    with pytest.raises(UsageError, match="use guessing_noise"):
        record_channel(_values("age", "decimal"), "noise:gaussian,0.5")
    with pytest.raises(UsageError, match="changes numbers"):
        record_channel(_values("illness", "text"), "noise:gaussian,0.5")
    with pytest.raises(UsageError, match="is no noise"):
        guessing_noise(ages, "pram:0.5")
    with pytest.raises(UsageError, match="no attribute 'ages'"):
        _values("ages", "integer")
    with pytest.raises(UsageError, match="a guesser keeps no model"):
        channel_of(_table(), SCHEMA, models="k-anonymity:2")
    with pytest.raises(SchemaError, match="no sensitive attribute to guess"):
        channel_of(_table().select(["age"]), SCHEMA)
    sf.sanitize(_table(), SCHEMA, method="noise:gaussian,0.5", output=tmp_path / "n.csv", seed=1)
    with pytest.raises(DataError, match="classes of the file say nothing about people"):
        channel_of(tmp_path / "n.csv", SCHEMA)


def test_the_channel_of_a_column_that_stays_is_the_identity() -> None:
    found = record_channel(_values("illness", "text"), "pram:uniform,1")
    assert isinstance(found.channel, ChannelMatrix)
    assert found.channel.dense().tolist() == np.eye(3).tolist()
