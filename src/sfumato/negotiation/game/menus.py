"""The best price list for users whom the owner cannot tell apart: a menu of policies and prices, from which each takes what it likes best.

Among all menus that every type accepts (individual rationality), and where no type prefers what is meant for another (incentive
compatibility), it has the largest expected profit: price minus the owner's cost. Types that value everything alike are one type. The
certificate is checked for every pair of types, and the profit is compared with a bound that no menu exceeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.negotiation.game.ordered import best_ordered, order_of
from sfumato.negotiation.game.program import best_of_program
from sfumato.negotiation.game.rents import Places, least_rents, violation
from sfumato.statistics import Floats

SECONDS = 60.0
ORDERED, PROGRAM = "dynamic programming", "mixed integer program"


@dataclass(frozen=True, slots=True)
class Item:
    """What one type takes: the place of its policy, None if it buys nothing; the price, what is left to the user, and to the owner."""

    place: int | None
    price: float
    user: float
    owner: float


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu, an item per type; the expected profit, and what no menu exceeds; by how much any type would rather take something else
    (0 but for rounding); how it was found, and among how many policies."""

    items: tuple[Item, ...]
    profit: float
    at_most: float
    violated: float
    method: str
    policies: int

    @property
    def proved(self) -> bool:
        """Whether it is proved that no menu has more profit, up to one in a million."""
        return self.at_most - self.profit <= 1e-6 * max(1.0, abs(self.profit))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        certificate = {"profit": self.profit, "at_most": self.at_most, "proved": self.proved, "violated": self.violated}
        return {**certificate, "method": self.method, "policies": self.policies}


def best_menu(worth: Floats, cost: Floats, probabilities: Sequence[float] | Floats, seconds: float = SECONDS) -> Menu:
    """The best menu.

    Parameters
    ----------
    worth : array
        What each policy is worth to each type: a row per type.
    cost : array
        What each policy costs the owner.
    probabilities : sequence of float
        How likely each type is.
    seconds : float
        How long to look where types have no order; what is found then comes with a bound.

    Returns
    -------
    Menu
        What each type takes, the profit, and what no menu exceeds.

    >>> menu = best_menu(np.array([[4.0, 6.0], [5.0, 10.0]]), np.array([0.0, 1.0]), [0.5, 0.5])
    >>> [(item.place, item.price) for item in menu.items], menu.profit, menu.at_most
    ([(0, 4.0), (1, 9.0)], 6.0, 6.0)
    """
    worth = np.column_stack([np.zeros(len(worth)), worth])  # the first policy is to buy nothing
    cost = np.concatenate([[0.0], cost])
    kinds, kind_of = np.unique(worth, axis=0, return_inverse=True)
    likely = np.bincount(kind_of.ravel(), weights=np.asarray(probabilities, np.float64), minlength=len(kinds)).astype(np.float64)
    ordered = order_of(kinds, cost)
    if ordered is not None:
        allocation, at_most = best_ordered(kinds, cost, likely, ordered)
        method, policies = ORDERED, len(ordered.policies)
    else:
        allocation, at_most, policies = best_of_program(kinds, cost, likely, seconds)
        method = PROGRAM
    return _menu(kinds, cost, likely, allocation, kind_of.ravel(), (at_most, method, policies))


def _menu(
    worth: Floats, cost: Floats, likely: Floats, allocation: Places, kind_of: Places, found: tuple[float, str, int]
) -> Menu:
    rents = least_rents(worth, allocation, 1e-6)  # the tolerance of the solver
    if rents is None:
        raise AssertionError("the allocation has no prices")
    got = worth[np.arange(len(worth)), allocation]
    prices = got - rents
    left = prices - cost[allocation]
    items = [
        Item(None if allocation[kind] == 0 else int(allocation[kind]) - 1, *(float(each[kind]) for each in (prices, rents, left)))
        for kind in kind_of
    ]
    profit = float(likely @ left)
    at_most, method, policies = found
    return Menu(tuple(items), profit, max(at_most, profit), violation(worth, allocation, rents), method, policies)
