"""The pictures of the guides are what the pages look like: a script takes them, and takes all of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import CHROMIUM
from tests.docs.fences import ROOT, Command, Fence, agrees, commands, fences

GUIDES = [ROOT / "docs" / "guides" / f"{name}.md" for name in ("workbench", "two-parties")]
PICTURES = ROOT / "docs" / "figures" / "screenshots"
TAKE = (
    "import json, sys; from pathlib import Path; from screenshots import take_all; print(json.dumps(take_all(Path(sys.argv[1]))))"
)
SMALL, LARGE, ALL = 4_000, 150_000, 1_500_000  # bytes


def shown() -> list[str]:
    """The pictures that the guides show, in order."""
    return [
        name for page in GUIDES for name in re.findall(r"\(\.\./figures/screenshots/(.*?)\)", page.read_text(encoding="utf-8"))
    ]


def test_every_picture_has_words_for_those_who_do_not_see_it() -> None:
    for page in GUIDES:
        assert not re.findall(r"!\[\s*\]", page.read_text(encoding="utf-8"))


def test_every_picture_that_a_guide_shows_is_there_and_no_other() -> None:
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    assert set(shown()) == set(sizes)
    assert len(shown()) == len(sizes)
    assert all(SMALL < size < LARGE for size in sizes.values()), sizes
    assert sum(sizes.values()) < ALL


@pytest.mark.slow
def test_the_script_takes_every_picture_and_the_release_is_as_the_guide_says(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    # In a process of its own: a browser of other tests may be open in this one.
    words = [sys.executable, "-c", TAKE, str(tmp_path)]
    printed_by_it = subprocess.run(words, cwd=ROOT / "scripts", stdout=subprocess.PIPE, check=True, text=True).stdout
    taken, checks = json.loads(printed_by_it.splitlines()[-1])
    assert sorted(taken) == sorted(shown())
    assert all(SMALL < (tmp_path / name).stat().st_size < LARGE for name in taken)
    printed = {command.line: command.shown for fence in fences(GUIDES[1]) for command in typed(fence)}
    assert len(checks) == 2
    for command, output in checks.items():
        assert agrees(printed[command], output), output


def typed(fence: Fence) -> list[Command]:
    return commands(fence.text) if fence.language == "console" else []
