"""The levels of each column on a page: shown with their people, changed, taken back, and always what the commands read."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from html import unescape
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from sfumato.vocabulary import arx
from sfumato.vocabulary.builders import Common, Cuts, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.levels.history import FILE, MOST_STEPS, History, Step
from sfumato.web.bench.project import Project, project_of
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard
from tests.web.conftest import BASE, PORT, TOKEN

HOSTILE = "job <b>\"x', y/z"
JOBS = ("nurse & co", "<i>clerk</i>", '"boss"', "a/b, c", "=1+1")
TREE = [["nurse & co", "care"], ["<i>clerk</i>", "desk"], ['"boss"', "desk"], ["a/b, c", "desk"], ["=1+1", "odd"]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    rng = Random(3)
    rows = ['age;income;born;zip;"' + HOSTILE.replace('"', '""') + '";ill']
    for _ in range(300):
        job = rng.choice((*JOBS, "")).replace('"', '""')
        born = f"{rng.randint(1950, 1999)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        income, zip_code = f"{rng.uniform(10, 99):.1f}", rng.choice(["24103", "24105", "89073"])
        rows.append(f'{rng.randint(20, 69)};{income};{born};{zip_code};"{job}";{rng.choice(["flu", "gout"])}')
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


@pytest.fixture
def project(folder: Path) -> Project:
    """The tree of the column with the hostile name, and bands of whole and of broken numbers."""
    made = project_of(folder / "people.csv", folder / "work")
    schema = made.schema.with_role([HOSTILE, "age", "income", "born", "zip"], "quasi")
    schema = schema.with_hierarchy(HOSTILE, {"builder": "paths", "paths": TREE})
    schema = schema.with_hierarchy("age", [5, 10]).with_hierarchy("born", ["month", "year"]).with_hierarchy("zip", [3])
    made.write_schema(schema.with_hierarchy("income", {"builder": "cuts", "cuts": [[20, 40, 60], [40]]}), {"age": "mine"})
    return made


@pytest.fixture
def browser(project: Project) -> Iterator[TestClient]:
    app = workbench(project, Guard(TOKEN, PORT))
    assert app.state.bench.work.wait(60).error is None
    with TestClient(app, base_url=BASE, headers={"Origin": BASE}) as client:
        client.get("/", params={"token": TOKEN})
        yield client


def seen(browser: TestClient, name: str) -> str:
    page = browser.get("/hierarchies", params={"name": name}).text
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found
    return found[1]


def post(browser: TestClient, what: str, name: str = HOSTILE, **fields: Any) -> Any:
    """A form of the page as it is now."""
    data = {"name": name, "seen": seen(browser, name), **fields}
    return browser.post(f"/hierarchies/{what}", data=data, follow_redirects=False)


def done(answer: Any, name: str = HOSTILE) -> None:
    assert answer.status_code == 303, answer.text
    address = urlsplit(answer.headers["location"])
    assert (address.path, parse_qs(address.query)) == ("/hierarchies", {"name": [name]})


def refusal(answer: Any) -> str:
    assert answer.status_code == 400
    found = re.search(r'<p class="note bad">([^<]*)</p>', answer.text)
    assert found
    return unescape(found[1])


def jobs(project: Project) -> dict[str, tuple[str, ...]]:
    builder = project.schema[HOSTILE].builder
    assert isinstance(builder, Listed)
    return {path[0]: path[1:] for path in builder.paths}


def keys(project: Project, level: int, *labels: str) -> list[str]:
    """How the page addresses labels: by their place among those of the level, in the order of the leaves."""
    column = [path[level] for path in project.schema[HOSTILE].builder.paths]  # type: ignore[attr-defined]
    order = list(dict.fromkeys(column))
    return [f"{level}:{order.index(label)}" for label in labels]


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
    shown = seen(browser, "age")
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
    browser.post("/hierarchies/levels", data={**data, "changed": "", "width": ["7", "14"], "seen": seen(browser, "age")})
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


def test_a_hierarchy_goes_out_as_a_file_of_arx_and_comes_in_again(browser: TestClient, project: Project) -> None:
    got = browser.get("/hierarchies/arx", params={"name": HOSTILE})
    assert "attachment; filename*=UTF-8''job%20%3Cb%3E%22x%27%2C%20y%2Fz.csv" in got.headers["content-disposition"]
    assert [path[:2] for path in arx.parse_paths(got.text)] == [tuple(path) for path in TREE]
    assert "'=1+1;" in got.text  # a spreadsheet must not compute it
    for text in (got.text.replace("desk", "office"), "\ufeff" + got.text.replace("desk", "amt").replace("a/b, c", '"a/b, c"')):
        upload(browser, text.encode())
        assert jobs(project)['"boss"'][0] in ("office", "amt")
    commas = "\n".join(",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in path) for path in TREE)
    done(upload(browser, commas.encode()))
    assert jobs(project) == {path[0]: (path[1],) for path in TREE}


def upload(browser: TestClient, content: bytes) -> Any:
    data = {"name": HOSTILE, "seen": seen(browser, HOSTILE)}
    return browser.post("/hierarchies/upload", data=data, files={"file": ("h.csv", content)}, follow_redirects=False)


def test_a_file_that_does_not_fit_is_refused(browser: TestClient, project: Project) -> None:
    before = project.schema_file.read_bytes()
    for content, why in (
        (b"nurse & co;care\n", "level 0 lacks 4 values of the data"),
        (b"a;b\nc\n", "line 2 has 1 level, the first line 2"),
        (b"", "it lists no leaf"),
        (b"caf\xe9;x\n", "not UTF-8 in line 1"),
        (b"a;b\na;c\n", "more than once"),
        (b"x" * (5 << 20), "at most 4 MB"),
        (b"x" * ((4 << 20) + 9), "larger than 4 MB"),
    ):
        assert why in refusal(upload(browser, content))
    assert project.schema_file.read_bytes() == before


def test_a_tree_that_is_too_tall_for_a_page_is_shown_and_goes_through_a_file(browser: TestClient) -> None:
    def tall(height: int) -> bytes:
        out = io.StringIO()
        csv.writer(out, delimiter=";").writerows([job, *["x"] * height] for job in JOBS)
        return out.getvalue().encode()

    done(upload(browser, tall(300)))
    page = browser.get("/hierarchies", params={"name": HOSTILE})
    assert (page.status_code, "This tree cannot be edited here" in page.text) == (200, True)
    assert browser.get("/hierarchies").status_code == 200
    assert "501 levels; a hierarchy has at most 500" in refusal(upload(browser, tall(500)))


def test_steps_back_and_forth_outlive_the_workbench(browser: TestClient, project: Project) -> None:
    texts = [project.schema.to_toml()]
    for width in ("2", "4", "8"):
        done(post(browser, "levels", "age", width=[width]), "age")
        texts.append(project.schema.to_toml())
    again = workbench(Project(project.folder), Guard(TOKEN, PORT))
    again.state.bench.work.wait(60)
    with TestClient(again, base_url=BASE, headers={"Origin": BASE}) as other:
        other.get("/", params={"token": TOKEN})
        for text in reversed(texts[:-1]):
            done(other.post("/hierarchies/undo", follow_redirects=False), "age")
            assert project.schema.to_toml() == text
        assert "nothing to undo" in refusal(other.post("/hierarchies/undo"))
        for text in texts[1:]:
            done(other.post("/hierarchies/redo", follow_redirects=False), "age")
            assert project.schema.to_toml() == text
        assert "nothing to redo" in refusal(other.post("/hierarchies/redo"))
        other.post("/hierarchies/undo")
        done(post(other, "levels", "age", width=["3"]), "age")  # after another change, nothing can come again
        assert "nothing to redo" in refusal(other.post("/hierarchies/redo"))


def test_undo_does_not_touch_what_the_shell_changed(browser: TestClient, project: Project) -> None:
    first = project.schema["age"]
    done(post(browser, "levels", "age", width=["3"]), "age")
    done(post(browser, "levels", "zip", keep=["2"]), "zip")
    project.schema_file.write_text(project.schema.with_hierarchy("zip", [1]).with_role("born", "plain").to_toml())
    why = refusal(browser.post("/hierarchies/undo"))
    assert "zip: 'changed the levels' cannot be undone or redone: the column was changed elsewhere since" in why
    assert project.schema["zip"].builder == Prefix((1,))
    done(browser.post("/hierarchies/undo", follow_redirects=False), "age")  # an older step of another column
    assert (project.schema["age"], project.schema["born"].role) == (first, Role.PLAIN)
    assert project.schema["zip"].builder == Prefix((1,))


def test_the_history_is_bounded_and_a_broken_file_is_none(tmp_path: Path) -> None:
    history = History()
    for number in range(MOST_STEPS + 5):
        history = history.with_step(Step("a", str(number), "x", "y"))
    assert [history.done[0].words, history.done[-1].words, len(history.done)] == ["5", str(MOST_STEPS + 4), MOST_STEPS]
    huge = history.with_step(Step("a", "huge", "x" * 9_000_000, "y")).with_step(Step("a", "huger", "x" * 9_000_000, "y"))
    assert [step.words for step in huge.done] == ["huger"]
    history.write(tmp_path)
    assert History.read(tmp_path) == history
    for text in ("", "[]", "{}", '{"version": 1, "done": [{}], "undone": []}', '{"version": 2}'):
        (tmp_path / FILE).write_text(text)
        assert History.read(tmp_path) == History()


def test_comments_of_other_columns_stay(browser: TestClient, project: Project) -> None:
    text = project.schema_file.read_text().replace("[attributes.zip]", "# one line\n# and another: [x]\n[attributes.zip]")
    project.schema_file.write_text(text)
    done(post(browser, "levels", "born", keep=["year"]), "born")
    now = project.schema_file.read_text()
    assert "# mine\n[attributes.age]" in now
    assert "# one line\n# and another: [x]\n[attributes.zip]" in now
    assert "# levels decided on the workbench\n[attributes.born]" in now


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
