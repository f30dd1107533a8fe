"""What a graph is used for, before and after: degrees, clustering, path lengths, communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.graph.asked import releases_of
from sfumato.graph.communities import agreement, communities, modularity
from sfumato.graph.graph import Graph, Places, require_whole
from sfumato.graph.kernels import common, distances
from sfumato.graph.methods import Changed
from sfumato.graph.profile import require_people
from sfumato.progress import Progress
from sfumato.results import Printed, Rows
from sfumato.statistics import Floats

SOURCES = 100  # nodes whose distances to all others are counted


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A graph in numbers. `degrees[d]` nodes have d neighbors; `steps[s]` pairs of a drawn node and another one are s steps apart;
    `clustering[d]` is the mean local clustering of the nodes with d neighbors (0 where there are none)."""

    nodes: int
    edges: int
    degrees: Places
    steps: Places
    clustering: Floats
    transitivity: float
    mean_clustering: float
    components: int
    largest: int
    community: Places
    modularity: float

    @property
    def mean_path(self) -> float:
        """The mean number of steps between people who reach each other; 0 if nobody does."""
        count = int(self.steps[1:].sum())
        return float((np.arange(len(self.steps)) * self.steps).sum() / count) if count else 0.0

    @property
    def reached(self) -> float:
        """The share of pairs that reach each other."""
        sources = int(self.steps[0])
        return float(self.steps[1:].sum() / max(sources * (self.nodes - 1), 1))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = (
            "nodes",
            "edges",
            "transitivity",
            "mean_clustering",
            "components",
            "largest",
            "modularity",
            "mean_path",
            "reached",
        )
        counted = {"degrees": self.degrees.tolist(), "steps": self.steps.tolist()}
        return {
            **{name: getattr(self, name) for name in names},
            "communities": int(self.community.max(initial=-1)) + 1,
            **counted,
        }


def shape_of(graph: Graph, *, sources: Places, rng: np.random.Generator) -> Shape:
    """A graph in numbers; paths are counted from some nodes."""
    shared = common(graph.offsets, graph.neighbors)
    degrees = graph.degrees
    triangles = np.bincount(graph.owner, shared, graph.nodes) / 2
    pairs = degrees * (degrees - 1) / 2
    local = np.divide(triangles, pairs, out=np.zeros(graph.nodes), where=pairs > 0)
    counts = np.bincount(degrees)
    by_degree = np.bincount(degrees, local) / np.maximum(counts, 1)
    community = communities(graph, rng)
    return Shape(
        graph.nodes, graph.size, counts, steps_from(graph, sources), by_degree,
        float(triangles.sum() / max(pairs.sum(), 1)), float(local.mean()), len(graph.components), int(graph.components[0]),
        community, modularity(graph, community),
    )  # fmt: skip


def steps_from(graph: Graph, sources: Places) -> Places:
    """How many nodes are how many steps from some nodes, each of these counted with 0."""
    found = np.zeros(1, np.int64)
    for source in sources.tolist():
        apart = distances(graph.offsets, graph.neighbors, source, -2)
        counts = np.bincount(apart[apart >= 0])
        found = np.pad(found, (0, max(0, len(counts) - len(found))))
        found[: len(counts)] += counts
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A release compared with its original: the largest difference of the two cumulative distributions of degrees and of path lengths,
    the share of edges that are still there, and how alike the communities are."""

    method: str
    shape: Shape
    degrees_apart: float
    steps_apart: float
    edges_kept: float
    same_communities: float

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = ("method", "degrees_apart", "steps_apart", "edges_kept", "same_communities")
        return {**{name: getattr(self, name) for name in names}, "shape": self.shape.as_dict()}


@dataclass(frozen=True, slots=True, eq=False)
class GraphsCompared(Printed):
    """Releases of a graph compared with it. `again` is how alike its communities are when they are looked for once more: more cannot be
    expected of a release."""

    original: Shape
    releases: tuple[Kept, ...]
    again: float
    sources: int

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        record = {"original": self.original.as_dict(), "same_communities_again": self.again, "sources": self.sources}
        return {**record, "releases": [each.as_dict() for each in self.releases]}

    def table(self) -> Rows:
        """One row per measure, a column per release."""
        shapes = [self.original, *(each.shape for each in self.releases)]
        rows: list[tuple[Any, ...]] = [
            (words, *(getattr(each, name) for each in shapes))
            for words, name in (
                ("edges", "edges"), ("transitivity", "transitivity"), ("mean clustering", "mean_clustering"),
                ("components", "components"), ("largest component", "largest"), ("mean path length", "mean_path"),
                ("pairs that reach each other", "reached"), ("modularity", "modularity"),
            )
        ]  # fmt: skip
        rows += [
            ("edges kept", 1.0, *(each.edges_kept for each in self.releases)),
            ("degrees apart (KS)", 0.0, *(each.degrees_apart for each in self.releases)),
            ("path lengths apart (KS)", 0.0, *(each.steps_apart for each in self.releases)),
            ("same communities (NMI)", self.again, *(each.same_communities for each in self.releases)),
        ]
        return Rows(("measure", "original", *(each.method for each in self.releases)), tuple(rows))

    def plot(self) -> Any:
        """Degrees, path lengths and clustering, before and after: an altair chart. Needs the extra `report`."""
        from sfumato.graph.charts import as_altair, compared_chart

        return as_altair(compared_chart(self))


def compare(
    graph: Graph,
    releases: Changed | Sequence[Changed],
    *,
    sources: int = SOURCES,
    seed: int = 0,
    progress: Progress | None = None,
) -> GraphsCompared:
    """Compare releases of a graph with the graph.

    Parameters
    ----------
    graph : Graph
        The original.
    releases : Changed or sequence of Changed
        What was published, and who is who in it.
    sources : int
        From how many people path lengths are counted; the same people in all graphs.
    seed : int
        Of these people, and of the order in which communities are looked for.
    progress : callable, optional
        Called with the graphs done and all of them.

    Returns
    -------
    GraphsCompared
        Degrees, clustering, path lengths and communities, before and after.
    """
    require_people(graph)
    require_whole(sources, 1, "sources")
    require_whole(seed, 0, "seed")
    compared = releases_of(graph, releases)
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.choice(graph.nodes, min(sources, graph.nodes), replace=False))
    original = shape_of(graph, sources=drawn, rng=np.random.default_rng(seed))
    again = agreement(original.community, communities(graph, np.random.default_rng(seed + 1)))
    found = []
    for each in compared:
        shape = shape_of(each.graph, sources=each.truth[drawn], rng=np.random.default_rng(seed))
        still = np.isin(each.relabel(graph), each.graph.keys)
        same = agreement(original.community, shape.community[each.truth])
        apart = _apart(original.degrees, shape.degrees), _apart(original.steps[1:], shape.steps[1:])
        found.append(Kept(str(each.method), shape, *apart, float(still.mean()) if graph.size else 1.0, same))
        if progress:
            progress(len(found), len(compared))
    return GraphsCompared(original, tuple(found), again, len(drawn))


def _apart(one: Places, other: Places) -> float:
    """The largest difference of two cumulative distributions (Kolmogorov and Smirnov); 0 if one is of nothing."""
    if not (one.sum() and other.sum()):
        return 0.0
    width = max(len(one), len(other))
    first, second = (np.cumsum(np.pad(each, (0, width - len(each)))) / each.sum() for each in (one, other))
    return float(np.abs(first - second).max())
