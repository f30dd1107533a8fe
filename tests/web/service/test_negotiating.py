"""Negotiations in a service, on SQLite and on PostgreSQL: the same answers as by files, each move whole, nobody else's business."""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.negotiation.events import Offer
from sfumato.negotiation.files import Offering, answer, decide, open_desk, request, verify
from sfumato.negotiation.files.turns import owner_after
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import Conflict, IllegalMove, State
from sfumato.web.service.jobs.tasks import Given, done
from sfumato.web.service.negotiating import Said
from sfumato.web.service.people import Account, Role
from sfumato.web.service.places import Places
from sfumato.web.service.refusals import NoSuch
from sfumato.web.service.rooms import Rooms
from sfumato.web.service.secret import new_id
from sfumato.web.service.service import Service
from sfumato.web.service.store import jobs, listings, negotiations
from sfumato.web.service.store.jobs import JobState
from tests.web.service.conftest import BOTH, Clock, make_account
from tests.web.service.offering import Quiet, offered_in, people, table_in, work_off

STORES = BOTH

PATTERN = UtilityPattern.parse("sex > age,town")
RULES = Offering(epsilon=0.5)


@pytest.fixture
def rooms(service: Service) -> Rooms:
    return Rooms(service)


@pytest.fixture
def table(service: Service, owner: Account) -> str:
    return table_in(service, owner)


@pytest.fixture
def listing(service: Service, owner: Account, table: str) -> str:
    return offered_in(service, owner, table, RULES)


def reject(found: negotiations.Negotiated) -> Said:
    offer = found.record.negotiation.standing
    assert offer is not None
    return Said("reject", offer.id)


def accept(found: negotiations.Negotiated) -> Said:
    offer = found.record.negotiation.standing
    assert offer is not None
    return Said("accept", offer.id, offer.terms.digest)


def levels(found: negotiations.Negotiated) -> list[dict[str, int]]:
    return [dict(offer.terms.levels) for offer in found.record.negotiation.offers]


def test_the_service_answers_as_the_owner_does_by_files(
    service: Service, rooms: Rooms, owner: Account, user: Account, table: str, listing: str, tmp_path: Path
) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    for _ in range(3):
        found = rooms.negotiating.say(user, found.id, reject(found))
    project = Places(service.folder).project(table)
    desk = tmp_path / "by-files"
    desk.mkdir()
    opened = open_desk(project.source.data, project.schema_file, owner.private_key, desk / "sheet.json", RULES)
    request(opened.sheet, PATTERN, user.private_key, desk / "record.json")
    for _ in range(3):
        answer(desk / "record.json", owner.private_key)
        decide(desk / "record.json", user.private_key, "reject")
    by_files = answer(desk / "record.json", owner.private_key).record
    assert levels(found) == [dict(offer.terms.levels) for offer in by_files.negotiation.offers]
    assert len(levels(found)) == 4
    assert len({tuple(each.items()) for each in levels(found)}) == 4


def test_what_is_agreed_is_delivered_and_can_be_verified_without_the_service(
    service: Service, rooms: Rooms, owner: Account, user: Account, listing: str
) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    found = rooms.negotiating.say(user, found.id, reject(found))
    agreed = rooms.negotiating.say(user, found.id, accept(found))
    assert agreed.state == State.AGREED
    work_off(service)
    with service.database.reading() as connection:
        ended = negotiations.one(connection, found.id)
    assert ended is not None
    assert ended.state == State.DELIVERED
    folder = Places(service.folder).delivery(found.id)
    checked = sf.verify(folder / "release.csv", key=owner.private_key.public)
    record = verify(folder / "negotiation.json", key=[owner.private_key.public, user.private_key.public])
    assert record.transcript.entries[-1].event["certificate"] == checked.certificate.digest
    assert record.text() == ended.record.text()
    expected = {**dict.fromkeys(["sex", "age", "town"]), **levels(found)[1]}
    assert {name: level for name, level in checked.certificate.node.items() if name in expected} == expected


def test_the_same_number_again_changes_nothing(rooms: Rooms, user: Account, listing: str) -> None:
    number, event = new_id(), new_id()
    first = rooms.negotiating.ask(user, listing, PATTERN, event=event, identity=number)
    again = rooms.negotiating.ask(user, listing, PATTERN, event=event, identity=number)
    assert again.record.text() == first.record.text()
    with pytest.raises(Conflict, match="another negotiation"):
        rooms.negotiating.ask(user, listing, UtilityPattern.parse("age"), event=event, identity=number)
    said = Said("reject", first.record.negotiation.standing.id, event=new_id())  # type: ignore[union-attr]
    once = rooms.negotiating.say(user, number, said)
    assert rooms.negotiating.say(user, number, said).record.text() == once.record.text()
    with pytest.raises(Conflict, match="another event"):
        rooms.negotiating.say(user, number, Said("terminate", event=said.event))


def at_once(*works: Callable[[], object]) -> list[object]:
    """What came of each, all begun at the same moment."""
    ready, results = threading.Barrier(len(works)), [None] * len(works)

    def run(place: int) -> None:
        ready.wait()
        try:
            results[place] = works[place]()  # type: ignore[call-overload]
        except SfumatoError as error:
            results[place] = error  # type: ignore[call-overload]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return list(results)


def test_of_two_answers_at_once_one_wins(service: Service, rooms: Rooms, user: Account, listing: str) -> None:
    for _ in range(5):
        found = rooms.negotiating.ask(user, listing, PATTERN)
        if found.record.negotiation.standing is None:
            break
        yes, no = accept(found), reject(found)
        came = at_once(
            lambda found=found, yes=yes: rooms.negotiating.say(user, found.id, yes),  # type: ignore[misc]
            lambda found=found, no=no: rooms.negotiating.say(user, found.id, no),  # type: ignore[misc]
        )
        lost = [each for each in came if isinstance(each, IllegalMove)]
        assert len(lost) == 1
        assert "does not stand any more" in str(lost[0])
        with service.database.reading() as connection:
            after = negotiations.one(connection, found.id)
        assert after is not None
        won = after.record.transcript.entries[2].event["kind"]
        assert (came[0] in lost) == (won == "reject")


def test_offers_at_once_leave_no_coalition_that_breaks_the_bounds(
    service: Service, rooms: Rooms, owner: Account, listing: str
) -> None:
    patterns = ["sex", "age", "town", "job", "sex > age", "town > job", "job > sex", "age > town", "sex,town,job > age"]
    users = [make_account(service, Role.USER, f"user {n}", f"u{n}@example.org") for n in range(len(patterns))]
    came = at_once(
        *(
            lambda user=user, pattern=pattern: rooms.negotiating.ask(user, listing, UtilityPattern.parse(pattern))  # type: ignore[misc]
            for user, pattern in zip(users, patterns, strict=True)
        )
    )
    assert all(isinstance(each, negotiations.Negotiated) for each in came)
    with service.database.reading() as connection:
        given = [each for each in listings.answers(connection, _content(service, listing)) if each.levels is not None]
        offered = listings.one(connection, listing)
    assert offered is not None
    assert given  # how many there are depends on who came first
    space = rooms.desks.space(offered)
    for place, each in enumerate(given):  # plainly: each was safe after those before it
        before = {one.event: one.levels or {} for one in given[:place]}
        owner_then = owner_after(offered.rules, space, before, [])
        node = tuple(
            (each.levels or {}).get(name, top) for name, top in zip(space.lattice.attributes, space.lattice.heights, strict=True)
        )
        assert owner_then.coalitions is not None
        assert owner_then.coalitions.in_the_way(node) is None


def _content(service: Service, listing: str) -> str:
    with service.database.reading() as connection:
        found = listings.one(connection, listing)
    assert found is not None
    return found.content


def test_offers_under_other_rules_on_the_same_table_count(
    service: Service, rooms: Rooms, owner: Account, user: Account, table: str, listing: str
) -> None:
    other = offered_in(service, owner, table, Offering(epsilon=0.8))
    first = rooms.negotiating.ask(user, listing, UtilityPattern.parse("sex"))
    rooms.negotiating.ask(user, other, UtilityPattern.parse("town"))
    with service.database.reading() as connection:
        found = listings.one(connection, other)
        assert found is not None
        behind = rooms.desks.ready(connection, found).owner
    assert behind.coalitions is not None
    assert behind.coalitions.deals[0].id == first.record.negotiation.offers[0].id
    assert len(behind.coalitions.deals) == 2


def test_an_account_gets_so_many_answers(service: Service, rooms: Rooms, owner: Account, user: Account, table: str) -> None:
    listing = offered_in(service, owner, table, Offering(epsilon=0.9, most_seen=3))
    patterns = ["sex", "town", "job"]
    for pattern in patterns:
        rooms.negotiating.ask(user, listing, UtilityPattern.parse(pattern))
    last = rooms.negotiating.ask(user, listing, UtilityPattern.parse("age"))
    refused = last.record.transcript.entries[-1].event
    assert (refused["kind"], refused["reason"]) == ("request-rejected", "too_many_answers")
    somebody = make_account(service, Role.USER, "Somebody Else", "else@example.org")
    assert rooms.negotiating.ask(somebody, listing, UtilityPattern.parse("sex")).state == State.OFFERED


def test_answers_are_counted_by_account_and_negotiation(
    service: Service, rooms: Rooms, owner: Account, user: Account, listing: str
) -> None:
    somebody = make_account(service, Role.USER, "Somebody Else", "else@example.org")
    begun = [rooms.negotiating.ask(each, listing, UtilityPattern.parse("sex > town")) for each in (user, somebody, user)]
    for each in begun[:2]:
        rooms.negotiating.say(user if each.user == user.id else somebody, each.id, reject(each))
    for kept in (rooms, Rooms(service)):  # grown with each answer, and made anew
        with service.database.reading() as connection:
            found = listings.one(connection, listing)
            assert found is not None
            answers = listings.answers(connection, found.content)
            ready = kept.desks.ready(connection, found)
        for account in (user.id, somebody.id, owner.id):
            for without in (*(each.id for each in begun), new_id()):
                plain = sum(each.account == account and each.negotiation != without for each in answers)
                assert ready.answers_to(account, without) == plain


def test_what_was_offered_in_a_transaction_that_was_undone_does_not_count(
    service: Service, rooms: Rooms, user: Account, listing: str
) -> None:
    def deals() -> list[str]:
        with service.database.reading() as connection:
            found = listings.one(connection, listing)
            assert found is not None
            coalitions = rooms.desks.ready(connection, found).owner.coalitions
        assert coalitions is not None
        return [each.id for each in coalitions.deals]

    first = rooms.negotiating.ask(user, listing, PATTERN)
    before = deals()
    assert before == [each.id for each in first.record.negotiation.offers]

    def broken() -> None:
        with service.database.writing() as connection:
            rooms.negotiating._asked(connection, user, listing, UtilityPattern.parse("town"), None, None, None, lambda *_: None)()
            found = listings.one(connection, listing)
            assert found is not None
            assert len(rooms.desks.ready(connection, found).given[user.id]) == 2  # as whoever comes next in it sees it
            raise ConnectionError("lost")

    with pytest.raises(ConnectionError):
        broken()
    assert deals() == before
    other = rooms.negotiating.ask(user, listing, UtilityPattern.parse("job"))  # on SQLite with the same number of the answer
    assert deals() == [*before, *(each.id for each in other.record.negotiation.offers)]


def test_another_account_finds_nothing(service: Service, rooms: Rooms, user: Account, listing: str) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    stranger = make_account(service, Role.USER, "A Stranger", "stranger@example.org")
    with pytest.raises(NoSuch):
        rooms.negotiating.say(stranger, found.id, accept(found))
    with pytest.raises(NoSuch):
        rooms.negotiating.ask(stranger, new_id(), PATTERN)


def test_an_offer_that_is_over_is_not_accepted(rooms: Rooms, user: Account, listing: str, clock: Clock) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    clock.now += 8 * 86_400
    assert rooms.negotiating.say(user, found.id, accept(found)).state == State.EXPIRED


def test_offers_that_nobody_takes_expire(rooms: Rooms, user: Account, owner: Account, listing: str, clock: Clock) -> None:
    early = rooms.negotiating.ask(user, listing, UtilityPattern.parse("sex"))
    clock.now += 6 * 86_400
    late = rooms.negotiating.ask(user, listing, UtilityPattern.parse("town"))
    assert rooms.negotiating.expire() == []
    clock.now += 2 * 86_400
    ended = rooms.negotiating.expire()
    assert [(each.id, each.state) for each in ended] == [(early.id, State.EXPIRED)]
    assert ended[0].record.transcript.entries[-1].party == "owner"
    assert rooms.negotiating.expire() == []
    assert rooms.negotiating.say(user, late.id, accept(late)).state == State.AGREED


def test_other_terms_than_those_offered_are_not_accepted(rooms: Rooms, user: Account, listing: str) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    offer = found.record.negotiation.standing
    assert isinstance(offer, Offer)
    for said in (
        Said("accept", offer.id, "0" * 64),
        Said("accept", offer.id),
        Said("accept", new_id(), offer.terms.digest),
        Said("accept"),
    ):
        with pytest.raises(SfumatoError):
            rooms.negotiating.say(user, found.id, said)
    assert rooms.negotiating.say(user, found.id, accept(found)).state == State.AGREED


def test_a_closed_listing_takes_no_new_request_and_goes_on_with_old_ones(
    service: Service, rooms: Rooms, user: Account, listing: str
) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    with service.database.writing() as connection:
        listings.close(connection, listing, service.now())
    with pytest.raises(IllegalMove, match="no further requests"):
        rooms.negotiating.ask(user, listing, PATTERN)
    assert rooms.negotiating.say(user, found.id, reject(found)).events == 4


def test_a_delivery_that_died_before_its_end_is_finished_with_the_same_release(
    service: Service, rooms: Rooms, user: Account, listing: str
) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    rooms.negotiating.say(user, found.id, accept(found))
    with service.database.writing() as connection:
        job = jobs.claim(connection)
    assert job is not None
    places = Places(service.folder)
    done(Given(service.database, places, job, Quiet(), service.now()))  # and died before the transaction
    before = (places.delivery(found.id) / "release.csv").read_bytes()
    with service.database.writing() as connection:
        jobs.take_up(connection, service.now())
    assert [each.state for each in work_off(service)] == [JobState.DONE]
    assert (places.delivery(found.id) / "release.csv").read_bytes() == before
    with service.database.reading() as connection:
        after = negotiations.one(connection, found.id)
    assert after is not None
    assert after.state == State.DELIVERED


def test_what_a_party_ends_while_it_is_delivered_is_not_handed_over(
    service: Service, rooms: Rooms, owner: Account, user: Account, listing: str
) -> None:
    found = rooms.negotiating.ask(user, listing, PATTERN)
    rooms.negotiating.say(user, found.id, accept(found))
    with service.database.writing() as connection:
        job = jobs.claim(connection)
    assert job is not None
    ending = done(Given(service.database, Places(service.folder), job, Quiet(), service.now()))
    rooms.negotiating.say(owner, found.id, Said("terminate", sentence="a mistake"))
    with service.database.writing() as connection:
        ending(connection)
        after = negotiations.one(connection, found.id)
    assert after is not None
    assert after.state == State.TERMINATED


def test_no_cell_of_a_delivered_file_is_a_formula(service: Service, rooms: Rooms, owner: Account, user: Account) -> None:
    content = people().replace(b",flu", b",=1+cmd").replace(b",gout", b",@SUM(1)")
    listing = offered_in(service, owner, table_in(service, owner, content), Offering(epsilon=0.9))
    found = rooms.negotiating.ask(user, listing, UtilityPattern.parse("sex"))
    rooms.negotiating.say(user, found.id, accept(found))
    work_off(service)
    with (Places(service.folder).delivery(found.id) / "release.csv").open(encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.reader(file) for cell in row}
    assert {cell.lstrip("'") for cell in cells} >= {"=1+cmd", "@SUM(1)", "cold"}
    assert not [cell for cell in cells if cell.startswith(("=", "@", "+", "-"))]
