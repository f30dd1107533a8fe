"""What to offer to users whose valuation one does not know: the best menu, and other ways to sell to the same users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.game.bargaining import Horizon
from sfumato.negotiation.game.buyers import buyer
from sfumato.negotiation.game.charts import menu_chart
from sfumato.negotiation.game.comparing import VARIABLE, Arena, key_of
from sfumato.negotiation.game.market import Market, Rules, Stakes
from sfumato.negotiation.game.menus import SECONDS, Item, Menu, best_menu
from sfumato.negotiation.game.rates import Rates
from sfumato.negotiation.game.sellers import NOTHING, chosen, first_best, one_price
from sfumato.negotiation.game.user_types import TYPES, Types, UserType
from sfumato.negotiation.owner import rounded_up
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.user import Goal, User
from sfumato.reporting.charts import altair
from sfumato.results import Printed, Rows
from sfumato.search.space import PolicySpace
from sfumato.statistics import Floats

FIRST_BEST, MENU, ONE_PRICE, LIST = (
    "full information",
    "the best menu",
    "one policy, one price",
    "variable rate, users choose",
)
PROTOCOL = "variable rate, the owner chooses"


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
    rates: Rates

    def table(self) -> Rows:
        """A row per type: what it takes, what it pays, and who gains."""
        heads = ("type", "probability", "policy", "price", "user", "owner")
        rows = [
            (each.name, float(each.probability), self.stakes.levels(item.place), item.price, item.user, item.owner)
            for each, item in zip(self.types, self.menu.items, strict=True)
        ]
        return Rows(heads, tuple(rows))

    def price_list(self) -> Rows:
        """The menu as it is put up: every policy on it once, with its price, the dearest last."""
        offers = sorted({(item.price, item.place) for item in self.menu.items if item.place is not None})
        heads = ("policy", self.stakes.market.utility, self.stakes.market.privacy, "price")
        facts = [
            (self.stakes.levels(place), self.stakes.utility[place], self.stakes.privacy[place], price) for price, place in offers
        ]
        return Rows(heads, tuple((name, float(utility), float(privacy), price) for name, utility, privacy, price in facts))

    def compared(self) -> Rows:
        """A row for each way to sell: expected amounts per user."""
        heads = ("sold by", "owner", "revenue", "users", "surplus", "who buys")
        return Rows(heads, tuple(each.row() for each in self.sold))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        policies = [None if item.place is None else self.stakes.policy(item.place) for item in self.menu.items]
        tables = {"types": self.table(), "price_list": self.price_list(), "compared": self.compared()}
        named = {key: [dict(zip(map(key_of, rows.heads), row, strict=True)) for row in rows.rows] for key, rows in tables.items()}
        for row, policy in zip(named["types"], policies, strict=True):
            row["levels"] = policy
        return {"menu": self.menu.as_dict(), **named}

    def spec(self) -> dict[str, Any]:
        """The menu over the utility loss, and who gains by each way to sell, as a specification of Vega-Lite."""
        offers = [(item.place, item.price) for item in self.menu.items]
        ways = {each.name: (each.mean("owner"), each.mean("user")) for each in self.sold}
        names = [each.name for each in self.types]
        return menu_chart(self.stakes, names, offers, self.rates, ways)

    def plot(self) -> Any:
        """The same as an altair chart. Needs the extra `report`."""
        return altair().Chart.from_dict(self.spec())


def menu(
    space: PolicySpace | str | Path,
    rules: Rules,
    *,
    market: Market | None = None,
    rates: Rates | None = None,
    types: str | Path | Types = TYPES,
    time_limit: float = SECONDS,
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
    time_limit : float
        How many seconds to look where types have no common order.

    Returns
    -------
    Screening
        The menu with its certificate, and other ways to sell to the same types.
    """
    if not 0 < time_limit < np.inf:
        raise UsageError("a number of seconds above 0", where=argument("time_limit"))
    rates, known = rates or Rates(), Types.of(types)
    stakes, within = (market or Market()).rated(space, rules)
    places = np.flatnonzero(within)
    worth, likely = known.worth(stakes), np.array([float(each) for each in known.probabilities])
    some, cost, order = worth[:, places], stakes.cost[places], stakes.order[places]
    found = best_menu(some, cost, likely, time_limit)
    rates.price_list(stakes).require_decreasing(rounded_up(stakes.utility[places], rates.grid))
    ways: dict[str, Sequence[Item]] = {
        FIRST_BEST: first_best(some, cost, order),
        MENU: found.items,
        ONE_PRICE: one_price(some, cost, likely, order),
        LIST: chosen(some, cost, rates.asked(stakes, stakes.utility[places]), order),
    }
    sold = [Sold(name, _placed(items, places), likely) for name, items in ways.items()]
    sold.append(Sold(PROTOCOL, _negotiated(Arena(stakes, rules, Horizon(patience=1.0), rates), known, worth, within), likely))
    placed = Menu(_placed(found.items, places), found.profit, found.at_most, found.violated, found.method, found.policies)
    return Screening(stakes, known.types, placed, tuple(sold), rates)


def _negotiated(arena: Arena, types: Types, worth: Floats, within: Mask) -> tuple[Item, ...]:
    """Every type alone by the variable rate: interested in everything, as far as it is of use."""
    lattice = arena.stakes.space.lattice
    heights = {name: height for name, height in zip(lattice.attributes, lattice.heights, strict=True) if height}
    if not heights:
        return tuple(NOTHING for _ in types.types)
    buyers = [
        buyer(arena.stakes, User(Goal({**heights, **each.levels}), UtilityPattern((tuple(heights),)), heights), row, arena.rates)
        for each, row in zip(types.types, worth, strict=True)
    ]
    played = [arena.negotiations([each], VARIABLE, within)[0] for each in buyers]
    return tuple(Item(each.place, each.price, each.user, each.owner) for each in played)


def _placed(items: Sequence[Item], places: Any) -> tuple[Item, ...]:
    """Items with the places of the space in the place of those among some policies."""
    return tuple(
        Item(None if item.place is None else int(places[item.place]), item.price, item.user, item.owner) for item in items
    )
