"""The Explore page in a real browser: live under other thresholds, by mouse and by keys, on a phone and in the dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import sfumato as sf
from sfumato.web.bench.project import Project
from tests.browser.test_workbench import started
from tests.web.conftest import patients

__all__ = ["patients", "started"]
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.slow


class Watched:
    """A page, and what went wrong on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def dots(self) -> str:
        """What the canvas shows."""
        shown: str = self.page.evaluate("document.querySelector('#plot canvas').toDataURL()")
        return shown

    def allowed(self) -> int:
        found = re.match(r"([\d,]+) of", self.page.inner_text("#log"))
        return int(found[1].replace(",", "")) if found else 0

    def changed(self, before: str) -> None:
        self.page.wait_for_function("before => document.getElementById('log').textContent !== before", arg=before)


@pytest.fixture
def watched(browser: Any, started: tuple[str, Project]) -> Iterator[tuple[Watched, Project]]:
    """The Explore page, explored with k-anonymity:5."""
    address, project = started
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    page = Watched(context.new_page())
    page.page.goto(address)
    page.page.wait_for_selector("#job[data-running=no]", state="attached")
    page.page.get_by_role("link", name="Explore", exact=True).click()
    page.page.get_by_role("button", name="Explore").click()
    page.page.wait_for_selector("#plot", timeout=60_000)
    page.page.wait_for_selector("#front button")
    yield page, project
    assert page.problems == []
    context.close()


def expected(project: Project, *models: str, **more: Any) -> sf.TradeOff:
    return sf.trade_off(project.source, models=list(models), **more)


def test_another_threshold_changes_picture_and_counts_without_a_reload(watched: tuple[Watched, Project]) -> None:
    shown, project = watched
    page = shown.page
    page.evaluate("window.same = true")
    assert shown.allowed() == int(expected(project, "k-anonymity:5").within.sum())
    dots, log = shown.dots(), page.inner_text("#log")
    page.get_by_label("k", exact=True).first.fill("40")
    shown.changed(log)
    other = expected(project, "k-anonymity:40")
    assert shown.allowed() == int(other.within.sum())
    assert page.locator("#front tr").count() == len(other.front)
    assert shown.dots() != dots
    log = page.inner_text("#log")
    page.locator("#epsilon").fill("0.2")
    shown.changed(log)
    assert shown.allowed() == int(expected(project, "k-anonymity:40", epsilon=0.2).within.sum())
    assert page.evaluate("window.same")
    page.reload()  # the address has everything
    page.wait_for_selector("#front button")
    assert shown.allowed() == int(expected(project, "k-anonymity:40", epsilon=0.2).within.sum())


def test_a_model_that_was_not_explored_is_told_and_explored(watched: tuple[Watched, Project]) -> None:
    shown, project = watched
    page = shown.page
    page.get_by_text("All other models").click()
    page.get_by_role("checkbox", name="beta-likeness").check()
    page.locator("#again").wait_for()
    assert "explore again" in page.inner_text("#again")
    page.get_by_role("button", name="Explore again").click()
    page.wait_for_selector("#job[data-running=no]", state="attached")
    page.wait_for_selector("#front button")
    models = [str(model) for model in project.recipe.question.models]
    assert models == ["k-anonymity:5", "beta-likeness:0.5"]
    assert shown.allowed() == int(expected(project, *models).within.sum())


def test_a_click_on_a_dot_shows_it_and_two_are_compared(watched: tuple[Watched, Project]) -> None:
    shown, project = watched
    page = shown.page
    knee = page.get_attribute(".node", "data-node")
    result = expected(project, "k-anonymity:5")
    assert knee == str(result.space.evaluations.levels[result.knee].tolist()).replace(" ", "")
    page.get_by_role("link", name="Keep it to compare").click()
    page.wait_for_function("() => document.querySelectorAll('.node').length === 2")
    page.evaluate("document.getElementById('plot').scrollIntoView()")
    box = page.locator("#plot").bounding_box()
    for x in range(60, int(box["width"]) - 20, 14):  # to the right of the knee, until there is a dot
        page.mouse.click(box["x"] + x, box["y"] + 30)
        if page.input_value("#ask [name=node]") != knee:
            break
    chosen = page.input_value("#ask [name=node]")
    assert chosen != knee
    page.wait_for_function("node => document.querySelector('.node').dataset.node === node", arg=chosen)
    assert page.locator(".node").nth(1).get_attribute("data-node") == knee
    levels = [int(level) for level in chosen.strip("[]").split(",")]
    assert f"{result.space.node(levels)['classes']:,} group" in page.locator(".node").first.inner_text()
    assert page.locator("#chosen .card figure svg").count() == 2 * page.locator("#chosen .card").count()


def test_with_the_keyboard_to_a_release(watched: tuple[Watched, Project]) -> None:
    shown, project = watched
    page = shown.page
    page.locator("#plot").focus()
    front = expected(project, "k-anonymity:5").front
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    space = expected(project, "k-anonymity:5").space
    last = str(space.evaluations.levels[front[-1]].tolist()).replace(" ", "")
    page.wait_for_function("node => document.querySelector('.node').dataset.node === node", arg=last)
    page.get_by_role("button", name="Publish this one").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Release 001").wait_for(timeout=60_000)
    certificate = sf.verify(project.folder / "releases/001/release.csv").certificate
    assert str(list(certificate.node.values())).replace(" ", "") == last
    page.get_by_text("The same at the shell").first.click()
    page.get_by_role("button", name="Copy").first.click()
    page.wait_for_function("() => document.querySelector('.shell [role=status]').textContent !== ''")


def test_on_a_phone_in_the_dark(watched: tuple[Watched, Project]) -> None:
    shown, _ = watched
    page = shown.page
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_text("All other models").focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("checkbox", name="t-closeness").is_visible()
    page.get_by_role("link", name="Keep it to compare").click()
    page.wait_for_function("() => document.querySelectorAll('.node').length === 2")
    for place in ("explore", "risk", "publish"):
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        page.goto(re.sub(r"/explore.*|/risk|/publish", f"/{place}", page.url))
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


def test_nobody_complains_about_access(watched: tuple[Watched, Project]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    shown, _ = watched
    page = shown.page
    page.get_by_role("link", name="Keep it to compare").click()
    page.wait_for_function("() => document.querySelectorAll('.node').length === 2")
    page.get_by_text("All other models").click()
    for place in ("explore", "risk", "publish"):
        if place != "explore":
            page.goto(re.sub(r"/explore.*|/risk", f"/{place}", page.url))
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = axe.Axe().run(page).response["violations"]
            assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found] == []


def test_without_a_script(browser: Any, watched: tuple[Watched, Project], started: tuple[str, Project]) -> None:
    shown, project = watched
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(shown.page.context.cookies())
    page = context.new_page()
    page.goto(shown.page.url)
    page.get_by_label("k", exact=True).first.fill("40")
    page.get_by_role("button", name="Show").click()
    other = expected(project, "k-anonymity:40")
    assert page.inner_text("#log").startswith(f"{int(other.within.sum()):,} of")
    page.locator("#front a").last.click()
    last = str(other.space.evaluations.levels[other.front[-1]].tolist()).replace(" ", "")
    assert page.get_attribute(".node", "data-node") == last
    page.get_by_role("link", name="Keep it to compare").click()
    assert page.locator(".node").count() == 2
    context.close()
