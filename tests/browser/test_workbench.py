"""The workbench in a real browser, started as a person starts it: from a table that nobody prepared to a report, with the keyboard."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.project import Project
from tests.web.conftest import patients

__all__ = ["patients"]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture
def started(patients: Path) -> Iterator[tuple[str, Project]]:
    command = [Path(sys.executable).with_name("sfumato"), "open", patients.name, "--no-browser", "--json"]
    with subprocess.Popen(command, cwd=patients.parent, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        said = json.loads("".join(lines))
        yield said["address"], Project(patients.parent / said["project"])
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0  # Ctrl-C is how it ends


def test_from_a_table_to_a_report_with_the_keyboard(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark", accept_downloads=True)
    page, problems = context.new_page(), []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: problems.append(request.url) if not request.url.startswith(("data:", address[:20])) else None
    )
    page.goto(address)
    page.wait_for_selector(".column")
    assert "token" not in page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # nothing sticks out of a phone
    chosen = page.get_by_role("group", name="Role of PLZ").get_by_role("radio", name="quasi")
    chosen.focus()
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")  # the next role, which is saved at once
    assert project.schema["PLZ"].role is Role.SENSITIVE
    page.get_by_role("group", name="Role of PLZ").get_by_role("radio", name="sensitive").focus()
    with page.expect_navigation():
        page.keyboard.press("ArrowLeft")
    page.get_by_role("link", name="Publish", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("What every release must satisfy").fill("k-anonymity:4")
    page.get_by_role("button", name="Make it").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Release 001").wait_for(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="release.csv", exact=True).click()
    assert Path(downloaded.value.path()).read_bytes() == (project.folder / "releases/001/release.csv").read_bytes()
    page.get_by_role("link", name="report.html").click()
    assert re.search("safe|satisf", page.inner_text("main"))
    assert sf.verify(project.folder / "releases/001/release.csv").certificate.smallest_class >= 4
    assert problems == []
    context.close()


def test_the_pages_work_without_a_script(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    while not page.query_selector(".column"):
        page.reload()
    group = page.get_by_role("group", name="Role of Diagnose")
    group.get_by_role("radio", name="plain").check()
    page.locator("form.role", has=group).get_by_role("button", name="Save").click()
    assert project.schema["Diagnose"].role is Role.PLAIN
    context.close()


def test_a_printed_page_tells_the_roles_and_offers_nothing_to_press(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    context = browser.new_context(viewport={"width": 794, "height": 1123})
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".column")
    page.wait_for_load_state()  # the page that waits may have gone on to this one, whose style sheet is on its way
    asking = page.locator("#column-2 .printed")
    assert not asking.is_visible()
    page.emulate_media(media="print")
    assert asking.inner_text() == f"Role: {project.schema.attributes[2].role.value}"
    for step in ("table", "risk", "explore", "publish"):
        page.goto(f"{address.split('?')[0]}{step}")
        assert page.locator("main button:visible").count() == 0, step
    page.emulate_media(media="screen")
    page.goto(f"{address.split('?')[0]}risk")
    assert page.locator("form.asking").evaluate("form => getComputedStyle(form).display") == "flex"
    context.close()


def test_a_page_that_waits_goes_on_by_itself_and_says_when_nobody_answers(browser: Any, tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 97},{n % 7919},{n % 5}\n" for n in range(300_000))
    (tmp_path / "large.csv").write_text(f"id,age,zip,ill\n{rows}")
    command = [Path(sys.executable).with_name("sfumato"), "open", "large.csv", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        address = [process.stdout.readline() for _ in range(3)][1].split()[1]
        page = browser.new_page()
        page.route("**/job", lambda route: route.abort())
        page.goto(address)
        page.get_by_text("Nobody answers: sfumato has ended.").wait_for()
        page.unroute("**/job")
        page.reload()
        page.get_by_text("300,000 rows, 4 columns").wait_for(timeout=60_000)
        page.close()
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0
