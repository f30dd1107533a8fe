"""What was tried on a release, and what came of it: claimed against observed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sfumato.attacks.base import NOT_APPLICABLE, Attempt
from sfumato.intervals import LEVEL
from sfumato.models import Verdict, model_of
from sfumato.models.about import ATTACKS as THREATS
from sfumato.results import Printed, Rows

HEADS = ("attack", "threat", "about", "rate", "low", "high", "baseline", "outcome", "claimed by")


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed of one kind of attack: how many were tried, which get through, and of which nothing is shown, because the attacker
    was blind."""

    tried: int
    through: tuple[str, ...]
    not_shown: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.tried:
            return "not tried"
        blind = f", {len(self.not_shown)} not shown" if self.not_shown else ""
        if self.through:
            return f"{len(self.through)} of {self.tried} through{blind}"
        return f"{self.tried - len(self.not_shown)} of {self.tried} stopped{blind}" if blind else f"all {self.tried} stopped"


@dataclass(frozen=True, slots=True)
class Read:
    """How the attacker reads the release: by the `method` that changed `columns`; by nearest rows where columns were changed and nobody
    says how; or by labels, as a `naive` one does in any case. `drawn` is the share of the people who were looked at."""

    method: str | None = None
    columns: tuple[str, ...] = ()
    naive: bool = False
    drawn: float = 1.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A satisfied model, and for each threat that it claims to stop, a tick of the lecture's Table 2.1, what was observed."""

    model: str
    observed: dict[str, Observed]


@dataclass(frozen=True, slots=True)
class Attacked(Printed):
    """All attempts on a release, by an attacker who holds some columns, and the verdicts of the models that were judged on it.

    `unfit` is how many people of the original fit the labels of no class although they were not left out; `read` is how the attacker reads
    the release.
    """

    path: Path | None
    attempts: tuple[Attempt, ...]
    verdicts: tuple[Verdict, ...]
    held: tuple[str, ...]
    attacker: str | None
    classes: int
    rows: int
    people: int
    seed: int
    unfit: int = 0
    read: Read = field(default_factory=Read)

    @property
    def remark(self) -> str | None:
        """How the release was read, where values were changed, and whom that misses; None if labels were taken for what they say."""
        lines = [*self._reading_lines(), *self._sampled()]
        return "; ".join(lines) or None

    def _reading_lines(self) -> list[str]:
        changed, missed = ", ".join(self.read.columns), f"{self.unfit:,} of {self.people:,} people fit the labels of no class"
        if self.read.naive or not changed:
            return [f"{missed}: attacks that match labels do not see them, and show nothing about them"] if self.unfit else []
        if self.read.method is None:
            return [f"{missed}: values were changed, or labels are not understood, so the attacker takes the nearest rows"]
        return [f"the attacker knows that {self.read.method} changed {changed}, and looks for rows accordingly"]

    def _sampled(self) -> list[str]:
        if self.read.drawn >= 1:
            return []
        return [f"{self.read.drawn:.2%} of the people were drawn at random: to compare all of them would take too long"]

    @property
    def through(self) -> tuple[Attempt, ...]:
        """The attempts that get through."""
        return tuple(each for each in self.attempts if each.stopped is False)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the satisfied models claim to stop, and what was observed."""
        return tuple(Claim(name, {t: self._observed(t) for t in stops_of(name)}) for name in self._satisfied())

    def claimed_by(self, threat: str) -> tuple[str, ...]:
        """The satisfied models that claim to stop attacks of a kind."""
        return tuple(name for name in self._satisfied() if threat in stops_of(name))

    def _satisfied(self) -> tuple[str, ...]:
        """The models that hold for every sensitive attribute that they were judged on."""
        names = dict.fromkeys(each.model for each in self.verdicts)
        return tuple(n for n in names if all(each.satisfied is True for each in self.verdicts if each.model == n))

    def _observed(self, threat: str) -> Observed:
        tried = [each for each in self.attempts if each.threat == threat and each.tried]
        through = tuple(each.attack for each in tried if each.stopped is False)
        return Observed(len(tried), through, tuple(each.attack for each in tried if each.stopped is None))

    def table(self) -> Rows:
        """One row per attempt."""
        return Rows(HEADS, tuple(self._row(each) for each in self.attempts))

    def _row(self, each: Attempt) -> tuple[Any, ...]:
        if each.outcome == NOT_APPLICABLE:
            return each.attack, each.threat, each.about, None, None, None, None, each.outcome, each.reason
        numbers = (each.rate, *each.interval, each.baseline)
        return each.attack, each.threat, each.about, *numbers, each.outcome, ", ".join(self.claimed_by(each.threat))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        size = {"classes": self.classes, "rows": self.rows, "people": self.people, "unfit": self.unfit}
        return {
            "file": str(self.path) if self.path else None,
            "attacker": self.attacker,
            "held": list(self.held),
            **size,
            "read": asdict(self.read),
            "remark": self.remark,
            "level": LEVEL,
            "seed": self.seed,
            "threats": dict(THREATS),
            "attempts": [{**each.as_dict(), "claimed_by": list(self.claimed_by(each.threat))} for each in self.attempts],
            "claims": [{"model": c.model, "observed": {t: asdict(o) for t, o in c.observed.items()}} for c in self.claims],
            "models": [each.as_dict() for each in self.verdicts],
        }


def stops_of(model: str) -> tuple[str, ...]:
    """The threats that a model claims to stop, as it says itself. One for a group claims it for the group only, which no attack is
    limited to."""
    return tuple(threat for threat in type(model_of(model)).stops.split(",") if threat)
