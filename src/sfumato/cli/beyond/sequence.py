"""`sfumato sequence`: releases that follow each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.pictures import draw, require_picture
from sfumato.cli.plugins import Group
from sfumato.cli.release.publish import record, show_verdicts
from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from sfumato.sequence import Audited, Next

Ledger = Annotated[Path, typer.Argument(metavar="LEDGER", help="The folder of the ledger.", show_default=False)]
Tables = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DATA]...",
        help="The tables that the releases were made of.",
        show_default="where the ledger says that they were",
    ),
]
Only = Annotated[
    str | None, typer.Option("--only", help="The entries to audit, as in 1,2,5.", show_default="all under this schema")
]
Together = Annotated[
    list[str] | None,
    typer.Option(
        "--together",
        metavar="NAME:PARAMETERS",
        help="A model that the releases must keep together. Repeatable.",
        show_default="promised: what each promises",
    ),
]
app = typer.Typer(
    cls=Group, help="Releases that follow each other: what they tell together, and the next one.", no_args_is_help=True
)
BROKEN = 1


@app.command("churn")
@options.takes(options.table, options.reading)
def churn(
    request: options.Request,
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the tables go.", show_default=False)],
    years: Annotated[int, typer.Option("--years", help="How many tables.", min=1)] = 5,
    share: Annotated[str, typer.Option("--share", help="Who leaves from one to the next.")] = "10%",
    people: Annotated[
        int | None, typer.Option("--people", help="The people in each table.", show_default="as many as the rows allow", min=1)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of who leaves and who comes.")] = 0,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Make a table that changes out of one that does not, to try out sequences: each year some people leave, and as many come.

    Example: `sfumato sequence churn adult.parquet -s adult.toml --years 3 --people 3000 -o census`
    """
    from sfumato import sequence

    written = sequence.churn(**request, folder=folder, years=years, share=share, people=people, seed=seed, force=force)
    if json:
        show.emit({"written": [str(each) for each in written]})
        return
    for each in written:
        show.line(f"wrote {each}")


@app.command("next")
@options.takes(options.table, options.reading, options.writing, options.sequencing)
def publish_next(
    request: options.Request,
    m: Annotated[
        int, typer.Option("-m", "--m", help="The least number of different sensitive values in a group.", show_default=False)
    ],
    after: Annotated[
        Path | None,
        typer.Option("--after", metavar="MAP", help="The map of the release before.", show_default="none: the first release"),
    ] = None,
    quasi: options.Quasi = None,
    counterfeits: Annotated[
        str, typer.Option("--counterfeits", help="The largest share of counterfeits among the people.")
    ] = "5%",
    json: options.Json = False,
) -> None:
    """Publish a table that grows and changes as the next m-invariant release: whoever was published before keeps the set of sensitive
    values that others may believe.

    --map writes who is in which group, for you alone; the following release begins with it. Counterfeits fill up groups that lack a
    value; the certificate says how many each group has. In a ledger that --ledger names, nothing is published that breaks m-invariance
    with an earlier release there.

    Example: `sfumato sequence next census/year-1.csv -s census/schema.toml -m 3 --map map-1.csv -o release-1.csv --ledger yearly`
    """
    from sfumato import sequence

    options.require_output(request)
    with show.watching() as watch:
        result = sequence.next_release(
            **request, m=m, after=after, quasi=options.names(quasi), counterfeits=counterfeits, watch=watch
        )
    if json:
        show.emit({**record(result.release), **result.as_dict(), "map": str(request["mapping"])})
        return
    _show_next(result, request["mapping"])


def _show_next(result: Next, mapping: Path) -> None:
    from sfumato.release import certificate_path

    release = result.release
    show.line(
        f"{several(result.people, 'person', 'people')} in {several(result.groups, 'group')} of at least {result.m} different "
        f"{release.certificate.sensitive[0]}"
    )
    show.line(
        f"{result.stayed:,} were published before, {result.people - result.stayed:,} are new; counterfeits: {result.counterfeits:,}"
    )
    if result.changed:
        sensitive = release.certificate.sensitive[0]
        show.line(f"of the new, {several(result.changed, 'person', 'people')} came before, with another {sensitive}")
    show_verdicts(release)
    if release.path:
        show.line(f"release:     {release.path}")
        show.line(f"certificate: {certificate_path(release.path)}")
        show.line(f"your copy:   {release.ledger}")
        show.line(f"your map:    {mapping}; keep it for the next release, and share it with nobody")


@app.command("audit")
@options.takes(options.reading)
def audit(
    request: options.Request,
    ledger: Ledger,
    schema: options.SchemaFile,
    tables: Tables = None,
    only: Only = None,
    together: Together = None,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """What somebody learns who has all releases of a ledger: after the first, after two, and so on. Exit 1 if they break a model
    together.

    Example: `sfumato sequence audit yearly -s census/schema.toml`
    """
    require_picture(output, force)
    result = _audited(request, ledger, schema, tables, only, together)
    written = draw(lambda: _chart(result), output, force)
    if json:
        show.emit({**result.as_dict(), **written})
    else:
        _show_audit(result)
        if output:
            show.line(f"wrote {output}")
    if not result.kept:
        raise typer.Exit(BROKEN)


@app.command("report")
@options.takes(options.reading)
def report(
    request: options.Request,
    ledger: Ledger,
    schema: options.SchemaFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page, an HTML file.", show_default=False)],
    tables: Tables = None,
    only: Only = None,
    together: Together = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """What somebody learns who has all releases of a ledger, as one HTML page for whoever publishes the table: the verdict, how many people
    are known for certain or alone, which two releases should not meet, and what would help.

    A broken model is reported and is not a failure; `sfumato sequence audit` fails on it. The page is for you and not for others.

    Example: `sfumato sequence report yearly -s census/schema.toml -o yearly.html`
    """
    from sfumato.reporting.writing import place_of

    place_of(output, force)
    result = _audited(request, ledger, schema, tables, only, together)
    page = result.report(output, force=force)
    if json:
        show.emit({**result.as_dict(), "written": str(page)})
        return
    for broken in result.broken:
        show.amber(broken.line())
    show.line(f"wrote {page}")


def _audited(
    request: options.Request, ledger: Path, schema: Path, tables: list[str] | None, only: str | None, together: list[str] | None
) -> Audited:
    from sfumato import sequence
    from sfumato.sequence.coalitions import PROMISED

    with show.watching() as watch:
        watch("counting", None)
        return sequence.audit(
            ledger,
            schema,
            tables=tables or (),
            only=None if only is None else _numbers(only),
            together=together or PROMISED,
            progress=show.progress(watch, "measuring"),
            **request,
        )


def _chart(result: Audited) -> dict[str, Any]:
    from sfumato.reporting.sequence import sequence_chart

    return sequence_chart(result)


def _numbers(given: str) -> list[int]:
    try:
        return [int(each) for each in given.split(",")]
    except ValueError:
        raise UsageError("numbers of entries with commas between, as in 1,2,5", where=argument("only")) from None


def _show_audit(result: Audited) -> None:
    console = show.out()
    heads = ["release", "file", "people", "classes", "suppressed", "promises"]
    rows = [
        [each.number, each.file, each.people, each.classes, each.suppressed, ", ".join(each.models) or "nothing"]
        for each in result.releases
    ]
    console.print(show.table(None, heads, rows, right=["people", "classes", "suppressed"]))
    for name, steps in result.steps.items():
        heads = ["releases", "people", "certain", "few left", "alone", "smallest", "L_PD max", "L_PE max", "L_PD mean"]
        lines = [
            [
                *(step.releases, step.people, step.known.certain, _few(step.known.by_candidates), step.alone, step.smallest),
                *(step.distribution, step.entropy, step.known.distribution_mean),
            ]
            for step in steps
        ]
        console.print(show.table(f"what somebody knows of {name} who has the first releases", heads, lines, right=heads))
    if result.steps:
        show.line(
            "certain: one value remains to who intersects classes; few left: two to four; L_PD mean: what is believed of them"
        )
        show.line("alone: shares all classes with nobody; smallest: the fewest who share all; L_PD, L_PE max: for who links rows")
    _show_verdicts(result)


def _few(by_candidates: tuple[tuple[int, int], ...]) -> int:
    return sum(people for count, people in by_candidates if 2 <= count <= 4)


def _show_verdicts(result: Audited) -> None:
    if result.others:
        show.line(f"not audited: {several(result.others, 'release')} of the ledger, of other schemas or kinds, or not asked for")
    if result.changed:
        came = f"{several(result.changed, 'person', 'people')} came again with another sensitive value"
        show.line(f"{came}; what remains is counted once for each value")
    for text in result.unjudged:
        show.amber(f"{text} is promised, and cannot be judged on several releases together")
    for each in result.invariance:
        show.line(f"m-invariance of {each.sensitive}: {each.m if each.m else 'none'}")
    for broken in result.broken:
        show.line(broken.line())
    if result.kept and result.judged:
        show.line(f"kept together: {', '.join(result.judged)}")
    if not result.judged:
        show.line("no release promises a model; --together names one that they must keep")
