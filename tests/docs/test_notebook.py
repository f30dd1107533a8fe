"""The notebook runs from top to bottom in a kernel of its own, and is stored without what it printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.docs.fences import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def outputs(notebook: Any, cell: str) -> dict[str, Any]:
    """What a cell shows, by type."""
    (found,) = [each for each in notebook.cells if each.id == cell]
    shown: dict[str, Any] = {}
    for output in found.outputs:
        shown |= {"text": output.text} if output.output_type == "stream" else dict(output.data)
    return shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_stored_without_its_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_notebook_runs_and_shows_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    notebook = nbformat.read(ROOT / "docs" / "notebooks" / "from-a-frame-to-a-release.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert "<table" in outputs(notebook, "anonymize")["text/html"]
    assert "k-anonymity:5" in outputs(notebook, "release")["text/html"]
    assert "distinct-diversity:3" in outputs(notebook, "second")["text/html"]
    for cell in ("plot", "tradeoff-plot"):
        assert "<svg" in "".join(outputs(notebook, cell)["image/svg+xml"]), cell
    assert "together" in outputs(notebook, "compare-code")["text/html"]
    assert "pairs of classes, the smallest of" in outputs(notebook, "together")["text"]
    assert "predicted from labels" in outputs(notebook, "transformer")["text"]
