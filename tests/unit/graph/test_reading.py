"""Graphs from files, however they come; and what is refused, in one line without a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import DataError
from sfumato.graph import Graph, read, read_people, write
from tests.unit.graph.small import PATH

GRAPHML = (
    '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="{kind}">'
    '<node id="Zoë"/><node id="Ann"/><node id="alone"/>{edges}</graph></graphml>'
)


def written(folder: Path, text: str | bytes, name: str = "graph.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "Zoë,Ann\nAnn,Bob\n",
        "source,target\nZoë,Ann\nAnn,Bob\n",
        "# a comment\nZoë Ann\n\nAnn   Bob\n",
        "Zoë\tAnn\t3\nAnn\tBob\t1\n",
        "Zoë; Ann;x\r\nAnn; Bob;y\r\n",
        'Zoë,"Ann"\n"Ann",Bob\n',
        "Zoë Ann {'weight': 3}\nAnn Bob {}\n",
        "\ufeffZoë,Ann\nAnn,Bob",
    ],
)
def test_an_edge_list_is_read_however_it_is_written(tmp_path: Path, text: str) -> None:
    graph = read(written(tmp_path, text))
    assert graph.names == ("Zoë", "Ann", "Bob")
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_names_may_be_in_any_encoding(tmp_path: Path) -> None:
    text = "Zoë,Ann\nAnn,Bob\n"
    assert read(written(tmp_path, text.encode("utf-16"))).names == ("Zoë", "Ann", "Bob")
    assert read(written(tmp_path, text.encode("latin-1"))).size == 2


@pytest.mark.parametrize("head", ["source,target", "Von,Nach", "de,vers", "origen,destino"])
def test_a_first_line_of_what_columns_are_called_is_a_header(tmp_path: Path, head: str) -> None:
    assert read(written(tmp_path, f"{head}\nAnn,Bob\nBob,Cid\n")).size == 2


def test_a_first_line_of_words_above_numbers_is_a_header_unless_it_is_said_not_to_be(tmp_path: Path) -> None:
    path = written(tmp_path, "friend_a,friend_b\n1,2\n2,3\n")
    assert read(path).size == 2
    assert read(path, header=False).size == 3
    assert read(written(tmp_path, "Ann,Bob\nBob,Cid\n"), header=True).size == 1
    assert read(written(tmp_path, "1,2\n2,3\n")).size == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# nothing\n\n", "is empty"),
        ("source,target\n", "is empty"),
        ("Secret,Other\nSecret,Secret\n", r"line 2 joins somebody to themselves \(1 self-loop\); simplify=True leaves them out"),
        (
            "Secret,Other\nOther,Secret\nSecret,Other\n",
            r"line 2 repeats the edge of line 1 \(2 parallel edges\); simplify=True counts",
        ),
        ("Secret,Other\nSecret\n", "line 2 does not have two names"),
        ("Secret,Other\n,Other\n", "line 2 does not have two names"),
        ('Secret,Other\nSecret,"Oth\n', "line 2 is no line of a CSV file"),
        (b"Secret\0Other\n", "not a text file"),
    ],
)
def test_what_is_no_edge_list_is_refused_without_a_name(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        read(written(tmp_path, text))
    assert "Secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_simplify_reads_what_has_self_loops_and_both_directions(tmp_path: Path) -> None:
    assert read(written(tmp_path, "a,b\nb,a\nb,b\nb,c\n"), simplify=True).edges.tolist() == [[0, 1], [1, 2]]


def test_graphml_has_people_without_edges(tmp_path: Path) -> None:
    text = GRAPHML.format(kind="undirected", edges='<edge source="Zoë" target="Ann"/>')
    graph = read(written(tmp_path, text, "graph.graphml"))
    assert (graph.names, graph.edges.tolist()) == (("Zoë", "Ann", "alone"), [[0, 1]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GRAPHML.format(kind="directed", edges=""), "a directed graph; simplify=True takes its arcs as edges"),
        (GRAPHML.format(kind="undirected", edges='<edge source="Zoë" target="Zoë"/>'), "edge 1 joins somebody to themselves"),
        (
            GRAPHML.format(kind="undirected", edges='<edge source="Zoë" target="Nobody"/>'),
            "an edge names a node that is not declared",
        ),
        (GRAPHML.format(kind="undirected", edges='<node id="Zoë"/>'), "node 4 has the name of an earlier one"),
        ("<graphml/>", "is empty"),
        ("<graphml>", "is no GraphML: line 1"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "a document type"),
    ],
)
def test_what_is_no_graphml_is_refused_without_a_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        read(written(tmp_path, text, "graph.graphml"))
    assert "Zoë" not in str(refused.value)


@pytest.mark.parametrize("name", ["out.csv", "out.graphml"])
def test_a_graph_that_is_written_is_read_back_with_its_names(tmp_path: Path, name: str) -> None:
    graph = Graph.of(3, [(0, 2), (1, 2)], ["<Ann & Co>", 'Bob "B"', "Cid, Dr."])
    write(graph, tmp_path / name)
    back = read(tmp_path / name)
    assert set(back.names or ()) == set(graph.names or ())
    names = np.array(back.names)
    assert {frozenset(names[list(edge)]) for edge in back.edges} == {
        frozenset(np.array(graph.names)[list(edge)]) for edge in graph.edges
    }


def test_people_have_attributes_in_a_table(tmp_path: Path) -> None:
    rows = "name,party,town\nEve,red,A\nAnn,blue,A\nBob,red,B\nCid,red,B\nDan,blue,B\n"
    path = written(tmp_path, rows, "people.csv")
    assert read_people(path, PATH).codes.tolist() == [0, 1, 1, 0, 1]
    assert read_people(path, PATH, attribute="town").people.tolist() == [2, 3]
    with pytest.raises(DataError, match="no column 'age' among party, town"):
        read_people(path, PATH, attribute="age")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,party\n", "a line of heads"),
        ("name\nAnn\n", "a line of heads"),
        ("name,party\nAnn,x\nSecret,y\n", "1 person is not in the graph, the first in row 3"),
        ("name,party\nAnn,x\nAnn,y\n", "row 3 is about somebody who has a row already"),
        ("name,party\nAnn\n", "row 2 has 1 cell"),
        ("name,party\nAnn,x\n", "4 nodes of the graph not in the table"),
    ],
)
def test_a_table_of_other_people_is_refused_without_a_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        read_people(written(tmp_path, text, "people.csv"), PATH)
    assert "Secret" not in str(refused.value)
