"""`sfumato report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from sfumato.reporting.document import Report


@options.takes(options.published, options.reading, options.judging)
def report(
    request: options.Request,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page, as in report.html.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Write the report on a release, the document that its owner signs: one HTML page that needs nothing else.

    It says what was published, what the models say, all losses, the worst class, and how to make the release again. Exit 1 if the file
    does not fit its certificate. A violated model is reported and is no failure; `sfumato check` is for that.

    Example: `sfumato report out.parquet -s adult.toml -m t-closeness:0.5 -o report.html`
    """
    from sfumato.verbs.report import report as report_on

    if output is None and not json:
        raise UsageError("name the page to write, as in -o report.html, or ask for --json", where=argument("output"))
    made = report_on(**request, output=output, force=force)
    if json:
        show.emit({**made.as_dict(), "written": str(output) if output else None})
    elif output:
        _show(made, output)


def _show(made: Report, path: Path) -> None:
    """What stands on the page's head, in a few lines."""
    console, facts = show.out(), made.facts
    rows = [
        [each.model, each.sensitive or "", _said(each.verdict.satisfied if each.verdict else None)] for each in made.judgments
    ]
    if rows:
        console.print(show.table(None, ["model", "sensitive", "satisfied"], rows))
    console.print(
        f"{facts.people:,} people in {several(facts.rows, 'row')}, {several(facts.classes, 'class', 'classes')}; "
        f"prior: {made.settings['prior']}",
        soft_wrap=True,
    )
    for warning in made.warnings:
        console.print(f"warning: {warning}", soft_wrap=True)
    console.print(f"wrote {path}", soft_wrap=True)


def _said(satisfied: bool | None) -> str:
    return {True: "yes", False: "no", None: "not applicable"}[satisfied]
