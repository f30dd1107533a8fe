"""`sfumato sequence next` into a ledger that is named: whoever was in an earlier m-invariant release of it keeps the signature, or nothing
is published. How `publish` and `anonymize` judge is in `test_named_ledger`."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import DataError, DataSayNo, TogetherWarning, UsageError
from sfumato.release import publishing

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
ILL = ("flu", "gastritis", "bronchitis", "dyspepsia")
YEARS = {1: range(12), 2: range(3, 15), 3: range(6, 18)}  # three people leave, and three come


def _table(name: str, people: dict[str, str]) -> None:
    lines = [f"{owner},{20 + place},{ill}" for place, (owner, ill) in enumerate(people.items())]
    Path(name).write_text("\n".join(["patient,age,diagnosis", *lines]) + "\n", encoding="utf-8")


@pytest.fixture
def hospital(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three years of twelve people with four diagnoses."""
    monkeypatch.chdir(tmp_path)
    Path("hospital.toml").write_text(SCHEMA, encoding="utf-8")
    for year, people in YEARS.items():
        _table(f"y{year}.csv", {f"p{number}": ILL[number % 4] for number in people})
    return tmp_path


def _command(year: int, after: str | None, *more: object, ledger: str = "l", seed: int | None = None) -> list[object]:
    begun = [] if after is None else ["--after", after]
    out = ("--map", f"m{year}.csv", "-o", f"r{year}.csv", "--ledger", ledger, "--seed", year if seed is None else seed)
    return ["sequence", "next", f"y{year}.csv", "-s", "hospital.toml", "-m", 2, "--counterfeits", "99%", *begun, *out, *more]


def _next(year: int, after: str | None, **more: Any) -> sf.sequence.Next:
    settings = {"output": f"r{year}.csv", "mapping": f"m{year}.csv", "ledger": "l", "seed": year, "counterfeits": 0.99}
    return sf.sequence.next_release(f"y{year}.csv", "hospital.toml", m=2, after=after, **settings | more)


def _rows(name: str) -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _moved(earlier: int, year: int, mapping: str) -> int:
    """By hand: the people of both tables with the same diagnosis, whose groups have other values in the file of the other release."""

    def of(table: int, file: str, written: str) -> dict[tuple[str, str], frozenset[str]]:
        values: dict[str, set[str]] = {}
        for row in _rows(file):
            values.setdefault(row["group"], set()).add(row["diagnosis"])
        group = {row["owner"]: row["group"] for row in _rows(written) if row["group"]}
        return {(row["patient"], row["diagnosis"]): frozenset(values[group[row["patient"]]]) for row in _rows(f"y{table}.csv")}

    one, other = of(earlier, f"r{earlier}.csv", f"m{earlier}.csv"), of(year, f"tried-{year}.csv", mapping)
    return sum(one[each] != other[each] for each in one.keys() & other.keys())


def test_a_forgotten_map_is_refused_in_one_line_and_nothing_is_left(sfumato: Run, hospital: Path) -> None:
    assert sfumato(*_command(1, None)).status == 0
    before = sorted(each.name for each in hospital.rglob("*"))
    refused = sfumato(*_command(2, None))
    assert (refused.status, refused.out) == (1, "")
    assert re.fullmatch(
        r"sfumato: --ledger: releases 1 and this one together break m-invariance:2 of diagnosis for \d people \(it is 0, and must be at "
        r"least 2\); nothing was published; --after '\S+/m1\.csv' begins with the map of release 1 \(r1\.csv\); --together none publishes "
        r"it all the same\n",
        refused.err,
    )
    assert sorted(each.name for each in hospital.rglob("*")) == before
    # What it says is what would work, and the audit finds as many people.
    kept = sfumato(*_command(2, "m1.csv"))
    assert (kept.status, "kept together with release 1: m-invariance:2\n" in kept.out, kept.err) == (0, True, "")
    assert sf.sequence.audit("l", "hospital.toml").kept
    assert sfumato(*_command(1, None, ledger="apart"), "--force").status == 0
    published = sfumato(*_command(2, None, "--together", "none", "--force", ledger="apart"))
    assert (published.status, "kept together" in published.out) == (0, False)
    (broken,) = sf.sequence.audit("apart", "hospital.toml").broken
    assert f"for {broken.people} people" in refused.err


def test_an_outdated_map_is_refused_with_the_release_whose_newcomers_it_lacks(sfumato: Run, hospital: Path) -> None:
    _next(1, None)
    _next(2, "m1.csv")
    # Who came in the second year would be among other values now; with the first release everything is as it should be.
    _table("y3.csv", {f"p{number}": ILL[number % 4] for number in (*range(3, 15), 20, 24, 28)})
    outdated = sfumato(*_command(3, "m1.csv", seed=11))
    assert (outdated.status, outdated.err.count("\n")) == (1, 1)
    assert "releases 2 and this one together break m-invariance:2" in outdated.err
    assert re.search(r"--after '\S+/m2\.csv' begins with the map of release 2 \(r2\.csv\)", outdated.err)
    with pytest.raises(DataSayNo, match=r"after='\S+/m2\.csv' begins with .*; together='?none'? publishes it all the same"):
        _next(3, "m1.csv", seed=11)
    made = _next(3, "m2.csv").release.together
    assert made is not None
    assert (made.releases, made.models, made.not_judged) == ((1, 2), ("m-invariance:2",), ())
    entry = json.loads(Path("l/00000003.json").read_text(encoding="utf-8"))
    assert entry["owner"]["together"] == {"releases": [1, 2], "models": ["m-invariance:2"], "not_judged": []}


@pytest.mark.parametrize("seed", range(6))
def test_a_release_is_refused_exactly_if_somebody_would_get_another_signature(hospital: Path, seed: int) -> None:
    """Against a count by hand from the files and the maps, with people who leave, come back, and get other diagnoses."""
    draw = random.Random(seed)
    refused = 0
    for year in range(1, 6):
        chosen = draw.sample(range(14), 9)
        _table(f"y{year}.csv", {f"p{each}": ILL[each % 4] if draw.random() < 0.8 else draw.choice(ILL) for each in chosen})
        newest = f"m{year - 1}.csv"
        after = None if year == 1 else draw.choice([newest, f"m{draw.randint(1, year - 1)}.csv", None])
        tried = {"output": f"tried-{year}.csv", "mapping": f"tried-map-{year}.csv", "ledger": f"tried-{year}"}
        _next(year, after, **tried)
        moved = [_moved(earlier, year, f"tried-map-{year}.csv") for earlier in range(1, year)]
        if not any(moved):
            assert _next(year, after).stayed >= 0
            continue
        refused += 1
        with pytest.raises(DataSayNo, match=rf"for ({max(moved)} people|1 person) \(it is 0"):
            _next(year, after)
        assert not Path(f"r{year}.csv").exists()
        assert _next(year, newest).release.together is not None
    assert sf.sequence.audit("l", "hospital.toml").kept
    assert refused or seed


def test_the_ledger_of_the_data_folder_is_judged_only_on_request(hospital: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_LEDGER", str(hospital / "own"))
    _next(1, None, ledger=None)
    with pytest.raises(
        DataSayNo, match=r"^together: releases 1 and this one together break m-invariance:2 .*m1\.csv'? begins with"
    ):
        _next(2, None, ledger=None, together="promised")
    with pytest.raises(DataSayNo, match="together break m-invariance:2"):
        _next(2, None, ledger=None, together=["m-invariance:2"])
    made = _next(2, None, ledger=None).release
    assert (made.together, made.ledger) == (None, hospital / "own" / "00000002.json")
    with pytest.raises(UsageError, match="judges nothing"):
        _next(3, None, together=["none", "promised"])


def test_a_release_that_came_in_between_is_judged_too(hospital: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people publish the next release at once, from the same map: who comes in both may be among other values in either."""
    _next(1, None)
    enter = publishing._enter

    def slowly(*arguments: Any) -> Any:
        monkeypatch.setattr(publishing, "_enter", enter)
        _next(2, "m1.csv", output="between.csv", mapping="between.map.csv")
        return enter(*arguments)

    _table("y3.csv", {f"p{number}": ILL[number % 4] for number in (*range(3, 15), 20, 24, 28)})
    monkeypatch.setattr(publishing, "_enter", slowly)
    with pytest.raises(DataSayNo, match="releases 2 and this one together break m-invariance:2"):
        _next(3, "m1.csv", seed=11)
    assert not Path("r3.csv").exists()
    assert len(list(Path("l").glob("*.json"))) == 2


def test_releases_that_were_broken_already_stay_so_and_it_is_said(sfumato: Run, hospital: Path) -> None:
    _next(1, None)
    _next(2, None, together="none")
    third = sfumato(*_command(3, "m2.csv"))
    assert (third.status, third.err.count("\n")) == (1, 1)
    assert "releases 1 and this one together break" in third.err
    assert "; without this one, releases 1 and 2 together break m-invariance:2" in third.err
    assert "begins with the map" not in third.err  # no map would do


def test_a_release_does_not_answer_for_what_others_have_broken(hospital: Path) -> None:
    """Whoever is harmed by the first two has left."""
    _next(1, None)
    _next(2, None, together="none")
    _table("y3.csv", {f"new{number}": ILL[number % 4] for number in range(8)})
    with pytest.warns(sf.TogetherWarning, match="this one has no owner in common"):
        made = _next(3, "m2.csv").release.together
    assert made is not None
    assert made.releases == (1, 2)


def test_a_map_that_is_gone_or_another_one_is_told_of_and_refused_on_request(sfumato: Run, hospital: Path) -> None:
    """Somebody keeps the two last maps only: the third goes in the place of the first."""
    _next(1, None)
    _next(2, "m1.csv")
    Path("m1.csv").write_bytes(Path("m2.csv").read_bytes())
    told = sfumato(*_command(3, "m2.csv"))
    assert (told.status, told.err.count("\n")) == (0, 1)
    assert "warning: not judged together with every earlier release of this ledger: " in told.err
    assert (
        "the map of release 1 (r1.csv) is another one than was written with it; keep every map in a file of its own" in told.err
    )
    assert "kept together with release 2: m-invariance:2" in told.out
    with pytest.raises(DataError, match=r"the map of release 1 \(r1.csv\) is another one"):
        _next(3, "m3.csv", output="r4.csv", mapping="m4.csv", together="promised")
    with pytest.raises(DataError, match=r"the map of release 1 \(r1.csv\) is another one"):
        sf.sequence.audit("l", "hospital.toml")
    Path("m2.csv").unlink()
    with pytest.warns(TogetherWarning, match=r"the map of release 2 \(r2.csv\) is not here"):
        _next(3, "m3.csv", output="r4.csv", mapping="m4.csv")


def test_releases_of_another_kind_cannot_be_m_invariant_and_it_is_said(sfumato: Run, hospital: Path) -> None:
    sf.publish("y1.csv", "hospital.toml", node=[2], output="plain.csv", ledger="l")
    said = sfumato(*_command(1, None))
    assert (said.status, said.err.count("\n")) == (0, 1)
    assert (
        "this one promises m-invariance:2, which only m-invariant releases keep, and release 1 is none; keep such releases in a ledger "
        "of their own" in said.err
    )
    sf.publish("y1.csv", "hospital.toml", question=sf.Question(models=["k-anonymity:3"]), node=[2], output="k.csv", ledger="k")
    refused = sfumato(*_command(1, None, "--force", ledger="k"))
    assert (refused.status, "together break k-anonymity:3" in refused.err, "begins with" in refused.err) == (1, True, False)


def test_owners_who_are_written_in_another_way_are_refused_by_the_audit_and_its_report(sfumato: Run, hospital: Path) -> None:
    for year, form in ((1, "{}"), (2, "{}.0"), (3, "{}.0")):
        _table(f"y{year}.csv", {form.format(number): ILL[number % 4] for number in range(1, 9)})
    assert sfumato(*_command(1, None)).status == 0
    told = sfumato(*_command(2, "m1.csv"))
    written = (
        "release 1 (r1.csv) and this one were made of tables that write 8 owners in different ways, such as 7, 7.0 and "
        "007 or a1 and A1; write them in one way\n"
    )
    assert (told.status, told.err.endswith(written), "kept together" in told.out) == (0, True, False)
    # A third one is judged with the second, and the first stays a stranger.
    third = sfumato(*_command(3, "m2.csv"))
    assert (third.status, third.err.endswith(written), "kept together with release 2: m-inv" in third.out) == (0, True, True)
    for command in (("audit",), ("report", "-o", "page.html")):
        ended = sfumato("sequence", command[0], "l", "-s", "hospital.toml", *command[1:])
        assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert ended.err == (
            "sfumato: release 2 (r2.csv) and release 1 (r1.csv) were made of tables that write 8 owners in different ways, such as 7, 7.0 "
            "and 007 or a1 and A1; audit the others (--only)\n"
        )
    assert not Path("page.html").exists()
    assert sfumato("sequence", "audit", "l", "-s", "hospital.toml", "--only", "2,3").status == 0


def test_tables_of_other_people_are_no_strangers(hospital: Path) -> None:
    """Numbers that are other ones however they are written: everybody has left."""
    for year, first in ((1, 1), (2, 100)):
        _table(f"y{year}.csv", {f"{number:04}": ILL[number % 4] for number in range(first, first + 8)})
    _next(1, None)
    with pytest.warns(sf.TogetherWarning, match="this one has no owner in common") as warned:
        _next(2, "m1.csv")
    assert "in different ways" not in str(warned[0].message)
    assert sf.sequence.audit("l", "hospital.toml").kept


def test_a_single_release_that_is_not_m_invariant_is_called_one(sfumato: Run, hospital: Path) -> None:
    sf.publish("y1.csv", "hospital.toml", node=[2], output="plain.csv", ledger="plain")
    asked = sfumato(*_command(1, None, "--together", "m-invariance:2", ledger="plain"))
    assert (asked.status, asked.err.count("\n")) == (1, 1)
    assert "releases 1 and this one together break m-invariance:2" in asked.err
    assert "; without this one, release 1 breaks m-invariance:2" in asked.err
