"""A named ledger is a sequence: what `publish` and `anonymize` refuse without being asked, what they publish with a warning, and what they
do not look at. What can be asked for with `--together` is in `test_sequence`."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import DataSayNo, NotVerified, OutputError, TogetherWarning, UsageError
from sfumato.release import publishing
from sfumato.release.together import JudgedTogether
from sfumato.sequence import coalitions, guard

Run = Callable[..., Any]

OWNED = """
[attributes.name]
role = "owner"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [10, 20, 40], lower = 0, upper = 80 }

[attributes.sex]
role = "quasi"

[attributes.ill]
role = "sensitive"
"""
# Nobody knows whose row is whose: releases of one table can be put together, and those of two cannot.
ROWS = OWNED.replace('"owner"', '"identifier"')
KEPT = "kept together with release"


def _people(path: Path, ages: list[int], *, ill: str = "flu cold", first: int = 0) -> Path:
    values = ill.split()
    lines = [f"p{first + n},{age},{'FM'[n % 2]},{values[n % len(values)]}" for n, age in enumerate(ages)]
    path.write_text("\n".join(["name,age,sex,ill", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixteen people, two of each sex in every decade."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.toml").write_text(ROWS, encoding="utf-8")
    (tmp_path / "owned.toml").write_text(OWNED, encoding="utf-8")
    _people(tmp_path / "t.csv", [10 * decade + year for decade in range(4) for year in (1, 1, 2, 2)])
    return tmp_path


def _publish(sfumato: Run, out: str, node: str, *more: object, table: str = "t.csv", schema: str = "rows.toml") -> Any:
    return sfumato("publish", table, "-s", schema, "--node", node, "-o", out, "--ledger", "l", *more)


def _entries(ledger: str = "l") -> list[Any]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(ledger).glob("*.json"))]


@pytest.mark.parametrize("schema", ["rows.toml", "owned.toml"])
def test_two_nodes_whose_meet_breaks_a_promise_are_not_both_published(sfumato: Run, town: Path, schema: str) -> None:
    """Four people per decade, and eight per sex: together two people of each sex per decade."""
    assert _publish(sfumato, "decades.csv", "age=1,sex=1", "-m", "k-anonymity:4", schema=schema).status == 0
    before = sorted(town.rglob("*"))
    refused = _publish(sfumato, "sexes.csv", "age=4,sex=0", "-m", "k-anonymity:8", schema=schema)
    assert refused.status == 1
    assert refused.out == ""
    # Both promises are broken for everybody.
    assert refused.err == (
        "sfumato: --ledger: releases 1 and this one together break k-anonymity:4 for 16 people (it is 2, and must be at least 4); "
        "releases 1 and this one together break k-anonymity:8 for 16 people (it is 2, and must be at least 8); "
        "nothing was published; --together none publishes it all the same\n"
    )
    assert sorted(town.rglob("*")) == before
    out = _publish(sfumato, "sexes.csv", "age=4,sex=0", "-m", "k-anonymity:8", "--together", "none", schema=schema)
    assert (out.status, out.err) == (0, "")
    assert KEPT not in out.out
    # The owner knows what was not asked for.
    assert ["together" in entry["owner"] for entry in _entries()] == [False, False]


def test_what_is_kept_is_told_and_the_owner_keeps_it(sfumato: Run, town: Path) -> None:
    for number, node in enumerate(("age=2,sex=1", "age=3,sex=1"), start=1):
        assert _publish(sfumato, f"{number}.csv", node, "-m", "k-anonymity:8").status == 0
    third = ("anonymize", "t.csv", "-s", "rows.toml", "-m", "k-anonymity:8", "--quasi", "age", "--ledger", "l", "-o", "3.csv")
    made = sfumato(*third)
    assert made.status == 0
    assert made.err == ""
    assert "kept together with releases 1 and 2: k-anonymity:8\n" in made.out
    together = sfumato(*third, "--force", "--json").json["together"]
    assert together == {"releases": [1, 2, 3], "models": ["k-anonymity:8"], "not_judged": []}
    kept = [entry["owner"].get("together") for entry in _entries()]
    assert kept[0] is None
    assert [each["releases"] for each in kept[1:]] == [[1], [1, 2], [1, 2, 3]]
    # Others are not told that there are other releases.
    assert "together" not in Path("3.csv.certificate.json").read_text(encoding="utf-8")
    assert sfumato("ledger", "verify", "l").status == 0


def test_a_release_without_a_promise_may_break_that_of_an_earlier_one(sfumato: Run, town: Path) -> None:
    assert _publish(sfumato, "1.csv", "age=1,sex=1", "-m", "k-anonymity:4").status == 0
    fine = _publish(sfumato, "2.csv", "age=0,sex=1")
    assert (fine.status, "break k-anonymity:4 for 16 people" in fine.err) == (1, True)
    assert _publish(sfumato, "2.csv", "age=2,sex=1").status == 0


def test_without_any_promise_nothing_is_said_and_nothing_is_looked_at(
    sfumato: Run, town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "open_tables", lambda *_, **__: pytest.fail("opened"))
    for number, node in enumerate(("age=1,sex=1", "age=0,sex=0"), start=1):
        made = _publish(sfumato, f"{number}.csv", node, "--json")
        assert (made.status, made.err, made.json["together"]) == (0, "", None)


def test_the_default_ledger_is_not_judged_unless_that_is_asked_for(sfumato: Run, town: Path) -> None:
    options: dict[str, Any] = {"schema": "rows.toml", "question": sf.Question(models=["k-anonymity:4"])}
    sf.publish("t.csv", node=[1, 1], output="1.csv", **options)
    assert sf.publish("t.csv", node=[4, 0], output="2.csv", **options).together is None
    with pytest.raises(DataSayNo, match="releases 2 and this one together break k-anonymity:4 for 16 people"):
        sf.publish("t.csv", node=[1, 1], output="3.csv", together="promised", **options)
    # A release in memory enters no ledger, whichever is named.
    assert sf.publish("t.csv", node=[0, 0], ledger="l", **options | {"question": None}).together is None


@pytest.mark.parametrize("more", [["k-anonymity:2"], ["promised"]])
def test_nothing_and_something_cannot_both_be_asked_for(sfumato: Run, town: Path, more: list[str]) -> None:
    both = _publish(sfumato, "1.csv", "age=1,sex=1", "--together", "none", "--together", *more)
    assert (both.status, both.err.count("\n"), "'none' judges nothing" in both.err) == (2, 1, True)
    with pytest.raises(UsageError, match="judges nothing"):
        sf.anonymize("t.csv", "rows.toml", k=2, output="1.csv", together=["none", *more])
    assert not Path("1.csv").exists()


def test_the_same_release_twice_harms_nobody(sfumato: Run, town: Path) -> None:
    asked = ("-m", "k-anonymity:2", "--suppress", "30%", "--force")
    _people(town / "t.csv", [1, 2, 3, 4, 11, 12, 13, 14, 31])
    for attempt in (1, 2, 3):
        made = _publish(sfumato, "same.csv", "age=1,sex=0", *asked)
        assert (made.status, made.err) == (0, ""), attempt
    assert "kept together with releases 1 and 2: k-anonymity:2" in made.out


def test_somebody_who_was_suppressed_once_and_not_twice_is_found(sfumato: Run, town: Path) -> None:
    """One of nine is alone in the fourth decade: left out of the first release, and in a class of nine in the second."""
    _people(town / "t.csv", [1, 2, 3, 4, 11, 12, 13, 14, 31])
    assert _publish(sfumato, "few.csv", "age=1,sex=1", "-m", "k-anonymity:2", "--suppress", "30%").status == 0
    all_nine = ("all.csv", "age=4,sex=1", "-m", "k-anonymity:2")
    refused = _publish(sfumato, *all_nine)
    assert (refused.status, "break k-anonymity:2 for 1 person (it is 1" in refused.err) == (1, True)
    # The file says who was suppressed: without it nobody can tell, and the owner is told that.
    Path("few.csv").unlink()
    ended = _publish(sfumato, *all_nine, "--json")
    assert ended.status == 0
    assert ended.err == (
        "sfumato: warning: not judged together with every earlier release of this ledger: the file of release 1 (few.csv) is gone, and it "
        "says who was suppressed; put it back\n"
    )
    (left,) = ended.json["together"]["not_judged"]
    assert (ended.json["together"]["releases"], left["release"]) == ([], 1)
    assert _entries()[1]["owner"]["together"]["not_judged"] == [left]


def test_a_release_that_takes_the_place_of_an_earlier_one_is_judged_with_it(sfumato: Run, town: Path) -> None:
    """The earlier one was read to see who was suppressed, and is replaced all the same; afterwards nobody can see that."""
    _people(town / "t.csv", [1, 2, 3, 4, 11, 12, 13, 14, 31])
    place = ("r.csv", "age=1,sex=1", "-m", "k-anonymity:2", "--suppress", "30%", "--force")
    assert _publish(sfumato, *place).status == 0
    assert _publish(sfumato, "r.csv", "age=4,sex=1", "-m", "k-anonymity:2", "--force").status == 1
    coarser = _publish(sfumato, "r.csv", "age=4,sex=1", "-m", "k-anonymity:2", "--force", "--together", "none")
    assert coarser.status == 0
    later = _publish(sfumato, *place)
    # Release 1 is not in its place any more; with release 2 the suppressed one is found again.
    assert (later.status, "releases 2 and this one together break" in later.err) == (1, True)


def test_nothing_is_promised_to_suppressed_people_who_stand_in_the_file(sfumato: Run, town: Path) -> None:
    """Three people are `*` in every release: fewer than five, and no class that a model was asked of. Made again, nothing is new."""
    (town / "rows.toml").write_text('[table]\nsuppressed = "star"\n' + ROWS, encoding="utf-8")
    _people(town / "t.csv", [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16, 35, 36, 55])
    for attempt in (1, 2):
        made = _publish(sfumato, f"{attempt}.csv", "age=1,sex=1", "-m", "k-anonymity:5", "--suppress", "30%")
        assert (made.status, made.err) == (0, "")
    assert "kept together with release 1: k-anonymity:5" in made.out
    # Somebody who is in a class of one of them is promised something there, and alone with the `*` of the other.
    refused = _publish(sfumato, "3.csv", "age=4,sex=1", "-m", "k-anonymity:5")
    assert (refused.status, "for 3 people (it is 3, and must be at least 5)" in refused.err) == (1, True)


def test_a_promise_is_about_the_attributes_that_were_judged(town: Path) -> None:
    """`job` has three values in each class and `ill` two: three of the one are promised, and nothing about the other."""
    rows = [f"p{n},{n},F,{'flu cold'.split()[n % 2]},{'xyz'[n % 3]}" for n in range(40)]
    Path("two.csv").write_text("\n".join(["name,age,sex,ill,job", *rows]) + "\n", encoding="utf-8")
    Path("two.toml").write_text(ROWS + '\n[attributes.job]\nrole = "sensitive"\n', encoding="utf-8")
    options: dict[str, Any] = {"schema": "two.toml", "node": [1, 1], "ledger": "l"}
    job, ill = (sf.Question(models=[f"distinct-diversity:{d}"], sensitive=name) for name, d in (("job", 3), ("ill", 2)))
    sf.publish("two.csv", question=job, output="1.csv", **options)
    kept = sf.publish("two.csv", question=ill, output="2.csv", **options).together
    assert kept is not None
    assert set(kept.models) == {"distinct-diversity:3", "distinct-diversity:2"}
    with pytest.raises(DataSayNo, match=r"distinct-diversity:3 of job .*distinct-diversity:2 of ill"):
        sf.publish("two.csv", output="3.csv", **options | {"node": [0, 1]})


def test_a_promise_under_stated_beliefs_is_told_and_not_judged(town: Path) -> None:
    """Six of ten in the first decade have flu and two of ten in the others, three of ten in all. Who believes four learns two in ten of
    everybody; a stranger learns three of the first decade, and that is not what was promised."""
    ill = [("flu" if year < (6 if decade == 0 else 2) else "cold") for decade in range(4) for year in range(10)]
    rows = [f"p{age},{age},F,{value}" for age, value in enumerate(ill)]
    Path("t.csv").write_text("\n".join(["name,age,sex,ill", *rows]) + "\n", encoding="utf-8")
    Path("known.toml").write_text("[[ill]]\nshares = { flu = 0.4, cold = 0.6 }\n", encoding="utf-8")
    options: dict[str, Any] = {"schema": "rows.toml", "node": [1, 1], "ledger": "l"}
    question = sf.Question(models=["distribution-loss:0.35"], prior="known.toml")
    with pytest.raises(DataSayNo, match="is not allowed"):
        sf.publish("t.csv", question=sf.Question(models=question.models), output="1.csv", **options)
    sf.publish("t.csv", question=question, output="1.csv", **options)
    for number, asked in ((2, question), (3, None)):
        with pytest.warns(TogetherWarning, match=r"distribution-loss:0\.35 is promised, and cannot be judged"):
            sf.publish("t.csv", question=asked, output=f"{number}.csv", **options)


def test_a_ledger_among_other_files_may_be_read_and_these_replaced(sfumato: Run, town: Path) -> None:
    for _ in range(2):
        made = sfumato(
            "publish",
            "t.csv",
            "-s",
            "rows.toml",
            "--node",
            "[1,1]",
            "-m",
            "k-anonymity:4",
            "-o",
            "1.csv",
            "--force",
            "--ledger",
            ".",
        )
        assert (made.status, made.err) == (0, "")
    assert "kept together with release 1" in made.out


def test_another_choice_of_columns_is_judged_by_what_both_tell(sfumato: Run, town: Path) -> None:
    quasi = {name: ("--quasi", name, "-m", "k-anonymity:4") for name in ("age", "sex")}
    assert _publish(sfumato, "age.csv", "age=1", *quasi["age"]).status == 0
    refused = _publish(sfumato, "sex.csv", "sex=0", *quasi["sex"])
    assert (refused.status, "(it is 2, and must be at least 4)" in refused.err) == (1, True)
    assert _publish(sfumato, "sex.csv", "sex=1", *quasi["sex"]).status == 0


def test_a_model_that_is_not_monotone_is_judged_for_every_coalition(town: Path) -> None:
    """The 100 people of tests/unit/sequence/test_coalitions.py: only the columns `a` and `b` break the bound together."""
    from tests.unit.sequence.test_coalitions import HUNDRED, THE_ONE

    rows = [(*cell, "well") for cell, count in HUNDRED.items() for _ in range(count)] + [(*THE_ONE, "ill")]
    Path("h.csv").write_text("\n".join(["a,b,c,state", *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    schema = sf.Schema.of("h.csv", quasi=["a", "b", "c"], sensitive="state")
    question = sf.Question(models=["entropy-loss:0.2"])
    for name in "ac":
        made = sf.publish("h.csv", schema, quasi=name, node=[0], question=question, output=f"{name}.csv", ledger="l")
    assert made.together is not None
    assert made.together.line == "kept together with release 1: entropy-loss:0.2"
    with pytest.raises(DataSayNo, match=r"releases 1 and this one together break entropy-loss:0\.2 of state for 5 people"):
        sf.publish("h.csv", schema, quasi="b", node=[0], question=question, output="b.csv", ledger="l")


def test_of_too_many_releases_pairs_and_all_are_judged_and_the_rest_is_told(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalitions, "MOST_RELEASES", 2)
    monkeypatch.setattr(guard, "MOST_RELEASES", 2)
    asked: dict[str, Any] = {"schema": "rows.toml", "node": [1, 1], "question": sf.Question(models=["entropy-loss:0.9"])}
    for number in (1, 2):
        assert sf.publish("t.csv", output=f"{number}.csv", ledger="l", **asked).together is not None
    with pytest.warns(TogetherWarning, match="judged for pairs of releases and for all 3 together"):
        third = sf.publish("t.csv", output="3.csv", ledger="l", **asked)
    assert third.together is not None
    assert third.together.models == ("entropy-loss:0.9",)
    with pytest.raises(UsageError, match="every coalition"):
        sf.publish("t.csv", output="4.csv", ledger="l", together="promised", **asked)


def test_where_many_coalitions_are_judged_it_is_said_before(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"schema": "rows.toml", "node": [1, 1], "question": sf.Question(models=["entropy-loss:0.9"])}
    said: list[str] = []
    for number in (1, 2, 3):
        sf.publish("t.csv", output=f"{number}.csv", ledger="l", watch=lambda step, engine: said.append(step), **asked)
    assert not [step for step in said if "coalitions" in step]  # three are few
    monkeypatch.setattr(guard, "MANY", 6)
    sf.publish("t.csv", output="4.csv", ledger="l", watch=lambda step, engine: said.append(step), **asked)
    assert said.count("judging 7 coalitions of releases") == 1
    done: list[tuple[int, int]] = []
    sf.sequence.audit("l", "rows.toml", progress=lambda *each: done.append(each))
    assert done == [*((number, 11) for number in range(1, 12)), *((number, 4) for number in range(1, 5))]


def test_a_promise_that_cannot_be_judged_on_several_releases_does_not_stop_one(town: Path) -> None:
    both = sf.Question(models=["average-risk:0.5", "k-anonymity:4"])
    options: dict[str, Any] = {"schema": "rows.toml", "ledger": "l"}
    sf.publish("t.csv", node=[1, 1], question=both, output="1.csv", **options)
    with pytest.warns(TogetherWarning, match=r"average-risk:0\.5 is promised, and cannot be judged on several releases"):
        made = sf.publish("t.csv", node=[2, 1], question=both, output="2.csv", **options)
    assert made.together is not None
    assert (made.together.releases, made.together.models) == ((1,), ("k-anonymity:4",))
    with pytest.raises(DataSayNo, match="break k-anonymity:4"):  # what can be judged is
        sf.publish("t.csv", node=[4, 0], question=both, output="3.csv", **options)
    with pytest.raises(UsageError, match="cannot be judged on several releases"):
        sf.publish("t.csv", node=[2, 1], question=both, output="3.csv", together="promised", **options)


def test_a_promise_that_needs_another_table_is_told_and_the_other_one_judged(town: Path) -> None:
    asked = sf.Question(models=["k-map:4", "k-anonymity:4"], population="t.csv")
    options: dict[str, Any] = {"schema": "rows.toml", "question": asked, "ledger": "l"}
    sf.publish("t.csv", node=[1, 1], output="1.csv", **options)
    with pytest.warns(TogetherWarning, match="k-map:4 "):
        made = sf.publish("t.csv", node=[2, 1], output="2.csv", **options)
    assert made.together is not None
    assert made.together.models == ("k-anonymity:4",)
    with pytest.raises(DataSayNo, match="releases 1 and this one together break k-anonymity:4 for 16 people"):
        sf.publish("t.csv", node=[4, 0], output="3.csv", **options)


def test_a_divided_recoding_is_published_with_a_warning_and_so_is_what_comes_after_it(sfumato: Run, town: Path) -> None:
    """Of six people aged 31 some are in the class below and some in the one above: nobody can say who."""
    _people(town / "t.csv", [1] * 3 + [31] * 6 + [61] * 3)
    relaxed = ("anonymize", "t.csv", "-s", "rows.toml", "--quasi", "age", "-m", "k-anonymity:6", "--algorithm", "mondrian")
    relaxed += ("--relaxed", "--ledger", "l")
    first = sfumato(*relaxed, "-o", "1.csv")
    assert (first.status, first.err) == (0, "")
    second = _publish(sfumato, "2.csv", "age=4,sex=0", "-m", "k-anonymity:6")
    assert second.status == 0
    assert second.err.startswith(
        "sfumato: warning: not judged together with every earlier release of this ledger: release 1 (1.csv) is a"
    )
    assert second.err.endswith("; keep such releases in a ledger of their own\n")
    assert second.err.count("\n") == 1
    assert KEPT not in second.out
    third = sfumato(*relaxed, "-o", "3.csv", "--json")
    assert (third.status, third.json["together"]["not_judged"][0]["release"]) == (0, None)
    assert "this one divides people with the same values among several classes" in third.err
    asked = sfumato(*relaxed, "-o", "4.csv", "--together", "promised")
    assert (asked.status, "this one divides people with the same values" in asked.err) == (2, True)
    # Of three earlier releases one can be followed: with that one the next is judged, and refused.
    refused = _publish(sfumato, "4.csv", "age=2,sex=1", "-m", "k-anonymity:2")
    assert (refused.status, "releases 2 and this one together break k-anonymity:6" in refused.err) == (1, True)
    kept = _publish(sfumato, "4.csv", "age=4,sex=1", "-m", "k-anonymity:2")
    assert (kept.status, "kept together with release 2: " in kept.out) == (0, True)
    assert "release 1 (1.csv) is a local recoding" in kept.err
    assert "release 3 (3.csv) is a local recoding" in kept.err


def test_changed_values_leave_nothing_to_judge(sfumato: Run, town: Path) -> None:
    noise = ("sanitize", "t.csv", "-s", "rows.toml", "--method", "noise:gaussian,0.1", "-o", "1.csv", "--ledger", "l")
    assert sfumato(*noise).status == 0
    made = _publish(sfumato, "2.csv", "age=1,sex=1", "-m", "k-anonymity:4")
    assert (made.status, "release 1 (1.csv) was made by noise, which leaves no classes of people" in made.err) == (0, True)
    again = sfumato(*noise, "--force", "--json")
    assert (again.status, again.err, again.json.get("together")) == (0, "", None)


def test_another_table_is_judged_only_where_owners_say_who_is_who(sfumato: Run, town: Path) -> None:
    """Next year one of a class of four has left: whoever subtracts knows who."""
    _people(town / "next.csv", [10 * decade + year for decade in range(4) for year in (1, 1, 2, 2)][:-1])
    for schema in ("rows.toml", "owned.toml"):
        assert _publish(sfumato, f"{schema}.1.csv", "age=1,sex=1", "-m", "k-anonymity:3", schema=schema).status == 0
    unknown = _publish(sfumato, "2.csv", "age=1,sex=1", "-m", "k-anonymity:3", table="next.csv")
    assert unknown.status == 0
    assert "release 1 (rows.toml.1.csv) was made of another table, and without an owner column nobody knows" in unknown.err
    assert "keep a ledger for each table" in unknown.err
    known = _publish(sfumato, "3.csv", "age=1,sex=1", "-m", "k-anonymity:3", table="next.csv", schema="owned.toml")
    assert (known.status, "releases 2 and this one together break k-anonymity:3 for 1 person" in known.err) == (1, True)
    other = _people(town / "other.csv", [1, 2, 3, 4], first=50)
    apart = _publish(sfumato, "4.csv", "age=1,sex=1", "-m", "k-anonymity:3", table=other.name, schema="owned.toml")
    assert (apart.status, "kept together with release 2: k-anonymity:3" in apart.out) == (0, True)


def test_owners_who_are_written_in_another_way_are_told_of(sfumato: Run, town: Path) -> None:
    """A column of numbers that somebody saved with a decimal point: nobody is in both tables, and nothing could be told from them."""
    for name, form in (("whole.csv", "{}"), ("decimal.csv", "{}.0"), ("both.csv", "{}.0")):
        lines = [f"{form.format(number)},{number % 4},F,flu" for number in range(8)]
        more = ["100,1,F,cold"] if name != "decimal.csv" else ["200.0,1,F,cold"]
        (town / name).write_text("\n".join(["name,age,sex,ill", *lines, *more]) + "\n", encoding="utf-8")
    settings = {"schema": "owned.toml"}
    assert _publish(sfumato, "one.csv", "age=1,sex=1", "-m", "k-anonymity:3", table="whole.csv", **settings).status == 0
    told = _publish(sfumato, "two.csv", "age=1,sex=1", "-m", "k-anonymity:3", table="decimal.csv", **settings)
    assert (told.status, KEPT in told.out) == (0, False)
    assert told.err.startswith(
        "sfumato: warning: not judged together with every earlier release of this ledger: release 1 (one.csv)"
    )
    assert "write 8 owners in different ways, such as 7, 7.0 and 007 or a1 and A1" in told.err
    asked = ("-m", "k-anonymity:3", "--together", "promised")
    refused = _publish(sfumato, "three.csv", "age=1,sex=1", *asked, table="decimal.csv", **settings)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    # Whoever is in another table is followed.
    broken = _publish(sfumato, "four.csv", "age=1,sex=1", "-m", "k-anonymity:3", table="both.csv", **settings)
    assert (broken.status, "together break k-anonymity:3" in broken.err) == (1, True)


def test_tables_that_are_gone_or_changed_are_told_of_and_the_others_are_judged(sfumato: Run, town: Path) -> None:
    ages = [10 * decade + year for decade in range(4) for year in (1, 1, 2, 2)]
    for number, name in enumerate(("gone", "changed", "kept"), start=1):
        _people(town / f"{name}.csv", ages, first=100 * number)
        made = _publish(sfumato, f"{number}.csv", "age=1,sex=1", "-m", "k-anonymity:4", table=f"{name}.csv", schema="owned.toml")
        assert (made.status, "no owner in common" in made.err) == (0, number > 1)
    Path("gone.csv").unlink()
    _people(town / "changed.csv", ages[:-1], first=200)
    _people(town / "now.csv", ages, first=300)
    made = _publish(sfumato, "4.csv", "age=2,sex=1", "-m", "k-anonymity:4", "--json", table="now.csv", schema="owned.toml")
    assert made.status == 0
    together = made.json["together"]
    assert (together["releases"], [each["release"] for each in together["not_judged"]]) == ([3], [1, 2])
    assert "not at hand; put its file back" in made.err
    assert "has changed since; keep the tables of a sequence as they were, each in a file of its own" in made.err
    finer = _publish(sfumato, "5.csv", "age=4,sex=0", table="now.csv", schema="owned.toml")
    assert (finer.status, "releases 3 and this one together break k-anonymity:4" in finer.err) == (1, True)


def test_people_with_several_rows_cannot_be_followed_from_table_to_table(sfumato: Run, town: Path) -> None:
    for number in (1, 2):
        with Path("t.csv").open("a", encoding="utf-8") as file:
            file.write(f"p1,{number},F,flu\n")
        made = _publish(sfumato, f"{number}.csv", "age=4,sex=1", "-m", "k-anonymity:2", schema="owned.toml")
        assert made.status == 0
    assert "has changed since" in made.err  # the first table is gone
    Path("u.csv").write_text(Path("t.csv").read_text(encoding="utf-8") + "p2,2,F,flu\n", encoding="utf-8")
    other = _publish(sfumato, "3.csv", "age=4,sex=1", "-m", "k-anonymity:2", schema="owned.toml", table="u.csv")
    assert other.status == 0
    assert (
        "release 2 (2.csv) cannot be followed: t.csv: has 18 rows of 16 people; a sequence is judged for tables with one row per person"
        in other.err
    )
    assert other.err.count("\n") == 1


def test_many_reasons_are_one_line_and_machines_get_all(sfumato: Run, town: Path) -> None:
    for number in range(1, 6):
        noise = ("sanitize", "t.csv", "-s", "rows.toml", "--method", "noise:gaussian,0.1", "--ledger", "l")
        assert sfumato(*noise, "-o", f"{number}.csv").status == 0
    made = _publish(sfumato, "6.csv", "age=1,sex=1", "-m", "k-anonymity:4", "--json")
    assert made.err.endswith("; and 2 further reasons\n")
    assert [each["release"] for each in made.json["together"]["not_judged"]] == [1, 2, 3, 4, 5]


def test_an_invariant_sequence_is_judged_by_its_own_model(sfumato: Run, town: Path) -> None:
    _people(town / "t.csv", [1, 2, 11, 12], ill="flu cold")
    following = ("sequence", "next", "t.csv", "-s", "owned.toml", "-m", 2, "--ledger", "l", "--seed", 1)
    assert sfumato(*following, "--map", "m1.csv", "-o", "1.csv").status == 0
    again = sfumato(*following, "--map", "m2.csv", "--after", "m1.csv", "-o", "2.csv", "--json")
    kept = {"releases": [1], "models": ["m-invariance:2"], "not_judged": []}
    assert (again.status, again.err, again.json["together"]) == (0, "", kept)
    with pytest.warns(TogetherWarning, match="promises m-invariance:2, which only m-invariant releases keep"):
        sf.publish("t.csv", "owned.toml", node=[4, 1], output="3.csv", ledger="l")


def test_a_forged_ledger_is_refused_in_one_line(sfumato: Run, town: Path) -> None:
    for number in (1, 2):
        assert _publish(sfumato, f"{number}.csv", "age=1,sex=1", "-m", "k-anonymity:4").status == 0
    entry = Path("l/00000001.json")
    entry.write_text(entry.read_text(encoding="utf-8").replace("k-anonymity:4", "k-anonymity:1"), encoding="utf-8")
    forged = _publish(sfumato, "3.csv", "age=1,sex=1", "-m", "k-anonymity:4")
    assert (forged.status, forged.err.count("\n"), "digest differs" in forged.err) == (1, 1, True)
    with pytest.raises(NotVerified):
        sf.publish("t.csv", "rows.toml", node=[1, 1], output="3.csv", ledger="l")
    assert not Path("3.csv").exists()
    assert len(_entries()) == 2


def test_tables_in_memory_are_followed_as_long_as_they_are_the_same(town: Path) -> None:
    import pandas as pd

    frame = pd.read_csv("t.csv")
    asked: dict[str, Any] = {"schema": "owned.toml", "question": sf.Question(models=["k-anonymity:4"]), "ledger": "l"}
    sf.publish(frame, node=[1, 1], output="1.csv", **asked)
    with pytest.raises(DataSayNo, match="together break k-anonymity:4 for 16 people"):
        sf.publish(frame, node=[4, 0], output="2.csv", **asked)
    kept = sf.publish(frame, node=[2, 1], output="2.csv", **asked).together
    assert kept is not None
    assert kept.releases == (1,)
    with pytest.warns(TogetherWarning, match=r"release 1 \(1.csv\) was made of is not at hand"):
        sf.publish(frame[:-1], node=[2, 1], output="3.csv", **asked)


def test_a_recipe_that_names_a_ledger_is_repeated_into_it(sfumato: Run, town: Path) -> None:
    made = ("anonymize", "t.csv", "-s", "rows.toml", "-m", "k-anonymity:4", "-o", "1.csv", "--ledger", "l", "--recipe", "r.toml")
    assert sfumato(*made).status == 0
    again = sfumato("anonymize", "--recipe", "r.toml", "-o", "2.csv")
    assert (again.status, "kept together with release 1: k-anonymity:4" in again.out) == (0, True)
    assert len(_entries()) == 2


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[int], object], int], list[int]]]:
    """Somebody else does something each time when a release was judged and did not enter the ledger yet."""
    enter = publishing._enter

    def plan(work: Callable[[int], object], times: int) -> list[int]:
        calls: list[int] = []

        def slowly(*arguments: Any) -> Any:
            if len(calls) < times:
                calls.append(len(calls))
                monkeypatch.setattr(publishing, "_enter", enter)
                work(len(calls))
                monkeypatch.setattr(publishing, "_enter", slowly)
            return enter(*arguments)

        monkeypatch.setattr(publishing, "_enter", slowly)
        return calls

    yield plan
    monkeypatch.undo()


def test_a_release_that_comes_in_between_is_judged_too(town: Path, meanwhile: Any) -> None:
    asked: dict[str, Any] = {"schema": "rows.toml", "question": sf.Question(models=["k-anonymity:4"]), "ledger": "l"}
    meanwhile(lambda _: sf.publish("t.csv", node=[1, 1], output="between.csv", **asked), 1)
    with pytest.raises(DataSayNo, match="releases 1 and this one together break"):
        sf.publish("t.csv", node=[4, 0], output="late.csv", **asked)
    assert not Path("late.csv").exists()
    assert len(_entries()) == 1
    meanwhile(lambda _: sf.publish("t.csv", node=[2, 1], output="second.csv", **asked), 1)
    kept = sf.publish("t.csv", node=[3, 1], output="third.csv", **asked).together
    assert kept is not None
    assert kept.releases == (1, 2)
    assert _entries()[2]["owner"]["together"]["releases"] == [1, 2]


def test_what_comes_in_between_under_another_schema_stops_nobody(town: Path, meanwhile: Any) -> None:
    (town / "wider.toml").write_text(ROWS.replace("widths = [10, 20, 40]", "widths = [10, 40]"), encoding="utf-8")
    _people(town / "other.csv", [1] * 8)
    options: dict[str, Any] = {"question": sf.Question(models=["k-anonymity:4"]), "ledger": "l"}
    calls = meanwhile(lambda turn: sf.publish("other.csv", "wider.toml", node=[1, 1], output=f"{turn}.csv", **options), 5)
    with pytest.warns(sf.TogetherWarning, match="under another schema"):
        sf.publish("t.csv", "rows.toml", node=[4, 0], output="mine.csv", **options)
    assert Path("mine.csv").exists()
    assert len(calls) == 5
    assert len(_entries()) == 6


def test_a_ledger_that_never_rests_is_given_up(town: Path, meanwhile: Any) -> None:
    options: dict[str, Any] = {"schema": "rows.toml", "node": [1, 1], "ledger": "l"}
    calls = meanwhile(lambda turn: sf.publish("t.csv", output=f"{turn}.csv", **options), 10**6)
    with pytest.raises(OutputError, match="another release 8 times"):
        sf.publish("t.csv", output="mine.csv", **options)
    assert len(calls) == publishing.MOST_TRIES
    assert not Path("mine.csv").exists()


def test_two_publish_into_one_ledger_at_once(town: Path) -> None:
    """Threads that start together: every release is judged with those that are in the ledger when it enters."""
    ended: list[BaseException | JudgedTogether | None] = []
    start = threading.Barrier(4)

    def publish(number: int) -> None:
        start.wait()
        with sf.Table.open("t.csv", "rows.toml") as table:
            question = sf.Question(models=["k-anonymity:4"])
            try:
                made = sf.publish(table, node=[1 + number % 3, 1], question=question, output=f"{number}.csv", ledger="l")
                ended.append(made.together)
            except BaseException as error:
                ended.append(error)

    threads = [threading.Thread(target=publish, args=[number]) for number in range(4)]
    with warnings.catch_warnings():
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert sorted(len(each.releases) for each in ended if isinstance(each, JudgedTogether)) == [0, 1, 2, 3], ended
    assert sf.ledger.verify("l").entries == 4
    owners = [entry["owner"].get("together", {"releases": []}) for entry in _entries()]
    assert [each["releases"] for each in owners] == [[], [1], [1, 2], [1, 2, 3]]


def test_numbers_of_releases_are_few(town: Path) -> None:
    many = JudgedTogether("", tuple(range(1, 31)), ("k-anonymity:2",))
    assert many.line == "kept together with releases 1, 2, 3, 4, 5, 6, 7, 8 and 22 more: k-anonymity:2"
    assert (JudgedTogether("").line, JudgedTogether("").warning, JudgedTogether("").as_dict()) == (None, None, None)


def test_a_change_of_the_schema_does_not_make_earlier_releases_forgotten(sfumato: Run, town: Path) -> None:
    (town / "wider.toml").write_text(ROWS.replace("[10, 20, 40]", "[20, 40]"), encoding="utf-8")
    (town / "other.csv").write_text((town / "t.csv").read_text(encoding="utf-8") + "p99,5,F,flu\n", encoding="utf-8")
    assert _publish(sfumato, "1.csv", "age=1,sex=1", "-m", "k-anonymity:4").status == 0
    changed = _publish(sfumato, "2.csv", "age=3,sex=0", "-m", "k-anonymity:4", schema="wider.toml")
    assert changed.status == 0
    assert "release 1 (1.csv) is of this table under another schema" in changed.err
    assert changed.err.count("\n") == 1
    another = _publish(sfumato, "3.csv", "age=3,sex=0", "-m", "k-anonymity:4", table="other.csv", schema="wider.toml")
    assert "release 1 (1.csv) is of a table with columns of the same names under another schema" in another.err
    asked = ("-m", "k-anonymity:4", "--together", "promised")
    refused = _publish(sfumato, "r.csv", "age=3,sex=0", *asked, table="other.csv", schema="wider.toml")
    assert (refused.status, refused.err.count("\n"), "under another schema" in refused.err) == (2, 1, True)
    _people(town / "t.csv", [11] * 8)  # the file holds the next table
    replaced = _publish(sfumato, "4.csv", "age=3,sex=0", "-m", "k-anonymity:4", schema="wider.toml")
    assert "release 1 (1.csv) is of a table with columns of the same names under another schema" in replaced.err
    (town / "strange.toml").write_text(ROWS.replace("attributes.ill", "attributes.cause"), encoding="utf-8")
    renamed = (town / "t.csv").read_text(encoding="utf-8").replace("ill", "cause", 1)
    (town / "strange.csv").write_text(renamed, encoding="utf-8")
    strange = _publish(sfumato, "5.csv", "age=3,sex=0", "-m", "k-anonymity:4", table="strange.csv", schema="strange.toml")
    assert (strange.status, strange.err) == (
        0,
        "",
    )  # another sensitive attribute, and no owners: nobody says that these are the same people


def test_under_another_schema_a_release_without_a_promise_may_break_that_of_the_next(sfumato: Run, town: Path) -> None:
    (town / "wider.toml").write_text(ROWS.replace("[10, 20, 40]", "[20, 40]"), encoding="utf-8")
    (town / "third.toml").write_text(ROWS.replace("[10, 20, 40]", "[5, 40]"), encoding="utf-8")
    assert _publish(sfumato, "1.csv", "age=1,sex=1").status == 0
    silent = _publish(sfumato, "2.csv", "age=3,sex=0", schema="wider.toml")
    assert (silent.status, silent.err) == (0, "")  # neither promises anything
    told = _publish(sfumato, "3.csv", "age=3,sex=0", "-m", "k-anonymity:4", schema="third.toml")
    assert (told.status, told.err.count("\n")) == (0, 1)
    assert "release 1 (1.csv) is of this table under another schema" in told.err
    assert "release 2 (2.csv) is of this table under another schema" in told.err
    asked = _publish(sfumato, "4.csv", "age=3,sex=0", "--together", "k-anonymity:4", schema="owned.toml")
    assert (asked.status, "release 1 (1.csv) is of this table under another schema" in asked.err) == (2, True)


def test_names_in_capitals_under_another_schema_are_the_same_names(sfumato: Run, town: Path) -> None:
    """An export of a database has its columns in capitals, in another file."""
    assert _publish(sfumato, "1.csv", "age=1,sex=1", "-m", "k-anonymity:4", schema="owned.toml").status == 0
    capitals = OWNED.replace("attributes.name", "attributes.NAME").replace("attributes.age", "attributes.AGE")
    (town / "capitals.toml").write_text(capitals.replace("attributes.sex", "attributes.SEX"), encoding="utf-8")
    head, rows = (town / "t.csv").read_text(encoding="utf-8").split("\n", 1)
    (town / "export.csv").write_text(head.upper().replace("ILL", "ill") + "\n" + rows, encoding="utf-8")
    told = _publish(sfumato, "2.csv", "AGE=3,SEX=0", "-m", "k-anonymity:4", table="export.csv", schema="capitals.toml")
    assert "release 1 (1.csv) is of a table with columns of the same names under another schema" in told.err
