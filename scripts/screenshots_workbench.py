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
    camera.take(page, "workbench-risk", "h1", "dl.terms")
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
    give_bands(page)
    camera.take(page, "workbench-bands", "h1", "#save")
    give_tree(page)
    camera.take(page, "workbench-tree", "#tree-title", "ul.tree")


def give_bands(page: Any) -> None:
    """Ages in bands of 10 and 20 years, the same in every table."""
    page.get_by_role("link", name="age", exact=True).click()
    _instead(page, "bands of equal width")
    page.get_by_label("Width of the bands of level 1", exact=True).fill("10")
    page.get_by_label("Width of the bands of level 2", exact=True).fill("20")
    page.get_by_label("fixed, so that another table gets the same bands").check()
    page.get_by_label("Lower bound", exact=True).fill("0")
    page.get_by_label("Upper bound", exact=True).fill("100")
    page.get_by_text("Level 2, bands of 20").wait_for()
    page.get_by_role("button", name="Save").click()
    _done(page, "changed the levels (age)")


def _instead(page: Any, words: str) -> None:
    page.get_by_role("radio", name=words).check()
    page.get_by_role("button", name="Use these").click()
    _done(page, "changed to")


def _done(page: Any, words: str) -> None:
    """Whether the page was fetched anew or only changed, the button says what it would undo."""
    page.get_by_role("button", name=f"Undo: {words}").wait_for()


def give_tree(page: Any) -> None:
    """The jobs in groups of our own."""
    page.get_by_role("link", name="job", exact=True).click()
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
    knee = page.get_attribute(".node", "data-node")
    page.locator("#front button").last.click()  # the one with the most detail of those that keep the models
    page.wait_for_function("knee => document.querySelector('.node').dataset.node !== knee", arg=knee)
    camera.take(page, "workbench-node", "#chosen h2", "#chosen .card >> nth=0", most=1300)


def _publish(page: Any, camera: Any) -> None:
    page.get_by_role("button", name="Publish this one").first.click()
    page.get_by_role("heading", name="Release 001").wait_for(timeout=120_000)
    camera.take(page, "workbench-publish", "h1", ".release", most=1000)
    page.get_by_role("link", name="report.html").click()
    page.wait_for_selector("main")
    camera.take(page, "workbench-report", "body", most=800)
