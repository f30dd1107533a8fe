"""A report on a release as a value: everything that was found out about it, and nothing about how it looks.

The rule for labels is kept here, when the value is made, and not on the page: labels of a class of few people (`Report.few`) and
sensitive values that few hold in the whole table are in no report, so that no form of it can show them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.assessment.combinations import Combination, Contribution
from sfumato.assessment.risk import Risk
from sfumato.losses import Summary
from sfumato.models import Verdict
from sfumato.models.base import TOLERANCE


@dataclass(frozen=True, slots=True)
class Level:
    """How far a QID was generalized; the level is None where it is not known, or not one for all."""

    attribute: str
    level: int | None
    height: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What was published and from what. What only a certificate tells is None without one."""

    file: str
    sha256: str | None
    bytes: int | None
    certified: bool
    people: int
    rows: int
    classes: int
    smallest_class: int
    basis: str
    columns: Mapping[str, str]
    withheld: Mapping[str, str]
    levels: tuple[Level, ...]
    local: bool
    original: str | None = None
    schema_fits: bool | None = None
    time: str | None = None
    version: str | None = None
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model: what the certificate says of it, and what it says when asked again about the file. `why_not` if that cannot be.

    `comparable` is False where it was asked again under beliefs that the certificate knows nothing of.
    """

    model: str
    certified: Verdict | None = None
    judged: Verdict | None = None
    why_not: str | None = None
    comparable: bool = True

    @property
    def verdict(self) -> Verdict | None:
        """The one that counts: what was seen, before what was told."""
        judged = self.judged if self.judged and self.judged.satisfied is not None else None
        return judged or self.certified or self.judged

    @property
    def sensitive(self) -> str | None:
        return self.verdict.sensitive if self.verdict else None

    @property
    def agrees(self) -> bool | None:
        """Whether file and certificate say the same; None where only one of them speaks."""
        if self.certified is None or self.judged is None or self.judged.satisfied is None or not self.comparable:
            return None
        one, other = self.certified.value, self.judged.value
        near = one == other if one is None or other is None else abs(one - other) <= TOLERANCE
        return near and self.certified.satisfied == self.judged.satisfied


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes, worst first, as columns: number, people, losses, and per QID a place among its labels.

    The place is -1 where the class is too small for its labels to be told. `labels` holds those of the other classes only.
    """

    numbers: tuple[int, ...]
    people: tuple[int, ...]
    losses: Mapping[str, tuple[float, ...]]
    labels: Mapping[str, tuple[str, ...]]
    places: Mapping[str, tuple[int, ...]]

    def label(self, attribute: str, row: int) -> str | None:
        """What a class is called, or None if it is too small."""
        place = self.places[attribute][row]
        return None if place < 0 else self.labels[attribute][place]


@dataclass(frozen=True, slots=True)
class Believed:
    """Shares of the sensitive values before and after: of one class beside the prior, or of the table with and without people.

    A row is (value, before, after); values that few hold are one row together, without a name.
    """

    rows: tuple[tuple[str | None, float, float], ...]
    rare: int = 0
    number: int | None = None
    people: int | None = None
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """What is learned about one sensitive attribute (None: the table has none, and only sizes are told)."""

    sensitive: str | None
    losses: Mapping[str, Summary]
    classes: Classes
    worst: Believed | None = None
    combinations: tuple[Combination, ...] = ()
    shares: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Gone:
    """Suppressed people, as far as is known, and how their going changed each sensitive attribute."""

    people: int | None = None
    rows: int | None = None
    classes: int | None = None
    style: str | None = None
    share: float | None = None
    changes: Mapping[str, Believed] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about a release that its owner answers for."""

    made: str
    version: str
    few: int
    facts: Facts
    judgments: tuple[Judgment, ...]
    learned: tuple[Learned, ...]
    combinations_of: str
    information: Mapping[str, float]
    risk: Risk
    gone: Gone
    settings: Mapping[str, str]
    commands: tuple[str, ...]
    unknown: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def status(self) -> str:
        """`violated` if one model is, `not_applicable` if none could be judged, `satisfied`, or `not_judged` if none was asked."""
        said = [judgment.verdict.satisfied for judgment in self.judgments if judgment.verdict]
        if not said:
            return "not_judged"
        if False in said:
            return "violated"
        return "satisfied" if True in said else "not_applicable"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        told = {name: getattr(self, name) for name in ("made", "version", "few", "combinations_of")}
        told |= {name: dict(getattr(self, name)) for name in ("information", "settings")}
        told |= {name: list(getattr(self, name)) for name in ("commands", "unknown", "warnings")}
        told |= {"facts": plain(self.facts), "gone": plain(self.gone), "risk": self.risk.as_dict()}
        told["models"] = [_judgment(judgment) for judgment in self.judgments]
        told["sensitive"] = [plain(each) for each in self.learned]
        return {"status": self.status, **told}


def _judgment(judgment: Judgment) -> dict[str, Any]:
    told = {name: getattr(judgment, name) for name in ("model", "sensitive", "agrees", "why_not")}
    for name in ("certified", "judged"):
        verdict = getattr(judgment, name)
        told[name] = verdict.as_dict() if verdict else None
    return told


def plain(value: Any) -> Any:
    """A value of a report as JSON knows it."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value
