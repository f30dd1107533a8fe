"""What an attacker may know of somebody's place in a graph, and who looks alike to whoever knows it.

Everything is exact: nodes are alike if and only if what is known of them is the same. To compare the nodes of two graphs, they are put
side by side (`Graph.beside`) and divided together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument, unknown
from sfumato.graph.graph import Graph, Places
from sfumato.graph.kernels import common, distances
from sfumato.graph.neighborhoods import neighborhood_classes

HUBS, HORIZON = 5, 3


def by_degree(graph: Graph) -> Places:
    """How many neighbors."""
    return _numbered(graph.degrees)


def refined(graph: Graph, classes: Places) -> Places:
    """One round more: nodes stay alike if they were, and have as many neighbors of each class."""
    return rows_alike(graph.offsets, classes[graph.neighbors], classes)


def by_neighbors(graph: Graph) -> Places:
    """How many neighbors, and how many neighbors each of them has."""
    return refined(graph, by_degree(graph))


def by_second_round(graph: Graph) -> Places:
    """The same of each neighbor, too."""
    return refined(graph, by_neighbors(graph))


def by_triangles(graph: Graph) -> Places:
    """How many neighbors, and how many acquaintances each of them shares with the person."""
    return rows_alike(graph.offsets, common(graph.offsets, graph.neighbors), graph.degrees)


def by_neighborhood(graph: Graph) -> Places:
    """The subgraph of a person and their neighbors: alike if the two subgraphs are isomorphic, person onto person."""
    return neighborhood_classes(graph, by_triangles(graph))


def by_hubs(graph: Graph, hubs: Places, horizon: int = HORIZON) -> Places:
    """How many steps from each of some well-known nodes, up to a horizon."""
    columns = [distances(graph.offsets, graph.neighbors, int(hub), horizon) for hub in hubs]
    return (
        np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].ravel()
        if columns
        else np.zeros(graph.nodes, np.int64)
    )


def hubs_of(graph: Graph, count: int = HUBS) -> Places:
    """The nodes with the most neighbors, those with most first."""
    return np.argsort(-graph.degrees, kind="stable")[:count]


# What is known, by its name in commands, and how it is said.
KNOWLEDGE: Mapping[str, Callable[[Graph], Places]] = {
    "degree": by_degree,
    "neighbors": by_neighbors,
    "second-round": by_second_round,
    "neighborhood": by_neighborhood,
    "hubs": lambda graph: by_hubs(graph, hubs_of(graph)),
}
WORDS = {
    "degree": "degree",
    "neighbors": "neighbors' degrees",
    "second-round": "one round more",
    "neighborhood": "neighborhood",
    "hubs": f"steps to {HUBS} hubs",
}


def require_knowledge(name: str, *, within: str = "a profile", more: Sequence[str] = ()) -> None:
    """Refuse a name that nothing has; `more` are those that are known here, too."""
    if name not in KNOWLEDGE:
        raise UsageError(unknown("knowledge", name, (*KNOWLEDGE, *more), within=within), where=argument("knows"))


def jointly(name: str, original: Graph, release: Graph, truth: Places) -> tuple[Places, Places]:
    """The classes of the original's nodes and of the release's, in the same numbers. `truth` is the number of each node in the release:
    hubs are recognized."""
    both = original.beside(release)
    if name != "hubs":
        classes = KNOWLEDGE[name](both)
        return classes[: original.nodes], classes[original.nodes :]
    hubs = hubs_of(original)
    rows = [
        np.stack([distances(graph.offsets, graph.neighbors, int(hub), HORIZON) for hub in known], axis=1)
        for graph, known in ((original, hubs), (release, truth[hubs]))
    ]
    classes = np.unique(np.concatenate(rows), axis=0, return_inverse=True)[1].ravel()
    return classes[: original.nodes], classes[original.nodes :]


def rows_alike(offsets: Places, values: Places, own: Places) -> Places:
    """Which nodes are alike: the same value of their own, and the same values in their rows, in whatever order.

    Rows of one length are compared as whole rows of bytes, so nothing depends on a hash.
    """
    lengths = np.diff(offsets)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    ordered = np.asarray(values)[np.lexsort((values, owner))].astype(np.int32)
    found = np.empty(len(lengths), np.int64)
    count = 0
    by_length = np.argsort(lengths, kind="stable")
    distinct, starts = np.unique(lengths[by_length], return_index=True)
    for length, members in zip(distinct.tolist(), np.split(by_length, starts[1:]), strict=True):
        table = np.empty((len(members), length + 1), np.int32)
        table[:, 0] = own[members]
        table[:, 1:] = ordered[offsets[members][:, None] + np.arange(length)]
        _, place = np.unique(_as_bytes(table), return_inverse=True)
        found[members] = count + place.ravel()
        count += int(place.max()) + 1
    return found


def _as_bytes(table: Any) -> Any:
    """Each row as one value."""
    return np.ascontiguousarray(table).view(np.dtype((np.void, table.shape[1] * table.itemsize))).ravel()


def _numbered(values: Places) -> Places:
    return np.unique(values, return_inverse=True)[1].ravel()
