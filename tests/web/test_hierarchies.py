"""The levels of each column on a page: shown with their people, changed, and always what the commands read."""

from __future__ import annotations

import csv
import re
from collections import Counter
from decimal import Decimal
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from sfumato.vocabulary.builders import Common, Cuts, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.project import Project
from tests.web.levels import HOSTILE, JOBS, TREE, browser, done, folder, jobs, keys, post, project, refusal, version_of

__all__ = ["browser", "folder", "project"]


def test_the_step_stands_between_table_and_risk(browser: TestClient) -> None:
    page = browser.get("/hierarchies").text
    steps = re.findall(r'<li><a href="/(\w+)"', page)
    assert steps[:3] == ["table", "hierarchies", "risk"]
    shown = [unescape(name) for name in re.findall(r'<h2 id="name-\d+"><a [^>]*>([^<]+)</a>', page)]
    assert shown == ["age", "income", "born", "zip", HOSTILE]
    assert page.count("<svg") == 5


def test_the_people_behind_each_label_are_those_of_the_file(browser: TestClient, folder: Path) -> None:
    lines = list(csv.reader((folder / "people.csv").read_text().splitlines()[1:], delimiter=";"))
    page = browser.get("/hierarchies", params={"name": "age"}).text
    lists = dict(re.findall(r'data-key="list-(\d)">(.*?)</details>', page, re.DOTALL))
    rows = re.compile(r"<li><span>([^<]*)</span>.*?<span class=\"number\">([\d,]+)</span></li>", re.DOTALL)
    ages = Counter(int(line[0]) for line in lines)
    assert {int(label): int(many) for label, many in rows.findall(lists["0"])} == ages
    tens = {unescape(label): int(many) for label, many in rows.findall(lists["2"])}
    assert tens == {f"[{low}, {low + 10}{']' if low == 60 else ')'}": _between(ages, low, low + 10) for low in range(20, 70, 10)}
    nested = browser.get("/hierarchies", params={"name": HOSTILE}).text
    people = {unescape(label): int(many) for label, many in re.findall(r'"name">([^<]*)</span></label> <span[^>]*>(\d+)', nested)}
    written = Counter(line[4] for line in lines)
    assert all(people[job] == written[job] for job in JOBS)
    assert people["desk"] == sum(written[job] for job in JOBS[1:4])
    assert f"{written['']} people without a value are left out" in nested


def _between(ages: Counter[int], low: int, high: int) -> int:
    return sum(many for age, many in ages.items() if low <= age < high)


def test_labels_move_group_merge_and_get_other_names(browser: TestClient, project: Project) -> None:
    to = keys(project, 1, "care")[0]
    done(post(browser, "tree", do="move", pick=keys(project, 0, '"boss"', "a/b, c"), to=to))
    assert jobs(project) == {**{path[0]: (path[1],) for path in TREE}, '"boss"': ("care",), "a/b, c": ("care",)}
    done(post(browser, "tree", do="group", pick=keys(project, 0, "a/b, c"), label="<script>alert(1)</script>"))
    assert jobs(project)["a/b, c"] == ("<script>alert(1)</script>",)
    assert "<script>alert" not in browser.get("/hierarchies", params={"name": HOSTILE}).text
    done(post(browser, "tree", do="merge", pick=keys(project, 1, "odd", "desk"), label=" rest "))
    assert (jobs(project)["=1+1"], jobs(project)["<i>clerk</i>"]) == (("rest",), ("rest",))
    done(post(browser, "tree", do="rename", pick=keys(project, 1, "rest"), label='r"/, <b>'))
    assert jobs(project)["=1+1"] == ('r"/, <b>',)
    assert project.schema[HOSTILE].role is Role.QUASI


def test_levels_of_a_tree_come_and_go(browser: TestClient, project: Project) -> None:
    done(post(browser, "tree/levels", do="add", level="1", begin="above"))
    assert {path[1] for path in jobs(project).values()} == {"all"}
    done(post(browser, "tree", do="group", pick=keys(project, 1, "odd"), label="few"))
    assert jobs(project)["=1+1"] == ("odd", "few", "*")[: len(jobs(project)["=1+1"])]
    done(post(browser, "tree/levels", do="remove", level="1"))
    assert {job: path[0] for job, path in jobs(project).items()} == {**dict.fromkeys(JOBS[:4], "all"), "=1+1": "few"}


def test_what_a_tree_cannot_be_is_refused_and_nothing_is_written(browser: TestClient, project: Project) -> None:
    before = project.schema_file.read_bytes()
    one = keys(project, 0, '"boss"')
    for fields, why in (
        ({"do": "rename", "pick": keys(project, 1, "desk"), "label": "*"}, "reserved for the root"),
        ({"do": "rename", "pick": keys(project, 1, "desk"), "label": "care"}, "has a label 'care' already"),
        ({"do": "rename", "pick": one, "label": "x"}, "values of the table cannot be renamed"),
        ({"do": "rename", "pick": keys(project, 1, "desk"), "label": "a\nb"}, "one line"),
        ({"do": "merge", "pick": keys(project, 1, "desk")}, "at least two labels"),
        ({"do": "move", "pick": [*one, *keys(project, 1, "odd")], "to": "1:0"}, "labels of one level"),
        ({"do": "move", "pick": keys(project, 1, "odd"), "to": "1:0"}, "can be moved below one of level 2"),
        ({"do": "move", "pick": ["0:99"], "to": "1:0"}, "no such label"),
        ({"do": "move", "pick": ["9:0"], "to": "1:0"}, "no such label"),
        ({"do": "move", "pick": ["x"], "to": "1:0"}, "no such label"),
        ({"do": "move"}, "at least one label"),
        ({"do": "burn", "pick": one}, "no change 'burn'"),
    ):
        assert why in refusal(post(browser, "tree", **fields))
    assert "computed; edit them as a tree first" in refusal(post(browser, "tree", "age", do="move", pick="0:1", to="1:0"))
    old = browser.post("/hierarchies/tree", data={"name": HOSTILE, "seen": "0", "do": "merge", "pick": ["1:0", "1:1"]})
    assert "have changed since this page was shown" in refusal(old)
    assert browser.post("/hierarchies/tree", data={"name": "nobody", "seen": "0"}).status_code == 404
    assert browser.get("/hierarchies", params={"name": "nobody"}).status_code == 404
    assert project.schema_file.read_bytes() == before
    shown = version_of(browser, "age")
    project.write_schema(project.schema.with_role("age", "plain"))
    plain = browser.post("/hierarchies/sort", data={"name": "age", "seen": shown, "to": "suppression"})
    assert "only quasi and sensitive columns have levels; this one is plain" in refusal(plain)


def test_bands_by_width_and_bounds(browser: TestClient, project: Project) -> None:
    done(post(browser, "levels", "age", width=["4", "20"], lower="0", upper="100"), "age")
    assert project.schema["age"].builder == Intervals((Decimal(4), Decimal(20)))  # bounds only where they are wanted
    done(post(browser, "levels", "age", width=["4", "20"], bounds="fixed", lower="0", upper="100", do="coarser"), "age")
    assert project.schema["age"].builder == Intervals((Decimal(4), Decimal(20), Decimal(40)), Decimal(0), Decimal(100))
    done(post(browser, "levels", "age", width=["4", "20", "40"], do="remove:2"), "age")
    assert project.schema["age"].builder == Intervals((Decimal(4), Decimal(40)))
    for fields, why in (
        ({"width": ["4", "6"]}, "each a multiple of the one before"),
        ({"width": ["0"]}, "must be positive"),
        ({"width": ["many"]}, "width: a number, as in 5 or 2.5"),
        ({"width": ["1e999999"]}, "width: a number"),
        ({"width": ["5"], "do": "remove:1"}, "the only level"),
        ({"width": ["5"], "bounds": "fixed", "lower": "30", "upper": "100"}, "outside the declared bounds"),
        ({"width": ["5"], "bounds": "fixed", "lower": "", "upper": "100"}, "lower: a number"),
    ):
        assert why in refusal(post(browser, "levels", "age", **fields))
    assert project.schema["age"].builder == Intervals((Decimal(4), Decimal(40)))


def test_cut_points_and_the_level_that_keeps_them(browser: TestClient, project: Project) -> None:
    done(post(browser, "levels", "income", cut=["25", "", "40.5", "60"], top=["1", "1", "3", "2"]), "income")
    expected = ((Decimal(25), Decimal("40.5"), Decimal(60)), (Decimal("40.5"), Decimal(60)), (Decimal("40.5"),))
    assert project.schema["income"].builder == Cuts(expected)
    fields = {"cut": ["25", "40.5", "60"], "top": ["1", "3", "2"], "do": "remove:2"}
    done(post(browser, "levels", "income", **fields), "income")
    assert project.schema["income"].builder == Cuts(expected[::2])
    assert "at least one cut point" in refusal(post(browser, "levels", "income", cut=[""], top=["1"]))


def test_units_and_characters(browser: TestClient, project: Project) -> None:
    done(post(browser, "levels", "born", keep=["year", "quarter"]), "born")
    assert project.schema["born"].builder == Dates(("quarter", "year"))
    done(post(browser, "levels", "zip", keep=["4", "2", ""]), "zip")
    assert project.schema["zip"].builder == Prefix((4, 2))
    assert "must descend" in refusal(post(browser, "levels", "zip", keep=["2", "4"]))
    assert "keep at least one of" in refusal(post(browser, "levels", "born"))


def test_the_preview_shows_what_would_be_and_writes_nothing(browser: TestClient, project: Project) -> None:
    before = project.schema_file.read_bytes()
    data = {"name": "age", "width": ["7", "10"], "changed": "1"}
    page = browser.post("/hierarchies/preview", data=data).text
    assert 'id="widths" value="7 14 "' in page  # the wider bands follow
    assert "Level 1, bands of 7: " in page
    wrong = browser.post("/hierarchies/preview", data={**data, "changed": ""})
    assert (wrong.status_code, "each a multiple of the one before" in wrong.text) == (200, True)
    assert project.schema_file.read_bytes() == before
    browser.post("/hierarchies/levels", data={**data, "changed": "", "width": ["7", "14"], "seen": version_of(browser, "age")})
    saved = browser.get("/hierarchies", params={"name": "age"}).text
    assert re.findall(r"Level \d, [^<]*", saved) == re.findall(r"Level \d, [^<]*", page)


def test_another_sort_of_levels(browser: TestClient, project: Project) -> None:
    before = project.schema["zip"].builder
    done(post(browser, "sort", "zip", to="tree"), "zip")
    assert project.schema["zip"].builder == Listed((("24103", "241**"), ("24105", "241**"), ("89073", "890**")))
    done(post(browser, "sort", "zip", to="common"), "zip")
    assert isinstance(project.schema["zip"].builder, Common)
    done(post(browser, "levels", "zip", keep=["2", "1"]), "zip")  # one more than are listed: the next in the column
    assert len(project.schema["zip"].builder.values) == 2  # type: ignore[attr-defined]
    done(post(browser, "sort", "zip", to="prefix"), "zip")
    done(post(browser, "sort", "zip", to="suppression"), "zip")
    assert isinstance(project.schema["zip"].builder, Suppression)
    done(post(browser, "sort", "age", to="cuts"), "age")
    done(post(browser, "sort", "age", to="intervals"), "age")
    assert isinstance(project.schema["age"].builder, Intervals)
    assert "no sort of levels 'dates'" in refusal(post(browser, "sort", "zip", to="dates"))
    for _ in range(7):
        browser.post("/hierarchies/undo")
    assert project.schema["zip"].builder == before


def test_too_many_values_are_said_in_words(browser: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.web.bench.looking import look

    class Quiet:
        def step(self, name: str, engine: object = None) -> None: ...
        def progress(self, done: int, of: int) -> None: ...

    monkeypatch.setattr("sfumato.web.bench.looking.marginals_of", lambda engine, schema, names: {})
    look(project, Quiet())
    page = browser.get("/hierarchies").text
    assert page.count("too many different values to count them here") == 5
    assert "<li>bands of 5</li>" in page
    done(post(browser, "levels", "age", width=["6"]), "age")
    assert "<li>bands of 6</li>" in browser.post("/hierarchies/preview", data={"name": "age", "width": ["6"]}).text
    assert "too many different values" in refusal(browser.get("/hierarchies/arx", params={"name": "age"}))


def test_levels_that_do_not_fit_are_told_and_can_be_replaced(browser: TestClient, project: Project) -> None:
    project.schema_file.write_text(project.schema.with_hierarchy("zip", {"a": ["24103"]}).to_toml())
    page = unescape(browser.get("/hierarchies", params={"name": "zip"}).text)
    assert "level 0 lacks 2 values of the data" in page
    done(post(browser, "sort", "zip", to="suppression"), "zip")
    assert browser.get("/hierarchies").status_code == 200
