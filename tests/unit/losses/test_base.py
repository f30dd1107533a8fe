"""The register of losses, and how a table is summed up."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.losses import LOSSES, ClassLoss, loss_named, register, summarize
from tests.unit.losses.classes import Classes, classes, counts_of, statistics, trees

NAMES = (
    "distribution",
    "entropy",
    "utility-distribution",
    "utility-entropy",
    "emd",
    "l1",
    "kl",
    "js",
    "hellinger",
    "chi2",
    "map-error",
)


def test_there_are_eleven_losses_and_each_says_what_it_is() -> None:
    assert set(NAMES) <= set(LOSSES)
    for name in NAMES:
        assert LOSSES[name].name == name
        assert LOSSES[name].definition
        assert LOSSES[name].source


def test_an_unknown_loss_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="distribution"):
        loss_named("distributon")


def test_a_registered_loss_is_found_and_its_name_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.losses.base.LOSSES", dict(LOSSES))
    largest = ClassLoss("top-share", "max_i x_i", "here", lambda known: known.column("top") / known.column("mass"), monotone=True)
    assert register(largest) is largest
    assert loss_named("top-share").of(statistics([[3, 1]])).tolist() == [0.75]
    with pytest.raises(UsageError, match="exists already"):
        register(largest)


def test_a_small_table_summed_up_by_hand() -> None:
    summary = summarize(np.array([0.5, 0.0, 1.0]), np.array([2, 5, 3]), suppressed=10, of_prior=0.25)
    assert (summary.max, summary.min, summary.class_mean, summary.worst) == (1.0, 0.0, 0.5, 3)
    assert summary.people_mean == (2 * 0.5 + 3 * 1.0 + 10 * 0.25) / 20


def test_of_equally_bad_classes_the_first_is_the_worst() -> None:
    assert summarize(np.array([0.1, 0.7, 0.7]), np.array([1, 1, 9])).worst == 2


sized = st.lists(st.tuples(st.floats(0, 40), st.integers(1, 10**9)), min_size=1, max_size=30)


@given(sized, st.integers(0, 10**6), st.floats(0, 10))
def test_the_summary_is_that_of_plain_sums(table: list[tuple[float, int]], suppressed: int, of_prior: float) -> None:
    values, sizes = zip(*table, strict=True)
    summary = summarize(np.array(values), np.array(sizes), suppressed=suppressed, of_prior=of_prior)
    exact = sum(Fraction(value) * size for value, size in table) + Fraction(of_prior) * suppressed
    assert summary.people_mean == pytest.approx(float(exact / (sum(sizes) + suppressed)), rel=1e-12, abs=1e-300)
    assert summary.class_mean == pytest.approx(fsum(values) / len(values), rel=1e-12, abs=1e-300)
    assert (summary.max, summary.min) == (max(values), min(values))
    assert summary.worst == values.index(max(values)) + 1


@pytest.mark.slow
@given(sized)
def test_suppressing_nobody_is_no_charge(table: list[tuple[float, int]]) -> None:
    values, sizes = (np.array(column) for column in zip(*table, strict=True))
    assert summarize(values, sizes, of_prior=7.0) == summarize(values, sizes)


def test_means_over_ten_million_classes_keep_nine_digits() -> None:
    """Values of very different sizes, with a period, so that the exact sum is known."""
    period = [0.1, 1e-9, 1.4142135623730951, 3.3e-5, 1 / 3, 2e-16, 0.7, 1e-3, 0.9999999999, 5e-8]
    times = 1_000_000
    values, sizes = np.tile(period, times), np.ones(len(period) * times, np.int64)
    right = float(sum(map(Fraction, period)) / len(period))
    summary = summarize(values, sizes)
    assert summary.people_mean == pytest.approx(right, rel=1e-9, abs=0)
    assert summary.class_mean == pytest.approx(right, rel=1e-9, abs=0)


def test_means_over_classes_of_very_different_sizes_keep_nine_digits() -> None:
    sizes = np.array([9_999_000, *range(1, 1001)])
    values = np.array([1e-7, *(1 / n for n in range(1, 1001))])
    right = float((Fraction(1e-7) * 9_999_000 + sum(Fraction(1 / n) * n for n in range(1, 1001))) / int(sizes.sum()))
    assert summarize(values, sizes).people_mean == pytest.approx(right, rel=1e-9, abs=0)


@pytest.mark.parametrize("name", NAMES)
def test_losses_of_a_class_of_ten_million_people_keep_nine_digits(name: str) -> None:
    """Every value ten million times over has the losses of every value once."""
    few, many = [[7, 3, 2], [1, 1, 2]], [[70_000_000, 30_000_000, 20_000_000], [10_000_000, 10_000_000, 20_000_000]]
    one, other = (loss_named(name).of(statistics(each)) for each in (few, many))
    assert other.tolist() == pytest.approx(one.tolist(), rel=1e-9, abs=0)


ONE_PERSON: Classes = [[0, 1, 0], [3, 0, 2]]
AWKWARD: list[tuple[Classes, list[int]]] = [
    ([[1]], [1]),  # one value, one person
    ([[5]], [3]),
    (ONE_PERSON, [3, 1, 2]),
    (ONE_PERSON, [1, 0, 0]),  # a prior that rules out what occurs
    ([[0, 0, 4]], [4, 4, 0]),
    ([[1, 0], [0, 10**15]], [1, 10**15]),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("drawn", "prior"), AWKWARD)
def test_awkward_tables_give_numbers(name: str, drawn: Classes, prior: list[int]) -> None:
    known = statistics(drawn, prior)
    values = loss_named(name).of(known)
    summary = summarize(values, known.sizes, suppressed=3, of_prior=loss_named(name).of_prior(known))
    assert values.shape == (len(drawn),)
    assert (values >= 0).all()
    assert not any(isnan(number) for number in (summary.max, summary.min, summary.class_mean, summary.people_mean))


@given(st.data())
def test_no_table_gives_a_loss_that_is_no_number(data: st.DataObject) -> None:
    drawn = data.draw(classes())
    m = len(drawn[0])
    prior = data.draw(st.none() | counts_of(m))
    known = statistics(drawn, prior, tree=data.draw(trees(m)), numbers=data.draw(st.none() | st.just([*range(m - 1), np.nan])))
    for name in NAMES:
        values = loss_named(name).of(known)
        assert (values >= 0).all()
        assert not isnan(loss_named(name).of_prior(known))
        if prior is None:
            assert np.isfinite(values).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_with_one_value_has_no_loss(name: str) -> None:
    assert loss_named(name).of(statistics([[1], [99]])).tolist() == [0, 0]
