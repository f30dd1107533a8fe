"""The negotiation as a sequential game with complete information, solved by backward induction.

Round by round, somebody proposes a policy and a price: the user in odd rounds, the owner in even ones. The other side accepts, ends it,
or makes the next proposal, as long as there is a round left; each further round leaves the share `patience` of all payoffs. After a deal,
people leave or stay. Nobody needs a grid of prices: whoever proposes offers exactly what the other side gets by going on, its
reservation price, or the budget where that is less.

Ties: whoever is indifferent accepts; whoever is indifferent between proposals makes the one that is better for the other side, then
the one with less privacy loss, the finer one, the one that comes first. `tree` has the same game move by move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.negotiation.events import Party
from sfumato.negotiation.game.market import EXACT
from sfumato.statistics import Floats

MOST_ROUNDS = 1000
ROUNDS, PATIENCE = 2, 0.9


@dataclass(frozen=True, slots=True)
class Horizon:
    """How long the game goes on.

    Parameters
    ----------
    rounds : int
        How many proposals there are at the most; with 1, the owner can only take the user's or leave it.
    patience : float
        What a payoff is worth one round later, as a share.
    """

    rounds: int = ROUNDS
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise UsageError(f"a whole number from 1 to {MOST_ROUNDS:,}", where=argument("rounds"))
        if not 0 <= self.patience <= 1:
            raise UsageError("a share from 0 to 1", where=argument("patience"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed in a round, and accepted: the place of the policy, its price, and both payoffs as of that round. Where no deal is
    good for both sides, there is no place, and whoever is to propose ends it."""

    round: int
    proposer: Party
    place: int | None
    price: float
    user: float
    owner: float

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        payoffs = {"price": self.price, "user": self.user, "owner": self.owner}
        return {"round": self.round, "proposer": self.proposer.value, "deal": self.place is not None, **payoffs}


def bargain(
    worth: Floats,
    cost: Floats,
    order: npt.NDArray[Any],
    horizon: Horizon,
    budget: float | None = None,
    places: Sequence[int] | npt.NDArray[np.intp] | None = None,
) -> tuple[Proposal, ...]:
    """What is proposed in every round of the subgame-perfect equilibrium; the first one is what happens, the others are why.

    Parameters
    ----------
    worth : array of float
        What each policy that may be proposed is worth to the user.
    cost : array of float
        What each costs the owner.
    order : array of int
        Their rank in ties.
    horizon : Horizon
        How many rounds there are, and what is left of a payoff after each.
    budget : float, optional
        The most that the user can pay.
    places : array of int, optional
        The places of these policies in the space; their own order if left out.

    Returns
    -------
    tuple of Proposal
        One for each round.
    """
    user = owner = 0.0  # what each side gets by going on
    found: list[Proposal] = []
    most = inf if budget is None else budget
    for number in range(horizon.rounds, 0, -1):
        proposer = Party.USER if number % 2 else Party.OWNER
        prices = cost + owner if proposer is Party.USER else np.minimum(worth - user, most)
        made = _best(proposer, prices, worth, cost, order, (user, owner), most)
        place = made.place if made.place is None or places is None else int(places[made.place])
        found.append(Proposal(number, proposer, place, made.price, made.user, made.owner))
        user, owner = horizon.patience * made.user, horizon.patience * made.owner
    return tuple(reversed(found))


def _best(
    proposer: Party,
    prices: Floats,
    worth: Floats,
    cost: Floats,
    order: npt.NDArray[Any],
    reserve: tuple[float, float],
    most: float,
) -> Proposal:
    """The best proposal at these prices that both sides would rather have than nothing, and the other one than going on."""
    user, owner = worth - prices, prices - cost
    least = (0.0, reserve[1]) if proposer is Party.USER else (reserve[0], 0.0)
    good = (user >= least[0] - EXACT) & (owner >= least[1] - EXACT) & (prices <= most + EXACT) & (prices >= -EXACT)
    left = np.flatnonzero(good)
    if not len(left):
        return Proposal(0, proposer, None, 0.0, 0.0, 0.0)
    for payoff in (user, owner) if proposer is Party.USER else (owner, user):
        left = left[payoff[left] >= payoff[left].max() - EXACT]
    place = int(left[np.argmin(order[left])])
    return Proposal(0, proposer, place, *(float(max(each[place], 0.0)) for each in (prices, user, owner)))
