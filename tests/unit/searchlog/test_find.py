"""Finding what identifies people: patterns on texts, rarity on logs, and nothing in the result that names anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, UsageError
from sfumato.searchlog import find, generate
from sfumato.searchlog.finding.kinds import kinds_of, named
from tests.unit.searchlog.logs import searched, write


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("tax ssn 111223333", ["number"]),
        ("whose is 555-0123", ["number"]),
        ("(030) 123 4567", ["number"]),
        ("ann@mail.example", ["mail"]),
        ("17 oak lane", ["address"]),
        ("17 long oak lane herongate", ["address"]),
        ("70 single men", ["age"]),
        ("60 year old woman", ["age"]),
        ("35-year-old", ["age"]),
        ("chen family tree", ["family"]),
        ("www.some-church.com", ["site"]),
        ("+49 (0) 89 12 34 56", ["number"]),
        ("٠١٢٣٤٥٦٧٨٩ call", ["number"]),
        ("5555 5555 5555 4444", ["number"]),
        ("12 main st.", ["address"]),
        ("221b oak street", ["address"]),
        ("oakstraße 12", ["address"]),
        ("oakstr. 12a herongate", ["address"]),
        ("lange allee 3", ["address"]),
        ("12, rue du chêne", ["address"]),
        ("calle mayor 5", ["address"]),
        ("via roma 10", ["address"]),
        ("aged 62", ["age"]),
        ("62yo looking for company", ["age"]),
        ("62 y/o", ["age"]),
        ("restaurant arlington wi", []),
        ("5 way call", []),
        ("via 66", []),
        ("abbey road", []),
        ("24 hour doctor", []),
        ("norwegian cruise 12", []),
        ("windows 95", []),
        ("2008 calendar", []),
        ("iphone 15 case", []),
        ("best 10 movies", []),
        ("t4857 t3847999", []),
    ],
)
def test_texts_look_like_what_they_are(text: str, kinds: list[str]) -> None:
    assert named(int(kinds_of(pa.array([text]))[0])) == kinds


def test_names_are_found_by_a_list_and_as_whole_words_only() -> None:
    texts = pa.array(["ann okvist", "annual report", "okvist", ""])
    assert [named(int(each)) for each in kinds_of(texts, {"ann", "okvist"})] == [["name"], [], ["name"], []]


def test_what_is_found_is_counted_by_people_and_rarity(tmp_path: Path) -> None:
    rows = [searched(user, "weather", 1) for user in "abc"] + [searched("a", "weather", 2)]
    rows += [searched("a", "70 single men", 5), searched("a", "a okvist", 5), searched("a", "a okvist", 3_000)]
    rows += [searched("b", "70 single men", 5), searched("b", "b@mail.example", 5)]
    people = pa.table({"UserId": ["a", "b"], "Last": ["Okvist", "x%_"]})
    pq.write_table(people, tmp_path / "people.parquet")
    log = write(tmp_path / "log.parquet", rows)
    found = find(log, tmp_path / "findings.parquet", threshold=3, people=tmp_path / "people.parquet", known=["Last"])
    assert (found.rows, found.people, found.queries, found.rare, found.rare_rows) == (9, 3, 4, 3, 5)
    assert found.bands == ((1, 1, 2, 3), (2, 4, 2, 6), (5, 9, 0, 0), (10, 99, 0, 0), (100, None, 0, 0))
    assert {each.kind: (each.queries, each.people, each.rows) for each in found.kinds} == {
        "age": (1, 2, 2),
        "mail": (1, 1, 1),
        "self": (1, 1, 2),
        "returning": (1, 1, 2),
    }
    assert (found.unique_people, found.several_kinds) == (2, 2)
    listed = pq.read_table(tmp_path / "findings.parquet").to_pylist()
    assert [tuple(each.values()) for each in listed] == [
        ("a", "70 single men", "age", 2, 1),
        ("a", "a okvist", "self returning", 1, 2),
        ("b", "70 single men", "age", 2, 1),
        ("b", "b@mail.example", "mail", 1, 1),
    ]
    assert (tmp_path / "findings.parquet").stat().st_mode & 0o077 == 0
    assert "okvist" not in json.dumps(found.as_dict())


def test_every_planted_query_with_a_pattern_is_found_and_names_mostly_are_not(tmp_path: Path) -> None:
    generate(tmp_path / "log", rows=20_000, seed=5)
    scores = {kind: rest for kind, *rest in find(tmp_path / "log", truth=tmp_path / "log" / "truth").scores}
    for kind in ("address", "age", "family", "mail", "number", "phone"):
        planted, rare, of_a_kind = scores[kind]
        assert planted == rare == of_a_kind > 0
    listed = pq.read_table(tmp_path / "log" / "truth" / "people.parquet").column("LastName").to_pylist()
    (tmp_path / "names.txt").write_text("\n".join(set(listed)), encoding="utf-8")
    named_ = {
        kind: rest
        for kind, *rest in find(tmp_path / "log", truth=tmp_path / "log" / "truth", names=tmp_path / "names.txt").scores
    }
    assert scores["name"][2] < named_["name"][2] == named_["name"][0]


def test_what_cannot_be_looked_for_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched("a", "tax", 1)])
    with pytest.raises(UsageError, match="no query is rare"):
        find(log, threshold=1)
    with pytest.raises(DataError, match="has other columns than UserId, Query, Kind"):
        find(log, truth=log)
    pq.write_table(pa.table({"UserId": ["a", "a"], "Last": ["x", "y"]}), tmp_path / "twice.parquet")
    with pytest.raises(DataError, match="in several rows"):
        find(log, people=tmp_path / "twice.parquet", known=["Last"])
    with pytest.raises(UsageError, match=r"no column .Lost. in twice.parquet; did you mean .Last."):
        find(log, people=tmp_path / "twice.parquet", known=["Lost"])


def test_people_are_those_of_the_log_in_whatever_form_their_ids_are_written(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched("José", "okvist", 5), searched("b", "weather", 5)])
    pq.write_table(pa.table({"UserId": [" Jose\u0301"], "Last": ["Okvist"]}), tmp_path / "people.parquet")
    found = find(log, threshold=3, people=tmp_path / "people.parquet", known=["Last"])
    assert {each.kind: each.people for each in found.kinds} == {"self": 1}
    pq.write_table(pa.table({"UserId": ["Jose\u0301", "José"], "Last": ["a", "b"]}), tmp_path / "people.parquet")
    with pytest.raises(DataError, match="a person is in several rows"):
        find(log, threshold=3, people=tmp_path / "people.parquet", known=["Last"])
