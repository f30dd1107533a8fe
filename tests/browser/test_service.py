"""The service in a real browser, started as a person starts it: from the set-up link to a release that verifies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.web.service.tabling import people

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.slow

PASSWORD = "correct horse battery"
SLOW = 120_000  # ms: other work may go on beside the tests
RULES = {"runOnly": ["wcag2a", "wcag2aa"]}


def command(*words: str) -> list[str]:
    return [str(Path(sys.executable).with_name("sfumato")), *words]


@dataclass
class Service:
    """A running service, the way into it, and what its pages have said in the browser."""

    address: str
    link: str
    browser: Any
    table: Path
    process: Any
    problems: list[str] = field(default_factory=list)

    def page(self, **options: Any) -> Any:
        """A browser of somebody else."""
        context = self.browser.new_context(accept_downloads=True, **{"viewport": {"width": 1100, "height": 900}, **options})
        context.set_default_timeout(SLOW)
        page = context.new_page()
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        return page

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.problems.append(url)

    def joined(self, page: Any, link: str, name: str, mail: str) -> None:
        """Come in by a link."""
        page.goto(link)
        page.get_by_label("Your name").fill(name)
        page.get_by_label("Mail address").fill(mail)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("The password again").fill(PASSWORD)
        page.locator("main button").click()

    def owner(self, **options: Any) -> Any:
        """The first owner, who sets the service up."""
        page = self.page(**options)
        self.joined(page, self.link, "Olga Owner", "olga@example.org")
        page.get_by_role("heading", name="Tables").wait_for()
        return page

    def user(self, owner: Any, **options: Any) -> Any:
        """A user whom the owner invites."""
        owner.goto(f"{self.address}/people")
        owner.get_by_role("button", name="Make a link").click()
        link = owner.locator(".amber code").inner_text()
        page = self.page(**options)
        self.joined(page, link, "Ulf <User>", "ulf@example.org")
        page.get_by_role("heading", name="Catalogue").wait_for()
        return page


@pytest.fixture
def service(browser: Any, tmp_path: Path) -> Iterator[Service]:
    table = tmp_path / "people & co.csv"
    table.write_text(people(), encoding="utf-8")
    started = command("serve", "--folder", "service", "--port", "0", "--json")
    with subprocess.Popen(started, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        said = json.loads("".join(lines))
        made = Service(said["address"], said["set_up"], browser, table, process)
        yield made
        problems = list(made.problems)  # pages that are open miss the service afterwards
        if process.poll() is None:
            os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 0  # open pages do not keep it from ending
    for context in browser.contexts:
        context.close()
    assert problems == []


def uploaded(service: Service, owner: Any) -> None:
    """Send the table, and wait until it was looked at."""
    owner.goto(f"{service.address}/tables")
    owner.get_by_label("A CSV, Parquet or Excel file").set_input_files(service.table)
    owner.get_by_role("button", name="Upload", exact=True).click()
    owner.locator(".column").first.wait_for()


def offered(owner: Any, *, price: str | None = None) -> None:
    """Say what every release keeps, and wait until it is offered."""
    owner.get_by_role("link", name="Offer", exact=True).click()
    owner.get_by_label("ε: how far").fill("0.6")
    owner.get_by_label("Privacy models besides").fill("k-anonymity:3")
    if price is not None:
        owner.get_by_label("Variable").check()
        owner.get_by_label("Price by the utility loss").fill(price)
    owner.get_by_role("button", name="Explore and offer it").click()
    owner.get_by_text("It is offered").wait_for()


def chip(page: Any, name: str) -> Any:
    return page.locator(f'.chip[data-name="{name}"]')


def layer_of(page: Any, name: str) -> Any:
    """The number of the layer that a card is in, from 0; after the last one is outside."""
    return page.evaluate(
        "name => Number(document.querySelector(`.chip[data-name=\"${name}\"]`).closest('.layer').dataset.layer)", name
    )


def accessible(page: Any) -> None:
    """No violation of WCAG A and AA on this page."""
    found = axe.Axe().run(page, options=RULES)
    assert found.response["violations"] == [], found.generate_report()


def fits(page: Any) -> bool:
    """Nothing sticks out at the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def delivered(user: Any, folder: Path) -> None:
    """Download what was delivered, and check it as the page says."""
    user.get_by_role("heading", name="What was delivered").wait_for()
    folder.mkdir()
    for name in ("release.csv", "release.csv.certificate.json", "negotiation.json", "owner.pub"):
        with user.expect_download() as downloaded:
            user.get_by_role("link", name=name, exact=True).click()
        downloaded.value.save_as(folder / name)
    user.get_by_text("How to check it").click()
    lines = user.locator("main pre").inner_text().splitlines()
    assert len(lines) == 2
    for line in lines:
        words = line.split()
        assert words[0] == "sfumato"
        subprocess.run(command(*words[1:]), cwd=folder, check=True, stdout=subprocess.DEVNULL)


def test_from_the_set_up_link_to_a_release_that_verifies(service: Service, tmp_path: Path) -> None:
    owner = service.owner()
    user = service.user(owner)
    uploaded(service, owner)
    offered(owner)
    owner.goto(f"{service.address}/negotiations")
    user.get_by_role("link", name="people & co").click()  # it came without reloading
    for name in ("age", "sex", "region"):
        chip(user, name).drag_to(user.locator(".layer").first)
        assert layer_of(user, name) == 0
    slider = user.get_by_role("slider", name="Layer 1 may be generalized")
    slider.focus()
    user.keyboard.press("End")
    assert user.locator("#pattern").input_value() == "age,sex,region"
    assert user.locator("#shares").input_value() == "100"
    user.get_by_role("button", name="Ask", exact=True).click()
    user.get_by_text("An offer waits for your decision.").wait_for()
    first = user.locator(".offer .lead").inner_text()
    line = owner.get_by_role("link", name="people & co")
    line.wait_for()  # the owner's list hears of it
    line.click()
    owner.get_by_text("Ulf <User> decides about an offer.").wait_for()
    seen = {first}
    for _ in range(2):
        with user.expect_navigation():
            user.get_by_role("button", name="Reject").click()
        seen.add(user.locator(".offer .lead").inner_text())
    assert len(seen) == 3  # an offer and two counter-offers
    sync_api.expect(owner.locator(".history li")).to_have_count(6, timeout=SLOW)
    with user.expect_navigation():
        user.get_by_role("button", name="Accept").click()
    delivered(user, tmp_path / "downloads")
    sync_api.expect(owner.locator(".verdict")).to_have_text("The release was delivered to Ulf <User>.", timeout=SLOW)
    assert "delivered" in owner.locator("body > [role=status]").inner_text()


def test_a_variable_rate_with_the_keyboard_alone_on_a_dark_phone(service: Service, tmp_path: Path) -> None:
    owner = service.owner()
    user = service.user(owner, viewport={"width": 390, "height": 800}, color_scheme="dark")
    uploaded(service, owner)
    offered(owner, price="linear:100,40")
    user.get_by_role("link", name="people & co").focus()
    user.keyboard.press("Enter")
    chip(user, "age").focus()
    user.keyboard.press("ArrowUp")
    assert layer_of(user, "age") == 0
    assert user.evaluate("document.activeElement.dataset.name") == "age"  # it stays chosen
    user.get_by_role("button", name="Add a layer").focus()
    user.keyboard.press("Enter")
    chip(user, "sex").focus()
    user.keyboard.press("ArrowUp")
    assert layer_of(user, "sex") == 1
    user.keyboard.press("ArrowUp")
    user.keyboard.press("ArrowDown")
    user.keyboard.press("ArrowDown")
    assert layer_of(user, "sex") == 2  # outside
    user.keyboard.press("ArrowUp")
    user.locator("#share-0").focus()
    user.keyboard.press("End")
    assert "up to level" in chip(user, "age").inner_text()
    assert user.locator("#pattern").input_value() == "age > sex"
    assert user.locator("#shares").input_value() == "100, 100"
    assert fits(user)
    accessible(user)
    user.get_by_role("button", name="Ask", exact=True).focus()
    user.keyboard.press("Enter")
    prices = []
    for _ in range(3):  # an offer and two others for what is asked instead
        user.get_by_role("button", name="Accept").wait_for()
        prices.append(user.get_by_role("button", name="Accept").inner_text())
        assert fits(user)
        accessible(user)
        if len(prices) == 3:
            break
        user.get_by_role("button", name="Reject").focus()
        with user.expect_navigation():
            user.keyboard.press("Enter")
        chip(user, "region").focus()
        user.keyboard.press("ArrowUp" if layer_of(user, "region") == 2 else "ArrowDown")
        user.get_by_role("button", name="Ask", exact=True).focus()
        with user.expect_navigation():
            user.keyboard.press("Enter")
    assert all("and pay" in each for each in prices)
    user.get_by_role("button", name="Accept").focus()
    user.keyboard.press("Enter")
    delivered(user, tmp_path / "downloads")
    accessible(user)


def test_every_page_can_be_read_by_everybody(service: Service) -> None:
    owner = service.owner()
    user = service.user(owner)
    uploaded(service, owner)
    offered(owner)
    user.goto(f"{service.address}/catalogue")
    accessible(user)
    user.get_by_role("link", name="people & co").click()
    user.locator(".builder").wait_for()  # then the text is folded away
    user.get_by_text("As text").click()
    user.locator("#pattern").fill("age,sex > region")
    user.locator("#shares").fill("100, 100")
    user.locator("#shares").blur()
    assert layer_of(user, "region") == 1  # the cards follow the text
    accessible(user)
    user.get_by_role("button", name="Ask", exact=True).click()
    user.get_by_text("An offer waits").wait_for()
    steps = owner.locator(".steps a").evaluate_all("links => links.map(each => each.href)")
    assert len(steps) >= 4
    others = ("negotiations", "ledger", "tables", "people", "activity", "account")
    pages = [user.url, *(f"{service.address}/{name}" for name in others), *steps]
    for scheme, width in (("light", 1100), ("dark", 390)):
        owner.set_viewport_size({"width": width, "height": 800})
        owner.emulate_media(color_scheme=scheme)
        for page in pages:
            owner.goto(page)
            assert fits(owner), (page, width)
            accessible(owner)


def test_a_user_who_forgot_the_password_comes_in_by_a_link(service: Service) -> None:
    owner = service.owner()
    user = service.user(owner, viewport={"width": 390, "height": 800}, color_scheme="dark")
    owner.goto(f"{service.address}/people")
    owner.get_by_text("Password", exact=False).first.click()
    accessible(owner)
    owner.get_by_role("button", name="Make a link for Ulf").click()
    link = owner.locator(".amber code").inner_text()
    accessible(owner)
    user.goto(link)
    assert fits(user)
    accessible(user)
    user.get_by_label("New password", exact=True).fill("quite another password")
    user.get_by_label("The new password again").fill("quite another password")
    user.get_by_role("button", name="Change the password").click()
    user.get_by_text("all other browsers are signed out").wait_for()
    assert user.get_by_role("heading", level=1).inner_text() == "Ulf <User>"
    assert user.request.get(link).status == 404


def test_what_somebody_is_writing_is_left_alone(service: Service) -> None:
    owner = service.owner()
    user = service.user(owner)
    uploaded(service, owner)
    offered(owner)
    user.get_by_role("link", name="people & co").click()
    chip(user, "age").focus()
    user.keyboard.press("ArrowUp")
    user.locator("#share-0").focus()
    user.keyboard.press("End")
    user.get_by_role("button", name="Ask", exact=True).click()
    user.get_by_text("An offer waits").wait_for()
    owner.goto(user.url)
    owner.get_by_text("End it").click()
    owner.get_by_label("Why").fill("not to")
    with user.expect_navigation():
        user.get_by_role("button", name="Reject").click()
    owner.get_by_text("rejects the offer").wait_for()
    assert owner.get_by_label("Why").input_value() == "not to"
    assert owner.evaluate("document.activeElement.id") == "reason"


def test_the_pages_work_without_a_script(service: Service) -> None:
    owner = service.owner(java_script_enabled=False)
    user = service.user(owner, java_script_enabled=False)
    owner.goto(f"{service.address}/tables")
    owner.get_by_label("A CSV, Parquet or Excel file").set_input_files(service.table)
    owner.get_by_role("button", name="Upload", exact=True).click()
    while not owner.query_selector(".column"):
        owner.reload()
    owner.get_by_role("link", name="Offer", exact=True).click()
    owner.get_by_label("ε: how far").fill("0.6")
    owner.get_by_role("button", name="Explore and offer it").click()
    while not owner.query_selector(".note.good"):
        owner.reload()
    user.goto(f"{service.address}/catalogue")
    user.get_by_role("link", name="people & co").click()
    user.get_by_label("Columns, the most important first").fill("age > region")
    user.get_by_label("How far each layer").fill("100, 100")
    user.get_by_role("button", name="Ask", exact=True).click()
    assert "An offer waits for your decision." in user.inner_text("main")
