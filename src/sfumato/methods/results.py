"""What became of each method: its strength, what it gives away and costs, and which attacks get through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.attacks import Attempt
from sfumato.learn.results import Disclosure, UtilityLoss
from sfumato.results import Printed, Rows
from sfumato.upward import above


@dataclass(frozen=True, slots=True)
class Outcome:
    """A method, as strong as it was asked to be: what it discloses, what those who learn or count lose, and what was tried on it.

    `released` says what was released: the method with its parameters, or the node. Where the method cannot be had, `reason` says why, and
    the rest is missing. `learned` is None without a target, `queries` the mean relative error of count queries, None where a release has no
    columns to ask about, `remark` what the attacks do not show.
    """

    method: str
    released: str | None = None
    disclosure: Disclosure | None = None
    learned: UtilityLoss | None = None
    queries: float | None = None
    attempts: tuple[Attempt, ...] = ()
    reason: str | None = None
    remark: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        if self.reason is not None:
            return {"method": self.method, "reason": self.reason}
        return {
            "method": self.method,
            "released": self.released,
            "losses": self.disclosure and self.disclosure.as_dict(),
            "learning": self.learned and self.learned.as_dict(),
            "query_error": self.queries,
            "attacks": [each.as_dict() for each in self.attempts],
            "remark": self.remark,
        }


@dataclass(frozen=True, slots=True)
class MethodsCompared(Printed):
    """Methods side by side. `equal` is what they were made equal in (`privacy`, `utility`, or None if they were taken as given), and
    `bound` its largest value; `utility` says what utility loss is here: `learning` or `queries`."""

    outcomes: tuple[Outcome, ...]
    equal: str | None
    bound: float | None
    utility: str
    target: str | None
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        asked = {"equal": self.equal, "bound": self.bound, "utility": self.utility, "target": self.target, "seed": self.seed}
        return {**asked, "methods": [each.as_dict() for each in self.outcomes]}

    def plot(self) -> Any:
        """Utility loss against privacy loss, and the rates of the attacks: an altair chart. Needs the extra `report`."""
        return above("MethodsCompared.plot")(self)

    def table(self) -> Rows:
        """One row per method that could be had: what it discloses, and what it costs."""
        heads = ("method", "ε mean", "ε max", "α mean", "α max", *(("learning loss",) if self.target else ()), "query error")
        return Rows(heads, tuple(self._row(each) for each in self.outcomes if each.reason is None))

    def tried(self) -> Rows:
        """One row per method that could be had: the rate of every attack."""
        had = [each for each in self.outcomes if each.reason is None]
        return Rows(("method", *self.attacks()), tuple((each.released, *self.rates(each).values()) for each in had))

    def attacks(self) -> tuple[str, ...]:
        """The attacks that were tried on some method, in their order."""
        return tuple(dict.fromkeys(attempt.attack for each in self.outcomes for attempt in each.attempts))

    def rates(self, outcome: Outcome) -> Mapping[str, float | None]:
        """The rate of each attack; of several sensitive attributes the largest. None where it cannot be tried."""
        found: dict[str, float | None] = dict.fromkeys(self.attacks())
        for attempt in outcome.attempts:
            if attempt.reason is None:
                found[attempt.attack] = max(found[attempt.attack] or 0.0, attempt.rate)
        return found

    def _row(self, each: Outcome) -> tuple[Any, ...]:
        disclosure = each.disclosure
        losses = (
            (None,) * 4
            if disclosure is None
            else (disclosure.mean_distribution, disclosure.epsilon, disclosure.mean_entropy, disclosure.alpha)
        )
        learned = ((each.learned and each.learned.loss.value),) if self.target else ()
        return (each.released, *losses, *learned, each.queries)
