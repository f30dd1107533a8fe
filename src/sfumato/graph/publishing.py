"""Publishing a graph: change it, write it under new numbers, read it back, certify it, put everything in place at once.

The file has the numbers 1 to N and no name. Edges are in the order of these numbers, so that their order says nothing; nodes without
edges are known from the certificate, or from GraphML.
"""

from __future__ import annotations

import csv
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from sfumato._version import __version__
from sfumato.commit.places import require_free, unwritable
from sfumato.commit.transaction import Transaction
from sfumato.errors import DataError, NotVerified, OutputError, raise_alone, several
from sfumato.graph.certificate import GraphCertificate
from sfumato.graph.graph import Graph, Places
from sfumato.graph.graphml import not_in_xml
from sfumato.graph.heads import OWN
from sfumato.graph.leak import Attribute, require_as_many
from sfumato.graph.methods import Changed, Method, changed, method_of
from sfumato.graph.profile import require_people
from sfumato.graph.reading import GRAPHML
from sfumato.graph.rendering import edge_list, graphml
from sfumato.graph.verifying import least_alike, read_written, require_promise
from sfumato.progress import Progress
from sfumato.release.certificate import certificate_path
from sfumato.release.entering import Entering, EnteringOptions

SUFFIXES = (".csv", ".graphml")
_BITS = 48  # of a seed that nobody chose


@dataclass(frozen=True, slots=True, eq=False)
class PublishedGraph:
    """A graph that was published: the file, its certificate, and for the owner alone who is who in it, and the entry of the ledger, which
    has the seed."""

    path: Path
    certificate: GraphCertificate
    changed: Changed
    edges_added: int
    edges_deleted: int
    ledger: Path

    def __repr__(self) -> str:
        size = f"{several(self.certificate.nodes, 'node')}, {several(self.certificate.edges, 'edge')}"
        return f"PublishedGraph({self.path}: {size}, {self.certificate.method})"


def publish(
    graph: Graph,
    output: str | Path,
    *,
    method: str | Method = "deidentify",
    attribute: Attribute | None = None,
    mapping: str | Path | None = None,
    seed: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **entering: Unpack[EnteringOptions],
) -> PublishedGraph:
    """Publish a graph, and enter the release in the owner's ledger.

    Parameters
    ----------
    graph : Graph
        The graph.
    output : path
        The file: an edge list (`.csv`), or GraphML (`.graphml`).
    method : str or Method
        `deidentify`, `k-degree:5`, `add-delete:5%` or `switch:5%`.
    attribute : Attribute, optional
        What is published with the nodes; only GraphML has a place for it.
    mapping : path, optional
        A CSV file that says who is who, for the owner alone.
    seed : int, optional
        Of everything that is random; drawn by the system by default. Keep it to yourself: with it, the order of your file says who is who.
    force : bool
        Replace what exists.
    progress : callable, optional
        Called with the tries done and the most there will be.
    **entering
        The fields of `Entering`: the `ledger`, a key to `sign` with, and for tests `now` and `nonce`.

    Returns
    -------
    PublishedGraph
        The file, its certificate, and who is who.
    """
    path, chosen, entry_in = Path(output), method_of(method), Entering(**entering)
    targets = [path, certificate_path(path), *([Path(mapping)] if mapping else [])]
    _require(graph, path, attribute)
    entry_in.require_usable()
    entry_in.require_apart_from_it(targets)
    for target in targets:
        require_free(target, force)
    drawn = secrets.randbits(_BITS) if seed is None else seed
    made = changed(graph, chosen, seed=drawn, progress=progress)
    moved = None if attribute is None else attribute.moved(made.truth)
    owner = _for_the_owner(graph, path, mapping, drawn)
    try:
        with Transaction(force=force) as transaction:
            private = transaction.stage(Path(mapping), private=True) if mapping else None
            file, beside = transaction.stage(path), transaction.stage(certificate_path(path))
            _write(made.graph, file, moved)
            certified = _certified(file, path, made, moved, entry_in.time())
            if private:
                _write_map(graph, made.truth, private)
            with entry_in.entered(certified, path, owner, targets) as (certificate, entry, step):
                beside.write_text(certificate.text(), encoding="utf-8")
                transaction.commit(step)
    except OSError as error:
        raise unwritable(path, error) from None
    kept = int(np.isin(made.relabel(graph), made.graph.keys).sum())
    return PublishedGraph(path, certificate, made, made.graph.size - kept, graph.size - kept, entry.path)


def _for_the_owner(graph: Graph, path: Path, mapping: str | Path | None, seed: int) -> dict[str, Any]:
    """What only the owner may know: the digest of the original confirms guesses about it, and the seed numbers people alike."""
    kept = {"input_sha256": graph.digest(), "seed": seed, "output": str(path.resolve())}
    return kept | ({} if mapping is None else {"map": str(Path(mapping).resolve())})


def _require(graph: Graph, path: Path, attribute: Attribute | None) -> None:
    require_people(graph)
    require_as_many(attribute, graph.nodes)
    if path.suffix.lower() not in SUFFIXES:
        raise OutputError(f"cannot tell the format; the name must end in {' or '.join(SUFFIXES)}", where=str(path))
    if attribute is not None and path.suffix.lower() not in GRAPHML:
        raise OutputError("an edge list has no place for an attribute; the name must end in .graphml", where=str(path))


def _write(graph: Graph, file: Path, attribute: Attribute | None) -> None:
    name, values = _published(attribute)
    in_xml = file.suffix.lower() in GRAPHML
    with file.open("w", encoding="utf-8", newline="") as opened:
        opened.writelines(graphml(graph, attribute=name, values=values) if in_xml else edge_list(graph))


def _published(attribute: Attribute | None) -> tuple[str | None, tuple[str, ...]]:
    """The name of an attribute, and its value for each node."""
    if attribute is None:
        return None, ()
    return attribute.name, tuple(attribute.values[code] for code in attribute.codes.tolist())


def write(graph: Graph, path: str | Path, *, force: bool = False) -> None:
    """Write a graph with its names, for example a generated one. This is no release: names and order stay as they are.

    Parameters
    ----------
    graph : Graph
        The graph; nodes without names are numbered from 1. An edge list has no place for nodes without edges.
    path : path
        The file: an edge list (`.csv`), or GraphML (`.graphml`).
    force : bool
        Replace what exists.
    """
    from sfumato.commit.writing import written_whole

    path = Path(path)
    _require(graph, path, None)
    names = graph.names or tuple(map(str, range(1, graph.nodes + 1)))
    _require_readable(names, path)
    with written_whole(path, force) as hidden, hidden.open("w", encoding="utf-8", newline="") as opened:
        if path.suffix.lower() in GRAPHML:
            opened.writelines(graphml(graph, names=names))
        else:
            commented = any(name[0] in "#%" for name in names)
            lines = csv.writer(opened, lineterminator="\n", quoting=csv.QUOTE_ALL if commented else csv.QUOTE_MINIMAL)
            lines.writerow(OWN)
            lines.writerows((names[one], names[other]) for one, other in graph.edges.tolist())


def _require_readable(names: Sequence[str], path: Path) -> None:
    """Refuse names that would not be read back."""
    if path.suffix.lower() in GRAPHML:
        lost, what, instead = not_in_xml(names), "a sign that XML does not have", "an edge list (.csv) may have it"
    else:
        lost = sum(not name or name != name.strip() or "\n" in name or "\r" in name for name in names)
        what, instead = "a line end, blanks around it, or nothing at all", ".graphml has a place for it"
    if lost:
        raise OutputError(f"{several(lost, 'name')} with {what}; {instead}", where=str(path))


def _write_map(graph: Graph, truth: Places, file: Path) -> None:
    names = graph.names or tuple(map(str, range(1, graph.nodes + 1)))
    with file.open("w", encoding="utf-8", newline="") as opened:
        lines = csv.writer(opened, lineterminator="\n")
        lines.writerow(("name", "number"))
        lines.writerows(zip(names, (truth + 1).tolist(), strict=True))
    file.chmod(0o600)


def _certified(file: Path, path: Path, made: Changed, attribute: Attribute | None, time: str) -> GraphCertificate:
    """Read the written file as anybody would, and certify what is in it; refuses a file that is not as promised."""
    raw = file.read_bytes()
    name, values = _published(attribute)
    try:
        written = read_written(raw, file, made.graph.nodes, name)
    except (DataError, NotVerified):  # a value with a character that XML does not have, or not as it is
        raise_alone(NotVerified("the written file cannot be read back; nothing was published"))
    if not np.array_equal(written.graph.keys, made.graph.keys) or written.values != values:
        raise NotVerified("the written file does not hold the promised graph; nothing was published")
    alike = least_alike(written.graph)
    require_promise(made.method, alike, str(path))
    return GraphCertificate(
        file=path.name,
        sha256=hashlib.sha256(raw).hexdigest(),
        bytes=len(raw),
        version=__version__,
        time=time,
        nodes=made.graph.nodes,
        edges=made.graph.size,
        method=str(made.method),
        alike=alike,
        attribute=name,
    )
