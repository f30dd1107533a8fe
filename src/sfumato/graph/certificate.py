"""The certificate of a published graph: what the file is, and what is promised about it. Everything in it but the time can be counted again
in the file. It has neither a name nor the seed, with which whoever knows the order of the people could number them alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sfumato.inputs.shape import Count, Positive, one_of
from sfumato.release.sealed import GRAPH, ReleaseKind, Sealed


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCertificate(Sealed):
    """That of a graph.

    `alike` is the smallest number of people with the same number of neighbors; `attribute` the name of what is published with the nodes.
    """

    released: ClassVar[ReleaseKind] = GRAPH

    nodes: Positive
    edges: Count
    method: str
    alike: Positive
    attribute: str | None = None
    kind: Annotated[str, one_of(GRAPH.name)] = GRAPH.name
    schema_version: int = Sealed.current
