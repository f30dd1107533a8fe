"""`sfumato graph attack`, `plant`, `compare` and `report`: releases of a graph, attacked and compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.beyond.graph_files import (
    Knows,
    Methods,
    Seed,
    described,
    file_from,
    header_of,
    people_from,
    possible,
    releases_from,
    show_file,
    source,
    trying,
)
from sfumato.cli.pictures import draw, require_picture
from sfumato.errors import several
from sfumato.results import Rows

if TYPE_CHECKING:
    from sfumato.graph import ActiveAttacks, Graph

Accounts = Annotated[
    int | None,
    typer.Option("--accounts", help="How many accounts are planted.", show_default="one per doubling of the people", min=3),
]
Targets = Annotated[
    int | None,
    typer.Option("--targets", help="How many people are looked for.", show_default="20, or as many as there are", min=1),
]
Runs = Annotated[int, typer.Option("--runs", help="How often all of it is tried, each time with others.", min=1)]


@options.takes(source, trying, described)
def attack(
    request: options.Request,
    knows: Knows = None,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Attack releases of a graph: how often is somebody found by what an attacker knows of the structure around them?

    The attacker knows something true of the original and guesses among the nodes of the release of which the same is true; `nearest` takes
    the node with the nearest numbers, for edges may have been changed. Rates have 95 % intervals; the baseline is a guess among all nodes.

    Example: `sfumato graph attack friends.csv --method deidentify --method k-degree:5`
    """
    from sfumato.graph import attack as attacked

    require_picture(output, force)
    file = file_from(request)
    graph, known = file.graph, people_from(request, file)
    with show.watching() as watch:
        made = releases_from(request, graph, watch)
        found = attacked(
            graph, made, knows=knows or (), attribute=known, seed=request["seed"], progress=show.progress(watch, "attacking")
        )

    def chart() -> dict[str, object]:
        from sfumato.graph.charts import attacked_chart

        return attacked_chart(found)

    written = draw(chart, output, force)
    if json:
        show.emit({**header_of(file), **found.as_dict(), **written})
        return
    show_file(file, request)
    _show(found.table())
    if known is not None:
        show.out().print(show.rows(found.leaks(), title=f"what is learned about {known.name}"))
    if output:
        show.line(f"wrote {output}")


def _show(found: Rows) -> None:
    """The attempts, and below them the baseline, which is the same for all."""
    show.out().print(show.unbroken(show.rows(found.only(found.heads[:-1]))))
    show.line(f"a guess among all nodes is right in {found.rows[0][-1]}")


@options.takes(source)
def plant(
    request: options.Request,
    method: Methods = None,
    accounts: Accounts = None,
    targets: Targets = None,
    runs: Runs = 10,
    seed: Seed = 0,
    json: options.Json = False,
) -> None:
    """Plant accounts in a graph before it is published, and find them and the people they are joined to again: active attacks.

    The accounts are joined among themselves at random, so that nobody else looks like them, and each target to two or three of them. An
    exact attacker looks for just that, a forgiving one allows for changed edges.

    Example: `sfumato graph plant friends.csv --method deidentify --runs 3`
    """
    from sfumato.graph.methods import usual_for

    file = file_from(request)
    graph = file.graph
    chosen = method or usual_for(graph.nodes)
    with show.watching() as watch:
        watch("planting", None)
        ways: options.Request = {"accounts": accounts, "targets": targets, "runs": runs, "seed": seed}
        found = _planted(graph, chosen, named=bool(method), progress=show.progress(watch, "attacking"), **ways)
    if json:
        show.emit({**header_of(file), **found.as_dict()})
        return
    show_file(file, request)
    _show(found.table())
    first = found.attempts[0]
    show.line(
        f"each of {several(first.runs, 'run')} with {first.accounts:,} accounts and {several(first.targets // first.runs, 'target')}"
    )
    for each in found.attempts:
        if each.gave_up:
            show.line(f"{each.method}, {each.attacker}: the search was given up in {each.gave_up:,} of {each.runs:,} runs")


def _planted(graph: Graph, methods: Sequence[Any], *, named: bool, **ways: Any) -> ActiveAttacks:
    """Active attacks on every method that can change the graph with the accounts in it."""
    from sfumato.graph import ActiveAttacks, attack_actively

    attempts: list[Any] = []
    for method in methods:
        with possible(method, named=named):
            attempts += attack_actively(graph, [method], **ways).attempts
    return ActiveAttacks(tuple(attempts))


@options.takes(source, trying)
def compare(
    request: options.Request,
    sources: Annotated[int, typer.Option("--sources", help="From how many people path lengths are counted.", min=1)] = 100,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Compare releases of a graph with it: degrees, clustering, path lengths and communities, before and after.

    Example: `sfumato graph compare friends.csv --method k-degree:5 --method switch:10%`
    """
    from sfumato.graph import compare as compared

    require_picture(output, force)
    file = file_from(request)
    graph = file.graph
    with show.watching() as watch:
        made = releases_from(request, graph, watch)
        found = compared(graph, made, sources=sources, seed=request["seed"], progress=show.progress(watch, "comparing"))

    def chart() -> dict[str, object]:
        from sfumato.graph.charts import compared_chart

        return compared_chart(found)

    written = draw(chart, output, force)
    if json:
        show.emit({**header_of(file), **found.as_dict(), **written})
        return
    show_file(file, request)
    show.out().print(show.rows(found.table()))
    people = several(found.sources, "person", "people")
    show.line(f"paths from {people}; {found.words()}")
    if output:
        show.line(f"wrote {output}")


@options.takes(source, trying, described)
def report(
    request: options.Request,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page to write.", show_default="GRAPH.html")] = None,
    knows: Knows = None,
    runs: Annotated[int, typer.Option("--runs", help="How often accounts are planted; 0 for not at all.", min=0)] = 3,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Write all of it as one HTML page: what the structure gives away, attacks on releases, planted accounts, what a release costs.

    Example: `sfumato graph report friends.csv -o friends.html --method deidentify --method k-degree:5`
    """
    from sfumato import graph as room
    from sfumato.graph.page import GraphReport, write_page

    page = _page(output or request["edges"].with_suffix(".html"), force)
    file = file_from(request)
    graph, known = file.graph, people_from(request, file)
    with show.watching() as watch:
        made = releases_from(request, graph, watch)
        watch("profiling", None)
        asked = [each for each in knows or () if each != "nearest"]
        profile = room.profile(graph, knows=asked, attribute=known)
        passive = room.attack(
            graph, made, knows=knows or (), attribute=known, seed=request["seed"], progress=show.progress(watch, "attacking")
        )
        utility = room.compare(graph, made, seed=request["seed"], progress=show.progress(watch, "comparing"))
        tried = runs and request["release"] is None
        active = (
            _planted(
                graph,
                [each.method for each in made],
                named=bool(request["methods"]),
                runs=runs,
                seed=request["seed"],
                progress=show.progress(watch, "planting"),
            )
            if tried
            else None
        )
    write_page(GraphReport(profile, passive, utility, active), page, force=force)
    if json:
        parts = {"profile": profile, "attacks": passive, "planted": active, "utility": utility}
        show.emit(
            {
                **header_of(file),
                "written": str(page),
                **{name: None if part is None else part.as_dict() for name, part in parts.items()},
            }
        )
    else:
        show_file(file, request)
        show.line(f"wrote {page}")


def _page(path: Path, force: bool) -> Path:
    """Refuse a place for the page that is taken or has another format, before any work is done."""
    from sfumato.commit.places import require_free
    from sfumato.errors import OutputError

    if path.suffix not in (".html", ".htm"):
        raise OutputError("the page is HTML; the name must end in .html", where=str(path))
    require_free(path, force)
    return path
