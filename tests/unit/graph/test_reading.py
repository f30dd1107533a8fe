"""Graphs from files, however they come; and what is refused, in one line without a name."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import DataError, OutputError
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
        "Zoë;Ann;0,5\nAnn;Bob;1,5\n",
        "Zoë Ann 0,5\nAnn Bob -12,25\n",
        "source target weight\nZoë Ann 0,5\nAnn Bob 1,5\n",
        "Zoë Ann {'weight': 3, 'since': 'May'}\nAnn Bob {'weight': 1, 'since': \"it's new\"}\n",
        "Zoë,Ann,{'weight': 3, 'since': \"it's new\"}\nAnn,Bob,{}\n",
        '"Zoë" "Ann" 1\nAnn   "Bob" 2\n',
        'Zoë, "Ann"\nAnn, "Bob"\n',
        "# a comment\n  # further in\n#Zoë,Bob\nZoë,Ann\nAnn,Bob\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n3 3 2\nZoë Ann\nAnn Bob\n",
        "from_id,to_id\nZoë,Ann\nAnn,Bob\n",
        "name_a,name_b,weight\nZoë,Ann,1\nAnn,Bob,1\n",
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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"Smith, Jo";"Doe; Al";1\n"Doe; Al";Bo;2\n', ("Smith, Jo", "Doe; Al", "Bo")),
        ('"Jo Smith" "Al Doe"\n"Al Doe" Bo\n', ("Jo Smith", "Al Doe", "Bo")),
        ("Jo Smith,Al Doe\nAl Doe,Bo\n", ("Jo Smith", "Al Doe", "Bo")),
        ("Smith, Jo\tDoe, Al\nDoe, Al\tBo, Cy\n", ("Smith, Jo", "Doe, Al", "Bo, Cy")),
        ("#jo,#al\n#al,#bo\n", ("#jo", "#al", "#bo")),
        ('"#jo",al\nal,"%bo"\n', ("#jo", "al", "%bo")),
        ("01,1\n1,001\n", ("01", "1", "001")),
        ("user1,user2\nuser2,user3\n", ("user1", "user2", "user3")),
        ("Jo\u2028,Al\r\nAl,B\x0co\r\n", ("Jo", "Al", "B\x0co")),
    ],
)
def test_names_have_signs_of_their_own(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    graph = read(written(tmp_path, text))
    assert graph.names == names
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_windows_and_its_line_ends_do_not_divide_a_name(tmp_path: Path) -> None:
    # In Windows-1252 three dots are the byte 0x85, which elsewhere ends a line.
    assert read(written(tmp_path, "Zo…ë,Ann\r\nAnn,Bob\r\n".encode("cp1252"))).names == ("Zo…ë", "Ann", "Bob")
    assert read(written(tmp_path, "Zoë,Ann\nAnn,Bob\n".encode("utf-32"))).names == ("Zoë", "Ann", "Bob")


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
        (gzip.compress(b"Secret,Other\n", mtime=0), "a packed file; unpack it first"),
        (b"PK\x03\x04Secret,Other\n", "a packed file; unpack it first"),
        ('[{"source": "Secret", "target": "Other"}]\n', "is JSON; write an edge list"),
        ('{"source": "Secret", "target": "Other"}\n', "is JSON; write an edge list"),
        ('<?xml version="1.0"?> <gexf Secret="Other"/>\n', "is XML; what is read as GraphML has a name that ends in .graphml"),
    ],
)
def test_what_is_no_edge_list_is_refused_without_a_name(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        read(written(tmp_path, text))
    assert "Secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def contacts(sign: str, first: int, step: int) -> str:
    """Who met whom of eight people, as sensors write it: a time, and two numbers of people."""
    pairs = [(one, other) for one in range(1501, 1509) for other in range(one + 1, 1509)]
    return "".join(f"{first + step * (place // 3)}{sign}{one}{sign}{other}{sign}3B\n" for place, (one, other) in enumerate(pairs))


@pytest.mark.parametrize(
    "text",
    [
        contacts("\t", 31220, 20),
        contacts(" ", 1385982020, 20),
        contacts(",", 1, 1),
        "2020-01-01,Ann,Bob\n2020-01-02,Bob,Zoë\n",
        "2020-01-01 10:20;Ann;Bob\n2020-01-02 08:00;Cy;Zoë\n",
    ],
)
def test_times_before_two_names_are_taken_for_nobody(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="the first column looks like times") as raised:
        read(written(tmp_path, text))
    assert not any(name in str(raised.value) for name in ("1501", "Ann", "2020-"))
    sign = next(each for each in ("\t", ";", ",", " ") if each in text)
    named = read(written(tmp_path, f"time{sign}source{sign}target{sign}class\n" + text), simplify=True)
    assert not {"31220", "1", "2020-01-01"} & set(named.names or ())


def test_weights_and_ratings_after_two_names_are_no_names(tmp_path: Path) -> None:
    rated = "".join(f"{place // 3},{100 + place * 7 % 20},{place % 5 + 1}\n" for place in range(60))
    weighed = "".join(f"{one} {other} {other - one}\n" for one in range(20) for other in range(one + 1, 20))
    assert read(written(tmp_path, rated)).size == 60
    assert read(written(tmp_path, weighed)).size == 190


@pytest.mark.parametrize(
    "text",
    [
        "(0, 0) (1, 0) {}\n(0, 0) (0, 1) {}\n",
        "(0, 0) (1, 0)\n(1, 0) (0, 1)\n",
        "Ann Lee Bob Ray {'weight': 1}\nCy Poe Di Fox {'weight': 1}\n",
    ],
)
def test_names_that_networkx_has_written_with_blanks_between_are_not_divided(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="a tab between") as raised:
        read(written(tmp_path, text), simplify=True)
    assert "Ann" not in str(raised.value)


def test_a_number_is_one_person_however_a_frame_writes_it(tmp_path: Path) -> None:
    gaps = read(written(tmp_path, "source,target\n1,2.0\n2,3.0\n3,4.0\n"))
    assert (gaps.names, gaps.size) == (("1", "2", "3", "4"), 3)
    assert read(written(tmp_path, "1.0,2.0\n2.0,3.0\n")).names == ("1.0", "2.0", "3.0")
    assert read(written(tmp_path, "v1,2.0\nv2,2\n")).names == ("v1", "2.0", "v2", "2")


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
    with pytest.raises(DataError, match="no column 'age' among the 3 columns that the first line names"):
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


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("graph.csv", ["#jo", "%al", "a;b", "c,d", 'e"f', "g\th", "=1+1", "\ufeffi", "source", "1", "01", "x\u2029y"]),
        ("graph.graphml", ["#jo", " al", "a\nb", "c\r\nd", "<e>", "&amp;", "\u2028"]),
    ],
)
def test_odd_names_are_read_back_as_they_were(tmp_path: Path, name: str, people: list[str]) -> None:
    graph = Graph.of(len(people), [(node, node + 1) for node in range(len(people) - 1)], people)
    write(graph, tmp_path / name)
    again = read(tmp_path / name)
    assert again.names == graph.names
    assert np.array_equal(again.edges, graph.edges)


@pytest.mark.parametrize(
    ("name", "person", "message"),
    [
        ("graph.csv", "Ann\nLee", "1 name with a line end"),
        ("graph.csv", " Ann", "1 name with a line end, blanks around it"),
        ("graph.csv", "", "or nothing at all; .graphml has a place for it"),
        ("graph.graphml", "Ann\x01", "1 name with a sign that XML does not have"),
    ],
)
def test_names_that_would_not_be_read_back_are_not_written(tmp_path: Path, name: str, person: str, message: str) -> None:
    with pytest.raises(OutputError, match=message) as error:
        write(Graph.of(2, [(0, 1)], [person, "Bob"]), tmp_path / name)
    assert "Ann" not in str(error.value)
    assert not (tmp_path / name).exists()


SPACE = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
PAIR = '<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/>'


@pytest.mark.parametrize(
    ("text", "encoding", "message"),
    [
        (f'<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE g [<!ENTITY e "x">]><graphml {SPACE}>{PAIR}</graph></graphml>', "utf-16",
         "a document type"),
        (f'<?xml version="1.0" encoding="klingon"?><graphml {SPACE}>{PAIR}</graph></graphml>', "utf-8", "an encoding that is not read"),
        (f'<graphml {SPACE}>{PAIR}<hyperedge><endpoint node="a"/></hyperedge></graph></graphml>', "utf-8", "an edge of more than two"),
        (f"<graphml {SPACE}>{PAIR}</graph><graph/></graphml>", "utf-8", "has several graphs"),
        (f"<graphml {SPACE}><graph><node/><node id='b'/></graph></graphml>", "utf-8", "node 1 has no id"),
        (f"<gexf>{PAIR}</graph></gexf>", "utf-8", "is XML, and no GraphML"),
        (f"<graphml {SPACE}>{PAIR}<edge directed='1' source='a' target='b'/></graph></graphml>", "utf-8", "a directed graph"),
    ],
)  # fmt: skip
def test_graphml_that_says_something_else_than_a_graph_of_pairs_is_refused(
    tmp_path: Path, text: str, encoding: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(written(tmp_path, text.encode(encoding), "graph.graphml"))


def test_graphml_of_other_programs_is_read(tmp_path: Path) -> None:
    prefixed = f"<g:graphml {SPACE.replace('xmlns', 'xmlns:g', 1)}>{PAIR}</graph></g:graphml>".replace("<graph ", "<g:graph ")
    prefixed = prefixed.replace("</graph>", "</g:graph>").replace("<node", "<g:node").replace("<edge", "<g:edge")
    quoted = f'<graphml {SPACE}><key id="k" for="node" attr.name="n" attr.type="string"><default>x</default></key>{PAIR}</graph></graphml>'
    quoted = quoted.replace('<node id="b"/>', '<node id="b"><data key="k"><![CDATA[<!DOCTYPE html>]]></data></node>')
    for text in (prefixed, quoted):
        assert read(written(tmp_path, text, "graph.graphml")).names == ("a", "b")


def test_a_table_of_people_without_heads_is_refused_without_the_first_person(tmp_path: Path) -> None:
    path = written(tmp_path, "Ann,secretly\nBob,x\n", "people.csv")
    with pytest.raises(DataError, match="no column 'group'") as error:
        read_people(path, PATH, attribute="group")
    assert "secretly" not in str(error.value)


def test_an_attribute_is_one_column_with_a_name(tmp_path: Path) -> None:
    people = "".join(f"{name},1,2\n" for name in PATH.names or ())
    twice = written(tmp_path, f"name,party,party\n{people}", "twice.csv")
    with pytest.raises(DataError, match="several columns are called 'party'; each needs a name of its own"):
        read_people(twice, PATH, attribute="party")
    with pytest.raises(DataError, match="the second column has no name; name it in the first line"):
        read_people(written(tmp_path, f"name,,town\n{people}", "nameless.csv"), PATH)
