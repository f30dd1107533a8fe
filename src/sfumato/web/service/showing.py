"""A negotiation as its parties see it. Nothing here is for one of them alone: both have the same record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sfumato.negotiation.events import Expire, Offer, Party
from sfumato.negotiation.files.story import story
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import State
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.web.service.people import Account
from sfumato.web.service.store.negotiations import Negotiated

MOST_LABELS = 12


@dataclass(frozen=True, slots=True)
class Standing:
    """The offer that a user is to decide about: in words, with the time until which it is open."""

    id: str
    digest: str
    levels: dict[str, int]
    losses: dict[str, float]
    price: float | None
    until: str
    over: bool
    words: str


@dataclass(frozen=True, slots=True)
class Shape:
    """How a column of an offer looks: the level in words, and some of the labels that its schema declares."""

    name: str
    words: str
    labels: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class View:
    """A negotiation for one of its parties: what was said, and what this party can do now."""

    id: str
    offering: str
    title: str
    party: str
    state: str
    turn: str | None
    moves: tuple[str, ...]
    asked: dict[str, Any] | None
    offer: Standing | None
    agreed: str | None
    history: tuple[str, ...]
    answers_left: int
    changed: float


def view_of(found: Negotiated, account: Account, now: float) -> View:
    """A negotiation as a party sees it now."""
    state, sheet = found.record.negotiation, found.record.sheet
    party = Party.OWNER if account.id == found.owner else Party.USER
    asked = state.asked
    agreed = state.agreed
    moves = [
        move for move in state.moves(party) if move not in (Expire.kind, "offer", "counter-offer", "request-rejected", "deliver")
    ]
    return View(
        id=found.id,
        offering=found.offering,
        title=sheet.title,
        party=party.value,
        state=found.state,
        turn=None if state.turn is None else state.turn.value,
        moves=tuple(moves),
        asked=None if asked is None else {**asked.pattern, "budget": asked.budget},
        offer=_standing(found, state.standing, now) if state.standing else None,
        agreed=None if agreed is None else sheet.in_words(agreed.terms),
        history=tuple(story(found.record)),
        answers_left=max(state.limit - state.answers, 0),
        changed=found.changed,
    )


def _standing(found: Negotiated, offer: Offer, now: float) -> Standing:
    terms = offer.terms
    until = datetime.fromisoformat(found.record.last_time).astimezone(UTC) + timedelta(seconds=terms.valid_for)
    return Standing(
        id=offer.id,
        digest=terms.digest,
        levels=dict(terms.levels),
        losses=dict(terms.losses),
        price=terms.price,
        until=until.isoformat(timespec="seconds"),
        over=now >= until.timestamp(),
        words=found.record.sheet.in_words(terms),
    )


def shape_of(found: Negotiated) -> tuple[Shape, ...]:
    """How the release would look that is offered, or was agreed: only what the sheet tells everybody, nothing of the people."""
    state, sheet = found.record.negotiation, found.record.sheet
    offer = state.standing or state.agreed
    offered = {each.name: each for each in sheet.attributes}
    shapes = []
    for name, level in ({} if offer is None else offer.terms.levels).items():
        labels = (ROOT,) if level == offered[name].height else offered[name].labels[level] or ()
        shapes.append(Shape(name, offered[name].levels[level], labels[:MOST_LABELS], max(len(labels) - MOST_LABELS, 0)))
    return tuple(shapes)


def suggested(found: Negotiated) -> UtilityPattern | None:
    """What to ask for next, if nothing else comes to mind: a little less than before."""
    state = found.record.negotiation
    if state.state not in (State.REFUSED, State.REJECTED) or state.pattern is None:
        return None
    return state.pattern.relax()
