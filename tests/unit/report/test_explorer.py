"""The explorer: the page holds what the space and `measure` say, small classes have no name, the same table gives the same bytes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataSayNo
from sfumato.reporting.explorer.assets import DARK, LIGHT, rules, script
from sfumato.reporting.explorer.classes import MOST, classes_by_node
from sfumato.reporting.explorer.data import FileNames, data_of
from sfumato.reporting.explorer.page import page
from sfumato.reporting.explorer.picture import KINDS, tradeoff_chart
from sfumato.reporting.explorer.thinning import losses_in, nodes_to_show
from sfumato.reporting.explorer.walk import rolled_up
from sfumato.reporting.explorer.writing import write_explorer
from sfumato.reporting.style import DARK as PAGE_DARK
from sfumato.reporting.style import LIGHT as PAGE_LIGHT
from sfumato.reporting.style import contrast
from sfumato.verbs.trade_off import TradeOff, trade_off
from sfumato.vocabulary.node import Node
from tests.unit.report.reading import read
from tests.unit.report.releases import AWKWARD, SCHEMA, people

SMALL, LARGE, RARE = "smalltown", "largetown", "kuru"
QUASI = ["age", "education", "sex"]


@pytest.fixture(scope="module")
def census() -> TradeOff:
    with sf.data.adult() as table:
        return trade_off(table, models=["k-anonymity:5"], epsilon=0.4, quasi=QUASI)


@pytest.fixture(scope="module")
def towns() -> TradeOff:
    """Two towns; the small one has classes of few people, and one illness is rare."""
    counts = {(LARGE, 30, "flu"): 6, (LARGE, 30, "cold"): 4, (LARGE, 40, "cold"): 7, (LARGE, 40, RARE): 2}
    counts |= {(SMALL, 30, "flu"): 2, (SMALL, 50, "cold"): 1}
    return trade_off(people(counts), sf.Schema.parse(SCHEMA))


def decoded(text: str) -> Any:
    return np.frombuffer(base64.b64decode(text), "<f8")


def held(found: str) -> dict[str, Any]:
    (block,) = [each for each in read(found).all("script") if each.attributes.get("id") == "data"]
    data: dict[str, Any] = json.loads(block.text)
    return data


@pytest.mark.slow
def test_every_number_of_the_space_is_in_the_page_as_it_is(census: TradeOff) -> None:
    data, nodes = held(page(census)), census.space.evaluations
    assert data["nodes"] == data["lattice"] == len(census.space) == 40
    assert tuple(data["losses"]) == losses_in(census.space)
    assert {"distribution", "distribution.max", "chi2", "loss", "class-size"} <= data["losses"].keys()
    for name, text in data["losses"].items():
        assert np.array_equal(decoded(text), census.space[name])
    for name, text in data["counted"].items():
        assert np.array_equal(decoded(text), census.space[name])
    levels = np.frombuffer(base64.b64decode(data["levels"]), np.uint8).reshape(-1, 3)
    assert np.array_equal(levels, nodes.levels)
    assert np.array_equal(np.frombuffer(base64.b64decode(data["feasible"]), np.uint8), nodes["feasible"])
    assert data["bounds"] == {"epsilon": 0.4}
    assert data["prior"] == census.prior.shares.tolist()
    assert data["values"] == list(census.prior.values)


def test_the_classes_are_those_of_measure(census: TradeOff) -> None:
    data = data_of(census, FileNames())
    with sf.data.adult() as table:
        for node in ([2, 3, 0], [3, 1, 1], [1, 2, 0]):
            place = census.space.evaluations.levels.tolist().index(node)
            measured = sf.measure(table, node=node, quasi=QUASI).attributes[0].per_class.to_pandas()
            large = measured[measured["people"] >= 5].sort_values(["distribution", "class"], ascending=[False, True])
            worst, small = data["worst"][place], data["small"][place]
            assert [row[0] for row in worst] == large["class"].tolist()[: data["most"]]
            assert [row[1] for row in worst] == large["people"].tolist()[: data["most"]]
            assert [row[2] for row in worst] == pytest.approx(large["distribution"].tolist()[: data["most"]], rel=1e-3)
            hidden = measured[measured["people"] < 5]
            assert (small[0] if small else 0) == len(hidden)
            if len(hidden):
                assert small[3] == pytest.approx(hidden["distribution"].max(), rel=1e-3)


def test_the_people_per_value_give_the_loss_that_is_told(census: TradeOff) -> None:
    levels = census.space.evaluations.levels
    prior = census.prior.shares
    for each in classes_by_node(census.problem, census.sensitive, levels, census.space.evaluations["classes"], 5, None):
        for shown in each.shown:
            counts = np.array(shown.values)
            assert counts.sum() == shown.people >= 5
            assert np.sqrt(((counts / counts.sum() - prior) ** 2).sum()) == pytest.approx(shown.loss, abs=1e-12)


def test_walking_gives_the_frequency_set_of_every_node(census: TradeOff) -> None:
    counts, levels = census.problem.counts, census.space.evaluations.levels
    seen = set()
    for place, walked in rolled_up(counts, levels):
        seen.add(place)
        assert walked.same_as(counts.roll_up(Node(counts.node.attributes, tuple(levels[place].tolist()))))
    assert seen == set(range(len(levels)))
    some = levels[[39, 3, 17]]
    assert [walked.node.levels for _, walked in sorted(rolled_up(counts, some))] == [tuple(row) for row in some.tolist()]


def test_suppressed_people_are_in_no_class() -> None:
    with sf.data.adult() as table:
        found = trade_off(table, models=["k-anonymity:50"], suppress="5%", quasi=QUASI)
    nodes = found.space.evaluations
    assert nodes["suppressed"].any()
    for place, each in enumerate(classes_by_node(found.problem, found.sensitive, nodes.levels, nodes["classes"], 50, None)):
        assert each.suppresses == (nodes["suppressed"][place] > 0)
        if nodes["feasible"][place]:
            assert each.hidden.classes == 0
            assert len(each.shown) == min(MOST, nodes["classes"][place])
            assert max(shown.loss for shown in each.shown) == pytest.approx(found.space["distribution.max"][place])
    data = data_of(found, FileNames("a.csv", "s.toml"))
    words = "sfumato anonymize a.csv -s s.toml --quasi age,education,sex --sensitive occupation -m k-anonymity:50"
    assert data["search"] == f"{words} --suppress 5% -o out.parquet"


def test_with_owners_a_class_may_be_suppressed_and_nobody_leaves() -> None:
    """Two people of the large town were also seen in the small one: without its class they are still there."""
    rows = [(f"p{place}", LARGE, ("flu", "cold")[place % 2]) for place in range(10)]
    rows += [("p0", SMALL, "flu"), ("p1", SMALL, "flu")]
    frame = pd.DataFrame(rows, columns=["person", "town", "illness"])
    roles = {"person": "owner", "town": "quasi", "illness": "sensitive"}
    schema = sf.Schema.parse("".join(f'[attributes.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
    found = trade_off(frame, schema, models=["k-anonymity:5"], suppress="50%")
    data = data_of(found, FileNames())
    assert decoded(data["counted"]["suppressed"]).tolist() == [0, 0]
    assert list(base64.b64decode(data["suppresses"])) == [1, 0]
    assert [row[0][2] for row in data["worst"]] == pytest.approx(found.space["distribution.max"].tolist(), rel=1e-3)
    assert data["small"] == [0, 0]


def test_labels_and_values_of_small_classes_are_nowhere(towns: TradeOff) -> None:
    made = page(towns)
    assert LARGE in made
    assert SMALL not in made
    assert RARE not in made
    assert "another value, of fewer than 5 people" in made
    bottom = data_of(towns, FileNames())
    assert bottom["small"][0][0] == 2
    assert [row[0] for row in bottom["worst"][0]] == [2, 1]
    assert bottom["prior"] == (12 / 22, 8 / 22, 2 / 22)


def test_few_means_the_k_that_was_asked_for(census: TradeOff) -> None:
    counts = {(LARGE, 30, "flu"): 9, (LARGE, 40, "cold"): 30}
    found = trade_off(people(counts), sf.Schema.parse(SCHEMA), models=["k-anonymity:10"])
    data = data_of(found, FileNames())
    assert data["few"] == 10
    assert data["labels"][1][0] == ["40"]
    assert data["small"][0][:3] == [1, 1, 9]


def test_few_is_the_k_that_everybody_is_promised() -> None:
    counts = {(LARGE, 30, "flu"): 9, (LARGE, 40, "cold"): 30}
    found = trade_off(people(counts), sf.Schema.parse(SCHEMA), models=["k-anonymity:7", "k-anonymity:12 for age=30"])
    assert data_of(found, FileNames())["few"] == 7


@pytest.mark.slow
def test_the_same_trade_off_gives_the_same_bytes(census: TradeOff) -> None:
    with sf.data.adult() as table:
        again = trade_off(table, models=["k-anonymity:5"], epsilon=0.4, quasi=QUASI)
    assert page(census) == page(again)
    assert tradeoff_chart(census) == tradeoff_chart(again)


def test_a_page_is_well_formed_and_may_load_nothing(towns: TradeOff) -> None:
    made = page(towns)
    root = read(made)
    (policy,) = [e.attributes["content"] for e in root.all("meta") if "http-equiv" in e.attributes]
    assert str(policy).startswith("default-src 'none'")
    assert not [each for each in root.all("script", "img", "iframe", "link") if "src" in each.attributes]
    assert "http://" not in made.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in made
    assert "innerHTML" not in script()
    assert "fetch(" not in script()
    ids = [each.attributes["id"] for each in _all(root) if each.attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert all(each.attributes.get("scope") for each in root.all("th"))


def _all(root: Any) -> list[Any]:
    return [each for child in root.children for each in (child, *_all(child))]


def test_labels_that_look_like_markup_stay_text(tmp_path: Path) -> None:
    counts = {(town, 30, value): 6 for town in AWKWARD for value in (AWKWARD[0], "flu")}
    found = trade_off(people(counts), sf.Schema.parse(SCHEMA))
    made = page(found, FileNames(AWKWARD[0]))
    assert "alert(1)</script>" not in made
    data = held(made)
    assert set(AWKWARD) <= {label for levels in data["labels"] for labels in levels for label in labels}


@pytest.mark.slow
def test_thinning_keeps_the_front_and_the_best_of_every_loss() -> None:
    with sf.data.adult() as table:
        found = trade_off(table, models=["k-anonymity:5"], epsilon=0.4)
    places = set(nodes_to_show(found, 700).tolist())
    assert 600 < len(places) <= 700 < len(found.space)
    assert len(nodes_to_show(found, 50)) < 200  # no more than what is never left out and a coarse grid
    assert set(found.front.tolist()) <= places
    free = found.space.pareto(*found.axes).evaluations.levels.tolist()
    kept = found.space.evaluations.levels[sorted(places)].tolist()
    assert all(levels in kept for levels in free)
    for name in losses_in(found.space):
        best = found.space[name][found.feasible].min()
        assert any(found.space[name][place] == best for place in places if found.feasible[place])
    made = page(found, most=700)
    assert f"This page holds {len(places):,} of the 2,160 nodes" in made
    assert held(made)["nodes"] == len(places)
    drawn = [layer for layer in _layers(tradeoff_chart(found, 700)) if layer["mark"]["type"] == "circle"]
    assert drawn


def test_a_page_has_room_for_few_classes_of_many(census: TradeOff, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = data_of(census, FileNames())
    assert whole["most"] == MOST
    monkeypatch.setattr("sfumato.reporting.explorer.data.MOST_BYTES", 22_000)
    less = data_of(census, FileNames())
    assert 0 < less["most"] < MOST
    assert max(len(rows) for rows in less["worst"]) == less["most"]
    assert len(json.dumps(less, separators=(",", ":"))) <= 22_000


def _layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The layers that draw something, each with its data."""
    found = []
    for layer in spec["layer"]:
        own = {"data": spec["data"], **layer} if "data" in spec else layer
        found += _layers(own) if "layer" in layer else [own]
    return found


def test_the_picture_shows_the_space(census: TradeOff) -> None:
    spec = tradeoff_chart(census)
    drawn = {layer["mark"]["type"]: layer["data"]["values"] for layer in _layers(spec)}
    x, y = (census.space[axis].tolist() for axis in census.axes)
    assert sorted((each["x"], each["y"]) for each in drawn["circle"]) == sorted(zip(x, y, strict=True))
    kinds = [each["kind"] for each in drawn["circle"]]
    assert kinds.count(KINDS[0]) == len(census.front) == len(drawn["line"])
    assert kinds.count(KINDS[2]) == int((~census.within).sum())
    assert [(each["x"], each["y"]) for each in drawn["line"]] == [(x[place], y[place]) for place in census.front]
    assert drawn["rect"][0]["x2"] == 0.4
    assert census.knee is not None
    assert (drawn["point"][0]["x"], drawn["point"][0]["y"]) == (x[census.knee], y[census.knee])


@pytest.mark.slow
def test_without_a_bound_on_an_axis_there_is_no_region() -> None:
    with sf.data.adult() as table:
        found = trade_off(table, models=["k-anonymity:5"], epsilon=0.4, quasi=QUASI, x="discernibility", y="loss")
    spec = tradeoff_chart(found)
    assert "rect" not in {layer["mark"]["type"] for layer in _layers(spec)}
    axes = {layer["encoding"]["x"]["scale"]["type"] for layer in _layers(spec)}
    assert axes == {"linear"} if found.space["discernibility"].max() / found.space["discernibility"].min() <= 1000 else {"log"}


def test_there_is_no_page_of_nothing(tmp_path: Path) -> None:
    with sf.data.adult() as table:
        found = trade_off(table, models=["k-anonymity:40000"], quasi=["sex"])
    assert (found.status, found.knee, found.least) == ("infeasible", None, ())
    with pytest.raises(DataSayNo):
        write_explorer(found, tmp_path / "t.html")
    assert not list(tmp_path.iterdir())


def test_one_value_and_values_that_nobody_holds() -> None:
    frame = pd.DataFrame({"q": list("aabbcc") * 3, "s": ["x"] * 18})
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    found = trade_off(frame, schema, epsilon=0.1, delta=0.2)
    assert found.answers.utility is not None
    assert found.answers.utility.chosen.shares == (1.0,)
    assert set(found.space["distribution.max"]) == {0.0}
    assert held(page(found))["values"] == ["x"]
    assert tradeoff_chart(found)
    listed = (
        '[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n[attributes.s.hierarchy.tree]\nup = ["x", "y", "z"]\n'
    )
    found = trade_off(frame.assign(s=list("xyx") * 6), sf.Schema.parse(listed), epsilon=0.1)
    assert found.prior.values == ("x", "y")
    assert sf.tradeoff.recommend([12, 6, 0], epsilon=0.1).chosen.shares[2] == 0


def test_colors_can_be_read() -> None:
    for own, base in ((LIGHT, PAGE_LIGHT), (DARK, PAGE_DARK)):
        assert contrast(own["front"], base["panel"]) >= 4.5
        assert contrast(own["front"], base["paper"]) >= 4.5
    assert "--front" in rules()
