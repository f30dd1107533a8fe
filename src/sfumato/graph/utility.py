"""What a graph is used for, before and after: degrees, clustering, path lengths, communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.graph.asked import releases_of
from sfumato.graph.communities import Agreement, communities, gathered, modularity, runs_for
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
    `clustering[d]` is the mean local clustering of the nodes with d neighbors (0 where there are none). `community` is that of each node in
    one run; `modularity`, and the `gathered[s]` nodes in communities of s nodes, are means over all runs."""

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
    gathered: Floats

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
        sizes = {str(size): float(self.gathered[size]) for size in np.flatnonzero(self.gathered).tolist()}
        counted = {"degrees": self.degrees.tolist(), "steps": self.steps.tolist(), "people_by_community_size": sizes}
        communities = int(self.community.max(initial=-1)) + 1
        return {**{name: getattr(self, name) for name in names}, "communities": communities, **counted}


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
        community, modularity(graph, community), gathered([community]),
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
    the share of edges that are still there, and how alike the communities are, over several runs on both."""

    method: str
    shape: Shape
    degrees_apart: float
    steps_apart: float
    edges_kept: float
    same_communities: float
    communities_spread: float
    communities_error: float

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = [each for each in self.__slots__ if each != "shape"]
        return {**{name: getattr(self, name) for name in names}, "shape": self.shape.as_dict()}


@dataclass(frozen=True, slots=True, eq=False)
class GraphsCompared(Printed):
    """Releases of a graph compared with it. `again` is how alike the communities of the original are in several runs: a release that agrees
    as far has not changed them, or less than so many runs can show."""

    original: Shape
    releases: tuple[Kept, ...]
    again: Agreement
    runs: int
    sources: int

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        again = {"same_communities_again": self.again.mean, "same_communities_again_spread": self.again.spread}
        record = {"original": self.original.as_dict(), **again, "same_communities_again_error": self.again.error}
        record |= {"community_runs": self.runs, "sources": self.sources}
        return {**record, "releases": [each.as_dict() for each in self.releases]}

    def words(self) -> str:
        """How communities are compared, in words."""
        return (
            f"communities are looked for {self.runs:,} times in each graph; those of the original agree to {self.again.mean:.3f}, "
            f"single runs differ by {self.again.spread:.3f} (standard deviation)"
        )

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
            ("same communities (NMI)", self.again.mean, *(each.same_communities for each in self.releases)),
            ("NMI, standard error", self.again.error, *(each.communities_error for each in self.releases)),
        ]
        return Rows(("measure", "original", *(each.method for each in self.releases)), tuple(rows))

    def plot(self) -> Any:
        """Degrees, path lengths, clustering and communities, before and after: an altair chart. Needs the extra `report`."""
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
    drawn = np.sort(np.random.default_rng(seed).choice(graph.nodes, min(sources, graph.nodes), replace=False))
    runs = runs_for(graph.size)
    original, own = _shape_and_runs(graph, drawn, runs, (seed, 0))
    found = []
    for number, each in enumerate(compared, 1):
        # Under the numbers of the original, so that a release in which nothing was changed is the same graph to Louvain's method.
        back = each.graph.relabeled(np.argsort(each.truth))
        shape, others = _shape_and_runs(back, drawn, runs, (seed, number))
        apart = _apart(original.degrees, shape.degrees), _apart(original.steps[1:], shape.steps[1:])
        still = float(np.isin(graph.keys, back.keys).mean()) if graph.size else 1.0
        same = Agreement.between(own, others)
        found.append(Kept(str(each.method), shape, *apart, still, same.mean, same.spread, same.error))
        if progress:
            progress(len(found), len(compared))
    return GraphsCompared(original, tuple(found), Agreement.within(own), runs, len(drawn))


def _shape_and_runs(graph: Graph, sources: Places, runs: int, seed: tuple[int, int]) -> tuple[Shape, list[Places]]:
    """A graph in numbers, and its communities in several runs."""
    shape = shape_of(graph, sources=sources, rng=np.random.default_rng((*seed, 0)))
    found = [shape.community, *(communities(graph, np.random.default_rng((*seed, run))) for run in range(1, runs))]
    mean = float(np.mean([modularity(graph, each) for each in found]))
    return replace(shape, modularity=mean, gathered=gathered(found)), found


def _apart(one: Places, other: Places) -> float:
    """The largest difference of two cumulative distributions (Kolmogorov and Smirnov); 0 if one is of nothing."""
    if not (one.sum() and other.sum()):
        return 0.0
    width = max(len(one), len(other))
    first, second = (np.cumsum(np.pad(each, (0, width - len(each)))) / each.sum() for each in (one, other))
    return float(np.abs(first - second).max())
