"""The levels of a column in a real browser: labels dragged with the mouse, the same with the keyboard, bands while a slider moves, undo."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sfumato.vocabulary.builders import Intervals, Listed
from sfumato.web.bench.project import Project
from tests.web.conftest import begun

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.slow
TOWN = "town <b>, 'x'"
TREE = {"north": ["Kiel", "Lübeck"], "south": ["<i>Ulm</i>", 'Rom "a/b"']}


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Project]]:
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    rng, towns = Random(2), [town for below in TREE.values() for town in below]
    quoted = ['"' + town.replace('"', '""') + '"' for town in towns]
    rows = [f"{rng.choice(quoted)},{rng.randint(18, 80)},{rng.choice('ab')}" for _ in range(200)]
    (tmp_path / "t.csv").write_text("\n".join([f'"{TOWN}",age,ill', *rows]) + "\n")
    project = begun(tmp_path / "t.csv", tmp_path / "p")
    schema = project.schema.with_role([TOWN, "age"], "quasi").with_hierarchy(TOWN, TREE).with_hierarchy("age", [5, 10])
    project.write_schema(schema)
    command = [Path(sys.executable).with_name("sfumato"), "open", "p", "--no-browser", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        yield json.loads("".join(lines))["address"], project
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0


def opened(browser: Any, address: str, column: str, **options: Any) -> tuple[Any, list[str]]:
    """The page of a column, and what goes wrong on it."""
    page, problems = browser.new_context(**options).new_page(), list[str]()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(address)
    page.wait_for_selector(".column")
    page.get_by_role("link", name="Hierarchies").click()
    page.get_by_role("link", name=column, exact=True).click()
    page.get_by_role("heading", name=f"Levels of {column}", exact=True).wait_for()
    page.wait_for_load_state()
    return page, problems


def towns(project: Project) -> dict[str, str]:
    builder = project.schema[TOWN].builder
    assert isinstance(builder, Listed)
    return {path[0]: path[1] for path in builder.paths}


def said(page: Any, words: str) -> None:
    # As a pattern it minds the case: "Undone" is not "Done".
    sync_api.expect(page.get_by_role("status").filter(has_text=re.compile(re.escape(words)))).to_be_visible()


def test_a_label_is_dragged_to_another_parent_with_the_mouse(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    page, problems = opened(browser, address, TOWN)
    page.locator(".row", has_text="<i>Ulm</i>").drag_to(page.locator(".row", has_text="north"))
    said(page, "Done: moved '<i>Ulm</i>' to 'north'")
    assert towns(project) == {"Kiel": "north", "Lübeck": "north", "<i>Ulm</i>": "north", 'Rom "a/b"': "south"}
    north = page.locator("li[data-level='1']", has=page.locator("> .row", has_text="north"))
    assert north.locator("li").count() == 3
    page.keyboard.press("Control+z")
    said(page, "Undone: moved '<i>Ulm</i>' to 'north'")
    assert towns(project)["<i>Ulm</i>"] == "south"
    page.keyboard.press("Control+Shift+z")
    said(page, "Done: moved")
    assert towns(project)["<i>Ulm</i>"] == "north"
    page.locator(".row", has_text="Kiel").drag_to(page.locator(".row", has_text="Lübeck"))  # its own parent: nothing to do
    said(page, "Nothing to change.")
    page.locator(".row .name", has_text="south").dblclick()
    page.get_by_label("New name of south").fill("far <away>")
    page.keyboard.press("Enter")
    said(page, "Done: renamed 'south' to 'far <away>'")
    assert towns(project)['Rom "a/b"'] == "far <away>"
    assert problems == []
    page.context.close()


def test_the_same_with_the_keyboard_on_a_phone(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    page, problems = opened(browser, address, TOWN, viewport={"width": 390, "height": 800}, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def press(role: str, name: str, key: str) -> None:
        element = page.get_by_role(role, name=name, exact=True)
        element.focus()
        page.keyboard.press(key)

    press("checkbox", "<i>Ulm</i>", "Space")
    page.get_by_role("combobox", name="move them to").focus()
    page.keyboard.press("n")  # north
    press("button", "Move", "Enter")
    said(page, "Done: moved '<i>Ulm</i>' to 'north'")
    press("checkbox", "Kiel", "Space")
    press("checkbox", "Lübeck", "Space")
    page.get_by_role("textbox", name="or give a name").focus()
    page.keyboard.type("coast")
    press("button", "New group", "Enter")
    said(page, "Done: put 2 labels into a new group 'coast'")
    press("checkbox", "coast", "Space")
    press("checkbox", "south", "Space")
    page.get_by_role("textbox", name="or give a name").focus()
    page.keyboard.type("*")
    press("button", "Merge", "Enter")
    said(page, "reserved for the root")
    page.get_by_role("textbox", name="or give a name").fill("sea")
    press("button", "Merge", "Enter")
    said(page, "Done: merged 2 labels into 'sea'")
    assert towns(project) == {"Kiel": "sea", "Lübeck": "sea", "<i>Ulm</i>": "north", 'Rom "a/b"': "sea"}
    page.get_by_role("checkbox", name="sea", exact=True).focus()
    page.keyboard.press("F2")
    page.keyboard.type("ocean")
    page.keyboard.press("Enter")
    said(page, "Done: renamed 'sea' to 'ocean'")
    for _ in range(4):
        page.get_by_role("button", name=re.compile("^Undo")).focus()
        with page.expect_response("**/hierarchies?name=*"):
            page.keyboard.press("Enter")
        said(page, "Undone: ")
    sync_api.expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    assert towns(project) == {town: group for group, below in TREE.items() for town in below}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [line for line in problems if "400" not in line] == []  # the browser notes the answer that was a refusal
    page.context.close()


def test_bands_are_drawn_while_a_slider_moves_and_saved_by_the_button(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    page, problems = opened(browser, address, "age", viewport={"width": 390, "height": 800})
    before = project.schema["age"].builder
    slider = page.get_by_role("slider", name="Width of the bands of level 1, slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.get_by_text("Level 1, bands of 7").wait_for()
    sync_api.expect(page.get_by_label("Width of the bands of level 2", exact=True)).to_have_value("14")  # twice the narrower ones
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2)
    page.mouse.down()
    for place in (0.3, 0.5, 0.4):
        page.mouse.move(box["x"] + box["width"] * place, box["y"] + box["height"] / 2)
        width = slider.input_value()
        page.get_by_text(f"Level 1, bands of {width}:").wait_for()
    page.mouse.up()
    assert project.schema["age"].builder == before  # nothing is written while one drags
    page.get_by_label("Width of the bands of level 1", exact=True).fill("4")
    page.get_by_text("each a multiple of the one before").wait_for()  # what is typed is taken as it is
    page.get_by_label("Width of the bands of level 2", exact=True).fill("12")
    page.get_by_text("Level 2, bands of 12").wait_for()
    page.get_by_label("fixed, so that another table gets the same bands").check()
    page.get_by_label("Lower bound", exact=True).fill("0")
    page.get_by_label("Upper bound", exact=True).fill("96")
    page.keyboard.press("Enter")  # saves, and presses no other button
    said(page, "Done: changed the levels (age)")
    assert project.schema["age"].builder == Intervals((Decimal(4), Decimal(12)), Decimal(0), Decimal(96))
    page.get_by_role("button", name="Add a coarser level").click()
    page.get_by_text("Level 3, bands of 24").wait_for()
    page.locator("h1").click()
    page.keyboard.press("Control+z")
    said(page, "Undone")
    page.keyboard.press("Control+z")
    page.get_by_text("Level 1, bands of 5").wait_for()
    assert project.schema["age"].builder == before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert problems == []
    page.context.close()


def test_levels_without_a_script(browser: Any, started: tuple[str, Project]) -> None:
    address, project = started
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    while not page.query_selector(".column"):
        page.reload()
    page.get_by_role("link", name="Hierarchies").click()
    page.get_by_role("link", name=TOWN, exact=True).click()
    page.get_by_role("checkbox", name="Kiel", exact=True).check()
    page.get_by_label("move them to").select_option("south")
    page.get_by_role("button", name="Move", exact=True).click()
    assert towns(project)["Kiel"] == "south"
    page.get_by_role("link", name="age", exact=True).click()
    sync_api.expect(page.get_by_role("slider")).to_have_count(0)
    page.get_by_label("Width of the bands of level 2", exact=True).fill("20")
    page.get_by_role("button", name="Save").click()
    assert project.schema["age"].builder == Intervals((Decimal(5), Decimal(20)))
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    assert towns(project)["Kiel"] == "north"
    page.context.close()
