"""A published file is what the writer makes of the graph in it, to the byte: there is no place left where a name could hide."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import NotVerified
from sfumato.graph import Attribute, Graph, generate, publish, sign, verify
from sfumato.graph.rendering import edge_list, graphml
from sfumato.signing.keys import new_key
from tests.forging import forge

Run = Callable[..., Any]
FRIENDS = Graph.of(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3)])
PARTY = Attribute.of("party", ["red", "blue", "red", "blue", "red", "blue"])


def resealed(path: Path, raw: bytes, **changes: Any) -> Path:
    """What somebody does who has changed the file: the certificate fits its bytes, and its digest fits the certificate."""
    path.write_bytes(raw)
    forge(Path(f"{path}.certificate.json"), {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw), **changes})
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<node id="1">', '<node id="1" label="Napoleon">'),
        ("</graphml>", "<!-- 1 is Napoleon --></graphml>"),
        ("</graphml>", "</graphml><!-- 1 is Napoleon -->"),
        ("</graphml>\n", "</graphml>\n<!-- 1 is Napoleon -->"),
        ("<graphml", "<?who 1 is Napoleon?><graphml"),
        ('undirected">', 'undirected"><desc>Napoleon</desc>'),
        ('target="6"/>', 'target="6" weight="1815"/>'),
        ('target="6"/>', 'target="6"><data key="a">Napoleon</data></edge>'),
        ("<graph ", '<key id="b" for="node" attr.name="Napoleon"/><graph '),
        ('<node id="1">', '<node id="1"><port name="Napoleon"/>'),
        ("</data>", "<who>Napoleon</who></data>"),
        ('undirected">', 'undirected"><data key="a">Napoleon</data>'),
        ("<graph ", '<graph id="Napoleon" '),
        ("\n", "\r\n"),
        ("<?xml", "\ufeff<?xml"),
        ("</node>\n", "</node>\n\n"),
        ('id="1"', "id='1'"),
        ('id="1"', 'id="&#49;"'),
    ],
)
def test_graphml_with_anything_else_in_it_is_neither_verified_nor_signed(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "out.graphml"
    publish(FRIENDS, path, attribute=PARTY, seed=1, ledger=tmp_path / "ledger")
    text = path.read_text(encoding="utf-8")
    assert old in text
    assert verify(path).graph.size == 7
    resealed(path, text.replace(old, new, 1).encode())
    with pytest.raises(NotVerified) as refused:
        verify(path)
    assert "Napoleon" not in str(refused.value)
    key, _ = new_key(tmp_path / "reviewer", "Reviewer")
    with pytest.raises(NotVerified):
        sign(path, key)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n1,", "\n01,", 1),
        lambda text: text.replace("\n1,2\n", '\n"1","2"\n', 1),
        lambda text: text.replace("\n1,2\n", "\n1, 2\n", 1),
        lambda text: text.removesuffix("\n"),
        lambda text: text + "\n",
        lambda text: text.replace("\n", "\n# Napoleon\n", 1),
        lambda text: text.replace("\n1,2\n", "\n1,2,Napoleon\n", 1),
        lambda text: text.replace("1", "\u0661", 1),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_edge_list_in_other_bytes_is_not_verified(tmp_path: Path, change: Callable[[str], str], encoding: str) -> None:
    path, ring = tmp_path / "out.csv", Graph.of(3, [(0, 1), (0, 2), (1, 2)])
    publish(ring, path, seed=1, ledger=tmp_path / "ledger")
    text = path.read_text(encoding="utf-8")
    assert change(text) != text
    with pytest.raises(NotVerified, match=r"not a list of edges|has more in it"):
        verify(resealed(path, change(text).encode(encoding)))


@pytest.mark.parametrize("name", ["out.csv", "out.graphml"])
def test_a_release_is_what_is_rendered_part_by_part(tmp_path: Path, name: str) -> None:
    """Twelve thousand edges are more than one part."""
    graph = generate(11_000, 12_000, seed=1)
    found = publish(graph, tmp_path / name, seed=1, ledger=tmp_path / "ledger").changed.graph
    parts = list((edge_list if name.endswith("csv") else graphml)(found))
    assert len(parts) > 2
    assert (tmp_path / name).read_bytes() == "".join(parts).encode()
    assert verify(tmp_path / name).graph.size == 12_000


def test_nodes_that_are_stated_and_not_in_the_file_are_counted(sfumato: Run, tmp_path: Path) -> None:
    graph = Graph.of(8, FRIENDS.edges)
    for name, apart in (("out.csv", 2), ("out.graphml", 0)):
        publish(graph, tmp_path / name, seed=1, ledger=tmp_path / "ledger")
        assert verify(tmp_path / name).nodes_not_in_file == apart
        assert sfumato("graph", "verify", tmp_path / name, "--json").json["nodes_not_in_file"] == apart
        note = "2 nodes without an edge are stated and not in the file: this cannot be checked\n"
        assert (note in sfumato("graph", "verify", tmp_path / name).out) == bool(apart)


def test_nodes_that_nobody_can_count_are_not_passed_over(sfumato: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    publish(
        Graph.of(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]),
        path,
        method="k-degree:5",
        seed=1,
        ledger=tmp_path / "ledger",
    )
    assert "stated and not in the file" not in sfumato("graph", "verify", path).out
    resealed(path, path.read_bytes(), nodes=2**31 - 1)
    ended = sfumato("graph", "verify", path)
    assert ended.status == 0
    assert "2,147,483,641 nodes without an edge are stated and not in the file: this cannot be checked\n" in ended.out


def test_who_publishes_nodes_without_edges_as_a_list_reads_that_they_have_no_place_there(
    sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sfumato("graph", "generate", "300", "100", "-o", "g.graphml")
    ended = sfumato("graph", "publish", "g.graphml", "-o", "out.csv")
    assert "nodes have no edge and no place in an edge list: nobody can count them there; .graphml has them\n" in ended.out
    assert "no place" not in sfumato("graph", "publish", "g.graphml", "-o", "out.graphml").out
