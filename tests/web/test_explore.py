"""Exploring on a page: what it shows is what the library's verbs say, and what has changed is explored again."""

from __future__ import annotations

import base64
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import sfumato as sf
from sfumato.models import MODELS
from sfumato.search.space.exploring import MOST_NODES
from sfumato.web.bench import exploring
from sfumato.web.bench.asking import models_in, question_of, rows_of
from sfumato.web.bench.project import Project
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard
from tests.web.conftest import BASE, PORT, TOKEN, begun

MODELS_ASKED = ["k-anonymity:5", "distinct-diversity:2"]


def asked(models: list[str], suppress: str = "0", **more: str) -> dict[str, str | list[str]]:
    """What the form sends."""
    fields: dict[str, str | list[str]] = {
        "asked": "1",
        "suppress": suppress,
        "use": [text.split(":")[0] for text in models],
        **more,
    }
    for row in rows_of([sf.models.model_of(text) for text in models])[0]:
        if row.used:
            fields |= {entry.name: entry.value for entry in row.entries}
    return fields


def wait(browser: TestClient) -> None:
    ended = browser.app.state.bench.work.wait(120)  # type: ignore[attr-defined]
    assert ended.error is None


@pytest.fixture
def explored(browser: TestClient) -> TestClient:
    assert browser.post("/explore", data=asked(MODELS_ASKED)).status_code == 200
    wait(browser)
    return browser


def feasible(browser: TestClient, models: list[str], suppress: str = "0") -> np.ndarray:
    said = browser.get("/explore/answer", params=asked(models, suppress)).json()
    return np.frombuffer(base64.b64decode(said["feasible"]), np.uint8).astype(bool)


def test_before_it_is_explored_the_page_says_how_many_ways_there_are(browser: TestClient, project: Project) -> None:
    page = browser.get("/explore").text
    nodes = len(sf.explore(project.source))
    assert f"There are {nodes:,} ways" in page
    assert "explorer.js" not in page
    assert browser.get("/explore/data").status_code == 400


def test_every_model_is_in_the_form_with_its_explanation_and_parameters(browser: TestClient) -> None:
    page = browser.get("/explore").text
    assert re.findall(r'name="use" value="([\w-]+)"', page)[1:] == [name for name in MODELS if name != "k-anonymity"]
    for name, model in MODELS.items():
        assert unescape(page).count(f'name="{name}.') == len(next(each for each in rows_of([])[0] if each.name == name).entries)
        assert (model.__doc__ or "").split("\n")[0].split(" (")[0] in unescape(page)


@pytest.mark.parametrize("model", ["t-closeness:0.3,ordered", "recursive-diversity:2,3", "em-anonymity:1,2,relative", "k-map:4"])
def test_a_model_comes_back_from_its_form(model: str) -> None:
    from starlette.datastructures import FormData

    fields = asked([model])
    sent = FormData([(name, each) for name, value in fields.items() for each in (value if isinstance(value, list) else [value])])
    assert [str(each) for each in models_in(sent)] == [model]


def test_the_space_is_a_file_that_the_commands_read(explored: TestClient, project: Project) -> None:
    space = sf.PolicySpace.read(project.folder / "space.parquet")
    expected = sf.explore(project.source, models=MODELS_ASKED)
    assert space.about == expected.about
    assert np.array_equal(space.satisfying(), expected.satisfying())
    assert [str(model) for model in project.recipe.question.models] == MODELS_ASKED


def test_the_numbers_are_those_of_the_trade_off(explored: TestClient, project: Project) -> None:
    page = unescape(explored.get("/explore").text)
    expected = sf.trade_off(project.source, models=MODELS_ASKED)
    within = int(expected.within.sum())
    assert f"{within:,} of {len(expected.space):,} ways are allowed, {len(expected.front):,} of them on the front" in page
    front = re.findall(r'<tr data-node="\[([\d,]+)\]"', page)
    levels = expected.space.evaluations.levels[expected.front].tolist()
    assert [list(map(int, each.split(","))) for each in front] == levels
    bounded = unescape(
        explored.get("/explore", params=asked(MODELS_ASKED, epsilon="0.3", scope="total", x="entropy", y="loss")).text
    )
    other = sf.trade_off(project.source, models=MODELS_ASKED, epsilon=0.3, scope="total", x="entropy", y="loss")
    assert f"{int(other.within.sum()):,} of {len(other.space):,} ways are allowed, {len(other.front):,} of them" in bounded


def test_another_threshold_is_answered_at_once(explored: TestClient, project: Project) -> None:
    for models in (
        ["k-anonymity:20", "distinct-diversity:2"],
        ["k-anonymity:3", "distinct-diversity:3"],
        ["distinct-diversity:3"],
        [],
    ):
        assert np.array_equal(feasible(explored, models), sf.explore(project.source, models=models).satisfying())
    assert explored.app.state.bench.work.current.task == "explore"  # type: ignore[attr-defined]  # nothing was started


def test_what_was_not_explored_has_to_be(explored: TestClient, project: Project) -> None:
    said = explored.get("/explore/answer", params=asked(["beta-likeness:2"])).json()
    assert "explore again" in said["again"]
    assert "explore again" in explored.get("/explore/answer", params=asked(MODELS_ASKED, "5%")).json()["again"]
    page = explored.get("/explore", params=asked(["beta-likeness:2"])).text
    assert "explore again" in page
    assert "The picture still shows k-anonymity:5, distinct-diversity:2" in page
    explored.post("/explore", data=asked(["k-anonymity:4", "beta-likeness:2"], "5%"))
    wait(explored)
    expected = sf.explore(project.source, models=["k-anonymity:4", "beta-likeness:2"], suppress="5%")
    assert np.array_equal(feasible(explored, ["k-anonymity:4", "beta-likeness:2"], "5%"), expected.satisfying())


def test_a_node_is_what_measure_and_check_say(explored: TestClient, project: Project) -> None:
    schema = project.schema
    levels = [schema[name].height() - (name == "Geburtsdatum") for name in schema.quasi]
    written = f"[{','.join(map(str, levels))}]"
    page = unescape(explored.get("/explore/node", params={**asked(MODELS_ASKED), "node": written}).text)
    with sf.Table.open(project.source) as table:
        release = sf.publish(table, node=levels)
    checked = sf.check(release, project.schema_file, models=MODELS_ASKED)
    certificate = release.certificate
    assert f"{certificate.classes:,} groups of people who look alike, the smallest of {certificate.smallest_class:,}" in page
    for verdict in checked.verdicts:
        assert f"{verdict.model}: {verdict.value}, {'satisfied' if verdict.satisfied else 'not satisfied'}" in page
    space = sf.explore(project.source)
    worst = space.node(levels)["distribution.max"]
    assert f'<th scope="row">what classes reveal</th><td class="number">{worst:.4g}</td>' in page
    assert page.count("<svg") == 1 + len(schema.quasi) + len(schema.sensitive)  # people who look alike, and every column
    ill = release.frame.to_pandas()["Diagnose"].value_counts()
    for value, people in ill.items():
        assert f"<span>{value}</span> <span>{people}</span>" in page


def test_two_nodes_side_by_side(explored: TestClient, project: Project) -> None:
    heights = [project.schema[name].height() for name in project.schema.quasi]
    top, bottom = (f"[{','.join(map(str, each))}]" for each in (heights, [0] * len(heights)))
    page = explored.get("/explore", params={**asked(MODELS_ASKED), "node": top, "beside": bottom}).text
    assert re.findall(r'class="node" data-node="([^"]+)"', page) == [top, bottom]
    assert "1 group of people who look alike, the smallest of 400 people" in page
    assert "This way does not satisfy the models." in page
    assert len(re.findall(r' id="([^"]+)"', page)) == len(set(re.findall(r' id="([^"]+)"', page)))


@pytest.mark.parametrize("node", ["[99,0,0]", "[0]", "nonsense", "[1,2,3,4,5,6,7,8]", "[-1,0,0]"])
def test_a_node_that_there_is_not(explored: TestClient, node: str) -> None:
    answer = explored.get("/explore/node", params={**asked(MODELS_ASKED), "node": node})
    assert answer.status_code == 400
    assert "node: " in answer.text
    assert explored.get("/explore", params={**asked(MODELS_ASKED), "node": "nonsense"}).status_code == 200


def test_what_changes_makes_the_space_stale(explored: TestClient, project: Project, patients: Path) -> None:
    assert "explorer.js" in explored.get("/explore").text
    explored.post("/table/role", data={"name": "PLZ", "role": "plain"})
    page = explored.get("/explore").text
    assert "explorer.js" not in page
    assert "has changed since it was explored" in page
    explored.post("/explore", data=asked(MODELS_ASKED))
    wait(explored)
    assert "explorer.js" in explored.get("/explore").text
    patients.write_bytes(patients.read_bytes() + patients.read_bytes().splitlines(keepends=True)[-1])
    assert "has changed since it was explored" in explored.get("/explore").text


def test_a_space_of_somebody_else_is_not_taken_for_this_one(explored: TestClient, project: Project) -> None:
    sf.explore(project.source, models="k-anonymity:2", output=project.folder / "space.parquet", force=True)
    assert "has changed since it was explored" in explored.get("/explore").text


def test_a_lattice_that_is_too_large_is_told_with_what_to_do(
    browser: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert exploring.MOST_NODES == MOST_NODES
    monkeypatch.setattr(exploring, "MOST_NODES", 3)
    answer = browser.post("/explore", data=asked(MODELS_ASKED))
    assert answer.status_code == 400
    assert "more than the 3 that can be explored" in answer.text
    assert not (project.folder / "space.parquet").exists()


def test_a_bad_wish_is_one_clear_line(explored: TestClient, project: Project) -> None:
    before = project.recipe_file.read_bytes()
    for fields in ({"epsilon": "much"}, {"suppress": "7"}, {"k-anonymity.k": "none"}, {"others": "no-model:1"}):
        sent = {**asked(MODELS_ASKED), **fields}
        assert explored.post("/explore", data=sent).status_code == 400
        assert explored.get("/explore", params=sent).status_code == 200
        assert explored.get("/explore/answer", params=sent).json()["again"]
    assert project.recipe_file.read_bytes() == before
    assert explored.get("/explore", params={"x": "no-loss", "y": "loss"}).status_code == 400


def test_a_table_without_a_sensitive_column(browser: TestClient, project: Project) -> None:
    for name in project.schema.sensitive:
        browser.post("/table/role", data={"name": name, "role": "plain"})
    browser.post("/explore", data=asked(["k-anonymity:5"]))
    wait(browser)
    page = browser.get("/explore").text
    assert page.count('inputmode="decimal" disabled') == 4  # there is nothing that they could bound
    assert browser.get("/explore/data").json()["axes"] == ["discernibility", "loss"]


def test_the_risk_for_a_journalist(browser: TestClient, project: Project) -> None:
    measured = sf.measure(project.source).risk
    assert f"at most as often as the prosecutor: up to {measured.prosecutor_max:.1%}" in browser.get("/risk").text
    assert browser.post("/risk/population", data={"people": "399"}).status_code == 400
    assert browser.post("/risk/population", data={"people": "many"}).status_code == 400
    assert project.recipe.question.population_size is None
    page = browser.post("/risk/population", data={"people": "80,000"}).text
    known = sf.measure(project.source, population_size=80_000).risk
    assert f"up to {known.journalist_max:.1%}, {known.journalist_mean:.1%} on average" in page
    assert "drawn from 80,000 people at random" in page
    assert project.recipe.question.population_size == 80_000
    assert "at most as often" in browser.post("/risk/population", data={"people": ""}).text


def test_what_tells_most_is_what_counting_says(browser: TestClient, project: Project) -> None:
    browser.post("/table/role", data={"name": "Größe", "role": "quasi"})
    page = unescape(browser.get("/risk").text)
    found = re.findall(r'<th scope="row">([^<]+)</th><td class="number">([\d,]+)</td><td class="number">([\d,]+)</td>', page)
    assert any(name.count(" and ") and "," in name for name, _, _ in found)  # three columns and more
    for name, alone, few in found:
        columns = re.split(", | and ", name)
        with sf.Table.open(project.source) as table:
            sizes = table.count(columns).people
        assert (int(alone.replace(",", "")), int(few.replace(",", ""))) == (int((sizes == 1).sum()), int(sizes[sizes < 5].sum()))


def test_the_risk_for_a_journalist_with_a_larger_table(browser: TestClient, project: Project, patients: Path) -> None:
    larger = patients.with_name("everybody.csv")
    head, *rows = patients.read_bytes().splitlines(keepends=True)
    larger.write_bytes(head + b"".join(rows * 3))
    project.ask(question_of(project.recipe.question, (), "0", population=larger))
    known = sf.measure(project.source, population=larger).risk
    assert known.journalist_max == pytest.approx(1 / 3)
    page = browser.get("/risk").text
    assert f"up to {known.journalist_max:.1%}, {known.journalist_mean:.1%} on average" in page
    assert "counted in the larger table" in page


def test_names_and_values_stay_text_here_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    evil = "<script>alert('1')</script>"
    rows = "".join(f'"{evil}{n % 4}",{20 + n % 9},"{evil}{n % 3}"\n' for n in range(90))
    (tmp_path / "t.csv").write_text(f'"{evil}, x","age","{evil}ill"\n{rows}')
    project = begun(tmp_path / "t.csv", tmp_path / "p")
    schema = project.schema.with_role(f"{evil}, x", "quasi").with_role("age", "quasi").with_role(f"{evil}ill", "sensitive")
    project.write_schema(schema)
    app = workbench(project, Guard(TOKEN, PORT))
    assert app.state.bench.work.wait(60).error is None
    with TestClient(app, base_url=BASE, headers={"Origin": BASE}) as browser:
        browser.get("/", params={"token": TOKEN})
        browser.post("/explore", data=asked(["k-anonymity:2"]))
        wait(browser)
        for place in ("explore", "explore/node", "risk"):
            page = browser.get(f"/{place}").text
            assert evil not in page
            assert "alert(" in page
        browser.post("/publish/node", data={"node": "[0,0]", "models": ["k-anonymity:2"]})
        wait(browser)
        assert evil not in browser.get("/publish").text
