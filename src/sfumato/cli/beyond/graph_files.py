"""What the commands of `sfumato graph` read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import DataSayNo, UsageError, argument, several, visible

if TYPE_CHECKING:
    from sfumato.graph import Attribute, Changed, Graph, GraphProfile

Edges = Annotated[
    Path,
    typer.Argument(metavar="GRAPH", help="An edge list, two names per line, or a GraphML file (.graphml).", show_default=False),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether the first line of an edge list names its columns.", show_default="detected"
    ),
]
Simplify = Annotated[
    bool, typer.Option("--simplify", help="Leave out self-loops and repeated edges; take a directed graph as undirected.")
]
Knows = Annotated[
    list[str] | None,
    typer.Option(
        "--knows",
        help="What is known of people: degree, neighbors, second-round, neighborhood, hubs; in attacks also nearest. Repeatable.",
        show_default="all",
    ),
]
People = Annotated[
    Path | None,
    typer.Option(
        "--people", metavar="FILE", help="A CSV file of attributes: heads, then a name and its values.", show_default=False
    ),
]
AttributeName = Annotated[
    str | None, typer.Option("--attribute", help="The column of --people.", show_default="the first after the name")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything that is random.", min=0)]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        help="Try a method: deidentify, k-degree:K, add-delete:SHARE, switch:SHARE. Repeatable.",
        show_default="deidentify, k-degree:5, k-degree:10, add-delete:5%, switch:5%",
    ),
]
Release = Annotated[
    Path | None, typer.Option("--release", help="A published graph, in place of methods to try; needs --map.", show_default=False)
]
Map = Annotated[Path | None, typer.Option("--map", help="The map of the release: who is who.", show_default=False)]


def source(edges: Edges, header: Header = None, simplify: Simplify = False) -> options.Request:
    """The graph."""
    return {"edges": edges, "header": header, "simplify": simplify}


def trying(method: Methods = None, release: Release = None, mapping: Map = None, seed: Seed = 0) -> options.Request:
    """What is published."""
    return {"methods": method, "release": release, "mapping": mapping, "seed": seed}


def described(people: People = None, attribute: AttributeName = None) -> options.Request:
    """An attribute of the people."""
    return {"people": people, "attribute": attribute}


def graph_from(request: options.Request) -> Graph:
    """The graph in a file."""
    from sfumato.graph import read

    with show.watching() as watch:
        watch("reading", None)
        return read(request["edges"], header=request["header"], simplify=request["simplify"])


def people_from(request: options.Request, graph: Graph) -> Attribute | None:
    """The attribute in a table of people."""
    from sfumato.graph import read_people

    path, attribute = request["people"], request["attribute"]
    if path is None and attribute is not None:
        raise UsageError("name the table that has it", where=argument("people"))
    return None if path is None else read_people(path, graph, attribute=attribute)


def releases_from(request: options.Request, graph: Graph, watch: Callable[..., Any]) -> list[Changed]:
    """A release and who is who in it, or those that methods make."""
    from sfumato.graph import changed, release_of
    from sfumato.graph.methods import method_of, usual_for

    methods, release, mapping = request["methods"], request["release"], request["mapping"]
    if (release is None) != (mapping is None):
        raise UsageError("a release needs its map, and a map its release: --release FILE --map FILE", where=argument("release"))
    if release is not None:
        if methods:
            raise UsageError("name a release, or methods to try; not both", where=argument("method"))
        return [release_of(graph, release, mapping)]
    made = []
    for method in [method_of(each) for each in methods or usual_for(graph.nodes)]:
        watch(f"trying {method}", None)
        with possible(method, named=bool(methods)):
            made.append(changed(graph, method, seed=request["seed"]))
    return made


@contextmanager
def possible(method: object, *, named: bool) -> Iterator[None]:
    """Pass over a method that cannot change this graph, and say so, unless somebody named it: a complete graph has no edge to switch."""
    try:
        yield
    except DataSayNo as no:
        if named:
            raise
        typer.echo(f"sfumato: {method} is not tried: {visible(str(no))}", err=True)


def show_shape(found: GraphProfile) -> None:
    """One line about a graph."""
    size = f"{several(found.nodes, 'node')}, {several(found.edges, 'edge')}"
    parts = (
        "" if found.components == 1 else f"; {found.components:,} components, the largest with {several(found.largest, 'node')}"
    )
    show.line(size + parts + (f", {several(found.isolated, 'node')} without edges" if found.isolated else ""))
