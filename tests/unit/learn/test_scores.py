"""What follows from confusion matrices, by hand."""

from __future__ import annotations

import math

import pytest

from sfumato.learn import Interval, Score
from sfumato.learn.scores import loss_between


def test_accuracy_precision_and_recall_are_those_of_the_thesis() -> None:
    # 3 true negatives, 1 false positive, 2 false negatives, 4 true positives (thesis, 5.5).
    score = Score((((3, 1), (2, 4)),), (6,), positive=1)
    assert score.accuracy == 7 / 10
    assert score.precision == 4 / 5
    assert score.recall == 4 / 6
    assert score.baseline == 6 / 10


def test_without_a_positive_value_precision_and_recall_are_means_over_values() -> None:
    score = Score((((3, 1), (2, 4)),), (6,))
    assert score.precision == pytest.approx((3 / 5 + 4 / 5) / 2)
    assert score.recall == pytest.approx((3 / 4 + 4 / 6) / 2)


def test_a_model_that_never_says_yes_has_no_precision() -> None:
    score = Score((((4, 0), (6, 0)),), (4,), positive=1)
    assert score.precision is None
    assert score.recall == 0


def test_the_repeats_are_added_up() -> None:
    score = Score((((2, 0), (0, 2)), ((0, 2), (2, 0))), (2, 2), positive=0)
    assert score.confusion == ((2, 2), (2, 2))
    assert score.accuracies == (1.0, 0.0)


def test_the_loss_is_the_drop_of_accuracy_over_the_best() -> None:
    best, other = Score((((8, 2), (0, 10)),), (10,)), Score((((5, 5), (4, 6)),), (10,))
    assert loss_between(best, other) == Interval((0.9 - 0.55) / 0.9)


def test_the_interval_is_that_of_repeats_which_share_their_rows() -> None:
    best = Score((((10, 0), (0, 10)),) * 2, (10, 10))
    other = Score((((9, 1), (1, 9)), ((8, 2), (2, 8))), (10, 10))
    found = loss_between(best, other)
    # Losses 0.1 and 0.2: deviation 0.1/sqrt 2; quantile of Student's t with one degree of freedom 12.7062; 1/2 + 1/3 (Nadeau, Bengio).
    half = 12.7062 * 0.1 / math.sqrt(2) * math.sqrt(1 / 2 + 1 / 3)
    assert found.value == pytest.approx(0.15)
    assert found.low == pytest.approx(0.15 - half, abs=1e-5)
    assert found.high == pytest.approx(0.15 + half, abs=1e-5)
