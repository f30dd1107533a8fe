"""The chart of what releases cost a model: every release is named where its name can be read."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.reporting.learning import apart, learning_chart

_HEIGHT, _LINE = 300, 12  # pixels of a panel, and of a line of text


def result(*releases: tuple[float, float]) -> Any:
    """What `learn` gives for releases with these privacy and utility losses."""
    return SimpleNamespace(
        target="income",
        releases=[
            SimpleNamespace(
                name=f"release {number}",
                disclosure=SimpleNamespace(epsilon=disclosed, alpha=disclosed),
                loss=SimpleNamespace(value=lost, low=lost - 0.01, high=lost + 0.01),
                released=SimpleNamespace(accuracy=0.8),
            )
            for number, (disclosed, lost) in enumerate(releases, 1)
        ],
    )


@pytest.mark.parametrize("lost", [[0.0] * 8, [0.0, 0.001, 0.002, 0.2], [-0.02, -0.0201, 0.01, 0.0099, 0.0098]])
def test_no_two_names_on_one_side_stand_on_each_other(lost: list[float]) -> None:
    spec = learning_chart(result((0.1, 0.0), *((1.0, each) for each in lost)))
    for panel in spec["hconcat"]:
        names = next(layer for layer in panel["layer"] if layer["mark"].get("align") == "right")
        low, high = names["encoding"]["y"]["scale"]["domain"]
        data = panel.get("data") or names["data"]
        values = data.get("values") or spec["datasets"][data["name"]]
        right = sorted(each["name_at"] for each in values if not each["left"])
        assert len(right) == len(lost)
        gaps = [(upper - lower) / (high - low) * _HEIGHT for lower, upper in pairwise(right)]
        assert min(gaps) >= _LINE - 1e-6
        assert low <= right[0] <= right[-1] <= high


@given(heights=st.lists(st.floats(0, 100), max_size=9), gap=st.floats(0, 10))
def test_heights_stay_in_order_a_gap_apart_and_move_only_if_they_must(heights: list[float], gap: float) -> None:
    wanted = sorted(heights, reverse=True)
    placed = apart(wanted, gap, 0, 100)
    assert all(upper - lower >= gap - 1e-9 for upper, lower in pairwise(placed))
    assert all(-1e-9 <= each <= 100 + 1e-9 for each in placed)
    if all(upper - lower >= gap for upper, lower in pairwise(wanted)):
        assert placed == wanted
