"""What a graph gives away as it is: how many people somebody singles out who knows a little of its structure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.graph.asked import listed
from sfumato.graph.graph import Graph, Places
from sfumato.graph.knowledge import KNOWLEDGE, WORDS, require_knowledge
from sfumato.graph.leak import Attribute, Leak, judge, leak, require_as_many
from sfumato.models import Verdict
from sfumato.results import Printed, Rows, percentage

FEW = 5
MOST_NEIGHBORHOODS = 300_000  # edges up to which neighborhoods are compared if nothing is named


@dataclass(frozen=True, slots=True)
class Alike:
    """How alike people are to somebody who knows `knowledge`: `classes` of equal ones, people who are the only one of theirs, who have
    fewer than five candidates, the smallest class, and the candidates that half of the people have at most."""

    knowledge: str
    people: int
    classes: int
    singled_out: int
    few: int
    smallest: int
    median: int
    leak: Leak | None = None
    verdicts: tuple[Verdict, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = ("knowledge", "people", "classes", "singled_out", "few", "smallest", "median")
        more = {} if self.leak is None else {"leak": self.leak.as_dict()}
        judged = {"models": [each.as_dict() for each in self.verdicts]} if self.verdicts else {}
        return {**{name: getattr(self, name) for name in names}, **more, **judged}


@dataclass(frozen=True, slots=True, eq=False)
class GraphProfile(Printed):
    """A graph, and what each kind of knowledge makes of it."""

    nodes: int
    edges: int
    components: int
    largest: int
    isolated: int
    alike: tuple[Alike, ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = ("nodes", "edges", "components", "largest", "isolated")
        return {**{name: getattr(self, name) for name in names}, "alike": [each.as_dict() for each in self.alike]}

    def table(self) -> Rows:
        """One row per kind of knowledge."""
        heads = ("knows", "classes", "singled out", "share", "under 5", "smallest", "median")
        rows = [
            (WORDS[each.knowledge], each.classes, each.singled_out, percentage(each.singled_out / each.people),
             percentage(each.few / each.people), each.smallest, each.median)
            for each in self.alike
        ]  # fmt: skip
        return Rows(heads, tuple(rows))

    def leaks(self) -> Rows:
        """One row per kind of knowledge: what it gives away about the attribute."""
        heads = ("knows", "L_PD max", "L_PD mean", "L_PE max", "L_PE mean", "guess before", "guess after")
        found = [(WORDS[each.knowledge], each.leak) for each in self.alike if each.leak]
        return Rows(heads, tuple((words, *leak_cells(each)) for words, each in found))


def leak_cells(found: Leak) -> tuple[Any, ...]:
    """The losses of an attribute, and how often a guess is right."""
    one, other = found.distribution, found.entropy
    return one.max, one.people_mean, other.max, other.people_mean, percentage(found.before), percentage(found.after)


def profile(
    graph: Graph, *, knows: str | Sequence[str] = (), attribute: Attribute | None = None, models: Any = ()
) -> GraphProfile:
    """How alike the people of a graph are, by what somebody may know of their place in it.

    Parameters
    ----------
    graph : Graph
        The graph, as it is or as it was published.
    knows : str or sequence of str
        `degree`, `neighbors`, `second-round`, `neighborhood`, `hubs`; all by default, neighborhoods only of up to 300,000 edges.
    attribute : Attribute, optional
        An attribute of the people: how much does their place give away about it?
    models : model or models
        Models that the classes of equal people are judged by, as in `k-anonymity:5`.

    Returns
    -------
    GraphProfile
        Classes, people who are singled out, and candidates.
    """
    require_people(graph)
    require_as_many(attribute, graph.nodes)
    chosen = knowledge_of(listed(knows), graph)
    alike = tuple(_alike(name, KNOWLEDGE[name](graph), attribute, models) for name in chosen)
    components = graph.components
    isolated = int((graph.degrees == 0).sum())
    return GraphProfile(graph.nodes, graph.size, len(components), int(components[0]), isolated, alike)


def knowledge_of(knows: Sequence[str], graph: Graph) -> tuple[str, ...]:
    """The kinds of knowledge that were named, or those that are usual for a graph of this size."""
    for name in knows:
        require_knowledge(name)
    usual = [name for name in KNOWLEDGE if name != "neighborhood" or graph.size <= MOST_NEIGHBORHOODS]
    return tuple(dict.fromkeys(knows or usual))


def require_people(graph: Graph) -> None:
    """Refuse a graph without anybody."""
    if not graph.nodes:
        raise UsageError("the graph is empty: it has no nodes", where=argument("graph"))


def require_scipy() -> None:
    """Refuse to attack without the library that intervals need."""
    if find_spec("scipy") is None:
        raise UsageError('attacks on graphs need scipy: pip install "sfumato[graph]"', where="graph")


def _alike(name: str, classes: Places, attribute: Attribute | None, models: Any) -> Alike:
    sizes = np.bincount(classes)
    each = np.sort(sizes[classes])
    counts = (
        len(classes),
        len(sizes),
        int((each == 1).sum()),
        int((each < FEW).sum()),
        int(each[0]),
        int(each[(len(each) - 1) // 2]),
    )
    lost = None if attribute is None else leak(classes, classes, attribute, attribute)
    return Alike(name, *counts, lost, judge(models, classes, attribute) if models else ())
