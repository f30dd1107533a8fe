"""What can someone learn who knows only some of the published QIDs? Every subset, measured."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sfumato.beliefs import Prior, statistics_of
from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.losses import loss_named, summarize
from sfumato.progress import Progress
from sfumato.question.priors import Priors
from sfumato.search.cost import labels_of, minutes, seconds_for_subsets
from sfumato.statements import Statement
from sfumato.vocabulary.schema import Attribute

MOST_SUBSETS = 1_000_000
MOST_SECONDS = 600


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


@dataclass(frozen=True, slots=True)
class Combinations:
    """The subsets that were measured, per sensitive attribute, those that give away most first; `complete` if these are all."""

    of: Mapping[str, tuple[Combination, ...]]
    complete: bool


def every_combination(
    counts: FrequencySet,
    attributes: Sequence[Attribute],
    priors: Priors,
    *,
    progress: Progress | None = None,
    time_limit: float | None = None,
) -> Combinations:
    """Every non-empty subset of the QIDs. A stated belief counts where all the QIDs it names are known.

    When the time is up, those that were measured until then, the set of all QIDs at least.
    """
    found: dict[str, list[Combination]] = {each.name: [] for each in attributes}
    counts = replace(counts, payloads=MappingProxyType({name: counts.payloads[name] for name in found}))
    total, done = 2 ** len(counts.node.attributes) - 1, 0
    ends = None if time_limit is None else time.monotonic() + time_limit
    for done, known in enumerate(projections(counts), start=1):
        for each in attributes:
            found[each.name].append(_measured(known, each, priors.of[each.name], priors.statements.get(each.name, ())))
        if progress:
            progress(done, total)
        if ends is not None and time.monotonic() > ends:
            break
    return Combinations({name: _most_first(some) for name, some in found.items()}, done == total)


def projections(counts: FrequencySet) -> Iterator[FrequencySet]:
    """The view of each non-empty subset of the QIDs, once, starting with all of them.

    Each is projected from one that has a QID more, which has fewer cells than the whole: QIDs leave depth first, those of most values
    before the others. So only one set of each size is held at a time.
    """
    names = counts.node.attributes
    leaving = [name for _, name in sorted(zip(labels_of(counts), names, strict=True), reverse=True)]
    return _without(counts.project(names), leaving)


def _without(counts: FrequencySet, leaving: Sequence[str]) -> Iterator[FrequencySet]:
    """A view, and those of its subsets that lack only QIDs of a list."""
    yield counts
    names = counts.node.attributes
    for place, name in enumerate(leaving if len(names) > 1 else ()):
        yield from _without(counts.project([each for each in names if each != name]), leaving[place + 1 :])


def require_few(qids: int, *, chosen: bool) -> None:
    """Refuse more subsets than are measured without a time limit. `chosen`: whether fewer QIDs can be named, as not of a release."""
    if 2**qids - 1 > MOST_SUBSETS:
        raise _too_many(f"{qids} QIDs have {2**qids - 1:,} subsets, more than the {MOST_SUBSETS:,} that are measured", chosen)


def require_quick(counts: FrequencySet, attributes: int, *, chosen: bool) -> None:
    """Refuse also subsets that would take very long to measure for so many sensitive attributes."""
    qids = len(counts.node.attributes)
    require_few(qids, chosen=chosen)
    seconds = seconds_for_subsets(counts, attributes)
    if seconds > MOST_SECONDS:
        raise _too_many(f"the {2**qids - 1:,} subsets of {qids} QIDs would take {minutes(seconds)}", chosen)


def _too_many(what: str, chosen: bool) -> UsageError:
    fewer = f"name fewer QIDs ({argument('quasi')}), or " if chosen else ""
    seconds = f"say how many seconds this may take ({argument('time_limit')})"
    return UsageError(f"{what}; {fewer}{seconds}", where=argument("combinations"))


def _most_first(measured: Sequence[Combination]) -> tuple[Combination, ...]:
    return tuple(sorted(measured, key=lambda each: (-each.distribution_max, -each.distribution_people_mean, each.attributes)))


def _measured(counts: FrequencySet, attribute: Attribute, prior: Prior, statements: Sequence[Statement]) -> Combination:
    stated = [each for each in statements if set(each.when) <= set(counts.node.attributes)]
    statistics = statistics_of(counts, attribute, prior, stated)
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
    """Per attribute, the fall of the mean distribution loss when it alone is withheld, largest first. All subsets must be there."""
    by_names = {frozenset(each.attributes): each.distribution_people_mean for each in subsets}
    everything = max(by_names, key=len)
    shares = [
        Contribution(name, by_names[everything] - by_names.get(everything - {name}, 0.0))
        for name in sorted(
            everything, key=next(each for each in subsets if frozenset(each.attributes) == everything).attributes.index
        )
    ]
    return sorted(shares, key=lambda share: -share.share)
