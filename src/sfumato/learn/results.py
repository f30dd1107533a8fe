"""What learning from releases gives: the loss of each beside what it discloses, and which one to choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import UsageError, argument
from sfumato.learn.scores import Interval, Score, loss_between
from sfumato.results import Printed, Rows
from sfumato.upward import above


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What a release gives away: the distribution and the entropy privacy loss, of the worst class (ε, α) and as means over people.

    Of several sensitive attributes the largest counts.
    """

    epsilon: float
    alpha: float
    mean_distribution: float
    mean_entropy: float

    def ranked(self) -> tuple[float, ...]:
        """What is compared, in this order: the worst class is often equally bad, say one person of a rare value; the means are not."""
        return tuple(round(each, 9) for each in (self.epsilon, self.alpha, self.mean_distribution, self.mean_entropy))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "distribution": {"max": self.epsilon, "people_mean": self.mean_distribution},
            "entropy": {"max": self.alpha, "people_mean": self.mean_entropy},
        }


@dataclass(frozen=True, slots=True)
class UtilityLoss(Printed):
    """What a model loses that is trained on a release and not on the original (Definition 24).

    `released`: tested on rows of the release. `mapped`: tested on all test rows of the original, mapped up to the labels of the release;
    None where rows cannot be aligned. The two differ by the suppressed. `best` is the model of the original.
    """

    name: str
    node: Mapping[str, int] | None
    rows: int
    values: tuple[str, ...]
    best: Score
    released: Score
    mapped: Score | None
    settings: tuple[tuple[tuple[str, str], ...], ...]
    disclosure: Disclosure | None = None

    @property
    def loss(self) -> Interval:
        """L_Ux, tested on the release."""
        return loss_between(self.best, self.released)

    @property
    def mapped_loss(self) -> Interval | None:
        """L_Ux, tested on the original mapped up."""
        return None if self.mapped is None else loss_between(self.best, self.mapped)

    def tolerated(self, within: float) -> bool:
        """Whether the loss is below a tolerance λ (Definition 25: strictly)."""
        return self.loss.value < within

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        mapped = self.mapped_loss
        return {
            "release": self.name,
            "node": None if self.node is None else dict(self.node),
            "rows": self.rows,
            "loss": self.loss.as_dict(),
            "released": self.released.as_dict(),
            "mapped_loss": mapped and mapped.as_dict(),
            "mapped": self.mapped and self.mapped.as_dict(),
            "settings": [dict(each) for each in self.settings],
            "privacy": self.disclosure and self.disclosure.as_dict(),
        }

    def table(self) -> Rows:
        """One row per model and test."""
        heads = ("trained on", "tested on", "accuracy", "majority", "precision", "recall", "loss", "low", "high")
        rows = [_row("original", "original", self.best, Interval(0.0)), _row(self.name, "release", self.released, self.loss)]
        if self.mapped is not None and self.mapped_loss is not None:
            rows.append(_row(self.name, "original, mapped up", self.mapped, self.mapped_loss))
        return Rows(heads, tuple(rows))

    def confusion(self) -> Rows:
        """The confusion matrix on the release, all repeats together."""
        rows = ((value, *row) for value, row in zip(self.values, self.released.confusion, strict=True))
        return Rows(("true value", *self.values), tuple(rows))


@dataclass(frozen=True, slots=True)
class UtilityLosses(Printed):
    """The losses of several releases of one table, learned with one plan: the λ-(ε,α) table."""

    target: str
    values: tuple[str, ...]
    plan: Mapping[str, Any]
    original: Score
    releases: tuple[UtilityLoss, ...]

    def least_leaking(self, within: float) -> UtilityLoss | None:
        """Of the releases whose utility loss is below a tolerance λ, the one that discloses least: by ε, then by α, then by their means.

        Parameters
        ----------
        within : float
            The tolerance, 0.01 for 1 %. A loss that equals it is beyond it (Definition 25).

        Returns
        -------
        UtilityLoss or None
            The release; None if no loss is below.
        """
        if isinstance(within, bool) or not 0 <= within <= 1:
            raise UsageError("a tolerance is a share between 0 and 1, as 0.01", where=argument("within"))
        judged = [(each.disclosure, each) for each in self.releases if each.tolerated(within)]
        known = [((*found.ranked(), each.loss.value), place) for place, (found, each) in enumerate(judged) if found]
        if len(known) < len(judged):
            raise UsageError("what leaks needs a sensitive attribute in the schema", where=argument("within"))
        return judged[min(known)[1]][1] if known else None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "target": self.target,
            "values": list(self.values),
            "positive": None if self.original.positive is None else self.values[self.original.positive],
            **{name: value for name, value in self.plan.items() if name != "target"},
            "original": self.original.as_dict(),
            "releases": [each.as_dict() for each in self.releases],
        }

    def table(self) -> Rows:
        """One row per release: what it discloses, and what it costs."""
        heads = ("release", "ε (max)", "mean", "α (max)", "mean ", "accuracy", "majority", "λ: loss", "low", "high")
        first = ("original", *(None,) * 4, self.original.accuracy, self.original.baseline, 0.0, None, None)
        return Rows(heads, (first, *map(_privacy_row, self.releases)))

    def plot(self) -> Any:
        """The utility loss of every release against its privacy losses: an altair chart. Needs the extra `report`."""
        return above("UtilityLosses.plot")(self)


def _row(trained: str, tested: str, score: Score, loss: Interval) -> tuple[Any, ...]:
    found = (score.accuracy, score.baseline, score.precision, score.recall)
    return trained, tested, *found, loss.value, loss.low, loss.high


def _privacy_row(each: UtilityLoss) -> tuple[Any, ...]:
    disclosure = each.disclosure
    leaks = (
        (None,) * 4
        if disclosure is None
        else (disclosure.epsilon, disclosure.mean_distribution, disclosure.alpha, disclosure.mean_entropy)
    )
    loss = each.loss
    return each.name, *leaks, each.released.accuracy, each.released.baseline, loss.value, loss.low, loss.high


def largest(each: Iterable[Disclosure]) -> Disclosure | None:
    """The largest of every loss, over sensitive attributes."""
    found = [(one.epsilon, one.alpha, one.mean_distribution, one.mean_entropy) for one in each]
    return Disclosure(*map(max, zip(*found, strict=True))) if found else None
