"""Which releases break a model together, and for how many people.

People are grouped by their classes in the releases of a coalition. That is what somebody learns who has them all and can tell which rows
are one person's; without that, nobody learns more. Where a model is monotone, all releases together are the worst coalition; where it is
not, such as with a bound on the entropy loss, every coalition is judged. Single releases are not: each has kept its own promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from sfumato.beliefs import statistics_of
from sfumato.errors import BadInput, UsageError, argument
from sfumato.frequency import FrequencySet, Mask
from sfumato.models import Judged, PrivacyModel, models_of
from sfumato.models.base import AT_LEAST, Verdict
from sfumato.sequence.joint import Joint
from sfumato.statistics import ClassStatistics

MOST_RELEASES = 12  # of which every coalition is judged
PROMISED = "promised"


@dataclass(frozen=True, slots=True)
class Broken:
    """A model that a coalition of releases breaks: which releases, how many people are in violating classes, and the worst value."""

    model: str
    sensitive: str | None
    releases: tuple[str, ...]
    people: int
    value: float | int | None
    threshold: float | int
    direction: str

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "model": self.model,
            "sensitive": self.sensitive,
            "releases": list(self.releases),
            "people": self.people,
            "value": self.value,
            "threshold": self.threshold,
            "direction": self.direction,
        }

    def line(self) -> str:
        """In words."""
        sign = "at least" if self.direction == AT_LEAST else "at most"
        value = "it is infinite" if self.value is None else f"it is {self.value:.6g}"
        of = f" of {self.sensitive}" if self.sensitive else ""
        harmed = "1 person" if self.people == 1 else f"{self.people:,} people"
        *most, last = self.releases
        together = f"releases {', '.join(most)} and {last} together break" if most else f"release {last} breaks"
        return f"{together} {self.model}{of} for {harmed} ({value}, and must be {sign} {self.threshold:.6g})"


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A model, and the releases that must keep it: all, or those of coalitions with a release that promises it. `about` has the releases
    that promise it about each sensitive attribute; without it, all attributes are judged."""

    model: PrivacyModel
    promised_by: frozenset[int] | None = None
    about: Mapping[str, frozenset[int]] | None = None

    def applies(self, places: Sequence[int]) -> bool:
        """Whether a coalition must keep it."""
        return self.promised_by is None or not self.promised_by.isdisjoint(places)

    def attributes(self, places: Sequence[int], known: Iterable[str]) -> list[str]:
        """The sensitive attributes for which a coalition must keep it."""
        return [name for name in known if self.about is None or not self.about.get(name, frozenset()).isdisjoint(places)]


def bounds_of(joint: Joint, together: Sequence[str]) -> tuple[list[Bound], list[str]]:
    """What must be kept, and which promises cannot be judged. `promised`: what any release of a coalition promises."""
    stated = [each for each in together if each != PROMISED]
    bounds = [Bound(_judgeable(text)) for text in dict.fromkeys(stated)]
    if PROMISED not in together:
        return bounds, []
    promised: dict[str, set[int]] = {}
    for place, member in enumerate(joint.members):
        for text in member.models:
            promised.setdefault(text, set()).add(place)
    unjudged = []
    for text, places in promised.items():
        if text in stated:
            continue
        try:
            model = _judgeable(text)
        except BadInput:
            unjudged.append(text)
            continue
        if model.needs_sensitive and any(joint.members[place].beliefs for place in places):
            unjudged.append(text)  # it is kept by what somebody believes who is not the attacker here
            continue
        bounds.append(Bound(model, frozenset(places), _about(joint, text, places)))
    return bounds, unjudged


def _about(joint: Joint, text: str, places: set[int]) -> dict[str, frozenset[int]]:
    """Which releases promise a model about which sensitive attribute: all, where that is not known."""
    named = {place: joint.members[place].about.get(text, tuple(joint.priors)) for place in places}
    return {name: frozenset(place for place, names in named.items() if name in names) for name in joint.priors}


def _judgeable(text: str) -> PrivacyModel:
    """A model that can be judged on people grouped by classes of several releases."""
    try:
        (model,) = models_of(text)
    except UsageError as error:
        raise UsageError(error.message, where=argument("together")) from None
    if model.core is not model or model.columns or not model.classwise or model.beyond_classes:
        raise UsageError(
            f"{model} cannot be judged on several releases together: name a model of classes, such as k-anonymity:5 or "
            "distribution-loss:0.5",
            where=argument("together"),
        )
    return model


def broken_bounds(
    joint: Joint,
    bounds: Sequence[Bound],
    *,
    having: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    every: bool = True,
) -> list[Broken]:
    """The bounds that are broken, each with a smallest coalition that breaks it. `having`: only coalitions with this release. `every`:
    refuse more releases than every coalition can be judged of; otherwise pairs and all of them together are judged then."""
    places = range(len(joint.members))
    if len(places) < 2:
        return []
    everybody = Judge(joint, tuple(places))
    monotone = [bound for bound in bounds if joint.is_monotone(bound.model)]
    failing = [bound for bound in monotone if bound.applies(places) and everybody.broken(bound)]
    wanted = failing + [bound for bound in bounds if not joint.is_monotone(bound.model)]
    if every:
        _require_few(joint, wanted)
    return _smallest(joint, wanted, everybody, having, progress) if wanted else []


def _smallest(
    joint: Joint, wanted: list[Bound], everybody: Judge, having: int | None, progress: Callable[[int, int], None] | None
) -> list[Broken]:
    """For each bound a smallest coalition that breaks it, and among these the one that harms the most people."""
    coalitions = list(_coalitions(len(joint.members), having))
    worst: list[Broken | None] = [None] * len(wanted)
    for done, places in enumerate(coalitions):
        judge = Judge(joint, places)
        for number, bound in enumerate(wanted):
            before = worst[number]
            if bound.applies(places) and (before is None or len(before.releases) == len(places)):
                worst[number] = _worse(before, judge.broken(bound))
        if progress:
            progress(done + 1, len(coalitions))
    last = [found or _needed(joint, bound, everybody, having) for found, bound in zip(worst, wanted, strict=True)]
    return [found for found in last if found is not None]


def _needed(joint: Joint, bound: Bound, everybody: Judge, having: int | None) -> Broken | None:
    """Where too many coalitions were not tried: the releases without any of which the model would be kept. All, if it is not monotone."""
    found = everybody.broken(bound)
    if found is None or not joint.is_monotone(bound.model):
        return found
    left = list(range(len(joint.members)))
    for place in left.copy():
        fewer = tuple(each for each in left if each != place)
        if place != having and bound.applies(fewer) and (less := Judge(joint, fewer).broken(bound)):
            left, found = list(fewer), less
    return found


def _require_few(joint: Joint, wanted: Sequence[Bound]) -> None:
    if len(joint.members) > MOST_RELEASES and not all(joint.is_monotone(bound.model) for bound in wanted):
        raise UsageError(
            f"a model that is not monotone needs every coalition of releases, and of more than {MOST_RELEASES} there are too many; "
            f"choose some with {argument('only')}, or a monotone model",
            where=argument("together"),
        )


def _worse(one: Broken | None, other: Broken | None) -> Broken | None:
    """The one that harms more people."""
    return max((each for each in (one, other) if each is not None), key=lambda each: each.people, default=None)


def _coalitions(count: int, having: int | None) -> Iterator[tuple[int, ...]]:
    """All coalitions of at least two releases, small ones first."""
    for size in range(2, count + 1 if count <= MOST_RELEASES else 3):
        for places in combinations(range(count), size):
            if having is None or having in places:
                yield places


class Judge:
    """A coalition, grouped once for all models."""

    def __init__(self, joint: Joint, places: tuple[int, ...]) -> None:
        self._joint, self._places = joint, places
        self._counts: FrequencySet | None = None
        self._published: list[tuple[str, Mask, FrequencySet]] | None = None
        self._statistics: dict[str, list[ClassStatistics]] = {}

    @property
    def counts(self) -> FrequencySet:
        if self._counts is None:
            self._counts = self._joint.coalition(self._places, starred=False)  # nothing is promised to who was suppressed
        return self._counts

    def broken(self, bound: Bound) -> Broken | None:
        """What a model says if it is broken, about the sensitive attribute for which that harms the most people."""
        if not self.counts.classes:
            return None
        names = bound.attributes(self._places, self._joint.priors) if bound.model.needs_sensitive else [None]
        found = [each for name in names if (each := self._about(bound.model, name)) is not None]
        return max(found, key=lambda each: each.people, default=None)

    def _judged(self, name: str | None) -> list[tuple[Mask, Judged]]:
        """Groups to judge, and which these are of all: those of each table, with its values, beside its own prior."""
        if name is None:
            return [(np.ones(self.counts.classes, bool), Judged(self.counts, None))]
        if self._published is None:
            self._published = list(self._joint.in_tables(self._places, starred=False))
        if name not in self._statistics:
            joint, attribute = self._joint, self._joint.schema[name]
            self._statistics[name] = [
                statistics_of(counts, attribute, joint.prior_in(table, name)) for table, _, counts in self._published
            ]
        both = zip(self._published, self._statistics[name], strict=True)
        return [(shown, Judged(counts, statistics)) for (_, shown, counts), statistics in both if counts.classes]

    def _about(self, model: PrivacyModel, name: str | None) -> Broken | None:
        harmed, verdicts = np.zeros(self.counts.classes, bool), []
        for shown, judged in self._judged(name):
            for part in model.parts(judged):
                harmed[np.flatnonzero(shown)[part.broken()]] = True
            verdicts.append(model.judge(judged))
        if unknown := [each for each in verdicts if each.satisfied is None]:
            raise UsageError(f"{model} cannot be judged here: {unknown[0].reason}", where=argument("together"))
        broken = [each for each in verdicts if not each.satisfied]
        if not broken:
            return None
        worst = max(broken, key=_badness)
        members = tuple(self._joint.names[place] for place in self._places)
        people = self.counts.keep(harmed).total_people
        return Broken(str(model), name, members, people, worst.value, worst.threshold, worst.direction)


def _badness(verdict: Verdict) -> float:
    """How far a verdict is on the wrong side; without a value it is infinite."""
    if verdict.value is None:
        return float("inf")
    return -verdict.value if verdict.direction == AT_LEAST else verdict.value
