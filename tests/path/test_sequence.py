"""`sfumato sequence` and `--together` from the outside: a hospital's two quarters worked by hand, releases that break a bound together,
the next m-invariant release, and what is refused. What a named ledger does without being asked is in `test_named_ledger`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

import sfumato as sf
from sfumato.errors import BadInput, DataError, DataSayNo, NotVerified, UsageError
from sfumato.release import Output, publishing
from sfumato.release.invariant import plausible, require_invariant
from sfumato.sequence import members

Run = Callable[..., Any]

SCHEMA = """
[attributes.patient]
role = "owner"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [20, 40], lower = 0, upper = 120 }

[attributes.diagnosis]
role = "sensitive"
"""
FIRST = {"ann": (23, "flu"), "ben": (27, "gastritis"), "cid": (61, "flu"), "dot": (68, "bronchitis")}
# Ben has left, Eve and Fay have come. Each table is 2-diverse by decades of twenty years; Ann's group had flu and gastritis, and has flu
# and dyspepsia now. Only flu is in both.
SECOND = {"ann": (23, "flu"), "eve": (38, "dyspepsia"), "cid": (61, "flu"), "dot": (68, "bronchitis"), "fay": (63, "gastritis")}


def _table(path: Path, people: dict[str, tuple[int, str]]) -> Path:
    lines = [f"{name},{age},{diagnosis}" for name, (age, diagnosis) in people.items()]
    path.write_text("\n".join(["patient,age,diagnosis", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def hospital(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hospital.toml").write_text(SCHEMA, encoding="utf-8")
    _table(tmp_path / "q1.csv", FIRST)
    _table(tmp_path / "q2.csv", SECOND)
    return tmp_path


def _publish(sfumato: Run, table: str, out: str, *more: object, node: str = "age=1", ledger: str = "ledger") -> Any:
    model = () if "-m" in more else ("-m", "distinct-diversity:2")
    return sfumato("publish", table, "-s", "hospital.toml", "--node", node, *model, "-o", out, "--ledger", ledger, *more)


def test_two_quarters_that_are_diverse_alone_single_out_a_diagnosis_together(sfumato: Run, hospital: Path) -> None:
    assert _publish(sfumato, "q1.csv", "r1.csv").status == 0
    assert _publish(sfumato, "q2.csv", "r2.csv", "--together", "none").status == 0
    ended = sfumato("sequence", "audit", "ledger", "-s", "hospital.toml", "--json")
    assert ended.status == 1
    record = ended.json
    assert [each["file"] for each in record["releases"]] == ["r1.csv", "r2.csv"]
    (sensitive,) = record["sensitive"]
    one, two = (step["intersecting"] for step in sensitive["steps"])
    assert one["by_candidates"] == {"2": 4}
    # Ann: flu. Ben: flu or gastritis. Eve: flu or dyspepsia. Cid, Dot: flu or bronchitis. Fay: flu, bronchitis or gastritis.
    assert two["by_candidates"] == {"1": 1, "2": 4, "3": 1}
    assert two["certain"] == 1
    # Who links has classes (20s; absent), (20s; 20s), (absent; 20s), (60s; 60s), (absent; 60s): all of one value but Cid's and Dot's.
    assert sensitive["steps"][1]["linking"]["alone"] == 4
    (broken,) = record["broken"]
    assert (broken["model"], broken["releases"], broken["people"]) == ("distinct-diversity:2", ["1", "2"], 4)


def test_after_m_invariance_nobody_is_singled_out(sfumato: Run, hospital: Path) -> None:
    first = ("-m", 2, "--map", "m1.csv", "-o", "i1.csv", "--ledger", "invariant", "--seed", 1)
    assert sfumato("sequence", "next", "q1.csv", "-s", "hospital.toml", *first).status == 0
    second = ("-m", 2, "--after", "m1.csv", "--map", "m2.csv", "-o", "i2.csv", "--ledger", "invariant", "--counterfeits", "50%")
    made = sfumato("sequence", "next", "q2.csv", "-s", "hospital.toml", *second, "--seed", 1, "--json")
    assert made.status == 0
    assert (made.json["stayed"], made.json["newcomers"]) == (3, 2)
    certificate = json.loads((hospital / "i2.csv.certificate.json").read_text(encoding="utf-8"))
    method = certificate["method"]
    assert (method["name"], method["m"], method["groups"]) == ("m-invariance", 2, made.json["groups"])
    assert sum(method["counterfeits"].values()) == made.json["counterfeits"] == certificate["rows"] - len(SECOND)
    assert sfumato("verify", "i2.csv").status == 0
    ended = sfumato("sequence", "audit", "invariant", "-s", "hospital.toml", "--json")
    assert ended.status == 0
    (sensitive,) = ended.json["sensitive"]
    assert all(step["intersecting"]["certain"] == 0 for step in sensitive["steps"])
    assert sensitive["steps"][1]["intersecting"]["by_candidates"] == {"2": 6}
    assert ended.json["m_invariance"][0]["m"] == 2
    shown = sfumato("sequence", "audit", "invariant", "-s", "hospital.toml")
    assert "kept together: m-invariance:2" in shown.out
    # The owner's map is nobody else's, and the file has no owner.
    assert (hospital / "m2.csv").stat().st_mode & 0o077 == 0
    assert "ann" not in (hospital / "i2.csv").read_text(encoding="utf-8")


def test_a_release_that_breaks_a_bound_with_an_earlier_one_is_refused_and_nothing_is_left(sfumato: Run, hospital: Path) -> None:
    assert _publish(sfumato, "q1.csv", "r1.csv", "--together", "promised").status == 0
    before = sorted(each.name for each in hospital.rglob("*"))
    refused = _publish(sfumato, "q2.csv", "r2.csv", "--together", "promised")
    assert refused.status == 1
    assert "releases 1 and this one together break distinct-diversity:2 of diagnosis for 4 people" in refused.err
    assert refused.err.count("\n") == 1
    assert sorted(each.name for each in hospital.rglob("*")) == before
    found = ("anonymize", "q2.csv", "-s", "hospital.toml", "-m", "k-anonymity:2", "-o", "r2.csv", "--ledger", "ledger")
    assert sfumato(*found, "--together", "k-anonymity:2").status == 1
    assert sfumato(*found, "--together", "k-anonymity:1").status == 0


def test_people_who_are_suppressed_in_one_release_and_not_in_another_are_found(sfumato: Run, hospital: Path) -> None:
    """Five people in one class; in the second release one of three classes is suppressed, and its single person stands out."""
    people = {"a": (21, "flu"), "b": (22, "flu"), "c": (41, "flu"), "d": (42, "cold"), "e": (65, "cold")}
    _table(hospital / "five.csv", people)
    assert _publish(sfumato, "five.csv", "top.csv", "-m", "k-anonymity:2", node="age=3").status == 0
    more = ("-m", "k-anonymity:2", "--suppress", "20%")
    assert _publish(sfumato, "five.csv", "low.csv", *more, "--together", "promised").status == 1
    assert _publish(sfumato, "five.csv", "low.csv", *more, "--together", "none").status == 0
    audited = sfumato("sequence", "audit", "ledger", "-s", "hospital.toml", "--json")
    assert audited.json["broken"][0]["people"] == 1
    (hospital / "low.csv").unlink()
    ended = sfumato("sequence", "audit", "ledger", "-s", "hospital.toml")
    assert (
        ended.status,
        "the file of release 2 (low.csv) is gone, and it says who was suppressed; put it back\n" in ended.err,
    ) == (2, True)


def test_one_count_at_the_meet_says_the_same_as_rows_joined_by_owner(hospital: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table without owners is counted once in the engine; with owners its rows are read. Both are the same people."""
    people = {f"p{n}": (20 + 7 * n % 40, ("flu", "cold", "gastritis")[n * n % 7 % 3]) for n in range(60)}
    _table(hospital / "sixty.csv", people)
    (hospital / "rows.toml").write_text(SCHEMA.replace('"owner"', '"identifier"'), encoding="utf-8")
    read: list[str] = []
    by_owner = members.by_owner
    monkeypatch.setattr(members, "by_owner", lambda table, quasi: read.append(table.source.name) or by_owner(table, quasi))
    steps = {}
    for schema in ("rows.toml", "hospital.toml"):
        for level in (0, 1, 2):
            question = sf.Question(models=["k-anonymity:2"], suppress="40%")
            output = f"{schema}-{level}.csv"
            options = {"output": output, "ledger": schema + "-ledger", "together": "none"}
            sf.publish("sixty.csv", schema, node=[level], question=question, **options)
        assert read == []  # publishing reads nothing if nothing is judged
        steps[schema] = sf.sequence.audit(schema + "-ledger", schema).steps["diagnosis"]
        assert read == (["sixty.csv"] if schema == "hospital.toml" else [])
    assert steps["rows.toml"] == steps["hospital.toml"]
    # At level 0 twenty ages have two people each, and the twenty who are suppressed share their class at level 1 with others of them.
    assert (steps["rows.toml"][-1].people, steps["rows.toml"][-1].smallest) == (60, 2)


def test_of_three_releases_the_pair_that_breaks_is_named(tmp_path: Path) -> None:
    """The 100 people of tests/unit/sequence/test_coalitions.py, as a table of a single year and without owners."""
    from tests.unit.sequence.test_coalitions import HUNDRED, THE_ONE

    rows = [(*cell, "well") for cell, count in HUNDRED.items() for _ in range(count)] + [(*THE_ONE, "ill")]
    text = "\n".join(["a,b,c,state", *(",".join(map(str, row)) for row in rows)]) + "\n"
    (tmp_path / "hundred.csv").write_text(text, encoding="utf-8")
    schema = sf.Schema.of(tmp_path / "hundred.csv", quasi=["a", "b", "c"], sensitive="state")
    (tmp_path / "s.toml").write_text(schema.to_toml(), encoding="utf-8")
    options: dict[str, Any] = {"schema": tmp_path / "s.toml", "ledger": tmp_path / "ledger"}
    for name in "acb":
        sf.publish(tmp_path / "hundred.csv", quasi=name, node=[0], output=tmp_path / f"{name}.csv", **options)
    audited = sf.sequence.audit(tmp_path / "ledger", tmp_path / "s.toml", together="entropy-loss:0.2")
    (broken,) = audited.broken
    assert (broken.releases, broken.people) == (("1", "3"), 5)
    assert sf.sequence.audit(tmp_path / "ledger", tmp_path / "s.toml", together="entropy-loss:0.2", only=[1, 2]).kept
    assert audited.table().rows[2][0] == 3
    assert audited.plot().to_dict()["title"]["text"].startswith("What somebody knows")
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").unlink()  # nobody was suppressed, so the files are not needed
    assert len(sf.sequence.audit(tmp_path / "ledger", tmp_path / "s.toml", together="entropy-loss:1").broken) == 0


def test_a_ledger_of_another_table_and_other_bad_input_get_one_line(sfumato: Run, hospital: Path) -> None:
    assert _publish(sfumato, "q1.csv", "r1.csv").status == 0
    _table(hospital / "other.csv", {"zoe": (50, "flu"), "yan": (51, "cold")})
    (hospital / "other.toml").write_text(SCHEMA.replace("40", "60"), encoding="utf-8")
    (hospital / "no.toml").write_text(SCHEMA.replace('"owner"', '"identifier"'), encoding="utf-8")
    (hospital / "notes.txt").write_text("owner,group\n", encoding="utf-8")
    audit = ("sequence", "audit", "ledger", "-s", "hospital.toml")
    following = ("sequence", "next", "q1.csv", "-s", "hospital.toml", "-o", "n.csv")
    wrong = {
        "the ledger is one of another table": (*audit, "other.csv"),
        "no release in this ledger was made under this schema (it has 1 release of others)": (*audit[:3], "-s", "other.toml"),
        "the ledger has no release 7": (*audit, "--only", "7"),
        "numbers of entries with commas between": (*audit, "--only", "x"),
        "no ledger here": ("sequence", "audit", "nowhere", "-s", "hospital.toml"),
        "no such file": (*audit[:3], "-s", "nothing.toml"),
        "--together: no model 'k-anonimity'": (*audit, "--together", "k-anonimity:3"),
        "one for the map that the next release begins with": (*following, "-m", 2),
        "the map of the release before is not here": (*following, "-m", 2, "--map", "m.csv", "--after", "nothing.csv"),
        "not a map of an m-invariant release": (*following, "-m", 2, "--map", "m.csv", "--after", "notes.txt"),
        "no owner column": ("sequence", "next", "q1.csv", "-s", "no.toml", "-m", 2, "--map", "m.csv", "-o", "n.csv"),
        "whole number of at least 2": (*following, "-m", 1, "--map", "m.csv"),
        "a share between 0 and 1": (*following, "-m", 2, "--map", "m.csv", "--counterfeits", "many"),
        "enough for": ("sequence", "churn", "q1.csv", "-s", "no.toml", "-o", "f", "--people", 100),
        "has an owner column": ("sequence", "churn", "q1.csv", "-s", "hospital.toml", "-o", "f"),
    }
    for message, command in wrong.items():
        ended = sfumato(*command)
        assert (ended.status, ended.err.count("\n")) == (2, 1), (message, ended.err)
        assert message in ended.err
        assert "Traceback" not in ended.err


def test_tables_that_cannot_be_joined_are_refused(sfumato: Run, hospital: Path) -> None:
    schema = (hospital / "hospital.toml").read_text(encoding="utf-8")
    (hospital / "no.toml").write_text(schema.replace('"owner"', '"identifier"'), encoding="utf-8")
    for number in (1, 2):
        table, out = f"q{number}.csv", f"r{number}.csv"
        ended = sfumato("publish", table, "-s", "no.toml", "--node", "age=1", "-o", out, "--ledger", "plain")
        assert ended.status == 0
    unknown = sfumato("sequence", "audit", "plain", "-s", "no.toml")
    assert (unknown.status, "without an owner column nobody knows which rows are one person's" in unknown.err) == (2, True)
    assert sfumato("sequence", "audit", "plain", "-s", "no.toml", "--only", 1).status == 0
    twice = {"ann": (23, "flu"), "ben": (27, "cold")}
    _table(hospital / "twice.csv", twice)
    with (hospital / "twice.csv").open("a", encoding="utf-8") as file:
        file.write("ann,23,cold\n")
    assert _publish(sfumato, "q1.csv", "a1.csv", ledger="rows").status == 0
    assert _publish(sfumato, "twice.csv", "a2.csv", "-m", "k-anonymity:1", ledger="rows").status == 0
    several = sfumato("sequence", "audit", "rows", "-s", "hospital.toml")
    assert (several.status, "3 rows of 2 people" in several.err) == (2, True)
    assert "ann" not in several.err


def test_a_table_that_has_changed_since_and_a_broken_chain_are_refused(sfumato: Run, hospital: Path) -> None:
    assert _publish(sfumato, "q1.csv", "r1.csv").status == 0
    kept = (hospital / "q1.csv").read_text(encoding="utf-8")
    _table(hospital / "q1.csv", SECOND)
    audit = ("sequence", "audit", "ledger", "-s", "hospital.toml")
    changed = sfumato(*audit)
    assert (changed.status, "has changed since" in changed.err) == (2, True)
    (hospital / "kept.csv").write_text(kept, encoding="utf-8")
    assert sfumato(*audit, "kept.csv").status == 0
    entry = hospital / "ledger" / "00000001.json"
    entry.write_text(entry.read_text(encoding="utf-8").replace('"people": 4', '"people": 5'), encoding="utf-8")
    broken = sfumato(*audit, "kept.csv")
    assert (broken.status, "digest differs" in broken.err) == (1, True)


def test_releases_whose_people_cannot_be_followed_are_refused_in_one_line(sfumato: Run, hospital: Path) -> None:
    noise = ("sanitize", "q1.csv", "-s", "hospital.toml", "--method", "noise:gaussian,0.1", "-o", "y.csv", "--ledger", "l")
    assert sfumato(*noise).status == 0
    assert _publish(sfumato, "q1.csv", "z.csv", ledger="l").status == 0
    audit = ("sequence", "audit", "l", "-s", "hospital.toml")
    ended = sfumato(*audit)
    assert (ended.status, "was made by noise" in ended.err, "audit the others (--only)" in ended.err) == (2, True, True)
    assert sfumato(*audit, "--only", 2).status == 0


def test_a_release_that_came_in_between_is_judged_with_what_was_asked_for(
    hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else publishes while this one is judged: the ledger is no longer the one that it was judged with."""
    options: dict[str, Any] = {"schema": "hospital.toml", "ledger": "ledger"}
    sf.publish("q1.csv", node=[3], output="r1.csv", **options)
    enter = publishing._enter

    def slowly(*arguments: Any) -> Any:
        monkeypatch.setattr(publishing, "_enter", enter)
        sf.publish("q1.csv", node=[0], output="between.csv", **options)
        return enter(*arguments)

    monkeypatch.setattr(publishing, "_enter", slowly)
    with pytest.raises(DataSayNo, match="releases 2 and this one together break k-anonymity:2 for 4 people"):
        sf.publish("q1.csv", node=[1], output="late.csv", together="k-anonymity:2", **options)
    assert not (hospital / "late.csv").exists()


def test_what_must_be_kept_together_has_to_be_judgeable(hospital: Path) -> None:
    options: dict[str, Any] = {"schema": "hospital.toml", "node": [1], "ledger": "ledger"}
    sf.publish("q1.csv", output="r1.csv", **options)
    with pytest.raises(UsageError, match="asks for nothing"):
        sf.publish("q1.csv", output="r2.csv", together="promised", **options)
    with pytest.raises(UsageError, match="in memory enters no ledger"):
        sf.publish("q1.csv", together="k-anonymity:2", **options)
    with pytest.raises(UsageError, match="cannot be judged on several releases"):
        sf.publish("q1.csv", output="r2.csv", together="average-risk:0.5", **options)
    assert sf.publish("q1.csv", output="r2.csv", together=["k-anonymity:2"], **options).path == Path("r2.csv")
    with pytest.raises(UsageError, match="schema"):
        sf.sequence.audit("ledger")


def test_counterfeits_are_limited_and_a_forged_invariant_release_does_not_verify(sfumato: Run, hospital: Path) -> None:
    first = sf.sequence.next_release("q1.csv", "hospital.toml", m=2, output="i1.csv", mapping="m1.csv", ledger="l", seed=3)
    assert (first.people, first.stayed, first.counterfeits) == (4, 0, 0)
    with pytest.raises(DataSayNo, match="counterfeits would be needed"):
        sf.sequence.next_release(
            "q2.csv",
            "hospital.toml",
            m=2,
            after="m1.csv",
            output="i2.csv",
            mapping="m2.csv",
            ledger="l",
            counterfeits=0.0,
            seed=3,
        )
    assert not Path("i2.csv").exists()
    with pytest.raises(UsageError, match="take its m"):
        sf.sequence.next_release(
            "q2.csv", "hospital.toml", m=3, after="m1.csv", output="i2.csv", mapping="m2.csv", ledger="l", seed=3
        )
    released = Path("i1.csv").read_text(encoding="utf-8")
    Path("i1.csv").write_text(released.replace("bronchitis", "gastritis"), encoding="utf-8")
    assert sfumato("verify", "i1.csv").status == 1
    ended = sfumato("sequence", "audit", "l", "-s", "hospital.toml")
    assert (ended.status, "was changed" in ended.err) == (1, True)
    Path("i1.csv").write_text(released, encoding="utf-8")
    Path("m1.csv").unlink()
    with pytest.raises(DataError, match="map of release 1"):
        sf.sequence.audit("l", "hospital.toml")


def test_an_invariant_certificate_that_says_too_much_is_refused(hospital: Path) -> None:
    """The digest of a file only shows that it is the certified one; what is said about its groups is compared, too."""
    made = sf.sequence.next_release("q1.csv", "hospital.toml", m=2, output="i.csv", mapping="m.csv", ledger="l", seed=3)
    certificate = made.release.certificate
    method = dict(certificate.method or {})
    require_invariant(sf.Source("i.csv"), certificate)
    for wrong, reason in (
        ({"m": 3}, "fewer than 3 records"),
        ({"groups": 3}, "other groups"),
        ({"counterfeits": {"1": 3}}, "more counterfeits than records"),
    ):
        with pytest.raises(NotVerified, match=reason):
            require_invariant(sf.Source("i.csv"), replace(certificate, method=cast("Any", {**method, **wrong})))
    Path("twice.csv").write_text("age,group,diagnosis\n*,1,flu\n*,1,flu\n*,2,flu\n*,2,cold\n", encoding="utf-8")
    with pytest.raises(NotVerified, match="a sensitive value twice"):
        require_invariant(sf.Source("twice.csv"), certificate)
    assert plausible(cast("Any", method))
    for wrong in ({"m": 1}, {"parameters": "3"}, {"judged": "groups"}, {"counterfeits": {"9": 1}}, {"counterfeits": {"x": 1}}):
        assert not plausible(cast("Any", {**method, **wrong}))


def test_the_same_seed_gives_the_same_release(hospital: Path) -> None:
    files = []
    for name in ("a", "b"):
        sf.sequence.next_release(
            "q1.csv", "hospital.toml", m=2, output=f"{name}.csv", mapping=f"{name}.map.csv", ledger=name, seed=7
        )
        files.append((Path(f"{name}.csv").read_bytes(), Path(f"{name}.map.csv").read_bytes()))
    assert files[0] == files[1]


def test_somebody_whose_diagnosis_changes_counts_as_another_person(sfumato: Run, hospital: Path) -> None:
    _table(hospital / "q2.csv", {**FIRST, "ann": (23, "gastritis")})
    for number in (1, 2):
        assert _publish(sfumato, f"q{number}.csv", f"r{number}.csv", "-m", "k-anonymity:2", "--together", "none").status == 0
    ended = sfumato("sequence", "audit", "ledger", "-s", "hospital.toml", "--together", "k-anonymity:1")
    assert (ended.status, "1 person came again with another sensitive value" in ended.out) == (0, True)


def test_a_value_that_changes_back_has_its_first_signature_again(hospital: Path) -> None:
    """Ann has flu among {flu, gastritis}, then bronchitis in a group without gastritis, then flu again, while others come and go."""
    after, values = None, ["flu", "gastritis"]
    for year, own in enumerate(["flu", "bronchitis", "dyspepsia", "bronchitis", "flu", "dyspepsia"]):
        others = values if year == 0 else ["flu", "bronchitis", "dyspepsia"]
        people = {f"{year}-{number}": (20 + number, others[number % len(others)]) for number in range(6)}
        _table(hospital / "year.csv", {"ann": (23, own), **({"bob": (24, "gastritis")} if year == 0 else {}), **people})
        (hospital / "year.csv").rename(hospital / f"year-{year}.csv")
        mapping = f"map-{year}.csv"
        sf.sequence.next_release(
            *(f"year-{year}.csv", "hospital.toml"),
            m=2,
            after=after,
            output=f"out-{year}.csv",
            mapping=mapping,
            ledger="back",
            seed=year,
            counterfeits=0.99,
        )
        after = mapping
    audited = sf.sequence.audit("back", "hospital.toml")
    assert audited.kept
    assert [(each.m, sum(people for *_, people in each.moved)) for each in audited.invariance] == [(2, 0)]
    lines = [line for line in Path(mapping).read_text(encoding="utf-8").splitlines() if line.startswith("ann,")]
    assert len(lines) > 1
    assert sum(not line.startswith("ann,,") for line in lines) == 1


def test_a_signature_in_another_order_is_the_same(hospital: Path) -> None:
    """Whoever has the same values must be able to share a group, in whichever order a map lists them."""
    Path("other.csv").write_text(
        'owner,group,signature\nann,1,"[""flu"", ""gastritis""]"\nben,,"[""gastritis"", ""flu""]"\n', encoding="utf-8"
    )
    _table(hospital / "two.csv", {"ann": (23, "flu"), "ben": (27, "gastritis")})
    made = sf.sequence.next_release(
        "two.csv", "hospital.toml", m=2, after="other.csv", output="o.csv", mapping="o.map.csv", ledger="o", seed=1
    )
    assert (made.groups, made.stayed, made.counterfeits) == (1, 2, 0)


def test_churn_makes_tables_of_which_the_asked_share_changes(sfumato: Run, tmp_path: Path) -> None:
    rows = "\n".join(f"{age},flu" for age in range(40))
    (tmp_path / "t.csv").write_text(f"age,diagnosis\n{rows}\n", encoding="utf-8")
    (tmp_path / "s.toml").write_text(SCHEMA.partition("[attributes.age]")[2].join(["[attributes.age]", ""]), encoding="utf-8")
    made = (
        "sequence",
        "churn",
        tmp_path / "t.csv",
        "-s",
        tmp_path / "s.toml",
        "--years",
        3,
        "--share",
        "20%",
        "-o",
        tmp_path / "y",
    )
    assert sfumato(*made, "--people", 20).status == 0
    owners = [
        {line.partition(",")[0] for line in (tmp_path / "y" / f"year-{year}.csv").read_text(encoding="utf-8").splitlines()[1:]}
        for year in (1, 2, 3)
    ]
    assert [len(each) for each in owners] == [20, 20, 20]
    assert [len(one & other) for one, other in pairwise(owners)] == [16, 16]
    assert not (owners[2] - owners[1]) & owners[0]
    assert sf.Schema.read(tmp_path / "y" / "schema.toml").owner == "person"
    with pytest.raises(BadInput):
        sf.sequence.churn(tmp_path / "t.csv", tmp_path / "s.toml", folder=tmp_path / "y", years=0)


def test_starred_people_are_a_class_of_their_own(sfumato: Run, hospital: Path) -> None:
    (hospital / "hospital.toml").write_text('[table]\nsuppressed = "star"\n' + SCHEMA, encoding="utf-8")
    people = {name: (age, "flu") for name, age in zip("abcdef", (21, 22, 41, 42, 65, 85), strict=True)}
    _table(hospital / "six.csv", people)
    assert _publish(sfumato, "six.csv", "low.csv", "-m", "k-anonymity:2", "--suppress", "40%").status == 0
    audited = sfumato("sequence", "audit", "ledger", "-s", "hospital.toml", "--json")
    assert audited.json["sensitive"][0]["steps"][0]["people"] == 6
    assert Output(output="x.csv").path == Path("x.csv")


@pytest.fixture
def quarters(sfumato: Run, hospital: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both quarters, each published as if there were no other: into the ledger of no table in particular."""
    monkeypatch.setenv("SFUMATO_LEDGER", "ledger")
    for number in (1, 2):
        made = ("publish", f"q{number}.csv", "-s", "hospital.toml", "--node", "age=1", "-m", "distinct-diversity:2")
        assert sfumato(*made, "-o", f"r{number}.csv").status == 0
    return hospital


REPORT = ("sequence", "report", "ledger", "-s", "hospital.toml")


def test_the_report_is_a_page_whatever_it_says(sfumato: Run, quarters: Path) -> None:
    ended = sfumato(*REPORT, "-o", "page.html")
    assert ended.status == 0  # `audit` fails on a broken model
    assert "releases 1 and 2 together break distinct-diversity:2 of diagnosis for 4 people" in ended.out
    assert ended.out.endswith("wrote page.html\n")
    written = Path("page.html").read_text(encoding="utf-8")
    assert "✗ Broken. Releases 1 and 2 together break distinct-diversity:2 of diagnosis for 4 people." in written
    assert not re.search(r"\b(ann|ben|cid|dot|eve|fay|flu|gastritis|bronchitis|dyspepsia)\b", written.partition("</style>")[2])
    audited = sf.sequence.audit("ledger", "hospital.toml")
    assert audited.report("again.html") == Path("again.html")
    assert Path("again.html").read_text(encoding="utf-8") == written


def test_the_report_for_machines_is_the_audit_and_where_the_page_is(sfumato: Run, quarters: Path) -> None:
    audited = sfumato("sequence", "audit", "ledger", "-s", "hospital.toml", "--json").json
    made = sfumato(*REPORT, "-o", "page.html", "--json").json
    assert made == {**audited, "written": "page.html"}
    pair = next(each for each in made["pairs"] if each["releases"] == ["1", "2"])
    assert (pair["people"], pair["alone"], pair["certain"], pair["harmed"]) == (
        6,
        4,
        {"diagnosis": 1},
        {"distinct-diversity:2": 4},
    )
    assert made["alike"][1] == {"releases": 2, "people": 6, "groups": 5, "smallest": 1, "alone": 4}
    assert [(each["table"], Path(each["source"]).name) for each in made["releases"]] == [(1, "q1.csv"), (2, "q2.csv")]


def test_a_report_replaces_nothing_unless_it_is_forced_and_is_refused_in_one_line(sfumato: Run, quarters: Path) -> None:
    Path("page.html").write_text("kept", encoding="utf-8")
    (quarters / "empty").mkdir()
    before = sorted(quarters.rglob("*"))
    wrong = {
        "exists already": (*REPORT, "-o", "page.html"),
        "must end in .html": (*REPORT, "-o", "page.pdf"),
        "the ledger has no release 7": (*REPORT, "-o", "new.html", "--only", "7"),
        "this ledger has no release yet": ("sequence", "report", "empty", "-s", "hospital.toml", "-o", "new.html"),
        "Missing option": REPORT,
    }
    for message, command in wrong.items():
        ended = sfumato(*command)
        assert (ended.status, ended.err.count("\n") >= 1) == (2, True), (message, ended.err)
        assert message in ended.err
    assert sorted(quarters.rglob("*")) == before
    assert Path("page.html").read_text(encoding="utf-8") == "kept"
    assert sfumato(*REPORT, "-o", "page.html", "--force").status == 0
    assert "</html>" in Path("page.html").read_text(encoding="utf-8")


def test_a_report_on_one_release_and_on_some_of_a_ledger_of_several_schemas(sfumato: Run, quarters: Path) -> None:
    Path("coarse.toml").write_text(SCHEMA.replace("20, 40", "30, 60"), encoding="utf-8")
    coarse = ("publish", "q1.csv", "-s", "coarse.toml", "--node", "age=1", "-o", "r3.csv")
    assert sfumato(*coarse).status == 0
    made = sfumato(*REPORT, "-o", "page.html", "--only", 1, "--json").json
    left_out = [(each["number"], each["file"], each["reason"]) for each in made["not_audited"]]
    assert left_out == [("2", "r2.csv", "not asked for"), ("3", "r3.csv", "not asked for")]
    assert "Nothing to put together yet" in Path("page.html").read_text(encoding="utf-8")
    whole = sfumato(*REPORT, "-o", "page.html", "--force", "--json").json
    assert whole["not_audited"] == [{"number": "3", "file": "r3.csv", "reason": "made under another schema"}]
    assert whole["other_releases"] == 1


def test_what_the_page_advises_can_be_run(sfumato: Run, quarters: Path) -> None:
    """The commands on the page, with names for what is in capitals."""
    assert sfumato(*REPORT, "-o", "page.html").status == 0
    following, again = _commands(Path("page.html"))
    assert following[1:3] == ["sequence", "next"]
    assert sfumato(*_filled(following, "q1.csv", "m1.csv", "n1.csv")).status == 0
    assert sfumato(*again[1:], "--force").status == 0
    assert sfumato("sequence", "report", "fresh", "-s", "hospital.toml", "-o", "fresh.html").status == 0
    goes_on, _ = _commands(Path("fresh.html"))
    assert str(quarters / "m1.csv") in goes_on
    ended = sfumato(*_filled(goes_on, "q2.csv", "m2.csv", "n2.csv"), "--counterfeits", "50%")
    assert ended.status == 0, ended.err
    assert _publish(sfumato, "q1.csv", "k1.csv", ledger="kept").status == 0
    assert sfumato("sequence", "report", "kept", "-s", "hospital.toml", "-o", "kept.html").status == 0
    asks, *_ = _commands(Path("kept.html"))
    refused = sfumato(*_filled(asks, "q2.csv", "", "k2.csv"))
    assert (refused.status, "together break" in refused.err) in {(1, True), (0, False)}, refused.err


def _commands(page: Path) -> list[list[str]]:
    found = re.findall(r"<pre><code>(.*?)</code></pre>", page.read_text(encoding="utf-8"))
    return [shlex.split(unescape(each)) for each in found]


def _filled(command: list[str], table: str, mapping: str, release: str) -> list[str]:
    names = {"TABLE": table, "NEW-MAP": mapping, "RELEASE": release, "NEW-LEDGER": "fresh"}
    return [names.get(word, word) for word in command[1:]]
