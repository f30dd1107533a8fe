"""What somebody's place in a graph gives away about an attribute: L_PD and L_PE, as for the classes of a table.

A class is everybody of whom the attacker knows the same; its posterior is how the attribute is distributed over the nodes of the release
that they may be, the prior how it is over everybody. Whoever fits no node of the release keeps the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from sfumato.errors import UsageError, argument, several
from sfumato.frequency import FrequencySet
from sfumato.graph.graph import Places
from sfumato.losses import LOSSES, Summary, summarize
from sfumato.models import Judged, Verdict, models_of
from sfumato.statistics import ClassStatistics, Domain, Held

# Models that judge classes by their people and values alone.
JUDGED = frozenset(
    "k-anonymity distinct-diversity probabilistic-diversity entropy-diversity recursive-diversity t-closeness distribution-loss "
    "entropy-loss privacy-loss delta-disclosure beta-likeness em-anonymity ke-anonymity".split()
)


@dataclass(frozen=True, eq=False)
class Attribute:
    """An attribute of the people of a graph: a code per node, and the values that the codes stand for, in order."""

    name: str
    codes: Places
    values: tuple[str, ...]

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> Attribute:
        """From a value per node."""
        distinct, codes = np.unique(np.array([str(each) for each in values], dtype=object), return_inverse=True)
        return cls(name, codes.ravel(), tuple(map(str, distinct)))

    @property
    def people(self) -> Places:
        """How many people have each value."""
        return np.bincount(self.codes, minlength=len(self.values))

    def moved(self, truth: Places) -> Attribute:
        """The attribute of the same people under new numbers."""
        codes = np.empty_like(self.codes)
        codes[truth] = self.codes
        return Attribute(self.name, codes, self.values)


@dataclass(frozen=True, slots=True)
class Leak:
    """What an attacker learns about an attribute: the two losses over all people, and how often the likeliest value is right without and
    with the release."""

    attribute: str
    distribution: Summary
    entropy: Summary
    before: float
    after: float

    def as_dict(self) -> dict[str, Any]:
        """For machines. The number of a class says nothing here."""
        losses = {
            name: {each: getattr(summary, each) for each in ("max", "min", "class_mean", "people_mean")}
            for name, summary in (("distribution", self.distribution), ("entropy", self.entropy))
        }
        return {"attribute": self.attribute, "losses": losses, "guess_before": self.before, "guess_after": self.after}


def statistics_of(classes: Places, candidates: Places, original: Attribute, published: Attribute) -> tuple[ClassStatistics, int]:
    """The statistics of the classes of the original for which the release has candidates, and how many people are in no such class.

    `classes` are those of the people of the original, `candidates` those of the nodes of the release, in the same numbers.
    """
    count = int(max(classes.max(initial=-1), candidates.max(initial=-1))) + 1
    people = np.bincount(classes, minlength=count)
    known = (people > 0) & (np.bincount(candidates, minlength=count) > 0)
    width = len(original.values)
    keys, cells = np.unique(candidates * np.int64(width) + published.codes, return_counts=True)
    kept = known[keys // width]
    place = np.cumsum(known) - 1
    of = place[keys[kept] // width]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(of, minlength=int(known.sum())))))
    domain = Domain(original.name, original.values, (np.zeros(width, np.int32),), ordered=False)
    prior = original.people / len(original.codes)
    held = Held(offsets, (keys[kept] % width).astype(np.int32), cells[kept])
    return ClassStatistics(people[known], held, np.atleast_2d(prior), domain), int(people[~known].sum())


def leak(classes: Places, candidates: Places, original: Attribute, published: Attribute) -> Leak:
    """What an attacker learns about an attribute who knows the class of everybody."""
    statistics, apart = statistics_of(classes, candidates, original, published)
    before = float(original.people.max() / len(original.codes))
    if not statistics.classes:
        nothing = Summary(0.0, 0.0, 0.0, 0.0, 0)
        return Leak(original.name, nothing, nothing, before, before)
    distribution, entropy = (
        summarize(LOSSES[name].of(statistics), statistics.sizes, suppressed=apart) for name in ("distribution", "entropy")
    )
    return Leak(original.name, distribution, entropy, before, _right(classes, candidates, original, published))


def _right(classes: Places, candidates: Places, original: Attribute, published: Attribute) -> float:
    """How often the most frequent value among the candidates, or among everybody if there is none, is the person's own. Of equally
    frequent values each is guessed equally often."""
    count, width = int(max(classes.max(initial=-1), candidates.max(initial=-1))) + 1, len(original.values)
    keys, cells = np.unique(candidates * np.int64(width) + published.codes, return_counts=True)
    most = np.zeros(count, np.int64)
    np.maximum.at(most, keys // width, cells)
    top = cells == most[keys // width]
    ties = np.bincount(keys[top] // width, minlength=count)
    own = classes * np.int64(width) + original.codes
    place = np.minimum(np.searchsorted(keys[top], own), max(int(top.sum()) - 1, 0))
    right = keys[top][place] == own
    everybody = original.people == original.people.max()
    fallback = everybody[original.codes] / everybody.sum()
    return float(np.where(ties[classes] > 0, right / np.maximum(ties[classes], 1), fallback).mean())


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """As much of the counts of a release as the models look at that are judged here."""

    people: Places


def judge(models: Any, classes: Places, attribute: Attribute | None) -> tuple[Verdict, ...]:
    """Judge the classes of people who look alike by models of tables, such as `k-anonymity:5`."""
    chosen = models_of(models)
    for model in chosen:
        if model.name not in JUDGED or model.core is not model:
            raise UsageError(f"{model} is not for graphs; choose among {', '.join(sorted(JUDGED))}", where=argument("models"))
        if model.needs_sensitive and attribute is None:
            raise UsageError(f"{model} judges an attribute; name the table of people", where=argument("people"))
    statistics = None if attribute is None else statistics_of(classes, classes, attribute, attribute)[0]
    judged = Judged(cast("FrequencySet", _Classes(np.bincount(classes))), statistics)
    return tuple(model.judge(judged) for model in chosen)


def require_as_many(attribute: Attribute | None, nodes: int) -> None:
    """Refuse an attribute of other people."""
    if attribute is not None and len(attribute.codes) != nodes:
        raise UsageError(
            f"{several(len(attribute.codes), 'value')} for {several(nodes, 'node')}; each node has one", where=argument("people")
        )
