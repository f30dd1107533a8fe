"""The steps of the guide "Two parties negotiate", and a picture of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from screenshots_workbench import give_bands, give_tree

PASSWORD = "only for these pictures"
CHECKS = ("sfumato verify release.csv --key owner.pub", "sfumato negotiate verify negotiation.json --key owner.pub")
LONG = 120_000  # milliseconds that a job may take


def follow(owner: Any, user: Any, link: str, folder: Path, camera: Any) -> None:
    """From the set-up link of a service to a release that the user has downloaded into the folder."""
    _set_up(owner, link, camera)
    _send_table(owner, folder / "patients.csv", camera)
    _offer(owner, camera)
    invitation = _invite(owner, camera)
    _join(user, invitation)
    _ask(user, camera)
    _negotiate(user, camera)
    _download(user, folder, camera)
    _look_back(owner, camera)


def _join(page: Any, link: str, name: str = "Ann Lee", mail: str | None = None) -> None:
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    if mail is not None:
        page.get_by_label("Mail address").fill(mail)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The password again").fill(PASSWORD)
    page.locator("main button").click()
    page.get_by_role("button", name="Sign out").wait_for()


def _set_up(page: Any, link: str, camera: Any) -> None:
    page.goto(link)
    page.get_by_label("Your name").fill("City Hospital")
    page.get_by_label("Mail address").fill("data@hospital.example")
    camera.take(page, "service-set-up", "h1", "main button")
    _join(page, link, "City Hospital", "data@hospital.example")


def _send_table(page: Any, file: Path, camera: Any) -> None:
    _place(page, "Tables")
    page.get_by_label("A CSV, Parquet or Excel file").set_input_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_selector(".column", timeout=LONG)
    _place(page, "Tables")
    camera.take(page, "service-tables", "header", "main form")
    page.get_by_role("link", name="patients", exact=True).click()
    page.wait_for_selector(".column")
    with page.expect_navigation():
        page.get_by_role("group", name="Role of nights").get_by_role("radio", name="plain").check()
    page.get_by_role("link", name="Hierarchies", exact=True).click()
    give_bands(page)
    give_tree(page)


def _offer(page: Any, camera: Any) -> None:
    page.get_by_role("link", name="Offer", exact=True).click()
    page.get_by_label("What users see it as").fill("Patients of the City Hospital")
    page.get_by_label("ε: how far").fill("0.45")
    page.get_by_label("Privacy models besides").fill("k-anonymity:5")
    camera.take(page, "service-offer", "h1", "#models-words", most=1200)
    page.get_by_role("button", name="Explore and offer it").click()
    page.get_by_role("heading", name="Offered", exact=True).wait_for(timeout=LONG)


def _invite(page: Any, camera: Any) -> str:
    _place(page, "People")
    page.get_by_label("Mail address, if only they may join").fill("ann@university.example")
    page.get_by_role("button", name="Make a link").click()
    page.wait_for_selector(".amber")
    camera.take(page, "service-invitation", "header", ".amber")
    link: str = page.inner_text(".amber code")
    return link


def _ask(page: Any, camera: Any) -> None:
    _place(page, "Catalogue")
    page.get_by_text("Rules", exact=True).click()
    camera.take(page, "service-catalogue", "header", "main .card")
    page.get_by_role("link", name="Patients of the City Hospital").click()
    page.get_by_role("button", name="Add a layer").wait_for()
    page.locator("details.as-text summary").click()
    page.get_by_label("Columns, the most important first").fill("sex > age, job")
    page.get_by_label("How far each layer may be generalized").fill("0, 100")
    page.keyboard.press("Tab")
    page.locator("details.as-text summary").click()
    camera.take(page, "service-builder", "#ask-title", "form.asking", most=1000)
    page.get_by_role("button", name="Ask").click()


def _negotiate(page: Any, camera: Any) -> None:
    page.get_by_role("heading", name="The offer").wait_for()
    camera.take(page, "service-first-offer", "h1", ".decide")
    page.get_by_role("button", name="Reject, and see another one").click()
    page.wait_for_function("document.querySelectorAll('.history li').length > 2")
    camera.take(page, "service-counter-offer", "h1", "#history ol", most=1000)
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("heading", name="What was delivered").wait_for(timeout=LONG)


def _download(page: Any, folder: Path, camera: Any) -> None:
    page.get_by_text("How to check it").click()
    camera.take(page, "service-delivered", "h1", "#files-title ~ details")
    for name in ("release.csv", "release.csv.certificate.json", "negotiation.json", "owner.pub"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        download.value.save_as(folder / name)


def _look_back(page: Any, camera: Any) -> None:
    _place(page, "Ledger")
    camera.take(page, "service-ledger", "h1", "main article")


def _place(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Service").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
