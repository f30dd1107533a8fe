"""The report on a screen and on paper: it fits a phone and a wide screen, and what is signed is at most four pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.data import write_adult
from tests.browser.test_report import Watched
from tests.unit.report.releases import twenty_columns

pytestmark = pytest.mark.slow
# What reaches beyond the screen, but for the insides of regions that scroll.
BEYOND = """width => [...document.querySelectorAll("body *")].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width && (box.right > width + 1 || box.left < -1) && !each.closest(".scroll table") && !each.closest(".skip");
}).map(each => `${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}`)"""
# A text of a picture that the picture cuts off.
CUT = """() => [...document.querySelectorAll("svg text")].filter(each => {
    const box = each.getBoundingClientRect(), frame = each.ownerSVGElement.getBoundingClientRect();
    return box.width && (box.right > frame.right + 1 || box.left < frame.left - 1);
}).map(each => each.textContent)"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The owner's reports on the census and on twenty columns, and the form of the first for others."""
    folder = tmp_path_factory.mktemp("pages")
    write_adult(folder)
    census, schema = folder / "census.parquet", folder / "adult.toml"
    asked: dict[str, Any] = {"models": ["k-anonymity:5", "t-closeness:0.3"], "suppress": "5%"}
    sf.anonymize(folder / "adult.parquet", schema, **asked, quasi=["age", "education", "sex"], output=census)
    release, original, wide = twenty_columns(folder / "wide")
    targets = {name: folder / f"{name}.html" for name in ("census", "others", "wide")}
    sf.report(census, schema, original=folder / "adult.parquet", output=targets["census"])
    sf.report(census, schema, output=targets["others"])
    sf.report(release, wide, original=original, models=["k-anonymity:2", "t-closeness:0.2"], output=targets["wide"])
    return {name: path.as_uri() for name, path in targets.items()}


@pytest.mark.parametrize("name", ["census", "others", "wide"])
@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_reaches_beyond_the_screen(browser: Any, pages: dict[str, str], name: str, width: int) -> None:
    page = (watched := Watched(browser, viewport={"width": width, "height": 900})).page
    watched.open(pages[name])
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(BEYOND, width) == []
        assert page.evaluate(CUT) == []
        watched.open_details()
    assert watched.said == []
    assert [address for address in watched.asked if not address.startswith("data:")] == [pages[name]]


@pytest.mark.parametrize("name", ["census", "others", "wide"])
def test_what_is_signed_is_at_most_four_pages(browser: Any, pages: dict[str, str], name: str) -> None:
    page = (watched := Watched(browser)).page
    watched.open(pages[name])
    assert 1 < sheets(page.pdf(format="A4", prefer_css_page_size=True)) <= 4
    page.emulate_media(media="print")
    shown = {each: page.locator(f"#{each}").is_visible() for each in ("summary", "columns", "signature", "definitions")}
    assert shown == {"summary": True, "columns": True, "signature": True, "definitions": False}
    page.emulate_media(media="screen")
    page.locator("#definitions summary").click()
    page.emulate_media(media="print")
    assert page.locator("#definitions dl").first.is_visible()  # what is open is printed under its title, after the signature
    assert page.locator("#definitions summary").is_visible()
    assert page.locator("#signature").bounding_box()["y"] < page.locator("#definitions").bounding_box()["y"]


def test_open_details_fit_on_paper(browser: Any, pages: dict[str, str]) -> None:
    """A table wider than the sheet would make everything else small."""
    page = (watched := Watched(browser, viewport={"width": 680, "height": 960})).page  # an A4 sheet within its margins
    watched.open(pages["wide"])
    watched.open_details()
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 680


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_what_is_disclosed_is_read_before_anything_is_scrolled(browser: Any, pages: dict[str, str]) -> None:
    page = (watched := Watched(browser, viewport={"width": 1400, "height": 900})).page
    watched.open(pages["census"])
    box = page.locator(".amber").bounding_box()
    assert box["y"] + box["height"] <= 900
    ground = page.evaluate("getComputedStyle(document.querySelector('.amber')).backgroundColor")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.querySelector('.amber')).backgroundColor") != ground


def test_a_link_opens_the_detail_that_it_leads_to(browser: Any, pages: dict[str, str]) -> None:
    page = (watched := Watched(browser)).page
    watched.open(pages["census"])
    assert not page.locator("#model-k-anonymity").is_visible()
    page.locator("#summary a", has_text="k-anonymity:5").click()
    page.locator("#model-k-anonymity").wait_for(state="visible")


def test_a_card_that_paper_has_no_room_for_is_told(browser: Any, tmp_path: Path) -> None:
    """Thirty columns: paper has as many cards as fit, and says how many there are besides."""
    import pandas as pd

    names = [f"q{number}" for number in range(30)]
    frame = pd.DataFrame({name: list("aabb") * 5 for name in names})
    schema = sf.Schema.parse("\n".join(f'[attributes.{name}]\nrole="quasi"' for name in names))
    sf.publish(frame, schema, node=[0] * 30, output=tmp_path / "out.parquet")
    sf.report(tmp_path / "out.parquet", schema, original=frame, output=tmp_path / "report.html")
    page = (watched := Watched(browser)).page
    watched.open((tmp_path / "report.html").as_uri())
    assert page.locator(".card:visible").count() == 30
    page.emulate_media(media="print")
    shown = page.locator(".card:visible").count()
    assert page.locator("#columns .paper").inner_text() == f"… and {30 - shown} more columns, on the screen."
    assert sheets(page.pdf(format="A4", prefer_css_page_size=True)) <= 4
