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
    from sfumato.graph.reading import GraphFile

Edges = Annotated[
    Path,
    typer.Argument(metavar="GRAPH", help="An edge list, two names per line, or a GraphML file (.graphml).", show_default=False),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line of an edge list has heads.", show_default="detected"),
]
Names = Annotated[
    str | None,
    typer.Option("--names", help="The attribute of a GraphML file that has the names of nodes.", show_default="their ids"),
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
    str | None,
    typer.Option(
        "--attribute",
        help="The column of --people; without --people, an attribute of the nodes in the GraphML file.",
        show_default="the first after the name",
    ),
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


def source(edges: Edges, header: Header = None, names: Names = None, simplify: Simplify = False) -> options.Request:
    """The graph."""
    return {"edges": edges, "header": header, "names": names, "simplify": simplify}


def trying(method: Methods = None, release: Release = None, mapping: Map = None, seed: Seed = 0) -> options.Request:
    """What is published."""
    return {"methods": method, "release": release, "mapping": mapping, "seed": seed}


def described(people: People = None, attribute: AttributeName = None) -> options.Request:
    """An attribute of the people."""
    return {"people": people, "attribute": attribute}


def file_from(request: options.Request) -> GraphFile:
    """The graph in a file, and how the file was understood."""
    from sfumato.graph.reading import read_file

    with show.watching() as watch:
        watch("reading", None)
        return read_file(request["edges"], header=request["header"], names=request["names"], simplify=request["simplify"])


def header_of(file: GraphFile) -> dict[str, Any]:
    """For machines: whether the first line was taken for heads; null for GraphML."""
    return {"header": None if file.heads is None else file.heads.present}


def show_file(file: GraphFile, request: options.Request) -> None:
    """How a file was understood, where nobody has said it."""
    if file.heads is not None and file.heads.columns != (0, 1):
        one, other = file.heads.columns
        show.line(f"{file.path}: the first line has heads, and edges are in columns {one + 1} and {other + 1}")
    elif file.heads is not None and file.heads.present and request["header"] is None:
        show.line(f"{file.path}: the first line was taken for heads")
    better = file.document.better_names() if file.document is not None and request["names"] is None else None
    if better is not None:
        show.line(f"{file.path}: nodes are called by their ids; --names {better} calls them by an attribute that they have")


def people_from(request: options.Request, file: GraphFile) -> Attribute | None:
    """The attribute in a table of people, or in the file of the graph."""
    from sfumato.graph import read_people

    path, attribute = request["people"], request["attribute"]
    if path is not None:
        return read_people(path, file.graph, attribute=attribute, names=request["names"])
    return None if attribute is None else file.attribute(attribute)


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
