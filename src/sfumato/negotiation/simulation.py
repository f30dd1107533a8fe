"""Many random users against one owner: how often they agree, after how many answers, at what loss and price, and what the ledger of offers
changes. Everything follows from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any

import numpy as np

from sfumato.negotiation.coalition import Coalitions
from sfumato.negotiation.events import Offer, Party
from sfumato.negotiation.owner import Owner
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import Negotiation, State
from sfumato.negotiation.user import Goal, User
from sfumato.progress import Progress
from sfumato.results import Rows

MOST_ATTRIBUTES = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """One negotiation. `best` is the least exact utility loss of a policy that matches what was asked for last and keeps the bounds;
    `loss` is that of the deal, and `node` its levels. `withheld` counts answers that the ledger changed; `left`
    is how many policies can still be offered afterwards."""

    agreed: bool
    answers: int
    offers: int
    withheld: int
    left: int
    reason: str
    loss: float | None = None
    node: tuple[int, ...] | None = None
    best: float | None = None
    price: float | None = None

    @property
    def distance(self) -> float | None:
        """How much more the deal loses than the best matching policy."""
        return None if self.loss is None or self.best is None else self.loss - self.best


@dataclass(frozen=True, slots=True)
class Simulated:
    """All outcomes with the ledger, and without it."""

    ledger: tuple[Outcome, ...]
    free: tuple[Outcome, ...]
    seed: int
    rate: str

    def table(self) -> Rows:
        """One row per quantity."""
        rows = []
        for name, quantity in _QUANTITIES.items():
            rows.append((name, quantity(self.ledger), quantity(self.free)))
        return Rows(("quantity", "with the ledger", "without it"), tuple(rows))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        table = self.table()
        sides = {
            side: {row[0].replace(" ", "_"): row[place] for row in table.rows}
            for place, side in ((1, "with_ledger"), (2, "without_ledger"))
        }
        return {"users": len(self.ledger), "seed": self.seed, "rate": self.rate, **sides}


def random_user(rng: Random, heights: Mapping[str, int], *, priced: bool) -> User:
    """A user with some attributes of interest, ranked by chance, and a goal."""
    names = rng.sample(sorted(heights), rng.randint(1, min(MOST_ATTRIBUTES, len(heights))))
    cuts = sorted(rng.sample(range(1, len(names)), rng.randint(0, len(names) - 1)))
    layers = tuple(tuple(names[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(names)], strict=True))
    levels = {name: rng.randint((heights[name] + 1) // 2, heights[name]) for name in names}
    losses = {} if rng.random() < 0.5 else {"utility-distribution": rng.choice((0.85, 0.9, 0.95))}
    budget = rng.choice((None, 25.0, 50.0, 100.0)) if priced else None
    return User(Goal(levels, losses, budget), UtilityPattern(layers), heights)


def negotiated(owner: Owner, user: User, limit: int, number: int) -> tuple[Negotiation, Owner, int]:
    """One negotiation from the request to its end; the owner afterwards, and how many answers the ledger changed."""
    made, withheld = 0, 0

    def identity() -> str:
        nonlocal made
        made += 1
        return f"{number:016x}{made:016x}"

    state = Negotiation(owner.rate, limit).after(Party.USER, user.request(identity()), 0)
    free = owner.among(None)
    while not state.ended and state.state is not State.AGREED:
        if state.turn is Party.USER:
            state = state.after(Party.USER, user.answer(state, identity()), made)
            continue
        event = owner.answer(state, identity())
        withheld += owner.coalitions is not None and _levels(free.answer(state, "0" * 32)) != _levels(event)
        state = state.after(Party.OWNER, event, made)
        if isinstance(event, Offer):
            owner = owner.with_deal(event.id, event.terms)
    return state, owner, withheld


def _levels(event: Any) -> Mapping[str, int] | None:
    return event.terms.levels if isinstance(event, Offer) else None


def simulate(owner: Owner, users: int, seed: int, limit: int, progress: Progress | None = None) -> Simulated:
    """Random users against an owner, one after the other, with the ledger of offers and without."""
    lattice = owner.space.lattice
    heights = dict(zip(lattice.attributes, lattice.heights, strict=True))
    rng = Random(seed)  # noqa: S311  no secret: the same users come from the same seed
    drawn = [random_user(rng, heights, priced=owner.price is not None) for _ in range(users)]
    coalitions = owner.coalitions or Coalitions(lattice, owner.within)
    sides = []
    for place, side in enumerate((owner.among(coalitions), owner.among(None))):
        outcomes: list[Outcome] = []
        left = int(owner.within.sum())
        for number, user in enumerate(drawn):
            before = side.coalitions
            state, side, withheld = negotiated(side, user, limit, number)
            if side.coalitions is not None and before is not None and not np.array_equal(before.meets, side.coalitions.meets):
                left = int(side.coalitions.safe(owner.space.evaluations.levels).sum())
            outcomes.append(_outcome(side, state, withheld, left))
            if progress:
                progress(place * users + number + 1, 2 * users)
        sides.append(tuple(outcomes))
    return Simulated(sides[0], sides[1], seed, owner.rate.value)


def _outcome(owner: Owner, state: Negotiation, withheld: int, left: int) -> Outcome:
    reason = getattr(state.history[-1].event, "reason", "agreed")
    counted: dict[str, Any] = {"answers": state.answers, "offers": len(state.offers), "withheld": withheld, "left": left}
    if state.agreed is None or state.pattern is None:
        return Outcome(agreed=False, reason=reason, **counted)
    losses = owner.space[owner.utility]
    matching = state.pattern.matching(owner.space) & owner.within
    node = owner.levels_of(state.agreed.terms)
    return Outcome(
        agreed=True,
        reason="agreed",
        loss=float(losses[owner.space.lattice.numbers(np.array([node]))[0]]),
        node=node,
        best=float(losses[matching].min()),
        price=state.agreed.terms.price,
        **counted,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


_QUANTITIES: dict[str, Any] = {
    "deals": lambda outcomes: sum(each.agreed for each in outcomes),
    "share of deals": lambda outcomes: fmean(each.agreed for each in outcomes),
    "answers per negotiation": lambda outcomes: fmean(each.answers for each in outcomes),
    "offers": lambda outcomes: sum(each.offers for each in outcomes),
    "answers that the ledger changed": lambda outcomes: sum(each.withheld for each in outcomes),
    "policies that can still be offered": lambda outcomes: outcomes[-1].left,
    "utility loss of a deal": lambda outcomes: _mean([each.loss for each in outcomes]),
    "distance from the best policy": lambda outcomes: _mean([each.distance for each in outcomes]),
    "largest distance": lambda outcomes: max((each.distance or 0.0 for each in outcomes), default=0.0),
    "profit": lambda outcomes: sum(each.price or 0.0 for each in outcomes),
}
