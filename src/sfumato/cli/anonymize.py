"""`sfumato anonymize`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.check import Models, Population, PopulationSize, PriorFile, Protect, Sensitive
from sfumato.cli.explore import Suppress
from sfumato.cli.opening import opened
from sfumato.cli.publish import show_release, told
from sfumato.errors import OutputError

if TYPE_CHECKING:
    from sfumato.search.tracing import Guided
    from sfumato.verbs.anonymize import Anonymized, Infeasible

INFEASIBLE = 1
SHOWN = 10  # classes


def anonymize(
    source: options.Data,
    schema: options.SchemaFile,
    output: options.Output,
    model: Models = None,
    protect: Protect = None,
    suppress: Suppress = "0",
    minimize: options.Minimize = None,
    algorithm: Annotated[
        str, typer.Option("--algorithm", help="optimal, incognito, mondrian (local recoding) or evolutionary.")
    ] = "optimal",
    toward: Annotated[
        str | None,
        typer.Option(
            "--toward",
            help="'recommended': the node whose classes come nearest to the recommended distribution, not the least loss.",
            show_default=False,
        ),
    ] = None,
    quasi: options.Quasi = None,
    sensitive: Sensitive = None,
    prior: PriorFile = None,
    population: Population = None,
    population_size: PopulationSize = None,
    budget: Annotated[int, typer.Option("--budget", help="evolutionary: the most nodes to look at.", min=1)] = 2000,
    relaxed: Annotated[bool, typer.Option("--relaxed", help="mondrian: people with equal values may be divided.")] = False,
    split: Annotated[str, typer.Option("--split", help="mondrian: which QID to split, by range or by loss.")] = "range",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the row order, and of evolutionary and relaxed mondrian.")] = 0,
    ledger: options.Ledger = None,
    mapping: options.MapFile = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write the report on the release, as HTML.", show_default=False)
    ] = None,
    force: options.Force = False,
    engine: options.EngineName = "duckdb",
    memory: options.Memory = None,
    delimiter: options.Delimiter = None,
    json: options.Json = False,
) -> None:
    """Find the release that satisfies the models at the least loss, and publish it with its certificate.

    Every model is judged again on the written file. If nothing satisfies them all, exit 1, and the output says which bounds fail and
    what would work.

    Example: `sfumato anonymize adult.parquet -s adult.toml -m k-anonymity:5 --suppress 5% -o safe.parquet`
    """
    from sfumato.search.algorithms.by_name import Options
    from sfumato.search.outcome import Interrupted
    from sfumato.search.problem import Loops
    from sfumato.verbs.anonymize import Anonymized
    from sfumato.verbs.anonymize import anonymize as anonymize_table

    page = _place(report, mapping, force)
    known: dict[str, Any] = {"prior": prior, "population": population, "population_size": population_size, "memory_limit": memory}
    try:
        with opened(source, schema, engine=engine, memory=memory, delimiter=delimiter) as (table, watch):
            found = anonymize_table(
                table,
                models=[*(model or ()), *(protect or ())],
                suppress=suppress,
                minimize=minimize,
                algorithm=algorithm,
                toward=toward,
                quasi=options.names(quasi),
                sensitive=options.names(sensitive),
                output=output,
                seed=seed,
                ledger=ledger,
                force=force,
                mapping=mapping,
                **known,
                loops=Loops.IF_WORTH_LOADING,
                options=Options(budget, relaxed, split),
                progress=show.progress(watch, "searching"),
                watch=watch,
            )
    except Interrupted as stopped:
        _show_best(stopped, json=json)
        raise
    if isinstance(found, Anonymized):
        written = _report(found, source, schema, page, known) if page else None
        _tell(found, written, json=json)
        return
    if json:
        show.emit(found.as_dict())
    else:
        _show_infeasible(found)
    raise typer.Exit(INFEASIBLE)


def _place(report: Path | None, mapping: Path | None, force: bool) -> Path | None:
    """Where the report will stand, looked at before the work."""
    if report is None:
        return None
    from sfumato.reporting.writing import place_of

    if mapping is not None and report.resolve() == mapping.resolve():
        raise OutputError("the report and the map need different names", where=str(report))
    return place_of(report, force)


def _report(found: Anonymized, source: str, schema: Path, page: Path, known: dict[str, Any]) -> Path:
    """The report on what was written, read from the file again."""
    from sfumato.reporting.making import report as report_on
    from sfumato.reporting.writing import write_page

    write_page(report_on(found.release, schema, original=source, **known), page)
    return page


def _tell(found: Anonymized, report: Path | None, *, json: bool) -> None:
    from sfumato.search.tracing import Guided, Splitting

    if json:
        show.emit(told(found.release) | found.as_dict() | ({"report": str(report)} if report else {}))
        return
    console, trace = show.out(), found.trace
    show_release(found.release, SHOWN)
    console.print(show.rows(found.table()))
    for verdict in found.verdicts:
        sign = "≥" if verdict.direction == "at_least" else "≤"
        said = verdict.reason if verdict.value is None else f"{show.cell(verdict.value)} {sign} {show.cell(verdict.threshold)}"
        console.print(f"{verdict.model}: {said}, judged on the written file", soft_wrap=True)
    if found.gone.people:
        console.print(f"suppressed: {found.gone.people:,} people ({found.gone.share:.2%})", soft_wrap=True)
        for name, change in found.gone.change.items():
            console.print(f"their going moves the distribution of {name} by {change:.4g} (distribution loss)", soft_wrap=True)
    if found.minimal:
        shown = "; ".join(str(list(node.levels)) for node in found.minimal[:SHOWN])
        more = f" and {len(found.minimal) - SHOWN:,} more (--json has all)" if len(found.minimal) > SHOWN else ""
        console.print(f"minimal nodes: {shown}{more}", soft_wrap=True)
    if report:
        console.print(f"report:      {report}", soft_wrap=True)
    times = found.seconds
    if isinstance(trace.details, Guided):
        _tell_guided(found, trace.details)
    least = "nearest to the recommended distribution" if isinstance(trace.details, Guided) else f"least {found.minimize}"
    split = trace.details if isinstance(trace.details, Splitting) else None
    how = f"split in {split.rounds} rounds" if split else least
    visited = "" if split else f"; {trace.visited:,} of {trace.nodes:,} nodes evaluated"
    console.print(
        f"{trace.algorithm}: {how}{visited} in {times['search']:.3f} s "
        f"(count {times['count']:.3f} s, write {times['write']:.3f} s)",
        soft_wrap=True,
    )


def _tell_guided(found: Anonymized, guided: Guided) -> None:
    """How near the guide came, and what the least loss would have been."""
    from sfumato.naming import said

    console, best = show.out(), guided.optimum
    shares = show.table(
        "recommended for one class",
        ["value", "prior", "recommended"],
        [(said(each), each["prior"], each["recommended"]) for each in guided.shares()],
        right=["prior", "recommended"],
    )
    console.print(shares)
    levels = "[" + ",".join(map(str, best.node.levels)) + "]"
    console.print(
        f"distance to it that remains: {show.cell(guided.distance)}; {found.minimize} {show.cell(found.loss)}, and "
        f"{show.cell(guided.optimum_loss)} at the optimum {levels}, whose distance is {show.cell(guided.optimum_distance)} "
        f"({best.trace.visited:,} nodes evaluated for it)",
        soft_wrap=True,
    )


def _show_infeasible(found: Infeasible) -> None:
    console, why = show.out(), found.explanation
    limit = f" with up to {found.limit:,} of {found.people:,} people suppressed" if found.limit else ""
    console.print(f"no release satisfies {', '.join(found.models)}{limit}", soft_wrap=True)
    if why is None:
        console.print("the lattice is too large to say which bounds would work; try fewer QIDs (--quasi)", soft_wrap=True)
        return
    console.print(show.rows(found.table(), title="each bound by itself, and the nearest that works given the others"))
    for each in why.nearest:
        if each.nearest is None:
            why_not = "its value is infinite everywhere" if each.others else "the others fail without it"
            console.print(f"{each.model}: no other bound helps, for {why_not}", soft_wrap=True)
    if why.suppression is None:
        console.print("no suppression would help", soft_wrap=True)
    else:
        people, node = why.suppression
        console.print(
            f"the smallest suppression that would help: {people:,} people ({people / found.people:.2%}) at {node}", soft_wrap=True
        )


def _show_best(stopped: Any, *, json: bool) -> None:
    """The best node of a search that was interrupted, on standard error: nothing was written."""
    if stopped.best is not None and not json:
        import sys

        sys.stderr.write(f"sfumato: the best node so far is {stopped.best.node}\n")
