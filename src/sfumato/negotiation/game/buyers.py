"""Random users of a simulation, with what releases are worth to them: they negotiate by the protocols, and play the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.negotiation.events import Terms
from sfumato.negotiation.game.market import EXACT, Stakes
from sfumato.negotiation.game.rates import Rates
from sfumato.negotiation.game.user_types import Types
from sfumato.negotiation.owner import rounded_up
from sfumato.negotiation.simulation import random_user
from sfumato.negotiation.user import Goal, User
from sfumato.statistics import Floats


@dataclass(frozen=True, slots=True)
class ValuedGoal(Goal):
    """The goal of somebody who never pays more than a release is worth; `fee` is the price of an offer without one."""

    worth: Callable[[Terms], float] = field(kw_only=True)
    fee: float = field(default=0.0, kw_only=True)

    def met(self, terms: Terms) -> bool:
        """Whether an offer is good enough."""
        price = self.fee if terms.price is None else terms.price
        affordable = self.budget is None or price <= self.budget + EXACT
        return affordable and price <= self.worth(terms) + EXACT and Goal.met(self, terms)


@dataclass(frozen=True, slots=True, eq=False)
class Buyer:
    """A user with what every policy is worth to them, and the places of the policies that they could use: what they are not interested
    in is withheld, and their goal is kept."""

    user: User
    worth: Floats
    places: npt.NDArray[np.intp]

    @property
    def budget(self) -> float | None:
        return self.user.goal.budget


def random_buyers(stakes: Stakes, types: Types, users: int, seed: int, rates: Rates) -> list[Buyer]:
    """The users of `simulate` with the same seed, and a type for each of them, by the probabilities."""
    lattice = stakes.space.lattice
    heights = {name: height for name, height in zip(lattice.attributes, lattice.heights, strict=True) if height}
    if not heights and users:
        raise UsageError(f"the space has one policy; say {argument('users', '0')}", where=argument("users"))
    rng, drawing = Random(seed), Random(f"{seed} types")  # noqa: S311  no secret: the same users come from the same seed
    drawn = [random_user(rng, heights, priced=True) for _ in range(users)]
    worth = types.worth(stakes)
    rows = drawing.choices(range(len(worth)), [float(each) for each in types.probabilities], k=users)
    return [buyer(stakes, user, worth[row], rates) for user, row in zip(drawn, rows, strict=True)]


def buyer(stakes: Stakes, user: User, worth: Floats, rates: Rates) -> Buyer:
    """A user who knows what every policy is worth."""
    lattice, levels = stakes.space.lattice, stakes.space.evaluations.levels
    most = [user.goal.levels.get(name, -1) for name in lattice.attributes]
    usable = np.ones(len(levels), bool)
    for column, height, level in zip(levels.T, lattice.heights, most, strict=True):
        usable &= (column == height) if level < 0 else (column <= level)
    losses = {name: bound for name, bound in user.goal.losses.items() if name in stakes.space.evaluations.named()}
    for name, bound in losses.items():
        usable &= rounded_up(stakes.space[name], rates.grid) <= bound + EXACT

    def of_terms(terms: Terms) -> float:
        node = [terms.levels.get(name, height) for name, height in zip(lattice.attributes, lattice.heights, strict=True)]
        return float(worth[lattice.numbers(np.array([node]))[0]])

    goal = ValuedGoal(user.goal.levels, losses, user.goal.budget, worth=of_terms, fee=rates.fee)
    return Buyer(replace(user, goal=goal), worth, np.flatnonzero(usable))
