"""Passive attacks: somebody knows a little of the structure around a person, and looks for nodes of the release that fit.

Exact attackers take the nodes of which the same is true in the release. Where edges were changed they find few; the `nearest` attacker
takes the node whose numbers are closest instead: its degree, its neighbors' degrees, and the mean of the same over its neighbors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.estimating.estimate import clopper_pearson
from sfumato.channel.needs import scipy_part
from sfumato.errors import UsageError, argument
from sfumato.graph.asked import listed, releases_of
from sfumato.graph.graph import Graph, require_whole
from sfumato.graph.knowledge import WORDS, jointly, require_knowledge
from sfumato.graph.leak import Attribute, Leak, leak, require_as_many
from sfumato.graph.methods import Changed
from sfumato.graph.profile import knowledge_of, require_people, require_scipy
from sfumato.progress import Progress
from sfumato.results import Printed, Rows, percentage
from sfumato.statistics import Floats

NEAREST = "nearest"
TARGETS = 1000  # people whom the nearest attacker looks for
SIDE = 0.025  # of the 95 % interval
_BINS = 16
_SAME = 1e-9  # numbers that differ by less are equal but for rounding


@dataclass(frozen=True, slots=True)
class Linked:
    """What an attacker achieves: of `targets`, how many have one candidate who is the person (`right`), or somebody else (`wrong`), or no
    candidate (`none`); `hits` is how many right guesses there are if each is drawn among the candidates. The `baseline` is a guess
    among all nodes."""

    method: str
    knowledge: str
    targets: int
    right: int
    wrong: int
    none: int
    hits: float
    median: int
    baseline: float
    leak: Leak | None = None

    @property
    def rate(self) -> float:
        """The share of right guesses."""
        return self.hits / self.targets

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval (Clopper and Pearson 1934)."""
        return clopper_pearson(min(self.hits, self.targets), self.targets, SIDE)

    @property
    def words(self) -> str:
        """What the attacker knows."""
        return WORDS.get(self.knowledge, f"the {self.knowledge} node")

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        low, high = self.interval
        names = ("method", "knowledge", "targets", "right", "wrong", "none", "hits", "rate", "median", "baseline")
        more = {} if self.leak is None else {"leak": self.leak.as_dict()}
        return {**{name: getattr(self, name) for name in names}, "low": low, "high": high, **more}


@dataclass(frozen=True, slots=True, eq=False)
class PassiveAttacks(Printed):
    """Passive attacks on several releases of one graph."""

    nodes: int
    edges: int
    attempts: tuple[Linked, ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"nodes": self.nodes, "edges": self.edges, "attempts": [each.as_dict() for each in self.attempts]}

    def table(self) -> Rows:
        """One row per release and kind of knowledge."""
        heads = ("method", "knows", "found", "wrongly", "candidates", "rate", "interval", "baseline")
        return Rows(heads, tuple(map(_row, self.attempts)))

    def leaks(self) -> Rows:
        """The same for what is learned about the attribute."""
        from sfumato.graph.profile import leak_cells

        heads = ("method", "knows", "L_PD max", "L_PD mean", "L_PE max", "L_PE mean", "guess before", "guess after")
        return Rows(heads, tuple((each.method, each.words, *leak_cells(each.leak)) for each in self.attempts if each.leak))


def _row(each: Linked) -> tuple[Any, ...]:
    low, high = (percentage(end) for end in each.interval)
    shares = percentage(each.right / each.targets), percentage(each.wrong / each.targets)
    return each.method, each.words, *shares, each.median, percentage(each.rate), f"{low} to {high}", percentage(each.baseline)


def attack(
    graph: Graph,
    releases: Changed | Sequence[Changed],
    *,
    knows: str | Sequence[str] = (),
    attribute: Attribute | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> PassiveAttacks:
    """Attack releases of a graph by what somebody may know of the structure around people.

    Parameters
    ----------
    graph : Graph
        The original graph: the attacker's knowledge is true.
    releases : Changed or sequence of Changed
        What was published, and who is who in it.
    knows : str or sequence of str
        As for `profile`, and `nearest`; all by default.
    attribute : Attribute, optional
        An attribute that is published with the nodes: what is learned about it?
    seed : int
        Of the people whom the nearest attacker looks for.
    progress : callable, optional
        Called with the attempts done and all of them.

    Returns
    -------
    PassiveAttacks
        Rates with intervals and baselines, and candidates.
    """
    require_scipy()
    require_people(graph)
    require_as_many(attribute, graph.nodes)
    require_whole(seed, 0, "seed")
    attacked, names = releases_of(graph, releases), listed(knows)
    if not attacked:
        raise UsageError("name a release", where=argument("releases"))
    exact = [name for name in names if name != NEAREST]
    for name in exact:
        require_knowledge(name, within="an attack", more=(NEAREST,))
    chosen = [] if names and not exact else [*knowledge_of(exact, graph)]
    chosen += [NEAREST] if NEAREST in names or not names else []
    attempts = []
    for release in attacked:
        for name in chosen:
            if name == NEAREST:
                attempts.append(_by_nearest(graph, release, np.random.default_rng(seed)))
            else:
                attempts.append(_by_classes(name, graph, release, attribute))
            if progress:
                progress(len(attempts), len(attacked) * len(chosen))
    return PassiveAttacks(graph.nodes, graph.size, tuple(attempts))


def _by_classes(name: str, graph: Graph, release: Changed, attribute: Attribute | None) -> Linked:
    known, classes = jointly(name, graph, release.graph, release.truth)
    sizes = np.bincount(classes, minlength=int(known.max()) + 1)[known]
    fits = classes[release.truth] == known
    hits = float((fits / np.maximum(sizes, 1)).sum())
    alone = sizes == 1
    counts = int((alone & fits).sum()), int((alone & ~fits).sum()), int((sizes == 0).sum())
    lost = None if attribute is None else leak(known, classes, attribute, attribute.moved(release.truth))
    median = int(np.sort(sizes)[(len(sizes) - 1) // 2])
    return Linked(str(release.method), name, graph.nodes, *counts, hits, median, 1 / graph.nodes, lost)


def _by_nearest(graph: Graph, release: Changed, rng: np.random.Generator) -> Linked:
    """The nodes nearest to each target; among equally near ones the attacker draws."""
    tree = scipy_part("spatial").cKDTree
    numbers, others = features(graph), features(release.graph)
    spread = others.std(axis=0)
    scale = np.where(spread > _SAME, spread, 1)  # of equal numbers it is not quite 0
    targets = np.sort(rng.choice(graph.nodes, min(TARGETS, graph.nodes), replace=False))
    points = tree(others / scale)
    wanted = numbers[targets] / scale
    reach = points.query(wanted)[0] * (1 + _SAME) + _SAME
    # Counted and not listed: in a regular graph everybody is equally near to everybody.
    sizes = points.query_ball_point(wanted, reach, return_length=True)
    fits = np.linalg.norm(others[release.truth[targets]] / scale - wanted, axis=1) <= reach
    counts = int((fits & (sizes == 1)).sum()), int((~fits & (sizes == 1)).sum()), 0
    median = int(np.sort(sizes)[(len(sizes) - 1) // 2])
    return Linked(str(release.method), NEAREST, len(targets), *counts, float((fits / sizes).sum()), median, 1 / graph.nodes)


def features(graph: Graph) -> Floats:
    """Numbers of each node: its degree, how many neighbors it has of each order of magnitude, and the mean of both over its neighbors.
    All are logarithms, so that an edge more counts less for whoever has many."""
    degrees = graph.degrees
    order = np.minimum(np.log2(np.maximum(degrees, 1)).astype(np.int64), _BINS - 1)
    cells = np.bincount(graph.owner * _BINS + order[graph.neighbors], minlength=graph.nodes * _BINS)
    own = np.log1p(np.column_stack((degrees, cells.reshape(-1, _BINS)))).astype(np.float64)
    around = np.empty_like(own)
    for column in range(own.shape[1]):
        around[:, column] = np.bincount(graph.owner, own[graph.neighbors, column], graph.nodes) / np.maximum(degrees, 1)
    return np.column_stack((own, around))
