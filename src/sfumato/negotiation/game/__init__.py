"""The negotiation as a game: what two sides who know each other agree on, and what to offer to those whom one does not know ([T] 6.2).

Exact: backward induction over all policies with prices in closed form; menus by dynamic programming or with a proved bound. scipy is loaded
only for types without a common order (extra `game`).
"""

from sfumato.negotiation.game.bargaining import Horizon, Proposal, bargain
from sfumato.negotiation.game.comparing import Comparison, Played
from sfumato.negotiation.game.market import Market, Rules, Stakes
from sfumato.negotiation.game.menus import Item, Menu, best_menu
from sfumato.negotiation.game.providers import Providers
from sfumato.negotiation.game.rates import Rates
from sfumato.negotiation.game.screening import Screening, Sold, menu
from sfumato.negotiation.game.solving import Game, equilibrium
from sfumato.negotiation.game.tree import Small, backward_induction
from sfumato.negotiation.game.user_types import Types, UserType

__all__ = [
    "Comparison",
    "Game",
    "Horizon",
    "Item",
    "Market",
    "Menu",
    "Played",
    "Proposal",
    "Providers",
    "Rates",
    "Rules",
    "Screening",
    "Small",
    "Sold",
    "Stakes",
    "Types",
    "UserType",
    "backward_induction",
    "bargain",
    "best_menu",
    "equilibrium",
    "menu",
]
