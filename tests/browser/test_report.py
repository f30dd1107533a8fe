"""The report in a real browser: it says nothing on the console, asks nobody, and works with keys alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from tests.unit.report.releases import AWKWARD, many_classes, people, written

pytestmark = pytest.mark.slow
CLASSES = 10_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report on many classes."""
    folder = tmp_path_factory.mktemp("large")
    sf.report(*written(folder, many_classes(CLASSES)), output=folder / "report.html", models=["k-anonymity:5"])
    return (folder / "report.html").as_uri()


class Watched:
    """A page, and what it said and asked for."""

    def __init__(self, browser: Any, **context: Any) -> None:
        self.page = browser.new_context(**context).new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(self, address: str) -> None:
        self.page.goto(address, wait_until="load")

    def open_details(self) -> None:
        self.page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")


def test_it_says_nothing_and_asks_nobody(browser: Any, large: str) -> None:
    watched = Watched(browser)
    watched.open(large)
    assert watched.said == []
    assert [address for address in watched.asked if not address.startswith("data:")] == [large]
    assert watched.page.locator("h1").count() == 1
    assert "rows 1 to 25 of 10,000" in watched.page.locator("#classes [role=status]").text_content()


def test_every_class_can_be_reached_with_keys_alone(browser: Any, large: str) -> None:
    page = (watched := Watched(browser)).page
    watched.open(large)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#classes summary").focus()
    page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert {"First", "Back", "Next", "Last", "sign-name", "sign-date", "sign-remarks", "table-0-number"} <= reached
    first = page.locator("#classes tbody th").first.inner_text()
    page.locator("#classes button", has_text="Next").focus()
    page.keyboard.press("Enter")
    assert "rows 26 to 50" in page.locator("#classes [role=status]").inner_text()
    assert page.locator("#classes tbody th").first.inner_text() != first
    page.locator("#table-0-number").fill("4711")
    page.keyboard.press("Enter")
    assert page.locator("#classes tr.marked th").inner_text() == "4,711"
    page.locator("#classes button", has_text="Last").click()
    assert "of 10,000" in page.locator("#classes [role=status]").inner_text()
    assert watched.said == []


def test_without_a_script_the_first_rows_show(browser: Any, large: str) -> None:
    page = (watched := Watched(browser, java_script_enabled=False)).page
    watched.open(large)
    page.locator("#classes summary").click()
    assert page.locator("#classes tbody tr").count() == 25
    assert not page.locator("#classes .pager").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_follows_its_colors(browser: Any, large: str, scheme: str) -> None:
    page = (watched := Watched(browser, viewport={"width": 390, "height": 844}, color_scheme=scheme)).page
    watched.open(large)
    watched.open_details()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 25, 26)"}[scheme]
    sizes = page.evaluate("[...document.querySelectorAll('svg text')].map(each => each.getBoundingClientRect().height)")
    assert min(sizes) >= 9


def test_on_paper_it_is_light_and_without_what_only_a_screen_can_do(browser: Any, large: str) -> None:
    page = (watched := Watched(browser, color_scheme="dark")).page
    watched.open(large)
    watched.open_details()
    assert not page.locator("#classes .paper").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    message = "The printout has 25 of the 10,000 classes. The page on screen has the others."
    assert page.locator("#classes .paper").inner_text() == message
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".pager").is_visible()
    assert page.locator("#signature").is_visible()


def test_labels_that_look_like_markup_do_nothing(browser: Any, tmp_path: Path) -> None:
    image = "<img src=x onerror=document.title=1>"
    counts = {
        (f"{town} {number}", number, value): 6 for town in (*AWKWARD, image) for number in range(8) for value in (image, "flu")
    }
    sf.report(*written(tmp_path, people(counts)), output=tmp_path / "report.html")
    page = (watched := Watched(browser)).page
    watched.open((tmp_path / "report.html").as_uri())
    watched.open_details()
    page.locator("#classes button", has_text="Last").click()
    page.locator("#classes button", has_text="First").click()
    assert watched.said == []
    assert page.title() == "Release report: out.parquet"
    assert page.locator("img").count() == 0
