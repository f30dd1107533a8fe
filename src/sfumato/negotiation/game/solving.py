"""What happens if everybody knows everything: the equilibrium, and how far the protocols are from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.game.bargaining import Horizon, Proposal, bargain
from sfumato.negotiation.game.buyers import random_buyers
from sfumato.negotiation.game.charts import game_chart
from sfumato.negotiation.game.comparing import Arena, Comparison, key_of
from sfumato.negotiation.game.market import Market, Rules, Stakes
from sfumato.negotiation.game.rates import Rates
from sfumato.negotiation.game.user_types import TYPES, Types
from sfumato.progress import Progress
from sfumato.reporting.charts import altair
from sfumato.results import Printed, Rows
from sfumato.search.space import PolicySpace

MOST_USERS = 10_000
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
        heads = ("round", "proposes", "policy", "price", "user", "owner")
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
        facts = (
            {} if self.deal.place is None else {key_of(key): value for key, value in self.stakes.facts(self.deal.place).items()}
        )
        compared = {} if self.comparison is None else {"comparison": self.comparison.as_dict()}
        within = int(self.within.sum())
        return {"policies": len(self.within), "within": within, "deal": rounds[0] | facts, "rounds": rounds, **compared}

    def spec(self) -> dict[str, Any]:
        """The payoffs of both sides by protocol and rule, as a specification of Vega-Lite."""
        if self.comparison is None:
            raise UsageError("the figure compares users; there are none", where=argument("users"))
        return game_chart(self.comparison)

    def plot(self) -> Any:
        """The same as an altair chart. Needs the extra `report`."""
        return altair().Chart.from_dict(self.spec())


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
    stakes, within = (market or Market()).rated(space, rules)
    places = np.flatnonzero(within)
    order = stakes.order
    proposals = bargain(stakes.worth[places], stakes.cost[places], order[places], horizon, budget, places)
    if not users:
        return Game(stakes, within, proposals)
    buyers = random_buyers(stakes, Types.of(types), users, seed, rates)
    return Game(stakes, within, proposals, Arena(stakes, rules, horizon, rates).compare(buyers, seed, progress))
