"""`sfumato report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.check import Models, Population, PopulationSize, PriorFile, Protect
from sfumato.errors import UsageError, several

if TYPE_CHECKING:
    from sfumato.reporting.document import Report


def report(
    published: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="A published file, best with its certificate beside it.", show_default=False)
    ],
    schema: options.SchemaFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page, as in report.html.", show_default=False)
    ] = None,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The original table, for the prior and what the recoding costs.", show_default=False),
    ] = None,
    model: Models = None,
    protect: Protect = None,
    prior: PriorFile = None,
    population: Population = None,
    population_size: PopulationSize = None,
    memory: options.Memory = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Write the report on a release, the document that its owner signs: one HTML page that needs nothing else.

    It tells what was published, what the models say, all losses, the worst class, and how to make the release again. Exit 1 if the file
    does not fit its certificate. A violated model is told and is no failure; `sfumato check` is for that.

    Example: `sfumato report out.parquet -s adult.toml -m t-closeness:0.5 -o report.html`
    """
    from sfumato.reporting.making import report as report_on
    from sfumato.reporting.writing import place_of, write_page

    if output is None and not json:
        raise UsageError("name the page to write, as in -o report.html, or ask for --json", where="output")
    path = place_of(output, force) if output else None
    made = report_on(
        published,
        schema,
        original=original,
        models=[*(model or ()), *(protect or ())],
        prior=prior,
        population=population,
        population_size=population_size,
        memory_limit=memory,
    )
    if path:
        write_page(made, path)
    if json:
        show.emit({**made.as_dict(), "written": str(path) if path else None})
    elif path:
        _tell(made, path)


def _tell(made: Report, path: Path) -> None:
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
