"""The steps of the guide "From a file to a release in the browser", and a picture of each."""

from __future__ import annotations

from typing import Any

READY = "#job[data-running=no]"


def follow(page: Any, address: str, camera: Any) -> None:
    """From the address of a workbench to a release and its report."""
    page.goto(address)
    page.wait_for_selector(".column")
    _table(page, camera)
    _hierarchies(page, camera)
    _step(page, "Risk")
    camera.take(page, "workbench-risk", "h1", "main .two >> nth=1", most=1200)
    _explore(page, camera)
    _publish(page, camera)


def _step(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=name, exact=True).click()
    page.wait_for_load_state()


def _table(page: Any, camera: Any) -> None:
    page.wait_for_load_state("networkidle")
    with page.expect_navigation():  # nobody knows how long a patient stayed
        page.get_by_role("group", name="Role of nights").get_by_role("radio", name="plain").check()
    page.wait_for_selector(".column")
    camera.take(page, "workbench-table", ".where", ".column >> nth=0", most=900)


def _hierarchies(page: Any, camera: Any) -> None:
    _step(page, "Hierarchies")
    page.get_by_role("link", name="age", exact=True).click()
    _instead(page, "bands of equal width")
    page.get_by_label("Width of the bands of level 1", exact=True).fill("10")
    page.get_by_label("Width of the bands of level 2", exact=True).fill("20")
    page.get_by_text("Level 2, bands of 20").wait_for()
    page.get_by_role("button", name="Save").click()
    _done(page, "changed the levels (age)")
    camera.take(page, "workbench-bands", "h1", "#save")
    page.get_by_role("link", name="job", exact=True).click()
    _tree(page)
    camera.take(page, "workbench-tree", "#tree-title", "ul.tree")


def _instead(page: Any, words: str) -> None:
    page.get_by_role("radio", name=words).check()
    page.get_by_role("button", name="Use these").click()
    _done(page, "changed to")


def _done(page: Any, words: str) -> None:
    """Whether the page was fetched anew or only changed, the button says what it would undo."""
    page.get_by_role("button", name=f"Undo: {words}").wait_for()


def _tree(page: Any) -> None:
    """The jobs in groups of our own."""
    _instead(page, "a tree over the values")
    page.get_by_role("button", name="Remove the level").click()
    _done(page, "removed")
    for name, jobs in (("trade", ("baker", "carpenter", "driver", "farmer")), ("office", ("clerk", "lawyer"))):
        for job in jobs:
            page.get_by_role("checkbox", name=job, exact=True).check()
        page.get_by_role("textbox", name="or give a name").fill(name)
        page.get_by_role("button", name="New group", exact=True).click()
        _done(page, f"put {len(jobs)} labels")
    page.get_by_role("checkbox", name="other", exact=True).check()
    page.get_by_role("textbox", name="or give a name").fill("care and school")
    page.get_by_role("button", name="Rename", exact=True).click()
    _done(page, "renamed")


def _explore(page: Any, camera: Any) -> None:
    _step(page, "Explore")
    page.get_by_role("button", name="Explore").click()
    page.wait_for_selector("#plot", timeout=120_000)
    page.wait_for_selector("#front button")
    camera.take(page, "workbench-explore", "#plot", "#log")
    page.locator("#front button").last.click()  # the one with the most detail of those that keep the models
    page.wait_for_function("document.querySelector('#front tr:last-child').dataset.node === document.querySelector('.node').dataset.node")
    camera.take(page, "workbench-node", "#chosen h2", "#chosen .cards", most=1300)


def _publish(page: Any, camera: Any) -> None:
    page.get_by_role("button", name="Publish this one").first.click()
    page.get_by_role("heading", name="Release 001").wait_for(timeout=120_000)
    camera.take(page, "workbench-publish", "h1", ".release", most=1000)
    page.get_by_role("link", name="report.html").click()
    page.wait_for_selector("main")
    camera.take(page, "workbench-report", "body", most=800)
