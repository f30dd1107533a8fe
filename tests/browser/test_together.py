"""The page about a sequence in a real browser: it says nothing on the console, asks nobody, and fits phones, paper and the dark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sfumato.sequence import Audited
from tests.browser.test_report import Watched
from tests.unit.report.test_together import audited_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two releases, and twelve with large counts and a long name."""
    folder, name = tmp_path_factory.mktemp("together"), "a_rather_long_name_of_a_column_that_somebody_has_thought_about"
    values = [f"value {person * person % 9}" for person in range(1500)]
    classes = [[1 + (person * (place + 3)) % (5 + place) for person in range(1500)] for place in range(12)]
    made = {
        "two": audited_of(classes[:2], values, ["k-anonymity:250"]),
        "twelve": audited_of(classes, values, ["k-anonymity:60"]),
    }
    made["twelve"] = _renamed(made["twelve"], name)
    return {key: audited.report(folder / f"{key}.html").as_uri() for key, audited in made.items()}


def _renamed(audited: Audited, name: str) -> Audited:

    (steps,) = audited.steps.values()
    pairs = tuple(replace(each, certain=dict.fromkeys([name], *each.certain.values())) for each in audited.pairs)
    releases = tuple(replace(each, file=f"{name}_{each.number}.csv", source=f"/data/{name}.csv") for each in audited.releases)
    return replace(audited, steps={name: steps}, pairs=pairs, releases=releases)


@pytest.mark.parametrize("which", ["two", "twelve"])
def test_it_says_nothing_and_asks_nobody_without_a_script(browser: Any, pages: dict[str, str], which: str) -> None:
    watched = Watched(browser, java_script_enabled=False)
    watched.open(pages[which])
    assert watched.said == []
    assert [address for address in watched.asked if not address.startswith("data:")] == [pages[which]]
    assert watched.page.locator("h1").count() == 1
    assert "Broken" in watched.page.locator(".verdict").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["two", "twelve"])
def test_it_fits_a_phone_and_follows_its_colors(browser: Any, pages: dict[str, str], which: str, scheme: str) -> None:
    page = (watched := Watched(browser, viewport={"width": 390, "height": 844}, color_scheme=scheme)).page
    watched.open(pages[which])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 25, 26)"}[scheme]
    sizes = page.evaluate("[...document.querySelectorAll('svg text')].map(each => each.getBoundingClientRect().height)")
    assert min(sizes) >= 9
    # A long name is not broken into a column of letters.
    widths = page.evaluate("[...document.querySelectorAll('#releases td code')].map(each => each.getBoundingClientRect().width)")
    assert min(widths) >= 30


def test_numbers_stay_inside_their_cells_and_drawings(browser: Any, pages: dict[str, str]) -> None:
    page = (watched := Watched(browser, viewport={"width": 1280, "height": 900})).page
    watched.open(pages["twelve"])
    out = page.evaluate(
        """[...document.querySelectorAll('svg')].flatMap(svg => {
          const frame = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
          }).map(text => text.textContent);
        })"""
    )
    assert out == []


def test_on_paper_it_is_light_and_no_table_is_cut(browser: Any, pages: dict[str, str]) -> None:
    page = (watched := Watched(browser, viewport={"width": 680, "height": 900}, color_scheme="dark")).page
    watched.open(pages["twelve"])
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert not page.locator(".skip").is_visible()


def test_nobody_complains_about_access(browser: Any, pages: dict[str, str]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    for scheme in ("light", "dark"):
        watched = Watched(browser, color_scheme=scheme)
        watched.open(pages["twelve"])
        found = axe.Axe().run(watched.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found] == []


def test_a_link_leads_to_what_would_help(browser: Any, pages: dict[str, str]) -> None:
    page = (watched := Watched(browser)).page
    watched.open(pages["twelve"])
    page.get_by_role("link", name="see what would help").click()
    assert page.evaluate("location.hash") == "#help"
    assert page.locator("#help pre").count() >= 1
    page.get_by_role("link", name="see which two should not meet").click()
    assert page.locator("#pairs svg").count() >= 1
