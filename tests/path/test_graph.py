"""`sfumato graph` from the outside: what it prints and refuses, what a release gives away, and forged certificates."""

from __future__ import annotations

import csv
import os
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import NotVerified, OutputError, UsageError
from tests.forging import forge

Run = Callable[..., Any]


@pytest.fixture
def novel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Who meets whom in Les Misérables, and a table of the 77 people."""
    monkeypatch.chdir(tmp_path)
    there = nx.les_miserables_graph()
    lines = "".join(f"{one},{other}\n" for one, other in there.edges)
    Path("novel.csv").write_text("source,target\n" + lines, encoding="utf-8")
    people = "".join(f"{name},{'long' if len(name) > 8 else 'short'}\n" for name in there)
    Path("people.csv").write_text("name,length\n" + people, encoding="utf-8")
    return tmp_path


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(name).read_text(encoding="utf-8").splitlines()))


def names_in(text: str) -> list[str]:
    return [name for name in nx.les_miserables_graph() if len(name) > 4 and name in text]


def test_a_graph_is_profiled(sfumato: Run, novel: Path) -> None:
    ended = sfumato("graph", "profile", "novel.csv", "--people", "people.csv")
    assert (ended.status, ended.err) == (0, "")
    assert "77 nodes, 254 edges" in ended.out
    assert not names_in(ended.out)
    record = sfumato("graph", "profile", "novel.csv", "--knows", "degree", "--knows", "neighbors", "--json").json
    assert [(each["knowledge"], each["classes"], each["singled_out"]) for each in record["alike"]] == [
        ("degree", 18, 6),
        ("neighbors", 52, 42),
    ]
    violated = sfumato("graph", "profile", "novel.csv", "--knows", "degree", "-m", "k-anonymity:2")
    assert violated.status == 1
    assert "degree: k-anonymity:2: 1 ≥ 2" in violated.out
    assert sfumato("graph", "profile", "novel.csv", "--knows", "degree", "-m", "k-anonymity:1").status == 0


def test_a_graph_is_published_verified_and_attacked(sfumato: Run, novel: Path) -> None:
    published = sfumato("graph", "publish", "novel.csv", "-o", "out.csv", "--method", "k-degree:5", "--map", "who.csv")
    assert (published.status, published.err) == (0, "")
    verified = sfumato("graph", "verify", "out.csv", "--json")
    assert verified.json["certificate"]["alike"] >= 5
    attacked = sfumato("graph", "attack", "novel.csv", "--release", "out.csv", "--map", "who.csv", "--json").json
    rates = {each["knowledge"]: each for each in attacked["attempts"]}
    assert rates["degree"]["right"] == 0
    assert all(each["low"] <= each["rate"] <= each["high"] and each["baseline"] == 1 / 77 for each in rates.values())
    compared = sfumato("graph", "compare", "novel.csv", "--release", "out.csv", "--map", "who.csv", "--json").json
    assert compared["releases"][0]["edges_kept"] == 1
    assert compared["original"]["edges"] == 254


def test_nothing_in_a_release_says_who_is_who(sfumato: Run, novel: Path) -> None:
    assert sfumato("graph", "publish", "novel.csv", "-o", "one.csv", "--map", "one-map.csv", "--seed", "1").status == 0
    published, certificate = Path("one.csv").read_text(), Path("one.csv.certificate.json").read_text()
    assert not names_in(published + certificate)
    assert "seed" not in certificate
    edges = [tuple(map(int, row)) for row in list(csv.reader(published.splitlines()))[1:]]
    assert edges == sorted(edges)
    assert all(one < other for one, other in edges)
    # The order of the original's lines and names leaves no trace: a file in another order becomes the same kind of file, and the numbers
    # of the map are in no order.
    numbers = [int(row["number"]) for row in table("one-map.csv")]
    assert sorted(numbers) == list(range(1, 78))
    assert abs(np.corrcoef(numbers, np.arange(77))[0, 1]) < 0.3


def test_the_numbers_of_two_releases_differ_unless_the_seed_is_the_same(sfumato: Run, novel: Path) -> None:
    maps = []
    for place, seed in enumerate(((), (), ("--seed", "3"), ("--seed", "3"))):
        assert sfumato("graph", "publish", "novel.csv", "-o", f"{place}.csv", "--map", f"{place}-map.csv", *seed).status == 0
        maps.append(Path(f"{place}-map.csv").read_text())
    assert maps[0] != maps[1] != maps[2] == maps[3]
    assert Path("2.csv").read_bytes() == Path("3.csv").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_the_map_is_for_the_owner_alone(sfumato: Run, novel: Path) -> None:
    sfumato("graph", "publish", "novel.csv", "-o", "out.csv", "--map", "who.csv")
    assert Path("who.csv").stat().st_mode & 0o077 == 0


def certify_again(path: str, **changes: Any) -> None:
    """What somebody does who has changed the file: the certificate fits its bytes."""
    import hashlib

    raw = Path(path).read_bytes()
    forge(Path(f"{path}.certificate.json"), {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw), **changes})


def test_a_release_that_was_edited_does_not_verify(sfumato: Run, novel: Path) -> None:
    sfumato("graph", "publish", "novel.csv", "-o", "out.csv", "--method", "k-degree:5", "--seed", "1")
    original = Path("out.csv").read_text()
    assert sfumato("graph", "verify", "out.csv").status == 0
    lines = original.splitlines()
    for text, changes, message in (
        ("\n".join(lines[:-1]) + "\n", None, "its digest differs"),
        ("\n".join(lines[:-1]) + "\n", {}, "edges, the certificate says"),
        ("\n".join(lines[:-1]) + "\n", {"edges": len(lines) - 2}, "the smallest class of degrees has"),
        ("\n".join(lines[:-1]) + "\n", {"edges": len(lines) - 2, "alike": 1}, "k-degree:5 is promised"),
        ("\n".join([lines[0], lines[2], lines[1], *lines[3:]]) + "\n", {}, "not in the order of their numbers"),
        (original.replace("source", "name"), {}, "not a list of edges by number"),
        (original + "1,Valjean\n", {}, "not a list of edges by number"),
        (original + "77,99\n", {}, "not of two numbers up to the number of nodes"),
    ):
        Path("out.csv").write_text(text)
        if changes is not None:
            certify_again("out.csv", **changes)
        ended = sfumato("graph", "verify", "out.csv")
        assert (ended.status, ended.err.count("\n")) == (1, 1)
        assert message in ended.err
        assert "Valjean" not in ended.err


def test_a_certificate_that_was_edited_does_not_verify(sfumato: Run, novel: Path) -> None:
    sfumato("graph", "publish", "novel.csv", "-o", "out.csv", "--method", "k-degree:5")
    file = Path("out.csv.certificate.json")
    kept = file.read_text()
    file.write_text(kept.replace("k-degree:5", "k-degree:6"))
    assert "its digest differs" in sfumato("graph", "verify", "out.csv").err
    for changes, message, status in (
        ({"method": "k-degree:70"}, "k-degree:70 is promised", 1),
        ({"method": "magic"}, "a method that there is not", 1),
        ({"nodes": 78}, "the smallest class of degrees", 1),
        ({"nodes": 10**12}, "more nodes are promised than a graph has", 1),
        ({"attribute": "party"}, "an attribute is promised, and an edge list has none", 1),
        ({"nodes": 0}, "nodes must be", 2),
        ({"more": 1}, "more", 2),
        ({"kind": "table"}, "not the certificate of a graph", 2),
    ):
        file.write_text(kept)
        forge(file, changes)
        ended = sfumato("graph", "verify", "out.csv")
        assert (ended.status, message in ended.err) == (status, True), ended.err
    file.unlink()
    assert "no certificate here" in sfumato("graph", "verify", "out.csv").err


def test_nodes_that_a_forged_certificate_adds_take_no_memory(sfumato: Run, novel: Path) -> None:
    """With two billion nodes a number for each would take 16 GB."""
    sfumato("graph", "publish", "novel.csv", "-o", "out.csv")
    forge(Path("out.csv.certificate.json"), {"nodes": 2**31 - 1})
    tracemalloc.start()
    assert sfumato("graph", "verify", "out.csv").status == 0  # people without an edge have no place in an edge list
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_attributes_are_published_with_the_nodes_in_graphml(sfumato: Run, novel: Path) -> None:
    asked = ("graph", "publish", "novel.csv", "--people", "people.csv", "--attribute", "length")
    assert "no place for an attribute" in sfumato(*asked, "-o", "out.csv").err
    assert sfumato(*asked, "-o", "out.graphml", "--map", "who.csv").status == 0
    release = nx.read_graphml("out.graphml")
    number = {row["name"]: row["number"] for row in table("who.csv")}
    for row in table("people.csv"):
        assert release.nodes[number[row["name"]]]["length"] == row["length"]
    there = nx.les_miserables_graph()
    assert {frozenset((number[a], number[b])) for a, b in there.edges} == {frozenset(edge) for edge in release.edges}
    assert sfumato("graph", "verify", "out.graphml").status == 0
    text = Path("out.graphml").read_text()
    Path("out.graphml").write_text(text.replace('<data key="a">long</data>', "", 1))
    certify_again("out.graphml")
    assert "do not have the one attribute" in sfumato("graph", "verify", "out.graphml").err
    found = sfumato(
        "graph", "attack", "novel.csv", "-m", "deidentify", "--knows", "neighbors", "--people", "people.csv", "--json"
    ).json
    assert found["attempts"][0]["leak"]["guess_after"] > found["attempts"][0]["leak"]["guess_before"]


def test_a_release_in_the_place_of_its_original_or_of_another_file_is_refused(sfumato: Run, novel: Path) -> None:
    assert "an input of the same command" in sfumato("graph", "publish", "novel.csv", "-o", "novel.csv", "--force").err
    sfumato("graph", "publish", "novel.csv", "-o", "out.csv")
    assert "exists already; --force" in sfumato("graph", "publish", "novel.csv", "-o", "out.csv").err
    assert "two outputs have this name" in sfumato("graph", "publish", "novel.csv", "-o", "new.csv", "--map", "new.csv").err
    assert not Path("new.csv").exists()


@pytest.mark.parametrize(
    ("words", "message", "status"),
    [
        (("publish", "novel.csv"), "name the file to write", 2),
        (("publish", "novel.csv", "-o", "out.xyz"), "the name must end in .csv or .graphml", 2),
        (("publish", "novel.csv", "-o", "out.csv", "-m", "k-degree:78"), "k is 78, and the graph has 77 nodes", 2),
        (("publish", "novel.csv", "-o", "out.csv", "-m", "magic"), "no method 'magic'", 2),
        (("profile", "nothing.csv"), "no such file", 2),
        (("profile", "loops.csv"), "line 2 joins somebody to themselves (1 self-loop); --simplify leaves them out", 2),
        (("profile", "novel.csv", "--attribute", "age"), "name the table that has it", 2),
        (("attack", "novel.csv", "--release", "out.csv"), "a release needs its map", 2),
        (("attack", "novel.csv", "--release", "o.csv", "--map", "m.csv", "-m", "deidentify"), "not both", 2),
        (("compare", "novel.csv", "-m", "add-delete:200%"), "a share of the edges", 2),
        (("plant", "novel.csv", "--targets", "9999"), "mark between 1 and", 2),
        (("generate", "5", "11", "-o", "g.csv"), "more edges than pairs", 2),
        (("generate", "3000000000", "11", "-o", "g.csv"), "sfumato: nodes: at most 100,000,000 are generated", 2),
        (("generate", "5", "0", "-o", "g.csv"), "sfumato: edges: at least two nodes and one edge", 2),
        (("generate", "5", "4", "-o", "g.csv", "--closing", "nan"), "--closing: a share between 0 and 1", 2),
        (("profile", "novel.csv", "--knows", "nearest"), "no knowledge 'nearest' in a profile", 2),
        (("attack", "novel.csv", "--knows", "neares"), "did you mean 'nearest'? (have: degree, ", 2),
        (("generate", "5", "4", "-o", "g.csv", "--kind", "x"), "choose cluster or random", 2),
        (("report", "novel.csv", "-o", "page.pdf"), "must end in .html", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_in_one_line(
    sfumato: Run, novel: Path, words: tuple[str, ...], message: str, status: int
) -> None:
    Path("loops.csv").write_text("Valjean,Javert\nJavert,Javert\n", encoding="utf-8")
    before = sorted(Path().iterdir())
    ended = sfumato("graph", *words)
    assert (ended.status, ended.err.count("\n")) == (status, 1)
    assert message in ended.err
    assert "Javert" not in ended.err
    assert sorted(Path().iterdir()) == before


def test_pictures_and_a_page_are_drawn_without_names(sfumato: Run, novel: Path) -> None:
    methods = ("-m", "deidentify", "-m", "k-degree:5")
    assert sfumato("graph", "compare", "novel.csv", *methods, "-o", "kept.svg").status == 0
    assert sfumato("graph", "attack", "novel.csv", *methods, "-o", "attacked.svg").status == 0
    ended = sfumato("graph", "report", "novel.csv", *methods, "--people", "people.csv", "--runs", "1", "-o", "page.html")
    assert (ended.status, ended.out) == (0, "novel.csv: the first line was taken for heads\nwrote page.html\n")
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in page for name in ("profile", "passive", "active", "cost"))
    texts = page + Path("kept.svg").read_text() + Path("attacked.svg").read_text()
    assert not names_in(texts)
    assert not re.search(r"\bnan\b", texts, re.IGNORECASE)


def test_planted_accounts_are_reported(sfumato: Run, novel: Path) -> None:
    ended = sfumato("graph", "plant", "novel.csv", "-m", "deidentify", "--runs", "2", "--targets", "5", "--json")
    exact, forgiving = ended.json["attempts"]
    assert (exact["attacker"], forgiving["attacker"], exact["runs"], exact["targets"]) == ("exact", "forgiving", 2, 10)
    assert (
        "7 accounts and 5 targets"
        in sfumato("graph", "plant", "novel.csv", "-m", "deidentify", "--runs", "1", "--targets", "5").out
    )


def test_a_graph_of_two_people_is_attacked_and_compared_like_any_other(sfumato: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_bytes("M\xfcller;Zo\xeb\n".encode("latin-1"))
    attempts = sfumato("graph", "attack", path, "-m", "deidentify", "--json").json["attempts"]
    assert all(each["rate"] == each["baseline"] == 0.5 for each in attempts if each["knowledge"] != "hubs")
    for command in ("attack", "compare", "report"):
        ended = sfumato("graph", command, path, "--json")
        assert (ended.status, ended.err) == (0, "")
        assert "ller" not in ended.out


def test_python_does_what_the_commands_do(novel: Path) -> None:
    graph = sf.graph.from_networkx(nx.les_miserables_graph())
    made = sf.graph.publish(graph, "a.csv", method="switch:10%", mapping="m.csv", seed=1)
    assert made.edges_added == made.edges_deleted > 0
    assert "a.csv: 77 nodes, 254 edges" in repr(made)
    release = sf.graph.release_of(graph, "a.csv", "m.csv")
    assert np.array_equal(release.graph.edges, made.changed.graph.edges)
    with pytest.raises(UsageError, match="the original 3"):
        sf.graph.release_of(sf.graph.Graph.of(3, []), "a.csv", "m.csv")
    Path("m.csv").write_text("name,number\nValjean,1\n", encoding="utf-8")
    with pytest.raises(sf.SfumatoError, match="not the map of this graph"):
        sf.graph.release_of(graph, "a.csv", "m.csv")
    with pytest.raises(OutputError):
        sf.graph.write(graph, "a.csv")


def test_an_attribute_that_does_not_read_back_is_not_published(novel: Path) -> None:
    graph = sf.graph.from_networkx(nx.les_miserables_graph())
    for value in ("a\x01b", "a\rb"):
        attribute = sf.graph.Attribute.of("secret", [value] * 77)
        with pytest.raises(NotVerified, match="nothing was published") as refused:
            sf.graph.publish(graph, "c.graphml", attribute=attribute)
        assert value not in str(refused.value)
        assert not Path("c.graphml").exists()


def test_a_star_becomes_k_degree_anonymous_although_leaves_must_be_raised() -> None:
    star = sf.graph.Graph.of(400, [(0, leaf) for leaf in range(1, 400)])
    degrees = sf.graph.changed(star, "k-degree:5", seed=1).graph.degrees
    assert min(np.unique(degrees, return_counts=True)[1]) >= 5
    assert np.sort(degrees)[-5:].tolist() == [399] * 5


def test_nothing_is_published_that_does_not_read_back_as_promised(novel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.graph import publishing

    graph = sf.graph.from_networkx(nx.les_miserables_graph())
    genuine = publishing._write
    monkeypatch.setattr(
        publishing, "_write", lambda graph, file, attribute: genuine(sf.graph.Graph.of(77, [(0, 1)]), file, attribute)
    )
    before = sorted(Path().iterdir())
    with pytest.raises(NotVerified, match="nothing was published"):
        sf.graph.publish(graph, "b.csv", mapping="m.csv")
    assert sorted(Path().iterdir()) == before


def test_what_is_tried_by_default_passes_over_what_a_graph_cannot_have(sfumato: Run, tmp_path: Path) -> None:
    star = tmp_path / "star.csv"
    star.write_text("".join(f"hub,leaf{number}\n" for number in range(40)), encoding="utf-8")
    for command in ("attack", "compare"):
        ended = sfumato("graph", command, star)
        assert ended.status == 0
        assert ended.err.startswith("sfumato: switch:5% is not tried: switch: only 0 of 1 pairs")
        assert "switch:5%" not in ended.out
        assert "add-delete:5%" in ended.out
    full = tmp_path / "full.csv"
    full.write_text("".join(f"a{one},a{other}\n" for one in range(20) for other in range(one)), encoding="utf-8")
    ended = sfumato("graph", "plant", full, "--runs", "1", "--json")
    assert (ended.status, "switch:5% is not tried" in ended.err) == (0, True)
    assert {each["method"] for each in ended.json["attempts"]} == {"deidentify", "k-degree:5", "k-degree:10", "add-delete:5%"}
    refused = sfumato("graph", "compare", full, "-m", "switch:5%")
    assert (refused.status, refused.err.count("\n")) == (1, 1)


def test_the_record_of_a_report_has_the_planted_accounts(sfumato: Run, novel: Path) -> None:
    record = sfumato("graph", "report", "novel.csv", "-m", "deidentify", "--runs", "1", "-o", "page.html", "--json").json
    assert [each["attacker"] for each in record["planted"]["attempts"]] == ["exact", "forgiving"]
    without = sfumato("graph", "report", "novel.csv", "-m", "deidentify", "--runs", "0", "-o", "page.html", "--json", "--force")
    assert without.json["planted"] is None


def test_nodes_that_an_edge_list_cannot_have_are_counted(sfumato: Run, tmp_path: Path) -> None:
    alone = int((sf.graph.generate(300, 100).degrees == 0).sum())
    ended = sfumato("graph", "generate", "300", "100", "-o", tmp_path / "g.csv")
    assert f"{alone} nodes have no edge and no place in an edge list" in ended.out
    assert sf.graph.read(tmp_path / "g.csv").nodes == 300 - alone
    assert "no place" not in sfumato("graph", "generate", "300", "100", "-o", tmp_path / "g.graphml").out
    assert sf.graph.read(tmp_path / "g.graphml").nodes == 300


def test_one_person_is_one_person(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "star.csv").write_text("a,b\na,c\na,d\n", encoding="utf-8")
    assert "at least 1 person\n" in sfumato("graph", "publish", tmp_path / "star.csv", "-o", tmp_path / "out.csv").out


@pytest.mark.parametrize("method", ["deidentify", "k-degree:3", "add-delete:12.3456789%", "switch:20%"])
def test_the_map_of_another_release_of_the_same_graph_is_refused(sfumato: Run, novel: Path, method: str) -> None:
    for name in ("one", "two"):
        sfumato("graph", "publish", "novel.csv", "-o", f"{name}.csv", "--map", f"{name}.map.csv", "-m", method)
    own = sfumato("graph", "attack", "novel.csv", "--release", "one.csv", "--map", "one.map.csv", "--knows", "degree")
    assert own.status == 0
    other = sfumato("graph", "attack", "novel.csv", "--release", "one.csv", "--map", "two.map.csv", "--knows", "degree")
    assert (other.status, "two.map.csv: is not the map of this release" in other.err) == (2, True)


def test_bars_of_all_methods_have_one_scale(sfumato: Run, novel: Path) -> None:
    methods = ("-m", "deidentify", "-m", "add-delete:30%")
    sfumato(
        "graph", "report", "novel.csv", *methods, "--knows", "degree", "--knows", "neighbors", "--runs", "0", "-o", "page.html"
    )
    pictures = re.findall(
        r'<svg[^>]*aria-labelledby="(?:singled|rates)[^>]*>.*?</svg>', Path("page.html").read_text("utf-8"), re.DOTALL
    )
    assert len(pictures) == 3
    assert all([f">{tick}<" in picture for tick in (20, 80, 100)] == [True] * 3 for picture in pictures)


def test_a_small_graph_has_as_many_targets_as_people(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "path.csv").write_text("a,b\nb,c\nc,d\n", encoding="utf-8")
    ended = sfumato("graph", "plant", tmp_path / "path.csv", "-m", "deidentify")
    assert (ended.status, "5 accounts and 4 targets" in ended.out) == (0, True)
