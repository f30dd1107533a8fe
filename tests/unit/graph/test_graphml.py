"""What nodes have in a GraphML file: attributes that are published or attacked, and names."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import DataError, UsageError
from sfumato.graph import read, read_people

Run = Callable[..., Any]
# As igraph writes it: ids are counted, and the names are in an attribute.
GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="v_name" for="node" attr.name="name" attr.type="string"/>
<key id="v_party" for="node" attr.name="party" attr.type="string"><default>blue</default></key>
<key id="v_age" for="node" attr.name="age" attr.type="double"/>
<key id="e_age" for="edge" attr.name="weight" attr.type="double"/>
<graph id="G" edgedefault="undirected">
<node id="n0"><data key="v_name">Zoe\u0308</data><data key="v_party">red</data></node>
<node id="n1"><data key="v_name">Ann</data><data key="v_age">41</data></node>
<node id="n2"><data key="v_name">Bob</data><data key="v_party">green</data></node>
<edge source="n0" target="n1"><data key="e_age">3</data></edge>
<edge source="n1" target="n2"/>
</graph>
</graphml>
"""


@pytest.fixture
def friends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("friends.graphml")
    path.write_text(GRAPHML, encoding="utf-8")
    return path


def test_names_are_ids_unless_an_attribute_is_named(friends: Path) -> None:
    assert read(friends).names == ("n0", "n1", "n2")
    assert read(friends, names="name").names == ("Zoë", "Ann", "Bob")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (">Ann<", "> <", "node 2 has no name in the attribute 'name'"),
        (">Ann<", ">Bob<", "1 node has the name of another one in the attribute 'name'"),
        ('<data key="v_name">Ann</data>', "", "1 node does not have the attribute 'name', the first is node 2"),
        ('attr.name="party"', 'attr.name="name"', "several attributes of nodes are called 'name'"),
    ],
)
def test_names_are_those_of_every_node_and_differ(friends: Path, old: str, new: str, message: str) -> None:
    friends.write_text(GRAPHML.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=message) as refused:
        read(friends, names="name")
    assert "Ann" not in str(refused.value)


def test_a_name_of_no_attribute_is_refused_with_those_that_there_are(friends: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"names: no attribute of nodes 'weight' .*\(have: name, party, age\)"):
        read(friends, names="weight")
    (tmp_path / "list.csv").write_text("a,b\nb,c\n")
    with pytest.raises(UsageError, match="only nodes in GraphML have attributes"):
        read(tmp_path / "list.csv", names="name")


def test_people_have_attributes_in_the_file_of_the_graph(friends: Path) -> None:
    graph = read(friends, names="name")
    party = read_people(friends, graph, attribute="party", names="name")
    assert [party.values[code] for code in party.codes] == ["red", "blue", "green"]
    with pytest.raises(DataError, match="2 nodes do not have the attribute 'age', the first is node 1"):
        read_people(friends, graph, attribute="age", names="name")
    with pytest.raises(DataError, match="3 nodes of the graph not in the table"):
        read_people(friends, graph, attribute="party")
    with pytest.raises(UsageError, match="name the attribute of nodes"):
        read_people(friends, graph)


def test_an_id_is_one_node_however_its_accents_are_written(friends: Path) -> None:
    friends.write_text(
        GRAPHML.replace('node id="n0"', 'node id="\u00eb"').replace('source="n0"', 'source="e\u0308"'), encoding="utf-8"
    )
    assert read(friends).names == ("\u00eb", "n1", "n2")


def test_an_attribute_of_the_graph_is_published_and_attacked(sfumato: Run, friends: Path) -> None:
    published = sfumato(
        "graph", "publish", friends, "--names", "name", "--attribute", "party", "-o", "out.graphml", "--map", "who.csv"
    )
    assert (published.status, published.err) == (0, "")
    with Path("who.csv").open(encoding="utf-8") as file:
        number = {row["name"]: int(row["number"]) for row in csv.DictReader(file)}
    assert set(number) == {"Zoë", "Ann", "Bob"}
    release = read("out.graphml")
    party = read_people("out.graphml", release, attribute="party")
    found = {name: party.values[party.codes[number[name] - 1]] for name in number}
    assert found == {"Zoë": "red", "Ann": "blue", "Bob": "green"}
    assert sfumato("graph", "verify", "out.graphml").status == 0
    profiled = sfumato("graph", "profile", friends, "--attribute", "party", "--knows", "degree", "--json")
    assert profiled.json["alike"][0]["leak"]["attribute"] == "party"
    assert profiled.json["header"] is None
    refused = sfumato("graph", "profile", friends, "--attribute", "part")
    assert (refused.status, "--attribute: no attribute of nodes 'part'" in refused.err) == (2, True)


def test_a_command_says_when_an_attribute_has_better_names_than_ids(sfumato: Run, friends: Path) -> None:
    note = "friends.graphml: nodes are called by their ids; --names name calls them by an attribute that they have\n"
    assert sfumato("graph", "profile", friends).out.startswith(note)
    assert note not in sfumato("graph", "profile", friends, "--names", "name").out
    friends.write_text(GRAPHML.replace('"n0"', '"Zoë"'), encoding="utf-8")
    assert note not in sfumato("graph", "profile", friends).out
