"""What can someone learn who knows only some of the published QIDs? Every subset, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sfumato.beliefs import Prior, statistics_of
from sfumato.frequency import FrequencySet
from sfumato.losses import loss_named, summarize
from sfumato.statements import Statement
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True)
class Combination:
    """One subset of the QIDs: its classes, the smallest of them, and the largest and mean losses."""

    attributes: tuple[str, ...]
    classes: int
    smallest_class: int
    distribution_max: float
    distribution_people_mean: float
    entropy_max: float
    entropy_people_mean: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """How much the mean distribution loss falls when one attribute is withheld."""

    attribute: str
    share: float


def every_combination(
    counts: FrequencySet, attribute: Attribute, prior: Prior, statements: Sequence[Statement] = ()
) -> list[Combination]:
    """Every non-empty subset of the QIDs, those that give away most first. A statement counts where all the QIDs it names are known."""
    names = counts.node.attributes
    subsets = (subset for size in range(1, len(names) + 1) for subset in combinations(names, size))
    measured = [
        _measured(counts.project(subset), attribute, prior, [each for each in statements if set(each.when) <= set(subset)])
        for subset in subsets
    ]
    return sorted(measured, key=lambda each: (-each.distribution_max, -each.distribution_people_mean, each.attributes))


def _measured(counts: FrequencySet, attribute: Attribute, prior: Prior, statements: Sequence[Statement]) -> Combination:
    statistics = statistics_of(counts, attribute, prior, statements)
    distribution = summarize(loss_named("distribution").of(statistics), counts.people)
    entropy = summarize(loss_named("entropy").of(statistics), counts.people)
    return Combination(
        attributes=counts.node.attributes,
        classes=counts.classes,
        smallest_class=int(counts.people.min()),
        distribution_max=distribution.max,
        distribution_people_mean=distribution.people_mean,
        entropy_max=entropy.max,
        entropy_people_mean=entropy.people_mean,
    )


def contributions(subsets: Sequence[Combination]) -> list[Contribution]:
    """Per attribute, the fall of the mean distribution loss when it alone is withheld, largest first."""
    by_names = {frozenset(each.attributes): each.distribution_people_mean for each in subsets}
    everything = max(by_names, key=len)
    shares = [
        Contribution(name, by_names[everything] - by_names.get(everything - {name}, 0.0))
        for name in sorted(
            everything, key=next(each for each in subsets if frozenset(each.attributes) == everything).attributes.index
        )
    ]
    return sorted(shares, key=lambda share: -share.share)
