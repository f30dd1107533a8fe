"""Which people have the same neighborhood: the subgraph of a person and their neighbors, up to isomorphism, person onto person.

Nodes are first divided by what is cheap and the same for isomorphic neighborhoods. Where that leaves several together whose neighbors
know each other in more than pairs, the subgraphs are compared exactly: colors are refined in both at once, what they explain is taken out,
the pieces that are left are compared one by one, and where this leaves a choice, every choice is tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.graph.graph import Graph, Places
from sfumato.graph.kernels import common

Adjacency = Sequence[set[int]]
Rows = Mapping[int, set[int]]
Colors = tuple[int, ...]
Look = tuple[int, tuple[int, ...]]
History = tuple[tuple[tuple[Look, int], ...], ...]


def neighborhood_classes(graph: Graph, alike: Places) -> Places:
    """Divide classes of nodes with as many neighbors and as many common ones by their neighborhoods."""
    classes = alike.copy()
    count = int(classes.max(initial=-1)) + 1
    shared = common(graph.offsets, graph.neighbors)
    most = np.zeros(graph.nodes, np.int64)
    np.maximum.at(most, graph.owner, shared)
    several = np.bincount(alike, minlength=count)[alike] > 1
    members: dict[int, list[int]] = {}
    for node in np.flatnonzero(several & (most > 1)).tolist():
        members.setdefault(int(alike[node]), []).append(node)
    rows = _Rows(graph)
    for nodes in members.values():
        for group in _divided(rows, nodes)[1:]:
            classes[group] = count
            count += 1
    return np.unique(classes, return_inverse=True)[1].ravel()


class _Rows(dict[int, set[int]]):
    """The neighbors of nodes as sets, made when they are first needed."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __missing__(self, node: int) -> set[int]:
        row = self.graph.neighbors[self.graph.offsets[node] : self.graph.offsets[node + 1]]
        self[node] = set(row.tolist())
        return self[node]


def _divided(rows: Rows, nodes: Sequence[int]) -> list[list[int]]:
    """Nodes by their neighborhoods. Color refinement tells forests from all other graphs (Immerman and Lander 1990)."""
    found: dict[History, list[tuple[Adjacency, list[int]]]] = {}
    settled: dict[History, bool] = {}
    for twins in _twins(rows, nodes):
        shape = between_neighbors(rows, twins[0])
        colors, history = _refined(shape, (0,) * len(shape))
        if history not in settled:
            settled[history] = is_forest(shape) or not any(reduced(shape, colors))
        kinds = found.setdefault(history, [])
        for representative, group in kinds:
            if settled[history] or isomorphic(representative, shape):
                group.extend(twins)
                break
        else:
            kinds.append((shape, twins))
    return [group for kinds in found.values() for _, group in kinds]


def _twins(rows: Rows, nodes: Sequence[int]) -> list[list[int]]:
    """Nodes with the same neighbors, or the same but for each other: to exchange them changes nothing, so their neighborhoods are alike."""
    of: dict[tuple[int, ...], list[int]] = {}
    for node in nodes:
        near = tuple(sorted(rows[node]))
        with_it = tuple(sorted((*near, node)))
        group = of.get(near) or of.get(with_it) or []
        group.append(node)
        of[near] = of[with_it] = group
    return list({id(group): group for group in of.values()}.values())


def between_neighbors(rows: Rows, node: int) -> Adjacency:
    """The graph among the neighbors of a node, numbered from 0. The node itself is joined to all of them, so it adds nothing."""
    near = rows[node]
    place = {each: number for number, each in enumerate(near)}
    return [{place[other] for other in rows[each] & near} for each in place]


def is_forest(shape: Adjacency) -> bool:
    """Whether a graph has no circle: leaves are taken away until none is left."""
    left = [len(row) for row in shape]
    leaves = [node for node, count in enumerate(left) if count == 1]
    edges = sum(left) // 2
    while leaves:
        node = leaves.pop()
        if left[node] != 1:
            continue
        edges -= 1
        left[node] = 0
        for other in shape[node]:
            if left[other]:
                left[other] -= 1
                if left[other] == 1:
                    leaves.append(other)
    return edges == 0


def isomorphic(one: Adjacency, other: Adjacency) -> bool:
    """Whether two small graphs are the same up to the numbers of their nodes."""
    return len(one) == len(other) and _matches(one, other, (0,) * len(one), (0,) * len(other))


def _matches(one: Adjacency, other: Adjacency, colors: Colors, others: Colors) -> bool:
    """Whether two graphs are the same with their colors: refined, taken apart, and where that leaves one piece, every choice is tried."""
    colors, looks = _refined(one, colors)
    others, looks_of_other = _refined(other, others)
    if looks != looks_of_other:
        return False
    pieces, pieces_of_other = _pieces(reduced(one, colors), colors), _pieces(reduced(other, others), others)
    if len(pieces) != len(pieces_of_other):
        return False
    if len(pieces) > 1:
        return _same_pieces(pieces, pieces_of_other)
    if len(colors) == 1:
        return True
    repeated = [(size, color) for color, size in Counter(colors).items() if size > 1]
    (shape, kept), (shape_of_other, kept_of_other) = pieces[0], pieces_of_other[0]
    if not repeated:
        place = {color: node for node, color in enumerate(kept_of_other)}
        return all({place[kept[near]] for near in row} == shape_of_other[place[kept[node]]] for node, row in enumerate(shape))
    _, color = min(repeated)
    marked = _marked(kept, kept.index(color))
    return any(
        _matches(shape, shape_of_other, marked, _marked(kept_of_other, node))
        for node, each in enumerate(kept_of_other)
        if each == color
    )


def reduced(shape: Adjacency, colors: Colors) -> Adjacency:
    """A refined graph with fewer edges and the same symmetries: where a node is joined to most of a color, to those of it that it is not
    joined to instead. Nothing is left where colors say everything, as in a complete graph."""
    members: dict[int, set[int]] = {}
    for node, color in enumerate(colors):
        members.setdefault(color, set()).add(node)
    found = []
    for node, row in enumerate(shape):
        counts = Counter(colors[near] for near in row)
        dense = {color for color, count in counts.items() if 2 * count > len(members[color]) - (color == colors[node])}
        kept = {near for near in row if colors[near] not in dense}
        for color in dense:
            kept |= members[color] - row
        found.append(kept - {node})
    return found


Piece = tuple[Adjacency, Colors]


def _pieces(shape: Adjacency, colors: Colors) -> list[Piece]:
    """The connected components, each with its nodes numbered from 0 and their colors."""
    left = set(range(len(shape)))
    found: list[Piece] = []
    for start in range(len(shape)):
        if start not in left:
            continue
        left.remove(start)
        nodes = [start]
        for node in nodes:
            more = shape[node] & left
            left -= more
            nodes.extend(more)
        place = {node: number for number, node in enumerate(nodes)}
        found.append(([{place[near] for near in shape[node]} for node in nodes], tuple(colors[node] for node in nodes)))
    return found


def _same_pieces(pieces: Sequence[Piece], others: Sequence[Piece]) -> bool:
    """Whether the pieces of two graphs can be paired so that each is the same as its partner."""
    kinds: dict[Colors, list[tuple[Piece, list[int]]]] = {}
    for sign, each in (*((1, piece) for piece in pieces), *((-1, piece) for piece in others)):
        shape, colors = each
        known = kinds.setdefault(tuple(sorted(colors)), [])
        for (seen, seen_colors), balance in known:
            if len(colors) == 1 or _matches(seen, shape, seen_colors, colors):
                balance[0] += sign
                break
        else:
            known.append((each, [sign]))
    return not any(balance[0] for known in kinds.values() for _, balance in known)


def _marked(colors: Colors, node: int) -> Colors:
    """One node in a color of its own, which is the same in both graphs."""
    return (*colors[:node], -1, *colors[node + 1 :])


def _refined(shape: Adjacency, colors: Colors) -> tuple[Colors, History]:
    """Colors that say how many neighbors of each color a node has, until that divides no more; and what was counted in each round. Where
    that is the same in two graphs, equal colors mean the same in both."""
    history: list[tuple[tuple[Look, int], ...]] = []
    count = len(set(colors))
    while True:
        looks: list[Look] = [(colors[node], tuple(sorted(colors[near] for near in row))) for node, row in enumerate(shape)]
        history.append(tuple(sorted(Counter(looks).items())))
        number = {look: place for place, (look, _) in enumerate(history[-1])}
        colors = tuple(number[look] for look in looks)
        if len(number) == count:
            return colors, tuple(history)
        count = len(number)
