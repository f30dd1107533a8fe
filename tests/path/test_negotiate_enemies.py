"""Somebody who lies, forges, goes back in time or asks very often, in a negotiation by files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataError, NotVerified, UsageError
from sfumato.negotiation import UtilityPattern
from sfumato.negotiation.events import Offer, Party, Request, Terms
from sfumato.negotiation.files import (
    Clock,
    Offering,
    Record,
    answer,
    decide,
    deliver,
    open_desk,
    read_sheet,
    request,
    story,
    verify,
)
from sfumato.negotiation.files.desk import Desk
from sfumato.negotiation.files.identity import content_digest
from tests.path.negotiating import SCHEMA, asked, folder, key, opened, table, telling

__all__ = ["folder"]


def offered(folder: Path, **more: Any) -> Path:
    """A record with an offer that stands."""
    opened(folder, **more)
    record = asked(folder)
    answer(record, key(folder, "office"))
    return record


def test_a_refusal_says_nothing_of_the_bounds_the_ledger_or_the_price(folder: Path) -> None:
    """A budget that is changed step by step would else tell the loss of a policy that nobody may see."""
    telling(folder)
    opened(folder, epsilon=0.1, price="linear:100,80", models=())
    answer(asked(folder, "age", (0,)), key(folder, "office"))
    said, why = set(), []
    for budget in (1.0, 43.0, 43.2, 100.0):  # the loss of town is 0.71, its price 43.2
        answered = answer(asked(folder, "town", (0,), who="bob", budget=budget), key(folder, "office"))
        event = answered.record.transcript.entries[-1].event
        said.add((event["reason"], event["sentence"]))
        why.append(answered.reason)
    assert len(said) == 1
    assert why == ["budget", "budget", "ledger", "ledger"]  # the owner hears it


def test_refusals_count_like_offers(folder: Path) -> None:
    telling(folder)
    opened(folder, epsilon=0.1, models=(), most_seen=3)
    answer(asked(folder, "age", (0,)), key(folder, "office"))
    reasons = [answer(asked(folder, "town", (0,), who="bob"), key(folder, "office")).reason for _ in range(5)]
    assert reasons == ["ledger"] * 3 + ["too_many_answers"] * 2


def test_only_those_may_ask_whose_keys_the_owner_has_named(folder: Path) -> None:
    opened(folder, users=(folder / "ann.pub",))
    assert answer(asked(folder), key(folder, "office")).new
    record = asked(folder, who="bob")
    before = record.read_text()
    with pytest.raises(NotVerified, match="none of those that may ask here"):
        answer(record, key(folder, "office"))
    assert record.read_text() == before


def test_an_older_copy_cannot_be_accepted_after_the_owner_has_said_more(folder: Path) -> None:
    record = offered(folder)
    older = shutil.copy(record, folder / "older.json")
    decide(record, key(folder, "ann"), "reject")
    answer(record, key(folder, "office"))
    decide(older, key(folder, "ann"), "accept")
    with pytest.raises(NotVerified, match="does not continue what the owner said last"):
        deliver(older, key(folder, "office"), folder / "delivered")
    assert not (folder / "delivered").exists()


def test_what_the_owner_has_ended_stays_ended(folder: Path) -> None:
    record = offered(folder)
    older = shutil.copy(record, folder / "older.json")
    decide(record, key(folder, "office"), "terminate")
    decide(older, key(folder, "ann"), "accept")
    with pytest.raises(NotVerified, match="does not continue what the owner said last"):
        deliver(older, key(folder, "office"), folder / "delivered")
    unanswered = asked(folder, who="bob")
    again = shutil.copy(unanswered, folder / "again.json")
    decide(unanswered, key(folder, "office"), "terminate")
    answered = answer(again, key(folder, "office"))
    assert (answered.new, answered.record.negotiation.state.value) == (False, "terminated")


def test_a_reason_that_is_too_long_changes_nothing(folder: Path) -> None:
    record = offered(folder)
    before = record.read_text()
    with pytest.raises(UsageError, match="at most 500 characters"):
        decide(record, key(folder, "ann"), "terminate", sentence="x" * 501)
    assert record.read_text() == before
    decide(record, key(folder, "ann"), "terminate", sentence="x" * 500)
    assert verify(record).negotiation.ended


COPIES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "people.parquet": lambda frame, path: frame.to_parquet(path),
    "sorted.csv": lambda frame, path: frame.sort_values(["ill", "age"]).to_csv(path, index=False),
    "turned.csv": lambda frame, path: frame[["ill", "town", "age"]].to_csv(path, index=False, sep=";"),
    "people.csv": lambda frame, path: None,
}


@pytest.mark.parametrize("copy", COPIES)
def test_another_copy_of_a_table_and_other_bounds_share_its_ledger(folder: Path, copy: str) -> None:
    telling(folder)
    opened(folder, epsilon=0.1, models=())
    COPIES[copy](pd.read_csv(folder / "people.csv", dtype=str), folder / copy)
    offering = Offering(epsilon=2.0)
    made = open_desk(folder / copy, folder / "people.toml", key(folder, "office"), folder / "second.json", offering)
    assert made.ledger == "sheet.desk"
    answer(asked(folder, "age", (0,)), key(folder, "office"))
    request(folder / "second.json", "town", key(folder, "bob"), folder / "bob.json")
    assert answer(folder / "bob.json", key(folder, "office")).reason == "ledger"


def test_a_copy_with_other_columns_or_hierarchies_is_refused(folder: Path) -> None:
    """Their offers could not be put together with those that were made."""
    table().sample(frac=1, random_state=3).to_csv(folder / "copy.csv", index=False)
    opened(folder)
    (folder / "other.toml").write_text(SCHEMA.replace('"Passau"]', '"Passau", "Wien"]'))
    (folder / "sick.toml").write_text(SCHEMA.replace('sex]\nrole = "quasi"', 'sex]\nrole = "sensitive"'))
    for schema, more in (("people.toml", {"quasi": ("age",)}), ("other.toml", {}), ("sick.toml", {"sensitive": "sex"})):
        offering = Offering(epsilon=0.45, **more)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"sheet\.desk is open on this table with other attributes"):
            open_desk(folder / "copy.csv", folder / schema, key(folder, "office"), folder / "second.json", offering)
        assert not (folder / "second.json").exists()


def test_which_table_it_is(folder: Path) -> None:
    frame = pd.DataFrame({"who": list("aabbc"), "age": [17, None, 30, 30, 41], "note": ["", "x", None, "007", "7"]})
    schema = sf.Schema.of(frame, quasi=["age"], owner="who", plain=["note"])

    def digest(data: pd.DataFrame) -> str:
        with sf.Table.open(data, schema) as opened_table:
            return content_digest(opened_table)

    same = digest(frame)
    assert digest(frame.sample(frac=1, random_state=1)) == same
    assert digest(frame[["note", "who", "age"]]) == same
    assert digest(frame.assign(age=frame["age"].astype("Int64"))) == same  # 17 and 17.0 are one number
    for other in (
        frame.assign(who=list("abbbc")),  # the same rows, but of other people
        frame.assign(note=["", "x", None, "7", "007"]),
        frame.assign(note=["x", "", None, "007", "7"]),
        frame.iloc[:-1],
        pd.concat([frame, frame.iloc[:1]]),
        frame.rename(columns={"note": "notes"}),
    ):
        with sf.Table.open(other, sf.Schema.of(other, quasi=["age"], owner="who")) as opened_table:
            assert content_digest(opened_table) != same


def test_one_number_of_a_negotiation_at_several_desks_counts_as_often(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user draws the number; so it says nothing about which answers were given where."""
    telling(folder)
    opened(folder, epsilon=0.1, models=(), most_seen=2)
    offering = Offering(epsilon=0.1, most_seen=2)
    open_desk(folder / "people.csv", folder / "people.toml", key(folder, "office"), folder / "second.json", offering)
    monkeypatch.setattr("sfumato.negotiation.files.turns.uuid4", lambda: UUID(int=7))
    reasons = []
    for sheet in ("sheet", "second"):
        record = folder / f"{sheet}-ann.json"
        request(folder / f"{sheet}.json", "age > town", key(folder, "ann"), record)
        for _ in range(3):
            answered = answer(record, key(folder, "office"))
            reasons.append(answered.reason)
            decide(record, key(folder, "ann"), "reject" if answered.reason is None else "terminate")
            if answered.reason:
                break
    assert len(Desk.read(folder / "sheet.desk").given) == 2
    assert reasons[-1] == "too_many_answers"


def test_a_desk_without_its_answers_is_not_gone_on_with(folder: Path) -> None:
    opened(folder)
    offering = Offering(epsilon=0.4)
    open_desk(folder / "people.csv", folder / "people.toml", key(folder, "office"), folder / "second.json", offering)
    shutil.rmtree(folder / "sheet.desk")
    (folder / "sheet.json").unlink()
    with pytest.raises(NotVerified, match="the answers on this table are lost; restore this desk from your backup"):
        opened(folder)
    request(folder / "second.json", "age", key(folder, "ann"), folder / "r.json")
    with pytest.raises(NotVerified, match="the answers on this table are lost"):
        answer(folder / "r.json", key(folder, "office"))


def test_a_delivery_that_the_desk_did_not_hear_of_is_the_only_one(folder: Path) -> None:
    """The power fails after the release has its place, and before the desk is written."""
    record = offered(folder)
    decide(record, key(folder, "ann"), "accept")
    agreed = record.read_text()
    number = verify(record).transcript.id
    desk = folder / "sheet.desk" / "negotiations" / f"{number}.json"
    before = desk.read_text()
    first = deliver(record, key(folder, "office"), folder / "out").certificate.digest
    record.write_text(agreed)
    desk.write_text(before)
    Desk.read(folder / "sheet.desk").intend(number, folder / "out")  # as it was just before the release had its place
    with pytest.raises(UsageError, match=r"delivered already, into .*out; 'deliver' with that folder goes on"):
        deliver(record, key(folder, "office"), folder / "elsewhere")
    with pytest.raises(UsageError, match="delivered already"):
        decide(record, key(folder, "office"), "terminate")
    with pytest.raises(NotVerified, match="not the key of the owner"):
        deliver(record, key(folder, "ann"), folder / "out")
    assert deliver(record, key(folder, "office"), folder / "out").certificate.digest == first
    assert verify(desk).negotiation.state.value == "delivered"
    assert sorted(path.name for path in desk.parent.iterdir()) == [desk.name]


def test_a_delivered_folder_that_has_lost_files(folder: Path) -> None:
    record = offered(folder)
    decide(record, key(folder, "ann"), "accept")
    deliver(record, key(folder, "office"), folder / "out")
    closed = (folder / "out/negotiation.json").read_text()
    (folder / "out/negotiation.json").unlink()
    deliver(record, key(folder, "office"), folder / "out")
    assert (folder / "out/negotiation.json").read_text() == closed
    (folder / "out/release.parquet").unlink()
    with pytest.raises(UsageError, match="which cannot be made again; give the folder that has it"):
        deliver(record, key(folder, "office"), folder / "out")


def test_a_bound_of_many_digits_is_the_same_everywhere(folder: Path) -> None:
    """It is judged again at the delivery: what was offered must be delivered."""
    opened(folder)
    losses = Desk.read(folder / "sheet.desk").space["distribution.max"]
    exact = sorted(float(loss) for loss in losses if 0 < loss < 0.45)[-1]
    (folder / "other").mkdir()
    offering = Offering(epsilon=exact)
    sheet = open_desk(
        folder / "people.csv", folder / "people.toml", key(folder, "office"), folder / "other/s.json", offering
    ).sheet
    assert float(read_sheet(sheet).bounds[0].partition(":")[2]) == exact
    record = folder / "other/r.json"
    request(sheet, UtilityPattern.parse("age,town,sex", (1,)), key(folder, "ann"), record)
    answer(record, key(folder, "office"))
    decide(record, key(folder, "ann"), "accept")
    assert deliver(record, key(folder, "office"), folder / "delivered").new


def test_signed_nonsense_is_refused_and_never_a_bug(folder: Path) -> None:
    opened(folder, price="linear:100,80")
    sheet = read_sheet(folder / "sheet.json")
    good = Terms({"age": 1}, {"utility-distribution": 0.5}, sheet.valid_for, 60.0)
    pattern = UtilityPattern.parse("age", (0.5,)).as_dict()
    offers: list[tuple[Terms, str | None]] = [
        (good, None),
        (replace(good, levels={"age": 99}), "a level that the sheet does not have"),
        (replace(good, levels={"age": 3}), "does not match the pattern"),
        (replace(good, valid_for=2**53), "its terms are not those of the sheet"),
        (replace(good, losses={"another": 0.1}), "its terms are not those of the sheet"),
        (replace(good, losses={"utility-distribution": 0.123456}), "its loss is none that the sheet's grid has"),
        (replace(good, losses={"utility-distribution": -3.0}), "its loss is none that the sheet's grid has"),
        (replace(good, price=None), "its price is not that of the sheet"),
        (replace(good, price=5000.0), "its price is not that of the sheet"),
        (replace(good, losses={"utility-distribution": 0.0}, price=100.0), "it costs more than the user would spend"),
    ]
    base = Record.read(asked(folder, "age", (0.5,)))
    begun = replace(base.transcript, entries=())
    record = folder / "nonsense.json"
    for layers in ([["bogus"]], [["ill"]]):
        event = Request("a" * 32, {"layers": layers, "shares": [0.5]})
        forged = begun.with_event(Party.USER, event, base.last_time, key(folder, "ann"))
        record.write_text(Record(sheet, forged).text())
        with pytest.raises(NotVerified, match="event 1: it asks for an attribute that the sheet does not have"):
            verify(record)
    for terms, wrong in offers:
        asks = begun.with_event(Party.USER, Request("a" * 32, pattern, 70.0), base.last_time, key(folder, "ann"))
        forged = asks.with_event(Party.OWNER, Offer("b" * 32, terms), base.last_time, key(folder, "office"))
        record.write_text(Record(sheet, forged).text())
        if wrong is None:
            assert verify(record).negotiation.standing is not None
            continue
        with pytest.raises(NotVerified, match=f"event 2: .*{wrong}"):
            verify(record)
    document = json.loads(asked(folder, "age").read_text())
    document["transcript"]["id"] += "\n"
    record.write_text(json.dumps(document))
    with pytest.raises(DataError, match="not a transcript"):
        verify(record)


def test_who_the_parties_are_is_compared_by_their_keys(folder: Path, sfumato: Callable[..., Any]) -> None:
    record = offered(folder)
    assert verify(record, key=[folder / "office.pub", folder / "ann.pub"]).transcript
    with pytest.raises(NotVerified, match="neither party has the key of Bob"):
        verify(record, key=folder / "bob.pub")
    ended = sfumato("negotiate", "verify", record)
    assert f"owner: Office (fingerprint {key(folder, 'office').public.fingerprint})" in ended.out
    assert "the names are what the parties say" in ended.out
    assert "what the parties say" not in sfumato("negotiate", "verify", record, "--key", folder / "office.pub").out
    assert sfumato("negotiate", "verify", record, "--key", folder / "bob.pub").status == 1


def test_clocks_may_differ_a_little_and_no_more(folder: Path) -> None:
    opened(folder)
    now = datetime.now(UTC)
    fast, wrong = Clock(now + timedelta(minutes=5)), Clock(now + timedelta(days=400))
    pattern = UtilityPattern.parse("age,town,sex", (1,))
    request(folder / "sheet.json", pattern, key(folder, "ann"), folder / "ann.json", clock=fast)
    assert answer(folder / "ann.json", key(folder, "office")).new
    request(folder / "sheet.json", pattern, key(folder, "bob"), folder / "bob.json", clock=wrong)
    with pytest.raises(UsageError, match="one of the clocks is wrong"):
        answer(folder / "bob.json", key(folder, "office"))


def test_the_owner_hears_that_an_offer_was_taken_late_by_his_clock(folder: Path) -> None:
    record = offered(folder)
    decide(record, key(folder, "ann"), "accept")  # dated now, and sent a month later
    late = deliver(record, key(folder, "office"), folder / "delivered", clock=Clock(datetime.now(UTC) + timedelta(days=30)))
    assert late.late


def test_names_with_commas_and_other_signs(folder: Path, sfumato: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    odd = {"age": "Alter > 18", "town": "PLZ, Ort", "sex": "m/w [d]"}
    table().rename(columns=odd).to_csv("people.csv", index=False)
    text = SCHEMA
    for name, other in odd.items():
        text = text.replace(f"[attributes.{name}]", f'[attributes."{other}"]')
    Path("people.toml").write_text(text)
    names = json.dumps(list(odd.values()))
    common = ("people.csv", "-s", "people.toml", "--epsilon", 0.5, "--key", "office.key", "-o", "sheet.json")
    assert sfumato("negotiate", "open", *common, "--quasi", names).status == 0
    layers = json.dumps([["Alter > 18", "PLZ, Ort"], ["m/w [d]"]])
    made = sfumato("negotiate", "request", "sheet.json", "--pattern", layers, "--key", "ann.key", "-o", "r.json")
    assert made.status == 0
    assert "Alter > 18, PLZ, Ort as they are, then m/w [d] at any level" in made.out
    refused = sfumato("negotiate", "request", "sheet.json", "--pattern", "[1]", "--key", "ann.key", "-o", "s.json")
    assert (refused.status, refused.err.count("\n")) == (2, 1)


def test_prices_are_told_as_they_are(folder: Path) -> None:
    record = offered(folder, price="linear:1234567.89,0.1")
    assert "price 1,234,567.8" in story(verify(record))[-1]
    (folder / "sheet.json").unlink()
    shutil.rmtree(folder / "sheet.desk")
    record = offered(folder, price="linear:0.004,0.002")
    assert 0 < float(verify(record).negotiation.offers[0].terms.price or 0) < 0.004


def test_a_user_may_spend_more(folder: Path) -> None:
    opened(folder, price="linear:100,50")
    record = asked(folder, budget=1.0)
    assert answer(record, key(folder, "office")).reason == "budget"
    before = verify(record).negotiation.pattern
    relaxed = decide(record, key(folder, "ann"), "relax", budget=90.0).negotiation
    assert (relaxed.pattern, relaxed.asked and relaxed.asked.budget) == (before, 90.0)
    assert answer(record, key(folder, "office")).record.negotiation.state.value == "offered"


def test_the_desk_is_its_owners_alone(folder: Path) -> None:
    opened(folder)
    assert (folder / "sheet.desk").stat().st_mode & 0o077 == 0
