"""Where a negotiation stands, in plain words for each party."""

from __future__ import annotations

from sfumato.negotiation.owner import ALL_OFFERED, BOUNDS, BUDGET, LEDGER, TOO_MANY
from sfumato.negotiation.protocol import State
from sfumato.web.service.people import Account

STATES = {
    State.OFFERED: "offer waits",
    State.REFUSED: "no offer",
    State.REJECTED: "offer rejected",
    State.AGREED: "agreed",
    State.DELIVERED: "delivered",
    State.TERMINATED: "ended",
    State.EXPIRED: "expired",
}
_USER = {
    State.REQUESTED: "The owner answers next.",
    State.OFFERED: "An offer waits for your decision.",
    State.REJECTED: "You rejected the offer; ask for something else, or end it.",
    State.REFUSED: "There is no offer for what you asked; ask for less, or end it.",
    State.AGREED: "You agreed; the release is being made.",
    State.DELIVERED: "The release was delivered.",
    State.TERMINATED: "It has ended without a release.",
    State.EXPIRED: "The offer expired; ask anew if you still want a release.",
}
_OWNER = {
    State.REQUESTED: "You answer next; the service does it by your rules.",
    State.OFFERED: "{user} decides about an offer.",
    State.REJECTED: "{user} rejected the offer, and may ask for something else.",
    State.REFUSED: "There was no offer for what {user} asked; they may ask for less.",
    State.AGREED: "Agreed; the release is being made.",
    State.DELIVERED: "The release was delivered to {user}.",
    State.TERMINATED: "It has ended without a release.",
    State.EXPIRED: "The offer expired.",
}
# Why there is no offer: for the owner alone.
_REASONS = {
    BOUNDS: "No policy that matches the request keeps your bounds.",
    ALL_OFFERED: "Everything that matches the request and keeps your bounds was offered in this negotiation.",
    BUDGET: "What could be offered costs more than {user} would spend.",
    LEDGER: "Together with earlier offers, what could be offered would break your bounds.",
    TOO_MANY: "This account has got as many answers on this table as your rules allow.",
}


def standing_words(state: str, account: Account, user: str, turn: str | None = None) -> str:
    """Where a negotiation stands, for one of its parties."""
    words = (_OWNER if account.is_owner else _USER)[State(state)]
    if state == State.REJECTED and turn == "owner":
        words = "The owner answers next."
    return words.format(user=user)


def reason_words(reason: str, user: str) -> str:
    """Why there is no offer, for the owner."""
    return _REASONS.get(reason, reason).format(user=user)
