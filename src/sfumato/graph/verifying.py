"""Reading a published graph strictly, and checking it against its certificate: everything that is promised is counted again in the file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from sfumato.commit.call import one_call
from sfumato.errors import DataError, NotVerified, UsageError, raise_alone, several
from sfumato.graph.certificate import GraphCertificate
from sfumato.graph.graph import MOST_NODES, Graph, Places, composed
from sfumato.graph.graphml import read_graphml
from sfumato.graph.heads import OWN
from sfumato.graph.lines import rows_of
from sfumato.graph.methods import ADD_DELETE, K_DEGREE, SWITCH, Changed, Method, method_of
from sfumato.graph.reading import GRAPHML, LARGEST, text_of
from sfumato.graph.rendering import edge_list, graphml
from sfumato.inputs.files import content
from sfumato.release.certificate import certificate_path
from sfumato.release.signers import Key, Signed, countersigned, signers_of
from sfumato.signing.keys import PrivateKey
from sfumato.signing.signatures import REVIEWER, Signature

_NUMBERS = re.compile(rb"(?:[0-9]{1,10},[0-9]{1,10}\n)*+")


def least_alike(graph: Graph) -> int:
    """The smallest number of people with the same number of neighbors. It takes as much memory as there are edges, however many nodes
    a certificate may state."""
    degrees = np.unique(graph.edges, return_counts=True)[1]
    alike, alone = np.unique(degrees, return_counts=True)[1], graph.nodes - len(degrees)
    return int(min([*alike.tolist(), *([alone] if alone else [])]))


def require_promise(method: Method, alike: int, where: str) -> None:
    if alike < method.k:
        raise NotVerified(f"{method} is promised, and only {several(alike, 'node has', 'nodes have')} some degree", where=where)


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A published file as it was read: the graph, and the values of its attribute."""

    graph: Graph
    values: tuple[str, ...] = ()


def read_written(raw: bytes, path: Path, nodes: int, attribute: str | None = None) -> Written:
    """A published file, strictly: the numbers 1 to N, edges in their order, each once, and not a byte else. What was read is rendered again
    and compared with the file, for there are many places in XML where a name may hide."""
    if nodes > MOST_NODES:
        raise NotVerified(f"more nodes are promised than a graph has: {MOST_NODES:,} at most", where=str(path))
    in_xml = path.suffix.lower() in GRAPHML
    if attribute is not None and not in_xml:
        raise NotVerified("an attribute is promised, and an edge list has none", where=str(path))
    edges, values = _read_graphml(raw, path, nodes, attribute) if in_xml else (_read_list(raw, path), ())
    if edges.size and not (edges.min() >= 0 and edges.max() < nodes and (edges[:, 0] < edges[:, 1]).all()):
        raise NotVerified("the file has an edge that is not of two numbers up to the number of nodes", where=str(path))
    keys = edges[:, 0] * np.int64(nodes) + edges[:, 1]
    if (np.diff(keys) <= 0).any():
        raise NotVerified("the edges of the file are not in the order of their numbers", where=str(path))
    graph = Graph.of_keys(nodes, keys)
    parts = graphml(graph, attribute=attribute, values=values) if in_xml else edge_list(graph)
    if not _are_all_of(parts, raw):
        message = "the file has more in it than the graph, or is not written as releases are"
        raise NotVerified(f"{message}; do not pass it on", where=str(path))
    return Written(graph, values)


def _are_all_of(parts: Iterable[str], raw: bytes) -> bool:
    """Whether the bytes are those of a text, which is rendered part by part."""
    at, whole = 0, memoryview(raw)
    for part in parts:
        rendered = part.encode(errors="surrogatepass")
        if whole[at : at + len(rendered)] != rendered:
            return False
        at += len(rendered)
    return at == len(whole)


def _read_graphml(raw: bytes, path: Path, nodes: int, attribute: str | None) -> tuple[Places, tuple[str, ...]]:
    document = read_graphml(raw, path)
    if len(document.ids) != nodes or document.ids != tuple(map(str, range(1, nodes + 1))) or document.directed:
        raise NotVerified("the nodes of the file are not the numbers from 1 in their order", where=str(path))
    held = [(key, value) for each in document.values for key, value in each.items()]
    names = [document.keys[key].name if key in document.keys else None for key, _ in held]
    if names != ([] if attribute is None else [attribute] * nodes):
        raise NotVerified("the nodes of the file do not have the one attribute that is promised", where=str(path))
    return np.array(document.edges, np.int64).reshape(-1, 2), tuple(value for _, value in held)


def _read_list(raw: bytes, path: Path) -> Places:
    heads, _, body = raw.partition(b"\n")
    if heads != ",".join(OWN).encode() or not _NUMBERS.fullmatch(body):
        raise NotVerified("the file is not a list of edges by number", where=str(path))
    return np.fromstring(body.replace(b"\n", b",").rstrip(b","), np.int64, sep=",").reshape(-1, 2) - 1


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedGraph:
    """A published graph that is as its certificate says, and who signed this."""

    path: Path
    certificate: GraphCertificate
    graph: Graph
    signatures: tuple[Signed, ...] = ()

    @property
    def nodes_not_in_file(self) -> int:
        """How many nodes are stated and cannot be counted: an edge list has no place for those without an edge."""
        if self.path.suffix.lower() in GRAPHML:
            return 0
        return self.graph.nodes - len(np.unique(self.graph.edges))


def verify(published: str | Path, certificate: str | Path | None = None, *, key: Key | Sequence[Key] = ()) -> VerifiedGraph:
    """Check a published graph against its certificate: everything that is promised is counted again in the file, which has nothing else in
    it. Nodes without an edge are the exception: an edge list has no place for them (`nodes_not_in_file`).

    Raises `NotVerified` if it does not fit.

    Parameters
    ----------
    published : path
        The published file.
    certificate : path, optional
        Its certificate; the one beside the file by default.
    key : PublicKey, path, or a list of them
        The public keys of those who must have signed. Without it, `signatures` of the result say who claims to have signed.

    Returns
    -------
    VerifiedGraph
        The graph and what is promised about it.
    """
    path, where = Path(published), str(published)
    raw = content(path, LARGEST)
    certified = GraphCertificate.read(Path(certificate) if certificate else certificate_path(path))
    signatures = signers_of(certified, key, where)
    if len(raw) != certified.bytes or hashlib.sha256(raw).hexdigest() != certified.sha256:
        raise NotVerified("the file is not the one that was certified: its digest differs", where=where)
    try:
        method = method_of(certified.method)
    except UsageError:
        raise_alone(NotVerified("the certificate names a method that there is not", where=where))
    written = read_written(raw, path, certified.nodes, certified.attribute)
    if written.graph.size != certified.edges:
        raise NotVerified(f"the file has {written.graph.size:,} edges, the certificate says {certified.edges:,}", where=where)
    alike = least_alike(written.graph)
    if alike != certified.alike:
        raise NotVerified(f"the smallest class of degrees has {alike:,}, the certificate says {certified.alike:,}", where=where)
    require_promise(method, alike, where)
    return VerifiedGraph(path, certified, written.graph, signatures)


def sign(
    published: str | Path,
    key: str | Path | PrivateKey,
    certificate: str | Path | None = None,
    *,
    role: str = REVIEWER,
    now: datetime | None = None,
) -> Signature:
    """Add a signature to the certificate of a published graph, after verifying it. The signatures that it has stay.

    Parameters
    ----------
    published : path
        The published file.
    key : PrivateKey or path
        The key to sign with.
    certificate : path, optional
        Its certificate; the one beside the file by default.
    role : str
        In what capacity one signs.
    now : datetime, optional
        The time that the signature states.

    Returns
    -------
    Signature
        The signature that was added.
    """
    signer = key if isinstance(key, PrivateKey) else PrivateKey.read(key)
    path = Path(certificate) if certificate else certificate_path(Path(published))
    with one_call():
        return countersigned(path, verify(published, path).certificate, signer, role, now)


def release_of(graph: Graph, published: str | Path, mapping: str | Path) -> Changed:
    """A published graph and who is who in it, for an attack on it or a comparison with its original.

    Parameters
    ----------
    graph : Graph
        The original.
    published : path
        The published file.
    mapping : path
        The owner's map, which `publish` wrote.

    Returns
    -------
    Changed
        The release, verified.
    """
    verified = verify(published)
    path = Path(mapping)
    if verified.graph.nodes != graph.nodes:
        raise UsageError(
            f"the release has {several(verified.graph.nodes, 'node')}, the original {graph.nodes:,}", where=str(published)
        )
    rows = rows_of(text_of(path), ",", path)[1:]
    names = graph.names or tuple(map(str, range(1, graph.nodes + 1)))
    try:
        number = {composed(name): int(label) - 1 for name, label in rows}
        truth = np.array([number[name] for name in names], np.int64)
    except (ValueError, KeyError):
        raise_alone(DataError("is not the map of this graph: a name and a number for everybody", where=str(path)))
    if not np.array_equal(np.sort(truth), np.arange(graph.nodes)):
        raise DataError("is not the map of this graph: two people have one number", where=str(path))
    release = Changed(verified.graph, truth, method_of(verified.certificate.method))
    if not _follows(release, graph):
        raise DataError(f"is not the map of this release of this graph: {release.method} would have kept more", where=str(path))
    return release


def _follows(release: Changed, graph: Graph) -> bool:
    """Whether a release may come of a graph by its method, if everybody is who the map says: with the map of another release of the same
    graph all figures of attacks would be wrong."""
    changed, method = release.graph, release.method
    lost = graph.size - int(np.isin(release.relabel(graph), changed.keys).sum())
    if method.name == SWITCH:
        most = method.parameter * graph.size + 1
        return lost <= most and np.array_equal(changed.degrees[release.truth], graph.degrees)
    if method.name == ADD_DELETE:  # the certificate has the share with six digits
        return changed.size == graph.size and abs(lost - method.parameter * graph.size) <= 1 + 1e-5 * graph.size
    return lost == 0 and (method.name == K_DEGREE or changed.size == graph.size)
