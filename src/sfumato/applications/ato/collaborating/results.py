"""What came of a collaboration: what every owner finds alone and together, gives away, can learn of others, and is paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sfumato.applications.ato.collaborating.counting import Calendar
from sfumato.applications.ato.collaborating.giving import Given
from sfumato.applications.ato.collaborating.learning import Fewest
from sfumato.applications.ato.collaborating.others import QUESTIONS, Attacked
from sfumato.applications.ato.collaborating.protecting import Protection
from sfumato.applications.ato.collaborating.scoring import Score
from sfumato.applications.ato.collaborating.shapley import Shapley
from sfumato.results import Printed, Rows

WAYS = ("alone", "raw", "protected")


@dataclass(frozen=True, slots=True)
class Owner:
    """One owner: its people and sign-ins, what it finds in each way, what its raw counts would give away and its share does, its Shapley
    value and what it is paid."""

    number: int
    scores: Mapping[str, Score]
    raw: Given
    shared: Given
    value: float
    interval: tuple[float, float] | None
    payment: float

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        found = {way: score.as_dict() for way, score in self.scores.items()}
        gives = {"raw": self.raw.as_dict(), "shared": self.shared.as_dict()}
        return {"owner": self.number, **found, **gives, "value": self.value, "interval": self.interval, "payment": self.payment}


@dataclass(frozen=True, slots=True)
class Plan:
    """How the owners work together: by which keys, for how long a count is used, how it is protected, what is learned, what is paid, and
    for what."""

    level: str = "ip"
    period: int = 7
    days: int = 14
    protection: Protection = field(default_factory=Protection)
    detector: str = "mistakes"
    measure: str = "f1"
    pay: float = 100.0
    permutations: int = 200
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Collaborated(Printed):
    """What owners find alone, with each other's raw counts, and with their shares. `fewest` says for each owner how many people must fail
    at an address where none, one and ten get in, in each way (None: nothing is detected). `least` is the least count that is shared, and
    `private` what noise promises."""

    plan: Plan
    calendar: Calendar
    owners: tuple[Owner, ...]
    together: Mapping[str, Score]
    fewest: Mapping[str, Sequence[Fewest]]
    shapley: Shapley
    attacks: Mapping[str, Attacked]
    least: int
    private: Mapping[str, Any] | None
    allowed: int

    def table(self) -> Rows:
        """Precision and recall of every owner, and of all together, in each way."""
        names = [*(str(each.number) for each in self.owners), "all"]
        scores = [*(each.scores for each in self.owners), self.together]
        heads = ("owner", *(f"{what} {way}" for way in WAYS for what in ("precision", "recall")))
        cells = ([part.value for way in WAYS for part in (score[way].precision, score[way].recall)] for score in scores)
        return Rows(heads, tuple((name, *row) for name, row in zip(names, cells, strict=True)))

    def intervals(self) -> Rows:
        """All owners together, in each way, with intervals."""
        heads = (
            "",
            "precision",
            "low",
            "high",
            "recall",
            "low",
            "high",
            "F1",
            "alerts",
            "wrong, but tried elsewhere",
            "honest sign-ins in alerts",
            "campaigns met",
        )
        rows = []
        for way, score in self.together.items():
            shares = [end for share in (score.precision, score.recall) for end in (share.value, share.low, share.high)]
            rows.append(
                (
                    way,
                    *shares,
                    score.f1,
                    score.alerts,
                    score.elsewhere,
                    score.bothered,
                    f"{len(score.campaigns)} of {len(score.known)}",
                )
            )
        return Rows(heads, tuple(rows))

    def payments(self) -> Rows:
        """The Shapley value of every owner, and its payment."""
        ends = [each.interval or (None, None) for each in self.owners]
        rows = ((str(each.number), each.value, *end, each.payment) for each, end in zip(self.owners, ends, strict=True))
        return Rows(("owner", "Shapley value", "low", "high", "payment"), tuple(rows))

    def gives(self) -> Rows:
        """What shares tell of a person, compared with raw counts: cells, people, and the mean losses over people, and the largest."""
        heads = ("owner", "", "cells", "people", "mean ε", "mean α", "max ε", "max α")
        rows = [(str(each.number), name, *_given(given)) for each in self.owners for name, given in _both(each)]
        return Rows(heads, tuple(rows))

    def attempts(self) -> Rows:
        """What an owner learns about others."""
        heads = ("attack", "counts", "rate", "low", "high", "baseline", "targets", "outcome")
        rows = [
            (name, kind, each.rate, *each.interval, each.baseline, each.tries, each.outcome)
            for name, attack in self.attacks.items()
            for kind, each in (("raw", attack.raw), ("protected", attack.protected))
        ]
        return Rows(heads, tuple(rows))

    def warnings(self) -> tuple[str, ...]:
        """What deserves a second look."""
        found = []
        blind = [str(place + 1) for place, each in enumerate(self.fewest["raw"]) if each[0] is None]
        if not self.together["raw"].fraud:
            found.append("no sign-in of the later periods is fraudulent, by the truth: there is nothing to find")
        if blind:
            found.append(
                f"nothing can be detected by owner {', '.join(blind)}, not even with raw counts: no address that is known to be good is in "
                "its log, or mistakes explain everything"
            )
        if self.shapley.total <= 0:
            found.append("all owners together gain nothing from what is shared, so nobody is paid; less protection shares more")
        return tuple(found)

    def as_dict(self) -> dict[str, Any]:
        """For machines; it names no address and no organization."""
        calendar = {"begin": self.calendar.begin.isoformat(), "days": self.calendar.days, "periods": self.calendar.periods}
        attacks = {
            name: {"question": QUESTIONS[name], "raw": each.raw.as_dict(), "protected": each.protected.as_dict()}
            for name, each in self.attacks.items()
        }
        return {
            "plan": asdict(self.plan),
            "calendar": {**calendar, "trained": self.calendar.trained},
            "least": self.least,
            "private": self.private,
            "allowed": self.allowed,
            "together": {way: score.as_dict() for way, score in self.together.items()},
            "fewest": {way: [list(each) for each in numbers] for way, numbers in self.fewest.items()},
            "owners": [each.as_dict() for each in self.owners],
            "shapley": self.shapley.as_dict(),
            "attacks": attacks,
            "warnings": list(self.warnings()),
        }


def _both(owner: Owner) -> tuple[tuple[str, Given], ...]:
    return ("raw", owner.raw), ("shared", owner.shared)


def _given(given: Given) -> tuple[Any, ...]:
    losses = (None,) * 4 if given.losses is None else (*given.losses.pair("people_mean"), *given.losses.pair("max"))
    return given.cells, given.people, *losses
