"""A graph of people: who knows whom, as numbers. Names are kept apart, and nothing prints them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, several

Places = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]
MOST_NODES = 2**31 - 1
WHERE = "graph"
SIMPLIFY = argument("simplify", "True")


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph without self-loops and parallel edges, its nodes counted from 0.

    `edges` has a row per edge, the smaller node first, in lexicographic order; read-only. `names` are those of the people, in Unicode's
    composed form, for the owner alone: neither `repr` nor any error shows one. Made by `Graph.of`, which checks this.
    """

    nodes: int
    edges: Nodes
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, nodes: int, edges: Any, names: Sequence[str] | None = None, *, simplify: bool = False) -> Graph:
        """Make a graph.

        Parameters
        ----------
        nodes : int
            How many people there are.
        edges : array
            A row per edge: two nodes, counted from 0, in either order.
        names : sequence of str, optional
            The names of the people, in the order of the nodes.
        simplify : bool
            Leave out self-loops and repeated edges instead of refusing them.

        Returns
        -------
        Graph
            The graph.
        """
        require_whole(nodes, 0, "nodes")
        pairs = _pairs(edges)
        called = None if names is None else tuple(composed(str(name)) for name in names)
        _require_nodes(nodes, pairs, called)
        ordered = np.sort(pairs, axis=1)
        loops = ordered[:, 0] == ordered[:, 1]
        if loops.any() and not simplify:
            raise UsageError(f"edge {int(loops.argmax()) + 1:,} joins a node to itself; {SIMPLIFY} leaves it out", where=WHERE)
        keys = ordered[~loops, 0] * np.int64(nodes) + ordered[~loops, 1]
        distinct = np.unique(keys)
        if len(distinct) < len(keys) and not simplify:
            more = several(len(keys) - len(distinct), "edge is", "edges are")
            raise UsageError(f"{more} there twice; {SIMPLIFY} counts them once", where=WHERE)
        return cls.of_keys(nodes, distinct, called)

    @classmethod
    def of_keys(cls, nodes: int, keys: Places, names: tuple[str, ...] | None = None) -> Graph:
        """From the edges as sorted distinct numbers `smaller * nodes + larger`."""
        edges = np.stack(np.divmod(keys, max(nodes, 1)), axis=1).astype(np.int32)
        return cls(nodes, _locked(edges), names)

    @property
    def size(self) -> int:
        """How many edges there are."""
        return len(self.edges)

    def digest(self) -> str:
        """SHA-256 of the names and the edges."""
        made = hashlib.sha256(f"{self.nodes}\n".encode())
        for name in self.names or ():
            made.update(f"{len(name)}:{name}".encode(errors="surrogatepass"))
        made.update(self.keys.astype("<i8").tobytes())
        return made.hexdigest()

    @cached_property
    def keys(self) -> Places:
        """The edges as sorted numbers `smaller * nodes + larger`."""
        keys: Places = _locked(self.edges[:, 0] * np.int64(self.nodes) + self.edges[:, 1])
        return keys

    @cached_property
    def _rows(self) -> tuple[Places, Nodes]:
        one, other = self.edges[:, 0].astype(np.int64), self.edges[:, 1].astype(np.int64)
        both = np.sort(np.concatenate((one * self.nodes + other, other * self.nodes + one)))
        offsets = np.zeros(self.nodes + 1, np.int64)
        np.cumsum(np.bincount(both // max(self.nodes, 1), minlength=self.nodes), out=offsets[1:])
        return _locked(offsets), _locked((both % max(self.nodes, 1)).astype(np.int32))

    @property
    def offsets(self) -> Places:
        """Where the neighbors of each node begin among all `neighbors`, and at last where they end."""
        return self._rows[0]

    @property
    def neighbors(self) -> Nodes:
        """The neighbors of each node in turn, ascending."""
        return self._rows[1]

    @property
    def owner(self) -> Places:
        """The node that each entry of `neighbors` belongs to."""
        return np.repeat(np.arange(self.nodes), np.diff(self.offsets))

    @property
    def degrees(self) -> Places:
        """How many neighbors each node has."""
        return np.diff(self.offsets)

    @cached_property
    def components(self) -> Places:
        """The size of each connected component, the largest first."""
        from sfumato.graph.kernels import component_of

        return np.sort(np.bincount(component_of(self.offsets, self.neighbors)))[::-1]

    def beside(self, other: Graph) -> Graph:
        """Both graphs as one: the other's nodes are counted on from this one's."""
        shifted = other.edges.astype(np.int64) + self.nodes
        return Graph.of(self.nodes + other.nodes, np.concatenate((self.edges.astype(np.int64), shifted)))

    def relabeled(self, labels: Places) -> Graph:
        """The same graph under other numbers: node v becomes labels[v]. Names are dropped."""
        return Graph.of(self.nodes, labels[self.edges])

    def __repr__(self) -> str:
        return f"Graph({several(self.nodes, 'node')}, {several(self.size, 'edge')})"


def composed(name: str) -> str:
    """A name in Unicode's composed form (NFC): some programs write ë as one sign, others as two, and both are the same person."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def require_whole(value: Any, least: int, name: str) -> None:
    """Refuse anything but a whole number of at least so much."""
    try:
        fits = index(value) >= least and not isinstance(value, bool)
    except TypeError:
        fits = False
    if not fits:
        raise UsageError(f"a whole number of at least {least:,}", where=argument(name))


def _pairs(edges: Any) -> Places:
    try:
        pairs = np.asarray(edges)
    except ValueError:  # rows of different lengths
        pairs = np.zeros(1)
    if not pairs.size:
        return np.zeros((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise UsageError("edges are pairs of whole numbers, one pair per row", where=WHERE)
    return pairs.astype(np.int64)


def _require_nodes(nodes: int, pairs: Places, names: Sequence[str] | None) -> None:
    if nodes > MOST_NODES:
        raise UsageError(f"a graph has at most {MOST_NODES:,} nodes", where=WHERE)
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < nodes):
        raise UsageError(f"an edge names a node that is not there; nodes are counted from 0 to {nodes - 1:,}", where=WHERE)
    if names is not None and len(names) != nodes:
        raise UsageError(f"{several(len(names), 'name')} for {several(nodes, 'node')}", where=WHERE)
    if names is not None and len(set(names)) < len(names):
        raise UsageError("two nodes have the same name", where=WHERE)


def _locked(values: Any) -> Any:
    values.flags.writeable = False
    return values
