"""The pictures of the guides, taken from the pages themselves: `docs/figures/screenshots/*.png`.

A workbench and a service are started on a table of invented patients, and Chromium goes through the steps that the guides describe. Needs
what `make test` needs, and chromium.

python scripts/screenshots.py
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import screenshots_service
import screenshots_workbench
from PIL import Image
from screenshots_data import write_patients

PICTURES = Path(__file__).parents[1] / "docs" / "figures" / "screenshots"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SFUMATO = str(Path(sys.executable).with_name("sfumato"))
WIDTH, HEIGHT = 1100, 900
PATIENCE = 60_000  # milliseconds; the machine may have other things to do
COLORS = 128  # enough for pages of text and bars, and a third of the size


class Camera:
    """Takes pictures of parts of pages into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.taken: list[str] = []

    def take(self, page: Any, name: str, first: str, last: str | None = None, most: int = 900) -> None:
        """A picture over the whole width, from the top of one element to the bottom of another, and at most so many pixels high."""
        page.mouse.move(0, 0)
        top = page.locator(first).first.evaluate("each => each.getBoundingClientRect().top + scrollY")
        end = page.locator(last or first).last.evaluate("each => each.getBoundingClientRect().bottom + scrollY")
        top, end = max(0, top - 12), end + 12
        clip = {"x": 0, "y": top, "width": WIDTH, "height": min(end - top, most)}
        taken = Image.open(io.BytesIO(page.screenshot(full_page=True, clip=clip)))
        taken.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(self.folder / f"{name}.png", optimize=True)
        self.taken.append(f"{name}.png")


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[dict[str, Any]]:
    """A command that runs until it is interrupted, and what it says when it is ready."""
    command = [SFUMATO, *arguments, "--json"]
    environment = {**os.environ, "SFUMATO_LEDGER": str(folder / "ledger")}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        try:
            yield json.loads("".join(lines))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, in the light."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        sys.exit("no chromium on this machine")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def person(chromium: Any) -> Any:
    """A page of somebody who has never been here."""
    context = chromium.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce", accept_downloads=True
    )
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def take_all(pictures: Path) -> tuple[list[str], dict[str, str]]:
    """Take every picture; their names, and what the commands say that check what was negotiated."""
    camera = Camera(pictures)
    with TemporaryDirectory() as temporary, browser() as chromium:
        folder = Path(temporary)
        write_patients(folder / "patients.csv")
        with started(folder, "open", "patients.csv", "--no-browser") as said:
            screenshots_workbench.follow(person(chromium), said["address"], camera)
        with started(folder, "serve", "--folder", "service", "--port", "0") as said:
            screenshots_service.follow(person(chromium), person(chromium), said["set_up"], folder, camera)
        return camera.taken, {command: _printed(folder, command) for command in screenshots_service.CHECKS}


def _printed(folder: Path, command: str) -> str:
    _, *arguments = shlex.split(command)
    done = subprocess.run([SFUMATO, *arguments], cwd=folder, capture_output=True, check=True, encoding="utf-8")
    return done.stdout


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    names, checks = take_all(PICTURES)
    for name in names:
        print(f"{(PICTURES / name).stat().st_size / 1000:6.0f} kB  {name}")
    for command, printed in checks.items():
        print(f"$ {command}\n{printed}")
