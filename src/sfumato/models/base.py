"""What a privacy model is, what it judges, and its verdict.

A model reads class statistics and gives a verdict: a value, whether it must be at least or at most a threshold, whether it is, and a
witness class. Real numbers are compared with a tolerance of 1e-9, counts exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet, Mask
from sfumato.models.context import Context
from sfumato.models.curable import Curable, by_tangent, within_caps
from sfumato.models.parameter import WithParameters
from sfumato.statistics import TOLERANCE as TOLERANCE
from sfumato.statistics import ClassStatistics, Floats
from sfumato.vocabulary.group import Group

_DIGITS = 1e-6
AT_LEAST, AT_MOST = "at_least", "at_most"
NO_PEOPLE = "the release has no people"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a model judges: the kept classes, the statistics of the sensitive attribute, and the context."""

    counts: FrequencySet
    statistics: ClassStatistics | None
    context: Context = field(default_factory=Context)

    def inside(self, group: Group) -> Mask:
        """Which classes may have people of a group."""
        return np.asarray(self.context.membership(self.counts, group), bool)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One condition that every class must satisfy, or every class `inside`: its value in each class, and the side of a threshold on
    which it must lie.

    The other fields describe whether splitting can cure a violating class, which decides what a search with suppression may prune.
    `hereditary`: every part of a violating class also violates the condition. `curable`: of marked classes that violate it, the largest
    share of the people who can be in parts that do not, however the class is split (see `models.curable`), 0 only if no class with the
    same values or fewer satisfies it; None if nothing is known.
    """

    values: npt.NDArray[Any]
    threshold: float | int
    direction: str
    strict: bool = False
    hereditary: bool = False
    curable: Curable | None = None
    inside: Mask | None = None

    def broken(self) -> Mask:
        """Which classes violate the condition; counts are compared exactly, other numbers with the tolerance."""
        broken = ~self.satisfied_by(self.values)
        return broken if self.inside is None else broken & self.inside

    def badness(self) -> Floats:
        """How bad each class is: larger is worse, and a class that the condition does not apply to is best."""
        worse = -1.0 * self.values if self.direction == AT_LEAST else 1.0 * self.values
        return worse if self.inside is None else np.where(self.inside, worse, -inf)

    def satisfied_by(self, values: npt.NDArray[Any]) -> Mask:
        """Which values lie on the right side of the threshold."""
        exact = isinstance(self.threshold, int) and self.values.dtype.kind in "iu"
        slack = 0 if exact else TOLERANCE
        if self.direction == AT_LEAST:
            return np.asarray(values >= self.threshold - slack)
        return np.asarray(values < self.threshold - slack if self.strict else values <= self.threshold + slack)

    def incurable(self, people: npt.NDArray[np.int64], *, overlapping: bool = False) -> Floats:
        """The least number of people of each class who are in violating classes, however it is split.

        `overlapping`: people may be in several parts, so that shares of parts do not add up. What is true of every part still counts.
        """
        least = np.zeros(len(people))
        broken = self.broken()
        if self.hereditary:
            least[broken] = people[broken]
        elif self.curable is not None and broken.any():
            share = np.clip(self.curable(broken), 0, 1)
            # Whole people stay; shares are sums of many numbers, of which the last digits are not trusted.
            staying = np.where(share > 0, people[broken], 0) if overlapping else share * people[broken] * (1 + _DIGITS) + _DIGITS
            least[broken] = people[broken] - np.minimum(np.floor(staying), people[broken])
        return least


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a model. `witness` is the number of the deciding class, with its size; None for the table as a whole."""

    model: str
    value: float | int | None
    direction: str
    threshold: float | int
    satisfied: bool | None
    witness: int | None = None
    witness_size: int | None = None
    reason: str | None = None
    sensitive: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        answer: dict[str, Any] = {
            "model": self.model,
            "value": self.value,
            "direction": self.direction,
            "threshold": self.threshold,
            "satisfied": "not_applicable" if self.satisfied is None else self.satisfied,
            "witness": None if self.witness is None else {"class": self.witness, "size": self.witness_size},
        }
        return answer | {name: text for name, text in (("reason", self.reason), ("sensitive", self.sensitive)) if text}


class PrivacyModel(WithParameters):
    """A model with its parameters: a frozen dataclass whose fields are given, in order, on the command line.

    Every field is checked when a model is made, by its metadata (see `models.parameter`), in Python and from text alike.
    `stops` lists the attacks that it claims to stop (R record, A attribute, T table linkage, P probabilistic).
    `monotone`: if a node satisfies it, so does every node above, where its value is never worse, provided that a row is a person and
    the prior is that of the table. `monotone_with_owners`: also when a person may have several rows. Then people do not add up when
    classes merge: two classes with counts (2, 2) may have the same two people under one value and four under the other, (2, 4)
    together, so a share may leave the range of the shares it was merged from. A share of people may, too: of people 1, 2, 3 the first
    has a value, of people 2, 3, 4 the last; of all four, half. Never prune on a model without the matching flag.
    `compared`: the parameter that the value is only compared with, if there is one. The value does not depend on it, so one that is
    known answers for every other threshold.
    `beyond_classes`: it may be violated although every class satisfies its parts.
    """

    __slots__ = ()

    stops: ClassVar[str]
    monotone: ClassVar[bool]
    monotone_with_owners: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True
    compared: ClassVar[str | None] = None
    beyond_classes: ClassVar[bool] = False

    @property
    def core(self) -> PrivacyModel:
        """The model itself, without the group of classes that it is limited to."""
        return self

    @property
    def classwise(self) -> bool:
        """Whether it judges each class by itself, so that it can be limited to some classes."""
        return type(self).parts is not PrivacyModel.parts

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it counts besides the QIDs and the sensitive attributes."""
        return ()

    @property
    def smallest_class(self) -> int | None:
        """The least number of people in every class where the model is satisfied; None if it guarantees no number."""
        return None

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        """What every class must satisfy; empty for a model of the table as a whole, which has its own `judge`."""
        return ()

    def judge(self, judged: Judged) -> Verdict:
        """Judge a release: the first violated part decides, else the first part."""
        verdicts = [worst_class(self, judged, part) for part in self.parts(judged)]
        return next((verdict for verdict in verdicts if verdict.satisfied is False), verdicts[0])


def statistics_of(judged: Judged) -> ClassStatistics:
    """The statistics of the sensitive attribute that a model needs."""
    if judged.statistics is None:
        raise UsageError("this model judges a sensitive attribute; there is none here", where=argument("models"))
    return judged.statistics


def numeric_statistics_of(model: PrivacyModel, judged: Judged) -> ClassStatistics:
    """The statistics of a numeric sensitive attribute."""
    statistics = statistics_of(judged)
    if statistics.domain.numbers is None:
        raise UsageError(
            f"{model.name} judges numbers; {statistics.domain.attribute!r} holds none ({argument('sensitive')} names another)",
            where=argument("models"),
        )
    return statistics


def within(value: float, threshold: float, direction: str) -> bool:
    """Whether a value lies on the right side of a threshold; counts are compared exactly, other numbers with the tolerance."""
    exact = isinstance(value, int) and isinstance(threshold, int)
    slack = 0 if exact else TOLERANCE
    return value >= threshold - slack if direction == AT_LEAST else value <= threshold + slack


def not_applicable(model: PrivacyModel, threshold: float | int, direction: str, reason: str) -> Verdict:
    """The verdict of a model that lacks the data it needs."""
    return Verdict(str(model), None, direction, threshold, None, reason=reason)


def at_most(values: npt.NDArray[Any], threshold: float, curable: Curable | None = None) -> Part:
    """An upper bound."""
    return Part(values, threshold, AT_MOST, curable=curable)


def below_tangent(values: Floats, threshold: float, most: Callable[[Mask], Floats]) -> Curable:
    """Who is cured where a convex function of the shares is too large, whose tangent at the class's own takes no value above `most`."""
    return lambda marked: by_tangent(values[marked] - threshold, most(marked) - threshold)


def at_least(values: npt.NDArray[Any], threshold: float | int) -> Part:
    """A lower bound on a number that never grows when a class is split, such as its people or its distinct values."""
    return Part(values, threshold, AT_LEAST, hereditary=True)


def share_of_people(statistics: ClassStatistics, people: npt.NDArray[np.int64]) -> Floats:
    """Some people of each class as a share of all people in it.

    A distribution counts pairs of a person and a value, and where people have several values its shares are smaller than these: six
    people who all have HIV and two other diagnoses each have HIV at 1, not at 1/3.
    """
    return np.asarray(people / statistics.sizes, np.float64)


def top_share(statistics: ClassStatistics, most: float) -> Part:
    """An upper bound on the share of the people who have the most frequent sensitive value."""
    shares = share_of_people(statistics, statistics.column("top"))
    return at_most(shares, most, within_caps(statistics, np.full(statistics.domain.size, most)))


def worst_class(model: PrivacyModel, judged: Judged, part: Part) -> Verdict:
    """The verdict of one part: the worst class decides. Without classes it is not applicable."""
    values = part.values
    if not len(values):
        return not_applicable(model, part.threshold, part.direction, NO_PEOPLE)
    sensitive = judged.statistics.domain.attribute if model.needs_sensitive and judged.statistics else None
    if part.inside is not None and not part.inside.any():
        reason = "no class can hold people of the group"
        return Verdict(str(model), None, part.direction, part.threshold, True, reason=reason, sensitive=sensitive)
    place = int(part.badness().argmax())
    value = values[place].item()
    finite = bool(np.isfinite(value))
    return Verdict(
        model=str(model),
        value=value if finite else None,
        direction=part.direction,
        threshold=part.threshold,
        satisfied=bool(part.satisfied_by(values[place])),
        witness=place + 1,
        witness_size=int(judged.counts.people[place]),
        reason=None if finite else "the value is infinite",
        sensitive=sensitive,
    )
