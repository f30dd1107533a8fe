"""What each algorithm tells of its search besides the nodes that it looked at; `as_dict` is for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sfumato.naming import name_values

if TYPE_CHECKING:
    from sfumato.beliefs import Prior
    from sfumato.search.outcome import Found
    from sfumato.tradeoff import Recommendation

RECOMMENDED = "recommended"


@dataclass(frozen=True, slots=True)
class Phase:
    """Subsets of so many QIDs: candidate nodes, those that satisfy the models, and those that were evaluated for it."""

    qids: int
    candidates: int
    satisfying: int
    visited: int


@dataclass(frozen=True, slots=True)
class Phases:
    """Incognito: one phase per number of QIDs."""

    phases: tuple[Phase, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"phases": [asdict(phase) for phase in self.phases]}


@dataclass(frozen=True, slots=True)
class Evolution:
    """Evolutionary: generations bred, nodes of the front that was found, the most nodes to look at, and the seed."""

    generations: int
    front: int
    budget: int
    seed: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Splitting:
    """Mondrian: whether cells stay whole, how the QID to split was chosen, and in how many rounds all groups were split."""

    strict: bool
    split: str
    rounds: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Guided:
    """Guided: the nearest node's distance, the recommendation it was measured against, and beside it the optimum of a loss."""

    prior: Prior
    recommendation: Recommendation
    distance: float
    optimum: Found
    optimum_distance: float
    minimize: str

    @property
    def optimum_loss(self) -> float:
        """What the optimum has of the loss that it minimizes."""
        return float(self.optimum.evaluation[self.minimize])

    def shares(self) -> list[dict[str, Any]]:
        """Every value with its share in the prior and the recommended one; a value that few people hold is not named."""
        return [
            {**value, "prior": before, "recommended": after}
            for value, (_, before, after) in zip(name_values(self.prior), self.recommendation.shares(), strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        best = self.optimum
        return {
            "toward": RECOMMENDED,
            "distance": self.distance,
            "bounds": dict(self.recommendation.bounds),
            "distribution": self.shares(),
            "recommended_losses": dict(self.recommendation.chosen.losses),
            "optimum": {
                "node": best.node.as_dict(),
                "minimize": self.minimize,
                "value": best.evaluation[self.minimize],
                "distance": self.optimum_distance,
                "visited": best.trace.visited,
            },
        }


Details = Phases | Evolution | Splitting | Guided
