"""A user who negotiates automatically, towards a goal and never beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sfumato.errors import UsageError, argument
from sfumato.negotiation.events import Accept, Event, Reject, Relax, Request, Terminate, Terms
from sfumato.negotiation.pattern import EXACT, UtilityPattern
from sfumato.negotiation.protocol import Negotiation

GOAL, PATIENCE = "beyond_the_goal", "no_answers_left"


@dataclass(frozen=True, slots=True)
class Goal:
    """What a user can live with: the largest level of each attribute, bounds on the stated losses, and what to spend at the most."""

    levels: Mapping[str, int]
    losses: Mapping[str, float] = field(default_factory=dict)
    budget: float | None = None

    def met(self, terms: Terms) -> bool:
        """Whether an offer is good enough. A loss that is not stated is not good enough."""
        fine = all(terms.levels.get(name, EXACT + most + 1) <= most for name, most in self.levels.items())
        kept = all(terms.losses.get(name, float("inf")) <= most + EXACT for name, most in self.losses.items())
        return fine and kept and (self.budget is None or (terms.price or 0) <= self.budget + EXACT)


@dataclass(frozen=True, slots=True)
class User:
    """A user: the goal, the pattern to begin with, and the height of each attribute, as the owner's sheet tells it."""

    goal: Goal
    pattern: UtilityPattern
    heights: Mapping[str, int]

    def __post_init__(self) -> None:
        for name in self.pattern.attributes:
            if name not in self.goal.levels:
                raise UsageError(f"the goal says nothing about {name!r}", where=argument("goal"))

    def request(self, identity: str) -> Request:
        """The first request."""
        return Request(identity, self._within_goal(self.pattern).as_dict(), self.goal.budget)

    def answer(self, negotiation: Negotiation, identity: str) -> Event:
        """The next move: takes an offer that meets the goal, rejects another, and relaxes as long as that stays within the goal."""
        offer = negotiation.standing
        if offer is not None and self.goal.met(offer.terms):
            return Accept(identity, offer.id, offer.terms.digest)
        if negotiation.answers >= negotiation.limit:
            return Terminate(identity, PATIENCE, "the owner has no answers left")
        return self._relaxed(negotiation, identity) if offer is None else Reject(identity, offer.id)

    def _relaxed(self, negotiation: Negotiation, identity: str) -> Event:
        pattern = negotiation.pattern
        wider = None if pattern is None else self._wider(pattern)
        if wider is None:
            return Terminate(identity, GOAL, "nothing within the goal is left to ask for")
        return Relax(identity, wider.as_dict(), self.goal.budget)

    def _wider(self, pattern: UtilityPattern) -> UtilityPattern | None:
        """The next pattern that allows more than this one, no attribute beyond its goal."""
        wider = pattern.relax()
        while wider is not None:
            within = self._within_goal(wider)
            if within != pattern:
                return within
            wider = wider.relax()
        widest = self.widest
        return None if widest == pattern else widest

    @property
    def widest(self) -> UtilityPattern:
        """The pattern that allows everything within the goal: a layer for each share that the goal has."""
        shares = {name: min(self.goal.levels[name] / self.heights[name], 1.0) for name in self.pattern.attributes}
        steps = sorted(set(shares.values()))
        return UtilityPattern(tuple(tuple(name for name in shares if shares[name] == step) for step in steps), tuple(steps))

    def _within_goal(self, pattern: UtilityPattern) -> UtilityPattern:
        """The pattern with every share cut to what the goal allows in its layer and in those before it."""
        shares, most = [], 1.0
        for layer, share in reversed(list(zip(pattern.layers, pattern.shares, strict=True))):
            most = min(most, share, *(self.goal.levels[name] / self.heights[name] for name in layer))
            shares.append(most)
        return replace(pattern, shares=tuple(reversed(shares)))
