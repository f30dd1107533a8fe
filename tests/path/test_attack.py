"""`sfumato attack` from end to end: tables, JSON, the report, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from tests.conftest import Ended
from tests.unit.attacks.test_attacks import OUTSIDE, PEOPLE, SCHEMA

Run = Callable[..., Ended]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    pc.write_csv(OUTSIDE, tmp_path / "outside.csv")
    (tmp_path / "people.toml").write_text(sf.Schema.parse(SCHEMA).to_toml(), encoding="utf-8")
    with sf.Table.open(PEOPLE, SCHEMA) as table:
        question = sf.Question(models=["k-anonymity:5"])
        sf.publish(table, node=[2, 1, 1], question=question, output=tmp_path / "out.parquet")
        sf.publish(table, node=[0, 2, 1], output=tmp_path / "ages.csv")
    return tmp_path


@pytest.fixture
def attack(sfumato: Run, people: Path) -> Callable[..., Ended]:
    original = ("-s", people / "people.toml", "--original", people / "people.parquet")
    return lambda *words: sfumato("attack", people / "out.parquet", *original, *words)


def test_the_figures_are_those_of_python(attack: Run, people: Path) -> None:
    record = attack("-a", "skewness:2", "-a", "record-linkage:marketer,errors=0.1", "--seed", "3", "--json").json
    found = sf.attack(
        people / "out.parquet",
        people / "people.toml",
        original=people / "people.parquet",
        attacks=["skewness:2", "record-linkage:marketer,errors=0.1"],
        seed=3,
    )
    assert record.pop("schema_version") == 1
    assert record == json.loads(json.dumps(found.as_dict()))


def test_all_attacks_are_one_table_beside_what_models_claim(attack: Run, people: Path) -> None:
    ended = attack(
        "--all", "--control", people / "outside.csv", "--other", people / "ages.csv", "--external", people / "outside.csv"
    )
    assert ended.status == 0
    assert {line.split()[1] for line in ended.out.splitlines() if line.startswith("│") and "%" in line} >= {
        "record-linkage:marketer",
        "table-linkage",
        "intersection",
        "learned",
        "singling-out",
        "linkability",
        "inference",
    }
    assert "k-anonymity:5" in ended.out.partition("what models claim to stop")[2]


def test_no_value_of_a_record_is_printed(attack: Run, people: Path) -> None:
    words = ("--control", people / "outside.csv", "--other", people / "ages.csv", "--external", people / "outside.csv")
    shown = attack(*words).out + attack(*words, "--json").out
    values = {str(value) for name in ("city", "ill") for value in PEOPLE[name].to_pylist()}
    assert not [value for value in values if value in shown]


def test_the_certificate_of_a_release_is_not_that_of_the_others(attack: Run, people: Path) -> None:
    moved = (people / "out.parquet.certificate.json").rename(people / "moved.json")
    record = attack("--certificate", moved, "--other", people / "ages.csv", "-a", "intersection", "--json").json
    assert [each["model"] for each in record["models"]] == ["k-anonymity:5"]
    assert record["attempts"][0]["figures"] == {"releases": 2}


def test_every_attack_is_named_in_the_help(sfumato: Run) -> None:
    shown = sfumato("attack", "--help").out
    assert [name for name in sf.attacks.ATTACKS if name not in shown] == []


def test_a_narrow_terminal_breaks_no_figure(attack: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = [
        line for line in attack("-a", "background:negative", "-a", "record-linkage:marketer").out.splitlines() if "│" in line
    ]
    assert max(map(len, shown)) <= 80
    assert all(line.count("%") in (0, 4) for line in shown)


def test_the_report_shows_what_was_tried(sfumato: Run, attack: Run, people: Path) -> None:
    (people / "attacked.json").write_text(attack("--json").out, encoding="utf-8")
    page = people / "report.html"
    words = ("report", people / "out.parquet", "-s", people / "people.toml", "-o", page)
    assert sfumato(*words, "--attacked", people / "attacked.json").status == 0
    shown = page.read_text(encoding="utf-8")
    assert "What was tried on this release" in shown
    assert "1 of 3 get through: record-linkage:marketer" in shown
    refused = sfumato(*words, "--force", "--attacked", people / "people.toml")
    assert (refused.status, "not JSON; 'sfumato attack --json' prints what is wanted" in refused.err) == (2, True)
    (people / "attacked.json").write_text("{}", encoding="utf-8")
    refused = sfumato(*words, "--force", "--attacked", people / "attacked.json")
    assert (refused.status, "not what 'sfumato attack --json' prints" in refused.err) == (2, True)


def test_a_release_of_another_tool_needs_no_certificate(sfumato: Run, people: Path) -> None:
    foreign = pa.table(
        {
            "age": [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in PEOPLE["age"].to_pylist()],
            "city": ["*" if city == "Oslo" else city for city in PEOPLE["city"].to_pylist()],
            "weight": [weight + 0.25 for weight in PEOPLE["weight"].to_pylist()],
            "ill": PEOPLE["ill"],
        }
    )
    pc.write_csv(foreign, people / "foreign.csv")
    words = ("attack", people / "foreign.csv", "-s", people / "people.toml", "--original", people / "people.parquet")
    record = sfumato(*words, "--holds", "age,city", "--json").json
    assert record["held"] == ["age", "city"]
    assert next(each["rate"] for each in record["attempts"] if each["attack"] == "record-linkage:marketer") > 0.01
    # Weights that were all changed fit nobody, so that who knows them links nothing; their nearest row still tells.
    changed = sfumato(
        *words, "--naive", "--control", people / "outside.csv", "-a", "record-linkage:marketer", "-a", "inference", "--json"
    ).json
    linked, inferred = changed["attempts"]
    assert (linked["hits"], linked["outcome"], inferred["outcome"]) == (0, "not shown", "gets through")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-a", "homogenity"), "no attack 'homogenity' in this version; did you mean 'homogeneity'?"),
        (("-a", "record-linkage:lawyer"), "no scenario 'lawyer'; choose among prosecutor, journalist, marketer"),
        (("-a", "record-linkage:marketer,2"), "confidence must be a number between 0 and 1; it is '2'"),
        (("-a", "probabilistic:1"), "probabilistic takes no parameter; 1 given"),
        (("-a", "skewness:2,3"), "skewness takes [times], as in skewness:5; 2 given"),
        (("-a", "table-linkage"), "attack table-linkage: needs an external table"),
        (("-a", "inference"), "attack inference: needs a control set"),
        (("-a", "intersection"), "attack intersection: needs a second release"),
        (("-a", "similarity:1,5"), "near values of 'ill' need level 5 below the root"),
        (("-a", "minimality"), "needs a satisfied model that judges each class by its sensitive values"),
        (("--all", "-a", "homogeneity"), "name attacks, or try all of them; not both"),
        (("--attacker", "nieghbor"), "no attacker 'nieghbor' in this version; did you mean 'neighbor'?"),
        (("--holds", "agee"), "no QID 'agee' in the release; did you mean 'age'?"),
        (("--attacker", "neighbor", "--holds", "age"), "name an attacker or the columns, not both"),
    ],
)
def test_what_cannot_be_tried_is_refused_in_one_line(attack: Run, words: tuple[str, ...], message: str) -> None:
    refused = attack(*words)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert len(refused.err.strip().splitlines()) == 1


def test_tables_without_the_columns_are_refused(attack: Run, people: Path) -> None:
    (people / "names.csv").write_text("name,street\nann,oak\n", encoding="utf-8")
    (people / "nobody.csv").write_text("age,city,weight\n", encoding="utf-8")
    refused = attack("--external", people / "names.csv")
    assert (refused.status, "--external: has none of the columns that the attacker holds (age, city, weight)" in refused.err) == (
        2,
        True,
    )
    pc.write_csv(OUTSIDE.drop_columns(["ill"]), people / "short.csv")
    refused = attack("--control", people / "short.csv")
    assert (refused.status, "--control: has no column 'ill'" in refused.err) == (2, True)
    assert (attack("--external", people / "nobody.csv").status, attack("--external", people / "absent.csv").status) == (2, 2)


def test_without_the_original_nobody_can_say_who_is_right(sfumato: Run, people: Path) -> None:
    refused = sfumato("attack", people / "out.parquet", "-s", people / "people.toml")
    assert (refused.status, "--original: name the original table" in refused.err) == (2, True)


def test_a_release_without_a_sensitive_attribute_can_still_be_linked(sfumato: Run, people: Path) -> None:
    attributes: Any = {name: each for name, each in SCHEMA["attributes"].items() if name != "ill"}
    (people / "bare.toml").write_text(sf.Schema.parse({"attributes": attributes}).to_toml(), encoding="utf-8")
    pq.write_table(PEOPLE.drop_columns(["ill"]), people / "bare.parquet")
    words = ("attack", people / "bare.parquet", "-s", people / "bare.toml", "--original", people / "people.parquet")
    record = sfumato(*words, "--json").json
    outcomes = {each["attack"]: each["outcome"] for each in record["attempts"]}
    assert outcomes["record-linkage:prosecutor"] == "gets through"
    assert outcomes["homogeneity"] == "not applicable"


def test_record_linkage_is_tried_in_one_scenario(attack: Run) -> None:
    found = attack("--scenario", "marketer", "--json").json
    assert [each["attack"] for each in found["attempts"] if each["threat"] == "R" and "rate" in each] == [
        "record-linkage:marketer"
    ]
    (named,) = attack("-a", "record-linkage", "--scenario", "journalist", "--json").json["attempts"]
    assert named["attack"] == "record-linkage:journalist"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--scenario", "lawyer"), "no scenario 'lawyer'; choose among prosecutor, journalist, marketer"),
        (("--scenario", "marketer", "-a", "homogeneity"), "--scenario: only record linkage has scenarios"),
    ],
)
def test_a_scenario_must_be_one_of_record_linkage(attack: Run, words: tuple[str, ...], message: str) -> None:
    refused = attack(*words)
    assert (refused.status, message in refused.err) == (2, True)


def test_what_a_blind_attacker_fails_at_is_not_shown_in_the_claims_and_in_the_report(sfumato: Run, people: Path) -> None:
    words = ("-s", people / "people.toml")
    sanitized = ("--method", "microaggregate:3", "-m", "k-anonymity:3", "-o", people / "groups.parquet")
    sfumato("sanitize", people / "people.parquet", *words, *sanitized)
    attacked = ("attack", people / "groups.parquet", *words, "--original", people / "people.parquet")
    naive, knowing = sfumato(*attacked, "--naive").out, sfumato(*attacked).out
    assert "not shown" in naive
    assert "show nothing about them" in naive
    assert "not shown" not in knowing
    assert "the attacker knows that microaggregate:3 changed age, city, weight" in knowing
    (people / "naive.json").write_text(sfumato(*attacked, "--naive", "--json").out, encoding="utf-8")
    sfumato("report", people / "groups.parquet", *words, "--attacked", people / "naive.json", "-o", people / "page.html")
    page = (people / "page.html").read_text(encoding="utf-8")
    assert page.count("not shown") > 2  # what it means, an attack, and a claim
