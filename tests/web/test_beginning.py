"""The workbench answers before it has looked at its table; what is found begins the project, and what goes wrong is on the page."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from fastapi.testclient import TestClient

from sfumato.errors import DataError, OutputError, UsageError
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench import looking
from sfumato.web.bench.project import Project, project_of
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard
from tests.web.conftest import BASE, PORT, TOKEN

PAGES = ("/table", "/hierarchies", "/risk", "/explore", "/publish", "/releases/001/release.csv")


@contextmanager
def opened(project: Project, failed: Callable[[str], None] = lambda line: None) -> Iterator[TestClient]:
    app = workbench(project, Guard(TOKEN, PORT), failed)
    with TestClient(app, base_url=BASE, headers={"Origin": BASE}) as client:
        client.get("/", params={"token": TOKEN})
        yield client


def work(client: TestClient) -> Any:
    return client.app.state.bench.work  # type: ignore[attr-defined]


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Nobody looks at a table until this is set."""
    go_on, profile = threading.Event(), looking.profile

    def late(*given: Any, **more: Any) -> Any:
        more["watch"]("reading slowly", None)
        assert go_on.wait(60)
        more["watch"]("reading on", None)
        return profile(*given, **more)

    monkeypatch.setattr(looking, "profile", late)
    return go_on


def test_every_page_waits_for_the_first_look_and_comes_after_it(patients: Path, tmp_path: Path, held_up: threading.Event) -> None:
    project = project_of(patients, tmp_path / "work")
    assert not project.folder.exists()
    with opened(project) as browser:
        for page in PAGES:
            answer = browser.get(page)
            assert answer.status_code == 202
            assert "come by themselves when that is done" in answer.text
            assert 'data-running="yes"' in answer.text
            assert "<h1>patients.csv</h1>" in answer.text
        assert browser.get("/job").json()["done"] is False
        assert not project.begun
        held_up.set()
        assert work(browser).wait(60).error is None
        assert project.begun
        assert all(browser.get(page).status_code == 200 for page in PAGES[:-1])
        assert "400 rows, 7 columns" in browser.get("/table").text


def test_the_table_is_profiled_once(patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, profile = list[Any](), looking.profile
    monkeypatch.setattr(looking, "profile", lambda *given, **more: (calls.append(given), profile(*given, **more))[1])
    with opened(project_of(patients, tmp_path / "work")) as browser:
        assert work(browser).wait(60).error is None
    assert len(calls) == 1


def test_a_table_that_cannot_be_read_is_told_and_can_be_mended(tmp_path: Path) -> None:
    table, messages = tmp_path / "t.csv", list[str]()
    table.write_text("age,ill\n")
    project = project_of(table, tmp_path / "p")
    with opened(project, messages.append) as browser:
        work(browser).wait(60)
        page = browser.get("/table").text
        assert "Looking at the table failed: no row of data below the header" in page
        assert 'action="/again"' in page
        assert messages == ["no row of data below the header"]
        assert not project.folder.exists()
        table.write_text("age,ill\n" + "".join(f"{20 + n},{'ab'[n % 2]}\n" for n in range(30)))
        assert browser.post("/again").status_code in (200, 202)
        assert work(browser).wait(60).error is None
        assert "30 rows, 2 columns" in browser.get("/table").text


def test_a_table_without_a_suggested_quasi_identifier_is_for_a_person_to_decide(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("patient_id,age,ill\n17,34,flu\n")
    project = project_of(tmp_path / "t.csv", tmp_path / "p")
    with opened(project) as browser:
        assert work(browser).wait(60).error is None
        assert project.schema.quasi == ()
        assert all(browser.get(page).status_code == 200 for page in PAGES[:-1])
        browser.post("/table/role", data={"name": "age", "role": "quasi"})
        assert project.schema["age"].role is Role.QUASI
        assert browser.get("/risk").status_code == 200


def test_what_can_be_seen_at_once_is_refused_at_once(patients: Path, project: Project, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        project_of(tmp_path / "nothing.csv")
    with pytest.raises(OutputError, match="is a file; name a folder"):
        project_of(patients, patients)
    with pytest.raises(UsageError, match=r"this project is begun; change it in .*recipe\.toml"):
        project_of(patients, project.folder, delimiter=",")
    assert project_of(patients, project.folder, delimiter=None, threads=1).folder == project.folder


def test_what_is_being_done_is_left_at_its_next_step(patients: Path, tmp_path: Path, held_up: threading.Event) -> None:
    project = project_of(patients, tmp_path / "work")
    with opened(project) as browser:
        work(browser).end()
        assert not work(browser).left(0)
        held_up.set()
        assert work(browser).left(60)
    assert not project.folder.exists()


@pytest.mark.slow
def test_ctrl_c_while_the_table_is_looked_at_ends_with_one_line(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 97},{n % 7919},{n % 5}\n" for n in range(400_000))
    (tmp_path / "large.csv").write_text(f"id,age,zip,ill\n{rows}")
    command = [Path(sys.executable).with_name("sfumato"), "open", "large.csv", "--no-browser"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        assert process.stdout
        assert process.stderr
        address = [process.stdout.readline() for _ in range(3)][1].split()[1]
        browser, job = build_opener(HTTPCookieProcessor()), {"step": ""}
        place, token = address.split("?")
        browser.open(f"{place}job?{token}")
        while not job["step"]:
            job = json.loads(browser.open(f"{place}job").read())
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0
        assert job["done"] is False  # it was at work
        assert process.stdout.read() == "ended; nothing was written\n"
        assert process.stderr.read() == ""


def test_a_project_is_looked_at_again_only_when_its_table_has_changed(patients: Path, project: Project) -> None:
    with opened(project) as browser:
        assert work(browser).wait(60).error is None
        browser.post("/table/role", data={"name": "PLZ", "role": "plain"})
    with opened(project) as browser:
        assert work(browser).current is None  # another role changes nothing of the values
        assert "Look again" not in browser.get("/table").text
        patients.write_bytes(patients.read_bytes() + patients.read_bytes().splitlines(keepends=True)[1])
        assert "Look again" in browser.get("/table").text
        browser.post("/again")
        assert work(browser).wait(60).error is None
        assert "401 rows" in browser.get("/table").text
        assert "Look again" not in browser.get("/table").text


def test_files_that_somebody_broke_are_told_on_a_page(browser: TestClient, project: Project) -> None:
    for broken, pages in ((project.schema_file, PAGES[:-1]), (project.recipe_file, PAGES[2:-1])):
        good, says = broken.read_text(), f"{broken.name}: not TOML"
        broken.write_text("a = [")
        for page in pages:
            answer = browser.get(page)
            assert (answer.status_code, says in answer.text, "<main" in answer.text) == (400, True, True), page
        broken.write_text(good)
        assert browser.get("/table").status_code == 200
    project.schema_file.rename(project.folder / "away.toml")
    answer = browser.get("/table")
    assert (answer.status_code, "schema.toml: no such file" in answer.text) == (400, True)


def test_a_job_that_failed_is_told_on_its_own_page_only(browser: TestClient, project: Project, patients: Path) -> None:
    patients.rename(patients.with_name("away.csv"))
    browser.post("/publish", data={"models": "k-anonymity:5"})
    assert "no such file" in work(browser).wait(60).error
    assert "Making the release failed" in browser.get("/publish").text
    for page in ("/table", "/hierarchies", "/explore", "/nowhere"):
        assert "Making the release failed" not in browser.get(page).text


def test_what_nobody_meant_to_go_wrong_is_a_page_without_values(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: Any) -> None:
        raise RuntimeError("Rumpelstilzchen, 17")

    monkeypatch.setattr("sfumato.web.bench.bench.Bench.as_it_is", bug)
    answer = browser.get("/risk")
    assert (answer.status_code, "a bug in sfumato (RuntimeError)" in answer.text) == (500, True)
    assert "Rumpelstilzchen" not in answer.text
    missing = browser.get("/nowhere")
    assert (missing.status_code, "there is nothing at this address" in missing.text) == (404, True)
    malformed = browser.post("/table/role", data={"name": "PLZ"})
    assert (malformed.status_code, "the form is not complete: role" in malformed.text) == (422, True)
