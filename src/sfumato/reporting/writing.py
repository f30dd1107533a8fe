"""Writing the report as a page."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.release.files import require_free, write_text
from sfumato.reporting.document import Report
from sfumato.reporting.page import page


def place_of(output: str | PathLike[str], force: bool) -> Path:
    """Where the page goes; refuses, before the work, a place where it cannot."""
    path = Path(output)
    if path.suffix not in (".html", ".htm"):
        raise OutputError("the page is HTML; the name must end in .html", where=str(path))
    require_free(path, force)
    return path


def write_page(made: Report, path: Path) -> None:
    """Write the page, whole or not at all; whether it may replace what exists was asked before the work."""
    write_text(path, page(made), force=True)
