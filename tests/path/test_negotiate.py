"""A negotiation by files: two people who send each other a record, what each of them can do, and what nobody can."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataError, NotVerified, OutputError, SfumatoError, UsageError
from sfumato.negotiation import UtilityPattern
from sfumato.negotiation.files import (
    Clock,
    Offering,
    answer,
    decide,
    deliver,
    following,
    open_desk,
    read_sheet,
    request,
    story,
    verify,
)
from sfumato.negotiation.files.desk import Desk
from tests.path.negotiating import SCHEMA, SECRET, asked, folder, key, opened, table, telling

__all__ = ["folder"]
BEGUN = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)


def test_from_a_request_to_a_release_that_is_what_was_agreed(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    answered = answer(record, key(folder, "office"))
    assert answered.new
    assert answered.room[0] >= answered.room[1] > 0
    offer = answered.record.negotiation.standing
    assert offer is not None
    decide(record, key(folder, "ann"), "accept")
    delivered = deliver(record, key(folder, "office"), folder / "delivered")
    closed, node = delivered.record, delivered.certificate.node
    assert closed.negotiation.state.value == "delivered"
    assert node == {name: level for name, level in offer.terms.levels.items() if name in node}
    checked = sf.check(
        folder / "delivered/release.parquet", folder / "people.toml", models=["distribution-loss:0.45", "k-anonymity:2"]
    )
    assert checked.satisfied
    measured = sf.measure(folder / "delivered/release.parquet", folder / "people.toml", original=folder / "people.csv")
    exact = measured.attributes[0].losses["utility-distribution"].people_mean
    shown = offer.terms.losses["utility-distribution"]
    assert exact <= shown + 1e-9 < exact + 0.01 + 1e-9
    assert (
        sf.verify(folder / "delivered/release.parquet").certificate.digest == closed.transcript.entries[-1].event["certificate"]
    )
    assert verify(folder / "delivered/negotiation.json", folder / "sheet.json").transcript == closed.transcript


def test_a_delivery_that_was_interrupted_goes_on_in_its_folder(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    answer(record, key(folder, "office"))
    agreed = decide(record, key(folder, "ann"), "accept")
    desk = folder / "sheet.desk" / "negotiations" / f"{agreed.transcript.id}.json"
    before = (record.read_text(), desk.read_text())
    first = deliver(record, key(folder, "office"), folder / "delivered")
    release = (folder / "delivered/release.parquet").read_bytes()
    after = (record.read_text(), desk.read_text())
    for lost in (
        (record,),
        (record, desk),
        (),
    ):  # the power fails after the release, and before the desk or the record is written
        for path, text in ((record, before[0]), (desk, before[1])):
            if path in lost:
                path.write_text(text)
        again = deliver(record, key(folder, "office"), folder / "delivered")
        assert (again.new, again.record, again.certificate.digest) == (False, first.record, first.certificate.digest)
        assert (record.read_text(), desk.read_text()) == after
    assert (folder / "delivered/release.parquet").read_bytes() == release
    assert len(list((folder / "ledger").glob("0*.json"))) == 1
    record.write_text(before[0])
    with pytest.raises(UsageError, match=r"delivered already, with the certificate .* give the folder that has it"):
        deliver(record, key(folder, "office"), folder / "elsewhere")
    assert not (folder / "elsewhere").exists()


def test_nobody_delivers_into_the_folder_of_another_negotiation(folder: Path) -> None:
    opened(folder)
    for who in ("ann", "bob"):
        answer(asked(folder, who=who), key(folder, "office"))
        decide(folder / f"{who}.json", key(folder, who), "accept")
    deliver(folder / "ann.json", key(folder, "office"), folder / "delivered")
    before = {path: path.read_bytes() for path in (folder / "delivered").iterdir()}
    with pytest.raises(OutputError, match="exists already"):
        deliver(folder / "bob.json", key(folder, "office"), folder / "delivered")
    assert {path: path.read_bytes() for path in (folder / "delivered").iterdir()} == before
    (folder / "delivered/release.parquet").write_bytes(b"another file")
    with pytest.raises(NotVerified):
        deliver(folder / "ann.json", key(folder, "office"), folder / "delivered")


def test_the_sheet_tells_nothing_of_the_data(folder: Path) -> None:
    sheet = opened(folder)
    other = folder / "other"
    other.mkdir()
    half = table().iloc[:200].assign(sex="x", ill="another", age=33)
    half.to_csv(other / "people.csv", index=False)
    for name in ("people.toml", "office.key"):
        shutil.copy(folder / name, other / name)
    (other / "office.key").chmod(0o600)
    clock = Clock(BEGUN, "a" * 32)
    sheets = []
    for at in (folder, other):
        offering = Offering(models=("k-anonymity:2",), epsilon=0.45)
        made = open_desk(at / "people.csv", at / "people.toml", key(at, "office"), at / "same.json", offering, clock)
        sheets.append(made.sheet.read_text())
    assert sheets[0] == sheets[1]  # two tables under one schema have the same sheet
    assert SECRET not in sheet.read_text()
    assert "gout" not in sheet.read_text()


def test_the_same_record_gets_the_same_answer(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    before = record.read_text()
    first = answer(record, key(folder, "office"))
    after = record.read_text()
    record.write_text(before)  # the mail was lost, and sent again
    second = answer(record, key(folder, "office"))
    assert (first.new, second.new, second.record) == (True, False, first.record)
    assert record.read_text() == after
    assert len(Desk.read(folder / "sheet.desk").given) == 1


def test_an_older_record_cannot_be_continued_in_another_way(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    answer(record, key(folder, "office"))
    offered = record.read_text()
    decide(record, key(folder, "ann"), "reject")
    answer(record, key(folder, "office"))
    record.write_text(offered)
    decide(record, key(folder, "ann"), "reject", clock=Clock(datetime.now(UTC) + timedelta(seconds=5)))
    with pytest.raises(NotVerified, match="does not continue what the owner said last"):
        answer(record, key(folder, "office"))


@pytest.mark.parametrize(
    ("who", "act", "message"),
    [
        ("ann", lambda record, who: answer(record, who), "not the key of the owner"),
        ("bob", lambda record, who: decide(record, who, "terminate"), "neither the owner's nor the user's"),
        ("office", lambda record, who: decide(record, who, "accept"), "accept"),
        ("ann", lambda record, who: deliver(record, who, record.parent / "d"), "not the key of the owner"),
        ("office", lambda record, who: deliver(record, who, record.parent / "d"), "nothing is agreed yet"),
        ("office", lambda record, who: decide(record, who, "reject"), "no offer stands"),
    ],
)
def test_a_side_cannot_make_the_others_move(folder: Path, who: str, act: Callable[..., Any], message: str) -> None:
    opened(folder)
    record = asked(folder)
    before = record.read_text()
    with pytest.raises(SfumatoError, match=message):
        act(record, key(folder, who))
    assert record.read_text() == before
    assert Desk.read(folder / "sheet.desk").given == ()


def test_any_changed_field_of_a_record_is_found(folder: Path) -> None:
    opened(folder, price="linear:100,50")
    record = asked(folder)
    answer(record, key(folder, "office"))
    whole = json.loads(record.read_text())
    changes: list[Callable[[dict[str, Any]], Any]] = [
        lambda d: d["transcript"]["entries"][1]["event"]["terms"].update(price=0.01),
        lambda d: d["transcript"]["entries"].pop(),
        lambda d: d["sheet"].update(price="linear:1,0"),
        lambda d: d["sheet"].update(title="another"),
        lambda d: d["transcript"].update(limit=99),
        lambda d: d.update(more=1),
        lambda d: d.pop("sheet"),
        lambda d: d["transcript"]["entries"][0].update(time="2031-02-03T04:05:06+00:00"),
    ]
    for place, change in enumerate(changes):
        document = json.loads(json.dumps(whole))
        change(document)
        record.write_text(json.dumps(document))
        if place == 1:  # a shorter record is one that stands earlier: the desk knows better
            assert answer(record, key(folder, "office")).new is False
            continue
        with pytest.raises((NotVerified, DataError)):
            pytest.fail(f"change {place}: {verify(record)}")


def test_a_table_that_has_changed_is_not_offered_any_more(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    table().iloc[1:].to_csv(folder / "people.csv", index=False)
    with pytest.raises(NotVerified, match="has changed since the sheet was made"):
        answer(record, key(folder, "office"))
    table().to_csv(folder / "people.csv", index=False)
    answer(record, key(folder, "office"))
    decide(record, key(folder, "ann"), "accept")
    table().iloc[1:].to_csv(folder / "people.csv", index=False)
    with pytest.raises(NotVerified, match="has changed since the sheet was made"):
        deliver(record, key(folder, "office"), folder / "delivered")
    assert verify(record).negotiation.state.value == "agreed"


def test_an_offer_that_was_open_for_its_time_expires(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    answer(record, key(folder, "office"))
    decided = decide(record, key(folder, "ann"), "accept", clock=Clock(datetime.now(UTC) + timedelta(days=8)))
    assert decided.negotiation.state.value == "expired"
    assert "lets the offer expire" in story(decided)[-1]
    assert following(decided, "x.json").startswith("nothing: the offer expired")


def test_one_account_sees_only_so_many_offers(folder: Path) -> None:
    opened(folder, most_seen=2)
    record = asked(folder, who="ann")
    for _ in range(2):
        answer(record, key(folder, "office"))
        decide(record, key(folder, "ann"), "reject")
    answered = answer(record, key(folder, "office"))
    assert "at most 2 answers" in story(answered.record)[-1]
    again = answer(asked(folder, who="ann"), key(folder, "office"))  # a new negotiation is the same account
    assert "at most 2 answers" in story(again.record)[-1]
    assert len(Desk.read(folder / "sheet.desk").given) == 2
    other = answer(asked(folder, who="bob"), key(folder, "office"))
    assert other.record.negotiation.state.value == "offered"


def test_records_of_another_sheet_and_desks_that_are_none(folder: Path) -> None:
    opened(folder)
    record = asked(folder)
    other = folder / "other"
    other.mkdir()
    offering = Offering(models=("k-anonymity:3",))
    open_desk(folder / "people.csv", folder / "people.toml", key(folder, "office"), other / "sheet.json", offering)
    with pytest.raises(NotVerified, match="about another table"):
        answer(record, key(folder, "office"), other / "sheet.desk")
    with pytest.raises(UsageError, match="no owner's desk"):
        answer(record, key(folder, "office"), folder / "ledger")
    with pytest.raises(NotVerified, match="about another sheet"):
        verify(record, other / "sheet.json")
    lonely = folder / "lonely"
    lonely.mkdir()
    shutil.copy(record, lonely / "ann.json")
    with pytest.raises(UsageError, match="is not beside the record"):
        answer(lonely / "ann.json", key(folder, "office"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"epsilon": None, "models": ()}, "say what every release must keep"),
        ({"models": ("k-anonymity:500",)}, "the others as they are, k-anonymity 240 would work"),
        ({"models": ("k-anonymity:500", "distinct-diversity:9")}, "loosen several of them"),
        ({"expected": float("nan"), "price": "linear:9,5"}, "a number from 0 up"),
        ({"grid": 1e-30}, "a grid is a number from 0.0001 to 1"),
        ({"title": "x" * 1001}, "no sheet can be written: title must be a text with at most 1000"),
        ({"sensitive": "sex"}, "name one sensitive attribute"),
        ({"price": "10 * loss"}, "it rises with the loss"),
        ({"expected": 5.0}, "an expected profit needs"),
        ({"limit": 0}, "a whole number from 1 up"),
        ({"quasi": ("age", "nme")}, "nme"),
    ],
)
def test_a_table_that_cannot_be_opened_so(folder: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(SfumatoError, match=message) as refused:
        opened(folder, **more)
    assert "\n" not in str(refused.value)
    assert not (folder / "sheet.json").exists()
    assert not (folder / "sheet.desk").exists()


@pytest.mark.parametrize("name", ["epsilon", "alpha"])
def test_the_bound_that_is_said_to_work_does(folder: Path, name: str) -> None:
    """It is rounded to the side that works; a model keeps out the table with everything withheld, which any bound allows."""
    frame = table()
    frame["town"] = ["Kiel"] * 120 + ["Ulm"] * 120
    frame.loc[:39, "ill"] = "flu"
    frame.to_csv(folder / "people.csv", index=False)
    rules: dict[str, Any] = {"epsilon": None, "models": ("utility-distribution-loss:0.775",)}
    with pytest.raises(UsageError, match="would work") as refused:
        opened(folder, **{**rules, name: 0.001})
    found = re.search(rf"{name} ([\d.]+)", str(refused.value))
    assert found
    assert opened(folder, **{**rules, name: float(found[1])}).exists()


def test_bad_requests_write_nothing(folder: Path) -> None:
    sheet = opened(folder)
    for pattern, message in (
        ("agee", "no quasi-identifier 'agee'"),
        ("name", "no quasi-identifier 'name'"),
        ("ill", "no quasi-identifier"),
    ):
        with pytest.raises(UsageError, match=message):
            request(sheet, UtilityPattern.parse(pattern), key(folder, "ann"), folder / "r.json")
    with pytest.raises(UsageError, match="the owner's key; a user has another"):
        request(sheet, UtilityPattern.parse("age"), key(folder, "office"), folder / "r.json")
    with pytest.raises(UsageError, match="a budget is a number from 0 up, for a sheet with a price"):
        request(sheet, UtilityPattern.parse("age"), key(folder, "ann"), folder / "r.json", budget=5)
    with pytest.raises(DataError, match="not an owner's sheet"):
        read_sheet(asked(folder))
    assert not (folder / "r.json").exists()
    with pytest.raises(OutputError, match="exists already"):
        opened(folder)


def test_a_budget_below_every_price_is_told(folder: Path) -> None:
    opened(folder, price="linear:100,50")
    refused = answer(asked(folder, budget=1.0), key(folder, "office")).record
    assert "no offer, or no further one, for this pattern and budget; ask for less, or spend more" in story(refused)[-1]
    assert refused.negotiation.state.value == "refused"


def test_the_owner_hears_which_offers_are_in_the_way(folder: Path) -> None:
    telling(folder)
    opened(folder, epsilon=0.1)
    first = answer(asked(folder, "age", (0,), who="ann"), key(folder, "office"))
    assert first.record.negotiation.state.value == "offered"
    second = answer(asked(folder, "town", (0,), who="bob"), key(folder, "office"))
    assert second.record.negotiation.state.value == "refused"
    assert (second.room, second.reason) == ((1, 0), "ledger")
    assert [(each.event, each.levels) for each in second.in_the_way] == [(first.record.negotiation.offers[0].id, {"age": 0})]


def test_the_offers_of_all_desks_on_a_table_count(folder: Path) -> None:
    telling(folder)
    opened(folder, epsilon=0.1)
    second = Offering(epsilon=0.1, price="linear:100,80")
    made = open_desk(folder / "people.csv", folder / "people.toml", key(folder, "office"), folder / "paid.json", second)
    assert made.ledger == "sheet.desk"
    answer(asked(folder, "age", (0,)), key(folder, "office"))
    request(folder / "paid.json", UtilityPattern.parse("town", (0,)), key(folder, "bob"), folder / "bob.json")
    answered = answer(folder / "bob.json", key(folder, "office"))
    assert (answered.record.negotiation.state.value, answered.room) == ("refused", (1, 0))
    third = Offering(epsilon=0.1, quasi=("age",))
    with pytest.raises(UsageError, match=r"paid.desk is open on this table with other attributes.* quasi age,town"):
        open_desk(folder / "people.csv", folder / "people.toml", key(folder, "office"), folder / "third.json", third)
    assert not (folder / "third.json").exists()


def test_sensitive_attributes_that_no_bound_is_about_are_withheld(folder: Path) -> None:
    (folder / "people.toml").write_text(SCHEMA.replace('sex]\nrole = "quasi"', 'sex]\nrole = "sensitive"') + "\n")
    with pytest.raises(UsageError, match="name one sensitive attribute; there are sex, ill"):
        opened(folder)
    opened(folder, sensitive="ill")
    record = asked(folder, "age,town")
    answer(record, key(folder, "office"))
    decide(record, key(folder, "ann"), "accept")
    delivered = deliver(record, key(folder, "office"), folder / "delivered")
    assert set(delivered.certificate.columns) == {"age", "town", "ill"}
    assert "sex" not in pd.read_parquet(folder / "delivered/release.parquet").columns


def test_a_sheet_names_the_columns_that_come_as_they_are(folder: Path, sfumato: Callable[..., Any]) -> None:
    (folder / "people.toml").write_text(SCHEMA.replace('sex]\nrole = "quasi"', 'sex]\nrole = "plain"'))
    sheet = opened(folder)
    assert read_sheet(sheet).plain == ("sex",)
    ended = sfumato("negotiate", "show", sheet)
    assert "every release has ill, sex as they are, and keeps distribution-loss:0.45, k-anonymity:2" in ended.out
    assert "in 10-year bands" in ended.out
    assert sfumato("negotiate", "show", sheet, "--json").json["sheet"] == json.loads(sheet.read_text())


def test_relaxing_and_illegal_moves_at_the_shell(
    folder: Path, sfumato: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    opened(folder)
    asked(folder, "age", (0,))
    before = Path("ann.json").read_text()
    refused = sfumato("negotiate", "accept", "ann.json", "--key", "ann.key")
    assert (refused.status, refused.err.count("\n"), Path("ann.json").read_text()) == (2, 1, before)
    assert sfumato("negotiate", "answer", "ann.json", "--key", "office.key").status == 0
    ended = sfumato("negotiate", "relax", "ann.json", "--key", "ann.key", "--json")
    assert (ended.json["state"], ended.json["turn"]) == ("requested", "owner")
    for bad in ({}, [], {"sheet": 1, "transcript": 2}):
        Path("bad.json").write_text(json.dumps(bad))
        ended = sfumato("negotiate", "show", "bad.json")
        assert (ended.status, ended.err.count("\n")) == (2, 1)
