"""The first line of an edge list: heads in many words, an edge, or neither for sure; and what is no edge list but looks like one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import DataError
from sfumato.graph import read
from sfumato.graph.reading import read_file

Run = Callable[..., Any]
CIRCLE = "Anna{0}Bert\nBert{0}Carl\nCarl{0}Anna\n"


def written(folder: Path, text: str, name: str = "graph.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("head", "between"),
    [
        ("Absender;Empfänger", ";"),
        ("Person A,Person B", ","),
        ("Name 1;Name 2", ";"),
        ("from_user,to_user", ","),
        ("fromUser\ttoUser", "\t"),
        ("sender,recipient", ","),
        ("caller,callee", ","),
        ("名前,相手", ","),
        ("отправитель;получатель", ";"),
        ("expéditeur;destinataire", ";"),
        ("remitente,destinatario", ","),
        ("Source,Target", ","),
        ("ID_1 ID_2", " "),
    ],
)
def test_heads_in_other_words_are_nobody(tmp_path: Path, head: str, between: str) -> None:
    path = written(tmp_path, f"{head}\n{CIRCLE.format(between)}")
    assert read(path).names == ("Anna", "Bert", "Carl")
    assert read(path, header=False).nodes == 5


def test_a_word_above_numbers_is_a_head_whatever_the_two_names_are_called(tmp_path: Path) -> None:
    file = read_file(written(tmp_path, "Gesprächspartnerin,Gegenstelle,Minuten\nAnna,Bert,3\nBert,Carl,4\nCarl,Anna,5\n"))
    assert file.graph.size == 3
    assert file.heads is not None
    assert file.heads.present


@pytest.mark.parametrize(
    "text",
    [
        f"Gesprächspartnerin;Gegenstelle\n{CIRCLE.format(';')}",
        f"Eva,Max\n{CIRCLE.format(',')}",
        "user1,user2\nuser3,user4\nuser4,user5\n",
        "from,to\nfrom,Anna\nAnna,Bert\n",
    ],
)
def test_a_first_line_that_may_be_heads_or_an_edge_is_refused_until_somebody_says_which(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(
        DataError, match="the first line may be heads or an edge; header=True or header=False says which"
    ) as refused:
        read(path)
    assert not any(name in str(refused.value) for name in text.replace(";", ",").replace("\n", ",").split(",") if len(name) > 4)
    lines = text.count("\n")
    assert read(path, header=False).size == lines
    assert read(path, header=True).size == lines - 1


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n5,6\n",
        "1 2\n3 4\n5 6\n",
        "0.5 1.5\n2.5 3.5\n0.5 3.5\n",
        "P001,P002\nP003,P004\nP005,P003\n",
        "person 17;person 4\nperson 2;person 3\nperson 3;person 8\n",
        "ann@a.example,bo@a.example\ncy@a.example,di@a.example\ndi@a.example,ed@a.example\n",
        "deadbeef01,deadbeef02\nfeedbeef03,deadbeef04\ndeadbeef05,deadbeef06\n",
        "Anna,Bert,3\nCarl,Dora,4\nDora,Emil,5\n",
        "Anna,Bert,2021-05-01\nCarl,Dora,2021-05-02\nDora,Emil,2021-05-03\n",
        "Anna Bert {'weight': 1}\nCarl Dora {}\nDora Emil {}\n",
        "Anna,Bert\nAnna,Carl\nDora,Emil\n",
        "user1,user2\nuser2,user3\nuser3,user4\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 3\nAnna Bert\nCarl Dora\nDora Emil\n",
        "Anna,Bert\nCarl,Dora\n",
    ],
)
def test_a_first_line_that_is_an_edge_by_all_that_is_around_it_is_one(tmp_path: Path, text: str) -> None:
    assert read(written(tmp_path, text)).size == len([line for line in text.splitlines() if "," in line or " " in line]) - 2 * (
        "Matrix" in text
    )


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("id,source,target\n0,Anna,Bert\n1,Bert,Carl\n2,Carl,Anna\n", (1, 2)),
        (",source,target\n0,Anna,Bert\n1,Bert,Carl\n2,Carl,Anna\n", (1, 2)),
        ("source;weight;target\nAnna;1;Bert\nBert;2;Carl\nCarl;3;Anna\n", (0, 2)),
        ("weight Person_A Person_B\n1 Anna Bert\n2 Bert Carl\n3 Carl Anna\n", (1, 2)),
        ('since,"from","to"\n2020,"Anna","Bert"\n2021,"Bert","Carl"\n2022,"Carl","Anna"\n', (1, 2)),
        ("source,target,source_name,target_name\nAnna,Bert,x,y\nBert,Carl,y,z\nCarl,Anna,z,x\n", (0, 1)),
    ],
)
def test_columns_that_are_called_like_the_two_people_are_read_wherever_they_are(
    tmp_path: Path, text: str, columns: tuple[int, int]
) -> None:
    file = read_file(written(tmp_path, text))
    assert file.graph.names == ("Anna", "Bert", "Carl")
    assert file.graph.size == 3
    assert file.heads is not None
    assert file.heads.columns == columns


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source_id,source_name,target_id,target_name\n1,Secret,2,B\n2,B,1,Secret\n", "several pairs of columns are called like"),
        ("id,source,target\n0,Secret,Bob\n1,Bob\n", "line 3 does not have two names in columns 2 and 3, as the first line has"),
        (
            "0,Secret,Bob\n1,Bob,Cid\n2,Cid,Secret\n",
            "the first column has the numbers of the lines, and the next two look like names",
        ),
        ("0 1 2 3\n1 2\n2 3\n", "lines have 2 to 4 cells with blanks between, as lists of neighbors have; write each edge into"),
        ("Secret Bob Cid\nBob Cid\n", "lines have 2 to 3 cells with blanks between"),
        ("Secret,Bob,Cid\nBob,Cid\nCid,Dan\nDan,Bob\n", "lines have different numbers of names, as lists of neighbors have"),
    ],
)
def test_what_would_be_read_as_other_edges_is_refused_without_a_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        read(written(tmp_path, text))
    assert "Secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_heads_may_have_fewer_words_than_lines_with_blanks_have_cells(tmp_path: Path) -> None:
    assert read(written(tmp_path, "from to\nAnna Bert 3\nBert Carl 5\n")).size == 2


def test_cells_after_the_names_may_differ_in_number_where_a_comma_divides_them(tmp_path: Path) -> None:
    assert read(written(tmp_path, "Anna,Bert,met in May\nBert,Carl\nCarl,Anna,a note, and more\n")).size == 3


def test_a_name_is_one_person_however_its_accents_are_written(tmp_path: Path) -> None:
    graph = read(written(tmp_path, "Zoe\u0308,Ann\nAnn,Jose\u0301\nJos\u00e9,Zo\u00eb\n"))
    assert graph.names == ("Zo\u00eb", "Ann", "Jos\u00e9")
    assert graph.size == 3


COMMANDS = [
    ("profile", "--knows", "degree"),
    ("publish", "-o", "out.csv"),
    ("attack", "-m", "deidentify", "--knows", "degree"),
    ("plant", "-m", "deidentify", "--runs", "1", "--targets", "2"),
    ("compare", "-m", "deidentify"),
    ("report", "-m", "deidentify", "--runs", "0", "-o", "page.html"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_every_command_says_when_the_first_line_was_taken_for_heads(
    sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    command, *options = words
    written(tmp_path, f"Absender;Empfänger\n{CIRCLE.format(';')}")
    note = "graph.csv: the first line was taken for heads\n"
    ended = sfumato("graph", command, "graph.csv", *options)
    assert (ended.status, ended.out.startswith(note)) == (0, True), ended.err
    more = ["--force"] if command in ("publish", "report") else []
    assert note not in sfumato("graph", command, "graph.csv", *options, *more, "--header").out
    assert sfumato("graph", command, "graph.csv", *options, *more, "--json").json["header"] is True
    assert sfumato("graph", command, "graph.csv", *options, *more, "--json", "--no-header").json["header"] is False


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_every_command_names_the_options_that_say_what_the_first_line_is(
    sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    command, *options = words
    written(tmp_path, f"Eva,Max\n{CIRCLE.format(',')}")
    ended = sfumato("graph", command, "graph.csv", *options)
    message = "sfumato: graph.csv: the first line may be heads or an edge; --header or --no-header says which\n"
    assert (ended.status, ended.out, ended.err) == (2, "", message)
    assert sfumato("graph", command, "graph.csv", *options, "--no-header").status == 0


def test_a_command_says_which_columns_have_the_edges(sfumato: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "id,source,target\n0,Anna,Bert\n1,Bert,Carl\n2,Carl,Anna\n")
    assert (
        "the first line has heads, and edges are in columns 2 and 3\n3 nodes, 3 edges\n" in sfumato("graph", "profile", path).out
    )
