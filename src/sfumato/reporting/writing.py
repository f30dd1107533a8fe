"""Write the report as an HTML page."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from sfumato.commit.places import require_free
from sfumato.commit.writing import write_text
from sfumato.errors import OutputError
from sfumato.reporting.document import Report
from sfumato.reporting.page import page


def place_of(output: str | PathLike[str], force: bool) -> Path:
    """The path of the page. Refuses a path that cannot be written, before the work starts."""
    path = Path(output)
    if path.suffix not in (".html", ".htm"):
        raise OutputError("the page is HTML; the name must end in .html", where=str(path))
    require_free(path, force)
    return path


def write_page(report: Report, path: Path, *, force: bool) -> None:
    """Write the complete page or nothing."""
    write_text(path, page(report), force=force)
