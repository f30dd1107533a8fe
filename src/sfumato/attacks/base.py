"""What an attack is, and what came of it.

An attacker has targets, makes claims about some of them, and is right about some of these. The *rate* is the share of all
targets about whom a claim is made and right. The *baseline* is the rate of the same attacker, with the same rule for making
claims, without the release. An attack is *stopped* if the interval of its rate does not lie above the baseline
(docs/decisions/0040), and that is *not shown* if the attacker sees too few of the targets (0045). Where the baseline is
measured too, on people outside the release, the interval of the difference decides. Results name classes and rows of the
release by their numbers, never a value of a record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sfumato.intervals import LEVEL, wilson
from sfumato.models.parameter import validated, written
from sfumato.statistics import TOLERANCE

if TYPE_CHECKING:
    from sfumato.attacks.view import View

LEAST_VISIBLE = 0.9  # an attacker who sees fewer of the targets than this is blind: to be stopped then shows nothing
STOPPED, THROUGH, NOT_SHOWN, NOT_APPLICABLE = "stopped", "gets through", "not shown", "not applicable"
_NO_FIGURES: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack on one release.

    `tries` targets; `hits` of them a right claim, in expectation where the attacker chooses among equals; `interval` at the level
    0.95. `control` is how many people outside the release the baseline was measured on; None where it was computed. `classes` are the
    numbers of the classes on which it succeeds, `rows` how many published rows these have, `positions` the first of them, from 1.
    `figures` are further numbers that belong to it. `visible` is the share of the targets whom the attacker finds in some class: where
    values were changed, one who matches labels is blind for the others. Where it could not be tried, `reason` says why.
    """

    attack: str
    threat: str
    about: str | None = None
    tries: int = 0
    hits: float = 0.0
    baseline: float = 0.0
    control: int | None = None
    unit: str = "people of the original"
    classes: tuple[int, ...] = ()
    rows: int = 0
    positions: tuple[int, ...] = ()
    figures: Mapping[str, float] = field(default_factory=lambda: _NO_FIGURES)
    visible: float = 1.0
    remark: str | None = None
    reason: str | None = None

    @property
    def rate(self) -> float:
        return self.hits / self.tries if self.tries else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.tries)

    @property
    def tried(self) -> bool:
        """Whether it could be tried."""
        return self.reason is None

    @property
    def blind(self) -> bool:
        """Whether the attacker sees too few of the targets for a failure to mean anything."""
        return self.visible < LEAST_VISIBLE - TOLERANCE

    @property
    def stopped(self) -> bool | None:
        """Whether the interval does not lie above the baseline; None where nothing was tried, or a blind attacker failed."""
        through = self._lead > TOLERANCE
        return None if not self.tried or (self.blind and not through) else not through

    @property
    def _lead(self) -> float:
        """By how much the rate is above the baseline at least: the score interval of a difference (Newcombe 1998), which is that of the
        rate itself if the baseline was computed."""
        low, high = self.rate - self.interval[0], 0.0
        if self.control is not None:
            high = wilson(self.baseline * self.control, self.control)[1] - self.baseline
        return self.rate - self.baseline - sqrt(low * low + high * high)

    @property
    def outcome(self) -> str:
        return {None: NOT_SHOWN if self.tried else NOT_APPLICABLE, True: STOPPED, False: THROUGH}[self.stopped]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        head = {"attack": self.attack, "threat": self.threat, "sensitive": self.about, "outcome": self.outcome}
        if self.reason:
            return {**head, "reason": self.reason}
        low, high = self.interval
        numbers = {"tries": self.tries, "hits": self.hits, "rate": self.rate, "low": low, "high": high, "level": LEVEL}
        found = {"classes": list(self.classes), "rows": self.rows, "positions": list(self.positions)}
        more = {"figures": dict(self.figures), "seen": self.visible, "remark": self.remark}
        return {**head, **numbers, "baseline": self.baseline, "control": self.control, "unit": self.unit, **found, **more}


def better(attempts: Sequence[Attempt]) -> Attempt:
    """Of several ways to try the same, the one that is furthest above its baseline; of equals the first."""
    return max(attempts, key=lambda each: each.rate - each.baseline)


class NotApplicable(Exception):
    """An attack cannot be tried here: what it lacks."""


def about_each(attack: Attack, names: Iterable[str], run: Callable[[str], Attempt]) -> list[Attempt]:
    """An attempt per sensitive attribute, with what is lacking where it cannot be tried; refuses if it cannot be tried on any."""
    attempts, lacking = [], None
    for name in names:
        try:
            attempts.append(run(name))
        except NotApplicable as error:
            lacking = error
            attempts.append(Attempt(str(attack), attack.threat, name, reason=str(error)))
    if lacking is not None and all(each.reason for each in attempts):
        raise lacking
    return attempts


class Attack(ABC):
    """An attack with its parameters: a frozen dataclass whose fields are written, in order, after its name.

    `threat` is the letter of the lecture's Table 2.1: R record, A attribute, T table linkage, P probabilistic.
    """

    __slots__ = ()

    name: ClassVar[str]
    threat: ClassVar[str]

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, declared.name, validated(declared, getattr(self, declared.name), f"attack {self.name}"))

    def effort(self, view: View) -> int:
        """About how many values of people and of classes it compares, where that may take long."""
        return 0

    @abstractmethod
    def run(self, view: View) -> Iterable[Attempt]:
        """Try it: one attempt, or one per sensitive attribute. Raises `NotApplicable` where it cannot be tried."""

    def __str__(self) -> str:
        """NAME:PARAMETERS; parameters at their default are omitted at the end, but not a word that comes first: it says which scenario."""
        given = [(getattr(self, each.name), each.default) for each in fields(self)]  # type: ignore[arg-type]
        while given and given[-1][0] == given[-1][1] and not (len(given) == 1 and isinstance(given[0][0], str)):
            given.pop()
        texts = [value if isinstance(value, str) else written(value) for value, _ in given]
        return f"{self.name}:{','.join(texts)}" if texts else self.name
