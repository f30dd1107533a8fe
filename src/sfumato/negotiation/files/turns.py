"""The turns of a negotiation as functions of its record: what a party says next, without asking where records are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sfumato.errors import UsageError, argument
from sfumato.negotiation.coalition import Coalitions, Deal, node_of
from sfumato.negotiation.events import Accept, Event, Expire, Party, Reject, Relax, Request, RequestRejected, Terminate
from sfumato.negotiation.files.clock import Clock
from sfumato.negotiation.files.record import Record
from sfumato.negotiation.files.rules import Rules
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.owner import LEDGER, TOO_MANY, Owner
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import IllegalMove, Rate
from sfumato.negotiation.transcript import Speaker, Transcript
from sfumato.search.space import PolicySpace
from sfumato.signing.keys import PrivateKey

EXPIRED = "expired"
LONGEST_SENTENCE = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """The record with the owner's answer, and the event itself. For the owner alone: how many matching policies that were not offered
    yet keep the bounds, and how many of them the ledger still allows; for a refusal, why (`bounds`, `all_offered`, `budget`, `ledger`,
    `too_many_answers`) and the earlier offers that are in the way."""

    record: Record
    event: Event
    room: tuple[int, int]
    reason: str | None = None
    in_the_way: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relaxed:
    """What a user asks for instead; None is as it follows from the last request."""

    pattern: UtilityPattern | None = None
    budget: float | None = None


def begun(
    sheet: Sheet, pattern: UtilityPattern, key: PrivateKey, budget: float | None, clock: Clock, identity: str | None = None
) -> Record:
    """A negotiation with the user's first request. `identity` is its number; a new one by default."""
    pattern.require_known(tuple(sheet.heights))
    _require_budget(sheet, budget)
    begun = Transcript(identity or uuid4().hex, sheet.digest, sheet.rate, sheet.limit, sheet.owner, Speaker.of(key.public))
    if begun.owner.key == begun.user.key:
        raise UsageError("this is the owner's key; a user has another", where=argument("key"))
    return Record(sheet, begun.with_event(Party.USER, Request(clock.fresh, pattern.as_dict(), budget), clock.time, key))


def _require_budget(sheet: Sheet, budget: float | None) -> None:
    if budget is not None and (sheet.rate == Rate.FLAT or not 0 <= budget < float("inf")):
        raise UsageError("a budget is a number from 0 up, for a sheet with a price", where=argument("budget"))


def owner_after(
    rules: Rules, space: PolicySpace, offers: Mapping[str, Mapping[str, int]], others: list[tuple[Rules, PolicySpace]]
) -> Owner:
    """The owner after earlier offers, given by the id of their events. Coalitions must keep the bounds of everybody who has made one of
    them: `others` are the rules of those, and the same table explored by them."""
    lattice = space.lattice
    monotone = all(each.monotone(explored) for each, explored in [(rules, space), *others])
    within = together = rules.within(space)
    for each, explored in others:
        together = together & each.within(explored)
    coalitions = Coalitions(lattice, within, monotone=monotone, together=together)
    for identity, levels in offers.items():
        coalitions = coalitions.with_deal(Deal(identity, node_of(lattice, levels)))
    return rules.owner(space, coalitions)


def replied(owner: Owner, record: Record, key: PrivateKey, received: int, clock: Clock) -> tuple[Record, Event]:
    """The record with the owner's answer, and the event itself."""
    event = owner.answer(record.negotiation, clock.fresh, received)
    return record.with_event(Party.OWNER, event, clock.after(record.last_time), key), event


def answered(owner: Owner, record: Record, key: PrivateKey, received: int, clock: Clock) -> Answer:
    """The owner's answer, and what is for the owner alone. `received` is how many answers the user has got in other negotiations."""
    state = record.negotiation
    answer, event = replied(owner, record, key, received, clock)
    if not isinstance(event, RequestRejected):
        return Answer(answer, event, owner.room(state))
    reason = event.reason if event.reason == TOO_MANY else owner.reason(state)
    deals = owner.in_the_way(state) if reason == LEDGER else ()
    return Answer(answer, event, owner.room(state), reason, tuple(deal.id for deal in deals))


def moved(
    record: Record, key: PrivateKey, move: str, clock: Clock, *, asked: Relaxed | None = None, sentence: str | None = None
) -> Record:
    """A move that needs no table: accept, reject, relax, terminate, expire. An offer that is over is not accepted but expires."""
    event = _event(record, move, asked or Relaxed(), sentence, clock)
    return record.with_event(record.party_of(key), event, clock.after(record.last_time), key)


def _event(record: Record, move: str, asked: Relaxed, sentence: str | None, clock: Clock) -> Event:
    state = record.negotiation
    offer = state.standing
    if move == Terminate.kind:
        if sentence is not None and not 0 < len(sentence) <= LONGEST_SENTENCE:
            raise UsageError(f"a sentence of at most {LONGEST_SENTENCE} characters", where=argument("reason"))
        return Terminate(clock.fresh, "ended", sentence or "ended without a reason")
    if move == Relax.kind:
        wider = asked.pattern or (state.pattern.relax() if state.pattern and asked.budget is None else state.pattern)
        if wider is None:
            raise UsageError(f"nothing is left to relax; say {argument('pattern')}", where=move)
        wider.require_known(tuple(record.sheet.heights))
        _require_budget(record.sheet, asked.budget)
        before = state.asked.budget if state.asked else None
        return Relax(clock.fresh, wider.as_dict(), before if asked.budget is None else asked.budget)
    if offer is None:
        raise IllegalMove(f"no offer stands; the negotiation is {state.state.value}", where=move)
    if move == Reject.kind:
        return Reject(clock.fresh, offer.id)
    begun = datetime.fromisoformat(record.last_time).timestamp()
    if move == Expire.kind or datetime.fromisoformat(clock.time).timestamp() - begun >= offer.terms.valid_for:
        return Expire(clock.fresh, offer.id, EXPIRED, "the offer was open for its time and was not taken")
    return Accept(clock.fresh, offer.id, offer.terms.digest)
