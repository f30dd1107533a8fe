"""Negotiation: owner and user agree on a release ([N]; [T] 4.4 and 4.5).

A pure core: patterns, events, the protocol's tables, what an owner answers and a user decides, which coalitions an offer must not make
possible, and the transcript. It knows no clock, socket, database or random number: they come in as arguments. `game` solves the same
negotiation as a game.
"""

from sfumato.negotiation import game
from sfumato.negotiation.coalition import Coalitions, Deal
from sfumato.negotiation.events import Event, Terms
from sfumato.negotiation.owner import Owner
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.pricing import Price
from sfumato.negotiation.protocol import Negotiation, Rate, State
from sfumato.negotiation.transcript import Transcript
from sfumato.negotiation.user import Goal, User

__all__ = [
    "Coalitions",
    "Deal",
    "Event",
    "Goal",
    "Negotiation",
    "Owner",
    "Price",
    "Rate",
    "State",
    "Terms",
    "Transcript",
    "User",
    "UtilityPattern",
    "game",
]
