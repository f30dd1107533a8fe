"""What was tried on a release, and what came of it: claimed against observed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.attacks.base import LEVEL, NOT_APPLICABLE, Attempt
from sfumato.models import Verdict, model_of
from sfumato.models.about import ATTACKS as THREATS
from sfumato.results import Printed, Rows

HEADS = ("attack", "threat", "about", "rate", "low", "high", "baseline", "outcome", "claimed by")


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed of one kind of attack: how many were tried, and which get through."""

    tried: int
    through: tuple[str, ...]

    def __str__(self) -> str:
        if not self.tried:
            return "not tried"
        return f"{len(self.through)} of {self.tried} through" if self.through else f"all {self.tried} stopped"


@dataclass(frozen=True, slots=True)
class Claim:
    """A satisfied model, and for each threat that it claims to stop, a tick of the lecture's Table 2.1, what was observed."""

    model: str
    observed: dict[str, Observed]


@dataclass(frozen=True, slots=True)
class Attacked(Printed):
    """All attempts on a release, by an attacker who holds some columns, and the verdicts of the models that were judged on it.

    `unfit` is how many people of the original fit no class of the release although they were not left out of it.
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

    @property
    def remark(self) -> str | None:
        """What a stopped attack does not show where values were changed; None if everybody fits a class."""
        if not self.unfit:
            return None
        return (
            f"{self.unfit:,} of {self.people:,} people fit no class: values were changed, or labels are not understood. Attacks that match "
            f"labels miss them, so a stopped one does not show that they are safe; inference and linkability look at nearest rows"
        )

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
        tried = [each for each in self.attempts if each.threat == threat and each.stopped is not None]
        return Observed(len(tried), tuple(each.attack for each in tried if not each.stopped))

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
