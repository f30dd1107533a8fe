"""`sfumato report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument, size_of

if TYPE_CHECKING:
    from sfumato.reporting.document import Report


@options.takes(options.published, options.reading, options.judging)
def report(
    request: options.Request,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page, as in report.html.", show_default=False)
    ] = None,
    learned: Annotated[
        Path | None, typer.Option("--learned", help="Also show what 'sfumato learn --json' printed.", show_default=False)
    ] = None,
    attacked: Annotated[
        Path | None, typer.Option("--attacked", help="Also show what 'sfumato attack --json' printed.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Write the report on a release, the document that its owner signs: one self-contained HTML page.

    It begins with what its reader must know: whether the release is safe in the sense asked, what is still disclosed, in people, and
    what each column looks like now. Verdicts, losses, classes and the commands that reproduce the release follow as details.
    Exit 1 if the file does not match its certificate. A violated model is reported and is not a failure; `sfumato check` fails on it.

    Example: `sfumato report out.parquet -s adult.toml -m t-closeness:0.5 -o report.html`
    """
    from sfumato.verbs.report import report as report_on

    if output is None and not json:
        raise UsageError("name the page to write, as in -o report.html, or use --json", where=argument("output"))
    result = report_on(**request, output=output, force=force, learned=learned, attacked=attacked)
    if json:
        show.emit({**result.as_dict(), "written": str(output) if output else None})
    elif output:
        _show(result, output)


def _show(result: Report, path: Path) -> None:
    """The head of the page in a few lines."""
    from sfumato.reporting.sentences import still_disclosed

    console, facts = show.out(), result.facts
    rows = [
        [each.model, each.sensitive or "", _answer(each.verdict.satisfied if each.verdict else None)] for each in result.judgments
    ]
    if rows:
        console.print(show.table(None, ["model", "sensitive", "satisfied"], rows))
    show.line(f"{size_of(facts.people, facts.rows, facts.classes)}; prior: {result.settings['prior']}")
    for warning in result.warnings:
        show.line(f"warning: {warning}")
    for disclosed in still_disclosed(result):
        show.amber(disclosed)
    show.line(f"wrote {path}")


def _answer(satisfied: bool | None) -> str:
    return {True: "yes", False: "no", None: "not applicable"}[satisfied]
