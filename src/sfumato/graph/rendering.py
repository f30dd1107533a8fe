"""The text of a graph's file, in parts. It is the same for the same graph to the byte, and a published file is verified by rendering what
was read in it once more: after a change here earlier releases would not verify.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from sfumato.graph.graph import Graph
from sfumato.graph.heads import OWN

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_LINES = 10_000  # of one part


def edge_list(graph: Graph) -> Iterator[str]:
    """A published edge list: the numbers from 1, edges in their order."""
    yield ",".join(OWN) + "\n"
    for start in range(0, graph.size, _LINES):
        yield "".join(f"{one},{other}\n" for one, other in (graph.edges[start : start + _LINES] + 1).tolist())


def graphml(
    graph: Graph, *, names: Sequence[str] | None = None, attribute: str | None = None, values: Sequence[str] = ()
) -> Iterator[str]:
    """Nodes in the order of their numbers, with names or from 1, each with its value of an attribute if there is one; then edges in
    theirs."""
    shown = [quoteattr(name) for name in names or map(str, range(1, graph.nodes + 1))]
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_SPACE}">\n'
    if attribute is not None:
        yield f'<key id="a" for="node" attr.name={quoteattr(attribute)} attr.type="string"/>\n'
    yield '<graph edgedefault="undirected">\n'
    for start in range(0, graph.nodes, _LINES):
        some = shown[start : start + _LINES]
        if attribute is None:
            yield "".join(f"<node id={name}/>\n" for name in some)
        else:
            pairs = zip(some, values[start : start + _LINES], strict=True)
            yield "".join(f'<node id={name}><data key="a">{escape(value)}</data></node>\n' for name, value in pairs)
    for start in range(0, graph.size, _LINES):
        pairs_of_nodes = graph.edges[start : start + _LINES].tolist()
        yield "".join(f"<edge source={shown[one]} target={shown[other]}/>\n" for one, other in pairs_of_nodes)
    yield "</graph>\n</graphml>\n"
