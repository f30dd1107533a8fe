"""How a graph is changed before it is published: `deidentify`, `k-degree:K`, `add-delete:SHARE`, `switch:SHARE`.

Every method also gives people new numbers at random, so that neither a number nor the order of lines says who somebody is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from sfumato.errors import UsageError, argument, unknown
from sfumato.graph.degrees import k_degree
from sfumato.graph.graph import Graph, Places, require_whole
from sfumato.graph.perturbing import add_delete, switched
from sfumato.progress import Progress

DEIDENTIFY, K_DEGREE, ADD_DELETE, SWITCH = "deidentify", "k-degree", "add-delete", "switch"
METHODS = (DEIDENTIFY, K_DEGREE, ADD_DELETE, SWITCH)
# What is compared if nothing is named.
USUAL = (DEIDENTIFY, f"{K_DEGREE}:5", f"{K_DEGREE}:10", f"{ADD_DELETE}:5%", f"{SWITCH}:5%")


@dataclass(frozen=True, slots=True)
class Method:
    """A way to change a graph, and its parameter: k, or a share of the edges."""

    name: str
    parameter: float = 0

    @property
    def k(self) -> int:
        """How many people have each degree, if the method promises that; else 1."""
        return int(self.parameter) if self.name == K_DEGREE else 1

    def __str__(self) -> str:
        if self.name == DEIDENTIFY:
            return self.name
        return f"{self.name}:{self.k}" if self.name == K_DEGREE else f"{self.name}:{100 * self.parameter:g}%"


def method_of(text: str | Method) -> Method:
    """Make a method from text.

    >>> str(method_of("k-degree:5")), str(method_of("switch:0.05"))
    ('k-degree:5', 'switch:5%')

    Parameters
    ----------
    text : str or Method
        `deidentify`, `k-degree:5`, `add-delete:5%` or `switch:0.05`.

    Returns
    -------
    Method
        The method.
    """
    if isinstance(text, Method):
        return text
    if not isinstance(text, str):
        raise UsageError(f"a method is text, as in {K_DEGREE}:5", where=argument("method"))
    name, _, rest = text.partition(":")
    if name not in METHODS:
        raise UsageError(unknown("method", name, METHODS, within="graphs"), where=argument("method"))
    if name == DEIDENTIFY:
        if rest:
            raise UsageError("deidentify takes no parameter", where=argument("method"))
        return Method(name)
    return Method(name, _whole(rest) if name == K_DEGREE else _share(name, rest))


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= len(text) < 10 and int(text)):
        raise UsageError("k-degree takes a whole number of at least 1, as in k-degree:5", where=argument("method"))
    return int(text)


def _share(name: str, text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and 0 <= value <= 1):
        raise UsageError(f"{name} takes a share of the edges, as in {name}:5% or {name}:0.05", where=argument("method"))
    return value


def usual_for(nodes: int) -> tuple[str, ...]:
    """What is compared if nothing is named, but for a k that so few people cannot have."""
    return tuple(each for each in USUAL if method_of(each).k <= nodes)


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """A graph as it may be published. `truth` is the number of each person of the original in it, which only the owner may know."""

    graph: Graph
    truth: Places
    method: Method

    def relabel(self, original: Graph) -> Places:
        """The edges of the original under the numbers of the release, as sorted keys."""
        return original.relabeled(self.truth).keys


def changed(graph: Graph, method: str | Method, *, seed: int, progress: Progress | None = None) -> Changed:
    """Change a graph by a method, and give everybody a new number.

    Parameters
    ----------
    graph : Graph
        The graph.
    method : str or Method
        How: `deidentify`, `k-degree:5`, `add-delete:5%`, `switch:5%`.
    seed : int
        Of everything that is random. Whoever knows it, and the order of the people in your file, knows who is who.
    progress : callable, optional
        Called with the tries done and the most there will be.

    Returns
    -------
    Changed
        The graph without names, and who is who in it.
    """
    chosen = method_of(method)
    require_whole(seed, 0, "seed")
    rng = np.random.default_rng(seed)
    made = _MADE[chosen.name](graph, chosen, rng, progress)
    truth = rng.permutation(graph.nodes)
    return Changed(made.relabeled(truth), truth, chosen)


_Make = Callable[[Graph, Method, np.random.Generator, "Progress | None"], Graph]
_MADE: dict[str, _Make] = {
    DEIDENTIFY: lambda graph, method, rng, progress: graph,
    K_DEGREE: lambda graph, method, rng, progress: k_degree(graph, method.k, rng, progress).graph,
    ADD_DELETE: lambda graph, method, rng, progress: add_delete(graph, method.parameter, rng),
    SWITCH: lambda graph, method, rng, progress: switched(graph, method.parameter, rng),
}
