"""The page of the reproduction is what a run gives: its tables and texts; figures are compared by their data elsewhere."""

from __future__ import annotations

import re
import sys

import pytest

from tests.docs.fences import ROOT
from tests.studies.made import everything

sys.path.insert(0, str(ROOT / "scripts"))
import docs_reproduction

FOLDER = ROOT / "docs" / "reproduction"
PAGE = (FOLDER / "index.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_is_what_the_script_writes() -> None:
    assert docs_reproduction.page(everything()) == PAGE, "run scripts/docs_reproduction.py"


def test_every_figure_of_the_page_is_there_and_no_other() -> None:
    shown = set(re.findall(r"\]\(([^)]*\.svg)\)", PAGE))
    assert shown == {path.name for path in FOLDER.glob("*.svg")}
    assert all((FOLDER / name).read_text(encoding="utf-8").startswith("<svg") for name in shown)
