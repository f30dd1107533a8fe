"""Hierarchies as files of ARX, the history of changes, and the schema file that keeps what is not changed."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from fastapi.testclient import TestClient

from sfumato.vocabulary import arx
from sfumato.vocabulary.builders import Prefix
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.levels.history import FILE, MOST_STEPS, History, Step
from sfumato.web.bench.project import Project
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard
from tests.web.conftest import BASE, PORT, TOKEN
from tests.web.levels import HOSTILE, JOBS, TREE, browser, done, folder, jobs, post, project, refusal, upload

__all__ = ["browser", "folder", "project"]


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
