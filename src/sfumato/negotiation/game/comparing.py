"""The protocols against the equilibrium, with the same users: who gains, and what each rule costs.

Users come one after the other, and every deal counts for the next ones where the ledger is on. Each plays the game of `bargaining` over
the policies that are still safe; and negotiates by the flat and by the variable rate, as in `simulate`, against an owner of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from sfumato.frequency import Mask
from sfumato.negotiation.coalition import Coalitions, Deal
from sfumato.negotiation.game.bargaining import Horizon, bargain
from sfumato.negotiation.game.buyers import Buyer
from sfumato.negotiation.game.market import Rules, Stakes
from sfumato.negotiation.game.rates import Rates
from sfumato.negotiation.owner import Owner
from sfumato.negotiation.simulation import negotiated
from sfumato.progress import Progress
from sfumato.results import Printed, Rows

EQUILIBRIUM, FLAT, VARIABLE = PROTOCOLS = ("equilibrium", "flat rate", "variable rate")
LEDGER, BOUNDS, FREE = RULES = ("with ledger", "bounds only", "no rules")
Step = Callable[[], None]  # called after every user


@dataclass(frozen=True, slots=True)
class Played:
    """How it ended for one user: the place of the policy, None without a deal; the price; both payoffs."""

    place: int | None = None
    price: float = 0.0
    user: float = 0.0
    owner: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Printed):
    """Every outcome by rule and protocol, one per user; `best` is the largest surplus that any policy has, per user."""

    outcomes: Mapping[tuple[str, str], tuple[Played, ...]]
    best: tuple[float, ...]
    seed: int

    def table(self) -> Rows:
        """A row for each rule and protocol: the mean payoffs over all users, those without a deal included; their sum as a share of the
        best; by how much a payoff is apart from that in equilibrium, and how often the deal is the same."""
        heads = ("rules", "protocol", "deals", "user", "owner", "of the best", "apart", "same deal")
        return Rows(heads, tuple(self._row(rule, protocol) for rule in RULES for protocol in PROTOCOLS))

    def costs(self) -> Rows:
        """What each rule costs each side: how much less the mean payoff is with it."""
        rows = []
        for name, freer, stricter in (("the ledger", BOUNDS, LEDGER), ("the bounds", FREE, BOUNDS)):
            for protocol in PROTOCOLS:
                before, after = (self.outcomes[rule, protocol] for rule in (freer, stricter))
                costs = [_mean(before, side) - _mean(after, side) for side in ("user", "owner")]
                rows.append((name, protocol, *costs, sum(costs)))
        return Rows(("rule", "protocol", "costs the user", "costs the owner", "both"), tuple(rows))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        tables = {"compared": self.table(), "costs": self.costs()}
        named = {key: [dict(zip(map(key_of, rows.heads), row, strict=True)) for row in rows.rows] for key, rows in tables.items()}
        return {"users": len(self.best), "seed": self.seed, "best_surplus": fmean(self.best), **named}

    def _row(self, rule: str, protocol: str) -> tuple[Any, ...]:
        played, equal = self.outcomes[rule, protocol], self.outcomes[rule, EQUILIBRIUM]
        user, owner, best = _mean(played, "user"), _mean(played, "owner"), fmean(self.best)
        apart = fmean(
            max(abs(one.user - other.user), abs(one.owner - other.owner)) for one, other in zip(played, equal, strict=True)
        )
        same = fmean(one.place == other.place for one, other in zip(played, equal, strict=True))
        share = (user + owner) / best if best > 0 else 1.0
        return rule, protocol, sum(each.place is not None for each in played), user, owner, share, apart, same


def key_of(head: str) -> str:
    """The head of a column as a key of JSON."""
    return head.translate({ord("'"): None, ord(","): None, ord(" "): "_", ord("-"): "_", ord("."): "_"})


def _mean(played: Sequence[Played], side: str) -> float:
    return fmean(getattr(each, side) for each in played)


@dataclass(frozen=True, slots=True, eq=False)
class Arena:
    """Where users meet the owner: the payoffs of all policies, the rules, how long a game goes on, and how the protocols run."""

    stakes: Stakes
    rules: Rules
    horizon: Horizon
    rates: Rates

    def compare(self, buyers: Sequence[Buyer], seed: int, progress: Progress | None = None) -> Comparison:
        """All users, by every rule and protocol."""
        within = self.rules.within(self.stakes.space)
        anything = np.ones_like(within)
        empty = self.rules.coalitions(self.stakes.space, within)
        outcomes: dict[tuple[str, str], tuple[Played, ...]] = {}
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            if progress:
                progress(done, len(RULES) * len(PROTOCOLS) * len(buyers))

        for rule, mask, ledger in ((LEDGER, within, empty), (BOUNDS, within, None), (FREE, anything, None)):
            outcomes[rule, EQUILIBRIUM] = self._equilibria(buyers, mask, ledger, step)
            for protocol in (FLAT, VARIABLE):
                outcomes[rule, protocol] = self.negotiations(buyers, protocol, mask, ledger, step)
        return Comparison(outcomes, tuple(self._best(each) for each in buyers), seed)

    def _best(self, buyer: Buyer) -> float:
        """The largest surplus for one user, whatever the rules."""
        surplus = buyer.worth[buyer.places] - self.stakes.cost[buyer.places]
        return float(max(surplus.max(initial=0.0), 0.0))

    def _equilibria(self, buyers: Sequence[Buyer], mask: Mask, ledger: Coalitions | None, step: Step) -> tuple[Played, ...]:
        stakes, order, levels = self.stakes, self.stakes.order, self.stakes.space.evaluations.levels
        played = []
        for number, buyer in enumerate(buyers):
            places = buyer.places[mask[buyer.places]]
            places = places[buyer.worth[places] >= stakes.cost[places]]  # no price is good for both sides elsewhere
            if ledger is not None:
                places = places[ledger.safe(levels[places])]
            worth, cost = buyer.worth[places], stakes.cost[places]
            deal = bargain(worth, cost, order[places], self.horizon, buyer.budget, places)[0]
            played.append(Played(deal.place, deal.price, deal.user, deal.owner))
            step()
            if ledger is not None and deal.place is not None:
                ledger = ledger.with_deal(Deal(f"{number:032x}", tuple(levels[deal.place].tolist())))
        return tuple(played)

    def _owner(self, protocol: str, mask: Mask, ledger: Coalitions | None) -> Owner:
        space, rates = self.stakes.space, self.rates
        utility = self.stakes.market.utility
        if protocol == FLAT:
            return Owner(space, mask, utility, grid=rates.grid, coalitions=ledger)
        return Owner(space, mask, utility, rates.price_list(self.stakes), rates.expected, rates.grid, coalitions=ledger)

    def negotiations(
        self, buyers: Sequence[Buyer], protocol: str, mask: Mask, ledger: Coalitions | None = None, step: Step = lambda: None
    ) -> tuple[Played, ...]:
        """Users one after the other by a protocol, over some policies."""
        owner, played = self._owner(protocol, mask, ledger), []
        for number, buyer in enumerate(buyers):
            state, owner, _ = negotiated(owner, buyer.user, self.rates.limit, number)
            step()
            if state.agreed is None:
                played.append(Played())
                continue
            node = np.array([owner.levels_of(state.agreed.terms)])
            place = int(self.stakes.space.lattice.numbers(node)[0])
            price = self.rates.fee if state.agreed.terms.price is None else state.agreed.terms.price
            later = self.horizon.patience ** (state.answers - 1)
            user, seller = buyer.worth[place] - price, price - self.stakes.cost[place]
            played.append(Played(place, price, float(later * user), float(later * seller)))
        return tuple(played)
