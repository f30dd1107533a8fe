"""`sfumato graph`: graphs of people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.beyond import graph_attack, graph_verify
from sfumato.cli.beyond.graph_files import (
    Knows,
    described,
    file_from,
    header_of,
    people_from,
    show_file,
    show_shape,
    source,
)
from sfumato.cli.plugins import Group
from sfumato.cli.signers import show_kept
from sfumato.errors import UsageError, argument, several

app = typer.Typer(
    cls=Group,
    help="Graphs of people: what their structure gives away, releases of them, and attacks on these.",
    no_args_is_help=True,
)


@app.command("generate")
def generate(
    nodes: Annotated[int, typer.Argument(metavar="NODES", help="How many people.", show_default=False)],
    edges: Annotated[int, typer.Argument(metavar="EDGES", help="How many edges.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write: .csv or .graphml.", show_default=False)
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="cluster (hubs and circles of friends) or random.")] = "cluster",
    closing: Annotated[
        float, typer.Option("--closing", help="cluster: how often a new edge leads to an acquaintance of an acquaintance.")
    ] = 0.5,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything that is random.", min=0)] = 0,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Generate a graph, to try methods and attacks on.

    Example: `sfumato graph generate 300 900 -o friends.csv`
    """
    from sfumato.graph import generate as made
    from sfumato.graph import write
    from sfumato.graph.reading import GRAPHML

    if output is None:
        raise UsageError("name the file to write, as in -o friends.csv", where=argument("output"))
    graph = made(nodes, edges, kind=kind, closing=closing, seed=seed)
    write(graph, output, force=force)
    if json:
        show.emit({"nodes": graph.nodes, "edges": graph.size, "written": str(output)})
    else:
        show.line(f"wrote {output}: {several(graph.nodes, 'node')}, {several(graph.size, 'edge')}")
    alone = int((graph.degrees == 0).sum())
    if alone and output.suffix.lower() not in GRAPHML and not json:
        show.amber(f"{_without_place(alone)}; .graphml keeps them")


@app.command("profile")
@options.takes(source, described)
def profile(
    request: options.Request,
    knows: Knows = None,
    model: options.Models = None,
    json: options.Json = False,
) -> None:
    """How many people does somebody single out who knows a little of their place in a graph? Exit 1 if a model is violated.

    With an attribute of the people, also what their place gives away about it. Models judge the classes of people who look alike.

    Example: `sfumato graph profile friends.csv`
    """
    from sfumato.graph import profile as profiled

    file = file_from(request)
    known = people_from(request, file)
    with show.watching() as watch:
        watch("profiling", None)
        found = profiled(file.graph, knows=knows or (), attribute=known, models=model or ())
    verdicts = [verdict for each in found.alike for verdict in each.verdicts]
    if json:
        show.emit({**header_of(file), **found.as_dict()})
    else:
        show_file(file, request)
        show_shape(found)
        show.out().print(show.rows(found.table()))
        if known is not None:
            show.out().print(show.rows(found.leaks(), title=f"what this gives away about {known.name}"))
        for each in found.alike:
            for line in show.verdict_lines(each.verdicts):
                show.line(f"{each.knowledge}: {line.removesuffix(', judged on the written file')}")
    if any(each.satisfied is False for each in verdicts):
        raise typer.Exit(1)


@app.command("publish")
@options.takes(source, described, options.entering)
def publish(
    request: options.Request,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write: .csv or .graphml.", show_default=False)
    ] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="deidentify, k-degree:K, add-delete:SHARE or switch:SHARE.")
    ] = "deidentify",
    mapping: Annotated[
        Path | None, typer.Option("--map", help="Also write who is who, for the owner alone, as CSV.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", help="Seed of everything that is random; whoever knows it may tell who is who.", show_default="drawn", min=0
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Publish a graph without names, under new numbers, and changed by a method; with a certificate.

    k-degree:5 adds edges until everybody has as many neighbors as at least four others. add-delete:5% deletes 5 % of the edges and adds as
    many; switch:5% switches the ends of pairs of edges, which keeps all degrees. With --people or --attribute,
    the attribute is published, too (GraphML).

    Example: `sfumato graph publish friends.csv -o public.csv --method k-degree:5 --map who.csv`
    """
    from sfumato.graph import publish as published
    from sfumato.graph.reading import GRAPHML

    if output is None:
        raise UsageError("name the file to write, as in -o public.csv", where=argument("output"))
    entering: options.Request = {name: request[name] for name in ("ledger", "sign") if name in request}
    file = file_from(request)
    known = people_from(request, file)
    with show.watching() as watch:
        watch("publishing", None)
        found = published(
            file.graph, output, method=method, attribute=known, mapping=mapping, seed=seed, force=force,
            progress=show.progress(watch, "adding edges"), **entering,
        )  # fmt: skip
    if json:
        more = {"edges_added": found.edges_added, "edges_deleted": found.edges_deleted}
        show.emit(
            {
                **header_of(file),
                "written": str(output),
                **more,
                "ledger": str(found.ledger),
                "certificate": found.certificate.as_dict(),
            }
        )
        return
    show_file(file, request)
    certificate = found.certificate
    show.line(f"{several(certificate.nodes, 'node')}, {several(certificate.edges, 'edge')}; {_changes(found)}")
    show.line(f"every number of neighbors is that of at least {several(certificate.alike, 'person', 'people')}")
    alone = int((found.changed.graph.degrees == 0).sum())
    if alone and output.suffix.lower() not in GRAPHML:
        show.line(f"{_without_place(alone)}: nobody can count them there; .graphml has them")
    show.line(f"wrote {output} and its certificate" + (f", and {mapping} for you alone" if mapping else ""))
    show_kept(certificate, found.ledger)


def _without_place(alone: int) -> str:
    return f"{several(alone, 'node has', 'nodes have')} no edge and no place in an edge list"


def _changes(found: Any) -> str:
    if not (found.edges_added or found.edges_deleted):
        return "edges as they were"
    return f"{several(found.edges_added, 'edge')} added, {found.edges_deleted:,} deleted"


app.command("verify")(graph_verify.verify)
app.command("sign")(graph_verify.sign)
app.command("attack")(graph_attack.attack)
app.command("plant")(graph_attack.plant)
app.command("compare")(graph_attack.compare)
app.command("report")(graph_attack.report)
