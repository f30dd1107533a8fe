"""Communities by Louvain's method (Blondel et al. 2008), and how alike two divisions of the same people are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.graph.graph import Graph, Places
from sfumato.graph.kernels import move_between_communities
from sfumato.statistics import Floats, entropy_of

_ROUNDS, _LEVELS = 20, 20
_MOST_RUNS, _LEAST_RUNS, _EDGES = 20, 3, 2_000_000  # how often a graph is divided, and how many edges are looked at in all of it


def communities(graph: Graph, rng: np.random.Generator) -> Places:
    """The community of every node: nodes, then communities of nodes, move to wherever modularity rises most."""
    offsets, neighbors = graph.offsets, graph.neighbors
    weights: Floats = np.ones(len(neighbors))
    strength: Floats = graph.degrees.astype(np.float64)
    label = np.arange(graph.nodes)
    if not graph.size:
        return label
    for _ in range(_LEVELS):
        order = rng.permutation(len(offsets) - 1)
        moved = move_between_communities(offsets, neighbors, weights, strength, order, _ROUNDS)
        names, community = np.unique(moved, return_inverse=True)
        community = community.ravel()
        label = community[label]
        if len(names) == len(offsets) - 1:
            break
        owner = community[np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))]
        keys, place = np.unique(owner * np.int64(len(names)) + community[neighbors], return_inverse=True)
        weights = np.asarray(np.bincount(place.ravel(), weights, len(keys)), np.float64)
        strength = np.asarray(np.bincount(community, strength, len(names)), np.float64)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(keys // len(names), minlength=len(names)))))
        neighbors = (keys % len(names)).astype(np.int32)
    return label


def modularity(graph: Graph, community: Places) -> float:
    """How many more edges lie within communities than chance would put there (Newman 2004); 0 without edges."""
    if not graph.size:
        return 0.0
    within = (community[graph.edges[:, 0]] == community[graph.edges[:, 1]]).sum() / graph.size
    share = np.bincount(community, graph.degrees) / (2 * graph.size)
    return float(within - (share**2).sum())


def gathered(runs: Sequence[Places]) -> Floats:
    """How many nodes are in communities of each size, on average over some runs."""
    sizes = [np.bincount(each) for each in runs]
    most = max((int(each.max(initial=0)) for each in sizes), default=0)
    counts: Floats = np.sum([np.bincount(each, each, most + 1) for each in sizes], axis=0) / len(runs)
    return counts


def agreement(one: Places, other: Places) -> float:
    """The mutual information of two divisions over the mean of their entropies: 1 if they are the same, 0 if neither says anything about
    the other."""
    keys = one * np.int64(int(other.max(initial=0)) + 1) + other
    first, second, both = (_entropy(each) for each in (one, other, keys))
    if first + second == 0:
        return 1.0
    return float(max(0.0, 2 * (first + second - both) / (first + second)))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike divisions by two sets of runs are: the mean over all pairs of runs, the standard deviation of single pairs (`spread`), and
    the standard error of the mean, which is smaller."""

    mean: float
    spread: float
    error: float

    @classmethod
    def within(cls, runs: Sequence[Places]) -> Agreement:
        """Of the runs on one graph with each other."""
        count = len(runs)
        table = np.ones((count, count))
        for one in range(count):
            for other in range(one):
                table[one, other] = table[other, one] = agreement(runs[one], runs[other])
        single = table[np.tril_indices(count, -1)]
        means = (table.sum(axis=1) - 1) / (count - 1)
        # Every run is in the pairs twice: as the one and as the other.
        return cls(float(single.mean()), float(single.std()), float(2 * means.std(ddof=1) / np.sqrt(count)))

    @classmethod
    def between(cls, runs: Sequence[Places], others: Sequence[Places]) -> Agreement:
        """Of the runs on one graph with those on another."""
        table = np.array([[agreement(one, other) for other in others] for one in runs])
        squares = sum(float(table.mean(axis=axis).var(ddof=1)) / table.shape[1 - axis] for axis in (0, 1))
        return cls(float(table.mean()), float(table.std()), float(np.sqrt(squares)))


def runs_for(edges: int) -> int:
    """How often communities are looked for: less often in large graphs, where a run takes longer and depends less on chance."""
    return min(_MOST_RUNS, max(_LEAST_RUNS, _EDGES // max(edges, 1)))


def _entropy(groups: Places) -> float:
    counts = np.unique(groups, return_counts=True)[1]
    shares: Floats = counts / counts.sum()
    return float(entropy_of(shares))
