"""`sfumato anonymize`: what it writes keeps what was asked, what it cannot do it says, and it never leaves anything half done."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [25, 50] }
[attributes.zip]
role = "quasi"
type = "text"
hierarchy = { builder = "prefix", keep = [3, 1] }
[attributes.sex]
role = "quasi"
[attributes.disease]
role = "sensitive"
type = "text"
[attributes.stay]
role = "sensitive"
type = "integer"
"""
MODELS: list[list[str]] = [
    ["k-anonymity:3"],
    ["distinct-diversity:2", "k-anonymity:2"],
    ["t-closeness:0.3"],
    ["entropy-diversity:1.5"],
    ["distribution-loss:0.3"],
    ["alpha-k-anonymity:0.8,3"],
    ["average-risk:0.2"],
    ["utility-distribution-loss:0.9,total", "k-anonymity:2"],
]


def rows(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    zips = ["12345", "12399", "14000", "98765", "98700"]
    return [
        f"{rng.randrange(15, 80)},{rng.choice(zips)},{rng.choice('fm')},{rng.choice(['flu', 'flu', 'cold', 'gout'])},{rng.randrange(4)}"
        for _ in range(count)
    ]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Eighty people, their schema, and a larger table that they were drawn from."""
    head, some = "age,zip,sex,disease,stay", rows(1, 80)
    (tmp_path / "people.csv").write_text("\n".join([head, *some]) + "\n")
    (tmp_path / "all.csv").write_text("\n".join([head, *some, *rows(2, 400)]) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


@pytest.fixture
def anonymize(people: Path, sfumato: Run) -> Run:
    """Anonymize these people into out.parquet."""

    def call(*more: object, output: str = "out.parquet") -> Ended:
        return sfumato("anonymize", people / "people.csv", "-s", people / "schema.toml", "-o", people / output, *more)

    return call


def asked(*models: str) -> list[str]:
    return [word for model in models for word in ("-m", model)]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


# What it tells and writes


def test_what_is_told_to_machines(anonymize: Run, people: Path) -> None:
    record = anonymize(*asked("k-anonymity:3", "t-closeness:0.5"), "--suppress", "10%", "--json").json
    assert {
        "status",
        "node",
        "classes",
        "people",
        "rows",
        "basis",
        "suppressed",
        "models",
        "losses",
        "audience",
        "prior",
        "tolerance",
    } <= set(record)
    assert {"search", "count_seconds", "write_seconds", "minimize", "smallest_class", "output", "certificate", "seed"} <= set(
        record
    )
    assert record["status"] == "found"
    assert set(record["search"]) >= {"algorithm", "nodes", "visited", "seconds"}
    assert (record["search"]["algorithm"], record["search"]["nodes"]) == ("optimal", 4 * 4 * 2)
    assert record["search"]["visited"] <= record["search"]["nodes"]
    assert (record["minimize"], record["prior"], record["tolerance"]) == ("loss", "the original table", 1e-9)
    assert record["people"] + record["suppressed"]["people"] == 80
    assert (record["suppressed"]["people"] > 0, record["audience"]) == (True, "owner")
    assert record["suppressed"]["share"] == pytest.approx(record["suppressed"]["people"] / 80)
    assert [verdict["model"] for verdict in record["models"]] == ["k-anonymity:3", "t-closeness:0.5", "t-closeness:0.5"]
    assert [verdict.get("sensitive") for verdict in record["models"]] == [None, "disease", "stay"]
    assert all(verdict["satisfied"] is True for verdict in record["models"])
    assert {"distribution", "utility-distribution", "loss", "discernibility"} <= set(record["losses"])
    assert [each["attribute"] for each in record["sensitive"]] == ["disease", "stay"]
    assert all(record[name] >= 0 for name in ("count_seconds", "write_seconds"))
    assert pq.read_table(people / "out.parquet").num_rows == record["rows"]


@pytest.mark.parametrize("suppress", ["0", "10%"])
@pytest.mark.parametrize("models", MODELS, ids=" ".join)
def test_every_release_passes_a_check_with_the_models_it_was_made_for(
    anonymize: Run, sfumato: Run, people: Path, models: list[str], suppress: str
) -> None:
    made = anonymize(*asked(*models), "--suppress", suppress, "--json")
    assert made.status == 0, made
    original = (
        () if suppress == "0" else ("--original", people / "people.csv")
    )  # the certificate withholds the prior of the suppressed
    checked = sfumato("check", people / "out.parquet", "-s", people / "schema.toml", *asked(*models), *original, "--json")
    assert checked.status == 0, checked
    one, other = made.json, checked.json
    assert (one["classes"], one["people"], one["rows"]) == (other["classes"], other["people"], other["rows"])
    assert other["suppressed"] == one["suppressed"]["people"] <= 80 * (0.1 if suppress == "10%" else 0)
    found = {(verdict["model"], verdict.get("sensitive")): verdict["value"] for verdict in other["models"]}
    for verdict in one["models"]:
        assert found[verdict["model"], verdict.get("sensitive")] == pytest.approx(verdict["value"], abs=1e-12)
    assert sfumato("verify", people / "out.parquet").status == 0


@pytest.mark.parametrize("algorithm", ["optimal", "incognito"])
def test_the_algorithms_agree_on_the_least_loss_of_a_minimal_node(anonymize: Run, algorithm: str) -> None:
    """Precision only grows on the way up, so that the optimum is one of the minimal nodes."""
    record = anonymize(*asked("k-anonymity:3"), "--minimize", "precision", "--algorithm", algorithm, "--json").json
    assert record["search"]["algorithm"] == algorithm
    again = anonymize(*asked("k-anonymity:3"), "--minimize", "precision", "--json", output="again.parquet").json
    assert record["losses"]["precision"] == again["losses"]["precision"]


def test_the_search_of_a_release_stands_in_its_certificate(anonymize: Run, people: Path) -> None:
    record = anonymize(*asked("k-anonymity:3"), "--suppress", "5%", "--json").json
    certificate = json.loads((people / "out.parquet.certificate.json").read_text())
    assert certificate["search"] == {
        "algorithm": "optimal",
        "minimize": "loss",
        "nodes": 32,
        "visited": record["search"]["visited"],
        "limit": 4,
    }
    assert [verdict["model"] for verdict in certificate["models"]] == ["k-anonymity:3"]


def test_what_is_told_to_people(anonymize: Run) -> None:
    ended = anonymize(*asked("k-anonymity:3"), "--suppress", "10%")
    assert ended.status == 0
    assert "≥ 3, judged on the written file" in ended.out
    assert "of 32 nodes evaluated" in ended.out
    assert ended.err == ""


def test_suppression_is_counted_and_a_check_sees_it(anonymize: Run, sfumato: Run, people: Path) -> None:
    """Two people of forty differ from all others in every QID: without them nothing has to be generalized."""
    same, strange = ["30,12345,f,flu,1", "30,12345,f,cold,2"] * 19, ["77,98765,m,flu,1", "55,77777,m,cold,1"]
    (people / "people.csv").write_text("\n".join(["age,zip,sex,disease,stay", *same, *strange]) + "\n")
    record = anonymize(*asked("k-anonymity:3"), "--suppress", "5%", "--json").json
    assert set(record["node"].values()) == {0}
    assert (record["suppressed"]["people"], record["suppressed"]["rows"], record["suppressed"]["classes"]) == (2, 2, 2)
    assert (record["people"], record["rows"], record["classes"]) == (38, 38, 1)
    # Before 20 have flu and 20 a cold, as after: 19 and 19.
    assert record["suppressed"]["change"]["disease"] == pytest.approx(0, abs=1e-12)
    checked = sfumato("check", people / "out.parquet", "-s", people / "schema.toml", *asked("k-anonymity:3"), "--json").json
    assert checked["suppressed"] == 2
    # One person fewer may leave: 2 of 40 are 5 %.
    less = anonymize(*asked("k-anonymity:3"), "--suppress", "4.9%", "--json", output="less.parquet").json
    assert less["suppressed"]["people"] < 2
    assert set(less["node"].values()) != {0}


def test_an_owner_column_counts_people_once(people: Path, sfumato: Run) -> None:
    """Three rows of one person and one of another are two people: no class of three."""
    (people / "visits.csv").write_text("age,person,disease\n30,a,flu\n30,a,cold\n30,a,flu\n31,b,flu\n")
    roles = {"age": "quasi", "person": "owner", "disease": "sensitive"}
    (people / "visits.toml").write_text("".join(f'[attributes.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
    call = ["anonymize", people / "visits.csv", "-s", people / "visits.toml", "-o", people / "out.parquet", "--json"]
    record = sfumato(*call, *asked("k-anonymity:2")).json
    assert (record["status"], record["basis"], record["people"], record["rows"]) == ("found", "owner", 2, 4)
    assert record["node"] == {"age": 1}
    ended = sfumato(*call, "--force", *asked("k-anonymity:3"))
    assert (ended.status, ended.json["status"], ended.json["nearest"][0]["nearest"]) == (1, "infeasible", 2)


# No release


def test_an_infeasible_problem_exits_1_says_what_would_work_and_writes_nothing(anonymize: Run, people: Path) -> None:
    before = files(people)
    ended = anonymize(*asked("k-anonymity:81"), "--json")
    assert ended.status == 1
    record = ended.json
    assert {"status", "nearest", "suppression", "people", "limit", "search", "count_seconds"} <= set(record)
    assert (record["status"], record["suppression"], record["people"], record["limit"]) == ("infeasible", None, 80, 0)
    [near] = record["nearest"]
    assert (near["model"], near["threshold"], near["nearest"]) == ("k-anonymity:81", 81, 80)
    assert near["node"] == {"age": 3, "zip": 3, "sex": 1}
    assert files(people) == before
    shown = anonymize(*asked("k-anonymity:81"))
    assert shown.status == 1
    assert "no release satisfies k-anonymity:81" in shown.out
    assert "no suppression would help" in shown.out
    assert files(people) == before


def test_the_smallest_suppression_that_is_told_is_enough(anonymize: Run) -> None:
    models = asked("k-anonymity:10", "utility-distribution-loss:0.6,total")
    ended = anonymize(*models, "--json")
    if ended.json["status"] == "found":
        pytest.fail("the table was to be infeasible")
    fewest = ended.json["suppression"]
    if fewest is None:
        assert anonymize(*models, "--suppress", "99%", "--json").status == 1
        return
    assert anonymize(*models, "--suppress", repr(fewest["share"]), "--json").status == 0
    assert anonymize(*models, "--suppress", repr((fewest["people"] - 1) / 80), "--json", "--force").status == 1


def test_a_bound_that_nothing_finite_keeps_does_not_blame_others(anonymize: Run) -> None:
    """Three diseases: the fifth most frequent is held by nobody, so r_1 < c * 0 fails for every c; there is no other model."""
    ended = anonymize(*asked("recursive-diversity:2,5"), "--sensitive", "disease")
    assert ended.status == 1
    assert "others fail" not in ended.out


# Bad input


@pytest.fixture
def refused(anonymize: Run, people: Path) -> Callable[..., str]:
    """One line, exit 2, nothing written, the same for machines."""

    def call(*more: object) -> str:
        before = files(people)
        ended = anonymize(*more)
        assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1), ended
        machine = anonymize(*more, "--json")
        assert machine.status == 2
        assert set(machine.json["error"]) == {"code", "message", "where"}
        assert machine.json["error"]["message"] in ended.err
        assert files(people) == before
        return ended.err

    return call


@pytest.mark.parametrize("limit", ["5", "-1%", "101%", "abc", "nan", "inf", "-0.1", "5%%", ""])
def test_a_suppression_that_is_no_share(refused: Callable[..., str], limit: str) -> None:
    assert f"suppression is a share between 0 and 1, as 5% or 0.05; it is {limit!r}" in refused(
        *asked("k-anonymity:2"), f"--suppress={limit}"
    )


def test_a_bare_one_is_not_guessed(refused: Callable[..., str]) -> None:
    assert "write 1% or 100%" in refused(*asked("k-anonymity:2"), "--suppress", "1")


@pytest.mark.parametrize("limit", ["1%", "100%", "1.0", "0.05", "0"])
def test_shares_that_are_clear(anonymize: Run, limit: str) -> None:
    assert anonymize(*asked("k-anonymity:2"), "--suppress", limit, "--json").json["status"] == "found"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["-m", "k-anonimity:2"], "no model 'k-anonimity' in this version; did you mean 'k-anonymity'?"),
        (["-m", "k-anonymity:0"], "k must be a whole number of at least 1"),
        (["-m", "k-anonymity"], "k-anonymity takes k"),
        ([], "name at least one model, as in k-anonymity:5"),
        (["-m", "k-anonymity:2", "--minimize", "lost"], "no loss 'lost' in the register; did you mean 'loss'?"),
        (["-m", "k-anonymity:2", "--minimize", "loss.max"], "no loss 'loss.max'"),
        (["-m", "k-anonymity:2", "--algorithm", "optimum"], "no algorithm 'optimum' in this version; did you mean 'optimal'?"),
        (["-m", "k-anonymity:2", "--quasi", "agee"], "no attribute 'agee' in the schema; did you mean 'age'?"),
        (["-m", "k-anonymity:2", "--sensitive", "diseas"], "choose among disease, stay"),
        (["-m", "k-map:2"], "k-map:2 cannot be judged here: no public table to count the population in"),
        (["-m", "delta-presence:0,0.5"], "cannot be judged here: no public table"),
        (["-m", "population-uniqueness:0.1"], "cannot be judged here: the size of the population is not known"),
        (["-m", "multirelational-k-anonymity:2"], "give one the role owner"),
        (["-m", "personalized-privacy:0.5,guard"], "no column 'guard' in the data"),
        (["-m", "em-anonymity:1,2", "--sensitive", "disease"], "em-anonymity judges numbers"),
        (["-m", "t-closeness:0.2,far"], "no distance 'far'"),
        (["-m", "entropy-loss:0.2", "--algorithm", "incognito"], "not monotone"),
        (
            ["-m", "t-closeness:0.2", "--suppress", "5%", "--algorithm", "incognito"],
            "with suppression t-closeness:0.2 is not monotone",
        ),
        (["-m", "k-anonymity:2", "--population", "nowhere.csv"], "no such file"),
        (["-m", "k-anonymity:3", "--budget", "10"], "--budget: is for --algorithm evolutionary"),
        (["-m", "k-anonymity:3", "--relaxed"], "--relaxed: is for --algorithm mondrian"),
        (["-m", "k-anonymity:3", "--split", "loss"], "--split: is for --algorithm mondrian"),
        (["-m", "k-anonymity:3", "--algorithm", "mondrian", "--minimize", "loss"], "Mondrian minimizes no loss by name"),
        (["-m", "t-closeness:2"], "t must be a number between 0 and 1; it is '2'"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(refused: Callable[..., str], given: list[str], message: str) -> None:
    assert message in refused(*given)


def test_an_output_that_exists_is_told_before_the_search_starts(
    anonymize: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def searching(*given: object) -> None:
        raise AssertionError("the search has started")

    monkeypatch.setattr("sfumato.search.algorithms.search.ALGORITHMS", {"optimal": searching})
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    (people / "out.parquet").write_text("precious")
    ended = anonymize(*asked("k-anonymity:2"))
    assert (ended.status, ended.err) == (2, f"sfumato: {people / 'out.parquet'}: exists already; --force replaces it\n")
    assert (people / "out.parquet").read_text() == "precious"
    assert "no such folder" in anonymize(*asked("k-anonymity:2"), output="nowhere/out.parquet").err
    assert "must end in" in anonymize(*asked("k-anonymity:2"), output="out.xlsx").err


def test_a_lattice_too_large_to_hold_proposes_another_way(tmp_path: Path, sfumato: Run) -> None:
    """Twenty-four QIDs of four levels have 4^24 nodes, more than any memory."""
    names = [f"q{place}" for place in range(24)]
    column = '[attributes.{}]\nrole = "quasi"\ntype = "text"\nhierarchy = {{ builder = "prefix", keep = [2, 1] }}\n'
    (tmp_path / "wide.toml").write_text("".join(column.format(name) for name in names))
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), ",".join(["abc"] * 24), ",".join(["abd"] * 24)]) + "\n")
    call = [tmp_path / "wide.csv", "-s", tmp_path / "wide.toml", "-o", tmp_path / "out.parquet", *asked("k-anonymity:2")]
    for command in ("explore", "anonymize"):
        ended = sfumato(command, *call)
        assert ended.status == 2, ended
        assert "evolutionary" in ended.err
        assert "fewer QIDs" in ended.err
    assert not (tmp_path / "out.parquet").exists()


# A larger table


def test_k_map_is_satisfied_with_the_people_of_the_larger_table(anonymize: Run, sfumato: Run, people: Path) -> None:
    more = [*asked("k-map:5"), "--population", people / "all.csv"]
    ended = anonymize(*more, "--json")
    assert ended.status == 0, ended
    assert ended.json["models"][0]["value"] >= 5
    assert sfumato("check", people / "out.parquet", "-s", people / "schema.toml", *more).status == 0
    # The release is part of the larger table, so that k-map asks for less than k-anonymity.
    strict = anonymize(*asked("k-anonymity:5"), "--json", output="strict.parquet").json
    assert ended.json["losses"]["loss"]["total"] <= strict["losses"]["loss"]["total"]


# Beliefs


def test_a_belief_stated_of_everybody_is_the_prior(anonymize: Run, sfumato: Run, people: Path) -> None:
    (people / "beliefs.toml").write_text("[[disease]]\nshares = { flu = 0.5, cold = 0.25, gout = 0.25 }\n")
    more = [*asked("t-closeness:0.4"), "--sensitive", "disease", "--prior", people / "beliefs.toml"]
    ended = anonymize(*more, "--json")
    assert ended.status == 0, ended
    assert ended.json["prior"] == "beliefs.toml over the original table"
    assert ended.json["models"][0]["value"] <= 0.4 + 1e-9


def test_a_belief_stated_of_some_people_is_understood_or_refused_in_one_line(anonymize: Run, people: Path) -> None:
    """Its label stands at one level only, and the nodes of a lattice have several."""
    (people / "beliefs.toml").write_text("[[disease]]\nwhen = { sex = 'f' }\nshares = { flu = 0.9 }\n")
    ended = anonymize(*asked("t-closeness:0.9"), "--sensitive", "disease", "--prior", people / "beliefs.toml")
    assert ended.status in (0, 2), ended
    assert ended.err.count("\n") == (1 if ended.status else 0)
    assert (people / "out.parquet").exists() == (ended.status == 0)
