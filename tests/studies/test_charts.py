"""Charts are right if their data are: what a specification holds is what the library measures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import sfumato as sf
from sfumato.losses.comparison import compare_metrics
from sfumato_studies import census, simplex
from sfumato_studies.exhibits.figures_tradeoff import DELTA, EPSILON, PRIOR, SHARES
from sfumato_studies.exhibits.figures_utility import SETS
from sfumato_studies.registry import EXHIBITS
from sfumato_studies.tables import THREE_DISEASES
from tests.studies.made import made, records, texts
from tests.studies.test_registry import FIGURES


def bars(name: str, loss: str) -> list[float]:
    """The values of the bars of a loss, by class."""
    result = {each["class"]: each["value"] for each in records(name, "class", "loss", "value") if each["loss"] == loss}
    return [result[number] for number in sorted(result)]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_a_chart_with_a_title_and_named_axes(name: str) -> None:
    spec = made(name).chart
    assert spec
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert records(name)
    assert any("title" in part for part in (spec, *spec.get("hconcat", ()), *spec.get("vconcat", ())))


@pytest.mark.slow
def test_worked_examples_have_no_chart() -> None:
    figures = {entry.name for entry in EXHIBITS if any(entry.known_as(name) for name in FIGURES)}
    assert not any(made(entry.name).chart for entry in EXHIBITS if entry.name not in figures)


def test_the_lines_of_fig_1_are_the_compared_metrics() -> None:
    result = compare_metrics()
    lines = records("leakage-fig-1", "path", "share", "metric")
    for name, place in (("Euclidean", 0), ("entropy", 1), ("chi-square", 6)):
        drawn = [each["share"] for each in lines if each["metric"] == name]
        assert drawn == pytest.approx(result.shares[:, place].tolist(), abs=1e-15)
    cells = {(each["one"], each["other"]): each["correlation"] for each in records("leakage-fig-1", "one", "other")}
    assert len(cells) == 64
    assert cells["entropy", "entropy"] == 1
    assert all(abs(value) < 0.1 for (one, other), value in cells.items() if (one == "entropy") != (other == "entropy"))
    assert all(value == 1 for (one, other), value in cells.items() if "entropy" not in (one, other))


def test_the_stacks_of_fig_3_2_are_the_distributions_of_example_5() -> None:
    stacks = {(each["where"], each["value"]): each["share"] for each in records("thesis-fig-3.2", "where", "value", "share")}
    right = {
        "original": (7 / 12, 3 / 12, 2 / 12),
        "class 1": (3 / 4, 1 / 4, 0),
        "class 2": (3 / 4, 1 / 4, 0),
        "class 3": (1 / 4, 1 / 4, 2 / 4),
    }
    for where, shares in right.items():
        assert [stacks[where, value] for value in ("flu", "heart disease", "cancer")] == pytest.approx(shares, abs=1e-12)
    assert bars("thesis-fig-3.2", "distribution") == THREE_DISEASES.losses()["distribution"]


def test_the_bars_of_fig_3_3_are_both_privacy_losses() -> None:
    losses = THREE_DISEASES.losses()
    assert bars("thesis-fig-3.3", "distribution") == losses["distribution"]
    assert bars("thesis-fig-3.3", "entropy") == losses["entropy"]


@pytest.mark.parametrize(
    ("name", "losses"),
    [("leakage-fig-2", ("distribution", "entropy")), ("negotiation-fig-4", ("distribution", "utility-distribution"))],
)
def test_the_bars_of_age_and_work_class_are_its_measured_losses(name: str, losses: tuple[str, ...]) -> None:
    with sf.data.adult() as table:
        measured = sf.measure(table, node=[2, 1], quasi=["age", "workclass"]).attributes[0].per_class
    for loss in losses:
        assert bars(name, loss) == [value for (value,) in measured.only([loss]).rows]
    shares = records(name, "where", "share", "value")
    assert [each["share"] for each in shares if each["where"] == "class 7"] == pytest.approx(
        list(census.pair((1, 2)).posteriors[6])
    )
    assert sum(each["share"] > 0 for each in shares if each["where"] == "class 7") == 6
    assert sum(each["share"] for each in shares if each["where"] == "whole table") == pytest.approx(1)


def test_fig_3_shows_class_6_of_our_table_beside_the_prior() -> None:
    shares = records("leakage-fig-3", "where", "share", "value")
    drawn = {(each["where"], each["value"]): each["share"] for each in shares}
    assert round(drawn["whole table", "10 Prof-specialty"], 4) == 0.1339
    assert f"{drawn['class 6', '10 Prof-specialty']:.4f}" == next(
        each.ours for each in made("leakage-fig-3").rows if each.what == "share of the 10th occupation in class 6"
    )
    assert len(bars("leakage-fig-3", "distribution")) == 16


@pytest.mark.parametrize(("name", "second"), [("leakage-fig-4", "entropy"), ("negotiation-fig-5", "utility-distribution")])
def test_the_four_pairs_have_8_6_4_and_6_classes_with_their_losses(name: str, second: str) -> None:
    for numbers, classes in zip(census.PAIRS, (8, 6, 4, 6), strict=True):
        released = census.pair(numbers)
        text = f"({', '.join(map(str, numbers))}): {classes} classes"
        for loss in ("distribution", second):
            drawn = [each["value"] for each in records(name, "set", "loss") if (each["set"], each["loss"]) == (text, loss)]
            assert drawn == released.losses[loss]


def test_the_fronts_of_fig_6_are_beaten_by_no_node() -> None:
    result = records("negotiation-fig-6", "QIDs", "privacy", "utility")
    assert {each["QIDs"] for each in result} == {"(1, 2, 3)", "(1, 2, 3, 4, 6)", "(1, 2, 3, 4, 5, 6, 7)"}
    with sf.data.adult() as table:
        space = sf.explore(table, quasi=census.named(SETS[0]))
    front = {(round(each["privacy"], 12), round(each["utility"], 12)) for each in result if each["QIDs"] == "(1, 2, 3)"}
    columns = (space[name].round(12).tolist() for name in ("distribution.max", "utility-distribution"))
    nodes = set(zip(*columns, strict=True))
    beaten = {one for one in nodes if any(p <= one[0] and u <= one[1] and (p, u) != one for p, u in nodes)}
    assert front == nodes - beaten


def test_profit_falls_with_the_utility_loss_and_the_offer_is_the_nearest_at_or_above_the_expected_one() -> None:
    policies = records("thesis-fig-4.9", "utility", "privacy", "profit", "kind")
    points = sorted({(each["utility"], each["profit"], each["privacy"], each["kind"]) for each in policies})
    assert len(points) >= 50
    assert all(one[1] >= other[1] for one, other in pairwise(points))
    assert all((kind == "within the bound") == (privacy <= 0.5 + 1e-9) for _, _, privacy, kind in points)
    offers = [each for each in records("thesis-fig-4.9", "profit", "offered") if "kind" not in each]
    fitting = [profit for _, profit, _, kind in points if kind == "within the bound" and profit >= 10]
    assert {each["profit"] for each in offers} == {min(fitting)}


# The triangle


def test_a_corner_of_the_triangle_is_a_class_of_one_value() -> None:
    assert [simplex.place(corner) for corner in simplex.CORNERS] == [
        {"x": 0, "y": 0},
        {"x": 1, "y": 0},
        {"x": 0.5, "y": pytest.approx(3**0.5 / 2)},
    ]


def test_the_distance_in_the_triangle_is_the_distribution_loss_over_root_2() -> None:
    """Corners lie √2 apart as distributions and 1 apart in the picture; the region within ε is a circle."""
    outline = simplex.region(SHARES, PRIOR, lambda result: result["distribution"] <= 0.1)
    middle = simplex.place(SHARES)
    reach = [np.hypot(spot["x"] - middle["x"], spot["y"] - middle["y"]) for spot in outline]
    assert reach == pytest.approx([0.1 / 2**0.5] * len(outline), abs=1e-6)


def test_a_region_ends_where_the_bound_or_the_triangle_ends() -> None:
    outline = simplex.region(simplex.CORNERS[0], PRIOR, lambda result: result["utility-distribution"] <= DELTA)
    points = np.array(
        [
            [1 - s["x"] - s["y"] / simplex.HEIGHT / 2, s["x"] - s["y"] / simplex.HEIGHT / 2, s["y"] / simplex.HEIGHT]
            for s in outline
        ]
    )
    assert (points > -1e-9).all()
    losses = simplex.losses(np.maximum(points, 0), PRIOR)["utility-distribution"]
    assert losses.max() == pytest.approx(DELTA, abs=1e-6)


@pytest.mark.slow
def test_the_recommended_distribution_of_fig_4_3_and_4_4_lies_on_its_bound() -> None:
    for name, loss, bound in (("thesis-fig-4.3", "distribution", EPSILON), ("thesis-fig-4.4", "utility-distribution", DELTA)):
        (spot,) = [each for each in records(name, "mark") if each["mark"] == "recommended"]
        third = spot["y"] / simplex.HEIGHT
        second = spot["x"] - third / 2
        point = np.array([1 - second - third, second, third])
        assert float(simplex.losses(point, PRIOR)[loss]) == pytest.approx(bound, abs=1e-6)
        (prior,) = [each for each in records(name, "mark") if each["mark"] == "prior"]
        assert {"x": prior["x"], "y": prior["y"]} == simplex.place(SHARES)


@pytest.mark.slow
def test_the_curve_of_fig_4_6_is_below_every_distribution() -> None:
    curve = records("thesis-fig-4.6", "privacy", "utility")
    privacy, utility = ([each[key] for each in curve] for key in ("privacy", "utility"))
    losses = simplex.losses(simplex.grid(40), PRIOR)
    near = losses["distribution"] <= max(privacy)
    # The curve bulges, so that straight lines between its points lie below it.
    least = np.interp(losses["distribution"][near], privacy, utility)
    assert (losses["utility-distribution"][near] >= least - 0.01).all()
    assert utility == sorted(utility, reverse=True)


@pytest.mark.slow
def test_pareto_optimal_points_of_fig_4_5_keep_both_bounds() -> None:
    spots = [each for each in records("thesis-fig-4.5", "mark") if each["mark"] == "Pareto-optimal"]
    assert len(spots) > 5
    for spot in spots:
        third = spot["y"] / simplex.HEIGHT
        second = spot["x"] - third / 2
        losses = simplex.losses(np.maximum([1 - second - third, second, third], 0), PRIOR)
        assert float(losses["distribution"]) <= EPSILON + 1e-6
        assert float(losses["utility-distribution"]) <= DELTA + 1e-6


@pytest.mark.parametrize("name", ["leakage-fig-2", "leakage-fig-3", "leakage-fig-4", "negotiation-fig-4", "negotiation-fig-5"])
def test_classes_are_drawn_by_number(name: str) -> None:
    assert not {"Gov", "Non-Gov", "[75, 100]", "[0, 25)", "Primary"} & set(texts(made(name).chart))
