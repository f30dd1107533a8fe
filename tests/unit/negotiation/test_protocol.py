"""The protocol, tried by random parties: nothing is accepted that was not offered, nothing offered twice, and every negotiation ends."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sfumato.negotiation import Coalitions, Negotiation, Owner, Price, Rate, State, UtilityPattern
from sfumato.negotiation.events import (
    KINDS,
    Accept,
    CounterOffer,
    Deliver,
    Event,
    Expire,
    Offer,
    Party,
    Reject,
    Relax,
    Request,
    RequestRejected,
    Terminate,
    Terms,
    as_dict,
    event_of,
)
from sfumato.negotiation.protocol import ENDED, TABLES, Conflict, IllegalMove
from tests.unit.negotiation.spaces import invented

DAY = 86_400
HEIGHTS = {"a": 2, "b": 2, "c": 1}
DIGEST = "0" * 64
PATTERN = UtilityPattern.parse("a,b > c")
TERMS = Terms({"a": 0, "b": 0, "c": 1}, {"utility-distribution": 0.5}, DAY)


def identity(number: int) -> str:
    return f"{number:032x}"


def begun(rate: Rate = Rate.FLAT, limit: int = 5) -> Negotiation:
    return Negotiation(rate, limit).after(Party.USER, Request(identity(1), PATTERN.as_dict()), 0)


def offered(rate: Rate = Rate.FLAT) -> Negotiation:
    return begun(rate).after(Party.OWNER, Offer(identity(2), TERMS), 10)


class Parties(RuleBasedStateMachine):
    """An owner with a ledger, a user who does anything, and somebody who tries moves out of turn."""

    rate = Rate.FLAT

    def __init__(self) -> None:
        super().__init__()
        space = invented(HEIGHTS)
        rng = Random(7)
        self.within = np.array([rng.random() < 0.7 for _ in range(len(space))])
        price = None if self.rate is Rate.FLAT else Price.of("linear:10,5")
        self.owner = Owner(space, self.within, price=price, coalitions=Coalitions(space.lattice, self.within))
        self.now, self.number = 0.0, 0
        self.state = Negotiation(self.rate, 4)

    def made(self, party: Party, event: Event) -> None:
        before = self.state
        self.state = before.after(party, event, self.now)
        assert self.state.after(party, event, self.now + 1) is self.state  # the same again changes nothing
        with pytest.raises(Conflict):
            self.state.after(Party.USER if party is Party.OWNER else Party.OWNER, event, self.now)

    def fresh(self) -> str:
        self.number += 1
        return identity(self.number)

    @precondition(lambda self: self.state.state is State.NEW)
    @rule(text=st.sampled_from(["a", "a,b", "a > b", "a,b > c", "c > a,b"]))
    def request(self, text: str) -> None:
        self.made(Party.USER, Request(self.fresh(), UtilityPattern.parse(text).as_dict(), 8.0))

    @precondition(lambda self: RequestRejected.kind in self.state.moves(Party.OWNER))
    @rule()
    def answer(self) -> None:
        event = self.owner.answer(self.state, self.fresh())
        self.made(Party.OWNER, event)
        if isinstance(event, Offer):
            levels = self.owner.levels_of(event.terms)
            place = int(self.owner.space.lattice.numbers([levels])[0])
            pattern = self.state.pattern
            assert self.within[place]
            assert pattern is not None
            assert pattern.matching(self.owner.space)[place]
            self.owner = self.owner.with_deal(event.id, event.terms)

    @precondition(lambda self: self.state.state is State.OFFERED)
    @rule(wrong=st.sampled_from(["digest", "offer", None]))
    def accept(self, wrong: str | None) -> None:
        offer = self.state.offers[-1]
        event = Accept(self.fresh(), offer.id, offer.terms.digest)
        if wrong == "digest":
            event = replace(event, digest=replace(offer.terms, price=0.01).digest)
        elif wrong == "offer":
            event = replace(event, offer=identity(999))
        if wrong or self.now >= self.state.history[-1].time + offer.terms.valid_for:
            with pytest.raises(IllegalMove):
                self.state.after(Party.USER, event, self.now)
            return
        self.made(Party.USER, event)

    @precondition(lambda self: self.state.state is State.OFFERED)
    @rule()
    def reject(self) -> None:
        self.made(Party.USER, Reject(self.fresh(), self.state.offers[-1].id))

    @precondition(lambda self: Relax.kind in self.state.moves(Party.USER))
    @rule()
    def relax(self) -> None:
        pattern = self.state.pattern
        wider = pattern.relax() if pattern else None
        if wider is not None:
            self.made(Party.USER, Relax(self.fresh(), wider.as_dict()))

    @precondition(lambda self: self.state.state is State.AGREED)
    @rule()
    def deliver(self) -> None:
        agreed = self.state.agreed
        assert agreed is not None
        with pytest.raises(IllegalMove):
            self.state.after(Party.OWNER, Deliver(self.fresh(), identity(998), DIGEST), self.now)
        self.made(Party.OWNER, Deliver(self.fresh(), agreed.id, DIGEST))

    @rule(days=st.sampled_from([0.1, 8]))
    def wait(self, days: float) -> None:
        self.now += days * DAY

    @precondition(lambda self: self.state.state is State.OFFERED)
    @rule(party=st.sampled_from(Party))
    def expire(self, party: Party) -> None:
        event = Expire(self.fresh(), self.state.offers[-1].id, "expired", "the offer was open for its time")
        if self.now < self.state.history[-1].time + self.state.offers[-1].terms.valid_for:
            with pytest.raises(IllegalMove, match="still open"):
                self.state.after(party, event, self.now)
        else:
            self.made(party, event)

    @precondition(lambda self: Terminate.kind in self.state.moves(Party.USER))
    @rule(party=st.sampled_from(Party), really=st.integers(0, 9))
    def terminate(self, party: Party, really: int) -> None:
        if really == 0:
            self.made(party, Terminate(self.fresh(), "enough", "somebody has had enough"))

    @rule(party=st.sampled_from(Party), kind=st.sampled_from(sorted(KINDS)))
    def a_move_out_of_turn(self, party: Party, kind: str) -> None:
        if (party, self.state.state, kind) not in TABLES[self.rate]:
            with pytest.raises(IllegalMove) as refused:
                self.state.after(party, any_event(kind, self.fresh()), self.now)
            assert "\n" not in str(refused.value)

    @invariant()
    def what_always_holds(self) -> None:
        levels = [tuple(sorted(offer.terms.levels.items())) for offer in self.state.offers]
        assert len(set(levels)) == len(levels)
        assert self.state.answers <= self.state.limit
        if self.state.state in (State.AGREED, State.DELIVERED):
            assert self.state.agreed in self.state.offers
        if self.state.state in ENDED:
            assert [*self.state.moves(Party.USER), *self.state.moves(Party.OWNER)] == []
        again = Negotiation(self.rate, self.state.limit)
        for each in self.state.history:
            again = again.after(each.party, event_of(as_dict(each.event)), each.time)
        assert again == self.state


class VariableParties(Parties):
    rate = Rate.VARIABLE


def any_event(kind: str, number: str) -> Event:
    bodies = {
        "terms": TERMS,
        "offer": identity(2),
        "digest": TERMS.digest,
        "certificate": DIGEST,
        "pattern": PATTERN.as_dict(),
        "reason": "enough",
        "sentence": "enough",
    }
    fields = KINDS[kind].__dataclass_fields__
    event: Event = KINDS[kind](id=number, **{name: bodies[name] for name in fields if name in bodies})
    return event


Parties.TestCase.settings = VariableParties.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestFlatRate = Parties.TestCase
TestVariableRate = VariableParties.TestCase


def test_a_rejection_is_answered_under_a_flat_rate_and_only_there() -> None:
    for rate, following in ((Rate.FLAT, [CounterOffer.kind, RequestRejected.kind]), (Rate.VARIABLE, [])):
        state = offered(rate).after(Party.USER, Reject(identity(3), identity(2)), 20)
        assert [move for move in state.moves(Party.OWNER) if move != Terminate.kind] == following
        assert (Relax.kind in state.moves(Party.USER)) == (rate is Rate.VARIABLE)


def test_illegal_moves_say_what_would_be_legal_and_change_nothing() -> None:
    state = offered()
    with pytest.raises(IllegalMove, match="deliver is no move of the owner while it is offered; terminate would be"):
        state.after(Party.OWNER, Deliver(identity(9), identity(2), DIGEST), 20)
    with pytest.raises(IllegalMove, match="the negotiation is terminated; it takes no further move"):
        state.after(Party.USER, Terminate(identity(3), "x", "y"), 20).after(Party.USER, Reject(identity(4), identity(2)), 30)
    assert state == offered()


def test_an_offer_is_of_the_attributes_that_were_asked_for() -> None:
    with pytest.raises(IllegalMove, match="the attributes of the pattern, and no others"):
        begun().after(Party.OWNER, Offer(identity(2), replace(TERMS, levels={"a": 0, "b": 0})), 5)
    with pytest.raises(IllegalMove, match="the same policy was offered before"):
        offered().after(Party.USER, Reject(identity(3), identity(2)), 20).after(
            Party.OWNER, CounterOffer(identity(4), replace(TERMS, price=3.0)), 30
        )


def test_nothing_is_dated_before_what_it_follows() -> None:
    with pytest.raises(IllegalMove, match="dated before"):
        offered().after(Party.USER, Reject(identity(3), identity(2)), 5)


def test_every_open_state_has_a_move_and_a_way_to_end() -> None:
    for rate, table in TABLES.items():
        for state in State:
            moves = {kind for (_, at, kind) in table if at is state}
            deciding = {party for (party, at, kind) in table if at is state and kind not in (Terminate.kind, Expire.kind)}
            assert len(deciding) == (state not in ENDED), (rate, state)  # one of them, so that nobody waits for each other
            assert Negotiation(rate, 5, state).turn in ({None} if state in ENDED else deciding)
            assert (moves == set()) == (state in ENDED), (rate, state)
            if state not in ENDED and state is not State.NEW:
                assert {party for (party, at, kind) in table if at is state and kind == Terminate.kind} == set(Party)
