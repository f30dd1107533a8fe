"""Measure a release and write the report: what `sfumato report` does."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import OutputError
from sfumato.release.targets import require_free
from sfumato.release.whole import written_whole
from sfumato.reporting.document import Report
from sfumato.reporting.making import report
from sfumato.reporting.page import page
from sfumato.vocabulary.schema import Schema


def write_report(
    published: Any,
    schema: Schema | str | PathLike[str],
    output: str | PathLike[str],
    *,
    force: bool = False,
    **asked: Any,
) -> Report:
    """Measure a published file and write the report as one HTML page. `asked` is what `report` takes besides."""
    path = place_of(output, force)
    made = report(published, schema, **asked)
    write_page(made, path)
    return made


def place_of(output: str | PathLike[str], force: bool) -> Path:
    """Where the page goes; refuses, before the work, a place where it cannot."""
    path = Path(output)
    if path.suffix not in (".html", ".htm"):
        raise OutputError("the page is HTML; the name must end in .html", where=str(path))
    require_free(path, force)
    return path


def write_page(made: Report, path: Path) -> None:
    """Write the page, whole or not at all; whether it may replace what exists was asked before the work."""
    text = page(made)
    with written_whole(path, force=True) as hidden:
        hidden.write_text(text, encoding="utf-8")
