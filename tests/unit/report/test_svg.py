"""Charts draw their data, and say it to those who do not see it."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.reporting import svg

NS = "{http://www.w3.org/2000/svg}"


def parsed(drawn: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawn)


def bars_of(root: ElementTree.Element, kind: str = "bar") -> list[float]:
    return [float(rect.attrib["width"]) for rect in root.iter(f"{NS}rect") if rect.attrib["class"] == kind]


def test_a_chart_has_a_title_a_description_and_no_size_of_its_own() -> None:
    root = parsed(svg.bars("losses", "A title", "What it says", [("class 1", 0.5, "0.5")], "loss"))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == ["losses-title", "losses-desc"]
    assert [root[place].text for place in (0, 1)] == ["A title", "What it says"]
    assert "width" not in root.attrib
    assert root.attrib["viewBox"].startswith("0 0 420 ")


def test_bars_are_as_long_as_their_values() -> None:
    rows = [("class 7", 0.4, "0.4"), ("class 2", 0.2, "0.2"), ("class 3", 0.0, "0")]
    first, second, none = bars_of(parsed(svg.bars("b", "t", "d", rows, "loss")))
    assert second / first == pytest.approx(0.5, rel=0.01)
    assert none < 1


def test_pairs_draw_both_shares_by_one_scale() -> None:
    rows = [("flu", 0.1, 0.4), ("gout", 0.2, 0.0)]
    root = parsed(svg.pairs("p", "t", "d", rows, ("prior", "posterior"), "share"))
    prior, posterior = bars_of(root, "hollow")[1:], bars_of(root)[1:]  # the first of each is the legend's
    assert prior[0] / posterior[0] == pytest.approx(0.25, rel=0.02)
    assert prior[1] / posterior[0] == pytest.approx(0.5, rel=0.02)
    words = [text.text for text in root.iter(f"{NS}text")]
    assert {"prior", "posterior", "share", "flu", "10.0% → 40.0%", "20.0% → none"} <= set(words)


def test_many_classes_become_few_dots_and_none_is_lost() -> None:
    points = {(1.0 + number % 500, (number % 1000) / 1000): 1 for number in range(20_000)}
    across, up = svg.Scale(0, math.log10(500), 50, 400), svg.Scale(0, 1, 250, 20)
    found = svg.gathered(points, across, up)
    assert sum(found.values()) == sum(points.values())
    drawn = svg.dots("d", "t", "d", points, "people", "loss")
    assert drawn.count("<circle") < 3500
    assert len(drawn) < 400_000


@pytest.mark.parametrize("points", [{(5.0, 0.0): 3}, {(1.0, 0.2): 1}, {(1.0, 1e-12): 1, (10_000_000.0, 1.4): 2}])
def test_dots_of_few_or_far_classes_stay_within_the_chart(points: dict[tuple[float, float], int]) -> None:
    for circle in parsed(svg.dots("d", "t", "d", points, "x", "y")).iter(f"{NS}circle"):
        assert 0 < float(circle.attrib["cx"]) < 420
        assert 0 < float(circle.attrib["cy"]) < 300


@given(st.floats(1e-9, 1e12))
def test_ticks_are_round_few_and_within(most: float) -> None:
    found = svg.ticks(most)
    assert found[0] == 0
    assert 2 <= len(found) <= 7
    assert found[-1] <= most * (1 + 1e-6)


def test_labels_are_text_whatever_they_hold() -> None:
    label = "</text><script>x</script> & \"'"
    drawn = svg.bars("b", label, label, [(label, 1.0, label)], label)
    assert "<script" not in drawn
    assert parsed(drawn)[0].text == label
    assert svg.clipped("x" * 99, 10) == "x" * 9 + "…"
