"""The two questions of the room: what happens if everybody knows everything, and what to offer to those whom one does not know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.game.bargaining import Horizon, Proposal, bargain
from sfumato.negotiation.game.buyers import buyer, random_buyers
from sfumato.negotiation.game.comparing import VARIABLE, Arena, Comparison, Rates
from sfumato.negotiation.game.market import Market, Rules, Stakes
from sfumato.negotiation.game.menu import SECONDS, Item, Menu, best_menu
from sfumato.negotiation.game.sellers import chosen, first_best, one_price
from sfumato.negotiation.game.user_types import TYPES, Types, UserType
from sfumato.negotiation.owner import GRID, rounded_up
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.pricing import Price
from sfumato.negotiation.user import Goal, User
from sfumato.progress import Progress
from sfumato.results import Printed, Rows
from sfumato.search.space import PolicySpace
from sfumato.statistics import Floats

MOST_USERS = 10_000
FIRST_BEST, MENU, ONE_PRICE, LIST = "full information", "the best menu", "one policy, one price", "variable rate, the user chooses"
PROTOCOL = "variable rate, the owner chooses"
_MOST_ROUNDS = 6  # of a table


@dataclass(frozen=True, slots=True, eq=False)
class Game(Printed):
    """The equilibrium of the game with a user who is interested in everything, and the comparison with the protocols, if there is one.

    `proposals` has what is proposed in every round; the first one is accepted, the others are what both sides would come to otherwise.
    """

    stakes: Stakes
    within: Mask
    proposals: tuple[Proposal, ...]
    comparison: Comparison | None = None

    @property
    def deal(self) -> Proposal:
        """What happens."""
        return self.proposals[0]

    def policy(self, place: int | None) -> dict[str, int] | None:
        """The levels of a policy; None for none."""
        return None if place is None else self.stakes.policy(place)

    def table(self) -> Rows:
        """What is proposed round by round; from the second one on nobody comes there."""
        shown = self.proposals[:_MOST_ROUNDS]
        heads = ("round", "proposes", "policy", "price", "user's payoff", "owner's payoff")
        rows = [
            (each.round, each.proposer.value, self.stakes.levels(each.place), each.price, each.user, each.owner) for each in shown
        ]
        return Rows(heads, tuple(rows))

    def terms(self) -> Rows:
        """The deal: its policy, what it gives away, what it is worth, and who gains."""
        deal, stakes = self.deal, self.stakes
        if deal.place is None:
            return Rows(("quantity", "value"), (("deal", "none"),))
        return Rows(("quantity", "value"), tuple(stakes.facts(deal.place).items()))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        rounds = [{**each.as_dict(), "policy": self.policy(each.place)} for each in self.proposals]
        facts = {} if self.deal.place is None else {_key(key): value for key, value in self.stakes.facts(self.deal.place).items()}
        compared = {} if self.comparison is None else {"comparison": self.comparison.as_dict()}
        within = int(self.within.sum())
        return {"policies": len(self.within), "within": within, "deal": rounds[0] | facts, "rounds": rounds, **compared}

    def plot(self) -> Any:
        """The payoffs of both sides by protocol and rule, as an altair chart. Needs the extra `report`."""
        from sfumato.negotiation.game.charts import game_chart

        return game_chart(self)


def equilibrium(
    space: PolicySpace | str | Path,
    rules: Rules,
    *,
    market: Market | None = None,
    horizon: Horizon | None = None,
    rates: Rates | None = None,
    budget: float | None = None,
    types: str | Path | Types = TYPES,
    users: int = 100,
    seed: int = 1,
    progress: Progress | None = None,
) -> Game:
    """The subgame-perfect equilibrium of the negotiation, and how far the protocols are from it.

    Parameters
    ----------
    space : PolicySpace or path
        The explored table, with every node.
    rules : Rules
        What every release must keep.
    market : Market, optional
        What users value, what owners pay for, when people leave.
    horizon : Horizon, optional
        How many proposals there are, and what a payoff is worth one round later.
    rates : Rates, optional
        How the protocols run that are compared.
    budget : float, optional
        What the user can spend at the most.
    types : str, path or Types
        What releases are worth to the random users: a factor of the market's value, or types of their own.
    users : int
        How many random users are compared; with 0, only the equilibrium is computed.
    seed : int
        The same users come from the same seed.
    progress : callable, optional
        Called with the runs done and all of them.

    Returns
    -------
    Game
        The equilibrium, and the comparison.
    """
    if not 0 <= users <= MOST_USERS:
        raise UsageError(f"a whole number from 0 to {MOST_USERS:,}", where=argument("users"))
    if budget is not None and not 0 <= budget < np.inf:
        raise UsageError("a number from 0 up", where=argument("budget"))
    horizon, rates = horizon or Horizon(), rates or Rates()
    stakes, within = _stakes(space, rules, market)
    places = np.flatnonzero(within)
    order = stakes.order
    proposals = bargain(stakes.worth[places], stakes.cost[places], order[places], horizon, budget, places)
    if not users:
        return Game(stakes, within, proposals)
    buyers = random_buyers(stakes, _types(types), users, seed, rates.fee)
    return Game(stakes, within, proposals, Arena(stakes, rules, horizon, rates).compare(buyers, seed, progress))


@dataclass(frozen=True, slots=True, eq=False)
class Sold:
    """What every type takes if it is sold to in one way: expected profit, what users are left with, how many buy, by probability."""

    name: str
    items: tuple[Item, ...]
    probabilities: Floats

    def mean(self, quantity: str) -> float:
        """The expected `price`, `user` or `owner` of an item."""
        return float(self.probabilities @ [getattr(each, quantity) for each in self.items])

    @property
    def served(self) -> float:
        """The probability that a user buys."""
        return float(self.probabilities @ [each.place is not None for each in self.items])

    def row(self) -> tuple[Any, ...]:
        """Its quantities."""
        profit, users = self.mean("owner"), self.mean("user")
        return self.name, profit, self.mean("price"), users, profit + users, self.served


@dataclass(frozen=True, slots=True, eq=False)
class Screening(Printed):
    """The best menu for types that the owner cannot tell apart, and other ways to sell to the same types."""

    stakes: Stakes
    types: tuple[UserType, ...]
    menu: Menu
    sold: tuple[Sold, ...]
    price: Price = field(repr=False)

    def table(self) -> Rows:
        """A row per type: what it takes, what it pays, and who gains."""
        heads = ("type", "probability", "policy", "price", "user's payoff", "owner's payoff")
        rows = [
            (each.name, float(each.probability), self.stakes.levels(item.place), item.price, item.user, item.owner)
            for each, item in zip(self.types, self.menu.items, strict=True)
        ]
        return Rows(heads, tuple(rows))

    def price_list(self) -> Rows:
        """The menu as it is put up: every policy on it once, with its price, the dearest last."""
        offers = sorted({(item.price, item.place) for item in self.menu.items if item.place is not None})
        heads = ("policy", self.stakes.market.utility, self.stakes.market.privacy, "price")
        facts = [(self.stakes.levels(place), self.stakes.utility[place], self.stakes.privacy[place], price) for price, place in offers]
        return Rows(heads, tuple((name, float(utility), float(privacy), price) for name, utility, privacy, price in facts))

    def compared(self) -> Rows:
        """A row for each way to sell: expected amounts per user."""
        heads = ("sold by", "owner's profit", "revenue", "users' payoff", "surplus", "users who buy")
        return Rows(heads, tuple(each.row() for each in self.sold))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        policies = [None if item.place is None else self.stakes.policy(item.place) for item in self.menu.items]
        tables = {"types": self.table(), "price_list": self.price_list(), "compared": self.compared()}
        named = {key: [dict(zip(map(_key, rows.heads), row, strict=True)) for row in rows.rows] for key, rows in tables.items()}
        for row, policy in zip(named["types"], policies, strict=True):
            row["levels"] = policy
        return {"menu": self.menu.as_dict(), **named}

    def plot(self) -> Any:
        """The price list over the utility loss, and who gains by each way to sell, as an altair chart. Needs the extra `report`."""
        from sfumato.negotiation.game.charts import menu_chart

        return menu_chart(self)


def menu(
    space: PolicySpace | str | Path,
    rules: Rules,
    *,
    market: Market | None = None,
    rates: Rates | None = None,
    types: str | Path | Types = TYPES,
    seconds: float = SECONDS,
) -> Screening:
    """The best price list for users whose valuation the owner does not know.

    Parameters
    ----------
    space : PolicySpace or path
        The explored table, with every node.
    rules : Rules
        What every release must keep.
    market : Market, optional
        What users value, what owners pay for, when people leave.
    rates : Rates, optional
        The variable rate that is compared.
    types : str, path or Types
        `uniform:LOW,HIGH,TYPES`, `normal:MEAN,SPREAD,TYPES`, `scales:SCALE=PROBABILITY,…`, or a TOML file.
    seconds : float
        How long to look where types have no common order.

    Returns
    -------
    Screening
        The menu with its certificate, and other ways to sell to the same types.
    """
    if not 0 < seconds < np.inf:
        raise UsageError("a number of seconds above 0", where=argument("time_limit"))
    rates, known = rates or Rates(), _types(types)
    stakes, within = _stakes(space, rules, market)
    places = np.flatnonzero(within)
    worth, likely = known.worth(stakes), np.array([float(each) for each in known.probabilities])
    some, cost, order = worth[:, places], stakes.cost[places], stakes.order[places]
    found = best_menu(some, cost, likely, seconds)
    price = rates.price_list(stakes)
    shown = rounded_up(stakes.utility, GRID)
    price.require_decreasing(shown[within])
    ways: dict[str, Sequence[Item]] = {
        FIRST_BEST: first_best(some, cost, order),
        MENU: found.items,
        ONE_PRICE: one_price(some, cost, likely, order),
        LIST: chosen(some, cost, price.asked(shown[places]), order),
    }
    sold = [Sold(name, _placed(items, places), likely) for name, items in ways.items()]
    sold.append(Sold(PROTOCOL, _negotiated(Arena(stakes, rules, Horizon(patience=1.0), rates), known, worth, within), likely))
    placed = Menu(_placed(found.items, places), found.profit, found.at_most, found.violated, found.method, found.policies)
    return Screening(stakes, known.types, placed, tuple(sold), price)


def _negotiated(arena: Arena, types: Types, worth: Floats, within: Mask) -> tuple[Item, ...]:
    """Every type alone by the variable rate: interested in everything, as far as it is of use."""
    lattice = arena.stakes.space.lattice
    heights = {name: height for name, height in zip(lattice.attributes, lattice.heights, strict=True) if height}
    buyers = [
        buyer(arena.stakes, User(Goal({**heights, **each.levels}), UtilityPattern((tuple(heights),)), heights), row)
        for each, row in zip(types.types, worth, strict=True)
    ]
    played = [arena.negotiations([each], VARIABLE, within)[0] for each in buyers]
    return tuple(Item(each.place, each.price, each.user, each.owner) for each in played)


def _placed(items: Sequence[Item], places: Any) -> tuple[Item, ...]:
    """Items with the places of the space in the place of those among some policies."""
    return tuple(
        Item(None if item.place is None else int(places[item.place]), item.price, item.user, item.owner) for item in items
    )


def _stakes(space: PolicySpace | str | Path, rules: Rules, market: Market | None) -> tuple[Stakes, Mask]:
    explored = space if isinstance(space, PolicySpace) else PolicySpace.read(space)
    within = rules.within(explored)
    return (market or Market()).stakes(explored, within), within


def _types(types: str | Path | Types) -> Types:
    return types if isinstance(types, Types) else Types.of(types)


def _key(head: str) -> str:
    return head.replace("'", "").replace(",", "").replace(" ", "_").replace("-", "_").replace(".", "_")

