"""What an owner answers: the policies that match a pattern, keep the bounds, and let no coalition of earlier deals break them.

Everything that a user sees is a query on the table. So losses are rounded up to a grid, a price is that of the rounded loss, and offers
are ordered by what is shown: nothing but the bounds and the grid decides what is said. A policy that was offered counts like a deal,
taken or not, because the offer itself has told its loss; and an account may see only so many of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.coalition import Coalitions, Deal
from sfumato.negotiation.events import CounterOffer, Event, Offer, Party, RequestRejected, Terminate, Terms, pattern_of
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.pricing import Price
from sfumato.negotiation.protocol import TABLES, IllegalMove, Negotiation, Rate, State
from sfumato.search.space import PolicySpace
from sfumato.statistics import Floats

GRID = 0.01
DAY = 86_400
MOST_SEEN = 20
_ROUNDING = 1e-9
NO_MATCH, BOUNDS, LEDGER, SEEN, BUDGET = "no_match", "bounds", "coalition", "all_offered", "budget"
TOO_MANY, NO_ANSWERS = "too_many_offers", "no_answers_left"


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

    def __post_init__(self) -> None:
        if len(self.space) != self.space.lattice.size or not self.space.about.complete:
            raise UsageError("an owner needs the whole space of the table", where="the space")
        if not self.within.any():
            raise UsageError("no policy keeps these bounds", where=argument("epsilon"))
        if not 0 < self.grid <= 1:
            raise UsageError("a grid is a number above 0, at most 1, such as 0.01", where=argument("grid"))
        if self.expected is not None and self.price is None:
            raise UsageError(f"an expected profit needs {argument('price')}", where=argument("expected"))
        object.__setattr__(self, "_shown", rounded_up(self.space[self.utility], self.grid))
        if self.price is not None:
            self.price.require_decreasing(self._shown[self.within])

    @property
    def rate(self) -> Rate:
        return Rate.FLAT if self.price is None else Rate.VARIABLE

    def answer(self, negotiation: Negotiation, identity: str, seen: int = 0) -> Event:
        """The answer to a request or to a rejection. `identity` is the id of the event; `seen` is how many offers the account has been
        shown elsewhere."""
        if negotiation.asked is None or (Party.OWNER, negotiation.state, RequestRejected.kind) not in TABLES[negotiation.rate]:
            raise IllegalMove("the owner has nothing to answer now", where="answer")
        pattern, budget = pattern_of(negotiation.asked), negotiation.asked.budget
        if negotiation.answers >= negotiation.limit:
            return Terminate(identity, NO_ANSWERS, f"the owner answers at most {negotiation.limit} times")
        if seen + len(negotiation.offers) >= self.most_seen:
            return RequestRejected(identity, TOO_MANY, f"an account may see at most {self.most_seen} offers on this table")
        place, reason = self.choose(pattern, [dict(each.terms.levels) for each in negotiation.offers], budget)
        if place is None:
            return RequestRejected(identity, reason, SENTENCES[reason])
        made = CounterOffer if negotiation.state is State.REJECTED else Offer
        return made(identity, self.terms(place, pattern))

    def choose(
        self, pattern: UtilityPattern, offered: Sequence[dict[str, int]] = (), budget: float | None = None
    ) -> tuple[int | None, str]:
        """The place of the policy to offer, or None and the reason."""
        matching = pattern.matching(self.space)
        if not matching.any():
            return None, NO_MATCH
        possible = np.flatnonzero(matching & self.within)
        if not len(possible):
            return None, BOUNDS
        levels = self.space.evaluations.levels
        fresh = possible[~self._among(levels[possible], offered)] if offered else possible
        if not len(fresh):
            return None, SEEN
        if self.price is not None and budget is not None:
            fresh = fresh[self.price.at(self._shown[fresh]) <= budget + _ROUNDING]
            if not len(fresh):
                return None, BUDGET
        order = fresh[self._order(fresh)]
        place = int(order[0]) if self.coalitions is None else self.coalitions.first_safe(levels, order)
        return (place, "") if place is not None else (None, LEDGER)

    def _order(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Flat rate: the least utility loss first. Variable rate: the profit nearest at or above the expected one, then the nearest below;
        the largest first if none is expected. Equal ones by their levels, the most general first."""
        levels = self.space.evaluations.levels[places]
        ties = (*(-levels[:, place] for place in reversed(range(levels.shape[1]))), -levels.sum(axis=1))
        if self.price is None:
            return np.lexsort((*ties, self._shown[places]))
        profits = self.price.at(self._shown[places])
        if self.expected is None:
            return np.lexsort((*ties, -profits))
        wanted = self.expected
        return np.lexsort((*ties, np.abs(profits - wanted), profits < wanted - _ROUNDING))

    def _among(self, levels: npt.NDArray[np.int16], offered: Sequence[dict[str, int]]) -> Mask:
        attributes, heights = self.space.lattice.attributes, self.space.lattice.heights
        known = {tuple(each.get(n, h) for n, h in zip(attributes, heights, strict=True)) for each in offered}
        return np.array([tuple(row) in known for row in levels.tolist()], bool)

    def terms(self, place: int, pattern: UtilityPattern) -> Terms:
        """What is offered at a place of the space."""
        levels = dict(zip(self.space.lattice.attributes, self.space.evaluations.levels[place].tolist(), strict=True))
        shown = float(self._shown[place])
        price = None if self.price is None else round(float(self.price.at([shown])[0]), 2)
        return Terms({name: levels[name] for name in pattern.attributes}, {self.utility: shown}, self.valid_for, price)

    def levels_of(self, terms: Terms) -> tuple[int, ...]:
        """The node of an offer; what it does not name is withheld."""
        lattice = self.space.lattice
        return tuple(terms.levels.get(name, height) for name, height in zip(lattice.attributes, lattice.heights, strict=True))

    def with_deal(self, identity: str, terms: Terms) -> Owner:
        """The owner after an offer was made: it counts, whether it is taken or not."""
        if self.coalitions is None:
            return self
        return replace(self, coalitions=self.coalitions.with_deal(Deal(identity, self.levels_of(terms))))

    def in_the_way(self, pattern: UtilityPattern) -> tuple[Deal, ...]:
        """Earlier deals with which the policy that would be offered without them breaks the bounds."""
        place, _ = replace(self, coalitions=None).choose(pattern)
        if place is None or self.coalitions is None:
            return ()
        return self.coalitions.in_the_way(self.space.evaluations.levels[place].tolist()) or ()

    def room(self, pattern: UtilityPattern) -> tuple[int, int]:
        """How many policies that match a pattern keep the bounds, and how many of them no coalition forbids."""
        places = np.flatnonzero(pattern.matching(self.space) & self.within)
        if self.coalitions is None:
            return len(places), len(places)
        return len(places), int(self.coalitions.safe(self.space.evaluations.levels[places]).sum())


SENTENCES = {
    NO_MATCH: "no policy matches this pattern",
    BOUNDS: "no policy that matches this pattern keeps the owner's bounds; ask for less",
    SEEN: "every policy that matches this pattern was offered; ask for less",
    BUDGET: "no policy that matches this pattern costs as little as the budget; ask for less, or spend more",
    LEDGER: "the owner's earlier offers leave no policy for this pattern; ask for less",
}


def rounded_up(losses: Floats, grid: float) -> Floats:
    """Losses rounded up to a grid, so that what is shown is never too good.

    >>> rounded_up(np.array([0.0, 0.301, 0.31, 0.9999]), 0.01).tolist()
    [0.0, 0.31, 0.31, 1.0]
    """
    digits = max(0, ceil(-np.log10(grid)) + 3)
    steps = np.ceil(np.asarray(losses, np.float64) / grid - _ROUNDING)
    return np.round(np.maximum(steps, 0) * grid, digits)
