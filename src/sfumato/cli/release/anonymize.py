"""`sfumato anonymize`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.release.publish import record, show_release, show_verdicts
from sfumato.errors import several, visible

if TYPE_CHECKING:
    from sfumato.search.tracing import Guided
    from sfumato.verbs.anonymize import Anonymized, Infeasible

INFEASIBLE = 1
SHOWN = 10  # classes


@options.takes(
    options.table_or_recipe,
    options.reading,
    options.judging,
    options.releasing,
    options.starting,
    options.searching,
    options.writing,
    options.sequencing,
)
def anonymize(
    request: options.Request,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write the report on the release, as HTML.", show_default=False)
    ] = None,
    losses: Annotated[bool, typer.Option("--losses", help="Also show every loss of the release.")] = False,
    json: options.Json = False,
) -> None:
    """Find the release that satisfies the models at the least loss, and publish it with its certificate.

    Every model is judged again on the written file. If no release satisfies all models, the exit status is 1, and the output shows
    which bounds fail and which would work.

    --recipe records all settings; `sfumato anonymize --recipe FILE` then repeats the release.

    Example: `sfumato anonymize adult.parquet -s adult.toml -m k-anonymity:5 --suppress 5% -o safe.parquet`
    """
    from sfumato.search.outcome import Interrupted
    from sfumato.verbs.anonymize import Anonymized
    from sfumato.verbs.anonymize import anonymize as anonymize_table

    page = _place(report, request)
    _require_output(request)
    try:
        with show.watching() as watch, _opened(request, page) as given:
            result = anonymize_table(**given, advise=True, progress=show.progress(watch, "searching"), watch=watch)
            if isinstance(result, Anonymized) and page:
                _report(result, given, page)
    except Interrupted as stopped:
        _show_best(stopped, json=json)
        raise
    if isinstance(result, Anonymized):
        written = {"report": page, "recipe": request.get("recipe") if "data" in request else None}
        _show(result, {name: path for name, path in written.items() if path}, losses=losses, json=json)
        return
    if json:
        show.emit(result.as_dict())
    else:
        _show_infeasible(result)
    raise typer.Exit(INFEASIBLE)


def _require_output(request: options.Request) -> None:
    """Refuse a release that goes nowhere; a recipe may say where."""
    if "data" not in request and "recipe" in request:
        from sfumato.recipe import Recipe

        if Recipe.read(request["recipe"]).output.path is not None:
            return
    if "data" in request or "recipe" in request:
        options.require_output(request)


@contextmanager
def _opened(request: options.Request, page: Path | None) -> Iterator[options.Request]:
    """The request; with its table open if a report needs it again, so that rows are counted once."""
    if page is None or "data" not in request:
        yield request
        return
    from sfumato.table.source import SOURCE_OPTIONS, Source

    reading = {name: request[name] for name in ("data", "schema", *SOURCE_OPTIONS) if name in request}
    with Source(**reading).open() as table:
        yield {**{name: value for name, value in request.items() if name not in reading}, "data": table}


def _place(report: Path | None, request: options.Request) -> Path | None:
    """The path of the report, checked before the work starts."""
    if report is None:
        return None
    from sfumato.commit.places import require_different
    from sfumato.release.certificate import certificate_path
    from sfumato.reporting.writing import place_of

    release, recipe = request.get("output"), request.get("recipe") if "data" in request else None
    places = [release, release and certificate_path(Path(release)), request.get("mapping"), recipe, report]
    require_different(Path(place) for place in places if place)
    return place_of(report, request.get("force", False))


def _report(result: Anonymized, request: options.Request, page: Path) -> None:
    """The report on the written file, with the original."""
    from sfumato.verbs.report import report as report_on

    release = result.release
    options = {name: request[name] for name in ("prior", "population", "population_size") if name in request}
    original = request.get("data", release.source)
    schema = release.source.schema if release.source.schema is not None else original.declared
    report_on(release, schema, original=original, output=page, force=request.get("force", False), **options)


def _show(result: Anonymized, written: Mapping[str, Path], *, losses: bool, json: bool) -> None:
    if json:
        show.emit(record(result.release) | result.as_dict() | {name: str(path) for name, path in written.items()})
        return
    show_release(result.release, SHOWN)
    if losses:
        show.out().print(show.rows(result.table()))
    show_verdicts(result.release)
    if result.removed.people:
        show.line(f"suppressed: {several(result.removed.people, 'person', 'people')} ({result.removed.share:.2%})")
        for name, change in result.removed.change.items():
            show.line(f"removing them shifts the distribution of {name} by {change:.4g} (distribution loss)")
    for name, path in written.items():
        show.line(f"{name + ':':<12} {path}")
    _show_search(result)
    if result.advice:
        show.amber(str(result.advice))


def _show_search(result: Anonymized) -> None:
    """How the release was found."""
    from sfumato.search.tracing import Guided, Splitting

    trace, times = result.trace, result.seconds
    if result.minimal:
        shown = "; ".join(node.brief() for node in result.minimal[:SHOWN])
        more = f" and {len(result.minimal) - SHOWN:,} more (--json has all)" if len(result.minimal) > SHOWN else ""
        show.line(f"minimal nodes: {shown}{more}")
    guided = trace.details if isinstance(trace.details, Guided) else None
    if guided:
        _show_guided(result, guided)
    least = "nearest to the recommended distribution" if guided else _least(result)
    split = trace.details if isinstance(trace.details, Splitting) else None
    how = f"split in {split.rounds} rounds" if split else least
    visited = "" if split else f"; {trace.visited:,} of {trace.nodes:,} nodes evaluated"
    show.line(
        f"{trace.algorithm}: {how}{visited} in {times['search']:.3f} s "
        f"(count {times['count']:.3f} s, write {times['write']:.3f} s)",
    )
    if not trace.complete:
        show.amber("the time was up before the search was done: this is the best release so far, and there may be a better one")


def _least(result: Anonymized) -> str:
    """The loss that was minimized, by name and value: it decides which of the allowed releases this is."""
    value = "" if result.loss is None else f" of {show.cell(result.loss)}"
    scale = " (0 as it was, 1 all withheld)" if result.minimize == "loss" else ""
    if not result.trace.complete:
        return f"{result.minimize}{value}{scale}, the least so far; --minimize names another"
    return f"least {result.minimize}{value}{scale}; --minimize names another"


def _show_guided(result: Anonymized, guided: Guided) -> None:
    """How close the release comes to the recommendation, and the least possible loss."""
    from sfumato.naming import value_text

    console, best = show.out(), guided.optimum
    shares = show.table(
        "recommended for one class",
        ["value", "prior", "recommended"],
        [(value_text(each), each["prior"], each["recommended"]) for each in guided.shares()],
        right=["prior", "recommended"],
    )
    console.print(shares)
    show.line(
        f"remaining distance: {show.cell(guided.distance)}; {result.minimize} {show.cell(result.loss)}, and "
        f"{show.cell(guided.optimum_loss)} at the optimum {best.node.brief()}, whose distance is "
        f"{show.cell(guided.optimum_distance)} ({best.trace.visited:,} nodes evaluated for it)",
    )


def _show_infeasible(result: Infeasible) -> None:
    console, why = show.out(), result.explanation
    limit = f" with up to {result.limit:,} of {result.people:,} people suppressed" if result.limit else ""
    start = f", from {result.floor} on" if any(result.floor.levels) else ""
    show.line(f"no release satisfies {', '.join(result.models)}{limit}{start}")
    if why is None:
        from sfumato.search.algorithms.explain import MOST_NODES

        if result.trace.nodes > MOST_NODES:
            show.line("the lattice is too large to say which bounds would work; try fewer QIDs (--quasi)")
        else:
            show.line("the time was up before it was known which bounds would work; give it more (--time-limit)")
        return
    console.print(show.rows(result.table(), title="each bound by itself, and the nearest that works given the others"))
    for each in why.nearest:
        if each.nearest is None:
            why_not = "its value is infinite everywhere" if each.others else "the others fail without it"
            show.line(f"{each.model}: no other bound helps: {why_not}")
    if why.suppression is None:
        show.line("no suppression would help")
    else:
        people, node = why.suppression
        show.line(
            f"the smallest suppression that would help: {several(people, 'person', 'people')} ({people / result.people:.2%}) at {node}"
        )


def _show_best(stopped: Any, *, json: bool) -> None:
    """The best node of a search that was interrupted, on standard error: nothing was written."""
    if stopped.best is not None and stopped.best.recoding is None and not json:
        import sys

        sys.stderr.write(f"sfumato: the best node so far is {visible(str(stopped.best.node))}\n")
