"""A workbench on a table with a hostile name, a tree, bands, dates and codes; its forms, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from sfumato.vocabulary.builders import Listed
from sfumato.web.bench.project import Project
from sfumato.web.workbench.app import workbench
from sfumato.web.workbench.guard import Guard
from tests.web.conftest import BASE, PORT, TOKEN, begun

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
    made = begun(folder / "people.csv", folder / "work")
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


def version_of(browser: TestClient, name: str) -> str:
    page = browser.get("/hierarchies", params={"name": name}).text
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found
    return found[1]


def post(browser: TestClient, what: str, name: str = HOSTILE, **fields: Any) -> Any:
    """A form of the page as it is now."""
    data = {"name": name, "seen": version_of(browser, name), **fields}
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


def upload(browser: TestClient, content: bytes) -> Any:
    data = {"name": HOSTILE, "seen": version_of(browser, HOSTILE)}
    return browser.post("/hierarchies/upload", data=data, files={"file": ("h.csv", content)}, follow_redirects=False)
