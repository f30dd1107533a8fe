"""Publishing on a page: the best release or the chosen node, in words, and as a command line that makes the same file."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import sfumato as sf
from sfumato.web.bench.project import Project

COMMAND = "import sys; from sfumato.cli.entry import main; sys.exit(main())"


def wait(browser: TestClient) -> str | None:
    error: str | None = browser.app.state.bench.work.wait(120).error  # type: ignore[attr-defined]
    return error


def printed(page: str, name: str) -> list[str]:
    found = re.search(rf'<code id="{name}">([^<]+)</code>', page)
    assert found
    return shlex.split(unescape(found[1]))


def run(command: list[str], folder: Path) -> None:
    """Run a printed command as a person who copies it does."""
    assert command[0] == "sfumato"
    here = {**os.environ, "PYTHONPATH": str(Path(sf.__file__).parents[1])}  # the library that is tested
    words = [sys.executable, "-c", COMMAND, *command[1:]]
    ended = subprocess.run(words, cwd=folder, env=here, capture_output=True, encoding="utf-8", check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_command_makes_the_best_release(browser: TestClient, project: Project, tmp_path: Path, kind: str) -> None:
    browser.post("/publish", data={"models": "k-anonymity:5", "suppress": "2%", "kind": kind})
    assert wait(browser) is None
    page = browser.get("/publish").text
    (tmp_path / "elsewhere").mkdir()
    run(printed(page, "command"), tmp_path / "elsewhere")
    made = project.folder / "releases/001" / f"release.{kind}"
    assert (tmp_path / "elsewhere" / f"release.{kind}").read_bytes() == made.read_bytes()
    certificate = sf.verify(made).certificate
    assert certificate.size() in page
    assert re.search(r"k-anonymity:5: (satisfied|\d+, must be at least 5)", page)
    assert f"{certificate.suppressed['people']} people were left out" in page
    assert certificate.sha256 in page


def allowed(project: Project, models: list[str], suppress: str) -> dict[str, int]:
    """A node that is allowed, and not the best one."""
    space = sf.explore(project.source, models=models, suppress=suppress).feasible()
    worst = int(space["loss"].argsort()[len(space) // 2])
    return space.lattice.node(space.evaluations.levels[worst].tolist()).as_dict()


@pytest.mark.parametrize("suppress", ["0", "5%"])
def test_the_chosen_node_is_published_and_the_command_does_the_same(
    browser: TestClient, project: Project, tmp_path: Path, suppress: str
) -> None:
    models = ["k-anonymity:5", "distinct-diversity:2"]
    node = allowed(project, models, suppress)
    written = f"[{','.join(map(str, node.values()))}]"
    browser.post("/publish/node", data={"node": written, "models": models, "suppress": suppress, "kind": "csv"})
    assert wait(browser) is None
    made = project.folder / "releases/001/release.csv"
    certificate = sf.verify(made).certificate
    assert dict(certificate.node) == node
    assert [each["model"] for each in certificate.models or ()] == models
    page = browser.get("/publish").text
    assert "distinct-diversity:2 of Diagnose: " in page
    (tmp_path / "elsewhere").mkdir()
    run(printed(page, "command-node"), tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere/release.csv").read_bytes() == made.read_bytes()
    assert (project.folder / "releases/001/report.html").is_file()


def test_a_node_that_violates_the_models_is_refused_in_one_line(browser: TestClient, project: Project) -> None:
    bottom = f"[{','.join('0' for _ in project.schema.quasi)}]"
    browser.post("/publish/node", data={"node": bottom, "models": ["k-anonymity:5"]})
    error = wait(browser)
    assert error is not None
    assert "k-anonymity:5 (it is 1, and must be at least 5); nothing was published" in error
    assert error in unescape(browser.get("/publish").text)
    assert list((project.folder / "releases").iterdir()) == []


def test_what_is_no_node_or_no_format_is_refused(browser: TestClient, project: Project) -> None:
    before = project.recipe_file.read_bytes()
    for fields in (
        {"node": "[99]"},
        {"node": "here"},
        {"node": "[0,0,0]", "kind": "exe"},
        {"node": "[0,0,0]", "models": ["k:5"]},
    ):
        assert browser.post("/publish/node", data=fields).status_code == 400
    assert browser.post("/publish", data={"models": "k-anonymity:5", "kind": "../../x"}).status_code == 400
    assert project.recipe_file.read_bytes() == before
    assert project.chosen is None


def test_a_node_of_another_schema_is_forgotten(browser: TestClient, project: Project) -> None:
    top = f"[{','.join(str(project.schema[name].height()) for name in project.schema.quasi)}]"
    browser.post("/publish/node", data={"node": top, "models": ["k-anonymity:5"]})
    assert wait(browser) is None
    assert "command-node" in browser.get("/publish").text
    browser.post("/table/role", data={"name": "PLZ", "role": "plain"})
    assert "command-node" not in browser.get("/publish").text
