"""What a channel matrix and a prior accept, keep and refuse."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from sfumato.channel import ChannelMatrix, knowing, prior_of, uniform, worst_map_error
from sfumato.errors import UsageError


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.4], [0, 0]], r"row 2 adds up to 0\.9 and not to 1 \(2 rows in all\)"),
        ([[1.0], [1.0 + 2e-9]], r"row 2 adds up to 1\.000000002 "),
        ([[1, 0], [1.5, -0.5]], "row 2 has a negative probability"),
        ([[1, 0], [np.nan, 1]], "row 2 has an entry that is not a finite number"),
        ([[np.inf, 1]], "row 1 has an entry that is not a finite number"),
        ([0.5, 0.5], "this has 1 dimension"),
        ([[1], [0.5, 0.5]], "all rows equally long"),
        ([["x"]], "a table of numbers"),
        (np.empty((0, 3)), "at least one input and one output"),
    ],
)
def test_a_matrix_that_is_no_channel_is_refused_in_one_line(values: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        ChannelMatrix.of(values)
    assert "\n" not in str(refused.value)


def test_a_row_may_miss_one_by_rounding() -> None:
    assert ChannelMatrix.of([[0.1] * 10, [1 / 3, 2 / 3, *[0] * 8]]).inputs == 2
    assert ChannelMatrix.of([[1 - 9e-10]]).outputs == 1


def test_sparse_and_dense_values_make_the_same_channel() -> None:
    dense = np.array([[0.5, 0.5, 0], [0, 0, 1]])
    doubled = scipy.sparse.coo_array(([0.25, 0.25, 0.5, 1, 0], ([0, 0, 0, 1, 1], [0, 0, 1, 2, 0])), shape=(2, 3))
    for values in (dense, dense.tolist(), scipy.sparse.csc_matrix(dense), doubled):
        channel = ChannelMatrix.of(values)
        assert (channel.dense() == dense).all()
        assert (channel.inputs, channel.outputs, channel.entries) == (2, 3, 3)


def test_nothing_of_a_channel_can_be_written_to() -> None:
    given = np.eye(2)
    channel = ChannelMatrix.of(given)
    given[0, 0] = 7
    assert channel.dense()[0, 0] == 1
    for part in (channel.rows, channel.columns):
        with pytest.raises(ValueError, match="read-only"):
            part.data[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        uniform(3)[0] = 1


def test_inputs_and_outputs_are_named_or_numbered_from_one() -> None:
    named = ChannelMatrix.of(np.eye(2), ["ill", "well"], ["yes", "no"])
    assert (named.input(0), named.output(1)) == ("ill", "no")
    assert ChannelMatrix.of(np.eye(2)).input(0) == "1"
    with pytest.raises(UsageError, match="3 names for 2 inputs"):
        ChannelMatrix.of(np.eye(2), ["a", "b", "c"])
    with pytest.raises(UsageError, match="the names of the outputs must differ"):
        ChannelMatrix.of(np.eye(2), None, ["a", "a"])


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([1.0], "prior: 1 probability for 2 inputs; there must be one for each"),
        ([0.5, 0.4], r"add up to 0\.9 and not to 1"),
        ([1.5, -0.5], "at least 0"),
        ([np.nan, 1], "at least 0"),
        ("ab", "a list of numbers"),
        ({"il": 1}, "did you mean 'ill'"),
    ],
)
def test_a_prior_that_does_not_fit_is_refused(prior: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        prior_of(ChannelMatrix.of(np.eye(2), ["ill", "well"]), prior)


def test_a_prior_can_name_inputs() -> None:
    channel = ChannelMatrix.of(np.eye(3), ["a", "b", "c"])
    assert prior_of(channel, {"c": 0.25, "a": 0.75}).tolist() == [0.75, 0, 0.25]
    with pytest.raises(UsageError, match="no names"):
        prior_of(ChannelMatrix.of(np.eye(2)), {"a": 1})


def test_knowing_more_rules_inputs_out() -> None:
    channel = ChannelMatrix.of(np.eye(3))
    assert knowing(channel, [True, False, True], [0.2, 0.5, 0.3]) == pytest.approx([0.4, 0, 0.6])
    with pytest.raises(UsageError, match="leaves no input"):
        knowing(channel, [False, True, False], [0.5, 0, 0.5])
    with pytest.raises(UsageError, match="2 inputs; there are 3"):
        knowing(channel, [True, True])


def test_without_scipy_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(UsageError, match=r'a channel needs scipy: pip install "sfumato\[channel\]"'):
        ChannelMatrix.of([[1]])


def test_a_linear_program_that_would_take_minutes_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.channel.linear._MOST", 10)
    with pytest.raises(
        UsageError, match="would have 12 coefficients; up to 10 are solved"
    ):  # 2 for each of 4 entries, 4 for the sum
        worst_map_error(ChannelMatrix.of(np.full((2, 2), 0.5)))
