"""Other ways to sell to the same types, to compare a menu with: full information, one policy at one price, a given price list."""

from __future__ import annotations

import numpy as np

from sfumato.negotiation.game.market import EXACT
from sfumato.negotiation.game.menus import Item
from sfumato.statistics import Floats

NOTHING = Item(None, 0.0, 0.0, 0.0)


def first_best(worth: Floats, cost: Floats, order: Floats) -> tuple[Item, ...]:
    """With full information: every type gets the policy with its largest surplus, and pays all that it is worth."""
    items = []
    for row in worth:
        place = _largest(row - cost, order)
        paid = place is not None
        items.append(Item(place, float(row[place]) if paid else 0.0, 0.0, float(row[place] - cost[place]) if paid else 0.0))
    return tuple(items)


def one_price(worth: Floats, cost: Floats, probabilities: Floats, order: Floats) -> tuple[Item, ...]:
    """The best single policy at a single price, take it or leave it."""
    buying = np.stack([(worth >= row - EXACT).T @ probabilities for row in worth])
    profits = (worth - cost) * buying
    place = _largest(profits.max(axis=0), order)
    if place is None:
        return tuple(NOTHING for _ in worth)
    price = float(worth[int(np.argmax(profits[:, place])), place])
    buys = worth[:, place] >= price - EXACT
    return tuple(
        Item(place, price, max(float(row[place]) - price, 0.0), price - float(cost[place])) if buy else NOTHING
        for row, buy in zip(worth, buys, strict=True)
    )


def chosen(worth: Floats, cost: Floats, prices: Floats, order: Floats) -> tuple[Item, ...]:
    """From a given price list, each type takes what it likes best; in ties what is better for the owner."""
    items = []
    for row in worth:
        left = row - prices
        best = np.flatnonzero(left >= max(left.max(initial=-1.0), 0.0) - EXACT)
        if not len(best):
            items.append(NOTHING)
            continue
        gains = prices[best] - cost[best]
        tied = best[gains >= gains.max() - EXACT]
        place = int(tied[np.argmin(order[tied])])
        items.append(Item(place, float(prices[place]), max(float(left[place]), 0.0), float(prices[place] - cost[place])))
    return tuple(items)


def _largest(values: Floats, order: Floats) -> int | None:
    """The first of the largest values, if it is not below zero."""
    if not len(values) or values.max() < 0:
        return None
    tied = np.flatnonzero(values >= values.max() - EXACT)
    return int(tied[np.argmin(order[tied])])
