"""The two protocols ([N] and [T], Algorithms 1 and 2): every legal move is a row of a table, and no move lives in code.

A move that is not in the table raises and changes nothing. The owner answers at most Z times, so every negotiation ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sfumato.errors import UsageError
from sfumato.negotiation.events import (
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
    as_dict,
    pattern_of,
)
from sfumato.negotiation.pattern import UtilityPattern


class Rate(StrEnum):
    """Flat: any offer within the owner's bounds will do. Variable: an offer has a price."""

    FLAT = "flat"
    VARIABLE = "variable"


class State(StrEnum):
    """Where a negotiation stands."""

    NEW = "new"
    REQUESTED = "requested"
    OFFERED = "offered"
    REJECTED = "rejected"
    REFUSED = "refused"
    AGREED = "agreed"
    DELIVERED = "delivered"
    TERMINATED = "terminated"
    EXPIRED = "expired"


Table = Mapping[tuple[Party, State, str], State]
OPEN = (State.REQUESTED, State.OFFERED, State.REJECTED, State.REFUSED, State.AGREED)
ENDED = (State.DELIVERED, State.TERMINATED, State.EXPIRED)
_COMMON: dict[tuple[Party, State, str], State] = {
    (Party.USER, State.NEW, Request.kind): State.REQUESTED,
    (Party.OWNER, State.REQUESTED, Offer.kind): State.OFFERED,
    (Party.OWNER, State.REQUESTED, RequestRejected.kind): State.REFUSED,
    (Party.USER, State.OFFERED, Accept.kind): State.AGREED,
    (Party.USER, State.OFFERED, Reject.kind): State.REJECTED,
    (Party.USER, State.REFUSED, Relax.kind): State.REQUESTED,
    (Party.OWNER, State.AGREED, Deliver.kind): State.DELIVERED,
    **{(party, State.OFFERED, Expire.kind): State.EXPIRED for party in Party},
    **{(party, state, Terminate.kind): State.TERMINATED for party in Party for state in OPEN},
}
FLAT: Table = {
    **_COMMON,
    (Party.OWNER, State.REJECTED, CounterOffer.kind): State.OFFERED,
    (Party.OWNER, State.REJECTED, RequestRejected.kind): State.REFUSED,
}
VARIABLE: Table = {**_COMMON, (Party.USER, State.REJECTED, Relax.kind): State.REQUESTED}
TABLES: Mapping[Rate, Table] = {Rate.FLAT: FLAT, Rate.VARIABLE: VARIABLE}
ANSWERS = (Offer, CounterOffer, RequestRejected)


class IllegalMove(UsageError):
    """A move that the protocol does not have here; nothing has changed."""

    code = "illegal_move"


class Conflict(IllegalMove):
    """The id of an event is that of another one."""

    code = "conflict"


@dataclass(frozen=True, slots=True)
class Made:
    """An event, who made it, and when, in seconds of the party's clock."""

    party: Party
    event: Event
    time: float


@dataclass(frozen=True, slots=True)
class Negotiation:
    """Where a negotiation stands, and how it came there. `limit` is Z, the most answers of the owner."""

    rate: Rate
    limit: int
    state: State = State.NEW
    history: tuple[Made, ...] = field(default=())

    @property
    def answers(self) -> int:
        """How often the owner has answered."""
        return sum(isinstance(made.event, ANSWERS) for made in self.history)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """All offers so far."""
        return tuple(made.event for made in self.history if isinstance(made.event, Offer))

    @property
    def standing(self) -> Offer | None:
        """The offer that the user is to decide about."""
        return self.offers[-1] if self.state is State.OFFERED else None

    @property
    def asked(self) -> Request | None:
        """What the user asks for now."""
        asked = [made.event for made in self.history if isinstance(made.event, Request)]
        return asked[-1] if asked else None

    @property
    def pattern(self) -> UtilityPattern | None:
        return None if self.asked is None else pattern_of(self.asked)

    @property
    def agreed(self) -> Offer | None:
        """The offer that was accepted."""
        accepted = next((made.event.offer for made in self.history if isinstance(made.event, Accept)), None)
        return next((offer for offer in self.offers if offer.id == accepted), None)

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @property
    def turn(self) -> Party | None:
        """Whose move it is; either may also end it. None when it has ended."""
        ends = (Terminate.kind, Expire.kind)
        return next((who for (who, at, kind) in TABLES[self.rate] if at is self.state and kind not in ends), None)

    def moves(self, party: Party) -> list[str]:
        """What a party can do now."""
        table = TABLES[self.rate]
        return [kind for (who, state, kind) in table if (who, state) == (party, self.state) and self._allowed(kind)]

    def after(self, party: Party, event: Event, time: float) -> Negotiation:
        """The negotiation after an event. The same event again changes nothing."""
        for made in self.history:
            if made.event.id == event.id:
                if (made.party, as_dict(made.event)) == (party, as_dict(event)):
                    return self
                raise Conflict(f"the id {event.id} is that of another event", where=event.kind)
        following = TABLES[self.rate].get((party, self.state, event.kind))
        if following is None or not self._allowed(event.kind):
            raise IllegalMove(self._why_not(party, event.kind), where=event.kind)
        self._require_sound(event, time)
        return replace(self, state=following, history=(*self.history, Made(party, event, time)))

    def _allowed(self, kind: str) -> bool:
        """Whether there are answers left for a move that is one, or asks for one."""
        needs = (*(each.kind for each in ANSWERS), Relax.kind)
        return kind not in needs or self.answers < self.limit

    def _why_not(self, party: Party, kind: str) -> str:
        if self.ended:
            return f"the negotiation is {self.state.value}; it takes no further move"
        other = next(each for each in Party if each is not party)
        if (other, self.state, kind) in TABLES[self.rate] and self._allowed(kind):
            return f"{kind} is a move of the {other.value}, and this is the key of the {party.value}"
        possible = [each for each in self.moves(party) if each != Expire.kind]
        here = f"{kind} is no move of the {party.value} while it is {self.state.value}"
        if not self._allowed(kind):
            here = f"the owner has answered {self.limit} times, which is the most"
        return f"{here}; {', '.join(possible)} would be" if possible else f"{here}; it is the other side's turn"

    def _require_sound(self, event: Event, time: float) -> None:
        """Nothing is accepted that was not offered, nothing offered twice, and no offer taken after its time."""
        if isinstance(event, Offer):
            self._require_new(event)
        if isinstance(event, Accept | Reject | Expire) and self.standing is not None:
            self._require_standing(event, self.standing, time - self.history[-1].time)
        if isinstance(event, Deliver) and (self.agreed is None or event.offer != self.agreed.id):
            raise IllegalMove("only the offer that was accepted is delivered", where=event.kind)
        if self.history and time < self.history[-1].time:
            raise IllegalMove("it is dated before the event that it follows", where=event.kind)

    def _require_new(self, event: Offer) -> None:
        pattern = self.pattern
        if any(offer.terms.levels == event.terms.levels for offer in self.offers):
            raise IllegalMove("the same policy was offered before", where=event.kind)
        if pattern is None or set(event.terms.levels) != set(pattern.attributes):
            raise IllegalMove("an offer has the attributes of the pattern, and no others", where=event.kind)

    @staticmethod
    def _require_standing(event: Accept | Reject | Expire, standing: Offer, age: float) -> None:
        if event.offer != standing.id:
            raise IllegalMove("it is about another offer than the one that stands", where=event.kind)
        over = age >= standing.terms.valid_for
        if isinstance(event, Expire) and not over:
            raise IllegalMove("the offer is still open", where=event.kind)
        if isinstance(event, Accept) and over:
            raise IllegalMove("the offer has expired", where=event.kind)
        if isinstance(event, Accept) and event.digest != standing.terms.digest:
            raise IllegalMove("the terms that are accepted are not those that were offered", where=event.kind)
