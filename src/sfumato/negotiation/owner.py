"""What an owner answers: the policies that match a pattern, keep the bounds, and let no coalition of earlier deals break them.

Everything that a user sees is a query on the table. So losses are rounded up to a grid, a price is that of the rounded loss, and offers
are ordered by what is shown: nothing but the bounds and the grid decides what is said. A policy that was offered counts like a deal,
taken or not, because the offer itself has told its loss. A refusal is an answer of the table, too: it never says whether the bounds, the
ledger or the budget is its reason, which is for the owner alone. And an account gets only so many answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from math import inf

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.coalition import Coalitions, Deal, node_of
from sfumato.negotiation.events import CounterOffer, Event, Offer, Party, RequestRejected, Terminate, Terms, pattern_of
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.pricing import Price
from sfumato.negotiation.protocol import TABLES, IllegalMove, Negotiation, Rate, State
from sfumato.search.space import PolicySpace
from sfumato.statistics import Floats

GRID = 0.01
DAY = 86_400
FINEST = 0.0001  # grid
MOST_SEEN = 50
_ROUNDING, _DIGITS = 1e-9, 12
NO_OFFER, TOO_MANY, NO_ANSWERS = "no_offer", "too_many_answers", "no_answers_left"
# Why there is none: for the owner.
BOUNDS, LEDGER, ALL_OFFERED, BUDGET = "bounds", "ledger", "all_offered", "budget"


@dataclass(frozen=True, slots=True, eq=False)
class Owner:
    """An owner: the explored table, what a release must keep (`within`, a mask over the space), and how offers are chosen.

    `utility` is the loss that offers state and that prices depend on. With a price, `expected` is the profit that the owner would like, the
    largest if it is None.
    """

    space: PolicySpace
    within: Mask
    utility: str = "utility-distribution"
    price: Price | None = None
    expected: float | None = None
    grid: float = GRID
    valid_for: int = 7 * DAY
    most_seen: int = MOST_SEEN
    coalitions: Coalitions | None = None
    _shown: Floats = field(init=False, repr=False)
    _prices: Floats | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        if len(self.space) != self.space.lattice.size or not self.space.about.complete:
            raise UsageError("an owner needs the whole space of the table", where="the space")
        if not self.within.any():
            raise UsageError("no policy keeps these bounds", where=argument("epsilon"))
        if not FINEST <= self.grid <= 1:
            raise UsageError(f"a grid is a number from {FINEST} to 1, such as 0.01", where=argument("grid"))
        if self.expected is not None and not 0 <= self.expected < inf:
            raise UsageError("a number from 0 up", where=argument("expected"))
        if self.expected is not None and self.price is None:
            raise UsageError(f"an expected profit needs {argument('price')}", where=argument("expected"))
        object.__setattr__(self, "_shown", rounded_up(self.space[self.utility], self.grid))
        if self.price is not None:
            self.price.require_decreasing(self._shown[self.within])
            losses, place_of = np.unique(self._shown, return_inverse=True)
            object.__setattr__(self, "_prices", self.price.asked(losses)[place_of])

    @property
    def rate(self) -> Rate:
        return Rate.FLAT if self.price is None else Rate.VARIABLE

    def answer(self, negotiation: Negotiation, identity: str, received: int = 0) -> Event:
        """The answer to a request or to a rejection. `identity` is the id of the event; `received` is how many answers the account has got
        in other negotiations."""
        if negotiation.asked is None or (Party.OWNER, negotiation.state, RequestRejected.kind) not in TABLES[negotiation.rate]:
            raise IllegalMove("the owner has nothing to answer now", where="answer")
        pattern, budget = pattern_of(negotiation.asked), negotiation.asked.budget
        if negotiation.answers >= negotiation.limit:
            return Terminate(identity, NO_ANSWERS, f"the owner answers at most {negotiation.limit} times")
        if received + negotiation.answers >= self.most_seen:
            return RequestRejected(identity, TOO_MANY, f"an account gets at most {self.most_seen} answers on this table")
        place, _ = self.choose(pattern, offered_in(negotiation), budget)
        if place is None:
            less = (
                "for this pattern; ask for less" if budget is None else "for this pattern and budget; ask for less, or spend more"
            )
            return RequestRejected(identity, NO_OFFER, f"the owner has no offer, or no further one, {less}")
        made = CounterOffer if negotiation.state is State.REJECTED else Offer
        return made(identity, self.terms(place, pattern))

    def choose(
        self, pattern: UtilityPattern, offered: Sequence[dict[str, int]] = (), budget: float | None = None
    ) -> tuple[int | None, str]:
        """The place of the policy to offer, or None and the reason, which is for the owner alone."""
        levels, fresh = self.space.evaluations.levels, self._fresh(pattern, offered)
        if not len(fresh):
            return None, ALL_OFFERED if offered and len(self._fresh(pattern)) else BOUNDS
        if self._prices is not None and budget is not None:
            fresh = fresh[self._prices[fresh] <= budget]
            if not len(fresh):
                return None, BUDGET
        order = fresh[self._order(fresh)]
        place = int(order[0]) if self.coalitions is None else self.coalitions.first_safe(levels, order)
        return (place, "") if place is not None else (None, LEDGER)

    def _fresh(self, pattern: UtilityPattern, offered: Sequence[dict[str, int]] = ()) -> npt.NDArray[np.intp]:
        """The places of the policies that match a pattern, keep the bounds and were not offered."""
        possible = np.flatnonzero(pattern.matching(self.space) & self.within)
        return possible[~self._among(self.space.evaluations.levels[possible], offered)] if offered else possible

    def _order(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Flat rate: the least utility loss first. Variable rate: the profit nearest at or above the expected one, then the nearest below;
        the largest first if none is expected. Equal ones by their levels, the finest first."""
        levels = self.space.evaluations.levels[places]
        ties = (*(levels[:, place] for place in reversed(range(levels.shape[1]))), levels.sum(axis=1))
        shown = self._shown[places]
        if self._prices is None:
            return np.lexsort((*ties, shown))
        profits = self._prices[places]
        if self.expected is None:
            return np.lexsort((*ties, shown, -profits))
        below = profits < self.expected
        return np.lexsort((*ties, shown, np.where(below, -profits, profits), below))

    def _among(self, levels: npt.NDArray[np.int16], offered: Sequence[dict[str, int]]) -> Mask:
        known = {node_of(self.space.lattice, each) for each in offered}
        return np.array([tuple(row) in known for row in levels.tolist()], bool)

    def terms(self, place: int, pattern: UtilityPattern) -> Terms:
        """What is offered at a place of the space."""
        levels = dict(zip(self.space.lattice.attributes, self.space.evaluations.levels[place].tolist(), strict=True))
        shown = float(self._shown[place])
        price = None if self._prices is None else float(self._prices[place])
        return Terms({name: levels[name] for name in pattern.attributes}, {self.utility: shown}, self.valid_for, price)

    def levels_of(self, terms: Terms) -> tuple[int, ...]:
        """The node of an offer."""
        return node_of(self.space.lattice, terms.levels)

    def with_deal(self, identity: str, terms: Terms) -> Owner:
        """The owner after an offer was made: it counts, whether it is taken or not."""
        if self.coalitions is None:
            return self
        return self.among(self.coalitions.with_deal(Deal(identity, self.levels_of(terms))))

    def among(self, coalitions: Coalitions | None) -> Owner:
        """The owner among other deals. What is shown of every policy stays as it was computed."""
        made = copy(self)
        object.__setattr__(made, "coalitions", coalitions)
        return made

    def reason(self, negotiation: Negotiation) -> str:
        """Why there is no offer: `bounds`, `all_offered`, `budget` or `ledger`. For the owner alone."""
        asked = negotiation.asked
        return "" if asked is None else self.choose(pattern_of(asked), offered_in(negotiation), asked.budget)[1]

    def in_the_way(self, negotiation: Negotiation) -> tuple[Deal, ...]:
        """Earlier deals with which the policy that would be offered without them breaks the bounds; none if there is no such policy."""
        if negotiation.asked is None or self.coalitions is None:
            return ()
        offered = offered_in(negotiation)
        place, _ = self.among(None).choose(pattern_of(negotiation.asked), offered, negotiation.asked.budget)
        if place is None:
            return ()
        return self.coalitions.in_the_way(self.space.evaluations.levels[place].tolist()) or ()

    def room(self, negotiation: Negotiation) -> tuple[int, int]:
        """How many policies that match what is asked for, keep the bounds and were not offered yet, and how many of them no coalition
        forbids."""
        if negotiation.asked is None:
            return 0, 0
        places = self._fresh(pattern_of(negotiation.asked), offered_in(negotiation))
        if self.coalitions is None:
            return len(places), len(places)
        return len(places), int(self.coalitions.safe(self.space.evaluations.levels[places]).sum())


def offered_in(negotiation: Negotiation) -> list[dict[str, int]]:
    """The levels of every offer so far."""
    return [dict(each.terms.levels) for each in negotiation.offers]


def rounded_up(losses: Floats, grid: float) -> Floats:
    """Losses rounded up to a grid, so that what is shown is never too good.

    >>> rounded_up(np.array([0.0, 0.301, 0.31, 0.9999]), 0.01).tolist()
    [0.0, 0.31, 0.31, 1.0]
    """
    steps = np.ceil(np.asarray(losses, np.float64) / grid - _ROUNDING)
    return np.round(np.maximum(steps, 0) * grid, _DIGITS)
